/* Accelerations, rates of states and multipliers at one place,
 *
 *     [ M  0  G^T ] [ a      ]   [ Q ]
 *     [ 0  A   0  ] [ zd     ] = [ f ],
 *     [ G  0   0  ] [ lambda ]   [ c ]
 *
 * and the projection onto the constraints with the same matrix. Algebraic states get the rate 0. */
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_PROJECTIONS = 20 };

static bl_status build_still(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    const bl_pattern *M = &sys->pat_M, *C = &sys->pat_C, *G = &sys->pat_G;
    bl_index nv = own->nv, n = own->n, nM = M->ptr[nv], nC = C->ptr[n], nG = own->np ? G->ptr[nv] : 0, npair = 0;
    size_t most = (size_t)nM + (size_t)nC + 2 * (size_t)nG + (size_t)n;
    bl_index *row = NULL;
    BL_TRY(BL_NEW(ctx, own->still_M, most));
    own->still_A = own->still_M + nM;
    own->still_G = own->still_A + nC;
    own->still_GT = own->still_G + nG;
    bl_index *diagonal = own->still_GT + nG;
    BL_TRY(BL_NEW(ctx, row, 3 * most));
    bl_index *col = row + most, *slot = col + most;
    for (size_t k = 0; k < most; k++)
        own->still_M[k] = -1;
    for (bl_index j = 0; j < nv; j++)
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++) {
            row[npair] = M->idx[k];
            col[npair] = j;
            own->still_M[k] = npair++;
        }
    for (bl_index j = nv; j < n; j++) {
        for (bl_index k = C->ptr[j]; k < C->ptr[j + 1]; k++)
            if (C->idx[k] >= nv) {
                row[npair] = C->idx[k];
                col[npair] = j;
                own->still_A[k] = npair++;
            }
        if (own->algebraic[j - nv] || (sys->facts & BL_IDENTITY)) {
            row[npair] = col[npair] = j;
            diagonal[j] = npair++;
        }
    }
    for (bl_index j = 0; j < nv && own->np; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index place = own->place[G->idx[k]];
            if (place < 0)
                continue;
            row[npair] = n + place;
            col[npair] = j;
            own->still_G[k] = npair++;
            row[npair] = j;
            col[npair] = n + place;
            own->still_GT[k] = npair++;
        }
    bl_status status = bl_pattern_build(ctx, n + own->r, n + own->r, npair, row, col, &own->still, slot);
    for (size_t k = 0; k < most && status == BL_OK; k++)
        if (own->still_M[k] >= 0)
            own->still_M[k] = slot[own->still_M[k]];
    bl_free(ctx, row);
    return status;
}

bl_status bl_motion_still_setup(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    own->still_identity = (sys->facts & BL_IDENTITY) && own->np == 0;
    own->still_constant = (sys->facts & BL_M_CONST) && own->np == 0;
    size_t nv = (size_t)own->nv, n = (size_t)own->n + (size_t)own->r, nnz = 0;
    if (!own->still_identity) {
        BL_TRY(build_still(form));
        nnz = (size_t)own->still.ptr[n];
        BL_TRY(bl_linsol_create(ctx, form->linsol_spec, &own->still_solver));
        BL_TRY(own->still_solver->kind->analyse(own->still_solver, &own->still, NULL, BL_REFUSE, form->rank_tolerance * 1e-3));
    }
    BL_TRY(BL_NEW(ctx, own->still_values, nnz + n + 2 * nv));
    own->still_x = own->still_values + nnz;
    own->still_q = own->still_x + n;
    own->still_v = own->still_q + nv;
    if (own->nd > 0)
        BL_TRY(BL_NEW(ctx, own->least, (size_t)own->nd * (n + (size_t)own->nd + 1)));
    return BL_OK;
}

/* matrix of the place of at_e, factored */
static bl_status factor(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    if (own->still_constant && own->still_factored)
        return BL_OK;
    bool moving_A = own->nz && !(sys->facts & BL_M_CONST);
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_M : 0) | (own->np ? BL_G : 0) | (moving_A ? BL_KC : 0)));
    const double *A = moving_A ? e->C : own->A;
    double *values = own->still_values;
    memset(values, 0, (size_t)own->still.ptr[own->n + own->r] * sizeof *values);
    for (bl_index k = 0; k < sys->pat_M.ptr[own->nv]; k++)
        values[own->still_M[k]] += e->M[k];
    bool identity = sys->facts & BL_IDENTITY;
    for (bl_index k = sys->pat_C.ptr[own->nv]; k < sys->pat_C.ptr[own->n] && !identity; k++)
        if (own->still_A[k] >= 0)
            values[own->still_A[k]] += A[k];
    bl_index nG = own->np ? sys->pat_G.ptr[own->nv] : 0;
    for (bl_index k = 0; k < nG; k++)
        if (own->still_G[k] >= 0)
            values[own->still_G[k]] = values[own->still_GT[k]] = e->G[k] * own->row_factor[sys->pat_G.idx[k]];
    const bl_index *diagonal = own->still_GT + nG;
    for (bl_index j = own->nv; j < own->n; j++)
        if (own->algebraic[j - own->nv] || identity)
            values[diagonal[j]] = 1;
    form->stats.refactors += own->still_factored;
    form->stats.factors += !own->still_factored;
    BL_TRY(bl_linsol_update(own->still_solver, values));
    own->still_factored = true;
    return BL_OK;
}

static void load_rows(const bl_formulation *form, double sign, const double *values) {
    bl_motion *own = form->own;
    for (bl_index k = 0; k < own->r; k++)
        own->still_x[own->n + k] = sign * values[own->kept[k]] * own->row_factor[own->kept[k]];
}

static bl_status solve(bl_formulation *form) {
    bl_motion *own = form->own;
    form->stats.solves++;
    return own->still_solver->kind->solve(own->still_solver, false, 1, own->still_x);
}

/* (a, zd, scaled multipliers) in still_x at the place of at_e */
static bl_status solve_still(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    e->q_from = e->q_to = NULL;
    bool driven = own->np && (sys->facts & BL_RHEONOMIC);
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_Q : 0) | (own->nz ? BL_F : 0) | (own->np ? BL_C : 0) | (driven ? BL_B : 0)));
    memcpy(own->still_x, e->Q, (size_t)own->nv * sizeof(double));
    memcpy(own->still_x + own->nv, e->f, (size_t)own->nz * sizeof(double));
    for (bl_index i = 0; i < own->nz; i++)
        if (own->algebraic[i])
            own->still_x[own->nv + i] = 0;
    if (own->still_identity)
        return BL_OK;
    if (own->np)
        load_rows(form, 1, e->c);
    own->refused_t = e->t;
    own->refused = factor(form);
    BL_TRY(own->refused);
    BL_TRY(solve(form));
    return bl_check_finite(form->ctx, "acceleration", e->t, own->n + own->r, own->still_x);
}

bl_status bl_motion_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = own->nv, nz = own->nz;
    form->stats.evaluations++;
    bl_formulation_place(form, t, y, y + nv);
    e->z = y + 2 * nv;
    BL_TRY(solve_still(form));
    memcpy(rate, y + nv, (size_t)nv * sizeof *rate);
    memcpy(rate + nv, own->still_x, (size_t)(nv + nz) * sizeof *rate);
    double power = sys->can & BL_CAN_ENERGY ? e->power : 0;
    if (own->np && (sys->facts & BL_RHEONOMIC))
        for (bl_index k = 0; k < own->r; k++)
            power -= own->still_x[own->n + k] * own->row_factor[own->kept[k]] * e->b[own->kept[k]];
    rate[2 * nv + nz] = power;
    return BL_OK;
}

/* The multipliers in still_x spread over all rows with least sum of (lambda_i scale_i)^2. A dropped row g_d is a combination L of the kept
 * ones: [M G^T; G 0] [0; L] = [g_d; 0]. */
static bl_status spread(bl_formulation *form, double *lambda) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    size_t n = (size_t)own->n + (size_t)own->r, nd = (size_t)own->nd;
    double *L = own->least, *LL = L + n * nd, *s = LL + nd * nd;
    memset(L, 0, n * nd * sizeof *L);
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index row = sys->pat_G.idx[k];
            if (own->place[row] < 0)
                L[(size_t)(-1 - own->place[row]) * n + (size_t)j] = form->at_e.G[k] * own->row_factor[row];
        }
    form->stats.solves += own->nd;
    BL_TRY(own->still_solver->kind->solve(own->still_solver, false, own->nd, L));
    BL_TRY(bl_formulation_spread(own->nd, (bl_index)n, own->n, L, LL, s, own->still_x));
    for (bl_index k = 0; k < own->nd; k++)
        lambda[own->dropped[k]] = s[k] * own->row_factor[own->dropped[k]];
    return BL_OK;
}

bl_status bl_motion_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    bl_motion *own = form->own;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    form->at_e.z = state->z;
    BL_TRY(solve_still(form));
    memcpy(a, own->still_x, (size_t)own->nv * sizeof *a);
    memset(lambda, 0, (size_t)own->np * sizeof *lambda);
    if (own->nd > 0)
        BL_TRY(spread(form, lambda));
    for (bl_index k = 0; k < own->r; k++)
        lambda[own->kept[k]] = own->still_x[own->n + k] * own->row_factor[own->kept[k]];
    return BL_OK;
}

/* dq = argmin dq^T M dq with G dq = -phi, repeated; then v = argmin (v - v0)^T M (v - v0) with G v = b */
bl_status bl_motion_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)own->nv;
    if (own->np == 0)
        return BL_OK;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->still_q, state->q, nv * sizeof(double));
    memcpy(own->still_v, state->v, nv * sizeof(double));
    double before = INFINITY, goal = fmin(tolerance, 1e-12);
    for (int k = 0;; k++) {
        bl_formulation_place(form, *state->t, own->still_q, own->still_v);
        e->z = state->z;
        BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_M));
        BL_TRY(factor(form));
        double drift = bl_system_drift(sys, e->phi, NULL);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (k == MOST_PROJECTIONS || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->still_x, 0, (size_t)own->n * sizeof(double));
        load_rows(form, -1, e->phi);
        BL_TRY(solve(form));
        for (size_t i = 0; i < nv; i++)
            own->still_q[i] += own->still_x[i];
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    memset(own->still_x, 0, (size_t)own->n * sizeof(double));
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            own->still_x[sys->pat_M.idx[k]] += e->M[k] * own->still_v[j];
    load_rows(form, 1, e->b);
    BL_TRY(solve(form));
    memcpy(state->q, own->still_q, nv * sizeof(double));
    memcpy(state->v, own->still_x, nv * sizeof(double));
    return BL_OK;
}

bl_status bl_motion_explain(bl_formulation *form) {
    bl_motion *own = form->own;
    if (!own || own->refused != BL_SINGULAR)
        return BL_OK;
    bl_fail(form->ctx, BL_E_NUMERIC, NULL,
            own->np ? "accelerations are not determined at t = %.9g: constraints lose rank, or a motion moves no mass"
                    : "the mass matrix is singular at t = %.9g: accelerations are not determined",
            own->refused_t);
    bl_advise(form->ctx, own->nz ? "states without a rate must be algebraic: a whole row of A zero" : "give mass to what can move");
    bl_blame(form->ctx, NULL, NULL, own->refused_t);
    return BL_E_NUMERIC;
}
