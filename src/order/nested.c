/* Nested ordering: block triangular form first, then the ordering for mechanisms inside each part that cannot be split. A border then
 * couples the columns of one loop, not of the complete mechanism: a vehicle with four suspensions has four small borders instead of one
 * large, and columns delayed by a part stay in it. Square patterns; with samples the robust variant is used inside. A structurally singular
 * pattern is one part. */
#include "order/order.h"

#include <string.h>

enum { SMALL = 3 }; /* parts up to this size are blocks themselves */

typedef struct nest {
    const bl_order_input *in;
    bl_ordering *out;
    const bl_ordering *outer;
    bl_index *row_at, *ptr, *idx, *from; /* of one part */
    double *sample;
    uint8_t *row_mark, *col_mark;
} nest;

/* pattern, marks and samples of positions first .. first + s - 1 of the outer form */
static bl_pattern cut_out(nest *n, bl_index first, bl_index s) {
    const bl_pattern *p = n->in->pattern;
    bl_index used = 0;
    for (bl_index i = 0; i < s; i++) {
        n->row_at[n->outer->row[first + i]] = i;
        n->row_mark[i] = n->in->row_mark ? n->in->row_mark[n->outer->row[first + i]] : 0;
        n->col_mark[i] = n->in->col_mark ? n->in->col_mark[n->outer->col[first + i]] : 0;
    }
    for (bl_index j = 0; j < s; j++) {
        bl_index col = n->outer->col[first + j];
        n->ptr[j] = used;
        for (bl_index e = p->ptr[col]; e < p->ptr[col + 1]; e++)
            if (n->row_at[p->idx[e]] >= 0) {
                bl_index k = used++; /* rows ascending, as required in patterns */
                for (; k > n->ptr[j] && n->idx[k - 1] > n->row_at[p->idx[e]]; k--) {
                    n->idx[k] = n->idx[k - 1];
                    n->from[k] = n->from[k - 1];
                }
                n->idx[k] = n->row_at[p->idx[e]];
                n->from[k] = e;
            }
    }
    n->ptr[s] = used;
    bl_index nnz = p->ptr[p->ncol];
    for (bl_index t = 0; t < n->in->nsample; t++)
        for (bl_index k = 0; k < used; k++)
            n->sample[(size_t)t * (size_t)used + (size_t)k] = n->in->sample[(size_t)t * (size_t)nnz + (size_t)n->from[k]];
    for (bl_index i = 0; i < s; i++)
        n->row_at[n->outer->row[first + i]] = -1;
    return (bl_pattern){s, s, n->ptr, n->idx};
}

static bl_status order_part(nest *n, bl_index first, bl_index s) {
    bl_ordering *out = n->out;
    bl_index part = out->npart++;
    out->part[part] = first;
    if (s <= SMALL) {
        memcpy(out->row + first, n->outer->row + first, (size_t)s * sizeof *out->row);
        memcpy(out->col + first, n->outer->col + first, (size_t)s * sizeof *out->col);
        out->block[out->nblock++] = first;
        out->border_start[part] = first + s;
        return BL_OK;
    }
    bl_pattern pattern = cut_out(n, first, s);
    bl_order_input in = {.ctx = n->in->ctx,
                         .pattern = &pattern,
                         .row_mark = n->in->row_mark ? n->row_mark : NULL,
                         .col_mark = n->in->col_mark ? n->col_mark : NULL,
                         .nsample = n->in->nsample,
                         .sample = n->in->nsample ? n->sample : NULL};
    bl_ordering inner = {0};
    bl_status status = bl_order_run(&in, in.nsample ? "mechanism_robust" : "mechanism", &inner);
    for (bl_index i = 0; status == BL_OK && i < s; i++) {
        out->row[first + i] = n->outer->row[first + inner.row[i]];
        out->col[first + i] = n->outer->col[first + inner.col[i]];
    }
    for (bl_index k = 0; status == BL_OK && k < inner.nblock; k++)
        out->block[out->nblock++] = first + inner.block[k];
    if (status == BL_OK) {
        out->border_start[part] = first + inner.block[inner.nblock];
        out->border += inner.border;
        out->band += inner.band;
    }
    bl_ordering_free(n->in->ctx, &inner);
    return status;
}

static bl_status order_parts(nest *n) {
    bl_context *ctx = n->in->ctx;
    bl_ordering *out = n->out;
    size_t size = (size_t)n->in->pattern->ncol, nnz = (size_t)n->in->pattern->ptr[size];
    BL_TRY(BL_ARENA_ARRAYS(n->in->arena, BL_ARRAY(n->row_at, size), BL_ARRAY(n->ptr, size + 1), BL_ARRAY(n->idx, nnz),
                           BL_ARRAY(n->from, nnz), BL_ARRAY(n->sample, nnz * (size_t)n->in->nsample), BL_ARRAY(n->row_mark, size),
                           BL_ARRAY(n->col_mark, size)));
    for (size_t i = 0; i < size; i++)
        n->row_at[i] = -1;
    BL_TRY(BL_NEW(ctx, out->block, size + 1));
    BL_TRY(BL_NEW(ctx, out->part, size + 2));
    BL_TRY(BL_NEW(ctx, out->border_start, size + 1));
    for (bl_index k = 0; k < n->outer->nblock; k++)
        BL_TRY(order_part(n, n->outer->block[k], n->outer->block[k + 1] - n->outer->block[k]));
    out->part[out->npart] = (bl_index)size;
    out->block[out->nblock] = (bl_index)size;
    return BL_OK;
}

static bl_status nested_slot(const bl_order_input *in, bl_ordering *out) {
    bl_ordering outer = {0};
    bl_order_input plain = {.ctx = in->ctx, .pattern = in->pattern};
    bl_status status = bl_order_run(&plain, "btf", &outer);
    if (status == BL_OK && outer.border > 0) { /* structurally singular: rows and columns without a partner couple all parts */
        bl_order_input all = *in;
        bl_ordering_free(in->ctx, out);
        status = bl_order_run(&all, in->nsample ? "mechanism_robust" : "mechanism", out);
    } else if (status == BL_OK) {
        status = order_parts(&(nest){.in = in, .out = out, .outer = &outer});
    }
    bl_ordering_free(in->ctx, &outer);
    return status;
}

const bl_order_kind bl_order_nested = {
    .kind = {.name = "nested",
             .help = "block triangular form, and the ordering for mechanisms inside each part: small borders instead of one",
             .gives = BL_ORDER_BORDER | BL_ORDER_NESTED},
    .order = nested_slot,
};
