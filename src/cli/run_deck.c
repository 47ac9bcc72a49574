/* biela run of a deck: its steps, the file of its printed tables, a summary. */
#include "cli/cli.h"

#include <string.h>

/* options for what the deck itself defines */
static bool refuse_options(const cli_args *args, cli_mistake *mistake) {
    const bl_run_options *o = &args->run;
    const struct {
        const char *name;
        bool given;
    } all[] = {{"--csv", args->csv},
               {"--input", args->table},
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
            cli_mistaken(mistake, "decks take --output, --tolerance, --linsol and --threads",
                         "%s cannot be used with decks, whose steps define the analysis", all[k].name);
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

typedef struct deck_done {
    const bl_context *ctx;
    const char *deck, *path; /* path NULL: no file */
    bl_deck_summary sum;
} deck_done;

static void print_summary(const void *found) {
    const deck_done *d = found;
    const bl_deck_summary *sum = &d->sum;
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(d->ctx, &warning, &more);
    cli_out("%s\n", d->deck);
    cli_line("steps", "%d of %d, t = %.9g", (int)sum->steps, (int)sum->nstep, sum->t);
    cli_line("increments", "%ld, %ld iterations, %d unknowns", sum->increments, sum->iterations, (int)sum->unknowns);
    cli_line("wall time", "%.3g s", sum->wall_seconds);
    for (bl_index i = 0; i < n; i++)
        cli_line("warning", "%s", warning[i].text);
    if (d->path)
        cli_line("tables", "%s: %ld", d->path, sum->tables);
}

static void json_summary(bl_json *json, const void *found) {
    const deck_done *d = found;
    const bl_deck_summary *sum = &d->sum;
    bl_json_text(json, "status", bl_status_text(sum->status));
    BL_JSON_NUMBERS(json, {"steps", sum->steps}, {"t", sum->t}, {"increments", sum->increments}, {"iterations", sum->iterations},
                    {"unknowns", sum->unknowns}, {"tables", sum->tables});
    if (d->path)
        bl_json_text(json, "file", d->path);
    bl_json_number(json, "wall_seconds", sum->wall_seconds);
}

int cli_run_deck(bl_context *ctx, const cli_args *args, const bl_model *model) {
    cli_mistake mistake = {0};
    char path[512];
    const char *result = args->output;
    bl_deck_sink sink = {.size = sizeof sink};
    deck_done done = {.ctx = ctx, .deck = args->word, .sum.size = sizeof done.sum};
    if (refuse_options(args, &mistake))
        return cli_fail_usage(args, &mistake);
    if (!result && !args->json) {
        cli_default_result(args->word, ".dat", path, sizeof path);
        result = path;
    }
    bl_status status = bl_check_outputs(ctx, model, NULL, 0, &result, 1);
    if (status == BL_OK && result)
        status = cli_first_rank() ? bl_deck_sink_file(ctx, result, &sink) : BL_OK;
    if (status == BL_OK) {
        bl_deck_options options = {
            .size = sizeof options, .linsol = args->run.linsol, .tolerance = args->run.tolerance, .threads = args->run.threads};
        sink.progress = args->quiet ? NULL : progress;
        status = bl_run_deck(ctx, model, &options, &sink, &done.sum);
    }
    bl_deck_sink_destroy(&sink);
    cli_progress_clear();
    done.path = result;
    bool stopped = status == BL_STOPPED && done.sum.increments > 0;
    return cli_show(ctx, args, stopped ? BL_OK : status, print_summary, json_summary, &done);
}
