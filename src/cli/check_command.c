/* biela check: validate a model and print its size, mobility and redundant constraints. */
#include "cli/cli.h"

static const char *level_name(const bl_finding *finding) { return finding->level == BL_FINDING_WARNING ? "warning" : "note"; }

static void print_findings(const bl_check_report *report) {
    for (bl_index i = 0; i < report->nfinding; i++) {
        const bl_finding *finding = &report->finding[i];
        cli_out("  %s: %s%s%s\n", level_name(finding), finding->part, finding->part[0] ? ": " : "", finding->text);
    }
}

typedef struct checked {
    const char *file;
    bl_check_report report;
} checked;

/* models given by equations or matrices */
static void print_plain(const char *file, const bl_check_report *report) {
    cli_out("%s: %d unknown%s, %d constraint%s\n", file, (int)report->coordinates, cli_s(report->coordinates), (int)report->rows,
            cli_s(report->rows));
    print_findings(report);
}

static void print_report(const void *found) {
    const char *file = ((const checked *)found)->file;
    const bl_check_report *report = &((const checked *)found)->report;
    if (report->bodies == 0) {
        print_plain(file, report);
        return;
    }
    cli_out("%s: %d bod%s, %d joint%s, %d variable%s\n", file, (int)report->bodies, report->bodies == 1 ? "y" : "ies", (int)report->joints,
            cli_s(report->joints), (int)report->variables, cli_s(report->variables));
    cli_out("  %-12s %d coordinate%s, %d equation%s, %d nonzeros (%d without the independent columns)\n", "size", (int)report->coordinates,
            cli_s(report->coordinates), (int)report->rows, cli_s(report->rows), (int)report->nonzeros,
            (int)report->dependent_columns_nonzeros);
    cli_out("  %-12s %d, %d redundant equation%s\n", "rank", (int)report->rank, (int)report->redundant, cli_s(report->redundant));
    cli_out("  %-12s %d by rank, %d by counting (Gruebler-Kutzbach)\n", "mobility", (int)report->mobility_rank,
            (int)report->mobility_count);
    if (report->elastic > 0)
        cli_out("  %-12s %d of the mechanism, %d of %d elastic bod%s with %d frame%s\n", "",
                (int)(report->mobility_rank - report->mobility_elastic), (int)report->mobility_elastic, (int)report->elastic,
                report->elastic == 1 ? "y" : "ies", (int)report->frames, cli_s(report->frames));
    if (report->mobility_position != report->mobility_rank)
        cli_out("  %-12s %d of positions, %d of velocities\n", "", (int)report->mobility_position, (int)report->mobility_rank);
    if (report->states + report->inputs + report->held + report->outputs > 0)
        cli_out("  %-12s %d state%s, %d input%s, %d held number%s, %d output%s, %d event%s\n", "signals", (int)report->states,
                cli_s(report->states), (int)report->inputs, cli_s(report->inputs), (int)report->held, cli_s(report->held),
                (int)report->outputs, cli_s(report->outputs), (int)report->events, cli_s(report->events));
    if (report->contacts + report->stops > 0)
        cli_out("  %-12s %d place%s where bodies may touch, %d stop%s\n", "contacts", (int)report->contacts, cli_s(report->contacts),
                (int)report->stops, cli_s(report->stops));
    if (report->mobility_start != report->mobility_rank)
        cli_out("  %-12s singular configuration: mobility %d by rank\n", "start", (int)report->mobility_start);
    print_findings(report);
}

static void json_report(bl_json *json, const void *found) {
    const bl_check_report *report = &((const checked *)found)->report;
    bl_json_text(json, "file", ((const checked *)found)->file);
    bl_json_text(json, "status", bl_status_text(BL_OK));
    BL_JSON_NUMBERS(json, {"bodies", report->bodies}, {"joints", report->joints}, {"variables", report->variables},
                    {"coordinates", report->coordinates}, {"rows", report->rows}, {"nonzeros", report->nonzeros},
                    {"dependent_columns_nonzeros", report->dependent_columns_nonzeros}, {"rank", report->rank},
                    {"redundant", report->redundant}, {"mobility_count", report->mobility_count}, {"mobility_rank", report->mobility_rank},
                    {"mobility_start", report->mobility_start}, {"overconstraint", report->overconstraint}, {"idle", report->idle},
                    {"states", report->states}, {"inputs", report->inputs}, {"held", report->held}, {"outputs", report->outputs},
                    {"events", report->events}, {"mobility_position", report->mobility_position}, {"contacts", report->contacts},
                    {"stops", report->stops}, {"elastic", report->elastic}, {"frames", report->frames},
                    {"mobility_elastic", report->mobility_elastic});
    bl_json_open(json, "findings", '[');
    for (bl_index i = 0; i < report->nfinding; i++) {
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "level", level_name(&report->finding[i]));
        bl_json_text(json, "part", report->finding[i].part[0] ? report->finding[i].part : NULL);
        bl_json_text(json, "text", report->finding[i].text);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static int check(bl_context *ctx, cli_args *args) {
    bl_model *model = NULL;
    checked found = {.file = args->word, .report.size = sizeof found.report};
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = bl_check(ctx, model, &args->run, &found.report);
    int code = cli_show(ctx, args, status, print_report, json_report, &found);
    bl_check_report_destroy(ctx, &found.report);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options[] = {&cli_opt_json, CLI_MODEL_OPTIONS, &cli_opt_coordinates, &cli_opt_closure, CLI_MESSAGE_OPTIONS};

const cli_command cli_check = {
    .name = "check",
    .word = "MODEL",
    .help = "validate a model: bodies, joints, mobility, redundant constraints",
    .text = "Validates a model (- reads standard input) and prints its size, its mobility by counting and by the rank of\n"
            "the constraints, redundant constraints and parts that look wrong. Writes no files.",
    .options = options,
    .run = check};
