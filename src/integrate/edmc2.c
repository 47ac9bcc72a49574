/* EDMC-2 for linear systems (Armero and Romero 2001): order 2, annihilates high frequencies. With auxiliary qt, vt,
 *
 *     M (v1 - v0) + C (q1 - q0) + h/2 K (q1 + qt) = h F        q1 = q0 + h/2 (v1 + vt)
 *     M (vt - v0) + h a K (qt - q1) = 0                        qt = q0 + h a (vt - v1)
 *
 * and F the mean of both ends. Unknowns x = q1 - q0 and y = h (vt - v1)/2, so that v1 = (x - y)/h, vt = (x + y)/h, qt = q0 + 2 a y:
 *
 *     [ M + h C + h^2/2 K    -M + a h^2 K    ] [x]   [ h M v0 + h^2 (F - K q0) ]
 *     [ M - a h^2 K           M + 2 a^2 h^2 K ] [y] = [ h M v0                  ]                one factorization while h is constant */
#include "integrate/integrate_limits.h"
#include "integrate/second_order.h"

#include "sparse/sparse.h"

#include <string.h>

typedef struct edmc2 {
    bl_second second; /* first member */
    double alpha;
    bl_pattern pattern;
    bl_linsol *solver;
    bl_index *slot, at_C, at_K; /* indices in values: four for each entry of M; from at_C on one for C; from at_K on four for K */
    double *values, *x, *force;
    double h; /* of the factors; 0: none */
} edmc2;

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = 0.5, .help = "dissipation, 0: none"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { ALPHA };

static bl_status edmc2_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(edmc2)));
    ((edmc2 *)integ->own)->alpha = integ->value[ALPHA].number;
    return BL_OK;
}

/* pairs of one matrix in the four blocks, or in the first only */
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
    bl_index nv = sys->nv, most = 4 * sys->pat_M.ptr[nv] + sys->pat_C.ptr[nv] + 4 * sys->pat_K.ptr[nv];
    BL_TRY(BL_ARENA_NEW(&integ->arena, own->slot, most));
    void *pairs = NULL;
    bl_index *row, *col;
    BL_TRY(BL_NEW_ARRAYS(ctx, pairs, BL_ARRAY(row, most), BL_ARRAY(col, most)));
    own->at_C = add_pairs(&sys->pat_M, nv, true, row, col, 0);
    own->at_K = add_pairs(&sys->pat_C, nv, false, row, col, own->at_C);
    bl_index n = add_pairs(&sys->pat_K, nv, true, row, col, own->at_K);
    bl_status status = bl_pattern_build(ctx, 2 * nv, 2 * nv, n, row, col, &own->pattern, own->slot);
    bl_free(ctx, pairs);
    BL_TRY(status);
    BL_TRY(BL_ARENA_NEW(&integ->arena, own->values, own->pattern.ptr[2 * nv]));
    BL_TRY(bl_linsol_create(ctx, integ->form->linsol_spec, &own->solver));
    return bl_linsol_analyze(own->solver, &own->pattern, NULL, BL_REFUSE, integrate_edmc2_rank);
}

static bl_status edmc2_start(bl_integrator *integ) {
    edmc2 *own = integ->own;
    const bl_system *sys = integ->form->sys;
    BL_TRY(bl_second_start(integ, (bl_array[]){BL_ARRAY(own->x, 2 * sys->nv), BL_ARRAY(own->force, sys->nv)}, 2));
    if (!integ->form->linear || sys->np > 0 || sys->nz > 0) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "integrator edmc2 needs a linear system M q'' + C q' + K q = F(t)%s",
                sys->np > 0   ? ", this one has constraints"
                : sys->nz > 0 ? ", this one has first-order states"
                              : ", this one is not linear");
        bl_advise(integ->ctx, "use genalpha or hht; energy_momentum and edmc1 accept springs in natural coordinates");
        return BL_E_ABILITY;
    }
    return own->solver ? BL_OK : make_matrix(own);
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
            own->values[own->slot[4 * k + block]] += of_M[block] * e->M[k];
    for (bl_index k = 0; k < sys->pat_C.ptr[sys->nv]; k++)
        own->values[own->slot[own->at_C + k]] += h * e->C[k];
    for (bl_index k = 0; k < sys->pat_K.ptr[sys->nv]; k++)
        for (int block = 0; block < 4; block++)
            own->values[own->slot[own->at_K + 4 * k + block]] += of_K[block] * e->K[k];
    own->h = 0;
    form->stats.factors++;
    BL_TRY(bl_linsol_factor(own->solver, own->values));
    own->h = h;
    return BL_OK;
}

/* force and power: the mean of both ends of the step, at (q, v) */
static bl_status mean_force(edmc2 *own, const double *q, const double *v, double *power) {
    bl_integrator *integ = own->second.integ;
    bl_formulation *form = integ->form;
    int times = form->sys->facts & BL_Q_OF_T ? 2 : 1;
    memset(own->force, 0, (size_t)form->sys->nv * sizeof(double));
    *power = 0;
    for (int k = 0; k < times; k++) {
        bl_formulation_move_to(form, k ? integ->t_new : integ->t, q, v, NULL);
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
    memset(v1, 0, bytes); /* forces at zero velocity: F - K q0 */
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

static void edmc2_destroy(bl_integrator *integ) {
    edmc2 *own = integ->own;
    bl_linsol_destroy(own->solver);
    bl_pattern_free(integ->ctx, &own->pattern);
    bl_second_destroy(integ);
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

static bl_status edmc2_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    double alpha = value[ALPHA].number;
    BL_TRY(bl_second_range(ctx, kind, "alpha", alpha, 0, 1e3, NULL));
    *formula = (bl_formula){.shape = BL_FORMULA_OSCILLATOR, .order = 2, .k = 1, .n = 2, .amplify = amplify, .parameter = {alpha}};
    return BL_OK;
}

const bl_integrator_kind bl_integrator_edmc2 = {
    .kind = {.name = "edmc2",
             .help = "EDMC-2 (Armero and Romero), order 2, annihilates high frequencies; linear systems only",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_BETWEEN | BL_AT_POSITIONS},
    .order = 2,
    .dense_order = 2,
    .create = edmc2_create,
    .start = edmc2_start,
    .attempt = edmc2_attempt,
    .next_step = bl_second_next_step,
    .accept = bl_second_accept,
    .dense = bl_second_dense,
    .formula = edmc2_formula,
    .destroy = edmc2_destroy,
};
