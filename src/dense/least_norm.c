/* Minimum-norm least squares by complete orthogonal decomposition, A P = Q [T 0; 0 0] Z:
 * of all x with the least |A x - b| the one with the least |x|. LAPACK dgelsy. */
#include "dense/dense.h"

#include "system/system.h"

#include <lapacke.h>

enum { BLOCK = 32 }; /* block size for LAPACK */

/* doubles for dgelsy itself; above its minimum, so that its blocked code runs */
static size_t gelsy_work(size_t m, size_t n) {
    size_t least = m < n ? m : n, a = least + 2 * n + BLOCK * (n + 1), b = 2 * least + BLOCK;
    size_t minimum = least + (2 * least > n + 1 ? 2 * least : n + 1);
    size_t most = a > b ? a : b;
    return most > minimum ? most : minimum;
}

size_t bl_least_norm_work(bl_index m, bl_index n) {
    return gelsy_work((size_t)m, (size_t)n) + (size_t)n + 1; /* followed by the column permutation */
}

bl_status bl_least_norm(bl_context *ctx, bl_index m, bl_index n, double *a, double tolerance, double *b, bl_index *rank, double *work) {
    *rank = 0;
    if (m == 0 || n == 0 || tolerance >= 1) {
        for (bl_index i = 0; i < n; i++)
            b[i] = 0;
        return BL_OK;
    }
    size_t lwork = gelsy_work((size_t)m, (size_t)n);
    lapack_int *order = (lapack_int *)(work + lwork), found = 0;
    for (bl_index j = 0; j < n; j++)
        order[j] = 0;
    bl_index longer = m > n ? m : n;
    lapack_int info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, a, m, b, longer, order, tolerance, &found, work, (lapack_int)lwork);
    if (info != 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "least squares: LAPACK dgelsy rejects argument %d", (int)-info);
    *rank = found;
    return bl_check_finite(ctx, "least squares solution", 0, n, b);
}
