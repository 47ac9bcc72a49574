/* Which coordinates are independent, by QR or by singular values of the scaled kept rows:
 *
 *     qr   G P = Q [R11 R12], columns pivoted by their remaining norm: the last f columns (Kim and Vanderploeg 1986)
 *     svd  G = U S V^T, N^T the last f rows of V^T: the f columns that QR with pivoting of N^T selects first, those that move most
 *          (Mani, Haug and Atkinson 1985)
 *
 * Wanted columns are made small (qr) or large (svd): they are dependent only where no others can be. */
#include "dense/dense.h"
#include "formulation/formulation_limits.h"
#include "formulation/partition.h"

#include <string.h>

enum { BLOCK = 32 };
static const double PREFERENCE = 1e6;

/* columns of a[m][n] in the order of pivoting */
static bl_status pivot_order(bl_context *ctx, bl_index m, bl_index n, double *a, bl_index *order) {
    bl_index *pivot;
    size_t lwork = bl_dense_qr_work(m, n);
    double *work, *tau;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(work, lwork), BL_ARRAY(tau, n), BL_ARRAY(pivot, n)));
    bl_status status = BL_OK;
    if (!bl_dense_qr_pivoted(m, n, a, pivot, tau, work, lwork))
        status = bl_fail(ctx, BL_E_ARG, NULL, "partition: the QR factorization of the constraint Jacobian failed");
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        order[j] = pivot[j] - 1;
    bl_free(ctx, block);
    return status;
}

/* N^T[f][n] of a[r][n] (destroyed), f = n - r */
static bl_status directions(bl_context *ctx, bl_index r, bl_index n, double *a, double *NT) {
    double *VT, *work, *sigma;
    void *block = NULL;
    size_t lwork = 5 * (size_t)n + BLOCK * 2 * (size_t)n;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(VT, (size_t)n * (size_t)n), BL_ARRAY(work, lwork), BL_ARRAY(sigma, r + 1)));
    bl_status status = BL_OK;
    if (!bl_dense_svd_right(r, n, a, sigma, VT, work, lwork))
        status =
            bl_fail(ctx, BL_E_NUMERIC, NULL, "partition: the singular value decomposition of the constraint Jacobian does not converge");
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        memcpy(NT + (size_t)j * (size_t)(n - r), VT + (size_t)j * (size_t)n + r, (size_t)(n - r) * sizeof *NT);
    bl_free(ctx, block);
    return status;
}

bl_status bl_partition_columns(bl_formulation *form, const uint8_t *wanted, const bl_index *rows, bl_index r, bl_index *order) {
    const bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    bl_index n = sys->nv, f = n - r, *slot;
    bool svd = own->by == BL_BY_SVD;
    double *a, *NT;
    void *block = NULL;
    if (own->by == BL_BY_GAUSS || r == 0 || f == 0)
        return BL_OK;
    double entries = svd ? (double)n * (double)n : (double)r * (double)n;
    if (entries > formulation_full_entries) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "partition: independent=%s needs a full matrix of %.1f GB, more than the limit of %.1f GB",
                svd ? "svd" : "qr", 8e-9 * entries, 8e-9 * formulation_full_entries);
        bl_advise(ctx, "use independent=gauss, which needs no full matrix");
        return BL_E_ABILITY;
    }
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(slot, sys->np), BL_ARRAY(a, (size_t)r * (size_t)n),
                         BL_ARRAY(NT, svd ? (size_t)f * (size_t)n : 0)));
    for (bl_index k = 0; k < r; k++)
        slot[rows[k]] = k + 1;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index i = sys->pat_G.idx[k];
            if (slot[i])
                a[(size_t)j * (size_t)r + (size_t)slot[i] - 1] =
                    form->at_e.G[k] * sys->col[j].scale / sys->row[i].scale / (wanted[j] && !svd ? PREFERENCE : 1);
        }
    bl_status status = svd ? directions(ctx, r, n, a, NT) : pivot_order(ctx, r, n, a, order);
    for (bl_index j = 0; j < n && status == BL_OK && svd; j++)
        for (bl_index k = 0; k < f && wanted[j]; k++)
            NT[(size_t)j * (size_t)f + (size_t)k] *= PREFERENCE;
    if (status == BL_OK && svd)
        status = pivot_order(ctx, f, n, NT, order);
    if (status == BL_OK && svd) /* independent ones last */
        for (bl_index j = 0; j < n / 2; j++) {
            bl_index keep = order[j];
            order[j] = order[n - 1 - j];
            order[n - 1 - j] = keep;
        }
    bl_free(ctx, block);
    return status;
}
