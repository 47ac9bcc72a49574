/* biela compare MODEL...: models of one mechanism against the first of them, in one table. */
#include "cli/compare_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the report of the files, and the status of the study */
typedef struct compared {
    const cli_names *files;
    bl_status status;
    bl_compare_models_report report;
} compared;

static const char *const unit[BL_COMPARED_KINDS] = {" m", " rad", "", " N", " N m"};
static const char *const plural[BL_COMPARED_KINDS] = {"lengths", "angles", "signals", "forces", "moments"};

static const char *file_name(const compared *c, bl_index k) {
    const char *path = c->files->name[k], *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static const bl_compared *worst(const bl_compare_models_entry *e, int kind) {
    return e->worst[kind] >= 0 ? &e->compared[e->worst[kind]] : NULL;
}

static bool has_kind(const bl_compare_models_report *r, int kind) {
    for (bl_index k = 0; k < r->nentry; k++)
        if (worst(&r->entry[k], kind))
            return true;
    return false;
}

/* the heading of a kind: the name of a signal that is the only one */
static const char *heading(const bl_compare_models_report *r, int kind) {
    const char *name = NULL;
    for (bl_index k = 0; kind == BL_COMPARED_SIGNAL && k < r->nentry; k++)
        for (bl_index i = 0; i < r->entry[k].ncompared; i++) {
            const bl_compared *c = &r->entry[k].compared[i];
            if ((int)c->kind != kind)
                continue;
            if (name && strcmp(name, c->name) != 0)
                return plural[kind];
            name = c->name;
        }
    return name ? name : plural[kind];
}

static void unit_of(const bl_compared *c, char text[32]) {
    snprintf(text, 32, "%s%.28s", c->unit[0] ? " " : "", c->unit[0] ? c->unit : unit[c->kind]);
}

static void difference_cell(cli_table *table, const bl_compared *c) {
    char text[32];
    if (!c) {
        cli_cell(table, "-");
        return;
    }
    unit_of(c, text);
    cli_cell(table, "%.2g%s (%.2g%%)", c->difference, text, 100 * c->relative);
}

static void print_models(const compared *c) {
    const bl_compare_models_report *r = &c->report;
    static const char *const head[] = {"model", "method", "elements", "unknowns", "setting", "steps", "time", "CPU", "energy error"};
    enum { FIXED = sizeof head / sizeof *head, LEFT = 2 };
    cli_table table = {.columns = FIXED};
    for (int kind = 0; kind < BL_COMPARED_KINDS; kind++)
        table.columns += has_kind(r, kind);
    cli_cells(&table, head, FIXED);
    for (int kind = 0; kind < BL_COMPARED_KINDS; kind++)
        if (has_kind(r, kind))
            cli_cell(&table, "%s", heading(r, kind));
    for (bl_index k = 0; k < r->nentry; k++) {
        const bl_compare_models_entry *e = &r->entry[k];
        cli_cell(&table, "%s", file_name(c, k));
        cli_cell(&table, "%s, %s, %s", e->coordinates, e->formulation, e->integrator);
        cli_cell(&table, "%d", (int)e->elements);
        cli_cell(&table, "%d", (int)e->unknowns);
        cli_cell_number(&table, e->step > 0 ? "h = %.2g" : "tol %.0e", e->step > 0 ? e->step : e->tolerance);
        cli_cell(&table, "%ld", e->steps);
        cli_cell_number(&table, "%.3f s", e->wall_seconds);
        cli_cell_number(&table, "%.3f s", e->cpu_seconds);
        cli_cell_number(&table, "%.2g J", e->energy_error);
        for (int kind = 0; kind < BL_COMPARED_KINDS; kind++)
            if (has_kind(r, kind))
                difference_cell(&table, worst(e, kind));
    }
    cli_table_print(&table, LEFT);
}

/* what is farthest apart of every kind */
static void print_worst(const compared *c) {
    static const char *const head[] = {"farthest apart", "", "", "difference", "of", "", "at"};
    const bl_compare_models_report *r = &c->report;
    cli_table table = {.columns = 7};
    cli_cells(&table, head, 7);
    for (bl_index k = 0; k < r->nentry; k++)
        for (int kind = 0; kind < BL_COMPARED_KINDS; kind++) {
            const bl_compared *w = worst(&r->entry[k], kind);
            char text[32];
            if (!w)
                continue;
            unit_of(w, text);
            cli_cell(&table, "%s", file_name(c, k));
            cli_cell(&table, "%s", bl_compared_kind_text(w->kind));
            cli_cell(&table, "%s%s%s", w->name, w->part[0] && strcmp(w->part, bl_compared_kind_text(w->kind)) != 0 ? ", " : "",
                     strcmp(w->part, bl_compared_kind_text(w->kind)) != 0 ? w->part : "");
            cli_cell(&table, "%.3g%s", w->difference, text);
            cli_cell(&table, "%.3g%s", w->scale, text);
            cli_cell(&table, "%.3g%%", 100 * w->relative);
            cli_cell(&table, "%.6g s", w->time);
        }
    cli_table_print(&table, 3);
}

enum { NAMES_SHOWN = 8 };
static void print_alone(const char *file, const char *const *name, bl_index n) {
    if (n == 0)
        return;
    cli_out("  only in %s: ", file);
    for (bl_index i = 0; i < n && i < NAMES_SHOWN; i++)
        cli_out("%s%s", i ? ", " : "", name[i]);
    if (n > NAMES_SHOWN)
        cli_out(" and %d more", (int)n - NAMES_SHOWN);
    cli_out("\n");
}

static void print_report(const void *found) {
    const compared *c = found;
    const bl_compare_models_report *r = &c->report;
    if (r->nentry == 0)
        return;
    cli_out("%s against %d other model%s, at %d times up to %.9g s; agreement: within %.3g%% of the largest value of a quantity\n",
            r->entry[0].model_name, (int)c->files->n - 1, cli_s(c->files->n - 1), (int)r->samples + 1, r->until, 100 * r->agree);
    print_models(c);
    if (r->nentry > 1)
        print_worst(c);
    for (bl_index k = 1; k < r->nentry; k++) {
        print_alone(file_name(c, 0), r->entry[k].only_reference, k == 1 || r->nentry == 2 ? r->entry[k].nonly_reference : 0);
        print_alone(file_name(c, k), r->entry[k].only_here, r->entry[k].nonly_here);
    }
    for (bl_index k = 0; k < r->nentry; k++)
        if (r->entry[k].undetermined)
            cli_out("  reactions of %d joint%s of %s are not compared, or only in some directions: redundant constraints leave them "
                    "undetermined\n",
                    (int)r->entry[k].undetermined, cli_s(r->entry[k].undetermined), file_name(c, k));
    for (bl_index k = 1; k < r->nentry; k++)
        cli_out("  %s: %s%s%s\n", bl_agreement_text(r->entry[k].agreement), file_name(c, k), r->entry[k].reason[0] ? ": " : "",
                r->entry[k].reason);
}

/* ---- JSON */

static void json_entry(bl_json *json, const compared *c, bl_index k) {
    const bl_compare_models_entry *e = &c->report.entry[k];
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "file", c->files->name[k]);
    bl_json_text(json, "model", e->model_name);
    bl_json_text(json, "status", k == 0 ? "reference" : bl_agreement_text(e->agreement));
    bl_json_text(json, "coordinates", e->coordinates);
    bl_json_text(json, "formulation", e->formulation);
    bl_json_text(json, "integrator", e->integrator);
    BL_JSON_NUMBERS(json, {"elements", e->elements}, {"unknowns", e->unknowns}, {"tolerance", e->tolerance > 0 ? e->tolerance : NAN},
                    {"step", e->step > 0 ? e->step : NAN}, {"steps", e->steps}, {"evaluations", e->evaluations},
                    {"wall_seconds", e->wall_seconds}, {"cpu_seconds", e->cpu_seconds}, {"drift", e->drift},
                    {"energy_error", e->energy_error}, {"end", e->end}, {"undetermined", e->undetermined});
    bl_json_open(json, "compared", '[');
    for (bl_index i = 0; i < e->ncompared; i++) {
        const bl_compared *q = &e->compared[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", q->name);
        bl_json_text(json, "kind", bl_compared_kind_text(q->kind));
        bl_json_text(json, "part", q->part);
        bl_json_text(json, "unit", q->unit[0] ? q->unit : unit[q->kind][0] ? unit[q->kind] + 1 : "");
        BL_JSON_NUMBERS(json, {"difference", q->difference}, {"time", q->time}, {"scale", q->scale}, {"relative", q->relative});
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_open(json, "worst", '{');
    for (int kind = 0; kind < BL_COMPARED_KINDS; kind++)
        bl_json_index(json, bl_compared_kind_text((bl_compared_kind)kind), e->worst[kind]);
    bl_json_close(json, '}');
    bl_json_texts(json, "only_reference", e->only_reference, e->nonly_reference);
    bl_json_texts(json, "only_here", e->only_here, e->nonly_here);
    bl_json_text(json, "reason", e->reason[0] ? e->reason : NULL);
    bl_json_close(json, '}');
}

static void json_report(bl_json *json, const void *found) {
    const compared *c = found;
    const bl_compare_models_report *r = &c->report;
    bl_json_texts(json, "files", c->files->name, c->files->n);
    bl_json_text(json, "status",
                 c->status == BL_STOPPED ? "stopped"
                 : r->disagreed > 0      ? "disagreement"
                 : r->failed > 0         ? "failure"
                                         : "done");
    BL_JSON_NUMBERS(json, {"until", r->until}, {"samples", (double)r->samples + 1}, {"agree", r->agree},
                    {"agree_reactions", r->agree_reactions > 0 ? r->agree_reactions : NAN});
    BL_JSON_OBJECT(json, "counts", {"agreed", r->agreed}, {"disagreed", r->disagreed}, {"failed", r->failed});
    bl_json_open(json, "models", '[');
    for (bl_index k = 0; k < r->nentry; k++)
        json_entry(json, c, k);
    bl_json_close(json, ']');
}

/* ---- the command */

static void progress(void *user, bl_index done, bl_index total, const char *model) {
    (void)user;
    char text[320];
    snprintf(text, sizeof text, "%d of %d: %s", (int)done + 1, (int)total, model);
    cli_progress_line(text);
}

static int finish(bl_context *ctx, const cli_args *args, const compared *found) {
    const bl_compare_models_report *r = &found->report;
    bool stopped = found->status == BL_STOPPED;
    cli_progress_clear();
    int code = cli_show(ctx, args, stopped ? BL_OK : found->status, print_report, json_report, found);
    if (stopped)
        cli_err("biela: stopped on request after %d models\n", (int)r->nentry);
    if (r->disagreed > 0)
        cli_err("biela: %d of %d models disagree with the first one\n", (int)r->disagreed, (int)found->files->n - 1);
    if (r->failed > 0)
        cli_err("biela: %d of %d models failed\n", (int)r->failed, (int)found->files->n - 1);
    return code == EXIT_DONE && r->disagreed + r->failed > 0 ? EXIT_NUMERIC : code;
}

int cli_compare_models(bl_context *ctx, cli_args *args, bl_compare_models_options *options) {
    compared found = {.files = &args->words, .report.size = sizeof found.report};
    bl_model **model = calloc((size_t)args->words.n, sizeof *model);
    if (!model)
        return cli_fail(ctx, args, BL_E_MEMORY);
    for (bl_index k = 0; found.status == BL_OK && k < args->words.n; k++) {
        args->word = args->words.name[k];
        found.status = cli_read_model(ctx, args, &model[k]);
    }
    options->run = &args->run;
    options->progress = args->quiet ? NULL : progress;
    if (found.status == BL_OK)
        found.status = bl_compare_models(ctx, (const bl_model *const *)model, args->words.n, options, &found.report);
    int code = finish(ctx, args, &found);
    if (found.status != BL_OK && !model[args->words.n - 1])
        cli_err("biela: the message is about reading %s\n", args->word);
    bl_compare_models_report_destroy(ctx, &found.report);
    for (bl_index k = 0; k < args->words.n; k++)
        bl_model_destroy(model[k]);
    free(model);
    return code;
}
