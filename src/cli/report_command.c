/* biela report: results as one page for a browser. */
#include "cli/cli.h"

#include "biela/report.h"

#include <string.h>

bl_status cli_write_report(bl_context *ctx, const char *const *results, bl_index nresult, const bl_report_options *options,
                           const char *path) {
    bl_report_options o = *options;
    o.page = cli_page(&o.page_bytes);
    return bl_report_write(ctx, results, nresult, &o, path);
}

/* "runs/bricard.h5" -> "bricard.html"; so does the file of a killed run, "bricard.h5~partial" */
static void default_page(const char *result, char *path, size_t size) {
    char name[512];
    snprintf(name, sizeof name, "%s", result);
    char *partial = strrchr(name, '~');
    if (partial && strcmp(partial, "~partial") == 0)
        *partial = '\0';
    cli_default_result(name, ".html", path, size);
}

/* ---- the page of a study, beside its result */

const char *cli_report_path(const cli_args *args, const char *result, char *path, size_t size) {
    if (args->report[0])
        return args->report;
    const char *slash = strrchr(result, '/');
    size_t folder = slash ? (size_t)(slash - result) + 1 : 0;
    snprintf(path, size, "%.*s", (int)folder, result);
    if (folder < size)
        default_page(result, path + folder, size - folder);
    return path;
}

/* in a separate context: the study's context keeps its error and warnings, and may have been asked to stop */
int cli_report_run(const cli_args *args, const char *result) {
    char path[512];
    const char *to = cli_report_path(args, result, path, sizeof path);
    bl_context *ctx = NULL;
    if (!cli_first_rank())
        return EXIT_DONE;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return EXIT_SYSTEM;
    bl_status status = cli_write_report(ctx, &result, 1, &(bl_report_options){0}, to);
    int code = status == BL_OK ? EXIT_DONE : cli_fail(ctx, args, status);
    if (status == BL_OK && !args->json && !args->quiet)
        cli_line("report", "%s", to);
    bl_context_destroy(ctx);
    return code;
}

/* ---- the command */

static int report(bl_context *ctx, cli_args *args) {
    bl_report_options o = {.size = sizeof o, .part = args->part_from || args->part_to};
    char path[512];
    cli_mistake mistake;
    if (!cli_read_window(args, &o.from, &o.to, &mistake))
        return cli_fail_usage(args, &mistake);
    default_page(args->word, path, sizeof path);
    const char *to = args->output ? args->output : path;
    return cli_show_file(ctx, args, cli_write_report(ctx, args->words.name, args->words.n, &o, to), "report", to);
}

static const cli_option *const options[] = {
    CLI_SHARED(output, 'o', "output", "FILE", CLI_TEXT, "the page (default RESULT.html in the current folder)"), &cli_opt_part_from,
    &cli_opt_part_to, &cli_opt_json, CLI_MESSAGE_OPTIONS};

const cli_command cli_report = {
    .name = "report",
    .word = "RESULT...",
    .help = "write results as one page for a browser: motion, curves, structure",
    .text = "Writes one self-contained HTML file: the moving mechanism, curves that can be selected and exported, the\n"
            "structure, the matrices and the text of the model. Several results (other models, other methods) share one\n"
            "page, each with its motion. More than 20000 samples are thinned, keeping extremes; --from and --to show a part\n"
            "with all its samples. FILE~partial of a killed run works, too.",
    .options = options,
    .run = report};
