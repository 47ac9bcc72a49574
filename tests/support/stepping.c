#include "support/stepping.h"

#include "support/testing.h"

#include <stdio.h>
#include <string.h>

bl_status test_stepping_try(bl_context *ctx, const bl_function *function, const char *formulation, const char *integrator, double t_end,
                            double step, const double *q, const double *v, const double *z, test_stepping *s) {
    memset(s, 0, sizeof *s);
    s->ctx = ctx;
    double *y = NULL;
    bl_status status = bl_function_build(ctx, function, &s->sys);
    if (status == BL_OK)
        status = bl_state_create(s->sys, 0, &s->state);
    if (status == BL_OK) {
        memcpy(s->state.q, q, (size_t)s->sys->nq * sizeof *q);
        memcpy(s->state.v, v, (size_t)s->sys->nv * sizeof *v);
        if (z)
            memcpy(s->state.z, z, (size_t)s->sys->nz * sizeof *z);
        status = bl_formulation_create(s->sys, formulation, NULL, NULL, &s->form);
    }
    if (status == BL_OK)
        status = s->form->kind->setup(s->form, &s->state);
    if (status == BL_OK)
        status =
            bl_integrator_create(ctx, integrator, s->form, &(bl_step_control){.t_end = t_end, .step = step, .tolerance = 1e-6}, &s->integ);
    if (status == BL_OK)
        status = BL_NEW(ctx, y, s->form->ny);
    if (status == BL_OK)
        status = s->form->kind->to_y(s->form, &s->state, y);
    if (status == BL_OK)
        status = bl_integrator_start(s->integ, 0, y);
    bl_free(ctx, y);
    if (status != BL_OK)
        test_stepping_end(s);
    return status;
}

void test_stepping_begin(bl_context *ctx, const bl_function *function, const char *formulation, const char *integrator, double t_end,
                         double step, const double *q, const double *v, const double *z, test_stepping *s) {
    bl_status status = test_stepping_try(ctx, function, formulation, integrator, t_end, step, q, v, z, s);
    if (status != BL_OK)
        print_error("%s on %s: %s\n", integrator, formulation, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
}

void test_stepping_run(test_stepping *s) {
    while (s->integ->t < s->integ->control.t_end) {
        bl_status status = bl_integrator_step(s->integ, NULL);
        if (status != BL_OK)
            print_error("%s at t = %g: %s\n", s->integ->kind->kind.name, s->integ->t, bl_context_error(s->ctx)->what);
        assert_int_equal(status, BL_OK);
    }
}

void test_stepping_end(test_stepping *s) {
    bl_integrator_destroy(s->integ);
    bl_formulation_destroy(s->form);
    if (s->sys)
        bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    memset(s, 0, sizeof *s);
}

static int linear_force(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    const test_linear *l = user;
    (void)z;
    (void)f;
    memset(Q, 0, (size_t)l->n * sizeof *Q);
    if (l->load)
        l->load(t, Q);
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++)
            Q[i] -= l->K[i * l->n + j] * q[j] + l->C[i * l->n + j] * v[j];
    return 0;
}

static int linear_tangent(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv) {
    const test_linear *l = user;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j < l->n; j++) {
            dx[j * l->n + i] = -l->K[i * l->n + j];
            dv[j * l->n + i] = -l->C[i * l->n + j];
        }
    return 0;
}

/* kinetic and potential energy of symmetric M and K; power of load and damping */
static int linear_energy(void *user, double t, const double *q, const double *v, double *kinetic, double *potential, double *power) {
    const test_linear *l = user;
    double F[4] = {0};
    *kinetic = *potential = *power = 0;
    if (l->load)
        l->load(t, F);
    for (int i = 0; i < l->n; i++) {
        *power += F[i] * v[i];
        for (int j = 0; j < l->n; j++) {
            *kinetic += 0.5 * v[i] * l->M[i * l->n + j] * v[j];
            *potential += 0.5 * q[i] * l->K[i * l->n + j] * q[j];
            *power -= v[i] * l->C[i * l->n + j] * v[j];
        }
    }
    return 0;
}

bl_function test_linear_function(const test_linear *linear, bool promise) {
    return (bl_function){.user = (void *)linear,
                         .nq = linear->n,
                         .promise = BL_FN_SMOOTH | (promise ? BL_FN_LINEAR : 0) | (linear->load ? 0 : BL_FN_NO_T),
                         .force = linear_force,
                         .tangent = linear_tangent,
                         .M = linear->M, /* symmetric */
                         .energy = linear_energy};
}
