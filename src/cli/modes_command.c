/* biela modes: frequencies and shapes of small vibrations, and the modal response of linear systems. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values of the options of this command */
struct own {
    double amplitude, animate, load, count, take;
    bool undamped, most, correction, shapes, damped, anyway, all;
    const char *where, *normalize, *path, *rayleigh, *method;
    cli_names output_of, input;
    cli_linear linear;
};

/* ---- options */

/* equilibrium, start, steady, or a time */
static bool read_where(const char *text, bl_modes_options *o, cli_mistake *mistake) {
    static const char *const where[] = {"equilibrium", "start", "steady", NULL};
    o->at = BL_MODES_AT_TIME;
    if (cli_read_numbers(text, ',', 1, &o->time) == 1 && o->time >= 0)
        return true;
    int word = cli_read_word("at", text, where, "a time >= 0", mistake);
    o->at = (bl_modes_at)(BL_MODES_AT_EQUILIBRIUM + word);
    return word >= 0;
}

/* outputs of the linearized mechanism; --output FILE.h5 means -o */
static void read_outputs(cli_args *args) {
    bl_index n = 0;
    for (bl_index i = 0; i < cli_own(args)->output_of.n; i++) {
        const char *text = cli_own(args)->output_of.name[i];
        if (strchr(text, '/') || cli_ends_with(text, ".h5"))
            args->output = text;
        else
            cli_own(args)->output_of.name[n++] = text;
    }
    cli_own(args)->output_of.n = n;
}

static bool read_options(const cli_args *args, bl_modes_options *o, bl_equilibrium_options *path, bl_modes_answer_options *answer,
                         cli_mistake *mistake) {
    static const char *const scale[] = {"mass", "largest", NULL}, *const method[] = {"lapack", "arpack", NULL};
    int k;
    *o = (bl_modes_options){.size = sizeof *o,
                            .count = cli_own(args)->all ? -1 : (bl_index)cli_own(args)->count,
                            .anyway = cli_own(args)->anyway,
                            .amplitude = cli_own(args)->amplitude};
    *path = (bl_equilibrium_options){.size = sizeof *path,
                                     .from = cli_own(args)->load > 0 ? 0 : args->from,
                                     .until = cli_own(args)->load,
                                     .increments = (bl_index)args->increments,
                                     .tolerance = args->run.tolerance,
                                     .any = args->any};
    o->equilibrium = path;
    o->coordinates = args->run.coordinates;
    o->linsol = args->run.linsol;
    o->damping = cli_own(args)->damped                            ? BL_MODES_DAMPED
                 : cli_own(args)->undamped || args->run.until > 0 ? BL_MODES_UNDAMPED
                                                                  : BL_MODES_DAMPING_AUTO;
    o->input = cli_own(args)->input.name;
    o->ninput = cli_own(args)->input.n;
    o->output = cli_own(args)->output_of.name;
    o->noutput = cli_own(args)->output_of.n;
    o->linear = (args->json && !args->quiet) || cli_linear_wanted(&cli_own(args)->linear);
    if (cli_own(args)->where && !read_where(cli_own(args)->where, o, mistake))
        return false;
    if (cli_own(args)->normalize) {
        if ((k = cli_read_word("normalize", cli_own(args)->normalize, scale, NULL, mistake)) < 0)
            return false;
        o->scale = (bl_modes_scale)k;
    }
    if (cli_own(args)->method) {
        if ((k = cli_read_word("method", cli_own(args)->method, method, NULL, mistake)) < 0)
            return false;
        o->method = k == 0 ? BL_MODES_LAPACK : BL_MODES_ARPACK;
    }
    *answer = (bl_modes_answer_options){.size = sizeof *answer,
                                        .until = args->run.until,
                                        .every = args->run.every,
                                        .step = args->run.step,
                                        .take = (bl_index)cli_own(args)->take,
                                        .most = cli_own(args)->most,
                                        .correction = cli_own(args)->correction,
                                        .rayleigh = cli_own(args)->rayleigh != NULL};
    double factor[2] = {0, 0};
    if (cli_own(args)->rayleigh && (cli_read_numbers(cli_own(args)->rayleigh, ',', 2, factor) != 2 || factor[0] < 0 || factor[1] < 0))
        return cli_mistaken(mistake, "for example --rayleigh 0.1,0.001", "--rayleigh takes two numbers A,B, zero or positive, not '%s'",
                            cli_own(args)->rayleigh);
    answer->alpha = factor[0];
    answer->beta = factor[1];
    if (!(answer->until > 0) &&
        (answer->every > 0 || answer->step > 0 || answer->take > 0 || answer->most || answer->correction || answer->rayleigh)) {
        return cli_mistaken(
            mistake, "add --until SECONDS to compute the modal response",
            "options of the modal response (--every, --step, --take, --most, --static-correction, --rayleigh) need --until");
    }
    o->animate = (bl_index)cli_own(args)->animate;
    if (o->animate > 0 && !args->output)
        return cli_mistaken(mistake, "for example --animate 1 -o mode1.h5, then biela report mode1.h5",
                            "--animate needs a result file (-o)");
    return cli_linear_options(&cli_own(args)->linear, true, mistake); /* the model may define a path; checked later */
}

/* ---- table */

static void put_real(cli_table *table, const bl_modes_report *report, bool directions, const bl_mode *m) {
    if (report->first_order) {
        cli_cell(table, "%.9g", m->eigenvalue);
        cli_cell(table, "%.6g", 1 / m->eigenvalue);
    } else if (m->eigenvalue < 0) {
        cli_cells(table, (const char *const[]){"unstable", "-"}, 2);
    } else {
        cli_cell(table, "%.9g", m->omega);
        cli_cell(table, "%.9g", m->frequency);
    }
    cli_cell_number(table, "%.4g", m->damping);
    cli_cell(table, "%.4g", m->initial);
    for (int k = 0; k < 3 && directions; k++)
        cli_cell_number(table, "%.4g", m->effective_mass[k]);
}

/* a real eigenvalue has no frequency */
static void put_complex(cli_table *table, const bl_mode *m) {
    cli_cell_number(table, "%.9g", m->frequency);
    cli_cell_number(table, "%.9g", m->im != 0 || m->rigid ? m->damped_frequency : NAN);
    cli_cell_number(table, "%.6g", m->damping);
    if (m->im != 0)
        cli_cell(table, "%.9g +- %.9g i", m->re, m->im);
    else
        cli_cell(table, "%.9g", m->re);
}

static void print_heading(const bl_modes_report *report) {
    static const char *const stability[] = {"not known", "stable", "neither grows nor decays", "unstable"};
    cli_out("%s (%s): %d unknowns, %d equations, %d degree%s of freedom, by %s\n", report->model_name, report->coordinates,
            (int)report->unknowns, (int)report->rows, (int)report->dof, cli_s(report->dof), report->method);
    if (report->moving)
        cli_line(report->acceleration > 0 ? "frozen motion" : "steady motion", "%s", report->cyclic);
    if (report->nrigid > 0)
        cli_line("rigid modes", "%d: %s", (int)report->nrigid, report->rigid);
    if (report->nmassless > 0)
        cli_line("without mass", "%d: %s", (int)report->nmassless, report->massless);
    if (report->residual > 1e-9)
        cli_line("residual", "%.3g of the forces", report->residual);
    if (report->is_complex || report->nunstable > 0)
        cli_line("stability", "%s%s", stability[report->stability], report->moving ? " about the motion" : "");
}

static void print_modes(const bl_modes_report *report) {
    bool directions = false;
    for (int k = 0; k < 3; k++)
        directions = directions || (isfinite(report->total_mass[k]) && !report->is_complex);
    print_heading(report);
    if (report->nmode == 0)
        return;
    static const char *const heads[3][5] = {{"mode", "rad/s", "Hz", "damping", "initial"},
                                            {"mode", "decay rate", "time", "damping", "initial"},
                                            {"mode", "Hz", "damped Hz", "damping", "eigenvalue"}};
    cli_table table = {.columns = directions ? 9 : 6};
    cli_cells(&table, heads[report->is_complex ? 2 : report->first_order ? 1 : 0], 5);
    cli_cells(&table, (const char *const[]){"mass x", "mass y", "mass z"}, directions ? 3 : 0);
    cli_cell(&table, "moves");
    for (bl_index i = 0; i < report->nmode; i++) {
        const bl_mode *m = &report->mode[i];
        cli_cell(&table, "%d", (int)i + 1);
        if (report->is_complex)
            put_complex(&table, m);
        else
            put_real(&table, report, directions, m);
        cli_cell(&table, "%.190s", m->bodies[0] ? m->bodies : m->moves);
    }
    cli_table_print(&table, 1);
}

/* ---- JSON */

/* real and imaginary part of each component, by body */
static void json_motions(bl_json *json, const bl_modes_report *report, const bl_mode *m) {
    bl_json_open(json, "motions", '{');
    for (bl_index b = 0; b < report->nbody; b++) {
        bl_json_open(json, report->body[b], '{');
        bl_json_numbers(json, "velocity", m->motion[b].velocity, 3);
        bl_json_numbers(json, "angular_velocity", m->motion[b].angular_velocity, 3);
        if (m->shape_im) {
            bl_json_numbers(json, "velocity_im", m->motion[b].velocity_im, 3);
            bl_json_numbers(json, "angular_velocity_im", m->motion[b].angular_velocity_im, 3);
        }
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static void json_mode(bl_json *json, const bl_modes_report *report, const bl_mode *m, bool shapes) {
    bl_json_open(json, NULL, '{');
    BL_JSON_NUMBERS(json, {"eigenvalue", m->eigenvalue}, {"omega", m->omega}, {"frequency", m->frequency});
    bl_json_flag(json, "rigid", m->rigid);
    BL_JSON_NUMBERS(json, {"mass", m->mass}, {"damping", m->damping}, {"residual", m->residual});
    bl_json_numbers(json, "participation", m->participation, 3);
    bl_json_numbers(json, "effective_mass", m->effective_mass, 3);
    BL_JSON_NUMBERS(json, {"initial", m->initial}, {"initial_rate", m->initial_rate}, {"re", m->re}, {"im", m->im},
                    {"damped_frequency", m->damped_frequency}, {"group", m->group});
    bl_json_text(json, "moves", m->moves);
    if (m->motion)
        json_motions(json, report, m);
    if (shapes)
        bl_json_numbers(json, "shape", m->shape, report->unknowns);
    if (shapes && m->shape_im)
        bl_json_numbers(json, "shape_im", m->shape_im, report->unknowns);
    bl_json_close(json, '}');
}

static void json_modes(bl_json *json, const bl_modes_report *report, bool shapes) {
    bl_json_text(json, "status", "done");
    bl_json_text(json, "model", report->model_name);
    bl_json_text(json, "coordinates", report->coordinates);
    bl_json_text(json, "method", report->method);
    bl_json_flag(json, "first_order", report->first_order);
    BL_JSON_NUMBERS(json, {"unknowns", report->unknowns}, {"rows", report->rows}, {"degrees_of_freedom", report->dof}, {"t", report->t},
                    {"residual", report->residual}, {"rigid", report->nrigid});
    bl_json_text(json, "rigid_motions", report->nrigid ? report->rigid : NULL);
    bl_json_integer(json, "massless", report->nmassless);
    bl_json_text(json, "massless_motions", report->nmassless ? report->massless : NULL);
    bl_json_numbers(json, "total_mass", report->total_mass, 3);
    static const char *const stability[] = {NULL, "stable", "marginal", "unstable"};
    bl_json_text(json, "stability", stability[report->stability]);
    bl_json_integer(json, "unstable", report->nunstable);
    bl_json_flag(json, "complex", report->is_complex);
    bl_json_flag(json, "moving", report->moving);
    if (report->moving)
        bl_json_text(json, "turns", report->cyclic);
    if (report->nvariable > 0) {
        bl_json_open(json, "variables", '{');
        for (bl_index i = 0; i < report->nvariable; i++) {
            BL_JSON_OBJECT(json, report->variable[i], {"value", report->value[i]}, {"rate", report->rate[i]});
        }
        bl_json_close(json, '}');
    }
    if (report->linear)
        bl_linear_json(report->linear, json);
    if (shapes && report->unknown) {
        bl_json_texts(json, "unknowns_by_name", report->unknown, report->unknowns);
    }
    bl_json_open(json, "modes", '[');
    for (bl_index i = 0; i < report->nmode; i++)
        json_mode(json, report, &report->mode[i], shapes);
    bl_json_close(json, ']');
}

/* ---- the command */

enum { MOST_SINKS = 5 };

typedef struct task {
    cli_args *args;
    bl_model *model;
    bl_modes_options options;
    bl_equilibrium_options load_path;
    bl_modes_path_options along;
    cli_assignment parameter; /* of `along` */
    bl_modes_answer_options how;
    bl_modes_report report;
    bl_modes_path_report over;
    bl_run_summary summary; /* of the response, and its JSON text */
    char *text;
    size_t length;
} task;

static void hold(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

/* writes the requested files; a response has progress, and its JSON goes to memory */
static bl_status study(bl_context *ctx, FILE *memory, task *t) {
    bl_sink sinks[MOST_SINKS] = {{0}};
    bl_index n = 0;
    bool answer = t->how.until > 0;
    if (!t->args->quiet && answer)
        sinks[n++] = cli_progress_sink();
    bl_status status = cli_add_files(ctx, t->args, t->args->output, sinks, &n);
    if (status == BL_OK && memory)
        status = bl_sink_json(ctx, hold, memory, &sinks[n++]);
    sinks[0].size = sizeof *sinks;
    if (status == BL_OK)
        status = bl_modes(ctx, t->model, &t->options, answer ? NULL : sinks, answer ? 0 : n, &t->report);
    if (status == BL_OK && answer)
        status = bl_modes_answer(ctx, &t->report, &t->how, sinks, n, &t->summary);
    for (bl_index i = 0; i < MOST_SINKS; i++)
        bl_sink_destroy(&sinks[i]);
    return status;
}

/* all requested results; with a path, --csv is the table of its eigenvalues */
static bl_status work(bl_context *ctx, task *t) {
    const char *table = t->args->csv;
    const cli_linear *files = &cli_own(t->args)->linear;
    FILE *memory = t->how.until > 0 && t->args->json ? open_memstream(&t->text, &t->length) : NULL;
    t->along.modes = &t->options;
    bl_status status = bl_modes_path(ctx, t->model, &t->along, &t->over);
    const bl_mode_path *path = t->over.path;
    t->args->csv = path ? NULL : table;
    if (status == BL_OK)
        status = study(ctx, memory, t);
    t->args->csv = table;
    if (memory && fclose(memory) != 0 && status == BL_OK)
        status = BL_E_MEMORY;
    if (status == BL_OK && path && table && cli_first_rank())
        status = bl_mode_path_csv(ctx, path, table);
    return status == BL_OK ? cli_linear_outputs(ctx, files, t->report.linear, path) : status;
}

static void json_task(bl_json *json, const void *found) {
    const task *t = found;
    json_modes(json, &t->report, cli_own(t->args)->shapes);
    cli_modes_path_json(json, &t->over);
    if (t->length == 0)
        return;
    t->text[t->length - 1] = '\0'; /* drop its newline */
    bl_json_raw(json, "answer", t->text);
}

static void print_task(const void *found) {
    const task *t = found;
    print_modes(&t->report);
    cli_modes_path_print(&t->over);
    if (t->summary.steps > 0)
        cli_line("response", "until %.9g s by %ld steps of %.3g s", t->summary.t, t->summary.steps, t->summary.h_largest);
    cli_print_files(t->args, t->args->output);
    cli_linear_print(&cli_own(t->args)->linear);
}

static bl_status read_and_work(bl_context *ctx, task *t) {
    char room[4][CLI_PATH];
    const char *more[CLI_LINEAR_FILES];
    bl_index n = cli_linear_files(&cli_own(t->args)->linear, room, more);
    bl_status status = cli_read_model(ctx, t->args, &t->model);
    if (status == BL_OK)
        status = cli_check_outputs(ctx, t->args, t->model, t->args->output, more, n);
    if (status == BL_OK)
        status = work(ctx, t);
    cli_progress_clear();
    return status;
}

static int modes(bl_context *ctx, cli_args *args) {
    task t = {.args = args, .report.size = sizeof t.report, .over.size = sizeof t.over, .summary.size = sizeof t.summary};
    cli_mistake mistake = {0};
    read_outputs(args);
    if (!read_options(args, &t.options, &t.load_path, &t.how, &mistake) ||
        !cli_modes_path_options(cli_own(args)->path, &t.parameter, &t.along, &mistake))
        return cli_fail_usage(args, &mistake);
    bl_status status = read_and_work(ctx, &t);
    bool good = status == BL_OK || (status == BL_STOPPED && t.summary.steps > 0);
    bool no_path = good && !t.over.path && !cli_linear_options(&cli_own(args)->linear, false, &mistake);
    int code = no_path ? cli_fail_usage(args, &mistake) : cli_show(ctx, args, good ? BL_OK : status, print_task, json_task, &t);
    free(t.text);
    bl_modes_report_destroy(ctx, &t.report);
    bl_modes_path_report_destroy(ctx, &t.over);
    bl_model_destroy(t.model);
    return code;
}

static const cli_option *const options_of_modes[] = {
    &cli_opt_json,
    CLI_OWN(count, 0, "count", "NUMBER", CLI_COUNT, "number of lowest modes (default: 10)"),
    CLI_OWN(all, 0, "all", NULL, CLI_FLAG, "all modes"),
    CLI_OWN(where, 0, "at", "WHERE", CLI_TEXT,
            "linearize about: equilibrium (found from the start; the default), start, steady, or a time"),
    CLI_OWN(anyway, 0, "anyway", NULL, CLI_FLAG, "linearize there even without equilibrium or steady motion (frozen motion)"),
    CLI_OWN(input, 0, "input", "NAME", CLI_NAMES,
            "input of the linearized mechanism: variable, driver, force or parameter; may be repeated"),
    CLI_OWN(output_of, 0, "output", "NAME", CLI_NAMES,
            "output of the linearized mechanism: A.angle, C.x, reaction.A.fx, ...; FILE.h5 means -o"),
    CLI_OWN(damped, 0, "damped", NULL, CLI_FLAG, "complex modes if there is damping (default for mechanisms)"),
    CLI_OWN(undamped, 0, "undamped", NULL, CLI_FLAG, "real modes without damping, each with its damping ratio"),
    CLI_OWN(path, 0, "path", "NAME=FROM:TO", CLI_TEXT,
            "eigenvalues over a parameter, NAME=FROM:TO:POINTS; --csv is then their table (default: 101 points)"),
    CLI_OWN(animate, 0, "animate", "MODE", CLI_COUNT, "write one period of this mode to -o instead of all shapes"),
    CLI_OWN(linear.locus, 0, "locus", "FILE.svg", CLI_TEXT, "draw the eigenvalues along --path in the complex plane"),
    CLI_OWN(linear.campbell, 0, "campbell", "FILE.svg", CLI_TEXT,
            "draw the frequencies along --path; if it is a speed, also its multiples"),
    CLI_OWN(load, 0, "load", "LOAD", CLI_POSITIVE, "linearize about the equilibrium at the end of a load path from 0 to this value"),
    &cli_opt_from,
    &cli_opt_increments,
    &cli_opt_any,
    CLI_OWN(normalize, 0, "normalize", "WHAT", CLI_TEXT, "mass: phi' M phi = 1, or largest: largest entry 1 (default: mass)"),
    CLI_OWN(method, 0, "method", "METHOD", CLI_TEXT, "lapack (full matrices) or arpack (lowest modes only; default above 1500 unknowns)"),
    CLI_OWN(shapes, 0, "shapes", NULL, CLI_FLAG, "with --json: also the mode shapes"),
    CLI_SHARED(output, 'o', "result", "FILE", CLI_TEXT, "result file: shapes at \"times\" 1, 2, ..., or the response with --until"),
    &cli_opt_csv,
    &cli_opt_vtk,
    CLI_OWN(amplitude, 0, "amplitude", "NUMBER", CLI_POSITIVE, "scale of shapes in files (default: 1; mechanisms 0.1)"),
    CLI_SHARED(run.until, 0, "until", "SECONDS", CLI_POSITIVE, "modal response from the model's start until this time"),
    CLI_SHARED(run.every, 0, "every", "SECONDS", CLI_POSITIVE, "output interval of the response (default: until / 200)"),
    CLI_SHARED(run.step, 0, "step", "SECONDS", CLI_POSITIVE, "step over which loads are taken as linear (default: the output interval)"),
    CLI_OWN(take, 0, "take", "NUMBER", CLI_COUNT, "number of modes used in the response (default: all computed modes)"),
    CLI_OWN(most, 0, "most", NULL, CLI_FLAG, "use the modes with the largest participation instead of the lowest"),
    CLI_OWN(correction, 0, "static-correction", NULL, CLI_FLAG, "add the static response of the modes that are left out"),
    CLI_OWN(rayleigh, 0, "rayleigh", "A,B", CLI_TEXT, "damping A M + B K instead of the model's"),
    &cli_opt_newton_tolerance,
    CLI_MODEL_OPTIONS,
    &cli_opt_coordinates,
    &cli_opt_closure,
    &cli_opt_linsol,
    CLI_OWN(linear.matrices, 0, "matrices", "FILE", CLI_TEXT,
            "x' = A x + B u, y = C x + D u: .m (Octave, MATLAB), .json, .mtx (FILE.A.mtx, ...)"),
    CLI_OWN(linear.response, 0, "response", "FILE", CLI_TEXT, "frequency response of outputs to inputs: .csv, or .svg (Bode plot)"),
    CLI_OWN(linear.frequencies, 0, "frequencies", "FROM:TO[:N]", CLI_TEXT,
            "frequencies of the response, rad/s (default: around the poles)"),
    CLI_MESSAGE_OPTIONS};

const cli_command cli_modes = {
    .name = "modes",
    .word = "MODEL",
    .help = "find frequencies, damping and mode shapes; state matrices; modal response",
    .text = "Finds the modes of small vibrations about an equilibrium, which is found first, or about a steady motion:\n"
            "frequencies, damping, eigenvalues, shapes, rigid motions; for real modes also effective masses and their\n"
            "amplitude in the model's initial state. --input and --output name the inputs and outputs of the linearized\n"
            "mechanism, for --matrices, --response and --json. --path follows the eigenvalues over a parameter. --until\n"
            "computes the response of a linear system to its loads as a sum of modes, each solved exactly. Files are\n"
            "written only by the options that name them.",
    .options = options_of_modes,
    .run = modes,
    .own = sizeof(struct own),
    .parallel = true};
