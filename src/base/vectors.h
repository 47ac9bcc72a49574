/* vectors: products of vectors of any length, summed in a fixed order. */
#ifndef BL_VECTORS_H
#define BL_VECTORS_H

#include <math.h>
#include <stddef.h>

/* four sums, so that the additions need not wait for each other */
static inline double bl_dot(size_t n, const double *x, const double *y) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t c = 0; c < 4; c++)
            sum[c] += x[i + c] * y[i + c];
    for (; i < n; i++)
        sum[0] += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static inline double bl_norm(size_t n, const double *x) { return sqrt(bl_dot(n, x, x)); }

#endif
