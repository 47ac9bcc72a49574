/* Central differences, explicit:
 *
 *     M a_n = Q(q_n, v_n, t_n) - G^T lambda,   a_n = (q_{n+1} - 2 q_n + q_{n-1}) / h^2,   v_n = (q_{n+1} - q_{n-1}) / (2 h)
 *     phi(q_{n+1}) = 0                                                       (Bathe 1996, section 9.2.1; with constraints: shake)
 *
 * Equilibrium at t_n gives q_{n+1}, and only then v_n is known. So a step from t_n to t_{n+1} takes q_{n+1} from its memory and solves
 * equilibrium at t_{n+1}, which gives v_{n+1}, a_{n+1} and the position one step ahead. Started, and restarted when h changes, by
 * q_1 = q_0 + h v_0 + h^2 a_0 / 2, the same as a ghost q_{-1}. States by the trapezoidal rule. */
#include "integrate/central.h"

#include <string.h>

/* q_1 from (q_0, v_0): d = h v_0 + h^2 a / 2 with a from equilibrium at t_0, so that the constraints hold at t_1 */
static bl_status first_position(bl_central *c, double h) {
    bl_second *s = &c->second;
    bl_integrator *integ = s->integ;
    const double *q = integ->y, *v = q + s->nv, *z = v + s->nv, *d, *w, *dz;
    bl_implicit *at = &s->implicit;
    for (bl_index i = 0; i < s->nv; i++)
        c->ahead[i] = q[i] + h * (v[i] + 0.5 * h * s->a[i]);
    if (integ->form->sys->np == 0)
        return BL_OK;
    for (bl_index i = 0; i < s->nv; i++) {
        at->qe[i] = q[i];
        at->ve[i] = integ->y_new[s->nv + i] = v[i];
        at->ae[i] = s->a[i];
        integ->y_new[i] = c->ahead[i];
    }
    for (bl_index i = 0; i < s->nz; i++) {
        at->ze[i] = z[i];
        at->zde[i] = s->zd[i];
    }
    bl_second_stage(s);
    s->stage.held = c->alone;
    s->stage.te = integ->t;
    s->stage.tc = integ->t + h;
    s->stage.ca = 2 / (h * h);
    s->stage.cvc = c->by_position ? 1 : 1 / h;
    s->stage.czd = 2 / h;
    BL_TRY(bl_second_solve(s, &d, &w, &dz));
    for (bl_index i = 0; i < s->nv; i++)
        c->ahead[i] += d[i];
    return BL_OK;
}

bl_status bl_central_attempt(bl_integrator *integ, double h, double *error) {
    bl_central *c = integ->own;
    bl_second *s = &c->second;
    bl_implicit *at = &s->implicit;
    const double *q = integ->y, *z = q + 2 * s->nv, *d, *w, *dz;
    *error = 0;
    h = bl_second_step(s, h);
    double *q1 = integ->y_new, *v1 = q1 + s->nv, *z1 = v1 + s->nv, by_h = 1 / h;
    if (c->h_ahead != h)
        BL_TRY(first_position(c, h));
    c->h_ahead = h; /* a refused attempt keeps it: the position ahead remains valid for this h */
    /* the guess ahead: constant acceleration */
    for (bl_index i = 0; i < s->nv; i++) {
        double last = c->ahead[i] - q[i], next = last + h * h * s->a[i];
        q1[i] = c->ahead[i];
        v1[i] = 0.5 * by_h * (last + next);
        s->a_new[i] = s->a[i];
        c->ahead_new[i] = c->ahead[i] + next;
    }
    for (bl_index i = 0; i < s->nz; i++) {
        z1[i] = at->ze[i] = z[i] + h * s->zd[i];
        s->zd_new[i] = at->zde[i] = s->zd[i];
    }
    bl_second_stage(s);
    s->stage.qe = q1; /* the guess is already there */
    s->stage.ve = v1;
    s->stage.ae = s->a_new;
    s->stage.held = c->alone;
    s->stage.te = integ->t_new;
    s->stage.tc = integ->t_new + h;
    s->stage.cv = 0.5 * by_h;
    s->stage.ca = by_h * by_h;
    s->stage.czd = 2 * by_h;
    s->stage.qc = c->ahead_new;
    s->stage.cvc = c->by_position ? 1 : by_h; /* velocities are scaled by it in the norm */
    /* forces of positions and a constant mass: explicit */
    const bl_system *sys = integ->form->sys;
    s->stage.linear = sys->np == 0 && sys->nz == 0 && (sys->facts & BL_M_CONST) && !(sys->facts & BL_Q_OF_V);
    BL_TRY(bl_second_solve(s, &d, &w, &dz));
    BL_TRY(bl_second_work(s, integ->t_new));
    bl_second_follow(s, 0.5 * by_h, by_h * by_h, 2 * by_h, w, dz);
    for (bl_index i = 0; i < s->nv; i++)
        c->ahead_new[i] += d[i];
    return BL_OK;
}

void bl_central_accept(bl_integrator *integ) {
    bl_central *c = integ->own;
    memcpy(c->ahead, c->ahead_new, (size_t)c->second.nv * sizeof *c->ahead);
    bl_second_accept(integ);
}

/* ---- the kind */

static const bl_param params[] = {BL_SECOND_PARAMS(1e-12), {0}};

static bl_status central_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(bl_central)));
    ((bl_central *)integ->own)->alone = true;
    return BL_OK;
}

bl_status bl_central_start(bl_integrator *integ) {
    bl_central *c = integ->own;
    bl_index nv = integ->form->sys->nv;
    if (integ->form->x_velocity) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator %s moves positions by velocities only, formulation %s moves them separately",
                integ->kind->kind.name, integ->form->kind->kind.name);
        bl_advise(integ->ctx, "use formulation index3");
        return BL_E_ABILITY;
    }
    c->h_ahead = 0;
    return bl_second_start(integ, (bl_array[]){BL_ARRAY(c->ahead, nv), BL_ARRAY(c->ahead_new, nv)}, 2);
}

/* memory (d_n, d_{n-1}) */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    (void)f;
    double matrix = 1 + xi * Omega;
    A[0] = (2 - Omega * Omega) / matrix;
    A[1] = -(1 - xi * Omega) / matrix;
    A[2] = 1;
    A[3] = 0;
}

bl_status bl_central_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    *formula = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = 2, .k = 2, .n = 2, .amplify = amplify};
    return BL_OK;
}

const bl_integrator_kind bl_integrator_central = {
    .kind = {.name = "central",
             .help = "central differences, order 2, explicit: stable while h omega < 2 for the highest frequency",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_HELD | BL_AT_POSITIONS},
    .create = central_create,
    BL_CENTRAL_SLOTS,
};
