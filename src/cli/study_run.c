/* Shared by run, kinematics, assemble and others: reads the model, runs the study into its sinks, returns the outcome. */
#include "cli/cli.h"

#include <string.h>

void cli_default_result(const char *model, const char *ending, char *path, size_t size) {
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model;
    const char *dot = strrchr(name, '.');
    int length = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    if (strcmp(model, "-") == 0)
        snprintf(path, size, "stdin%s", ending);
    else
        snprintf(path, size, "%.*s%s", length, name, ending);
}

bl_status cli_read_model(bl_context *ctx, const cli_args *args, bl_model **model) {
    bl_read_options how = {.size = sizeof how,
                           .override = args->set,
                           .noverride = args->nset,
                           .files = args->confined ? BL_FILES_INSIDE : BL_FILES_ANY,
                           .contact = args->contact};
    bl_status status = bl_model_open(ctx, args->word, &how, model);
    if (status == BL_OK && args->closure > 0)
        status = bl_model_set_closure(ctx, *model, args->closure);
    return status;
}

bl_status cli_check_outputs(bl_context *ctx, const cli_args *args, const bl_model *model, const char *result, const char *const *more,
                            bl_index nmore) {
    enum { MOST = 16 };
    char folder[CLI_PATH], page[512];
    snprintf(folder, sizeof folder, "%s/", args->vtk ? args->vtk : "");
    const char *report = args->report && result ? cli_report_path(args, result, page, sizeof page) : NULL;
    const char *path[MOST] = {result, args->csv, args->vtk ? folder : NULL, report};
    bl_index n = 4;
    for (bl_index k = 0; k < nmore && n < MOST; k++)
        path[n++] = more[k];
    return bl_check_outputs(ctx, model, &args->table, 1, path, n);
}

void cli_print_pose(const char *body, const bl_pose *pose) {
    const double *x = pose->position, *q = pose->quaternion;
    cli_line(body, "at (%.9g, %.9g, %.9g)  quaternion (%.9g, %.9g, %.9g, %.9g)", x[0], x[1], x[2], q[0], q[1], q[2], q[3]);
}

/* of elastic bodies the first and the last frame */
void cli_print_bodies(const bl_run_info *info, const bl_pose *pose) {
    bl_index e = 0;
    for (bl_index i = 0; i < info->nbody; i++) {
        while (e < info->nelastic && i >= info->elastic_first[e] + info->elastic_frames[e])
            e++;
        bl_index frame = e < info->nelastic ? i - info->elastic_first[e] : -1;
        if (frame < 1 || frame == info->elastic_frames[e] - 1)
            cli_print_pose(info->body[i], &pose[i]);
        else if (frame == 1)
            cli_line("", "(%d frame%s of %s between these)", (int)info->elastic_frames[e] - 2, cli_s(info->elastic_frames[e] - 2),
                     info->elastic[e]);
    }
}

void cli_print_point(const char *name, const double at[3]) { cli_line(name, "at (%.9g, %.9g, %.9g)", at[0], at[1], at[2]); }

void cli_print_files(const cli_args *args, const char *result) {
    if (result)
        cli_line("result", "%s", result);
    if (args->csv)
        cli_line("table", "%s", args->csv);
    if (args->vtk)
        cli_line("fields", "%s/fields.pvd", args->vtk);
}

void cli_print_reached(const cli_outcome *outcome) {
    bool event = outcome->summary.status == BL_EVENT && outcome->stopped_by[0];
    cli_line("reached", "%.9g s of %.9g s: %s", outcome->summary.t, outcome->until,
             event ? outcome->stopped_by : bl_status_text(outcome->status));
}

static bl_status begin(void *user, const bl_run_info *info) {
    cli_outcome *outcome = user;
    outcome->begun = true;
    outcome->until = info->until;
    snprintf(outcome->model, sizeof outcome->model, "%s", info->model_name ? info->model_name : "");
    snprintf(outcome->solver, sizeof outcome->solver, "%s", info->formulation ? info->formulation : "");
    const char *const part[] = {info->coordinates, info->formulation, info->integrator, info->linsol};
    size_t length = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i] && part[i][0] && length < sizeof outcome->combination)
            length +=
                (size_t)snprintf(outcome->combination + length, sizeof outcome->combination - length, "%s%s", length ? ", " : "", part[i]);
        if (part[i] == info->integrator)
            outcome->integrator_end = (int)length;
    }
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    (void)sample;
    ((cli_outcome *)user)->samples++;
    return BL_OK;
}

/* adds the sink of a file; path NULL: none */
static bl_status add_file(bl_context *ctx, bl_status (*make)(bl_context *, const char *, bl_sink *), const char *path, bl_sink *sinks,
                          bl_index *n) {
    if (!path)
        return BL_OK;
    bl_status status = make(ctx, path, &sinks[*n]);
    if (status == BL_OK)
        cli_first_alone(&sinks[(*n)++]);
    return status;
}

bl_status cli_add_files(bl_context *ctx, const cli_args *args, const char *result, bl_sink *sinks, bl_index *n) {
    bl_status status = add_file(ctx, bl_sink_hdf5, result, sinks, n);
    if (status == BL_OK && result && cli_first_rank())
        status = cli_name_origin(args, &sinks[*n - 1]);
    if (status == BL_OK)
        status = add_file(ctx, bl_sink_csv, args->csv, sinks, n);
    if (status == BL_OK)
        status = add_file(ctx, bl_sink_vtk, args->vtk, sinks, n);
    return status;
}

static bl_status simulate(bl_context *ctx, const cli_args *args, cli_study *study, const char *result, bl_sink extra, bl_model *model,
                          cli_outcome *outcome) {
    enum { MOST = 7 };
    bl_sink sinks[MOST] = {{.size = sizeof *sinks, .user = outcome, .begin = begin, .sample = take_sample, .want = BL_WANT_TIME}, extra};
    bl_index n = 2;
    if (!args->quiet)
        sinks[n++] = cli_progress_sink();
    bl_status status = cli_add_files(ctx, args, result, sinks, &n);
    if (status == BL_OK && args->json) /* last, so that it reports whether the files were written */
        status = bl_sink_json(ctx, cli_write, NULL, &sinks[n++]);
    if (status == BL_OK) {
        status = study(ctx, args, model, sinks, n, outcome);
        if (outcome->summary.stopped_by)
            snprintf(outcome->stopped_by, sizeof outcome->stopped_by, "%s", outcome->summary.stopped_by);
        if (status == BL_OK)
            status = outcome->summary.status;
    }
    for (bl_index i = 0; i < n; i++)
        bl_sink_destroy(&sinks[i]);
    return status;
}

static cli_outcome new_outcome(void) {
    return (cli_outcome){.summary.size = sizeof(bl_run_summary),
                         .kinematics.size = sizeof(bl_kinematics_summary),
                         .equilibrium.size = sizeof(bl_equilibrium_summary),
                         .inverse.size = sizeof(bl_inverse_summary)};
}

/* model: NULL if reading failed (outcome->status); it is destroyed here */
static void do_study(bl_context *ctx, const cli_args *args, cli_study *study, const char *result, bl_sink extra, bl_model *model,
                     cli_outcome *outcome) {
    if (outcome->status == BL_OK)
        outcome->status = cli_check_outputs(ctx, args, model, result, NULL, 0);
    if (outcome->status == BL_OK)
        outcome->status = simulate(ctx, args, study, result, extra, model, outcome);
    else
        bl_sink_destroy(&extra);
    bl_model_destroy(model);
    cli_progress_clear();
}

void cli_do_study(bl_context *ctx, const cli_args *args, cli_study *study, const char *result, bl_sink extra, cli_outcome *outcome) {
    bl_model *model = NULL;
    *outcome = new_outcome();
    outcome->status = cli_read_model(ctx, args, &model);
    do_study(ctx, args, study, result, extra, model, outcome);
}

int cli_study_to_file(bl_context *ctx, const cli_args *args, cli_study *study, cli_print *print, cli_steps *steps) {
    char path[512];
    const char *result = args->output;
    if (args->report && args->json && !result)
        return cli_refuse(args, "name it with -o FILE.h5", "--report with --json needs a result file");
    if (!result && !args->json) {
        cli_default_result(args->word, ".h5", path, sizeof path);
        result = path;
    }
    cli_outcome outcome = new_outcome();
    bl_model *model = NULL;
    outcome.status = cli_read_model(ctx, args, &model);
    if (outcome.status == BL_OK && steps && bl_model_is_deck(model)) {
        int code = steps(ctx, args, model);
        bl_model_destroy(model);
        return code;
    }
    do_study(ctx, args, study, result, (bl_sink){0}, model, &outcome);
    bool kept = outcome.samples > 0 && outcome.status != BL_E_FILE;
    bool spoken = !args->json && !args->quiet;
    if (spoken && outcome.samples > 0) {
        print(ctx, &outcome);
        if (kept)
            cli_print_files(args, result);
        if (kept && result && !args->report)
            cli_line("to view it", "biela report %s", result);
    }
    bl_inverse_summary_destroy(ctx, &outcome.inverse);
    int report = kept && result && args->report ? cli_report_run(args, result) : EXIT_DONE;
    bool good = outcome.status == BL_OK || outcome.status == BL_EVENT || (outcome.status == BL_STOPPED && outcome.samples > 0);
    return good ? report : cli_fail(ctx, args, outcome.status);
}
