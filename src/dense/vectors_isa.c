/* Loops that a compiler vectorizes for the instruction set. */
#include "dense/vectors_isa.h"

#include <math.h>

enum { SUMS = 16 };

static double dot(bl_index n, const double *restrict x, const double *restrict y) {
    double sum[SUMS] = {0};
    bl_index i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += x[i + k] * y[i + k];
    for (int k = 0; i < n; i++, k++)
        sum[k] += x[i] * y[i];
    for (int half = SUMS / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            sum[k] += sum[k + half];
    return sum[0];
}

/* x - x is zero, or not a number */
static bool finite_all(bl_index n, const double *restrict x) {
    double sum[SUMS] = {0}, all = 0;
    bl_index i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            sum[k] += x[i + k] - x[i + k];
    for (; i < n; i++)
        all += x[i] - x[i];
    for (int k = 0; k < SUMS; k++)
        all += sum[k];
    return all == 0;
}

static void scale(bl_index n, double f, const double *restrict x, double *restrict y) {
    for (bl_index i = 0; i < n; i++)
        y[i] = f * x[i];
}

static void add(bl_index n, const double *restrict x, double f, const double *restrict y, double *restrict z) {
    for (bl_index i = 0; i < n; i++)
        z[i] = x[i] + f * y[i];
}

static void subtract_three(bl_index n, const double *restrict b, const double *const *v, const double *const *x, double *restrict y) {
    const double *restrict v0 = v[0], *restrict v1 = v[1], *restrict v2 = v[2], *restrict x0 = x[0], *restrict x1 = x[1],
                           *restrict x2 = x[2];
    for (bl_index i = 0; i < n; i++)
        y[i] = b[i] - v0[i] * x0[i] - v1[i] * x1[i] - v2[i] * x2[i];
}

static void interpolate(bl_index n, double w, double f, const double *restrict x, const double *restrict y, const double *restrict u,
                        double *restrict z) {
    for (bl_index i = 0; i < n; i++)
        z[i] = x[i] + w * (y[i] - x[i]) + f * u[i];
}

static void predict(bl_index n, double h, double hh, double ha, const double *restrict q, const double *restrict v,
                    const double *restrict a, double *restrict q1, double *restrict v1) {
    for (bl_index i = 0; i < n; i++) {
        q1[i] = q[i] + (h * v[i] + hh * a[i]);
        v1[i] = v[i] + ha * a[i];
    }
}

static void update(bl_index n, double to_v, double to_a, const double *restrict d, double *restrict q, double *restrict v,
                   double *restrict a) {
    for (bl_index i = 0; i < n; i++) {
        q[i] += d[i];
        v[i] += to_v * d[i];
        a[i] = to_a * d[i];
    }
}

const bl_vector_kernels BL_ISA_NAME(bl_vector_kernels) = {dot, finite_all, scale, add, subtract_three, interpolate, predict, update};
