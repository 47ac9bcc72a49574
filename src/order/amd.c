/* Approximate minimum degree on the pattern of A + A^T (AMD of SuiteSparse), rows in the order of the columns.
 * Amestoy, Davis and Duff, Algorithm 837, ACM TOMS 30 (2004). For matrices of nearly symmetric pattern. */
#include "order/order.h"

#include <amd.h>

static bl_status amd_slot(const bl_order_input *in, bl_ordering *out) {
    const bl_pattern *p = in->pattern;
    if (p->ncol == 0)
        return BL_OK;
    int status = amd_order(p->ncol, p->ptr, p->idx, out->col, NULL, NULL);
    if (status == AMD_OUT_OF_MEMORY)
        return bl_fail(in->ctx, BL_E_MEMORY, NULL, "amd: no memory for a matrix of order %d", p->ncol);
    if (status != AMD_OK && status != AMD_OK_BUT_JUMBLED)
        return bl_fail(in->ctx, BL_E_ARG, NULL, "amd: the pattern is not valid (status %d)", status);
    for (bl_index k = 0; k < p->ncol; k++)
        out->row[k] = out->col[k];
    return BL_OK;
}

const bl_order_kind bl_order_amd = {
    .kind = {.name = "amd", .help = "approximate minimum degree of A + A^T", .gives = BL_ORDER_SYMMETRIC},
    .order = amd_slot,
};
