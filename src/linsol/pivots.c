/* Pivots by Markowitz's rule on the diagonal blocks alone (sparse/elimination.h), numbered block after block; then the patterns of the
 * factors by columns. KLU orders columns before it knows pivots, and its partial pivoting then fills: for [M G^T; G 0] of a vehicle it
 * takes twice as many products. */
#include "linsol/pivots.h"

#include "sparse/elimination.h"

#include <string.h>

typedef struct lists {
    bl_index *at_row, *at_col;       /* [n] block of a row, of a column; then their pivots */
    bl_index *row, *col;             /* [n] of the pivots */
    bl_index *ptr, *idx;             /* [n + 1], [nnz] pattern of the diagonal blocks */
    bl_index *l_ptr, *u_ptr, *f_ptr; /* [n + 1] */
} lists;

/* entries inside diagonal blocks, and their values */
static void take_blocks(const bl_pattern *a, const double *values, lists *w, double *inside) {
    bl_index used = 0;
    for (bl_index j = 0; j < a->ncol; j++) {
        w->ptr[j] = used;
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++)
            if (w->at_row[a->idx[k]] == w->at_col[j]) {
                w->idx[used] = a->idx[k];
                inside[used++] = values[k];
            }
    }
    w->ptr[a->ncol] = used;
}

/* pivots of the elimination, blocks one after the other */
static void number(const bl_elimination *e, bl_index nblock, const bl_index *block, lists *w, bl_index *next) {
    memcpy(next, block, (size_t)nblock * sizeof *next);
    for (bl_index k = 0; k < e->rank; k++) {
        bl_index at = next[w->at_row[e->row[k]]]++;
        w->row[at] = e->row[k];
        w->col[at] = e->col[k];
    }
    for (bl_index k = 0; k < e->rank; k++) {
        w->at_row[w->row[k]] = k;
        w->at_col[w->col[k]] = k;
    }
}

static void count(const bl_elimination *e, const bl_pattern *a, lists *w, bl_pivots *out) {
    bl_index n = a->ncol;
    memset(w->l_ptr, 0, 3 * ((size_t)n + 1) * sizeof *w->l_ptr);
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

/* behind the pointers: L, U, F by columns; block_of[n] by pivots, next[n] */
static void fill(const bl_elimination *e, const bl_pattern *a, const lists *w, const bl_index *first, bl_index *idx, bl_index *next) {
    bl_index n = a->ncol, *l = idx, *u = l + w->l_ptr[n], *f = u + w->u_ptr[n];
    memcpy(next, w->u_ptr, (size_t)n * sizeof *next);
    for (bl_index k = 0; k < n; k++) {
        for (bl_index at = e->col_first[w->col[k]]; at >= 0; at = e->entry[at].down)
            *l++ = w->at_row[e->entry[at].row];
        for (bl_index at = e->row_first[w->row[k]]; at >= 0; at = e->entry[at].right)
            u[next[w->at_col[e->entry[at].col]]++] = k;
        u[next[k]++] = k;
        for (bl_index p = a->ptr[w->col[k]]; p < a->ptr[w->col[k] + 1]; p++)
            if (w->at_row[a->idx[p]] < first[k])
                *f++ = w->at_row[a->idx[p]];
    }
}

static bl_status make_plan(bl_context *ctx, const bl_elimination *e, const bl_pattern *a, bl_index nblock, const bl_index *block, lists *w,
                           bl_pivots *out) {
    size_t n = (size_t)a->ncol;
    bl_index *idx, *first;
    BL_TRY(BL_NEW(ctx, first, 2 * n + 1));
    number(e, nblock, block, w, first);
    for (bl_index b = 0; b < nblock; b++)
        for (bl_index k = block[b]; k < block[b + 1]; k++)
            first[k] = block[b];
    count(e, a, w, out);
    size_t nptr = n + 1, nidx = (size_t)w->l_ptr[n] + (size_t)w->u_ptr[n] + (size_t)w->f_ptr[n];
    bl_index *room = bl_alloc(ctx, 2 * n + 3 * nptr + nidx, sizeof *room);
    if (!room) {
        bl_free(ctx, first);
        return BL_E_MEMORY;
    }
    memcpy(room, w->row, n * sizeof *room);
    memcpy(room + n, w->col, n * sizeof *room);
    memcpy(room + 2 * n, w->l_ptr, 3 * nptr * sizeof *room);
    idx = room + 2 * n + 3 * nptr;
    fill(e, a, w, first, idx, first + n);
    bl_free(ctx, first);
    out->room = room;
    out->plan = (bl_lu_plan){.n = a->ncol,
                             .nblock = nblock,
                             .block = block,
                             .row = room,
                             .col = room + n,
                             .l_ptr = room + 2 * n,
                             .l_idx = idx,
                             .u_ptr = room + 2 * n + nptr,
                             .u_idx = idx + w->l_ptr[n],
                             .f_ptr = room + 2 * n + 2 * nptr,
                             .f_idx = idx + w->l_ptr[n] + w->u_ptr[n],
                             .a = a};
    return BL_OK;
}

bl_status bl_pivots_least(bl_context *ctx, const bl_pattern *a, const double *values, double share, double budget, bl_index nblock,
                          const bl_index *block, const bl_index *row, const bl_index *col, bl_pivots *out) {
    size_t n = (size_t)a->ncol, nnz = (size_t)a->ptr[n];
    *out = (bl_pivots){0};
    bl_index *work = bl_alloc(ctx, 8 * n + 4 + nnz, sizeof *work);
    double *inside = work ? bl_alloc(ctx, nnz, sizeof *inside) : NULL;
    bl_status status = inside ? BL_OK : BL_E_MEMORY;
    bl_elimination e = {0};
    if (status == BL_OK) {
        lists w = {work, work + n, work + 2 * n, work + 3 * n, work + 4 * n, NULL, NULL, NULL, NULL};
        w.l_ptr = w.ptr + n + 1;
        w.u_ptr = w.l_ptr + n + 1;
        w.f_ptr = w.u_ptr + n + 1;
        w.idx = w.f_ptr + n + 1;
        for (bl_index b = 0; b < nblock; b++)
            for (bl_index k = block[b]; k < block[b + 1]; k++)
                w.at_row[row[k]] = w.at_col[col[k]] = b;
        take_blocks(a, values, &w, inside);
        bl_pattern blocks = {a->ncol, a->ncol, w.ptr, w.idx};
        bl_elimination_input in = {.pattern = &blocks, .value = inside, .share = share, .budget = budget};
        status = bl_elimination_run(ctx, &in, &e);
        if (status == BL_OK && e.rank < a->ncol)
            out->products = -1;
        else if (status == BL_OK)
            status = make_plan(ctx, &e, a, nblock, block, &w, out);
    }
    bl_elimination_free(&e);
    bl_free(ctx, inside);
    bl_free(ctx, work);
    return status;
}
