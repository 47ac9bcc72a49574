/* Trapezoidal rule over the part gamma = 2 - sqrt(2) of a step, then BDF2 over all of it (Bank et al. 1985): one matrix I - h d J,
 * d = gamma / 2, for both; order 2, L-stable, no memory. With f = y', w = sqrt(2) / 4 and y_g at t + gamma h,
 *
 *     y_g = y + h d (f + f_g),   y_new = y + h (w f + w f_g + d f_new),   e = (I - h d J)^-1 h ((1 - 4 w) f + f_g - 2 d f_new) / 3
 *
 * e by the formula of order 3 of the same stages, filtered; dense output by the cubics of (y, f), (y_g, f_g) and (y_g, f_g), (y_new, f_new)
 * (Hosea and Shampine 1996). It is ode23tb; the trapezoidal rule alone, with its error by differences of three rates, is ode23t. */
#include "integrate/explicit.h"
#include "integrate/implicit.h"
#include "integrate/integrate_limits.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 5, MANY_ITERATIONS = 10 };

static const double ROOT2 = 1.4142135623730950488;
static const double SLACK = 0.1;          /* error that an iteration may leave, of the tolerance */
static const double NO_TOLERANCE = 1e-12; /* the same for methods with constant step */
static const double SAFE = 0.7;           /* of the next step */
static const double FURTHEST = 4;         /* rates are extrapolated over at most this many times the known interval */

typedef struct trbdf2 {
    bl_implicit implicit;
    bool trapezoidal;            /* alone, except for the first step */
    bl_index ny, n;              /* n = ny + multipliers that are predicted */
    double *y_old, *psi, *e;     /* [ny] */
    double *f, *f_new;           /* [n] rates at both ends of the step, then multipliers there */
    double *y_middle, *f_middle; /* [ny], [n] at t + gamma h */
    double *f_before;            /* [n] the same h_before ago; h_before 0: not known */
    double h, h_before;          /* h: of the last attempt */
    bool one_rule;               /* the last attempt used the trapezoidal rule alone */
    bool end_is_start;           /* f_new of the accepted step is f of the next */
    bool error_failed;           /* this step was already rejected for its error */
} trbdf2;

static bl_status create(bl_integrator *integ, bool trapezoidal) {
    trbdf2 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    own->trapezoidal = trapezoidal;
    return bl_implicit_create_adaptive(&own->implicit, integ, integ->value);
}

static bl_status trbdf2_create(bl_integrator *integ) { return create(integ, false); }
static bl_status trapezoidal_auto_create(bl_integrator *integ) { return create(integ, true); }

static bl_status trbdf2_start(bl_integrator *integ) {
    trbdf2 *own = integ->own;
    BL_TRY(bl_implicit_start(&own->implicit));
    /* multipliers of index 3 are not smooth from stage to stage: the last ones are the better guess */
    bl_index ny = own->ny = integ->ny, n = own->n = ny + (integ->form->x_velocity > 0 ? integ->form->nlambda : 0);
    BL_TRY(BL_INTEGRATOR_ARRAYS(integ, BL_ARRAY(own->y_old, ny), BL_ARRAY(own->psi, ny), BL_ARRAY(own->e, ny), BL_ARRAY(own->y_middle, ny),
                                BL_ARRAY(own->f, n), BL_ARRAY(own->f_new, n), BL_ARRAY(own->f_middle, n), BL_ARRAY(own->f_before, n)));
    bl_newton *newton = &own->implicit.newton;
    double tolerance = integ->control.tolerance, slack = newton->nx > newton->moving ? integrate_held : SLACK;
    /* where every step is accepted the steps are given, and solved like those of methods with constant step */
    newton->options.tolerance = tolerance < 1 ? slack * tolerance : NO_TOLERANCE;
    if (!(tolerance < 1) && newton->options.most < MANY_ITERATIONS)
        newton->options.most = MANY_ITERATIONS;
    own->end_is_start = own->error_failed = false;
    own->h_before = 0;
    memset(own->f, 0, (size_t)own->n * sizeof(double));
    BL_TRY(bl_implicit_rate(&own->implicit, integ->t, integ->y, own->f));
    bl_step_begin(integ, own->f, 1.0 / 3);
    return BL_OK;
}

/* ---- one step */

/* y = psi + c y' at t, with the guess f, which becomes y' and the multipliers */
static bl_status solve(bl_integrator *integ, double t, double c, double *y, double *f) {
    trbdf2 *own = integ->own;
    bl_index ny = own->ny, nv = own->implicit.nv;
    size_t multipliers = (size_t)(own->n - ny) * sizeof *f;
    double *lambda = own->implicit.newton.x + integ->form->x_lambda;
    bool linear = own->implicit.newton.linear; /* one update is the solution: start from a state without loss of digits */
    for (bl_index i = 0; i < ny; i++)
        y[i] = linear ? integ->y[i] : own->psi[i] + c * f[i];
    memcpy(lambda, f + ny, multipliers);
    BL_TRY(bl_implicit_first(&own->implicit, t, c, own->psi, y, f));
    memcpy(f + ny, lambda, multipliers);
    /* corrections of positions onto the constraints are not part of the rate */
    memcpy(f, y + nv, (size_t)nv * sizeof *f);
    return BL_OK;
}

/* the trapezoidal rule over h, with a guess by straight lines through the last two rates */
static bl_status trapezoid(bl_integrator *integ, double t, double h, double *y, double *f) {
    trbdf2 *own = integ->own;
    double ahead = own->h_before > 0 ? fmin(h / own->h_before, FURTHEST) : 0;
    for (bl_index i = 0; i < own->ny; i++)
        own->psi[i] = integ->y[i] + 0.5 * h * own->f[i];
    for (bl_index i = 0; i < own->n; i++)
        f[i] = own->f[i] + (ahead > 0 ? ahead * (own->f[i] - own->f_before[i]) : 0);
    return solve(integ, t, 0.5 * h, y, f);
}

/* y''' h^3 / 12 */
static void trapezoid_error(trbdf2 *own, double h) {
    double by = h * h * h / (6 * (h + own->h_before));
    for (bl_index i = 0; i < own->ny; i++)
        own->e[i] = by * ((own->f_new[i] - own->f[i]) / h - (own->f[i] - own->f_before[i]) / own->h_before);
}

static bl_status both_rules(bl_integrator *integ, double h) {
    trbdf2 *own = integ->own;
    const double gamma = 2 - ROOT2, d = 0.5 * gamma, w = 0.25 * ROOT2, *f = own->f, *g = own->f_middle;
    BL_TRY(trapezoid(integ, integ->t + gamma * h, gamma * h, own->y_middle, own->f_middle));
    /* guess: the slope at 1 of the cubic of both ends of [0, gamma] */
    for (bl_index i = 0; i < own->ny; i++) {
        own->psi[i] = integ->y[i] + h * w * (f[i] + g[i]);
        own->f_new[i] = (1.5 + ROOT2) * f[i] + (2.5 + 2 * ROOT2) * g[i] - (6 + 4.5 * ROOT2) * ((own->y_middle[i] - integ->y[i]) / h);
    }
    for (bl_index i = own->ny; i < own->n; i++) /* multipliers by a straight line, except at the start, where they are not known */
        own->f_new[i] = g[i] + (own->h_before > 0 ? ROOT2 / 2 * (g[i] - f[i]) : 0);
    BL_TRY(solve(integ, integ->t_new, d * h, integ->y_new, own->f_new));
    for (bl_index i = 0; i < own->ny; i++)
        own->e[i] = h * ((1 - 4 * w) * f[i] + g[i] - 2 * d * own->f_new[i]) / 3;
    return BL_OK;
}

/* e <- -(I - c J)^-1 e: damps stiff parts. By the present matrix where possible, else by a residual. */
static bl_status filter(bl_integrator *integ) {
    trbdf2 *own = integ->own;
    bl_formulation *form = integ->form;
    if (!form->kind->subtract)
        return bl_implicit_filter(&own->implicit, own->e);
    bl_index nv = own->implicit.nv, nx = form->nx;
    double *g = own->implicit.newton.x_try, *R = own->psi; /* the stages are not in use */
    memset(R, 0, (size_t)nx * sizeof *R);
    form->kind->subtract(form, own->e + nv, NULL, R);
    for (bl_index i = 0; i < nv; i++)
        g[i] = -own->e[i];
    return bl_implicit_invert(form, own->implicit.c, g, R, own->e);
}

/* rates of the accepted step become past rates */
static void carry_on(trbdf2 *own) {
    double *spare = own->f_before, **last = own->one_rule ? &own->f : &own->f_middle;
    own->h_before = own->one_rule ? own->h : (ROOT2 - 1) * own->h;
    own->f_before = *last;
    *last = spare;
    spare = own->f;
    own->f = own->f_new;
    own->f_new = spare;
    own->end_is_start = false;
}

static bl_status trbdf2_attempt(bl_integrator *integ, double h, double *error) {
    trbdf2 *own = integ->own;
    if (own->end_is_start)
        carry_on(own);
    bl_implicit_begin(&own->implicit, h);
    if (h != own->h)
        bl_newton_forget_rate(&own->implicit.newton);
    own->h = h;
    own->one_rule = own->trapezoidal && own->h_before > 0;
    integ->t_new = integ->t + h;
    bl_status status = own->one_rule ? trapezoid(integ, integ->t_new, h, integ->y_new, own->f_new) : both_rules(integ, h);
    bl_implicit_end(&own->implicit, h, status);
    BL_TRY(status);
    if (own->one_rule)
        trapezoid_error(own, h);
    status = filter(integ);
    if (status < 0)
        return status;
    *error = bl_error_norm(integ, own->e, integ->y_new) / integ->control.tolerance;
    return BL_OK;
}

static void trbdf2_accept(bl_integrator *integ) {
    trbdf2 *own = integ->own;
    bl_integrator_advance(integ, own->y_old);
    own->end_is_start = true;
}

/* ---- choice of the step */

static bl_status trbdf2_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    trbdf2 *own = integ->own;
    double tried = *h;
    if (!accepted) {
        BL_TRY(bl_implicit_refused(&own->implicit, failures, &status, h));
        if (status == BL_REJECTED && !own->error_failed)
            *h = tried * fmax(0.1, SAFE * pow(error, -1.0 / 3));
        own->error_failed |= status == BL_REJECTED;
    } else {
        double ratio = fmin(5, SAFE * pow(fmax(error, 1e-9), -1.0 / 3));
        if (integ->h_unshortened > 0)
            *h = integ->h_unshortened; /* shortened for this step only */
        else if (failures == 0 && fabs(ratio - 1) > integrate_steady)
            *h *= ratio;
        own->error_failed = false;
    }
    *h = bl_step_within(integ, *h);
    return BL_OK;
}

/* ---- dense output */

static bl_status trbdf2_dense(const bl_integrator *integ, double t, double *y) {
    const trbdf2 *own = integ->own;
    double s = (t - integ->t_old) / own->h, gamma = 2 - ROOT2;
    if (own->one_rule)
        bl_cubic(own->ny, s, own->h, own->y_old, own->f, integ->y_new, own->f_new, y);
    else if (s <= gamma)
        bl_cubic(own->ny, s / gamma, gamma * own->h, own->y_old, own->f, own->y_middle, own->f_middle, y);
    else
        bl_cubic(own->ny, (s - gamma) / (1 - gamma), (1 - gamma) * own->h, own->y_middle, own->f_middle, integ->y_new, own->f_new, y);
    return BL_OK;
}

/* ---- the kinds */

static bl_status trbdf2_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    const long double root2 = 1.41421356237309504880168872420969808L, d = 1 - root2 / 2, w = root2 / 4;
    *formula = (bl_formula){.shape = BL_FORMULA_RUNGE_KUTTA, .order = 2, .stages = 3, .weight = {w, w, d}};
    formula->A[1][0] = formula->A[1][1] = d;
    memcpy(formula->A[2], formula->weight, sizeof formula->A[2]);
    return BL_OK;
}

static bl_status trapezoidal_auto_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    return bl_integrator_trapezoidal.formula(kind, ctx, value, formula);
}

static void trbdf2_destroy(bl_integrator *integ) { bl_implicit_destroy(&((trbdf2 *)integ->own)->implicit); }

static const bl_param params[] = {BL_NEWTON_PARAMS_MOST(ITERATIONS), {0}};

#define TRBDF2_SLOTS                                                                                               \
    .order = 2, .dense_order = 2, .start = trbdf2_start, .attempt = trbdf2_attempt, .next_step = trbdf2_next_step, \
    .accept = trbdf2_accept, .dense = trbdf2_dense, .destroy = trbdf2_destroy

const bl_integrator_kind bl_integrator_trbdf2 = {
    .kind = {.name = "trbdf2",
             .help = "trapezoidal rule and BDF2 in every step, order 2, L-stable, adaptive step (ode23tb)",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_ADAPTIVE | BL_DENSE},
    TRBDF2_SLOTS,
    .create = trbdf2_create,
    .formula = trbdf2_formula,
};

const bl_integrator_kind bl_integrator_trapezoidal_auto = {
    .kind = {.name = "trapezoidal_auto",
             .help = "trapezoidal rule, order 2, A-stable, undamped, adaptive step (ode23t)",
             .params = params,
             .needs = BL_CAN_STAGE | BL_CAN_SHIFT, /* reactions of constraints would alternate */
             .gives = BL_ADAPTIVE | BL_DENSE | BL_UNDAMPED},
    TRBDF2_SLOTS,
    .create = trapezoidal_auto_create,
    .formula = trapezoidal_auto_formula,
};
