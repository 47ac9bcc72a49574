/* Column approximate minimum degree: little fill in the Cholesky factor of A^T A, and so in LU for any choice of pivot rows (COLAMD of
 * SuiteSparse). Davis, Gilbert, Larimore and Ng, Algorithm 836, ACM TOMS 30 (2004). Rows are left to the solver. */
#include "order/order.h"

#include <colamd.h>
#include <string.h>

static bl_status colamd_slot(const bl_order_input *in, bl_ordering *out) {
    bl_context *ctx = in->ctx;
    const bl_pattern *p = in->pattern;
    bl_free(ctx, out->row);
    out->row = NULL;
    bl_index nnz = p->ptr[p->ncol];
    if (p->ncol == 0 || nnz == 0)
        return BL_OK;
    size_t need = colamd_recommended(nnz, p->nrow, p->ncol);
    if (need == 0 || need > INT32_MAX)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "colamd: a matrix of %d entries is too large", nnz);
    bl_index *ptr, *work;
    int stats[COLAMD_STATS], good = 0;
    bl_status status = BL_NEW(ctx, ptr, p->ncol + 1);
    if (status == BL_OK && (status = BL_NEW(ctx, work, need)) == BL_OK) {
        memcpy(ptr, p->ptr, ((size_t)p->ncol + 1) * sizeof *ptr);
        memcpy(work, p->idx, (size_t)nnz * sizeof *work);
        good = colamd(p->nrow, p->ncol, (int)need, work, ptr, NULL, stats);
        if (good)
            memcpy(out->col, ptr, (size_t)p->ncol * sizeof *ptr);
        else
            status = bl_fail(ctx, BL_E_ARG, NULL, "colamd: the pattern is not valid (status %d)", stats[COLAMD_STATUS]);
        bl_free(ctx, work);
    }
    bl_free(ctx, ptr);
    return status;
}

const bl_order_kind bl_order_colamd = {
    .kind = {.name = "colamd", .help = "column approximate minimum degree, for any choice of pivot rows", .gives = BL_ORDER_RECTANGULAR},
    .order = colamd_slot,
};
