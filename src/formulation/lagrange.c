/* Index 1: accelerations and multipliers together,
 *
 *     [ M  G^T ] [ a      ]   [ Q ]        y = (q, v, work)
 *     [ G   0  ] [ lambda ] = [ c ],
 *
 * rows of G divided by their scale. Only the second derivative of the constraints is kept: positions and
 * velocities drift and are projected with the same matrix (mass weighted) when the run loop asks for it. */
#include "formulation/formulation.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_PROJECTIONS = 20 };

typedef struct lagrange {
    bl_index n;                 /* nv + np */
    bl_pattern pattern;         /* augmented matrix */
    bl_index *slot_M, *slot_G, *slot_GT; /* places of the values of M and G in it */
    double *values, *x;         /* [nnz], [n] */
    double *q, *v;
    bool factored;
    double refused_t;
    bl_status refused;
} lagrange;

static void lagrange_free(bl_formulation *form) {
    lagrange *own = form->own;
    bl_context *ctx = form->ctx;
    bl_pattern_free(ctx, &own->pattern);
    bl_free(ctx, own->slot_M);
    bl_free(ctx, own->values);
    bl_free(ctx, own->x);
    bl_free(ctx, own->q);
    memset(own, 0, sizeof *own);
}

static void lagrange_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    lagrange_free(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

static bl_status build_pattern(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *M = &sys->pat_M, *G = &sys->pat_G;
    bl_index nM = M->ptr[sys->nv], nG = G->ptr[sys->nv], npair = nM + 2 * nG, k = 0;
    bl_index *row = NULL, *col = NULL;
    BL_TRY(BL_NEW(form->ctx, own->slot_M, npair));
    own->slot_G = own->slot_M + nM;
    own->slot_GT = own->slot_G + nG;
    BL_TRY(BL_NEW(form->ctx, row, npair));
    if (BL_NEW(form->ctx, col, npair) != BL_OK) {
        bl_free(form->ctx, row);
        return BL_E_MEMORY;
    }
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = M->ptr[j]; p < M->ptr[j + 1]; p++, k++) {
            row[k] = M->idx[p];
            col[k] = j;
        }
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++, k++) {
            row[k] = sys->nv + G->idx[p];
            col[k] = j;
            row[k + nG] = j;
            col[k + nG] = sys->nv + G->idx[p];
        }
    bl_status status = bl_pattern_build(form->ctx, own->n, own->n, npair, row, col, &own->pattern, own->slot_M);
    bl_free(form->ctx, row);
    bl_free(form->ctx, col);
    return status;
}

/* matrix of at_e, factored */
static bl_status factor(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_G));
    bl_index nM = sys->pat_M.ptr[sys->nv], nG = sys->pat_G.ptr[sys->nv];
    memset(own->values, 0, (size_t)own->pattern.ptr[own->n] * sizeof(double));
    for (bl_index k = 0; k < nM; k++)
        own->values[own->slot_M[k]] = e->M[k];
    for (bl_index k = 0; k < nG; k++) {
        double g = e->G[k] / sys->row[sys->pat_G.idx[k]].scale;
        own->values[own->slot_G[k]] = g;
        own->values[own->slot_GT[k]] = g;
    }
    bool anew = !own->factored;
    own->factored = false;
    BL_TRY(bl_formulation_factor(form, anew, own->values));
    own->factored = true;
    return BL_OK;
}

static bl_status solve(bl_formulation *form) {
    lagrange *own = form->own;
    form->stats.solves++;
    return form->linsol->kind->solve(form->linsol, false, 1, own->x);
}

/* a in x[0..nv), scaled multipliers behind, at the place of at_e */
static bl_status solve_accelerations(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    uint32_t want = BL_M | BL_G | BL_Q | BL_C | (sys->facts & BL_RHEONOMIC ? BL_B : 0);
    BL_TRY(bl_system_eval(sys, e, want));
    BL_TRY(factor(form));
    memcpy(own->x, e->Q, (size_t)sys->nv * sizeof(double));
    for (bl_index i = 0; i < sys->np; i++)
        own->x[sys->nv + i] = e->c[i] / sys->row[i].scale;
    BL_TRY(solve(form));
    return bl_check_finite(form->ctx, "acceleration", e->t, own->n, own->x);
}

static bl_status find_rank(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_index *row_order = NULL, *col_order = NULL, rank = 0;
    BL_TRY(BL_NEW(form->ctx, row_order, sys->np + sys->nv));
    col_order = row_order + sys->np;
    bl_status status = bl_formulation_rank(form, NULL, row_order, col_order, &rank, NULL);
    if (status == BL_OK) {
        bl_formulation_log_rank(form, row_order, rank);
        form->freedoms = sys->nv - rank;
        form->redundant = sys->np - rank;
        /* off the constraints by a drift of 1e-6, redundant rows look independent by as much: the threshold must lie well above it */
        status = form->redundant ? bl_formulation_analyse(form, &own->pattern, BL_MIN_NORM, form->rank_tolerance * 1e5)
                                 : bl_formulation_analyse(form, &own->pattern, BL_REFUSE, form->rank_tolerance * 1e-3);
    }
    bl_free(form->ctx, row_order);
    return status;
}

static bl_status lagrange_setup(bl_formulation *form, const bl_state *state) {
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    if (!form->own) {
        lagrange *fresh;
        BL_TRY(BL_NEW(ctx, fresh, 1));
        form->own = fresh;
    }
    lagrange_free(form);
    lagrange *own = form->own;
    own->n = sys->nv + sys->np;
    form->ny = 2 * sys->nv + 1;
    form->drifts = sys->np > 0;
    double *weight = bl_resize(ctx, form->weight, (size_t)form->ny, sizeof *weight);
    if (!weight)
        return BL_E_MEMORY;
    form->weight = weight;
    for (bl_index i = 0; i < sys->nv; i++)
        weight[i] = weight[sys->nv + i] = sys->col[i].scale;
    weight[2 * sys->nv] = 0;
    BL_TRY(build_pattern(form));
    BL_TRY(BL_NEW(ctx, own->values, own->pattern.ptr[own->n]));
    BL_TRY(BL_NEW(ctx, own->x, own->n));
    BL_TRY(BL_NEW(ctx, own->q, 2 * (size_t)sys->nv));
    own->v = own->q + sys->nv;
    form->history = state->history;
    memcpy(own->q, state->q, (size_t)sys->nv * sizeof(double));
    memcpy(own->v, state->v, (size_t)sys->nv * sizeof(double));
    bl_formulation_place(form, *state->t, own->q, own->v);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M | BL_G));
    BL_TRY(find_rank(form));
    bl_status status = factor(form);
    if (status == BL_SINGULAR || (status == BL_OK && form->linsol->stats.rank < own->n - form->redundant)) {
        bl_fail(ctx, BL_E_MODEL, NULL, "a motion allowed by the constraints moves no mass: the accelerations are not determined");
        bl_advise(ctx, "give mass or inertia to the bodies that can move alone, or hold them");
        bl_blame(ctx, NULL, NULL, *state->t);
        return BL_E_MODEL;
    }
    return status;
}

static bl_status lagrange_to_y(bl_formulation *form, const bl_state *state, double *y) {
    bl_index nv = form->sys->nv;
    form->history = state->history;
    memcpy(y, state->q, (size_t)nv * sizeof *y);
    memcpy(y + nv, state->v, (size_t)nv * sizeof *y);
    y[2 * nv] = *state->work;
    return BL_OK;
}

static bl_status lagrange_from_y(bl_formulation *form, double t, const double *y, bl_state *state) {
    bl_index nv = form->sys->nv;
    *state->t = t;
    memcpy(state->q, y, (size_t)nv * sizeof *y);
    memcpy(state->v, y + nv, (size_t)nv * sizeof *y);
    *state->work = y[2 * nv];
    return BL_OK;
}

static bl_status lagrange_rate(bl_formulation *form, double t, const double *y, double *rate) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = sys->nv;
    form->stats.evaluations++;
    bl_formulation_place(form, t, y, y + nv);
    own->refused = solve_accelerations(form);
    own->refused_t = t;
    if (own->refused != BL_OK)
        return own->refused;
    memcpy(rate, y + nv, (size_t)nv * sizeof *rate);
    memcpy(rate + nv, own->x, (size_t)nv * sizeof *rate);
    double power = form->at_e.power;
    if (sys->facts & BL_RHEONOMIC)
        for (bl_index i = 0; i < sys->np; i++)
            power -= own->x[nv + i] / sys->row[i].scale * form->at_e.b[i];
    rate[2 * nv] = power;
    return BL_OK;
}

/* dq = argmin dq^T M dq with G dq = -phi, repeated; then v = argmin (v - v0)^T M (v - v0) with G v = b */
static bl_status lagrange_project(bl_formulation *form, bl_state *state, double tolerance) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = sys->nv;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->q, state->q, (size_t)nv * sizeof(double));
    memcpy(own->v, state->v, (size_t)nv * sizeof(double));
    double before = INFINITY, goal = fmin(tolerance, 1e-12);
    for (int k = 0;; k++) {
        bl_formulation_place(form, *state->t, own->q, own->v);
        BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_M));
        BL_TRY(factor(form));
        double drift = bl_system_drift(sys, e->phi, NULL);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (k == MOST_PROJECTIONS || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->x, 0, (size_t)nv * sizeof(double));
        for (bl_index i = 0; i < sys->np; i++)
            own->x[nv + i] = -e->phi[i] / sys->row[i].scale;
        BL_TRY(solve(form));
        for (bl_index i = 0; i < nv; i++)
            own->q[i] += own->x[i];
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    memset(own->x, 0, (size_t)nv * sizeof(double));
    bl_csc_multiply(&sys->pat_M, e->M, own->v, own->x);
    for (bl_index i = 0; i < sys->np; i++)
        own->x[nv + i] = e->b[i] / sys->row[i].scale;
    BL_TRY(solve(form));
    memcpy(state->q, own->q, (size_t)nv * sizeof(double));
    memcpy(state->v, own->x, (size_t)nv * sizeof(double));
    return BL_OK;
}

static bl_status lagrange_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(solve_accelerations(form));
    memcpy(a, own->x, (size_t)sys->nv * sizeof *a);
    for (bl_index i = 0; i < sys->np; i++)
        lambda[i] = own->x[sys->nv + i] / sys->row[i].scale;
    return BL_OK;
}

static bl_status lagrange_explain(bl_formulation *form) {
    lagrange *own = form->own;
    if (own->refused != BL_SINGULAR)
        return BL_OK;
    bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the constraints became dependent: the mechanism is in a singular position");
    const bl_linsol_stats *stats = &form->linsol->stats;
    char part[96] = "", equation[128] = "";
    if (stats->ndependent > 0 && stats->dependent && stats->dependent[0] >= form->sys->nv)
        bl_system_row_name(form->sys, stats->dependent[0] - form->sys->nv, part, sizeof part, equation, sizeof equation);
    bl_blame(form->ctx, part, equation, own->refused_t);
    return BL_E_NUMERIC;
}

const bl_formulation_kind bl_formulation_lagrange = {
    .kind = {.name = "lagrange", .help = "index 1: accelerations and multipliers from one augmented system", .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE},
    .index = 1,
    .redundant = "minimum norm with linsol dense, else dependent rows dropped",
    .singular = "may fail: the step is tried shorter",
    .setup = lagrange_setup,
    .to_y = lagrange_to_y,
    .from_y = lagrange_from_y,
    .rate = lagrange_rate,
    .project = lagrange_project,
    .accelerations = lagrange_accelerations,
    .explain = lagrange_explain,
    .destroy = lagrange_destroy,
};
