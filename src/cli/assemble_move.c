/* biela assemble --move: a finite displacement; its end as a table or as JSON, the motion in files. */
#include "cli/cli.h"

#include <stdlib.h>

bool cli_read_targets(const cli_names *texts, bl_move_target **target, cli_assignment **read, cli_mistake *mistake) {
    *read = cli_read_assignments("move", "VARIABLE=NUMBER", "for example --move A.angle=1.5, in rad or m", texts, 1, mistake);
    if (!*read)
        return false;
    *target = calloc((size_t)texts->n + 1, sizeof **target);
    for (bl_index i = 0; *target && i < texts->n; i++)
        (*target)[i] = (bl_move_target){(*read)[i].name, (*read)[i].value[0]};
    return *target || cli_mistaken(mistake, "", "out of memory for --move");
}

/* ---- the end */

/* an incomplete displacement has a report as well */
typedef struct ending {
    const bl_move_report *report;
    bl_status status;
    const bl_error *error;
} ending;

static const char *unit(const bl_moved *m) { return m->is_angle ? "rad" : "m"; }

static void print_report(const void *found) {
    const bl_move_report *r = ((const ending *)found)->report;
    cli_out("%s: %s, %.9g of the displacement, %ld steps\n", r->model_name, bl_move_end_text(r->end), r->share, r->steps);
    cli_line("mobility", "%d, of which %d not prescribed%s", (int)r->mobility, (int)r->free,
             r->free > 0 ? " and moved with the least energy" : "");
    for (bl_index i = 0; i < r->nreleased; i++)
        cli_line("driver released", "%s", r->released[i]);
    for (bl_index i = 0; i < r->ntarget; i++)
        cli_line("moved", "%s from %.9g %s to %.9g %s, target %.9g %s", r->target[i].name, r->target[i].from, unit(&r->target[i]),
                 r->target[i].value, unit(&r->target[i]), r->target[i].wanted, unit(&r->target[i]));
    for (bl_index i = 0; i < r->nbody; i++)
        cli_print_pose(r->body[i], &r->pose[i]);
    for (bl_index i = 0; i < r->nvariable; i++)
        cli_line(r->variable[i].name, "%.9g %s, was %.9g", r->variable[i].value, unit(&r->variable[i]), r->variable[i].from);
    for (bl_index i = 0; i < r->nprobe; i++)
        cli_print_point(r->probe[i], r->probe_at + 3 * i);
}

static void put_moved(bl_json *json, const bl_moved *m, bool wanted) {
    bl_json_open(json, m->name, '{');
    bl_json_number(json, "from", m->from);
    if (wanted)
        bl_json_number(json, "wanted", m->wanted);
    bl_json_number(json, "value", m->value);
    bl_json_close(json, '}');
}

static void put_poses(bl_json *json, const bl_move_report *r) {
    bl_json_open(json, "bodies", '{');
    for (bl_index i = 0; i < r->nbody; i++) {
        bl_json_open(json, r->body[i], '{');
        bl_json_numbers(json, "position", r->pose[i].position, 3);
        bl_json_numbers(json, "quaternion", r->pose[i].quaternion, 4);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
    bl_json_open(json, "probes", '{');
    for (bl_index i = 0; i < r->nprobe; i++)
        bl_json_numbers(json, r->probe[i], r->probe_at + 3 * i, 3);
    bl_json_close(json, '}');
}

static void json_report(bl_json *json, const void *found) {
    const ending *e = found;
    const bl_move_report *r = e->report;
    bl_json_text(json, "status", bl_status_text(e->status));
    if (e->status != BL_OK)
        bl_json_error(json, "error", e->error);
    bl_json_text(json, "end", bl_move_end_text(r->end));
    bl_json_number(json, "share", r->share);
    bl_json_text(json, "joint", r->joint);
    bl_json_integer(json, "mobility", r->mobility);
    bl_json_integer(json, "free", r->free);
    bl_json_texts(json, "released", r->released, r->nreleased);
    bl_json_open(json, "targets", '{');
    for (bl_index i = 0; i < r->ntarget; i++)
        put_moved(json, &r->target[i], true);
    bl_json_close(json, '}');
    bl_json_open(json, "variables", '{');
    for (bl_index i = 0; i < r->nvariable; i++)
        put_moved(json, &r->variable[i], false);
    bl_json_close(json, '}');
    put_poses(json, r);
    bl_json_integer(json, "steps", r->steps);
    bl_json_integer(json, "rejected", r->rejected);
}

/* ---- the command */

static bl_status move(bl_context *ctx, const cli_args *args, const bl_move_options *options, bl_move_report *report) {
    bl_model *model = NULL;
    bl_sink sinks[4] = {{0}};
    bl_index n = 0;
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = cli_check_outputs(ctx, args, model, args->output, NULL, 0);
    if (status == BL_OK && !args->quiet)
        sinks[n++] = cli_progress_sink();
    if (status == BL_OK)
        status = cli_add_files(ctx, args, args->output, sinks, &n);
    sinks[0].size = sizeof *sinks;
    if (status == BL_OK)
        status = bl_move(ctx, model, options, args->output || args->csv ? sinks : NULL, args->output || args->csv ? n : 0, report, NULL);
    for (bl_index i = 0; i < n; i++)
        bl_sink_destroy(&sinks[i]);
    bl_model_destroy(model);
    cli_progress_clear();
    return status;
}

int cli_move(bl_context *ctx, const cli_args *args) {
    cli_mistake mistake = {0};
    bl_move_options options = {
        .size = sizeof options, .ntarget = args->move.n, .coordinates = args->run.coordinates, .closure = args->closure};
    bl_move_target *target = NULL;
    cli_assignment *read = NULL;
    bl_move_report report = {.size = sizeof report, .end = BL_MOVE_NONE};
    int code = EXIT_DONE;
    if (!cli_read_targets(&args->move, &target, &read, &mistake)) {
        code = cli_fail_usage(args, &mistake);
    } else {
        options.target = target;
        bl_status status = move(ctx, args, &options, &report);
        if (report.own)
            cli_show(ctx, args, BL_OK, print_report, json_report, &(ending){&report, status, bl_context_error(ctx)});
        code = status == BL_OK || (status == BL_STOPPED && report.own) ? EXIT_DONE : cli_fail(ctx, args, status);
    }
    bl_move_report_destroy(ctx, &report);
    free(target);
    free(read);
    return code;
}
