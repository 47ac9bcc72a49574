/* The matrix of blocks and rows (kkt_matrix.h). */
#include "kkt/kkt_matrix.h"

#include "sparse/sparse.h"

#include <string.h>

/* ---- pairs */

bl_status bl_pairs_begin(bl_context *ctx, size_t most, bl_pairs *pairs) {
    *pairs = (bl_pairs){.ctx = ctx, .most = most};
    if (most > INT32_MAX)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "the KKT matrix has %zu entries; the limit is %d", most, INT32_MAX);
    return BL_NEW_ARRAYS(ctx, pairs->block, BL_ARRAY(pairs->row, most), BL_ARRAY(pairs->col, most), BL_ARRAY(pairs->at, most));
}

bl_status bl_pairs_end(bl_pairs *pairs, bl_index n, bl_pattern *pattern, size_t nslot, bl_index *slot) {
    bl_status status = bl_pattern_build(pairs->ctx, n, n, pairs->n, pairs->row, pairs->col, pattern, pairs->at);
    for (size_t k = 0; k < nslot && status == BL_OK; k++)
        if (slot[k] >= 0)
            slot[k] = pairs->at[slot[k]];
    bl_free(pairs->ctx, pairs->block);
    pairs->block = NULL;
    return status;
}

bool bl_pattern_within(const bl_pattern *part, bl_index ncol, const bl_pattern *all, bl_index *slot) {
    for (bl_index j = 0; j < ncol; j++)
        for (bl_index k = part->ptr[j], at = all->ptr[j]; k < part->ptr[j + 1]; k++, at++) {
            while (at < all->ptr[j + 1] && all->idx[at] < part->idx[k])
                at++;
            if (at == all->ptr[j + 1] || all->idx[at] != part->idx[k])
                return false;
            slot[k] = at;
        }
    return true;
}

/* ---- the matrix */

void bl_kkt_matrix_free(bl_kkt_matrix *matrix) {
    bl_context *ctx = matrix->form.ctx;
    if (!ctx)
        return;
    bl_pattern_free(ctx, &matrix->pattern);
    bl_free(ctx, matrix->block);
    bl_free(ctx, matrix->values);
    *matrix = (bl_kkt_matrix){0};
}

static bl_index entries(const bl_pattern *pattern) { return pattern ? pattern->ptr[pattern->ncol] : 0; }

static bl_index number(const bl_kkt_form *form, bl_index column) { return form->column ? form->column[column] : column; }

static void add_block(const bl_kkt_form *form, const bl_kkt_block *block, bl_pairs *pairs, bl_index *slot) {
    const bl_pattern *of = block->of;
    for (bl_index j = 0; of && j < of->ncol; j++)
        for (bl_index k = of->ptr[j]; k < of->ptr[j + 1]; k++) {
            bool in = j >= block->first && of->idx[k] >= block->first && number(form, j) >= 0;
            slot[k] = in ? bl_pairs_add(pairs, number(form, of->idx[k]), number(form, j)) : -1;
        }
}

static void add_rows(const bl_kkt_form *form, bl_pairs *pairs, bl_kkt_matrix *matrix) {
    const bl_pattern *G = form->G;
    for (bl_index j = 0; form->r > 0 && j < G->ncol; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = form->row[G->idx[k]], col = number(form, j);
            bool in = row >= 0 && col >= 0;
            matrix->slot_G[k] = in ? bl_pairs_add(pairs, form->n + row, col) : -1;
            matrix->slot_GT[k] = in ? bl_pairs_add(pairs, col, form->n + row) : -1;
        }
}

bl_status bl_kkt_matrix_build(const bl_kkt_form *form, bl_kkt_matrix *matrix) {
    size_t n = (size_t)form->n + (size_t)form->r, nG = form->r > 0 ? (size_t)entries(form->G) : 0;
    size_t count[BL_KKT_BLOCKS], all = 2 * nG + n;
    bl_pairs pairs;
    bl_kkt_matrix_free(matrix);
    matrix->form = *form;
    for (int b = 0; b < BL_KKT_BLOCKS; b++)
        all += count[b] = (size_t)entries(form->block[b].of);
    bl_index *slot = NULL;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, matrix->block, BL_ARRAY(slot, all)));
    matrix->slot[0] = slot;
    matrix->slot[1] = matrix->slot[0] + count[0];
    matrix->slot_G = matrix->slot[1] + count[1];
    matrix->slot_GT = matrix->slot_G + nG;
    matrix->diagonal = matrix->slot_GT + nG;
    BL_TRY(bl_pairs_begin(form->ctx, all, &pairs));
    for (int b = 0; b < BL_KKT_BLOCKS; b++)
        add_block(form, &form->block[b], &pairs, matrix->slot[b]);
    add_rows(form, &pairs, matrix);
    for (size_t j = 0; j < n; j++)
        matrix->diagonal[j] = form->on_diagonal && form->on_diagonal[j] ? bl_pairs_add(&pairs, (bl_index)j, (bl_index)j) : -1;
    BL_TRY(bl_pairs_end(&pairs, (bl_index)n, &matrix->pattern, all, slot));
    matrix->form.row = matrix->form.column = NULL;
    matrix->form.on_diagonal = NULL;
    return BL_NEW(form->ctx, matrix->values, matrix->pattern.ptr[n]);
}

void bl_kkt_matrix_clear(bl_kkt_matrix *matrix) {
    memset(matrix->values, 0, (size_t)matrix->pattern.ptr[matrix->pattern.ncol] * sizeof *matrix->values);
}

void bl_kkt_matrix_add(bl_kkt_matrix *matrix, int block, double factor, const double *values) {
    const bl_index *slot = matrix->slot[block];
    bl_index count = entries(matrix->form.block[block].of);
    for (bl_index k = 0; k < count; k++)
        if (slot[k] >= 0)
            matrix->values[slot[k]] += factor * values[k];
}

void bl_kkt_matrix_rows(bl_kkt_matrix *matrix, const double *G, const double *by) {
    const bl_pattern *pattern = matrix->form.G;
    bl_index count = matrix->form.r > 0 ? entries(pattern) : 0;
    for (bl_index k = 0; k < count; k++)
        if (matrix->slot_G[k] >= 0)
            matrix->values[matrix->slot_G[k]] = matrix->values[matrix->slot_GT[k]] = G[k] * by[pattern->idx[k]];
}
