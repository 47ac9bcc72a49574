/* Partitioned preassigned pivot procedure: block triangular form first, then P3 in each diagonal block. Hellerman and Rarick, in Rose
 * and Willoughby, Sparse Matrices and their Applications (1972). Blocks, border and band are those of btf; spikes are inside the blocks. */
#include "order/active.h" /* bl_sort_index */
#include "sparse/sparse.h"

typedef struct part {
    bl_index *position; /* [nrow] position of a row in the present block; -1: not in it */
    bl_index *ptr, *idx, *row, *col;
} part;

static bl_status order_block(const bl_order_input *in, part *work, bl_index start, bl_index n, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_index *row = out->row + start, *col = out->col + start;
    bl_sort_index(n, row); /* ties are broken by index */
    bl_sort_index(n, col);
    for (bl_index k = 0; k < n; k++)
        work->position[row[k]] = k;
    bl_pattern_cut(p, work->position, n, col, work->ptr, work->idx, NULL);
    for (bl_index k = 0; k < n; k++) {
        work->position[row[k]] = -1;
        work->row[k] = row[k];
        work->col[k] = col[k];
    }
    bl_pattern block = {n, n, work->ptr, work->idx};
    bl_arena arena = {.ctx = in->ctx};
    bl_order_input inner = {.ctx = in->ctx, .arena = &arena, .pattern = &block};
    bl_ordering found = {.nrow = n, .ncol = n, .row = row, .col = col};
    bl_status status = bl_order_p3.order(&inner, &found);
    for (bl_index k = 0; status == BL_OK && k < n; k++) {
        row[k] = work->row[row[k]];
        col[k] = work->col[col[k]];
    }
    out->spikes += found.spikes;
    bl_free(in->ctx, found.block);
    bl_arena_destroy(&arena);
    return status;
}

static bl_status p4_order(const bl_order_input *in, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_order_input plain = {.ctx = in->ctx, .arena = in->arena, .pattern = p};
    BL_TRY(bl_order_btf.order(&plain, out));
    bl_index n = out->block[out->nblock];
    part work;
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(work.position, p->nrow), BL_ARRAY(work.row, n), BL_ARRAY(work.col, n),
                           BL_ARRAY(work.ptr, n + 1), BL_ARRAY(work.idx, p->ptr[p->ncol])));
    for (bl_index i = 0; i < p->nrow; i++)
        work.position[i] = -1;
    for (bl_index b = 0; b < out->nblock; b++)
        if (out->block[b + 1] - out->block[b] > 1)
            BL_TRY(order_block(in, &work, out->block[b], out->block[b + 1] - out->block[b], out));
    return BL_OK;
}

const bl_order_kind bl_order_p4 = {
    .kind = {.name = "p4",
             .help = "block lower triangular form, each block ordered by p3 (P4)",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = p4_order,
};
