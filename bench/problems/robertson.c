/* Robertson (1966): three reactions with rates 0.04, 1e4, 3e7 over eleven decades of time. IVP test set; end value recomputed in extended
 * precision. */
#include "problem.h"

static void start(double *y) { y[0] = 1, y[1] = y[2] = 0; }

static void end_value(double *y) { y[0] = 2.0833401495427262e-08, y[1] = 8.333360769700521e-14, y[2] = 0.9999999791665141; }

static void force(double t, const double *q, const double *v, const double *y, double *Q, double *f) {
    (void)t, (void)q, (void)v, (void)Q;
    double back = 1e4 * y[1] * y[2], fast = 3e7 * y[1] * y[1];
    f[0] = -0.04 * y[0] + back;
    f[1] = 0.04 * y[0] - back - fast;
    f[2] = fast;
}

static void tangent(double t, const double *q, const double *v, const double *y, ivp_matrix *J, ivp_matrix *dv) {
    (void)t, (void)q, (void)v, (void)dv;
    ivp_add(J, 0, 0, -0.04), ivp_add(J, 0, 1, 1e4 * y[2]), ivp_add(J, 0, 2, 1e4 * y[1]);
    ivp_add(J, 1, 0, 0.04), ivp_add(J, 1, 1, -1e4 * y[2] - 6e7 * y[1]), ivp_add(J, 1, 2, -1e4 * y[1]);
    ivp_add(J, 2, 1, 6e7 * y[1]);
}

static const double size[] = {1e-8, 1e-14, 1};

const ivp ivp_robertson = {.name = "robertson",
                           .scene = "robertson",
                           .what = "chemical reaction, stiff, to 1e11 s",
                           .nz = 3,
                           .t_end = 1e11,
                           .size = size,
                           .start = start,
                           .end_value = end_value,
                           .force = force,
                           .tangent = tangent};
