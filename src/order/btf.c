/* Block triangular form: a maximum transversal (cheap assignment, then depth-first augmenting paths) pairs rows and columns, the
 * strongly connected components of the digraph they make are the diagonal blocks, which cannot be split further (BTF of SuiteSparse).
 * Duff and Reid, ACM TOMS 4 (1978). Columns without partner go to the border, rows without partner to the band. */
#include "order/order.h"

#include <btf.h>
#include <string.h>

enum { P_REGULAR };
static const bl_param params[] = {
    [P_REGULAR] = {"regular", BL_P_FLAG, 0, 0, NULL, NULL, "refuse a matrix that is singular for any values"},
    {0},
};

typedef struct btf {
    bl_index *match;     /* [nrow] column of each row, -1: none */
    bl_index *col, *row; /* [n] pairs, by column */
    bl_index *position;  /* [ncol] pair of a column */
    bl_index *ptr, *idx; /* of the paired part; row and column of a pair have its number */
    bl_index *order, *start, *work;
    bl_index *next, *first, *last; /* [ncol] pair of the same bundle; first and last pair of a bundle, -1: none */
} btf;

static bl_status refuse(bl_context *ctx, const bl_pattern *p, const bl_index *match, bl_index rank) {
    bl_index unpaired = 0;
    while (unpaired < p->nrow && match[unpaired] >= 0)
        unpaired++;
    bl_fail(ctx, BL_SINGULAR, NULL, "the matrix of %d rows and %d columns has structural rank %d", p->nrow, p->ncol, rank);
    if (unpaired < p->nrow)
        bl_advise(ctx, "row %d cannot be paired with a column", unpaired);
    return BL_SINGULAR;
}

/* the paired rows and columns as a square pattern with a full diagonal; the columns of a bundle form a ring, so that they depend on each
 * other */
static void pair_up(const bl_pattern *p, const bl_index *bundle, btf *b) {
    bl_index n = 0;
    for (bl_index j = 0; j < p->ncol; j++)
        b->position[j] = -1;
    for (bl_index i = 0; i < p->nrow; i++)
        if (b->match[i] >= 0)
            b->position[b->match[i]] = i;
    for (bl_index j = 0; j < p->ncol; j++)
        if (b->position[j] >= 0) {
            b->row[n] = b->position[j];
            b->col[n] = j;
            b->position[j] = n++;
        }
    bl_index used = 0, *next = b->next, *first = b->first, *last = b->last;
    for (bl_index k = 0; bundle && k < n; k++) {
        bl_index g = bundle[b->col[k]] - 1;
        next[k] = k;
        if (g < 0)
            continue;
        if (first[g] < 0)
            first[g] = k;
        else
            next[last[g]] = k;
        last[g] = k;
        next[k] = first[g];
    }
    for (bl_index k = 0; k < n; k++) {
        b->ptr[k] = used;
        if (bundle && next[k] != k)
            b->idx[used++] = next[k];
        for (bl_index e = p->ptr[b->col[k]]; e < p->ptr[b->col[k] + 1]; e++)
            if (b->match[p->idx[e]] >= 0)
                b->idx[used++] = b->position[b->match[p->idx[e]]];
    }
    b->ptr[n] = used;
}

/* bundles numbered 1, 2, ... in the order of their first columns; 0: alone */
static bl_status number_bundles(bl_arena *arena, const bl_pattern *p, const bl_index *bundle, bl_index **out) {
    bl_index most = 0, n = 0, *number;
    *out = NULL;
    if (!bundle)
        return BL_OK;
    for (bl_index j = 0; j < p->ncol; j++)
        most = bundle[j] > most ? bundle[j] : most;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(*out, p->ncol), BL_ARRAY(number, (size_t)most + 1)));
    for (bl_index j = 0; j < p->ncol; j++) {
        if (bundle[j] > 0 && number[bundle[j]] == 0)
            number[bundle[j]] = ++n;
        (*out)[j] = bundle[j] > 0 ? number[bundle[j]] : 0;
    }
    return BL_OK;
}

bl_status bl_order_triangular(const bl_order_input *in, const bl_index *given, bool regular, bl_ordering *out) {
    bl_context *ctx = in->ctx;
    const bl_pattern *p = in->pattern;
    size_t ncol = (size_t)p->ncol, nnz = (size_t)p->ptr[ncol];
    btf b = {0};
    bl_index *bundle = NULL;
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(b.match, p->nrow), BL_ARRAY(b.col, ncol), BL_ARRAY(b.row, ncol), BL_ARRAY(b.position, ncol),
                           BL_ARRAY(b.ptr, ncol + 1), BL_ARRAY(b.order, ncol), BL_ARRAY(b.start, ncol + 1), BL_ARRAY(b.idx, nnz + ncol),
                           BL_ARRAY(b.work, 5 * ncol), BL_ARRAY(b.next, ncol), BL_ARRAY(b.first, ncol), BL_ARRAY(b.last, ncol)));
    BL_TRY(number_bundles(in->arena, p, given, &bundle));
    memset(b.first, -1, ncol * sizeof *b.first);
    bl_index n = 0;
    BL_TRY(bl_transversal(ctx, p, b.match, &n));
    if (regular && (n < p->ncol || n < p->nrow))
        return refuse(ctx, p, b.match, n);
    out->border = p->ncol - n;
    out->band = p->nrow - n;
    BL_TRY(BL_NEW(ctx, out->block, n + 1));
    pair_up(p, bundle, &b);
    out->nblock = n ? btf_strongcomp(n, b.ptr, b.idx, NULL, b.order, b.start, b.work) : 0;
    /* from upper to lower triangular: reverse order */
    for (bl_index k = 0; k < n; k++) {
        out->row[k] = b.row[b.order[n - 1 - k]];
        out->col[k] = b.col[b.order[n - 1 - k]];
    }
    for (bl_index k = 0; n > 0 && k <= out->nblock; k++)
        out->block[k] = n - b.start[out->nblock - k];
    bl_index r = n, c = n;
    for (bl_index i = 0; i < p->nrow; i++)
        if (b.match[i] < 0)
            out->row[r++] = i;
    for (bl_index j = 0; j < p->ncol; j++)
        if (b.position[j] < 0)
            out->col[c++] = j;
    return BL_OK;
}

static bl_status btf_slot(const bl_order_input *in, bl_ordering *out) {
    return bl_order_triangular(in, NULL, in->value[P_REGULAR].number != 0, out);
}

const bl_order_kind bl_order_btf = {
    .kind = {.name = "btf",
             .help = "block lower triangular form: transversal and strong components",
             .params = params,
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = btf_slot,
};
