/* Writes results to one page: opens them, labels them, and adds each to page and header. */
#include "report/report_private.h"

#include "base/sized.h"
#include "biela/biela.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256, LABEL_BYTES = 512 };

typedef struct report {
    bl_context *ctx;
    const bl_report_options *options;
    bl_index n;
    const char *const *path;
    bl_result **result;         /* [n] */
    char (*label)[LABEL_BYTES]; /* [n] */
    bl_page page;
    bl_json header;
    bl_scene_copy scene; /* of the last run */
    bl_status status;    /* out of memory for a label */
} report;

/* ---- labels */

static void text_of(report *r, bl_index i, const char *name, char *text, size_t size) {
    text[0] = '\0';
    bl_status status = bl_result_text(r->result[i], name, text, size);
    if (status == BL_E_MEMORY)
        r->status = status;
    else if (status != BL_OK)
        bl_context_clear_error(r->ctx);
}

/* appends an attribute to the labels if results differ in it */
static void add_differing(report *r, const char *name) {
    char first[NAME_BYTES], other[NAME_BYTES];
    bool differ = false;
    text_of(r, 0, name, first, sizeof first);
    for (bl_index i = 1; i < r->n && !differ; i++) {
        text_of(r, i, name, other, sizeof other);
        differ = strcmp(first, other) != 0;
    }
    for (bl_index i = 0; i < r->n && differ; i++) {
        size_t used = strlen(r->label[i]);
        text_of(r, i, name, other, sizeof other);
        snprintf(r->label[i] + used, LABEL_BYTES - used, "%s%s", used && other[0] ? ", " : "", other);
    }
}

static bool all_different(const report *r) {
    for (bl_index i = 0; i < r->n; i++)
        for (bl_index k = 0; k < i; k++)
            if (strcmp(r->label[i], r->label[k]) == 0)
                return false;
    return true;
}

/* "runs/bricard.h5" -> "bricard" */
static void file_name(const char *path, char *name, size_t size) {
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name && strcmp(dot, ".h5") == 0)
        *dot = '\0';
}

/* Labels by what differs: model names, methods; if these are equal, file names, paths, numbers. */
static void make_labels(report *r) {
    static const char *const attribute[] = {"model_name", "overrides", "coordinates", "formulation", "integrator", "linsol"};
    for (bl_index i = 0; r->options->label && i < r->n; i++)
        snprintf(r->label[i], LABEL_BYTES, "%s", r->options->label[i] ? r->options->label[i] : "");
    if (r->n < 2 || (r->options->label && all_different(r)))
        return;
    memset(r->label, 0, (size_t)r->n * sizeof *r->label);
    for (size_t k = 0; k < sizeof attribute / sizeof *attribute; k++)
        add_differing(r, attribute[k]);
    for (int attempt = 0; attempt < 3 && !all_different(r); attempt++)
        for (bl_index i = 0; i < r->n; i++) {
            char name[LABEL_BYTES];
            file_name(r->path[i], name, sizeof name);
            snprintf(r->label[i], LABEL_BYTES, "%s", attempt == 0 ? name : r->path[i]);
            if (attempt == 2)
                snprintf(r->label[i], LABEL_BYTES, "%d: %.480s", (int)i + 1, name);
        }
}

/* ---- runs */

static bl_status put_run(report *r, bl_report_run *run, bl_index i) {
    BL_TRY(bl_report_range(run, r->options));
    BL_TRY(bl_report_scene(run));
    bl_json_open(&r->header, NULL, '{');
    bl_json_text(&r->header, "label", r->label[i]);
    BL_TRY(bl_report_frames(run)); /* before the scene, which needs the extent of the motion */
    BL_TRY(bl_report_put_scene(run));
    BL_TRY(bl_report_details(run));
    BL_TRY(bl_report_info(run));
    BL_TRY(bl_report_curves(run));
    BL_TRY(bl_report_meshes(run));
    BL_TRY(bl_report_events(run)); /* last, with remarks added by the other parts */
    bl_report_thinned(run);
    bl_json_close(&r->header, '}');
    return run->status != BL_OK ? run->status : r->header.status;
}

static bl_status put_runs(report *r) {
    bl_json_open(&r->header, "runs", '[');
    for (bl_index i = 0; i < r->n; i++) {
        bl_report_run run = {.ctx = r->ctx,
                             .page = &r->page,
                             .header = &r->header,
                             .path = r->path[i],
                             .last = &r->scene,
                             .result = r->result[i],
                             .arena = {.ctx = r->ctx},
                             .mobility = {.ctx = r->ctx},
                             .findings = {.ctx = r->ctx}};
        bl_status status = put_run(r, &run, i);
        bl_free(r->ctx, run.slab);
        bl_model_destroy(run.model);
        bl_json_destroy(&run.mobility);
        bl_json_destroy(&run.findings);
        bl_arena_destroy(&run.arena);
        BL_TRY(status);
    }
    bl_json_close(&r->header, ']');
    return r->header.status;
}

static void put_table(bl_json *json, const bl_report_table *table) {
    bl_json_open(json, "comparison", '{');
    bl_json_open(json, "columns", '[');
    for (bl_index k = 0; k < table->ncolumn; k++)
        bl_json_text(json, NULL, table->column[k]);
    bl_json_close(json, ']');
    bl_json_open(json, "rows", '[');
    for (bl_index row = 0; row < table->nrow; row++) {
        bl_json_open(json, NULL, '[');
        for (bl_index k = 0; k < table->ncolumn; k++)
            bl_json_text(json, NULL, table->cell[row * table->ncolumn + k]);
        bl_json_close(json, ']');
    }
    bl_json_close(json, ']');
    if (table->run) {
        bl_json_open(json, "runs", '[');
        for (bl_index row = 0; row < table->nrow; row++)
            bl_json_integer(json, NULL, (long)table->run[row]);
        bl_json_close(json, ']');
    }
    if (table->note)
        bl_json_text(json, "note", table->note);
    bl_json_close(json, '}');
}

static bl_status write_page(report *r, const char *path) {
    char title[NAME_BYTES];
    text_of(r, 0, "model_name", title, sizeof title);
    if (r->options->title)
        snprintf(title, sizeof title, "%s", r->options->title);
    BL_TRY(r->status);
    BL_TRY(bl_page_begin(r->ctx, path, r->options->page, r->options->page_bytes, title, &r->page));
    bl_json *json = &r->header;
    bl_json_open(json, NULL, '{');
    bl_json_integer(json, "format", 1);
    bl_json_text(json, "version", BIELA_VERSION);
    bl_json_text(json, "title", title);
    BL_TRY(put_runs(r));
    if (r->options->table)
        put_table(json, r->options->table);
    bl_json_close(json, '}');
    BL_TRY(json->status);
    return bl_page_end(&r->page, json->text, json->length);
}

static bl_status make(report *r, const char *path) {
    BL_TRY(BL_NEW(r->ctx, r->result, r->n));
    BL_TRY(BL_NEW(r->ctx, r->label, r->n));
    for (bl_index i = 0; i < r->n; i++)
        BL_TRY(bl_result_open(r->ctx, r->path[i], &r->result[i]));
    make_labels(r);
    BL_TRY(r->status);
    return write_page(r, path);
}

bl_status bl_report_write(bl_context *ctx, const char *const *results, bl_index nresult, const bl_report_options *given, const char *path) {
    if (nresult < 1 || !results || !given)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_report_write needs results and options");
    bl_report_options own, *options = &own;
    bl_report_table table;
    BL_TRY(BL_TAKE(ctx, bl_report_options, given, options));
    BL_TRY(BL_TAKE(ctx, bl_report_table, options->table, &table));
    options->table = options->table ? &table : NULL;
    if (!options->page || options->page_bytes == 0) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "this build of biela has no report page: Node.js or its packages (npm) were missing");
        bl_advise(ctx, "install node and npm and build again (make build); the first build needs a network connection");
        return BL_E_ABILITY;
    }
    BL_TRY(bl_check_outputs(ctx, NULL, results, nresult, &path, 1));
    report r = {.ctx = ctx,
                .options = options,
                .n = nresult,
                .path = results,
                .page = {.ctx = ctx, .target = {.ctx = ctx, .fd = -1}},
                .header = {.ctx = ctx}};
    bl_status status = make(&r, path);
    if (status == BL_E_MEMORY) /* the failed allocation may have been for a text whose error was cleared since */
        bl_fail(ctx, status, NULL, "out of memory for the report");
    bl_page_destroy(&r.page);
    bl_json_destroy(&r.header);
    bl_scene_copy_destroy(ctx, &r.scene);
    for (bl_index i = 0; r.result && i < nresult; i++)
        bl_result_close(r.result[i]);
    bl_free(ctx, r.result);
    bl_free(ctx, r.label);
    return status;
}
