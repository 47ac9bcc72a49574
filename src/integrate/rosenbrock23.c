/* The linearly implicit pair 2(3) of Shampine and Reichelt (The MATLAB ODE suite, 1997, section 3: ode23s): three solutions with one
 * matrix, no iteration, L-stable. For B y' = F(t, y), W = B - h d J, d = 1 / (2 + sqrt(2)), e = 6 + sqrt(2), T = dF/dt:
 *
 *     W k1 = F0 + h d T,   W (k2 - k1) = F(t + h/2, y + h/2 k1) - B k1,   y_new = y + h k2
 *     W (k3 - k2) = (F(t + h, y_new) - B k2) + (e - 1) (F1 - B k2) + (F0 - B k1),   err = h/6 (k1 - 2 k2 + k3)
 *
 * (their third equation minus W k2, by the first two). A W-method: y_new is of order 2 with any J, so tangents may be old. */
#include "integrate/first_order_form.h"
#include "integrate/integrate_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { JACOBIAN, KEEP };

static const double ROOT2 = 1.4142135623730950488;
static const double SAFE = 0.7; /* of the next step with kept tangents */

typedef struct rosenbrock {
    bl_first_order at; /* where B depends on y it is evaluated with the equations; else the one that is kept is subtracted from them */
    bool of_time;      /* F may depend on time explicitly */
    double *k1, *k2, *u, *y_old;  /* [ny] u: k2 - k1, then k3 - k2, then the error */
    double *F0, *F1, *F2, *T, *R; /* [nx] rows of (Q, f) at the start, the middle (minus B k1) and the end; dF/dt; of the solver */
    double *g;                    /* [nv] rows of positions */
    double power[3];              /* at the start, the middle and the end */
    double h;                     /* of the last attempt */
    int keep, age;                /* steps for which tangents are kept; steps since the present ones */
    bool start_known;             /* F0 and T are known */
    bool end_is_start;            /* F2 of the accepted step is F0 of the next */
    bool error_failed;            /* this step was already rejected for its error */
    bool singular;                /* the matrix of the last attempt was singular */
} rosenbrock;

static bl_status rosenbrock23_create(bl_integrator *integ) {
    rosenbrock *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    return BL_OK;
}

static bl_status rosenbrock23_start(bl_integrator *integ) {
    rosenbrock *own = integ->own;
    bl_formulation *form = integ->form;
    bl_first_order *at = &own->at;
    bl_array room[BL_FIRST_ORDER_ARRAYS + 10];
    BL_TRY(bl_first_order_start(at, integ, (bl_jacobian)integ->value[JACOBIAN].number, room));
    bl_index ny = at->ny, nx = at->nx;
    const bl_array more[10] = {BL_ARRAY(own->k1, ny), BL_ARRAY(own->k2, ny),   BL_ARRAY(own->u, ny),  BL_ARRAY(own->y_old, ny),
                               BL_ARRAY(own->F0, nx), BL_ARRAY(own->F1, nx),   BL_ARRAY(own->F2, nx), BL_ARRAY(own->T, nx),
                               BL_ARRAY(own->R, nx),  BL_ARRAY(own->g, at->nv)};
    memcpy(room + BL_FIRST_ORDER_ARRAYS, more, sizeof more);
    BL_TRY(bl_integrator_arrays(integ, room, sizeof room / sizeof *room));
    uint32_t facts = form->sys ? form->sys->facts : BL_Q_OF_T;
    own->keep = form->algebraic > 0 ? 1 : (int)integ->value[KEEP].number; /* rows without a rate are not satisfied with old ones */
    own->of_time = facts & (BL_Q_OF_T | BL_RHEONOMIC);
    own->start_known = own->end_is_start = own->error_failed = false;
    BL_TRY(form->kind->rate(form, integ->t, integ->y, own->u));
    bl_step_begin(integ, own->u, 1.0 / 3);
    return BL_OK;
}

/* ---- the equations at a state */

/* r = F at y + h k, or F - B u with the B there. power NULL: not requested */
static bl_status forces(bl_integrator *integ, double t, double h, const double *k, const double *u, double *r, double *power) {
    bl_first_order *at = &((rosenbrock *)integ->own)->at;
    bl_formulation *form = integ->form;
    bl_first_order_move_to(at, h, k);
    bl_balance_rates(at, u);
    BL_TRY(bl_balance_residual(at, t, r));
    if (!power || at->rate)
        return BL_OK;
    bl_stage stage = bl_balance_stage(at, t);
    return form->kind->power(form, &stage, at->zero, power);
}

/* r -= B u with the B that is kept */
static void subtract_mass(bl_integrator *integ, const double *u, double *r) {
    const rosenbrock *own = integ->own;
    for (bl_index i = 0; own->at.rate && i < own->at.ny; i++)
        r[i] -= u[i];
    if (!own->at.rate)
        integ->form->kind->subtract(integ->form, u + own->at.nv, NULL, r);
}

/* F0 and T by a difference, once for all attempts of a step */
static bl_status evaluate_start(bl_integrator *integ, double h) {
    rosenbrock *own = integ->own;
    double t = integ->t, ahead = fmin(sqrt(DBL_EPSILON) * fmax(fabs(t), fabs(t + h)), h);
    volatile double later = t + ahead;
    ahead = later - t;
    /* the run loop may have projected y onto the constraints */
    if (own->end_is_start && !own->at.moving && memcmp(integ->y, integ->y_new, (size_t)own->at.ny * sizeof(double)) == 0) {
        double *F = own->F0;
        own->F0 = own->F2;
        own->F2 = F;
        own->power[0] = own->power[2];
    } else {
        BL_TRY(forces(integ, t, 0, NULL, NULL, own->F0, &own->power[0]));
    }
    own->end_is_start = false;
    if (own->of_time) {
        BL_TRY(forces(integ, later, 0, NULL, NULL, own->T, NULL));
        for (bl_index i = 0; i < own->at.nx; i++)
            own->T[i] = ahead > 0 ? (own->T[i] - own->F0[i]) / ahead : 0;
    }
    own->start_known = true;
    return BL_OK;
}

/* ---- one step */

static bl_status prepare(bl_integrator *integ, double h, double c) {
    rosenbrock *own = integ->own;
    bl_formulation *form = integ->form;
    if (!own->at.tangent_known) {
        BL_TRY(bl_balance_tangent(&own->at, own->u));
        own->age = 0;
        own->start_known = own->start_known && !own->at.moving; /* equations divided by B have changed */
    }
    if (!own->start_known)
        BL_TRY(evaluate_start(integ, h));
    bl_stage stage = bl_implicit_stage(integ->t, c, NULL, NULL, NULL, NULL, NULL); /* only its numbers */
    bl_status status = form->kind->matrix(form, &stage);
    own->singular = status == BL_SINGULAR;
    return status;
}

/* rows of (Q, f) of the last solution, in R */
static bl_status third(bl_integrator *integ, double h) {
    rosenbrock *own = integ->own;
    const double e = 6 + ROOT2, *k1 = own->k1, *k2 = own->k2;
    double *combined = own->u, *R = own->R;
    for (bl_index i = 0; i < own->at.ny; i++)
        combined[i] = e * k2[i] + (2 - e) * k1[i];
    BL_TRY(forces(integ, integ->t_new, h, k2, own->at.moving ? combined : NULL, own->F2, &own->power[2]));
    memcpy(R, own->F2, (size_t)own->at.nx * sizeof *R);
    if (!own->at.moving) /* else the equations are divided by B: one B over the step */
        subtract_mass(integ, combined, R);
    for (bl_index i = 0; i < own->at.nx; i++)
        R[i] += (e - 1) * own->F1[i] + own->F0[i];
    return BL_OK;
}

static bl_status rosenbrock23_attempt(bl_integrator *integ, double h, double *error) {
    rosenbrock *own = integ->own;
    bl_formulation *form = integ->form;
    const double d = 1 - 0.5 * ROOT2, c = d * h, e = 6 + ROOT2, *y = integ->y, *v0 = y + own->at.nv;
    double *k1 = own->k1, *k2 = own->k2, *u = own->u, *g = own->g, *R = own->R;
    bl_index nv = own->at.nv, ny = own->at.rate ? own->at.ny : 2 * nv + own->at.nz; /* the rest is the work */
    own->h = h;
    own->singular = false;
    integ->t_new = integ->t + h;
    BL_TRY(prepare(integ, h, c));

    for (bl_index i = 0; i < own->at.nx; i++)
        R[i] = own->F0[i] + c * own->T[i];
    BL_TRY(bl_implicit_invert(form, c, v0, R, k1));

    BL_TRY(forces(integ, integ->t + 0.5 * h, 0.5 * h, k1, own->at.moving ? k1 : NULL, own->F1, &own->power[1]));
    if (!own->at.moving)
        subtract_mass(integ, k1, own->F1);
    for (bl_index i = 0; i < nv; i++)
        g[i] = v0[i] + 0.5 * h * k1[nv + i] - k1[i];
    memcpy(R, own->F1, (size_t)own->at.nx * sizeof *R);
    BL_TRY(bl_implicit_invert(form, c, g, R, u));
    for (bl_index i = 0; i < ny; i++) {
        k2[i] = k1[i] + u[i];
        integ->y_new[i] = y[i] + h * k2[i];
    }

    BL_TRY(third(integ, h));
    for (bl_index i = 0; i < nv; i++) {
        double middle = v0[i] + 0.5 * h * k1[nv + i];
        g[i] = (v0[i] + h * k2[nv + i] - k2[i]) + (e - 1) * (middle - k2[i]) + (v0[i] - k1[i]);
    }
    BL_TRY(bl_implicit_invert(form, c, g, R, u));
    for (bl_index i = 0; i < ny; i++)
        u[i] = h / 6 * (u[i] - (k2[i] - k1[i]));
    if (ny < own->at.ny) { /* the work: rates at d h and in the middle, like the others */
        k1[ny] = own->power[0] + 2 * d * (own->power[1] - own->power[0]);
        k2[ny] = own->power[1];
        integ->y_new[ny] = y[ny] + h * k2[ny];
        u[ny] = 0;
    }
    *error = bl_error_norm(integ, u, integ->y_new) / integ->control.tolerance;
    return BL_OK;
}

static void rosenbrock23_accept(bl_integrator *integ) {
    rosenbrock *own = integ->own;
    bl_integrator_advance(integ, own->y_old);
    own->end_is_start = true;
    own->start_known = false;
}

/* ---- choice of the step */

/* the column with the largest error, including NaN */
static bl_index worst_column(const bl_integrator *integ) {
    const rosenbrock *own = integ->own;
    const double *weight = integ->form->weight;
    bl_index nv = own->at.nv, worst = 0;
    double most = 0;
    for (bl_index i = 0; i < 2 * nv + own->at.nz; i++) {
        double size = fmax(fmax(fabs(integ->y[i]), fabs(integ->y_new[i])), weight[i]);
        if (weight[i] > 0 && !(fabs(own->u[i]) <= most * size)) {
            most = fabs(own->u[i]) / size;
            worst = i < nv ? i : i - nv;
        }
    }
    return worst;
}

/* there is no shorter step: names the equation or the column */
static bl_status blame(bl_integrator *integ, bl_status verdict) {
    const rosenbrock *own = integ->own;
    const bl_formulation *form = integ->form;
    char name[96] = "", equation[128] = "";
    if (!own->at.rate && own->singular && form->linsol && form->linsol->stats.ndependent > 0)
        form->kind->equation(form, form->linsol->stats.dependent[0], name, sizeof name, equation, sizeof equation);
    else if (!own->at.rate)
        bl_system_col_name(form->sys, worst_column(integ), name, sizeof name);
    if (own->singular) {
        bl_fail(integ->ctx, BL_E_NUMERIC, NULL, "the iteration matrix is singular at t = %.9g", integ->t);
        bl_advise(integ->ctx, "look for equations that determine no unknown, or a singular configuration");
    }
    bl_blame(integ->ctx, name, equation, integ->t);
    return verdict;
}

static bl_status refused(bl_integrator *integ, double error, int failures, bl_status status, double *h) {
    rosenbrock *own = integ->own;
    /* the step may be right and the tangents too old */
    own->at.tangent_known = own->at.tangent_known && (own->at.tangent_fresh || integ->form->linear);
    if (own->singular) /* no singular configuration to step over */
        status = BL_NO_CONVERGENCE;
    bl_status verdict = bl_step_control_pair(integ, false, error, failures, status, 1.0 / 3, &own->error_failed, h);
    return verdict == BL_OK || (status != BL_REJECTED && !own->singular) ? verdict : blame(integ, verdict);
}

static bl_status rosenbrock23_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    rosenbrock *own = integ->own;
    if (!accepted)
        return refused(integ, error, failures, status, h);
    own->at.tangent_fresh = false;
    own->at.tangent_known = integ->form->linear || ++own->age < own->keep;
    double ratio = SAFE * pow(error, -1.0 / 3);
    if (own->at.tangent_known && failures == 0 && integ->h_unshortened == 0 && fabs(ratio - 1) <= integrate_steady) {
        own->error_failed = false;
        return BL_OK;
    }
    return bl_step_control_pair(integ, true, error, failures, status, 1.0 / 3, &own->error_failed, h);
}

/* ---- dense output: of order 2, y + h (s (1 - s) k1 + s (s - 2 d) k2) / (1 - 2 d) */

static bl_status rosenbrock23_dense(const bl_integrator *integ, double t, double *y) {
    const rosenbrock *own = integ->own;
    const double d = 1 - 0.5 * ROOT2, s = (t - integ->t_old) / own->h, by = own->h / (1 - 2 * d);
    double b1 = by * s * (1 - s), b2 = by * s * (s - 2 * d);
    for (bl_index i = 0; i < own->at.ny; i++)
        y[i] = own->y_old[i] + b1 * own->k1[i] + b2 * own->k2[i];
    return BL_OK;
}

/* on y' = lambda y: stages k_i = lambda (y + h sum_j (a_ij + g_ij) k_j), a_21 = 1/2, g_11 = g_22 = d, g_21 = -d */
static bl_status rosenbrock23_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    const long double d = 1 - 0.707106781186547524400844362104849039L;
    *formula = (bl_formula){.shape = BL_FORMULA_RUNGE_KUTTA, .order = 2, .stages = 2, .weight = {0, 1}};
    formula->A[0][0] = formula->A[1][1] = d;
    formula->A[1][0] = 0.5L - d;
    return BL_OK;
}

static const bl_param params[] = {
    BL_JACOBIAN_PARAM,
    {.name = "keep",
     .type = BL_P_INTEGER,
     .flags = BL_POSITIVE,
     .fallback = 1,
     .help = "number of steps for which tangents are kept; constant ones are always kept"},
    {0},
};

const bl_integrator_kind bl_integrator_rosenbrock23 = {
    .kind = {.name = "rosenbrock23",
             .help = "linearly implicit pair of orders 2 and 3, L-stable, no iteration, adaptive step (ode23s)",
             .params = params,
             .needs = BL_CAN_STAGE | BL_CAN_SHIFT,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 2,
    .dense_order = 2,
    .create = rosenbrock23_create,
    .start = rosenbrock23_start,
    .attempt = rosenbrock23_attempt,
    .next_step = rosenbrock23_next_step,
    .accept = rosenbrock23_accept,
    .dense = rosenbrock23_dense,
    .formula = rosenbrock23_formula,
};
