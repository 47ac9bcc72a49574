/* Orthonormal basis of the null space of A by QR with column pivoting of its transpose, A^T P = Q [R; 0]: the last columns of Q.
 * The diagonal of R reveals the rank. LAPACK dgeqp3, dorgqr. */
#include "dense/dense.h"

#include "system/system.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

static bl_status refused(bl_context *ctx, const char *routine, lapack_int info) {
    return bl_fail(ctx, BL_E_ARG, NULL, "null space: LAPACK %s refuses argument %d", routine, (int)-info);
}

static bl_status factor(bl_context *ctx, bl_index m, bl_index n, double *t, double tolerance, double *tau, lapack_int *order, double *work,
                        lapack_int lwork, bl_index *rank) {
    lapack_int info = LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, t, n, order, tau, work, lwork);
    if (info != 0)
        return refused(ctx, "dgeqp3", info);
    bl_index least = m < n ? m : n;
    for (*rank = 0; *rank < least; ++*rank)
        if (!(fabs(t[(size_t)*rank * (size_t)(n + 1)]) > tolerance * fabs(t[0])))
            break;
    /* only the columns that count; the others are completed to an orthonormal basis */
    info = LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, *rank, t, n, tau, work, lwork);
    return info ? refused(ctx, "dorgqr", info) : BL_OK;
}

bl_status bl_null_space(bl_context *ctx, bl_index m, bl_index n, const double *a, double tolerance, double *basis, bl_index *rank) {
    *rank = 0;
    if (n == 0)
        return BL_OK;
    bl_index wide = m > n ? m : n;
    lapack_int lwork = 2 * wide + 32 * (wide + 1);
    double *t = NULL, *work = NULL;
    lapack_int *order = NULL;
    for (bl_index j = 0; j < n; j++)
        BL_TRY(bl_check_finite(ctx, "null space", NAN, m, a + (size_t)j * (size_t)m));
    bl_status status = BL_NEW(ctx, t, (size_t)wide * (size_t)n);
    if (status == BL_OK)
        status = BL_NEW(ctx, work, (size_t)lwork + 1 + (size_t)n);
    if (status == BL_OK)
        status = BL_NEW(ctx, order, m + 1);
    if (status == BL_OK) {
        for (bl_index j = 0; j < n; j++)
            for (bl_index i = 0; i < m; i++)
                t[(size_t)i * (size_t)n + (size_t)j] = a[(size_t)j * (size_t)m + (size_t)i];
        status = factor(ctx, m, n, t, tolerance, work + lwork, order, work, lwork, rank);
    }
    if (status == BL_OK)
        memcpy(basis, t + (size_t)*rank * (size_t)n, (size_t)(n - *rank) * (size_t)n * sizeof *basis);
    bl_free(ctx, t);
    bl_free(ctx, work);
    bl_free(ctx, order);
    return status;
}
