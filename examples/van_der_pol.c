/* A differential equation defined by a C function, integrated by any method: van der Pol's oscillator
 *
 *     y1' = y2,   y2' = mu (1 - y1^2) y2 - y1,   y = (2, 0) at t = 0
 *
 * usage: van_der_pol [METHOD [MU [UNTIL [TOLERANCE [STEP]]]]]     METHOD: dopri45, rk4, bdf:3, ..., see `biela list integrators` */
#include <biela/function.h>

#include <stdio.h>
#include <stdlib.h>

static int oscillator(void *user, double t, const double *q, const double *v, const double *y, double *Q, double *f) {
    double mu = *(const double *)user;
    (void)t, (void)q, (void)v, (void)Q; /* no second-order unknowns */
    f[0] = y[1];
    f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
    return 0;
}

/* optional: implicit methods find derivatives by differences when there is none. dy is dense, column by column. */
static int derivatives(void *user, double t, const double *q, const double *v, const double *y, double *dy, double *dv) {
    double mu = *(const double *)user;
    (void)t, (void)q, (void)v, (void)dv;
    dy[0] = 0;
    dy[1] = -2 * mu * y[0] * y[1] - 1;
    dy[2] = 1;
    dy[3] = mu * (1 - y[0] * y[0]);
    return 0;
}

static int print(void *user, double t, const double *q, const double *v, const double *y) {
    (void)user, (void)q, (void)v;
    printf("%-8g %18.10f %18.10f\n", t, y[0], y[1]);
    return 0; /* anything else ends the run */
}

int main(int argc, char **argv) {
    double mu = argc > 2 ? atof(argv[2]) : 5, until = argc > 3 ? atof(argv[3]) : 20, at[11];
    const double start[] = {2, 0};
    for (int i = 0; i <= 10; i++)
        at[i] = i < 10 ? i * until / 10 : until;
    bl_function oscillates = {.user = &mu, .nz = 2, .force = oscillator, .tangent = derivatives, .promise = BL_FN_NO_T};
    bl_integrate_options options = {.integrator = argc > 1 ? argv[1] : NULL,
                                    .until = until,
                                    .tolerance = argc > 4 ? atof(argv[4]) : 1e-6,
                                    .step = argc > 5 ? atof(argv[5]) : 0,
                                    .at = at,
                                    .nat = 11};
    bl_context *ctx;
    bl_run_summary summary = {0};
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    bl_status status = bl_integrate(ctx, &oscillates, &options, NULL, NULL, start, print, NULL, &summary);
    if (status < 0)
        fprintf(stderr, "van_der_pol: %s\n", bl_context_error(ctx)->what);
    fprintf(stderr, "%ld steps, %ld rejected, %ld evaluations\n", summary.steps, summary.rejections, summary.evaluations);
    bl_context_destroy(ctx);
    return status < 0;
}
