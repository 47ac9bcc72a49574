/* The study `order`: compares orderings of one matrix: blocks, border and band, predicted fill and operations, measured times.
 *
 * Orderings get the full matrix, including redundant rows; the square part that a rank-revealing elimination keeps is factored. */
#include "study/linear_limits.h"
#include "study/ordering.h"

#include "base/sized.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the square part */

bl_status bl_order_keep_rows(bl_order_problem *problem, bl_index nkept, const bl_index *kept, const double *value) {
    const bl_ordered_matrix *full = &problem->full;
    const bl_pattern *p = &full->pattern;
    if (nkept == p->nrow) {
        problem->square = *full;
        problem->value = value;
        return BL_OK;
    }
    bl_index nnz = 0, *slot = NULL, *ptr = bl_arena_alloc(problem->arena, (size_t)p->ncol + 1, sizeof *ptr);
    bl_index *list = bl_arena_alloc(problem->arena, (size_t)nkept, sizeof *list);
    uint8_t *mark = full->row_mark ? bl_arena_alloc(problem->arena, (size_t)nkept, 1) : NULL;
    if (!ptr || !list || (full->row_mark && !mark))
        return BL_E_MEMORY;
    BL_TRY(BL_NEW(problem->ctx, slot, p->nrow));
    for (bl_index i = 0; i < p->nrow; i++)
        slot[i] = -1;
    for (bl_index k = 0; k < nkept; k++) {
        list[k] = kept[k];
        slot[kept[k]] = k;
        if (mark)
            mark[k] = full->row_mark[kept[k]];
    }
    for (bl_index e = 0; e < p->ptr[p->ncol]; e++)
        nnz += slot[p->idx[e]] >= 0;
    size_t width = (size_t)full->nsample;
    bl_index *idx = bl_arena_alloc(problem->arena, (size_t)nnz, sizeof *idx);
    double *values = bl_arena_alloc(problem->arena, (size_t)nnz, sizeof *values);
    double *sample = bl_arena_alloc(problem->arena, width * (size_t)nnz, sizeof *sample);
    bl_index used = 0, all = p->ptr[p->ncol];
    for (bl_index c = 0; idx && values && sample && c < p->ncol; c++) {
        for (bl_index e = p->ptr[c]; e < p->ptr[c + 1]; e++) {
            if (slot[p->idx[e]] < 0)
                continue;
            idx[used] = slot[p->idx[e]];
            values[used] = value[e];
            for (size_t s = 0; s < width; s++)
                sample[s * (size_t)nnz + (size_t)used] = full->sample[s * (size_t)all + (size_t)e];
            used++;
        }
        ptr[c + 1] = used;
    }
    bl_free(problem->ctx, slot);
    if (!idx || !values || !sample)
        return BL_E_MEMORY;
    problem->square = (bl_ordered_matrix){.pattern = {nkept, p->ncol, ptr, idx},
                                          .row_mark = mark,
                                          .col_mark = full->col_mark,
                                          .bundle = full->bundle,
                                          .sample = sample,
                                          .nsample = full->nsample};
    problem->kept = list;
    problem->value = values;
    return BL_OK;
}

/* ---- one ordering */

static bl_status count_sizes(bl_arena *arena, bl_order_entry *entry) {
    bl_index *size, *count;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(size, entry->nblock), BL_ARRAY(count, entry->nblock)));
    for (bl_index k = 0; k < entry->nblock; k++)
        size[k] = entry->block[k + 1] - entry->block[k];
    bl_sort_indices(size, (size_t)entry->nblock);
    for (bl_index k = 0; k < entry->nblock; k++) {
        if (entry->nsize == 0 || size[entry->nsize - 1] != size[k])
            size[entry->nsize++] = size[k];
        count[entry->nsize - 1]++;
    }
    entry->size = size;
    entry->count = count;
    return BL_OK;
}

/* orderings that leave the rows to the pivoting of a solver: rows in the order of their matched columns, then the others */
static bl_status match_rows(bl_context *ctx, const bl_pattern *pattern, const bl_index *col, bl_index *row) {
    bl_index *match, *row_of, rank, used = 0;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(match, pattern->nrow), BL_ARRAY(row_of, pattern->ncol)));
    bl_status status = bl_transversal(ctx, pattern, match, &rank);
    for (bl_index c = 0; c < pattern->ncol; c++)
        row_of[c] = -1;
    for (bl_index i = 0; status == BL_OK && i < pattern->nrow; i++)
        if (match[i] >= 0)
            row_of[match[i]] = i;
    for (bl_index k = 0; status == BL_OK && k < pattern->ncol; k++)
        if (row_of[col[k]] >= 0)
            row[used++] = row_of[col[k]];
    for (bl_index i = 0; status == BL_OK && i < pattern->nrow; i++)
        if (match[i] < 0)
            row[used++] = i;
    bl_free(ctx, block);
    return status;
}

static bl_index *copy(bl_arena *arena, bl_index n, const bl_index *from) {
    bl_index *to = bl_arena_alloc(arena, (size_t)n, sizeof *to);
    if (to && n > 0)
        memcpy(to, from, (size_t)n * sizeof *to);
    return to;
}

static bl_status take(const bl_order_problem *problem, const bl_ordered_matrix *matrix, uint32_t gives, const bl_ordering *ordering,
                      bl_order_entry *entry) {
    bl_arena *arena = problem->arena;
    bl_index nrow = ordering->nrow, *row = bl_arena_alloc(arena, (size_t)nrow, sizeof *row);
    if (!row || !(entry->col = copy(arena, ordering->ncol, ordering->col)))
        return BL_E_MEMORY;
    if (ordering->row)
        memcpy(row, ordering->row, (size_t)nrow * sizeof *row);
    else
        BL_TRY(match_rows(problem->ctx, &matrix->pattern, ordering->col, row));
    for (bl_index k = 0; matrix == &problem->square && problem->kept && k < nrow; k++)
        row[k] = problem->kept[row[k]];
    entry->row = row;
    entry->nrow = nrow;
    entry->ncol = ordering->ncol;
    entry->bandwidth = gives & BL_ORDER_BANDWIDTH ? ordering->bandwidth : -1;
    entry->spikes = ordering->spikes;
    if (!ordering->block)
        return BL_OK;
    entry->nblock = ordering->nblock;
    entry->border = ordering->border;
    entry->band = ordering->band;
    if (!(entry->block = copy(arena, ordering->nblock + 1, ordering->block)))
        return BL_E_MEMORY;
    return count_sizes(arena, entry);
}

static bl_status order_one(const bl_order_problem *problem, const char *spec, bl_order_entry *entry) {
    bl_context *ctx = problem->ctx;
    const bl_ordered_matrix *matrix = &problem->full;
    const bl_order_kind *kind;
    const char *options;
    entry->name = bl_arena_text(problem->arena, spec, strlen(spec));
    entry->bandwidth = -1;
    entry->cost = entry->klu = (bl_order_cost){NULL, -1, NAN, NAN, NAN, NAN, NAN};
    if (!entry->name)
        return BL_E_MEMORY;
    BL_TRY(bl_order_find(ctx, spec, &kind, &options)); /* an unknown name is an error of the call */
    if (problem->kept && !(kind->kind.gives & BL_ORDER_RECTANGULAR)) {
        matrix = &problem->square;
        snprintf(entry->note, sizeof entry->note, "orders the %d independent rows only", matrix->pattern.nrow);
    }
    bl_ordering ordering = {0};
    bl_status status = bl_ordered_run(ctx, matrix, spec, &ordering);
    if (status == BL_OK)
        status = bl_ordering_flatten(ctx, &ordering); /* reported with one border; solvers use the nested form */
    if (status == BL_OK)
        status = take(problem, matrix, kind->kind.gives, &ordering, entry);
    bl_ordering_free(ctx, &ordering);
    if (status == BL_OK)
        return bl_order_costs(problem, spec, entry);
    if (status == BL_E_MEMORY)
        return status;
    entry->status = status;
    snprintf(entry->note, sizeof entry->note, "%.255s",
             bl_context_error(ctx)->what[0] ? bl_context_error(ctx)->what : bl_status_text(status));
    bl_context_clear_error(ctx);
    return BL_OK;
}

/* ---- the study */

static bl_status run_all(bl_order_problem *problem, const bl_order_options *options, bl_order_report *report) {
    const bl_pattern *p = &problem->full.pattern;
    bl_index n = options->nordering > 0 ? options->nordering : (bl_index)bl_order_kind_count, *match;
    BL_TRY(BL_NEW(problem->ctx, match, p->nrow));
    bl_status status = bl_transversal(problem->ctx, p, match, &report->structural_rank);
    bl_free(problem->ctx, match);
    BL_TRY(status);
    report->dependent_columns = p->ncol;
    report->dependent_nonzeros = p->ptr[p->ncol];
    report->ptr = p->ptr;
    report->idx = p->idx;
    problem->repetitions = options->repetitions;
    bl_order_entry *entry;
    BL_TRY(BL_ARENA_NEW(problem->arena, entry, n));
    report->entry = entry;
    for (bl_index k = 0; k < n; k++) {
        if (bl_context_stopped(problem->ctx))
            return BL_STOPPED;
        BL_TRY(order_one(problem, options->nordering > 0 ? options->ordering[k] : bl_order_kinds[k]->kind.name, &entry[k]));
        report->nentry = k + 1;
    }
    return BL_OK;
}

static bl_status begin(bl_context *ctx, bl_order_report *report, bl_order_problem *problem) {
    *report = (bl_order_report){.size = sizeof *report};
    bl_arena *arena;
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    report->own = arena;
    *problem = (bl_order_problem){.ctx = ctx, .arena = arena};
    return BL_OK;
}

/* status: of the matrix */
static bl_status finish(bl_status status, bl_order_problem *problem, const bl_order_options *options, bl_order_report *made,
                        bl_order_report *report) {
    if (status == BL_OK)
        status = run_all(problem, options, made);
    if (status != BL_OK)
        bl_order_report_destroy(problem->ctx, made);
    BL_GIVE(bl_order_report, report, made);
    return status;
}

bl_status bl_order_study(bl_context *ctx, const bl_model *model, const bl_order_options *options, bl_order_report *report) {
    bl_order_options own;
    bl_order_report made;
    bl_order_problem problem;
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "order needs a context, a model and a report");
    BL_TRY(BL_TAKE(ctx, bl_order_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_order_report, report));
    BL_TRY(begin(ctx, &made, &problem));
    return finish(bl_order_jacobian(model, &own, &problem, &made), &problem, &own, &made, report);
}

/* ---- matrices from files */

/* arbitrary but reproducible numbers for a pattern without values */
static void invent_values(bl_index n, double *value) {
    uint64_t seed = 1;
    for (bl_index k = 0; k < n; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        value[k] = ((seed >> 40) & 1 ? 1 : -1) * (0.5 + (double)(seed >> 11) * 0x1p-53);
    }
}

/* scales for the rank: largest entry of each row, then of each column after division by these; 1 for empty ones */
static void find_scales(const bl_pattern *p, const double *value, double *row, double *col) {
    for (bl_index i = 0; i < p->nrow; i++)
        row[i] = 0;
    for (bl_index e = 0; e < p->ptr[p->ncol]; e++)
        row[p->idx[e]] = fmax(row[p->idx[e]], fabs(value[e]));
    for (bl_index i = 0; i < p->nrow; i++)
        row[i] = row[i] > 0 ? row[i] : 1;
    for (bl_index c = 0; c < p->ncol; c++) {
        double largest = 0;
        for (bl_index e = p->ptr[c]; e < p->ptr[c + 1]; e++)
            largest = fmax(largest, fabs(value[e]) / row[p->idx[e]]);
        col[c] = largest > 0 ? 1 / largest : 1;
    }
}

static bl_status reveal(bl_order_problem *problem, const double *value, bl_index *kept, bl_index *rank) {
    const bl_pattern *p = &problem->full.pattern;
    bl_arena arena = {.ctx = problem->ctx};
    size_t m = (size_t)p->nrow, n = (size_t)p->ncol;
    double *dense = bl_arena_alloc(&arena, m * n, sizeof *dense), *scale = bl_arena_alloc(&arena, m + n, sizeof *scale);
    bl_index *order = bl_arena_alloc(&arena, n, sizeof *order);
    bl_status status = dense && scale && order ? BL_OK : BL_E_MEMORY;
    if (status == BL_OK) {
        find_scales(p, value, scale, scale + m);
        for (bl_index c = 0; c < p->ncol; c++)
            for (bl_index e = p->ptr[c]; e < p->ptr[c + 1]; e++)
                dense[(size_t)c * m + (size_t)p->idx[e]] = value[e];
        bl_rank_reveal(p->nrow, p->ncol, dense, scale, scale + m, NULL, system_rank, kept, order, rank, NULL);
    }
    bl_arena_destroy(&arena);
    return status;
}

/* rank, and the rows of the square part */
static bl_status find_square(bl_order_problem *problem, const double *value, bl_order_report *report) {
    const bl_pattern *p = &problem->full.pattern;
    bl_index *kept;
    BL_TRY(BL_NEW(problem->ctx, kept, p->nrow));
    bl_status status = bl_transversal(problem->ctx, p, kept, &report->rank);
    bool small = p->nrow <= study_order_dense && p->ncol <= study_order_dense;
    for (bl_index i = 0; i < p->nrow; i++)
        kept[i] = i;
    if (status == BL_OK && small && report->rank > 0)
        status = reveal(problem, value, kept, &report->rank);
    if (status == BL_OK && report->rank == p->ncol && (small || p->nrow == p->ncol)) {
        bl_sort_indices(kept, (size_t)report->rank);
        status = bl_order_keep_rows(problem, report->rank, kept, value);
    }
    bl_free(problem->ctx, kept);
    return status;
}

static bl_status take_matrix(const char *path, bl_order_problem *problem, bl_order_report *report) {
    bl_matrix matrix;
    BL_TRY(bl_matrix_market_read(problem->ctx, path, &matrix));
    const bl_pattern *p = &matrix.pattern;
    bl_index nnz = p->ptr[p->ncol];
    bl_index *ptr = copy(problem->arena, p->ncol + 1, p->ptr), *idx = copy(problem->arena, nnz, p->idx);
    double *value = bl_arena_alloc(problem->arena, (size_t)nnz, sizeof *value);
    bl_status status = ptr && idx && value ? BL_OK : BL_E_MEMORY;
    if (status == BL_OK && matrix.value)
        memcpy(value, matrix.value, (size_t)nnz * sizeof *value);
    else if (status == BL_OK)
        invent_values(nnz, value);
    problem->full = (bl_ordered_matrix){.pattern = {p->nrow, p->ncol, ptr, idx}, .sample = value, .nsample = 1};
    report->rows = p->nrow;
    report->columns = p->ncol;
    report->nonzeros = nnz;
    bl_matrix_free(problem->ctx, &matrix);
    return status == BL_OK ? find_square(problem, value, report) : status;
}

bl_status bl_order_matrix(bl_context *ctx, const char *path, const bl_order_options *options, bl_order_report *report) {
    bl_order_options own;
    bl_order_report made;
    bl_order_problem problem;
    if (!ctx || !path || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "order needs a context, a file and a report");
    BL_TRY(BL_TAKE(ctx, bl_order_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_order_report, report));
    if (own.coordinates || own.nindependent > 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "%s cannot be chosen for a matrix from a file",
                       own.coordinates ? "coordinates" : "independent columns");
    BL_TRY(begin(ctx, &made, &problem));
    return finish(take_matrix(path, &problem, &made), &problem, &own, &made, report);
}

void bl_order_report_destroy(bl_context *ctx, bl_order_report *report) {
    if (!report)
        return;
    if (report->own)
        bl_arena_destroy(report->own);
    bl_free(ctx, report->own);
    BL_CLEAR(bl_order_report, report);
}
