/* HIRES: chemical reaction of high irradiance responses (Schaefer 1975), 8 stiff equations. IVP test set; end value recomputed in extended
 * precision. */
#include "problem.h"

#include <string.h>

static void start(double *y) { memcpy(y, (const double[]){1, 0, 0, 0, 0, 0, 0, 0.0057}, 8 * sizeof *y); }

static void end_value(double *y) {
    memcpy(y,
           (const double[]){0.000737131257332568, 0.00014424857263161872, 5.888729740967599e-05, 0.0011756513432831515,
                            0.0023863561988313694, 0.006238968252742921, 0.0028499983951857937, 0.0028500016048142005},
           8 * sizeof *y);
}

static void force(double t, const double *q, const double *v, const double *y, double *Q, double *f) {
    (void)t, (void)q, (void)v, (void)Q;
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
    f[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = 280 * y[5] * y[7] - 1.81 * y[6];
    f[7] = -f[6];
}

static void tangent(double t, const double *q, const double *v, const double *y, ivp_matrix *J, ivp_matrix *dv) {
    (void)t, (void)q, (void)v, (void)dv;
    ivp_add(J, 0, 0, -1.71), ivp_add(J, 0, 1, 0.43), ivp_add(J, 0, 2, 8.32);
    ivp_add(J, 1, 0, 1.71), ivp_add(J, 1, 1, -8.75);
    ivp_add(J, 2, 2, -10.03), ivp_add(J, 2, 3, 0.43), ivp_add(J, 2, 4, 0.035);
    ivp_add(J, 3, 1, 8.32), ivp_add(J, 3, 2, 1.71), ivp_add(J, 3, 3, -1.12);
    ivp_add(J, 4, 4, -1.745), ivp_add(J, 4, 5, 0.43), ivp_add(J, 4, 6, 0.43);
    ivp_add(J, 5, 3, 0.69), ivp_add(J, 5, 4, 1.71), ivp_add(J, 5, 5, -280 * y[7] - 0.43), ivp_add(J, 5, 6, 0.69),
        ivp_add(J, 5, 7, -280 * y[5]);
    ivp_add(J, 6, 5, 280 * y[7]), ivp_add(J, 6, 6, -1.81), ivp_add(J, 6, 7, 280 * y[5]);
    ivp_add(J, 7, 5, -280 * y[7]), ivp_add(J, 7, 6, 1.81), ivp_add(J, 7, 7, -280 * y[5]);
}

static const double size[] = {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4};

const ivp ivp_hires = {.name = "hires",
                       .scene = "hires",
                       .what = "chemical reaction, stiff",
                       .nz = 8,
                       .t_end = 321.8122,
                       .size = size,
                       .start = start,
                       .end_value = end_value,
                       .force = force,
                       .tangent = tangent};
