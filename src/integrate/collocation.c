/* Collocation (Hilber and Hughes 1978), which contains Wilson's theta method (beta = 1/6, gamma = 1/2): equilibrium at t0 + theta h,
 *
 *     q_th = q0 + th h v0 + (th h)^2 ((1/2 - beta) a0 + beta a_th)      v_th = v0 + th h ((1 - gamma) a0 + gamma a_th)
 *     a_th = (1 - th) a0 + th a1,   load F_th = (1 - th) F0 + th F1
 *
 * and then Newmark's formulas with a1 over the step h. Constraints hold at the collocation points: at the ends they would turn the
 * method into Newmark's with the same beta, which is unstable there; where they depend on time, F_th is the load at t0 + theta h. States:
 * the same with z' for a. */
#include "integrate/collocation.h"

#include <math.h>

typedef struct collocation {
    bl_second second; /* first member */
    double beta, gamma, theta;
} collocation;

static void warn(bl_context *ctx, const char *kind, const collocation *n) {
    double th = n->theta, most = th / (2 * (th + 1)), least = (2 * th * th - 1) / (4 * (2 * th * th * th - 1)), slack = 1e-6;
    if (n->gamma < 0.5 - slack)
        bl_warn(ctx, NAN, NULL, "integrator %s: gamma = %g is below 1/2: oscillations grow at every step size", kind, n->gamma);
    else if (n->gamma > 0.5 + slack)
        bl_warn(ctx, NAN, NULL, "integrator %s: gamma = %g is above 1/2: the method has order 1", kind, n->gamma);
    if (!(n->beta >= least - slack && n->beta <= most + slack))
        bl_warn(ctx, NAN, NULL, "integrator %s: beta = %g is not stable for every step; with theta = %g use a value between %.6g and %.6g",
                kind, n->beta, th, least, most);
}

bl_status bl_collocation_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(collocation)));
    collocation *own = integ->own;
    own->beta = own->second.formula.parameter[0];
    own->gamma = own->second.formula.parameter[1];
    own->theta = own->second.formula.parameter[2];
    warn(integ->ctx, integ->kind->kind.name, own);
    return BL_OK;
}

bl_status bl_collocation_attempt(bl_integrator *integ, double h, double *error) {
    collocation *own = integ->own;
    bl_second *s = &own->second;
    bl_implicit *at = &s->implicit;
    h = bl_second_step(s, h);
    double beta = own->beta, gamma = own->gamma, th = own->theta, H = th * h;
    const double *q = integ->y, *v = q + s->nv, *z = v + s->nv, *a = s->a, *zd = s->zd, *d, *w, *dz;
    double *q1 = integ->y_new, *v1 = q1 + s->nv, *z1 = v1 + s->nv;
    *error = 0;
    for (bl_index i = 0; i < s->nv; i++) {
        double a_th = s->guess_last ? -(v[i] / H + (0.5 - beta) * a[i]) / beta : a[i];
        at->ae[i] = a_th;
        at->ve[i] = v[i] + H * ((1 - gamma) * a[i] + gamma * a_th);
        at->qe[i] = s->guess_last ? q[i] : q[i] + H * (v[i] + 0.5 * H * a[i]);
    }
    for (bl_index i = 0; i < s->nz; i++) {
        at->zde[i] = s->guess_last ? -(1 - gamma) / gamma * zd[i] : zd[i];
        at->ze[i] = s->guess_last ? z[i] : z[i] + H * zd[i];
    }
    bl_second_stage(s);
    bl_stage *stage = &s->stage;
    /* the load between its values at both ends, extrapolated: theta times the one at t1. Where constraints depend on time, so do the
     * directions of their forces: these belong to the time of the positions, and the load is taken there too */
    bool driven = integ->form->sys->np > 0 && (integ->form->sys->facts & BL_RHEONOMIC);
    stage->tc = integ->t + H;
    stage->te = driven ? stage->tc : integ->t_new;
    stage->t_other = integ->t;
    stage->w_other = driven ? 0 : 1 - th;
    stage->ce = 1;
    stage->cv = stage->cvc = gamma / (beta * H);
    stage->ca = 1 / (beta * H * H);
    stage->czd = 1 / (gamma * H);
    stage->qc = at->qe;
    stage->vc = at->ve;
    BL_TRY(bl_second_solve(s, &d, &w, &dz));
    BL_TRY(bl_second_work(s, integ->t + H));
    for (bl_index i = 0; i < s->nv; i++) {
        double a1 = a[i] + (at->ae[i] + stage->ca * w[i] - a[i]) / th;
        double apart = d[i] - w[i]; /* displacement of positions alone by a stabilized formulation */
        q1[i] = q[i] + h * (v[i] + h * ((0.5 - beta) * a[i] + beta * a1)) + apart;
        v1[i] = v[i] + h * ((1 - gamma) * a[i] + gamma * a1);
        s->a_new[i] = a1;
    }
    for (bl_index i = 0; i < s->nz; i++) {
        double zd1 = zd[i] + (at->zde[i] + stage->czd * dz[i] - zd[i]) / th;
        z1[i] = z[i] + h * ((1 - gamma) * zd[i] + gamma * zd1);
        s->zd_new[i] = zd1;
    }
    return BL_OK;
}

/* memory (d, h v, h^2 a); columns by stepping each unit vector */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    double beta = f->parameter[0], gamma = f->parameter[1], th = f->parameter[2];
    double K = Omega * Omega, C = 2 * xi * Omega, matrix = 1 + C * gamma * th + K * beta * th * th;
    for (int j = 0; j < 3; j++) {
        double d = j == 0, v = j == 1, a = j == 2;
        double dp = d + th * (v + th * (0.5 - beta) * a), vp = v + th * (1 - gamma) * a;
        double a1 = a + (-(C * vp + K * dp) / matrix - a) / th;
        A[j] = d + v + (0.5 - beta) * a + beta * a1;
        A[3 + j] = v + (1 - gamma) * a + gamma * a1;
        A[6 + j] = a1;
    }
}

bl_status bl_collocation_formula(const bl_integrator_kind *kind, bl_context *ctx, double beta, double gamma, double theta,
                                 bl_formula *formula) {
    BL_TRY(bl_second_range(ctx, kind, "beta", beta, 1e-6, 1e6, NULL));
    BL_TRY(bl_second_range(ctx, kind, "gamma", gamma, 1e-6, 1e6, NULL));
    BL_TRY(bl_second_range(ctx, kind, "theta", theta, 1, 1e3, theta < 1 ? "theta = 1 is Newmark's method" : NULL));
    int order = fabs(gamma - 0.5) < 1e-12 ? 2 : 1;
    *formula =
        (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = order, .k = 1, .n = 3, .amplify = amplify, .parameter = {beta, gamma, theta}};
    return BL_OK;
}

/* ---- the kind */

static const bl_param params[] = {
    {.name = "beta", .type = BL_P_NUMBER, .fallback = 0.16, .help = "share of the collocated acceleration in the position"},
    {.name = "gamma", .type = BL_P_NUMBER, .fallback = 0.5, .help = "share of it in the velocity; 1/2: order 2"},
    {.name = "theta",
     .type = BL_P_NUMBER,
     .fallback = 1.514951,
     .help = "time at which equilibrium holds, in steps; 1 is Newmark's method"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { BETA, GAMMA, THETA };

static bl_status collocation_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    return bl_collocation_formula(kind, ctx, value[BETA].number, value[GAMMA].number, value[THETA].number, formula);
}

const bl_integrator_kind bl_integrator_collocation = {
    .kind = {.name = "collocation",
             .help = "equilibrium collocated beyond the step (Hilber and Hughes), order 2",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER},
    .formula = collocation_formula,
    BL_COLLOCATION_SLOTS,
};
