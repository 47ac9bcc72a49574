/* A constrained motion defined by C functions: a mass on a rod, in its two coordinates,
 *
 *     m x'' = -2 x lambda,   m y'' = -m g - 2 y lambda,   x^2 + y^2 = 1,   released at rest from (1, 0)
 *
 * Derivatives of the constraint are not provided: they are computed by finite differences.
 * usage: pendulum [METHOD [FORMULATION]]     default: genalpha:0.8 on index3 */
#include <biela/function.h>

#include <math.h>
#include <stdio.h>

static const double mass = 2, gravity = 9.81;

static int weight(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)user, (void)t, (void)q, (void)v, (void)z, (void)f;
    Q[0] = 0;
    Q[1] = -mass * gravity;
    return 0;
}

static int rod(void *user, double t, const double *q, double *phi) {
    (void)user, (void)t;
    phi[0] = q[0] * q[0] + q[1] * q[1] - 1;
    return 0;
}

static int energy(void *user, double t, const double *q, const double *v, double *kinetic, double *potential, double *power) {
    (void)user, (void)t;
    *kinetic = mass * (v[0] * v[0] + v[1] * v[1]) / 2;
    *potential = mass * gravity * q[1];
    *power = 0; /* nothing but the weight */
    return 0;
}

static int print(void *user, double t, const double *q, const double *v, const double *z) {
    (void)user, (void)z;
    printf("%-8g %14.8f %14.8f   rod %+.1e   energy %+.1e\n", t, q[0], q[1], q[0] * q[0] + q[1] * q[1] - 1,
           mass * (v[0] * v[0] + v[1] * v[1]) / 2 + mass * gravity * q[1]);
    return 0;
}

int main(int argc, char **argv) {
    static const double M[] = {2, 0, 0, 2}, start[] = {1, 0}, at[] = {0, 0.5, 1, 1.5, 2};
    bl_function swings = {
        .nq = 2, .np = 1, .promise = BL_FN_NO_V | BL_FN_NO_T | BL_FN_STATIC, .force = weight, .M = M, .constraint = rod, .energy = energy};
    bl_integrate_options options = {.integrator = argc > 1 ? argv[1] : "genalpha:0.8",
                                    .formulation = argc > 2   ? argv[2]
                                                   : argc > 1 ? NULL
                                                              : "index3",
                                    .until = 2,
                                    .step = 0.001,
                                    .tolerance = 1e-8,
                                    .at = at,
                                    .nat = 5};
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    bl_status status = bl_integrate(ctx, &swings, &options, start, NULL, NULL, print, NULL, NULL);
    if (status < 0)
        fprintf(stderr, "pendulum: %s\n", bl_context_error(ctx)->what);
    bl_context_destroy(ctx);
    return status < 0;
}
