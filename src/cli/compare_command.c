/* biela compare: one model solved with many combinations of methods, and a table of their agreement; several models: see
 * compare_models_command.c. */
#include "cli/compare_output.h"

#include <math.h>
#include <string.h>

/* values of the options of this command */
struct own {
    double limit, stiffness, exponent, levels, agree, agree_reactions, samples;
    bool all, contacts;
};

/* ---- table */

static const char *const head[CLI_COMPARE_COLUMNS] = {"coordinates",  "formulation", "integrator", "status", "motion", "reactions",
                                                      "energy error", "drift",       "setting",    "steps",  "time"};

void cli_compare_head(cli_table *table) { cli_cells(table, head, CLI_COMPARE_COLUMNS); }

void cli_compare_cells(cli_table *table, const bl_compare_entry *e) {
    bool ran = e->steps > 0;
    cli_cells(table, (const char *const[]){e->coordinates, e->formulation, e->integrator, bl_agreement_text(e->agreement)}, 4);
    cli_cell_number(table, "%.2g", e->trajectory);
    cli_cell_number(table, "%.2g", e->reactions);
    cli_cell_number(table, "%.2g", e->energy_error);
    cli_cell_number(table, "%.2g", e->drift);
    cli_cell_number(table, e->step > 0 ? "h = %.2g" : "tol %.0e", !ran ? NAN : e->step > 0 ? e->step : e->tolerance);
    cli_cell_number(table, "%.0f", ran ? (double)e->steps : NAN);
    cli_cell_number(table, "%.3f s", ran ? e->wall_seconds : NAN);
}

static void print_entries(const bl_compare_report *report) {
    cli_table table = {.columns = CLI_COMPARE_COLUMNS};
    cli_compare_head(&table);
    for (bl_index k = 0; k < report->nentry; k++)
        cli_compare_cells(&table, &report->entry[k]);
    cli_table_print(&table, 4);
}

static void print_reference(const bl_compare_report *r) {
    cli_out("%s, until %.9g s at tolerance %g\n", r->model_name, r->until, r->tolerance);
    cli_out("  %-11s %s at tolerance %g\n", "reference", r->reference, r->reference_tolerance);
    if (r->check)
        cli_out("  %-11s %s: differs by %.2g, so errors of the tolerance are amplified %.2g times\n", "checked by", r->check,
                r->reference_trajectory, r->sensitivity);
    else
        cli_out("  %-11s nothing: no other combination with an adaptive method was completed\n", "checked by");
    cli_out("  %-11s motion %.2g", "allowed", r->allowed);
    if (!isnan(r->allowed_reactions))
        cli_out(", reactions %.2g (of lengths of %.3g m, 1 rad, forces of %.3g N, moments of %.3g N m)", r->allowed_reactions, r->length,
                r->force, r->moment);
    cli_out("\n");
    if (r->joints > 0 && isnan(r->allowed_reactions))
        cli_out("  %-11s not compared, because the reference and its check differ by %.2g\n", "reactions", r->reference_reactions);
    else if (r->joints_undetermined + r->joints_partial > 0)
        cli_out(
            "  %-11s of %d joints: %d not compared, %d in some directions only, because redundant constraints leave them undetermined\n",
            "reactions", (int)r->joints, (int)r->joints_undetermined, (int)r->joints_partial);
}

/* the report of a file, and the status of the study */
typedef struct compared {
    const char *file;
    bl_status status;
    bl_compare_report report;
} compared;

static void print_report(const void *found) {
    const bl_compare_report *r = &((const compared *)found)->report;
    if (!r->reference)
        return;
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
    BL_JSON_OBJECT(json, "allowed", {"trajectory", e->allowed}, {"reactions", e->allowed_reactions});
    BL_JSON_NUMBERS(json, {"drift", e->drift}, {"energy_error", e->energy_error}, {"tolerance", e->tolerance > 0 ? e->tolerance : NAN},
                    {"step", e->step > 0 ? e->step : NAN}, {"steps", e->steps}, {"evaluations", e->evaluations},
                    {"wall_seconds", e->wall_seconds});
    bl_json_text(json, "reason", e->reason[0] ? e->reason : NULL);
    bl_json_close(json, '}');
}

static void json_report(bl_json *json, const void *found) {
    const compared *c = found;
    const bl_compare_report *r = &c->report;
    bl_json_text(json, "file", c->file);
    bl_json_text(json, "model", r->model_name);
    bl_json_text(json, "status",
                 c->status == BL_STOPPED ? "stopped"
                 : r->disagreed > 0      ? "disagreement"
                 : r->failed > 0         ? "failure"
                                         : "done");
    bl_json_number(json, "until", r->until);
    bl_json_number(json, "tolerance", r->tolerance);
    bl_json_open(json, "reference", '{');
    bl_json_text(json, "combination", r->reference);
    bl_json_number(json, "tolerance", r->reference_tolerance);
    bl_json_text(json, "checked_by", r->check);
    bl_json_number(json, "trajectory", r->reference_trajectory);
    bl_json_number(json, "reactions", r->reference_reactions);
    bl_json_close(json, '}');
    bl_json_number(json, "sensitivity", r->sensitivity);
    BL_JSON_OBJECT(json, "allowed", {"trajectory", r->allowed}, {"reactions", r->allowed_reactions});
    BL_JSON_OBJECT(json, "reactions", {"joints", r->joints}, {"undetermined", r->joints_undetermined}, {"partial", r->joints_partial});
    BL_JSON_OBJECT(json, "counts", {"agreed", r->agreed}, {"disagreed", r->disagreed}, {"skipped", r->skipped}, {"refused", r->refused},
                   {"failed", r->failed});
    bl_json_open(json, "entries", '[');
    for (bl_index k = 0; k < r->nentry; k++)
        json_entry(json, &r->entry[k]);
    bl_json_close(json, ']');
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

static int finish(bl_context *ctx, const cli_args *args, const compared *found) {
    const bl_compare_report *report = &found->report;
    bool stopped = found->status == BL_STOPPED;
    cli_progress_clear();
    int code = cli_show(ctx, args, stopped ? BL_OK : found->status, print_report, json_report, found);
    if (stopped)
        cli_err("biela: stopped on request after %d combinations\n", (int)report->nentry);
    if (report->disagreed > 0) {
        cli_err("biela: %d of %d combinations disagree\n", (int)report->disagreed, (int)report->nentry);
        code = EXIT_NUMERIC;
    }
    if (report->failed > 0) {
        cli_err("biela: %d of %d combinations failed\n", (int)report->failed, (int)report->nentry);
        code = EXIT_NUMERIC;
    }
    return code;
}

static int compare_contacts(bl_context *ctx, cli_args *args) {
    const struct own *own = cli_own(args);
    bl_compare_contacts_options options = {.size = sizeof options,
                                           .run = &args->run,
                                           .stiffness = own->stiffness,
                                           .exponent = own->exponent,
                                           .levels = (int)own->levels,
                                           .limit = own->limit,
                                           .progress = args->quiet ? NULL : progress};
    return cli_compare_contacts(ctx, args, &options);
}

static int compare_models(bl_context *ctx, cli_args *args) {
    const struct own *own = cli_own(args);
    const char *const word[] = {args->run.coordinates, args->run.formulation, args->run.integrator};
    const char *one = own->all ? "--all" : own->contacts ? "--contacts" : own->limit > 0 ? "--limit" : args->report ? "--report" : NULL;
    for (int k = 0; k < 3 && !one; k++)
        one = word[k] && strcmp(word[k], "all") == 0 ? "the word `all`" : NULL;
    if (one)
        return cli_refuse(args, "several models are compared with each other, each solved by its own methods",
                          "%s is for one model, found %d models", one, (int)args->words.n);
    bl_compare_models_options options = {
        .size = sizeof options, .agree = own->agree, .agree_reactions = own->agree_reactions, .samples = (bl_index)own->samples};
    return cli_compare_models(ctx, args, &options);
}

static int compare(bl_context *ctx, cli_args *args) {
    const struct own *own = cli_own(args);
    if (args->words.n > 1)
        return compare_models(ctx, args);
    if (own->agree > 0 || own->agree_reactions > 0 || own->samples > 0)
        return cli_refuse(args, "give the files of two models or more", "--agree, --reactions and --samples need several models");
    if (own->contacts && (own->all || args->report))
        return cli_refuse(args, "it compares motions by one method each, in a table", "--contacts and %s cannot be used together",
                          own->all ? "--all" : "--report");
    if (!own->contacts && (own->stiffness > 0 || own->exponent > 0 || own->levels > 0))
        return cli_refuse(args, "they describe contacts that yield", "--stiffness, --exponent and --levels need --contacts");
    if (own->contacts)
        return compare_contacts(ctx, args);
    const bl_run_options *run = &args->run;
    bl_compare_options options = {.size = sizeof options,
                                  .coordinates = run->coordinates,
                                  .formulation = run->formulation,
                                  .integrator = run->integrator,
                                  .linsol = run->linsol,
                                  .ordering = run->ordering,
                                  .until = run->until,
                                  .tolerance = run->tolerance,
                                  .step = run->step,
                                  .limit = cli_own(args)->limit,
                                  .all = cli_own(args)->all,
                                  .progress = args->quiet ? NULL : progress};
    bl_model *model = NULL;
    compared found = {.file = args->word, .report.size = sizeof found.report};
    cli_motions motions = {0};
    bl_compare_motions hooks = cli_motions_hooks(&motions);
    int code = EXIT_DONE;
    found.status = cli_read_model(ctx, args, &model);
    if (found.status == BL_OK && args->report) {
        options.motions = &hooks;
        code = cli_motions_open(ctx, args, model, &motions);
    }
    if (code == EXIT_DONE) {
        if (found.status == BL_OK)
            found.status = bl_compare(ctx, model, &options, &found.report);
        code = finish(ctx, args, &found);
        bool good = found.status == BL_OK || found.status == BL_STOPPED;
        int page = args->report && good ? cli_motions_page(&motions, &found.report) : EXIT_DONE;
        code = page == EXIT_DONE ? code : page;
    }
    cli_motions_close(&motions);
    bl_compare_report_destroy(ctx, &found.report);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options[] = {
    CLI_OWN(agree, 0, "agree", "NUMBER", CLI_POSITIVE,
            "several models: relative difference of lengths, angles and signals that counts as agreement (default: 0.01)"),
    CLI_OWN(agree_reactions, 0, "reactions", "NUMBER", CLI_POSITIVE,
            "several models: the same of reactions (default: they are shown only)"),
    CLI_OWN(samples, 0, "samples", "COUNT", CLI_COUNT,
            "several models: number of times, equally spaced, at which they are compared (default: 200)"),
    CLI_OWN(all, 0, "all", NULL, CLI_FLAG, "all combinations instead of one change at a time"),
    CLI_SHARED(report, 0, "report", "FILE.html", CLI_MAYBE,
               "write the table and motions as a page for a browser (default: MODEL-compare.html)"),
    CLI_OWN(contacts, 0, "contacts", NULL, CLI_FLAG, "compare rigid contacts with contacts that yield, stiffer and stiffer"),
    CLI_OWN(stiffness, 0, "stiffness", "NUMBER", CLI_POSITIVE,
            "first stiffness of all contacts, N/m^n or N m/rad^n (default: depths are 1 % of the motion)"),
    CLI_OWN(exponent, 0, "exponent", "NUMBER", CLI_POSITIVE, "n: power of the depth, 1 or more (default: 1)"),
    CLI_OWN(levels, 0, "levels", "COUNT", CLI_COUNT, "number of stiffnesses, each ten times the one before (default: 5)"),
    &cli_opt_until,
    &cli_opt_tolerance,
    CLI_OWN(limit, 0, "limit", "SECONDS", CLI_POSITIVE, "wall time allowed for each combination, in seconds (default: 10)"),
    CLI_SHARED(run.step, 0, "step", "SECONDS", CLI_POSITIVE, "step of fixed-step methods (default: halved until it is small enough)"),
    CLI_METHOD_OPTIONS,
    CLI_MODEL_OPTIONS,
    &cli_opt_json,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_compare = {
    .name = "compare",
    .word = "MODEL...",
    .help = "compare many combinations of methods for a model, or several models of one mechanism",
    .text = "Solves a model with combinations of coordinates, formulation and integrator and compares motion and\n"
            "reactions with a reference run at a hundredth of the tolerance. Each of the three is varied in turn while the\n"
            "others keep the model's own choice; `--coordinates all` varies only the coordinates, in all their variants,\n"
            "and --formulation and --integrator take `all`, too. Combinations that are not possible are refused with the\n"
            "reason; exit code 4 if one disagrees or fails. --report writes a page with the table and the motions.\n"
            "With --contacts: the motion with rigid contacts against motions whose contacts yield (Hunt and Crossley), ten times\n"
            "stiffer at every level, and against time stepping with steps halved at every level; exit code 4 if those that\n"
            "yield do not converge to it.\n"
            "With several models of one mechanism, described in different ways: solves each by its own methods and compares all that\n"
            "has equal names (variables, probes, rigid bodies, signals, reactions) with the first one, in one table; exit code 4\n"
            "if lengths, angles or signals differ by more than --agree.",
    .options = options,
    .run = compare,
    .own = sizeof(struct own)};
