/* The constraint Jacobian without its independent columns: its sparsity pattern by rows, and the permutations of rows and columns by
 * orderings. */
#include "biela/biela.h"
#include "report/report_private.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ENTRIES = 1000000 };

static bl_status put_block(bl_report_run *run, const char *key, const uint32_t *list, size_t count) {
    char block[BL_BLOCK_ID];
    BL_TRY(bl_page_block(run->page, list, count, sizeof *list, block));
    bl_json_text(run->header, key, block);
    return run->header->status;
}

/* indices are not negative */
static bl_status put_list(bl_report_run *run, const char *key, const bl_index *list, size_t count) {
    return put_block(run, key, (const uint32_t *)list, count);
}

/* converts the pattern from column lists to row lists */
static bl_status put_rows(bl_report_run *run, const bl_order_report *r) {
    size_t rows = (size_t)r->rows, entries = (size_t)r->ptr[r->dependent_columns];
    uint32_t *start, *column, *at;
    BL_TRY(BL_ARENA_ARRAYS(&run->arena, BL_ARRAY(start, rows + 1), BL_ARRAY(column, entries), BL_ARRAY(at, rows)));
    for (size_t e = 0; e < entries; e++)
        start[r->idx[e] + 1]++;
    for (size_t i = 0; i < rows; i++) {
        start[i + 1] += start[i];
        at[i] = start[i];
    }
    for (bl_index c = 0; c < r->dependent_columns; c++)
        for (bl_index e = r->ptr[c]; e < r->ptr[c + 1]; e++)
            column[at[r->idx[e]]++] = (uint32_t)c;
    BL_TRY(put_block(run, "row_start", start, rows + 1));
    return put_block(run, "column", column, entries);
}

static bl_status put_ordering(bl_report_run *run, const bl_order_entry *entry) {
    bl_json *json = run->header;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", entry->name);
    BL_TRY(put_list(run, "rows", entry->row, (size_t)entry->nrow));
    BL_TRY(put_list(run, "columns", entry->col, (size_t)entry->ncol));
    if (entry->block && entry->nblock > 0)
        BL_TRY(put_list(run, "blocks", entry->block, (size_t)entry->nblock + 1));
    bl_json_integer(json, "border", entry->border);
    bl_json_integer(json, "band", entry->band);
    bl_json_close(json, '}');
    return json->status;
}

static void put_names(bl_json *json, const char *key, const char *const *name, bl_index n) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < n; i++)
        bl_json_text(json, NULL, name[i]);
    bl_json_close(json, ']');
}

static bl_status put_pattern(bl_report_run *run, const bl_order_report *r) {
    bl_json *json = run->header;
    if (r->dependent_columns == 0 || r->rows == 0 || r->ptr[r->dependent_columns] > MOST_ENTRIES)
        return BL_OK;
    bl_json_open(json, "pattern", '{');
    bl_json_integer(json, "rows", r->rows);
    bl_json_integer(json, "columns", r->dependent_columns);
    BL_TRY(put_rows(run, r));
    bl_json_open(json, "orderings", '[');
    for (bl_index k = 0; k < r->nentry; k++)
        if (r->entry[k].status == BL_OK && r->entry[k].row && r->entry[k].col)
            BL_TRY(put_ordering(run, &r->entry[k]));
    bl_json_close(json, ']');
    if (r->row_name && r->column_name) {
        put_names(json, "row_names", r->row_name, r->rows);
        put_names(json, "column_names", r->column_name, r->dependent_columns);
    }
    bl_json_close(json, '}');
    return json->status;
}

/* The ordering of the run; if that is internal to the solver, the ordering `mechanism`. */
bl_status bl_report_pattern(bl_report_run *run) {
    char coordinates[64], ordering[64];
    bl_report_text(run, "coordinates", coordinates, sizeof coordinates);
    bl_report_text(run, "ordering", ordering, sizeof ordering);
    bool own = strchr(ordering, ' ') || !ordering[0] || strcmp(ordering, "none") == 0 || strcmp(ordering, "natural") == 0;
    const char *const orderings[] = {"natural", own ? "mechanism" : ordering};
    bl_order_options how = {.size = sizeof how,
                            .coordinates = coordinates[0] && strcmp(coordinates, "bodies") != 0 ? coordinates : NULL,
                            .ordering = orderings,
                            .nordering = 2,
                            .repetitions = -1};
    bl_order_report report = {.size = sizeof report};
    bl_status status = bl_order_study(run->ctx, run->model, &how, &report);
    status = status == BL_OK ? put_pattern(run, &report) : bl_report_harmless(run, status);
    bl_order_report_destroy(run->ctx, &report);
    return status;
}
