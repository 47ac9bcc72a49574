/* Cholesky factorization A = L L^T of small dense matrices, column by column (left-looking); LAPACK dpotrf above
 * a size where its blocking pays. Only the lower triangle is read and written. */
#include "dense/dense.h"

#include <lapacke.h>
#include <math.h>

enum { SMALL = 64 };

bl_status bl_cholesky(bl_index n, double *a, bl_index *bad) {
    size_t stride = (size_t)n;
    if (n > SMALL) {
        lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, a, n);
        if (info < 0)
            return BL_E_ARG;
        bl_index good = 0, end = info > 0 ? info - 1 : n;
        while (good < end && isfinite(a[stride * (size_t)good + (size_t)good])) /* dpotrf does not detect NaN */
            good++;
        if (good < n && bad)
            *bad = good;
        return good == n ? BL_OK : BL_SINGULAR;
    }
    for (bl_index j = 0; j < n; j++) {
        double *column = a + stride * (size_t)j;
        for (bl_index k = 0; k < j; k++) {
            const double *earlier = a + stride * (size_t)k;
            double factor = earlier[j];
            for (bl_index i = j; i < n; i++)
                column[i] -= earlier[i] * factor;
        }
        double pivot = column[j];
        if (!(pivot > 0) || !isfinite(pivot)) {
            if (bad)
                *bad = j;
            return BL_SINGULAR;
        }
        double root = sqrt(pivot), inverse = 1 / root;
        column[j] = root;
        for (bl_index i = j + 1; i < n; i++)
            column[i] *= inverse;
    }
    return BL_OK;
}

void bl_cholesky_solve(bl_index n, const double *l, double *x) {
    size_t stride = (size_t)n;
    for (bl_index j = 0; j < n; j++) {
        const double *column = l + stride * (size_t)j;
        double value = x[j] /= column[j];
        for (bl_index i = j + 1; i < n; i++)
            x[i] -= column[i] * value;
    }
    for (bl_index j = n - 1; j >= 0; j--) {
        const double *column = l + stride * (size_t)j;
        double sum = x[j];
        for (bl_index i = j + 1; i < n; i++)
            sum -= column[i] * x[i];
        x[j] = sum / column[j];
    }
}
