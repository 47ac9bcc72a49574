/* EDMC-2 for linear systems (Armero and Romero 2001): order 2, annihilates high frequencies. With auxiliary qt, vt,
 *
 *     M (v1 - v0) + C (q1 - q0) + h/2 K (q1 + qt) = h F        q1 = q0 + h/2 (v1 + vt)
 *     M (vt - v0) + h a K (qt - q1) = 0                        qt = q0 + h a (vt - v1)
 *
 * and F the mean of both ends. Unknowns x = q1 - q0 and y = h (vt - v1)/2, so that v1 = (x - y)/h, vt = (x + y)/h, qt = q0 + 2 a y:
 *
 *     [ M + h C + h^2/2 K    -M + a h^2 K    ] [x]   [ h M v0 + h^2 (F - K q0) ]
 *     [ M - a h^2 K           M + 2 a^2 h^2 K ] [y] = [ h M v0                  ]                one factorisation while h stays */
#include "integrate/second.h"

#include "sparse/sparse.h"

#include <string.h>

typedef struct edmc2 {
    bl_second second; /* first member */
    double alpha;
    bl_pattern pattern;
    bl_linsol *solver;
    bl_index *slot, *slot_M, *slot_C, *slot_K; /* four places of each entry of M, one of C, four of K */
    double *values, *x, *force;
    double h; /* of the factors; 0: none */
} edmc2;

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = 0.5, .help = "dissipation, 0: none"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { ALPHA, SHARED };

static bl_status check(bl_context *ctx, const bl_value *value) {
    return bl_second_range(ctx, "edmc2", "alpha", value[ALPHA].number, 0, 1e3, NULL);
}

static bl_status edmc2_create(bl_integrator *integ) {
    BL_TRY(check(integ->ctx, integ->value));
    edmc2 *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    own->alpha = integ->value[ALPHA].number;
    return bl_second_create(&own->second, integ, integ->value + SHARED);
}

static void drop_matrix(edmc2 *own, bl_context *ctx) {
    bl_linsol_destroy(own->solver);
    own->solver = NULL;
    bl_pattern_free(ctx, &own->pattern);
    bl_free(ctx, own->slot);
    bl_free(ctx, own->values);
    own->slot = NULL;
    own->values = NULL;
    own->h = 0;
}

/* pairs of one matrix in the four blocks, or in the first alone */
static bl_index add_pairs(const bl_pattern *p, bl_index nv, bool all, bl_index *row, bl_index *col, bl_index at) {
    for (bl_index j = 0; j < nv; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            for (int block = 0; block < (all ? 4 : 1); block++) {
                row[at] = p->idx[k] + (block & 2 ? nv : 0);
                col[at++] = j + (block & 1 ? nv : 0);
            }
    return at;
}

static bl_status make_matrix(edmc2 *own) {
    bl_integrator *integ = own->second.integ;
    const bl_system *sys = integ->form->sys;
    bl_context *ctx = integ->ctx;
    bl_index nv = sys->nv, nM = sys->pat_M.ptr[nv], nC = sys->pat_C.ptr[nv], nK = sys->pat_K.ptr[nv], most = 4 * nM + nC + 4 * nK;
    drop_matrix(own, ctx);
    BL_TRY(BL_NEW(ctx, own->slot, most));
    own->slot_M = own->slot;
    own->slot_C = own->slot_M + 4 * nM;
    own->slot_K = own->slot_C + nC;
    bl_index *row;
    BL_TRY(BL_NEW(ctx, row, 2 * (size_t)most));
    bl_index *col = row + most, at = add_pairs(&sys->pat_M, nv, true, row, col, 0);
    at = add_pairs(&sys->pat_C, nv, false, row, col, at);
    at = add_pairs(&sys->pat_K, nv, true, row, col, at);
    bl_status status = bl_pattern_build(ctx, 2 * nv, 2 * nv, at, row, col, &own->pattern, own->slot);
    bl_free(ctx, row);
    BL_TRY(status);
    size_t nnz = (size_t)own->pattern.ptr[2 * nv];
    BL_TRY(BL_NEW(ctx, own->values, nnz + 3 * (size_t)nv));
    own->x = own->values + nnz;
    own->force = own->x + 2 * nv;
    BL_TRY(bl_linsol_create(ctx, integ->form->linsol_spec, &own->solver));
    return bl_linsol_analyze(own->solver, &own->pattern, NULL, BL_REFUSE, 1e-14);
}

static bl_status edmc2_start(bl_integrator *integ) {
    edmc2 *own = integ->own;
    bl_second *s = &own->second;
    const bl_system *sys = integ->form->sys;
    bl_index nv = s->nv;
    BL_TRY(bl_second_start(s));
    if (!integ->form->linear || sys->np > 0 || sys->nz > 0) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator edmc2 is made for linear systems M q'' + C q' + K q = F(t)%s",
                sys->np > 0   ? ", this one has constraints"
                : sys->nz > 0 ? ", this one has first-order states"
                              : ", this one is not linear");
        bl_advise(integ->ctx, "choose genalpha or hht; energy_momentum and edmc1 take springs in natural coordinates");
        return BL_E_ABILITY;
    }
    return own->solver && nv == s->nv ? BL_OK : make_matrix(own);
}

static bl_status factor(edmc2 *own, double h) {
    bl_formulation *form = own->second.integ->form;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    double a = own->alpha, hh = h * h;
    const double of_M[4] = {1, -1, 1, 1}, of_K[4] = {0.5 * hh, a * hh, -a * hh, 2 * a * a * hh};
    form->stats.tangents++;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_KC));
    memset(own->values, 0, (size_t)own->pattern.ptr[2 * sys->nv] * sizeof(double));
    for (bl_index k = 0; k < sys->pat_M.ptr[sys->nv]; k++)
        for (int block = 0; block < 4; block++)
            own->values[own->slot_M[4 * k + block]] += of_M[block] * e->M[k];
    for (bl_index k = 0; k < sys->pat_C.ptr[sys->nv]; k++)
        own->values[own->slot_C[k]] += h * e->C[k];
    for (bl_index k = 0; k < sys->pat_K.ptr[sys->nv]; k++)
        for (int block = 0; block < 4; block++)
            own->values[own->slot_K[4 * k + block]] += of_K[block] * e->K[k];
    own->h = 0;
    form->stats.factors++;
    BL_TRY(bl_linsol_factor(own->solver, own->values));
    own->h = h;
    return BL_OK;
}

/* force and power: the mean of both ends of the step at a place */
static bl_status mean_force(edmc2 *own, const double *q, const double *v, double *power) {
    bl_integrator *integ = own->second.integ;
    bl_formulation *form = integ->form;
    int times = form->sys->facts & BL_Q_OF_T ? 2 : 1;
    memset(own->force, 0, (size_t)form->sys->nv * sizeof(double));
    *power = 0;
    for (int k = 0; k < times; k++) {
        bl_formulation_place(form, k ? integ->t_new : integ->t, q, v);
        BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_Q));
        form->stats.evaluations++;
        for (bl_index i = 0; i < form->sys->nv; i++)
            own->force[i] += form->at_e.Q[i] / times;
        *power += form->at_e.power / times;
    }
    return BL_OK;
}

static bl_status edmc2_attempt(bl_integrator *integ, double h, double *error) {
    edmc2 *own = integ->own;
    bl_second *s = &own->second;
    bl_formulation *form = integ->form;
    bl_index nv = s->nv;
    const double *q = integ->y, *v = q + nv;
    double *q1 = integ->y_new, *v1 = q1 + nv, *x = own->x, power;
    *error = 0;
    h = bl_second_step(s, h);
    size_t bytes = (size_t)nv * sizeof(double);
    memset(v1, 0, bytes); /* forces at rest: F - K q0 */
    BL_TRY(mean_force(own, q, v1, &power));
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_M));
    memset(x, 0, bytes);
    bl_csc_multiply(&form->sys->pat_M, form->at_e.M, v, x);
    for (bl_index i = 0; i < nv; i++) {
        x[nv + i] = h * x[i];
        x[i] = h * (x[i] + h * own->force[i]);
    }
    if (own->h != h)
        BL_TRY(factor(own, h));
    form->stats.solves++;
    BL_TRY(bl_linsol_solve(own->solver, false, 1, x));
    BL_TRY(bl_check_finite(integ->ctx, "position", integ->t_new, 2 * nv, x));
    /* power at the midpoint, with the mean of the loads */
    for (bl_index i = 0; i < nv; i++) {
        q1[i] = q[i] + 0.5 * x[i];
        v1[i] = x[i] / h;
    }
    power = 0;
    if (form->sys->can & BL_CAN_ENERGY)
        BL_TRY(mean_force(own, q1, v1, &power));
    bl_second_work_of(s, integ->t + 0.5 * h, power);
    for (bl_index i = 0; i < nv; i++) {
        q1[i] = q[i] + x[i];
        v1[i] = (x[i] - x[nv + i]) / h;
        s->a_new[i] = (v1[i] - v[i]) / h;
    }
    return BL_OK;
}

static bl_status edmc2_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    edmc2 *own = integ->own;
    (void)error;
    return bl_second_next_step(&own->second, accepted, failures, status, h);
}

static void edmc2_accept(bl_integrator *integ) {
    edmc2 *own = integ->own;
    bl_second_accept(&own->second);
}

static bl_status edmc2_dense(const bl_integrator *integ, double t, double *y) {
    const edmc2 *own = integ->own;
    return bl_second_dense(&own->second, t, y);
}

static void edmc2_destroy(bl_integrator *integ) {
    edmc2 *own = integ->own;
    if (!own)
        return;
    drop_matrix(own, integ->ctx);
    bl_second_destroy(&own->second);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

/* memory (d, h v): the scheme for one oscillator with h = 1, by Cramer's rule */
static void amplify(const bl_formula *f, double Omega, double xi, double *A) {
    double a = f->parameter[0], K = Omega * Omega, C = 2 * xi * Omega;
    double m11 = 1 + C + 0.5 * K, m12 = -1 + a * K, m21 = 1 - a * K, m22 = 1 + 2 * a * a * K, det = m11 * m22 - m12 * m21;
    for (int j = 0; j < 2; j++) {
        double d = j == 0, v = j == 1, r1 = v - K * d, r2 = v;
        double x = (r1 * m22 - m12 * r2) / det, y = (m11 * r2 - m21 * r1) / det;
        A[j] = d + x;
        A[2 + j] = x - y;
    }
}

static bl_status edmc2_formula(bl_context *ctx, const bl_value *value, bl_formula *formula) {
    BL_TRY(check(ctx, value));
    *formula = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = 2, .k = 1, .n = 2, .amplify = amplify};
    formula->parameter[0] = value[ALPHA].number;
    return BL_OK;
}

const bl_integrator_kind bl_integrator_edmc2 = {
    .kind = {.name = "edmc2",
             .help = "EDMC-2 (Armero and Romero), order 2, annihilates high frequencies; linear systems only",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_BETWEEN},
    .order = 2,
    .dense_order = 2,
    .create = edmc2_create,
    .start = edmc2_start,
    .attempt = edmc2_attempt,
    .next_step = edmc2_next_step,
    .accept = edmc2_accept,
    .dense = edmc2_dense,
    .formula = edmc2_formula,
    .destroy = edmc2_destroy,
};
