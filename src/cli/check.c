/* biela check: validate a model and tell its size, mobility and redundant constraints. */
#include "cli/cli.h"

static const char *level_name(const bl_finding *finding) { return finding->level == BL_FINDING_WARNING ? "warning" : "note"; }

static const char *s(bl_index n) { return n == 1 ? "" : "s"; }

static void print_findings(const bl_check_report *report) {
    for (bl_index i = 0; i < report->nfinding; i++) {
        const bl_finding *finding = &report->finding[i];
        cli_out("  %s: %s%s%s\n", level_name(finding), finding->part, finding->part[0] ? ": " : "", finding->text);
    }
}

/* equations or matrices */
static void print_plain(const char *file, const bl_check_report *report) {
    cli_out("%s: %d unknown%s, %d constraint%s\n", file, (int)report->coordinates, s(report->coordinates), (int)report->rows,
            s(report->rows));
    print_findings(report);
}

static void print_report(const char *file, const bl_check_report *report) {
    cli_out("%s: %d bod%s, %d joint%s, %d variable%s\n", file, (int)report->bodies, report->bodies == 1 ? "y" : "ies", (int)report->joints,
            s(report->joints), (int)report->variables, s(report->variables));
    cli_out("  %-12s %d coordinate%s, %d equation%s, %d nonzeros (%d without the independent columns)\n", "size", (int)report->coordinates,
            s(report->coordinates), (int)report->rows, s(report->rows), (int)report->nonzeros, (int)report->dependent_columns_nonzeros);
    cli_out("  %-12s %d, %d redundant equation%s\n", "rank", (int)report->rank, (int)report->redundant, s(report->redundant));
    cli_out("  %-12s %d by rank, %d by counting (Gruebler-Kutzbach)\n", "mobility", (int)report->mobility_rank,
            (int)report->mobility_count);
    if (report->mobility_start != report->mobility_rank)
        cli_out("  %-12s singular: %d by rank there\n", "start", (int)report->mobility_start);
    print_findings(report);
}

static int print_json(bl_context *ctx, const char *file, const bl_check_report *report) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "file", file);
    bl_json_text(&json, "status", bl_status_text(BL_OK));
    bl_json_integer(&json, "bodies", report->bodies);
    bl_json_integer(&json, "joints", report->joints);
    bl_json_integer(&json, "variables", report->variables);
    bl_json_integer(&json, "coordinates", report->coordinates);
    bl_json_integer(&json, "rows", report->rows);
    bl_json_integer(&json, "nonzeros", report->nonzeros);
    bl_json_integer(&json, "dependent_columns_nonzeros", report->dependent_columns_nonzeros);
    bl_json_integer(&json, "rank", report->rank);
    bl_json_integer(&json, "redundant", report->redundant);
    bl_json_integer(&json, "mobility_count", report->mobility_count);
    bl_json_integer(&json, "mobility_rank", report->mobility_rank);
    bl_json_integer(&json, "mobility_start", report->mobility_start);
    bl_json_integer(&json, "overconstraint", report->overconstraint);
    bl_json_integer(&json, "idle", report->idle);
    bl_json_open(&json, "findings", '[');
    for (bl_index i = 0; i < report->nfinding; i++) {
        bl_json_open(&json, NULL, '{');
        bl_json_text(&json, "level", level_name(&report->finding[i]));
        bl_json_text(&json, "part", report->finding[i].part[0] ? report->finding[i].part : NULL);
        bl_json_text(&json, "text", report->finding[i].text);
        bl_json_close(&json, '}');
    }
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

static int check(bl_context *ctx, cli_args *args) {
    bl_model *model = NULL;
    bl_check_report report = {0};
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = bl_check(ctx, model, &args->run, &report);
    int code = EXIT_DONE;
    if (status != BL_OK)
        code = cli_fail(ctx, args, status);
    else if (args->json)
        code = print_json(ctx, args->word, &report);
    else if (!args->quiet)
        (report.bodies ? print_report : print_plain)(args->word, &report);
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options[] = {&cli_opt_json,        &cli_opt_set,     &cli_opt_confined,
                                            &cli_opt_coordinates, &cli_opt_closure, &cli_opt_quiet,
                                            &cli_opt_verbose,     &cli_opt_help,    NULL};

const cli_command cli_check = {
    "check",
    "MODEL",
    "validate; bodies, joints, mobility, redundant constraints, warnings",
    "Validates a model (- reads standard input) and tells its size, its mobility by counting and by the rank of\n"
    "the constraints, and what is redundant or doubtful. Writes nothing.",
    options,
    check};
