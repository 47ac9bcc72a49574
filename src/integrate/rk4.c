/* Classical Runge-Kutta method, 4 stages, order 4, fixed step. The rate at the end of a step is the first of the
 * next, so evaluating it early costs nothing: it checks the end point and gives cubic Hermite dense output,
 * y(t0 + s h) with values and rates of both ends (local error h^4). */
#include "integrate/explicit.h"

#include <string.h>

typedef struct rk4 {
    bl_index ny;
    double *block, *k[4], *rate_end, *y_old, *rate_old, *stage;
    double h; /* of the last accepted step */
} rk4;

static bl_status rk4_create(bl_integrator *integ) {
    rk4 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    return BL_OK;
}

static bl_status rk4_start(bl_integrator *integ) {
    rk4 *own = integ->own;
    bl_index ny = integ->ny;
    if (!own->block || own->ny != ny) {
        double *block = bl_resize(integ->ctx, own->block, (size_t)ny * 8, sizeof *block);
        if (!block)
            return BL_E_MEMORY;
        own->block = block;
        own->ny = ny;
        for (int s = 0; s < 4; s++)
            own->k[s] = block + s * (size_t)ny;
        own->rate_end = block + 4 * (size_t)ny;
        own->y_old = block + 5 * (size_t)ny;
        own->rate_old = block + 6 * (size_t)ny;
        own->stage = block + 7 * (size_t)ny;
    }
    integ->h_next = integ->control.step;
    return integ->form->kind->rate(integ->form, integ->t, integ->y, own->k[0]);
}

static bl_status rk4_attempt(bl_integrator *integ, double h, double *error) {
    rk4 *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index ny = integ->ny;
    const double *y = integ->y;
    *error = 0;
    for (int s = 1; s < 4; s++) {
        double c = s == 3 ? 1.0 : 0.5;
        for (bl_index i = 0; i < ny; i++)
            own->stage[i] = y[i] + h * c * own->k[s - 1][i];
        BL_TRY(form->kind->rate(form, integ->t + c * h, own->stage, own->k[s]));
    }
    for (bl_index i = 0; i < ny; i++)
        integ->y_new[i] = y[i] + h * (own->k[0][i] + 2 * (own->k[1][i] + own->k[2][i]) + own->k[3][i]) / 6;
    integ->t_new = integ->t + h;
    own->h = h;
    return form->kind->rate(form, integ->t_new, integ->y_new, own->rate_end);
}

static bl_status rk4_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    (void)error;
    if (!accepted)
        return bl_step_shorten(integ, status, failures, h);
    *h = integ->control.step;
    return BL_OK;
}

static void rk4_accept(bl_integrator *integ) {
    rk4 *own = integ->own;
    size_t bytes = (size_t)integ->ny * sizeof(double);
    memcpy(own->y_old, integ->y, bytes);
    memcpy(own->rate_old, own->k[0], bytes);
    memcpy(own->k[0], own->rate_end, bytes);
    memcpy(integ->y, integ->y_new, bytes);
    integ->t = integ->t_new;
}

static bl_status rk4_dense(const bl_integrator *integ, double t, double *y) {
    const rk4 *own = integ->own;
    double h = own->h, s = (t - integ->t_old) / h, r = 1 - s;
    double a0 = r * r * (1 + 2 * s), b0 = h * s * r * r, a1 = s * s * (3 - 2 * s), b1 = -h * s * s * r;
    for (bl_index i = 0; i < integ->ny; i++)
        y[i] = a0 * own->y_old[i] + b0 * own->rate_old[i] + a1 * integ->y_new[i] + b1 * own->rate_end[i];
    return BL_OK;
}

static bl_status rk4_formula(bl_context *ctx, const bl_value *value, bl_formula *formula) {
    static const long double A[4][3] = {{0}, {0.5L}, {0, 0.5L}, {0, 0, 1}}, weight[4] = {1.0L / 6, 1.0L / 3, 1.0L / 3, 1.0L / 6};
    (void)ctx;
    (void)value;
    bl_formula_runge_kutta(4, 4, A[0], 3, weight, formula);
    return BL_OK;
}

static void rk4_destroy(bl_integrator *integ) {
    rk4 *own = integ->own;
    if (!own)
        return;
    bl_free(integ->ctx, own->block);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

const bl_integrator_kind bl_integrator_rk4 = {
    .kind = {.name = "rk4", .help = "classical Runge-Kutta method, order 4, fixed step", .needs = BL_CAN_RATE, .gives = BL_DENSE},
    .order = 4,
    .dense_order = 3,
    .create = rk4_create,
    .start = rk4_start,
    .attempt = rk4_attempt,
    .next_step = rk4_next_step,
    .accept = rk4_accept,
    .dense = rk4_dense,
    .formula = rk4_formula,
    .destroy = rk4_destroy,
};
