/* biela modes: frequencies and shapes of small vibrations, and the answer of linear systems by them. */
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- options */

/* which of the words; -1: none of them, and the mistake says so */
static int word(const char *option, const char *text, const char *const *words, size_t count, cli_mistake *mistake) {
    for (size_t k = 0; k < count; k++)
        if (strcmp(text, words[k]) == 0)
            return (int)k;
    snprintf(mistake->what, sizeof mistake->what, "--%s takes %s or %s, not '%s'", option, words[0], words[1], text);
    const char *nearest = bl_nearest(text, words, count);
    if (nearest)
        snprintf(mistake->advice, sizeof mistake->advice, "did you mean '%s'?", nearest);
    return -1;
}

static bool read_pair(const char *text, double *a, double *b) {
    char *end;
    *a = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    const char *second = end + 1;
    *b = strtod(second, &end);
    return end != second && *end == '\0' && isfinite(*a) && isfinite(*b) && *a >= 0 && *b >= 0;
}

/* equilibrium, start, steady, or a time */
static bool read_where(const char *text, bl_modes_options *o, cli_mistake *mistake) {
    static const char *const where[] = {"equilibrium", "start", "steady"};
    char *end;
    for (int k = 0; k < 3; k++)
        if (strcmp(text, where[k]) == 0) {
            o->at = (bl_modes_at)(BL_MODES_AT_EQUILIBRIUM + k);
            return true;
        }
    o->at = BL_MODES_AT_TIME;
    o->time = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(o->time) && o->time >= 0)
        return true;
    snprintf(mistake->what, sizeof mistake->what, "--at takes equilibrium, start, steady or a time that is not negative, not '%s'", text);
    const char *nearest = bl_nearest(text, where, 3);
    if (nearest)
        snprintf(mistake->advice, sizeof mistake->advice, "did you mean '%s'?", nearest);
    return false;
}

/* what is seen of the mechanism; a result file among it is that of -o */
static void read_outputs(cli_args *args) {
    bl_index n = 0;
    for (bl_index i = 0; i < args->output_of.n; i++) {
        const char *text = args->output_of.name[i];
        size_t length = strlen(text);
        if (strchr(text, '/') || (length > 3 && strcmp(text + length - 3, ".h5") == 0))
            args->output = text;
        else
            args->output_of.name[n++] = text;
    }
    args->output_of.n = n;
}

static bool read_options(const cli_args *args, bl_modes_options *o, bl_equilibrium_options *path, bl_modes_answer_options *answer,
                         cli_mistake *mistake) {
    static const char *const scale[] = {"mass", "largest"}, *const method[] = {"lapack", "arpack"};
    int k;
    *o = (bl_modes_options){.count = args->all ? -1 : (bl_index)args->count, .anyway = args->anyway, .amplitude = args->amplitude};
    *path = (bl_equilibrium_options){.from = args->load > 0 ? 0 : args->from,
                                     .until = args->load,
                                     .increments = (bl_index)args->increments,
                                     .tolerance = args->run.tolerance,
                                     .any = args->any};
    o->equilibrium = path;
    o->coordinates = args->run.coordinates;
    o->linsol = args->run.linsol;
    o->damping = args->damped ? BL_MODES_DAMPED : args->undamped || args->run.until > 0 ? BL_MODES_UNDAMPED : BL_MODES_DAMPING_AUTO;
    o->input = args->input.name;
    o->ninput = args->input.n;
    o->output = args->output_of.name;
    o->noutput = args->output_of.n;
    o->linear = (args->json && !args->quiet) || cli_linear_wanted(args);
    if (args->where && !read_where(args->where, o, mistake))
        return false;
    if (args->normalize) {
        if ((k = word("normalize", args->normalize, scale, 2, mistake)) < 0)
            return false;
        o->scale = (bl_modes_scale)k;
    }
    if (args->method) {
        if ((k = word("method", args->method, method, 2, mistake)) < 0)
            return false;
        o->method = k == 0 ? BL_MODES_LAPACK : BL_MODES_ARPACK;
    }
    *answer = (bl_modes_answer_options){.until = args->run.until,
                                        .every = args->run.every,
                                        .step = args->run.step,
                                        .take = (bl_index)args->take,
                                        .most = args->most,
                                        .correction = args->correction,
                                        .rayleigh = args->rayleigh != NULL};
    if (args->rayleigh && !read_pair(args->rayleigh, &answer->alpha, &answer->beta)) {
        snprintf(mistake->what, sizeof mistake->what, "--rayleigh takes two numbers that are not negative, A,B, not '%s'", args->rayleigh);
        snprintf(mistake->advice, sizeof mistake->advice, "for example --rayleigh 0.1,0.001");
        return false;
    }
    if (!(answer->until > 0) &&
        (answer->every > 0 || answer->step > 0 || answer->take > 0 || answer->most || answer->correction || answer->rayleigh)) {
        snprintf(mistake->what, sizeof mistake->what, "an answer by modes needs --until");
        snprintf(mistake->advice, sizeof mistake->advice, "without it only the modes are found");
        return false;
    }
    o->animate = (bl_index)args->animate;
    if (o->animate > 0 && !args->output) {
        snprintf(mistake->what, sizeof mistake->what, "--animate needs a file");
        snprintf(mistake->advice, sizeof mistake->advice, "for example --animate 1 -o mode1.h5, then biela report mode1.h5");
        return false;
    }
    return cli_linear_options(args, args->path != NULL, mistake);
}

/* ---- table */

enum { CELL = 200, MOST_COLUMNS = 10 };

typedef struct cells {
    char *text;
    int columns;
} cells;

static void put(const cells *c, bl_index row, int column, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(c->text + ((size_t)row * (size_t)c->columns + (size_t)column) * CELL, CELL, format, list);
    va_end(list);
}

static void put_number(const cells *c, bl_index row, int column, const char *format, double value) {
    char text[64];
    snprintf(text, sizeof text, format, value);
    put(c, row, column, "%s", isnan(value) ? "-" : text);
}

static void real_row(const cells *c, const bl_modes_report *report, bool directions, bl_index i) {
    const bl_mode *m = &report->mode[i];
    if (report->first_order) {
        put(c, i + 1, 1, "%.9g", m->eigenvalue);
        put(c, i + 1, 2, "%.6g", 1 / m->eigenvalue);
    } else if (m->eigenvalue < 0) {
        put(c, i + 1, 1, "unstable");
        put(c, i + 1, 2, "-");
    } else {
        put(c, i + 1, 1, "%.9g", m->omega);
        put(c, i + 1, 2, "%.9g", m->frequency);
    }
    put_number(c, i + 1, 3, "%.4g", m->damping);
    put(c, i + 1, 4, "%.4g", m->initial);
    for (int k = 0; k < 3 && directions; k++)
        put_number(c, i + 1, 5 + k, "%.4g", m->effective_mass[k]);
    put(c, i + 1, c->columns - 1, "%.190s", m->bodies[0] ? m->bodies : m->moves);
}

/* decays and grows have no frequency */
static void complex_row(const cells *c, const bl_modes_report *report, bl_index i) {
    const bl_mode *m = &report->mode[i];
    put_number(c, i + 1, 1, "%.9g", m->frequency);
    put_number(c, i + 1, 2, "%.9g", m->im != 0 || m->rigid ? m->damped_frequency : NAN);
    put_number(c, i + 1, 3, "%.6g", m->damping);
    if (m->im != 0)
        put(c, i + 1, 4, "%.9g +- %.9g i", m->re, m->im);
    else
        put(c, i + 1, 4, "%.9g", m->re);
    put(c, i + 1, 5, "%.190s", m->bodies[0] ? m->bodies : m->moves);
}

static void print_heading(const bl_modes_report *report) {
    static const char *const stability[] = {"not known", "stable", "neither grows nor decays", "unstable"};
    cli_out("%s (%s): %d unknowns, %d equations, %d degree%s of freedom, by %s\n", report->model_name, report->coordinates,
            (int)report->unknowns, (int)report->rows, (int)report->freedoms, report->freedoms == 1 ? "" : "s", report->method);
    if (report->moving)
        cli_out("  %-16s %s\n", report->acceleration > 0 ? "frozen motion" : "steady motion", report->cyclic);
    if (report->nrigid > 0)
        cli_out("  %-16s %d: %s\n", "rigid modes", (int)report->nrigid, report->rigid);
    if (report->nmassless > 0)
        cli_out("  %-16s %d: %s\n", "without mass", (int)report->nmassless, report->massless);
    if (report->residual > 1e-9)
        cli_out("  %-16s %.3g of the forces\n", "out of balance", report->residual);
    if (report->is_complex || report->nunstable > 0)
        cli_out("  %-16s %s%s\n", "stability", stability[report->stability], report->moving ? " about the motion" : "");
}

static void print_report(const bl_modes_report *report) {
    bool directions = false;
    for (int k = 0; k < 3; k++)
        directions = directions || isfinite(report->total_mass[k]);
    print_heading(report);
    if (report->nmode == 0)
        return;
    cells c = {.columns = report->is_complex ? 6 : directions ? 9 : 6};
    c.text = calloc((size_t)c.columns * (size_t)(report->nmode + 1), CELL);
    if (!c.text)
        return;
    put(&c, 0, 0, "mode");
    put(&c, 0, 1, report->is_complex ? "Hz" : report->first_order ? "decay rate" : "rad/s");
    put(&c, 0, 2, report->is_complex ? "damped Hz" : report->first_order ? "time" : "Hz");
    put(&c, 0, 3, "damping");
    put(&c, 0, 4, report->is_complex ? "eigenvalue" : "of the start");
    for (int k = 0; k < 3 && directions && !report->is_complex; k++)
        put(&c, 0, 5 + k, "mass %c", "xyz"[k]);
    put(&c, 0, c.columns - 1, "moves");
    for (bl_index i = 0; i < report->nmode; i++) {
        put(&c, i + 1, 0, "%d", (int)i + 1);
        if (report->is_complex)
            complex_row(&c, report, i);
        else
            real_row(&c, report, directions, i);
    }
    cli_print_table(c.text, CELL, c.columns, report->nmode + 1, 1);
    free(c.text);
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
    bl_json_number(json, "eigenvalue", m->eigenvalue);
    bl_json_number(json, "omega", m->omega);
    bl_json_number(json, "frequency", m->frequency);
    bl_json_flag(json, "rigid", m->rigid);
    bl_json_number(json, "mass", m->mass);
    bl_json_number(json, "damping", m->damping);
    bl_json_number(json, "residual", m->residual);
    bl_json_numbers(json, "participation", m->participation, 3);
    bl_json_numbers(json, "effective_mass", m->effective_mass, 3);
    bl_json_number(json, "initial", m->initial);
    bl_json_number(json, "initial_rate", m->initial_rate);
    bl_json_number(json, "re", m->re);
    bl_json_number(json, "im", m->im);
    bl_json_number(json, "damped_frequency", m->damped_frequency);
    bl_json_integer(json, "group", m->group);
    bl_json_text(json, "moves", m->moves);
    if (m->motion)
        json_motions(json, report, m);
    if (shapes)
        bl_json_numbers(json, "shape", m->shape, report->unknowns);
    if (shapes && m->shape_im)
        bl_json_numbers(json, "shape_im", m->shape_im, report->unknowns);
    bl_json_close(json, '}');
}

/* everything but the last bracket: an answer may follow */
static void json_report(bl_json *json, const bl_modes_report *report, bool shapes) {
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "status", "done");
    bl_json_text(json, "model", report->model_name);
    bl_json_text(json, "coordinates", report->coordinates);
    bl_json_text(json, "method", report->method);
    bl_json_flag(json, "first_order", report->first_order);
    bl_json_integer(json, "unknowns", report->unknowns);
    bl_json_integer(json, "rows", report->rows);
    bl_json_integer(json, "freedoms", report->freedoms);
    bl_json_number(json, "t", report->t);
    bl_json_number(json, "residual", report->residual);
    bl_json_integer(json, "rigid", report->nrigid);
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
            bl_json_open(json, report->variable[i], '{');
            bl_json_number(json, "value", report->value[i]);
            bl_json_number(json, "rate", report->rate[i]);
            bl_json_close(json, '}');
        }
        bl_json_close(json, '}');
    }
    if (report->linear)
        bl_linear_json(report->linear, json);
    if (shapes && report->unknown) {
        bl_json_open(json, "unknowns_by_name", '[');
        for (bl_index j = 0; j < report->unknowns; j++)
            bl_json_text(json, NULL, report->unknown[j]);
        bl_json_close(json, ']');
    }
    bl_json_open(json, "modes", '[');
    for (bl_index i = 0; i < report->nmode; i++)
        json_mode(json, report, &report->mode[i], shapes);
    bl_json_close(json, ']');
}

/* text that a sink makes, for the object that holds it */
typedef struct held {
    char *text;
    size_t length, room;
    bool lost;
} held;

static void hold(void *user, const char *text, size_t length) {
    held *h = user;
    if (h->lost)
        return;
    if (h->length + length > h->room) {
        size_t room = 2 * (h->length + length);
        char *more = realloc(h->text, room);
        h->lost = !more;
        if (!more)
            return;
        h->text = more;
        h->room = room;
    }
    memcpy(h->text + h->length, text, length);
    h->length += length;
}

/* ---- the command */

enum { MOST_SINKS = 5 };

/* files asked for, progress, and JSON into memory */
static bl_status make_sinks(bl_context *ctx, const cli_args *args, bool answer, held *text, bl_sink *sinks, bl_index *n) {
    *n = 0;
    if (!args->quiet && answer)
        sinks[(*n)++] = cli_progress_sink();
    bl_status status = cli_add_files(ctx, args, args->output, sinks, n);
    if (status == BL_OK && answer && args->json)
        status = bl_sink_json(ctx, hold, text, &sinks[(*n)++]);
    return status;
}

static bl_status study(bl_context *ctx, const cli_args *args, const bl_model *model, const bl_modes_options *options,
                       const bl_modes_answer_options *how, held *text, bl_modes_report *report, bl_run_summary *summary) {
    bl_sink sinks[MOST_SINKS] = {{0}};
    bl_index n = 0;
    bool answer = how->until > 0;
    bl_status status = make_sinks(ctx, args, answer, text, sinks, &n);
    if (status == BL_OK)
        status = bl_modes(ctx, model, options, answer ? NULL : sinks, answer ? 0 : n, report);
    if (status == BL_OK && answer)
        status = bl_modes_answer(ctx, report, how, sinks, n, summary);
    for (bl_index i = 0; i < MOST_SINKS; i++)
        bl_sink_destroy(&sinks[i]);
    return status;
}

static int tell(bl_context *ctx, const cli_args *args, const bl_modes_report *report, const bl_modes_path_report *path, const held *text,
                const bl_run_summary *summary) {
    if (args->json) {
        bl_json json = {.ctx = ctx};
        json_report(&json, report, args->shapes);
        cli_modes_path_json(&json, path);
        if (text->length == 0 || json.status != BL_OK) {
            bl_json_close(&json, '}');
            return cli_print_json(ctx, &json);
        }
        cli_write(NULL, json.text, json.length);
        bl_json_destroy(&json);
        cli_write(NULL, ",\"answer\":", strlen(",\"answer\":"));
        cli_write(NULL, text->text, text->length - (text->text[text->length - 1] == '\n'));
        cli_write(NULL, "}\n", 2);
        return EXIT_DONE;
    }
    if (args->quiet)
        return EXIT_DONE;
    print_report(report);
    cli_modes_path_tell(path);
    if (summary->steps > 0)
        cli_out("  %-16s until %.9g s by %ld steps of %.3g s\n", "answer", summary->t, summary->steps, summary->h_largest);
    if (args->output)
        cli_out("  %-16s %s\n", "result", args->output);
    if (args->csv)
        cli_out("  %-16s %s\n", "table", args->csv);
    if (args->vtk)
        cli_out("  %-16s %s/fields.pvd\n", "fields", args->vtk);
    cli_linear_tell(args);
    return EXIT_DONE;
}

/* everything that is asked for; of a path the table is that of its eigenvalues */
static bl_status work(bl_context *ctx, cli_args *args, const bl_model *model, const bl_modes_options *options, bl_modes_path_options *along,
                      const bl_modes_answer_options *how, held *text, bl_modes_report *report, bl_modes_path_report *path,
                      bl_run_summary *summary) {
    const char *table = args->csv;
    along->modes = *options;
    bl_status status = bl_modes_path(ctx, model, along, path);
    args->csv = path->path.npoint > 0 ? NULL : table;
    if (status == BL_OK)
        status = study(ctx, args, model, options, how, text, report, summary);
    args->csv = table;
    if (status == BL_OK && path->path.npoint > 0 && table && cli_first_rank())
        status = bl_mode_path_csv(ctx, &path->path, table);
    if (status == BL_OK)
        status = cli_linear_outputs(ctx, args, report->linear, path->path.npoint > 0 ? &path->path : NULL);
    return status;
}

static int modes(bl_context *ctx, cli_args *args) {
    char parameter[CLI_PARAMETER];
    bl_modes_path_options along;
    bl_modes_path_report over = {0};
    bl_modes_options options;
    bl_equilibrium_options path;
    bl_modes_answer_options how;
    cli_mistake mistake = {0};
    read_outputs(args);
    if (!read_options(args, &options, &path, &how, &mistake) || !cli_modes_path_options(args, parameter, &along, &mistake))
        return cli_fail_usage(args, &mistake);
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_run_summary summary = {0};
    held text = {0};
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = cli_check_outputs(ctx, args, model, args->output);
    if (status == BL_OK)
        status = work(ctx, args, model, &options, &along, &how, &text, &report, &over, &summary);
    cli_progress_clear();
    bool good = status == BL_OK || (status == BL_STOPPED && summary.steps > 0);
    int code = good ? tell(ctx, args, &report, &over, &text, &summary) : cli_fail(ctx, args, status);
    free(text.text);
    bl_modes_report_destroy(ctx, &report);
    bl_modes_path_report_destroy(ctx, &over);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options_of_modes[] = {
    &cli_opt_json,         &cli_opt_count,        &cli_opt_all_modes,   &cli_opt_where,
    &cli_opt_anyway,       &cli_opt_input,        &cli_opt_output_of,   &cli_opt_damped,
    &cli_opt_undamped,     &cli_opt_modes_path,   &cli_opt_animate,     &cli_opt_locus,
    &cli_opt_campbell,     &cli_opt_place_load,   &cli_opt_from,        &cli_opt_increments,
    &cli_opt_any,          &cli_opt_normalize,    &cli_opt_method,      &cli_opt_shapes,
    &cli_opt_shapes_file,  &cli_opt_csv,          &cli_opt_vtk,         &cli_opt_amplitude,
    &cli_opt_answer_until, &cli_opt_answer_every, &cli_opt_answer_step, &cli_opt_take,
    &cli_opt_most,         &cli_opt_correction,   &cli_opt_rayleigh,    &cli_opt_newton_tolerance,
    &cli_opt_set,          &cli_opt_confined,     &cli_opt_coordinates, &cli_opt_closure,
    &cli_opt_linsol,       &cli_opt_quiet,        &cli_opt_verbose,     &cli_opt_help,
    &cli_opt_matrices,     &cli_opt_response,     &cli_opt_frequencies, NULL};

const cli_command cli_modes = {
    "modes",
    "MODEL",
    "frequencies, damping and shapes of small vibrations; matrices of state; answer by modes",
    "Finds the modes of small vibrations about an equilibrium, which is found first, or about a steady motion: frequencies, damping,\n"
    "eigenvalues, shapes, rigid motions; of real modes masses that take part, and how much of each is in the model's start. --input and\n"
    "--output name what the linearized mechanism is driven and seen by: --matrices, --response and --json give it. --path follows the\n"
    "eigenvalues over a parameter. With --until linear systems answer to their loads as a sum of modes, each of them exactly. Writes a\n"
    "file only where an option says so.",
    options_of_modes,
    modes};
