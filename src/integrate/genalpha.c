/* The generalized-alpha method (Chung and Hulbert 1993), which contains Newmark (1959), Hilber, Hughes and Taylor (1977) and Wood, Bossak
 * and Zienkiewicz (1981):
 *
 *     q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1)        v1 = v0 + h ((1 - gamma) a0 + gamma a1)
 *     equilibrium with the acceleration (1 - am) a1 + am a0   at q, v, t between the ends: (1 - af) x1 + af x0
 *
 * Where positions are not a vector space the sums of q are increments from q0, q1 = q0 (+) (...), also at the time of equilibrium (Bruls
 * and Cardona 2010). States by the first-order form (Jansen, Whiting and Hulbert 2000) with the same numbers. a is the method's own
 * variable. */
#include "integrate/genalpha.h"

#include <math.h>
#include <string.h>

typedef struct genalpha {
    bl_second second; /* first member */
    bl_genalpha_numbers n;
    bool warned;
} genalpha;

/* largest stable h omega of an undamped oscillator: det(A) = 1 at eigenvalue -1; infinity when there is none */
static double critical(const bl_genalpha_numbers *n) {
    /* r = -1 in the difference equation sum a_i r^i = -Omega^2 sum b_i r^i */
    double a = 4 * (2 * n->am - 1);
    double b = 2 * (1 - 2 * n->af) * (n->gamma - 2 * n->beta);
    double squared = b != 0 ? -a / b : INFINITY;
    return squared > 0 ? sqrt(squared) : INFINITY;
}

static void warn(bl_context *ctx, const char *kind, const bl_genalpha_numbers *n) {
    const double slack = 1e-12;
    double order = n->gamma - (0.5 - n->am + n->af);
    if (order < -slack)
        bl_warn(ctx, NAN, NULL, "integrator %s: gamma = %g is below 1/2 - am + af = %g: oscillations grow at every step size", kind,
                n->gamma, n->gamma - order);
    else if (!(n->am <= n->af + slack && n->af <= 0.5 + slack && n->beta >= 0.25 + 0.5 * (n->af - n->am) - slack) ||
             n->gamma > 2 * n->beta + slack)
        bl_warn(
            ctx, NAN, NULL,
            "integrator %s: am = %g, af = %g, beta = %g, gamma = %g are not stable for every step (am <= af <= 1/2, beta >= 1/4 + (af - "
            "am)/2); undamped oscillations need h omega < %.6g",
            kind, n->am, n->af, n->beta, n->gamma, critical(n));
    if (order > slack)
        bl_warn(ctx, NAN, NULL, "integrator %s: gamma = %g is above 1/2 - am + af = %g: the method has order 1", kind, n->gamma,
                n->gamma - order);
}

bl_status bl_genalpha_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(genalpha)));
    genalpha *own = integ->own;
    const double *p = own->second.formula.parameter;
    own->n = (bl_genalpha_numbers){p[0], p[1], p[2], p[3]};
    warn(integ->ctx, integ->kind->kind.name, &own->n);
    return BL_OK;
}

bl_status bl_genalpha_start(bl_integrator *integ) {
    genalpha *own = integ->own;
    const bl_formulation *form = integ->form;
    /* with the positions given, (v, a) normal to the constraints have the double eigenvalue (gamma - 3/2) / (gamma + 1/2), or det > 1 */
    if (form->sys->np > 0 && form->x_velocity == 0 && !form->kind->settle && own->n.gamma < 0.5 + 1e-9 && !own->warned) {
        own->warned = true;
        bl_warn(integ->ctx, NAN, NULL,
                "integrator %s without dissipation is unstable with formulation %s: "
                "accelerations normal to the constraints grow from step to step; use genalpha with rho < 1, hht, or energy_momentum",
                integ->kind->kind.name, form->kind->kind.name);
    }
    return bl_second_start_alone(integ);
}

/* Where one update is the solution any guess will do: one without acceleration at the end saves a product with the mass, if equilibrium
 * does not use the old one either (its part of ae is then zero since the start). */
static void guess_linear(bl_second *s, const bl_genalpha_numbers *n, double h) {
    const double *q = s->integ->y, *v = q + s->nq, *z = v + s->nv, *a = s->a, *zd = s->zd;
    double *q1 = s->integ->y_new, *v1 = q1 + s->nq, *z1 = v1 + s->nv;
    bl_implicit *at = &s->implicit;
    double by_a = h * h * (0.5 - n->beta), v_by_a = h * (1 - n->gamma), part = 1 - n->af;
    const bl_vector_kernels *vectors = at->newton.vectors;
    vectors->predict(s->nv, h, by_a, v_by_a, q, v, a, q1, v1);
    if (n->af != 0)
        vectors->predict(s->nv, part * h, part * by_a, part * v_by_a, q, v, a, at->qe, at->ve);
    for (bl_index i = 0; i < s->nv && n->am != 0; i++)
        at->ae[i] = n->am * a[i];
    for (bl_index i = 0; i < s->nz; i++) {
        z1[i] = z[i] + h * (1 - n->gamma) * zd[i];
        at->ze[i] = z[i] + part * (z1[i] - z[i]);
        at->zde[i] = n->am * zd[i];
        s->zd_new[i] = 0;
    }
}

/* end values at the guess, and from them the stage: y_new, a_new, zd_new and qe, ve, ae, ze, zde */
static bl_status guess(bl_second *s, const bl_genalpha_numbers *n, double h) {
    const double *y = s->integ->y, *v = y + s->nq, *z = v + s->nv, *a = s->a, *zd = s->zd;
    double *q1 = s->integ->y_new, *v1 = q1 + s->nq, *z1 = v1 + s->nv, *a1 = s->a_new, *zd1 = s->zd_new;
    bl_implicit *at = &s->implicit;
    bool curved = !(s->integ->form->sys->facts & BL_FLAT), last = s->guess_last || curved;
    for (bl_index i = 0; i < s->nv; i++) {
        s->increment[i] = last ? 0 : h * (v[i] + 0.5 * h * a[i]);
        a1[i] = last ? -(v[i] / h + (0.5 - n->beta) * a[i]) / n->beta : a[i];
        v1[i] = v[i] + h * ((1 - n->gamma) * a[i] + n->gamma * a1[i]);
        at->ve[i] = (1 - n->af) * v1[i] + n->af * v[i];
        at->ae[i] = (1 - n->am) * a1[i] + n->am * a[i];
    }
    for (bl_index i = 0; i < s->nz; i++) {
        zd1[i] = last ? -(1 - n->gamma) / n->gamma * zd[i] : zd[i];
        z1[i] = last ? z[i] : z[i] + h * zd[i];
        at->ze[i] = (1 - n->af) * z1[i] + n->af * z[i];
        at->zde[i] = (1 - n->am) * zd1[i] + n->am * zd[i];
    }
    if (curved) { /* all increments are from the last position, and begin with the guess */
        const bl_formulation *form = s->integ->form;
        memset(s->start, 0, (size_t)(2 * s->nv + s->nz) * sizeof *s->start);
        for (bl_index i = 0; i < s->nv && !s->guess_last; i++)
            s->start[i] = s->start[form->x_velocity + i] = h * (v[i] + 0.5 * h * a[i]);
        for (bl_index i = 0; i < s->nz && !s->guess_last; i++)
            s->start[s->nv + i] = h * zd[i];
        at->newton.start = s->start;
    }
    BL_TRY(bl_second_move(s, y, 1, s->increment, q1));
    return bl_second_move(s, y, 1 - n->af, s->increment, at->qe);
}

/* moves the stage by its increments: y_new, at which its constraints begin, has been moved by them */
static bl_status apply_increments(bl_second *s) {
    bl_implicit *at = &s->implicit;
    const bl_stage *stage = &s->stage;
    double *x = at->newton.x;
    BL_TRY(bl_second_move(s, at->qe, stage->ce, x, at->qe));
    for (bl_index i = 0; i < s->nv; i++) {
        at->ve[i] += stage->cv * x[i];
        at->ae[i] += stage->ca * x[i];
    }
    for (bl_index i = 0; i < s->nz; i++) {
        at->ze[i] += stage->cz * x[s->nv + i];
        at->zde[i] += stage->czd * x[s->nv + i];
    }
    memset(x, 0, (size_t)at->newton.moving * sizeof *x);
    return BL_OK;
}

bl_status bl_genalpha_step(bl_second *s, const bl_genalpha_numbers *n, double h) {
    bl_integrator *integ = s->integ;
    h = bl_second_step(s, h);
    double to_v = n->gamma / (n->beta * h), to_a = 1 / (n->beta * h * h), to_zd = 1 / (n->gamma * h);
    const double *d, *w, *dz;
    bool linear = s->implicit.newton.linear && (integ->form->sys->facts & BL_FLAT);
    if (linear)
        guess_linear(s, n, h);
    else
        BL_TRY(guess(s, n, h));
    bl_second_stage(s);
    bl_stage *stage = &s->stage;
    stage->coasting = linear && n->am == 0;
    if (linear && n->af == 0) { /* equilibrium at the end */
        stage->qe = stage->qc;
        stage->ve = stage->vc;
    }
    stage->te = integ->t + (1 - n->af) * h;
    stage->tc = integ->t_new;
    stage->ce = stage->cz = 1 - n->af;
    stage->cv = (1 - n->af) * to_v;
    stage->ca = (1 - n->am) * to_a;
    stage->cvc = to_v;
    stage->czd = (1 - n->am) * to_zd;
    BL_TRY(bl_second_solve(s, &d, &w, &dz));
    BL_TRY(bl_second_work(s, stage->te));
    double *q1 = integ->y_new, *v1 = q1 + s->nq;
    if (linear)
        s->implicit.newton.vectors->update(s->nv, to_v, to_a, d, q1, v1, s->a_new);
    else
        BL_TRY(bl_second_move(s, q1, 1, d, q1));
    bl_second_follow(s, to_v, to_a, to_zd, linear ? NULL : w, dz);
    bl_formulation *form = integ->form;
    if (!form->kind->settle)
        return BL_OK;
    BL_TRY(apply_increments(s));
    return form->kind->settle(form, stage, s->implicit.newton.x, q1, v1, s->a_new);
}

bl_status bl_genalpha_attempt(bl_integrator *integ, double h, double *error) {
    genalpha *own = integ->own;
    *error = 0;
    return bl_genalpha_step(&own->second, &own->n, h);
}

/* memory (d, h v, h^2 a); columns by stepping each unit vector */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    double am = f->parameter[0], af = f->parameter[1], beta = f->parameter[2], gamma = f->parameter[3];
    double K = Omega * Omega, C = 2 * xi * Omega, matrix = 1 - am + (1 - af) * (C * gamma + K * beta);
    for (int j = 0; j < 3; j++) {
        double d = j == 0, v = j == 1, a = j == 2, dp = d + v + (0.5 - beta) * a, vp = v + (1 - gamma) * a;
        double a1 = -(am * a + C * ((1 - af) * vp + af * v) + K * ((1 - af) * dp + af * d)) / matrix;
        A[j] = dp + beta * a1;
        A[3 + j] = vp + gamma * a1;
        A[6 + j] = a1;
    }
}

bl_status bl_genalpha_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_genalpha_numbers *n, bl_formula *formula) {
    const char *advice = "the integrator central is the explicit method with beta = 0";
    BL_TRY(bl_second_range(ctx, kind, "am", n->am, -1e6, 0.999, NULL));
    BL_TRY(bl_second_range(ctx, kind, "af", n->af, -1e6, 0.999, NULL));
    BL_TRY(bl_second_range(ctx, kind, "gamma", n->gamma, 1e-6, 1e6, NULL));
    BL_TRY(bl_second_range(ctx, kind, "beta", n->beta, 1e-6, 1e6, n->beta == 0 ? advice : NULL));
    int order = fabs(n->gamma - (0.5 - n->am + n->af)) < 1e-12 ? 2 : 1;
    *formula = (bl_formula){
        .shape = BL_FORMULA_OSCILLATOR, .order = order, .k = 1, .n = 3, .amplify = amplify, .parameter = {n->am, n->af, n->beta, n->gamma}};
    return BL_OK;
}

/* ---- the kind */

static const bl_param params[] = {
    {.name = "rho",
     .type = BL_P_NUMBER,
     .fallback = 0.8,
     .help = "spectral radius for large steps, 0 to 1: 1 preserves, 0 removes high frequencies"},
    {.name = "am", .type = BL_P_NUMBER, .help = "weight of the old acceleration (default: from rho)"},
    {.name = "af", .type = BL_P_NUMBER, .help = "weight of the old state (default: from rho)"},
    {.name = "gamma", .type = BL_P_NUMBER, .help = "default 1/2 - am + af: order 2"},
    {.name = "beta", .type = BL_P_NUMBER, .help = "default (1 - am + af)^2 / 4: most dissipation"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { RHO, AM, AF, GAMMA, BETA };

static bl_status genalpha_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    double rho = value[RHO].number;
    bool own = value[AM].given || value[AF].given;
    if (own && value[RHO].given) {
        bl_fail(ctx, BL_E_ARG, NULL, "integrator genalpha: rho cannot be given together with am or af");
        bl_advise(ctx, "give only rho, or only am and af");
        return BL_E_ARG;
    }
    BL_TRY(bl_second_range(ctx, kind, "rho", rho, 0, 1, NULL));
    bl_genalpha_numbers n = {.am = own ? value[AM].number : (2 * rho - 1) / (rho + 1), .af = own ? value[AF].number : rho / (rho + 1)};
    n.gamma = value[GAMMA].given ? value[GAMMA].number : 0.5 - n.am + n.af;
    n.beta = value[BETA].given ? value[BETA].number : 0.25 * (1 - n.am + n.af) * (1 - n.am + n.af);
    return bl_genalpha_formula(kind, ctx, &n, formula);
}

const bl_integrator_kind bl_integrator_genalpha = {
    .kind = {.name = "genalpha",
             .help = "generalized-alpha method (Chung and Hulbert), order 2, adjustable damping of high frequencies",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_ON_GROUPS},
    .create = bl_genalpha_create,
    .formula = genalpha_formula,
    BL_GENALPHA_SLOTS,
};
