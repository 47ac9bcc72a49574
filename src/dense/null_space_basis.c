/* Orthonormal basis of the null space of A by QR with column pivoting of its transpose, A^T P = Q [R; 0]: the last columns of Q.
 * The diagonal of R reveals the rank. LAPACK dgeqp3, dorgqr. */
#include "dense/dense.h"

#include "system/system.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

bl_status bl_null_space(bl_context *ctx, bl_index m, bl_index n, const double *a, double tolerance, double *basis, bl_index *rank) {
    *rank = 0;
    if (n == 0)
        return BL_OK;
    bl_index larger = m > n ? m : n, least = m < n ? m : n, *order;
    size_t lwork = 2 * (size_t)larger + 32 * ((size_t)larger + 1);
    double *t, *work, *tau;
    void *block = NULL;
    for (bl_index j = 0; j < n; j++)
        BL_TRY(bl_check_finite(ctx, "null space", NAN, m, a + (size_t)j * (size_t)m));
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(t, (size_t)larger * (size_t)n), BL_ARRAY(work, lwork), BL_ARRAY(tau, n), BL_ARRAY(order, m)));
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < m; i++)
            t[(size_t)i * (size_t)n + (size_t)j] = a[(size_t)j * (size_t)m + (size_t)i];
    bl_dense_qr_pivoted(n, m, t, order, tau, work, lwork);
    while (*rank < least && fabs(t[(size_t)*rank * (size_t)(n + 1)]) > tolerance * fabs(t[0]))
        ++*rank;
    /* only the first `rank` reflectors; Q is completed to an orthonormal basis */
    LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, *rank, t, n, tau, work, (lapack_int)lwork);
    memcpy(basis, t + (size_t)*rank * (size_t)n, (size_t)(n - *rank) * (size_t)n * sizeof *basis);
    bl_free(ctx, block);
    return BL_OK;
}
