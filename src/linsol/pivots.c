/* Pivots by Markowitz's rule within the diagonal blocks (sparse/elimination.h), numbered block after block; then the patterns of the
 * factors by columns. KLU orders columns before pivots are known, and its partial pivoting then causes fill: for [M G^T; G 0] of a vehicle
 * it needs twice as many products. */
#include "linsol/pivots.h"

#include "sparse/elimination.h"

#include <string.h>

typedef struct lists {
    bl_index *at_row, *at_col;       /* [n] block of a row, of a column; then their pivots */
    bl_index *row, *col;             /* [n] of the pivots */
    bl_index *ptr, *idx;             /* [n + 1], [nnz] pattern of the diagonal blocks */
    bl_index *l_ptr, *u_ptr, *f_ptr; /* [n + 1] */
    bl_index *l_idx, *u_idx, *f_idx; /* of L, U, F by columns */
    bl_index *first, *next;          /* [n] first pivot of the block; scratch */
    double *inside;                  /* [nnz] values of the diagonal blocks */
} lists;

/* entries inside diagonal blocks, and their values */
static void take_blocks(const bl_pattern *a, const double *values, lists *w) {
    bl_index used = 0;
    for (bl_index j = 0; j < a->ncol; j++) {
        w->ptr[j] = used;
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++)
            if (w->at_row[a->idx[k]] == w->at_col[j]) {
                w->idx[used] = a->idx[k];
                w->inside[used++] = values[k];
            }
    }
    w->ptr[a->ncol] = used;
}

/* pivots of the elimination, blocks one after the other */
static void number_pivots(const bl_elimination *e, bl_index nblock, const bl_index *block, lists *w) {
    memcpy(w->next, block, (size_t)nblock * sizeof *w->next);
    for (bl_index k = 0; k < e->rank; k++) {
        bl_index at = w->next[w->at_row[e->row[k]]]++;
        w->row[at] = e->row[k];
        w->col[at] = e->col[k];
    }
    for (bl_index k = 0; k < e->rank; k++) {
        w->at_row[w->row[k]] = k;
        w->at_col[w->col[k]] = k;
    }
    for (bl_index b = 0; b < nblock; b++)
        for (bl_index k = block[b]; k < block[b + 1]; k++)
            w->first[k] = block[b];
}

static void count_entries(const bl_elimination *e, const bl_pattern *a, lists *w, bl_pivots *out) {
    bl_index n = a->ncol;
    for (bl_index k = 0; k < n; k++) {
        bl_index nl = e->col_count[w->col[k]], nu = e->row_count[w->row[k]], j = w->col[k];
        out->products += (int64_t)nl * nu;
        out->entries += nl + nu;
        w->l_ptr[k + 1] = nl;
        w->u_ptr[k + 1]++; /* the diagonal */
        for (bl_index u = e->row_first[w->row[k]]; u >= 0; u = e->entry[u].right)
            w->u_ptr[w->at_col[e->entry[u].col] + 1]++;
        w->f_ptr[k + 1] = a->ptr[j + 1] - a->ptr[j] - (w->ptr[j + 1] - w->ptr[j]);
    }
    for (bl_index k = 0; k < n; k++) {
        w->l_ptr[k + 1] += w->l_ptr[k];
        w->u_ptr[k + 1] += w->u_ptr[k];
        w->f_ptr[k + 1] += w->f_ptr[k];
    }
}

static void list_entries(const bl_elimination *e, const bl_pattern *a, const lists *w) {
    bl_index n = a->ncol, *l = w->l_idx, *u = w->u_idx, *f = w->f_idx, *next = w->next;
    memcpy(next, w->u_ptr, (size_t)n * sizeof *next);
    for (bl_index k = 0; k < n; k++) {
        for (bl_index at = e->col_first[w->col[k]]; at >= 0; at = e->entry[at].down)
            *l++ = w->at_row[e->entry[at].row];
        for (bl_index at = e->row_first[w->row[k]]; at >= 0; at = e->entry[at].right)
            u[next[w->at_col[e->entry[at].col]]++] = k;
        u[next[k]++] = k;
        for (bl_index p = a->ptr[w->col[k]]; p < a->ptr[w->col[k] + 1]; p++)
            if (w->at_row[a->idx[p]] < w->first[k])
                *f++ = w->at_row[a->idx[p]];
    }
}

static bl_status make_plan(bl_arena *arena, const bl_elimination *e, const bl_pattern *a, bl_index nblock, const bl_index *block, lists *w,
                           bl_pivots *out) {
    bl_index n = a->ncol;
    number_pivots(e, nblock, block, w);
    count_entries(e, a, w, out);
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(w->l_idx, w->l_ptr[n]), BL_ARRAY(w->u_idx, w->u_ptr[n]), BL_ARRAY(w->f_idx, w->f_ptr[n])));
    list_entries(e, a, w);
    out->plan = (bl_lu_plan){n, nblock, block, w->row, w->col, w->l_ptr, w->l_idx, w->u_ptr, w->u_idx, w->f_ptr, w->f_idx, a};
    return BL_OK;
}

bl_status bl_pivots_least(bl_arena *arena, const bl_pattern *a, const double *values, double share, double budget, bl_index nblock,
                          const bl_index *block, const bl_index *row, const bl_index *col, bl_pivots *out) {
    bl_index n = a->ncol, nnz = a->ptr[n];
    lists w;
    *out = (bl_pivots){0};
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(w.at_row, n), BL_ARRAY(w.at_col, n), BL_ARRAY(w.row, n), BL_ARRAY(w.col, n),
                           BL_ARRAY(w.ptr, n + 1), BL_ARRAY(w.idx, nnz), BL_ARRAY(w.l_ptr, n + 1), BL_ARRAY(w.u_ptr, n + 1),
                           BL_ARRAY(w.f_ptr, n + 1), BL_ARRAY(w.first, n), BL_ARRAY(w.next, n), BL_ARRAY(w.inside, nnz)));
    for (bl_index b = 0; b < nblock; b++)
        for (bl_index k = block[b]; k < block[b + 1]; k++)
            w.at_row[row[k]] = w.at_col[col[k]] = b;
    take_blocks(a, values, &w);
    bl_pattern blocks = {n, n, w.ptr, w.idx};
    bl_elimination_input in = {.pattern = &blocks, .value = w.inside, .share = share, .budget = budget};
    bl_elimination e = {0};
    bl_status status = bl_elimination_run(arena->ctx, &in, &e);
    if (status == BL_OK && e.rank < n)
        out->products = -1;
    else if (status == BL_OK)
        status = make_plan(arena, &e, a, nblock, block, &w, out);
    bl_elimination_free(&e);
    return status;
}
