/* Energy-momentum method (Simo and Tarnow 1992; Gonzalez 1996) and its dissipative form EDMC-1 (Armero and Romero 2001).
 *
 * Linear:     M (v1 - v0) + C (q1 - q0) + h K (q0 + (1 + chi1)/2 (q1 - q0)) = h (F0 + F1)/2
 *             q1 - q0 = h ((1 + chi2)/2 v1 + (1 - chi2)/2 v0)
 * Nonlinear:  forces of a potential by a discrete gradient from q0 to q1, so that their work is the loss of potential (plus the
 *             dissipation set by chi1); everything else at the midpoint with the velocity (q1 - q0)/h; for each point mass
 *             q1 - q0 = h (1 + e) (v1 + v0)/2,  e = chi2 (|v1| - |v0|) / (|v1| + |v0|).
 * Constraints of second degree, phi(q1) = 0 with G at the midpoint, do no work: phi(q1) - phi(q0) = G (q1 - q0). */
#include "integrate/edmc1.h"
#include "integrate/integrate_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct edmc1 {
    bl_second second; /* first member */
    double chi1, chi2;
    bool linear;
    double *moved, *stretch; /* q1 - q0 so far; 1 + e of each column */
    bl_index *group;         /* [nv] first column of the point a column belongs to */
} edmc1;

bl_status bl_edmc1_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(edmc1)));
    edmc1 *own = integ->own;
    own->chi1 = own->second.formula.parameter[0];
    own->chi2 = own->second.formula.parameter[1];
    /* errors of a slow iteration have a sign and add up to a drift of the invariants */
    if (!bl_integrator_values(integ, "newton")->given)
        own->second.implicit.newton.options.full = true;
    return BL_OK;
}

static bl_status refuse(const bl_integrator *integ, const char *why, const char *advice) {
    bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator %s %s", integ->kind->kind.name, why);
    bl_advise(integ->ctx, "%s", advice);
    return BL_E_ABILITY;
}

static bl_status check_system(const bl_integrator *integ, bool linear) {
    const bl_system *sys = integ->form->sys;
    if (integ->form->x_velocity)
        return refuse(integ, "needs positions that follow the velocities, this formulation moves them separately",
                      "use formulation index3, or plain where there are no constraints");
    if (linear)
        return BL_OK;
    if (!(sys->can & BL_CAN_DISCRETE)) {
        char why[200] = "", text[320];
        const char *advice = "for mechanisms use natural coordinates with gravity, springs between points and constant forces; else use "
                             "genalpha or hht";
        if (sys->kind->not_discrete)
            sys->kind->not_discrete(sys, why, sizeof why, &advice);
        snprintf(text, sizeof text, "needs a linear system, or one whose conservative forces are available as a discrete gradient%s%s",
                 why[0] ? ": " : "", why);
        return refuse(integ, text, advice);
    }
    if (!(sys->facts & BL_M_CONST) || (sys->np > 0 && !(sys->facts & BL_PHI_QUADRATIC)))
        return refuse(integ, "needs a constant mass matrix and quadratic constraints",
                      "use natural coordinates without angles, or genalpha or hht");
    return BL_OK;
}

/* point masses: their columns, each with the same mass on the diagonal and no other entries */
static bl_status find_points(edmc1 *own) {
    bl_integrator *integ = own->second.integ;
    const bl_system *sys = integ->form->sys;
    bl_eval *e = &integ->form->at_e;
    const char *why = "dissipates momenta of point masses only, and this system has other masses";
    const char *advice = "use energy_momentum (no dissipation), chi2=0 (dissipation by springs only), genalpha or hht";
    bl_formulation_move_to(integ->form, integ->t, integ->y, integ->y + sys->nv, integ->y + 2 * sys->nv);
    BL_TRY(bl_system_eval(sys, e, BL_M));
    double first = 0;
    for (bl_index j = 0; j < sys->nv; j++) {
        double mass = 0;
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            if (sys->pat_M.idx[k] != j && e->M[k] != 0)
                return refuse(integ, why, advice);
            mass = sys->pat_M.idx[k] == j ? e->M[k] : mass;
        }
        bool same = j > 0 && sys->col[j].owner == sys->col[j - 1].owner;
        own->group[j] = same ? own->group[j - 1] : j;
        if (sys->col[j].what != BL_COL_POINT || (same && fabs(mass - first) > integrate_equal_masses * first))
            return refuse(integ, why, advice);
        first = mass;
    }
    return BL_OK;
}

bl_status bl_edmc1_start(bl_integrator *integ) {
    edmc1 *own = integ->own;
    bl_index nv = integ->form->sys->nv;
    BL_TRY(bl_second_start(integ, (bl_array[]){BL_ARRAY(own->moved, nv), BL_ARRAY(own->stretch, nv), BL_ARRAY(own->group, nv)}, 3));
    own->linear = integ->form->linear;
    BL_TRY(check_system(integ, own->linear));
    return !own->linear && own->chi2 > 0 ? find_points(own) : BL_OK;
}

/* the stage when q1 - q0 is `moved`; v1 in y_new */
static void set_stage(edmc1 *own, double h) {
    bl_second *s = &own->second;
    bl_integrator *integ = s->integ;
    bl_implicit *at = &s->implicit;
    const double *q = integ->y, *v = q + s->nv;
    double *q1 = integ->y_new, *v1 = q1 + s->nv;
    double share = own->linear ? 0.5 * (1 + own->chi1) : 0.5, fresh = own->linear ? 0.5 * (1 + own->chi2) : 0.5;
    for (bl_index i = 0; i < s->nv; i++) {
        double rate = own->moved[i] / h;
        q1[i] = q[i] + own->moved[i];
        v1[i] = (rate / own->stretch[i] - (1 - fresh) * v[i]) / fresh;
        at->qe[i] = q[i] + share * own->moved[i];
        at->ve[i] = rate;
        at->ae[i] = (v1[i] - v[i]) / h;
    }
    bl_second_stage(s);
    bl_stage *stage = &s->stage;
    stage->tc = integ->t_new;
    stage->te = own->linear ? integ->t_new : integ->t + 0.5 * h;
    stage->ce = share;
    stage->cv = 1 / h;
    stage->cvc = 1 / (fresh * h);
    stage->ca = stage->cvc / h;
    stage->cz = 0.5;
    stage->czd = 1 / h;
    if (own->linear) {
        stage->t_other = integ->t;
        stage->w_other = 0.5;
    } else {
        stage->q_from = q;
        stage->dissipation = own->chi1;
    }
}

/* 1 + e of every point for the present q1 - q0, v1 in `v1`; returns the largest relative change of v1 from `was` */
static double find_stretch(edmc1 *own, double h, const double *was, double *v1) {
    bl_second *s = &own->second;
    const double *v = s->integ->y + s->nv;
    double worst = 0, size = 0;
    for (bl_index j = 0, end; j < s->nv; j = end) {
        double before = 0, stretch = own->stretch[j];
        for (end = j; end < s->nv && own->group[end] == j; end++)
            before = hypot(before, v[end]);
        for (int k = 0; k < integrate_stretch_rounds; k++) {
            double after = 0, old = stretch;
            for (bl_index i = j; i < end; i++)
                after = hypot(after, 2 * own->moved[i] / (h * stretch) - v[i]);
            stretch = 1 + (after + before > 0 ? own->chi2 * (after - before) / (after + before) : 0);
            if (fabs(stretch - old) <= 1e-16)
                break;
        }
        for (bl_index i = j; i < end; i++) {
            own->stretch[i] = stretch;
            v1[i] = 2 * own->moved[i] / (h * stretch) - v[i];
            worst = fmax(worst, fabs(v1[i] - was[i]));
            size = fmax(size, fmax(fabs(v[i]), fabs(v1[i])));
        }
    }
    return size > 0 ? worst / size : 0;
}

static bl_status work(edmc1 *own, double h) {
    bl_second *s = &own->second;
    bl_integrator *integ = s->integ;
    double middle = integ->t + 0.5 * h, power[2] = {0};
    if (!own->linear || !(integ->form->sys->facts & BL_Q_OF_T))
        return bl_second_work(s, middle);
    bl_stage stage = s->stage;
    stage.w_other = 0;
    for (int k = 0; k < 2; k++) {
        stage.te = k ? integ->t_new : integ->t;
        BL_TRY(bl_implicit_power(&s->implicit, &stage, &power[k]));
    }
    bl_second_work_of(s, middle, 0.5 * (power[0] + power[1]));
    return BL_OK;
}

bl_status bl_edmc1_attempt(bl_integrator *integ, double h, double *error) {
    edmc1 *own = integ->own;
    bl_second *s = &own->second;
    bl_implicit *at = &s->implicit;
    bool stretches = !own->linear && own->chi2 > 0;
    const double *v = integ->y + s->nv, *z = v + s->nv, *d, *w, *dz;
    double *q1 = integ->y_new, *v1 = q1 + s->nv, *z1 = v1 + s->nv;
    *error = 0;
    h = bl_second_step(s, h);
    for (bl_index i = 0; i < s->nv; i++) {
        own->moved[i] = s->guess_last ? 0 : h * v[i];
        own->stretch[i] = 1;
    }
    for (bl_index i = 0; i < s->nz; i++)
        z1[i] = s->guess_last ? z[i] : z[i] + h * s->zd[i];
    double apart = INFINITY;
    for (int round = 0;; round++) {
        set_stage(own, h);
        for (bl_index i = 0; i < s->nz; i++) {
            at->ze[i] = 0.5 * (z[i] + z1[i]);
            at->zde[i] = (z1[i] - z[i]) / h;
        }
        BL_TRY(bl_second_solve(s, &d, &w, &dz));
        BL_TRY(work(own, h));
        for (bl_index i = 0; i < s->nv; i++) {
            own->moved[i] += d[i];
            q1[i] += d[i];
            v1[i] += s->stage.cvc * w[i];
            s->a_new[i] = (v1[i] - v[i]) / h;
        }
        for (bl_index i = 0; i < s->nz; i++)
            z1[i] += dz[i];
        /* momenta balance with the present v1; the positions require another velocity until both agree */
        if (!stretches)
            break;
        double before = apart;
        apart = find_stretch(own, h, v1, at->ve);
        if (apart == 0 || (apart >= 0.5 * before && apart <= integrate_agree))
            break;
        if (round >= integrate_stretch_rounds)
            return BL_NO_CONVERGENCE;
    }
    for (bl_index i = 0; i < s->nz; i++)
        s->zd_new[i] = 2 * (z1[i] - z[i]) / h - s->zd[i];
    return BL_OK;
}

/* memory (d, h v) */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    double b1 = 0.5 * (1 + f->parameter[0]), b2 = 0.5 * (1 + f->parameter[1]);
    double K = Omega * Omega, C = 2 * xi * Omega, pull = C + K * b1, matrix = 1 + pull * b2;
    for (int j = 0; j < 2; j++) {
        double d = j == 0, v = j == 1, v1 = (v * (1 - pull * (1 - b2)) - K * d) / matrix;
        A[j] = d + b2 * v1 + (1 - b2) * v;
        A[2 + j] = v1;
    }
}

bl_status bl_edmc1_formula(double chi1, double chi2, bl_formula *formula) {
    int order = chi1 == 0 && chi2 == 0 ? 2 : 1;
    *formula = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = order, .k = 1, .n = 2, .amplify = amplify, .parameter = {chi1, chi2}};
    return BL_OK;
}

/* ---- the kind */

static const bl_param params[] = {
    {.name = "chi",
     .type = BL_P_NUMBER,
     .fallback = 0.11,
     .help = "dissipation of both energies, 0 (none) to 1; spectral radius for large "
             "steps (1 - chi)/(1 + chi)"},
    {.name = "chi1", .type = BL_P_NUMBER, .help = "of the potential energy (default: chi)"},
    {.name = "chi2", .type = BL_P_NUMBER, .help = "of the kinetic energy (default: chi)"},
    BL_SECOND_PARAMS(1e-14),
    {0},
};
enum { CHI, CHI1, CHI2 };

static bl_status edmc1_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    double chi1 = value[value[CHI1].given ? CHI1 : CHI].number, chi2 = value[value[CHI2].given ? CHI2 : CHI].number;
    BL_TRY(bl_second_range(ctx, kind, "chi", chi1, 0, 1, NULL));
    BL_TRY(bl_second_range(ctx, kind, "chi", chi2, 0, 1, NULL));
    return bl_edmc1_formula(chi1, chi2, formula);
}

const bl_integrator_kind bl_integrator_edmc1 = {
    .kind = {.name = "edmc1",
             .help =
                 "EDMC-1 (Armero and Romero), order 1: energy decreases, momenta are conserved; linear systems, point masses and springs",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_BETWEEN | BL_AT_POSITIONS},
    .order = 1,
    .formula = edmc1_formula,
    BL_EDMC1_SLOTS,
};
