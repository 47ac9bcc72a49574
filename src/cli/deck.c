/* biela run of a deck: its steps, a file of what it prints, a summary. */
#include "cli/cli.h"

#include <string.h>

/* what decks say themselves */
static bool foreign(const cli_args *args, cli_mistake *mistake) {
    const bl_run_options *o = &args->run;
    const struct {
        const char *name;
        bool given;
    } all[] = {{"--csv", args->csv},
               {"--until", o->until > 0},
               {"--every", o->every > 0},
               {"--every-step", o->every_step},
               {"--at", o->nat > 0},
               {"--step", o->step > 0},
               {"--absolute", o->absolute > 0},
               {"--coordinates", o->coordinates},
               {"--formulation", o->formulation},
               {"--integrator", o->integrator},
               {"--ordering", o->ordering},
               {"--singular", o->singular},
               {"--closure", args->closure > 0},
               {"--set", args->nset > 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k].given) {
            snprintf(mistake->what, sizeof mistake->what, "%s does not act on decks: their steps say what is done", all[k].name);
            snprintf(mistake->advice, sizeof mistake->advice, "--output, --tolerance, --linsol and --threads do");
            return true;
        }
    return false;
}

static void progress(void *user, bl_index step, bl_index nstep, double share, double wall_seconds) {
    char text[96];
    (void)user;
    snprintf(text, sizeof text, "step %d of %d, %3.0f %%, %.0f s", (int)step, (int)nstep, 100 * share, wall_seconds);
    cli_progress_line(text);
}

static void print_summary(const bl_context *ctx, const cli_args *args, const bl_deck_summary *sum, const char *path) {
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    cli_out("%s\n", args->word);
    cli_out("  %-16s %d of %d, t = %.9g\n", "steps", (int)sum->steps, (int)sum->nstep, sum->t);
    cli_out("  %-16s %ld, %ld iterations, %d unknowns\n", "increments", sum->increments, sum->iterations, (int)sum->unknowns);
    cli_out("  %-16s %.3g s\n", "wall time", sum->wall_seconds);
    for (bl_index i = 0; i < n; i++)
        cli_out("  %-16s %s\n", "warning", warning[i].text);
    if (path)
        cli_out("  %-16s %s: %ld\n", "tables", path, sum->tables);
}

static int print_json(bl_context *ctx, const bl_deck_summary *sum, const char *path) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", bl_status_text(sum->status));
    bl_json_integer(&json, "steps", sum->steps);
    bl_json_number(&json, "t", sum->t);
    bl_json_integer(&json, "increments", sum->increments);
    bl_json_integer(&json, "iterations", sum->iterations);
    bl_json_integer(&json, "unknowns", sum->unknowns);
    bl_json_integer(&json, "tables", sum->tables);
    if (path)
        bl_json_text(&json, "file", path);
    bl_json_number(&json, "wall_seconds", sum->wall_seconds);
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

int cli_run_deck(bl_context *ctx, const cli_args *args, const bl_model *model) {
    cli_mistake mistake = {0};
    char path[512];
    const char *result = args->output;
    bl_deck_sink sink = {0};
    bl_deck_summary sum = {0};
    if (foreign(args, &mistake))
        return cli_fail_usage(args, &mistake);
    if (!result && !args->json) {
        cli_default_result(args->word, ".dat", path, sizeof path);
        result = path;
    }
    bl_status status = bl_check_outputs(ctx, model, NULL, 0, &result, 1);
    if (status == BL_OK && result)
        status = cli_first_rank() ? bl_deck_sink_file(ctx, result, &sink) : BL_OK;
    if (status == BL_OK) {
        bl_deck_options options = {.linsol = args->run.linsol, .tolerance = args->run.tolerance, .threads = args->run.threads};
        sink.progress = args->quiet ? NULL : progress;
        status = bl_run_deck(ctx, model, &options, &sink, &sum);
    }
    bl_deck_sink_destroy(&sink);
    cli_progress_clear();
    bool good = status == BL_OK || (status == BL_STOPPED && sum.increments > 0);
    if (!good)
        return cli_fail(ctx, args, status);
    if (args->json)
        return print_json(ctx, &sum, result);
    if (!args->quiet)
        print_summary(ctx, args, &sum, result);
    return EXIT_DONE;
}
