/* Pleiades: seven stars in the plane with close encounters (Hairer, Norsett, Wanner II.10), not stiff. IVP test set; end value recomputed
 * in extended precision. */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { N = 7 };

static void start(double *y) {
    memcpy(y, (const double[]){3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0},
           28 * sizeof *y);
}

static void end_value(double *y) {
    memcpy(y, (const double[]){0.37061391439710556, 3.2372840920572337,  -3.2225590324183186, 0.6597091455775297,  0.3425581707156493,
                               1.5621721014006285,  -0.7003092922212503, -3.9434375855173487, -3.2713809739725477, 5.225081843456584,
                               -2.590612434977467,  1.1982136933922627,  -0.2429682344935821, 1.091449240428964,   3.417003806314444,
                               1.3545845016254998,  -2.5900655978107827, 2.0250537347142186,  -1.1558151001604713, -0.8072988170223092,
                               0.5952396354208918,  -3.7412449612339302, 0.377345968575066,   0.9386858869551447,  0.3667922227200549,
                               -0.3474046353808702, 2.3449154481809367,  -1.9470204342633026},
           28 * sizeof *y);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)v, (void)z, (void)f;
    const double *x = q, *y = q + N;
    memset(Q, 0, 2 * N * sizeof *Q);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            double dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy, w = 1 / (r2 * sqrt(r2));
            double wi = (j + 1) * w, wj = (i + 1) * w;
            Q[i] += wi * dx, Q[N + i] += wi * dy;
            Q[j] -= wj * dx, Q[N + j] -= wj * dy;
        }
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *J, ivp_matrix *dv) {
    (void)t, (void)v, (void)z, (void)dv;
    const double *x = q, *y = q + N;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if (i == j)
                continue;
            double dx = x[j] - x[i], dy = y[j] - y[i], r2 = dx * dx + dy * dy, w = (j + 1) / (r2 * sqrt(r2));
            double xx = w * (1 - 3 * dx * dx / r2), xy = -3 * w * dx * dy / r2, yy = w * (1 - 3 * dy * dy / r2);
            ivp_add(J, i, j, xx), ivp_add(J, i, i, -xx), ivp_add(J, N + i, N + j, yy), ivp_add(J, N + i, N + i, -yy);
            ivp_add(J, i, N + j, xy), ivp_add(J, i, N + i, -xy), ivp_add(J, N + i, j, xy), ivp_add(J, N + i, i, -xy);
        }
}

static const double size[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

const ivp ivp_pleiades = {.name = "pleiades",
                          .scene = "pleiades",
                          .what = "seven stars, not stiff",
                          .nq = 2 * N,
                          .t_end = 3,
                          .size = size,
                          .least = 1e-3,
                          .start = start,
                          .end_value = end_value,
                          .force = force,
                          .tangent = tangent};
