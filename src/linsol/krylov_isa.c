/* Sums and updates of long vectors. */
#include "linsol/krylov_isa.h"

#include "base/lanes.h"

#include <string.h>

#define L(p) (*(bl_lanes *)(p))
#define C(p) (*(const bl_lanes *)(p))

/* the lanes of two registers in turn: always the same order */
static double total(const bl_lanes *two) {
    double sum = 0;
    bl_lanes both = two[0] + two[1];
    for (int l = 0; l < BL_LANES; l++)
        sum += both[l];
    return sum;
}

static double dot(size_t n, const double *x, const double *y) {
    bl_lanes sum[2] = {{0}, {0}};
    for (size_t i = 0; i < n; i += 2 * BL_LANES) {
        sum[0] += C(x + i) * C(y + i);
        sum[1] += C(x + i + BL_LANES) * C(y + i + BL_LANES);
    }
    return total(sum);
}

static double precondition(size_t n, const double *w, const double *r, double *z) {
    bl_lanes sum[2] = {{0}, {0}};
    for (size_t i = 0; i < n; i += 2 * BL_LANES) {
        bl_lanes u = C(w + i) * C(r + i), v = C(w + i + BL_LANES) * C(r + i + BL_LANES);
        sum[0] += u * C(r + i);
        sum[1] += v * C(r + i + BL_LANES);
        L(z + i) = u;
        L(z + i + BL_LANES) = v;
    }
    return total(sum);
}

static void step(size_t n, double alpha, const double *p, const double *q, double *x, double *r) {
    for (size_t i = 0; i < n; i += BL_LANES) {
        L(x + i) += alpha * C(p + i);
        L(r + i) -= alpha * C(q + i);
    }
}

static void direction(size_t n, double beta, const double *z, double *p) {
    if (beta == 0)
        memcpy(p, z, n * sizeof *p);
    for (size_t i = 0; i < n && beta != 0; i += BL_LANES)
        L(p + i) = C(z + i) + beta * C(p + i);
}

static void combine(size_t n, double a, const double *x, double b, const double *y, double c, double *z) {
    for (size_t i = 0; i < n; i += BL_LANES)
        L(z + i) = c * C(z + i) + a * C(x + i) + b * C(y + i);
}

static void add(size_t n, double a, const double *x, double *y) {
    for (size_t i = 0; i < n; i += BL_LANES)
        L(y + i) += a * C(x + i);
}

const bl_krylov_kernels BL_ISA_NAME(bl_krylov_kernels) = {dot, precondition, step, direction, combine, add};
