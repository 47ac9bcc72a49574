/* Partitioned preassigned pivot procedure: block triangular form first, then P3 in each diagonal block. Hellerman and Rarick, in Rose
 * and Willoughby, Sparse Matrices and their Applications (1972). The blocks are those of btf, border and band too; spikes lie inside. */
#include "order/active.h" /* bl_sort_index */

typedef struct part {
    bl_index *place; /* [nrow] of the rows of the block at hand, in it; -1: others */
    bl_index *ptr, *idx, *row, *col;
} part;

static bl_status order_block(const bl_order_input *in, part *work, bl_index start, bl_index n, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_index *row = out->row + start, *col = out->col + start, used = 0;
    bl_sort_index(n, row); /* ties are broken by index */
    bl_sort_index(n, col);
    for (bl_index k = 0; k < n; k++)
        work->place[row[k]] = k;
    for (bl_index k = 0; k < n; k++) {
        work->ptr[k] = used;
        for (bl_index e = p->ptr[col[k]]; e < p->ptr[col[k] + 1]; e++)
            if (work->place[p->idx[e]] >= 0)
                work->idx[used++] = work->place[p->idx[e]];
    }
    work->ptr[n] = used;
    for (bl_index k = 0; k < n; k++) {
        work->place[row[k]] = -1;
        work->row[k] = row[k];
        work->col[k] = col[k];
    }
    bl_pattern block = {n, n, work->ptr, work->idx};
    bl_order_input inner = {.ctx = in->ctx, .pattern = &block};
    bl_ordering found = {.nrow = n, .ncol = n, .row = row, .col = col};
    bl_status status = bl_order_p3.order(&inner, &found);
    for (bl_index k = 0; status == BL_OK && k < n; k++) {
        row[k] = work->row[row[k]];
        col[k] = work->col[col[k]];
    }
    out->spikes += found.spikes;
    bl_free(in->ctx, found.block);
    return status;
}

static bl_status run(const bl_order_input *in, bl_arena *arena, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    bl_order_input plain = {.ctx = in->ctx, .pattern = p};
    BL_TRY(bl_order_btf.order(&plain, out));
    size_t n = (size_t)out->block[out->nblock], nrow = (size_t)p->nrow;
    bl_index *block = bl_arena_alloc(arena, nrow + 3 * n + 1 + (size_t)p->ptr[p->ncol], sizeof *block);
    if (!block)
        return BL_E_MEMORY;
    part work = {.place = block, .row = block + nrow, .col = block + nrow + n, .ptr = block + nrow + 2 * n};
    work.idx = work.ptr + n + 1;
    for (size_t i = 0; i < nrow; i++)
        work.place[i] = -1;
    for (bl_index b = 0; b < out->nblock; b++)
        if (out->block[b + 1] - out->block[b] > 1)
            BL_TRY(order_block(in, &work, out->block[b], out->block[b + 1] - out->block[b], out));
    return BL_OK;
}

static bl_status p4_order(const bl_order_input *in, bl_ordering *out) {
    bl_arena arena = {.ctx = in->ctx};
    bl_status status = run(in, &arena, out);
    bl_arena_destroy(&arena);
    return status;
}

const bl_order_kind bl_order_p4 = {
    .kind = {.name = "p4",
             .help = "block lower triangular form, each block ordered by p3 (P4)",
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = p4_order,
};
