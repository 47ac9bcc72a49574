/* biela compare: one model by many combinations, one table of agreement. */
#include "cli/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- table */

enum { COLUMNS = CLI_COMPARE_COLUMNS, CELL = CLI_COMPARE_CELL };

const cli_compare_line cli_compare_head = {"coordinates",  "formulation", "integrator", "status", "motion", "reactions",
                                           "energy error", "drift",       "by",         "steps",  "time"};

static void number_text(double value, char *text) {
    if (isnan(value))
        snprintf(text, CELL, "-");
    else
        snprintf(text, CELL, "%.2g", value);
}

void cli_compare_fill(const bl_compare_entry *e, cli_compare_line l) {
    bool ran = e->steps > 0;
    snprintf(l[0], CELL, "%s", e->coordinates);
    snprintf(l[1], CELL, "%s", e->formulation);
    snprintf(l[2], CELL, "%s", e->integrator);
    snprintf(l[3], CELL, "%s", bl_agreement_text(e->agreement));
    number_text(e->trajectory, l[4]);
    number_text(e->reactions, l[5]);
    number_text(e->energy_error, l[6]);
    number_text(e->drift, l[7]);
    if (!ran)
        snprintf(l[8], CELL, "-");
    else if (e->step > 0)
        snprintf(l[8], CELL, "h = %.2g", e->step);
    else
        snprintf(l[8], CELL, "tol %.0e", e->tolerance);
    if (ran)
        snprintf(l[9], CELL, "%ld", e->steps);
    else
        snprintf(l[9], CELL, "-");
    if (ran && !isnan(e->wall_seconds))
        snprintf(l[10], CELL, "%.3f s", e->wall_seconds);
    else
        snprintf(l[10], CELL, "-");
}

static void print_entries(const bl_compare_report *report) {
    cli_compare_line *lines = calloc((size_t)report->nentry + 1, sizeof *lines);
    if (!lines)
        return;
    memcpy(lines[0], cli_compare_head, sizeof cli_compare_head);
    for (bl_index k = 0; k < report->nentry; k++)
        cli_compare_fill(&report->entry[k], lines[k + 1]);
    cli_print_table(lines[0][0], CELL, COLUMNS, report->nentry + 1, 4);
    free(lines);
}

static void print_reference(const bl_compare_report *r) {
    cli_out("%s, until %.9g s at tolerance %g\n", r->model_name, r->until, r->tolerance);
    cli_out("  %-11s %s at tolerance %g\n", "reference", r->reference, r->reference_tolerance);
    if (r->check)
        cli_out("  %-11s %s: differs by %.2g, so the motion multiplies tolerances by %.2g\n", "checked by", r->check,
                r->reference_trajectory, r->sensitivity);
    else
        cli_out("  %-11s nothing: no other combination with an adaptive method came to the end\n", "checked by");
    cli_out("  %-11s motion %.2g", "may differ", r->allowed);
    if (!isnan(r->allowed_reactions))
        cli_out(", reactions %.2g (of lengths of %.3g m, 1 rad, forces of %.3g N, moments of %.3g N m)", r->allowed_reactions, r->length,
                r->force, r->moment);
    cli_out("\n");
    if (r->joints > 0 && isnan(r->allowed_reactions))
        cli_out("  %-11s not compared: those of the reference and its check differ by %.2g\n", "reactions", r->reference_reactions);
    else if (r->joints_undetermined + r->joints_partial > 0)
        cli_out("  %-11s of %d joints: %d left out, %d in some directions, since redundant constraints do not determine them\n",
                "reactions", (int)r->joints, (int)r->joints_undetermined, (int)r->joints_partial);
}

static void print_report(const bl_compare_report *r) {
    print_reference(r);
    print_entries(r);
    for (bl_index k = 0; k < r->nentry; k++)
        if (r->entry[k].reason[0])
            cli_out("  %s: %s, %s, %s: %s\n", bl_agreement_text(r->entry[k].agreement), r->entry[k].coordinates, r->entry[k].formulation,
                    r->entry[k].integrator, r->entry[k].reason);
    cli_out("  %d agreed, %d disagreed, %d skipped, %d refused, %d failed\n", (int)r->agreed, (int)r->disagreed, (int)r->skipped,
            (int)r->refused, (int)r->failed);
}

/* ---- JSON */

static void json_entry(bl_json *json, const bl_compare_entry *e) {
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "coordinates", e->coordinates);
    bl_json_text(json, "formulation", e->formulation);
    bl_json_text(json, "integrator", e->integrator);
    bl_json_text(json, "status", bl_agreement_text(e->agreement));
    bl_json_open(json, "differences", '{');
    bl_json_number(json, "trajectory", e->trajectory);
    bl_json_number(json, "reactions", e->reactions);
    bl_json_text(json, "worst", e->worst[0] ? e->worst : NULL);
    bl_json_number(json, "worst_time", e->worst_time);
    bl_json_close(json, '}');
    bl_json_open(json, "allowed", '{');
    bl_json_number(json, "trajectory", e->allowed);
    bl_json_number(json, "reactions", e->allowed_reactions);
    bl_json_close(json, '}');
    bl_json_number(json, "drift", e->drift);
    bl_json_number(json, "energy_error", e->energy_error);
    bl_json_number(json, "tolerance", e->tolerance > 0 ? e->tolerance : NAN);
    bl_json_number(json, "step", e->step > 0 ? e->step : NAN);
    bl_json_integer(json, "steps", e->steps);
    bl_json_integer(json, "evaluations", e->evaluations);
    bl_json_number(json, "wall_seconds", e->wall_seconds);
    bl_json_text(json, "reason", e->reason[0] ? e->reason : NULL);
    bl_json_close(json, '}');
}

static int print_json(bl_context *ctx, const char *file, bl_status status, const bl_compare_report *r) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "file", file);
    bl_json_text(&json, "model", r->model_name);
    bl_json_text(&json, "status",
                 status == BL_STOPPED ? "stopped"
                 : r->disagreed > 0   ? "disagreement"
                 : r->failed > 0      ? "failure"
                                      : "done");
    bl_json_number(&json, "until", r->until);
    bl_json_number(&json, "tolerance", r->tolerance);
    bl_json_open(&json, "reference", '{');
    bl_json_text(&json, "combination", r->reference);
    bl_json_number(&json, "tolerance", r->reference_tolerance);
    bl_json_text(&json, "checked_by", r->check);
    bl_json_number(&json, "trajectory", r->reference_trajectory);
    bl_json_number(&json, "reactions", r->reference_reactions);
    bl_json_close(&json, '}');
    bl_json_number(&json, "sensitivity", r->sensitivity);
    bl_json_open(&json, "allowed", '{');
    bl_json_number(&json, "trajectory", r->allowed);
    bl_json_number(&json, "reactions", r->allowed_reactions);
    bl_json_close(&json, '}');
    bl_json_open(&json, "reactions", '{');
    bl_json_integer(&json, "joints", r->joints);
    bl_json_integer(&json, "undetermined", r->joints_undetermined);
    bl_json_integer(&json, "partial", r->joints_partial);
    bl_json_close(&json, '}');
    bl_json_open(&json, "counts", '{');
    bl_json_integer(&json, "agreed", r->agreed);
    bl_json_integer(&json, "disagreed", r->disagreed);
    bl_json_integer(&json, "skipped", r->skipped);
    bl_json_integer(&json, "refused", r->refused);
    bl_json_integer(&json, "failed", r->failed);
    bl_json_close(&json, '}');
    bl_json_open(&json, "entries", '[');
    for (bl_index k = 0; k < r->nentry; k++)
        json_entry(&json, &r->entry[k]);
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

/* ---- the command */

static void progress(void *user, bl_index done, bl_index total, const char *combination) {
    (void)user;
    char text[320];
    if (total > 0)
        snprintf(text, sizeof text, "%d of %d: %s", (int)done + 1, (int)total, combination);
    else
        snprintf(text, sizeof text, "%s", combination);
    cli_progress_line(text);
}

static int finish(bl_context *ctx, const cli_args *args, bl_status status, const bl_compare_report *report) {
    cli_progress_clear();
    if (status != BL_OK && status != BL_STOPPED)
        return cli_fail(ctx, args, status);
    int code = EXIT_DONE;
    if (args->json)
        code = print_json(ctx, args->word, status, report);
    else if (!args->quiet && report->reference)
        print_report(report);
    if (status == BL_STOPPED)
        cli_err("biela: stopped on request after %d combinations\n", (int)report->nentry);
    if (report->disagreed > 0) {
        cli_err("biela: %d of %d combinations disagree\n", (int)report->disagreed, (int)report->nentry);
        code = EXIT_NUMERIC;
    }
    if (report->failed > 0) {
        cli_err("biela: %d of %d combinations fail\n", (int)report->failed, (int)report->nentry);
        code = EXIT_NUMERIC;
    }
    return code;
}

static int compare(bl_context *ctx, cli_args *args) {
    const bl_run_options *run = &args->run;
    bl_compare_options options = {.coordinates = run->coordinates,
                                  .formulation = run->formulation,
                                  .integrator = run->integrator,
                                  .linsol = run->linsol,
                                  .ordering = run->ordering,
                                  .until = run->until,
                                  .tolerance = run->tolerance,
                                  .step = run->step,
                                  .limit = args->limit,
                                  .all = args->all,
                                  .progress = args->quiet ? NULL : progress};
    bl_model *model = NULL;
    bl_compare_report report = {0};
    cli_motions motions = {0};
    bl_compare_motions hooks = cli_motions_hooks(&motions);
    int code = EXIT_DONE;
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK && args->report) {
        options.motions = &hooks;
        code = cli_motions_open(ctx, args, model, &motions);
    }
    if (code == EXIT_DONE) {
        if (status == BL_OK)
            status = bl_compare(ctx, model, &options, &report);
        code = finish(ctx, args, status, &report);
        int page = args->report && (status == BL_OK || status == BL_STOPPED) ? cli_motions_page(&motions, &report) : EXIT_DONE;
        code = page == EXIT_DONE ? code : page;
    }
    cli_motions_close(&motions);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options[] = {&cli_opt_all,
                                            &cli_opt_report_compare,
                                            &cli_opt_until,
                                            &cli_opt_tolerance,
                                            &cli_opt_limit,
                                            &cli_opt_fixed,
                                            &cli_opt_coordinates,
                                            &cli_opt_closure,
                                            &cli_opt_formulation,
                                            &cli_opt_integrator,
                                            &cli_opt_linsol,
                                            &cli_opt_ordering,
                                            &cli_opt_set,
                                            &cli_opt_confined,
                                            &cli_opt_json,
                                            &cli_opt_quiet,
                                            &cli_opt_verbose,
                                            &cli_opt_help,
                                            NULL};

const cli_command cli_compare = {
    "compare",
    "MODEL",
    "one model by many combinations, one table of agreement",
    "Solves a model by combinations of coordinates, formulation and integrator and compares motion and reactions with a reference run at\n"
    "a hundredth of the tolerance. One axis at a time is varied around the model's own choice; `--coordinates all` varies coordinates\n"
    "alone, in all their forms; the same word goes with --formulation and --integrator. Combinations that do not fit are refused with the\n"
    "reason; exit 4 when one disagrees or fails. --report writes a page with the table and the motions behind it.",
    options,
    compare};
