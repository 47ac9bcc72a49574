/* Index 1: accelerations and multipliers together,
 *
 *     [ M  G^T ] [ a      ]   [ Q ]        y = (q, v, work)
 *     [ G   0  ] [ lambda ] = [ c ],
 *
 * rows of G divided by their scale. Redundant rows are dropped at set-up and stay so: off the constraints they are no longer dependent, and
 * would lock the mechanism. Positions and velocities drift; the run loop has them projected with the same matrix (mass weighted).
 *
 * Where the system gives M^-1 x and few rows close long chains, M is not made: with W W^T = G M^-1 G^T, also the system's,
 *
 *     W W^T lambda = G M^-1 Q - c,     a = M^-1 (Q - G^T lambda). */
#include "formulation/formulation.h"
#include "formulation/recursion.h"

#include "dense/dense.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_PROJECTIONS = 20 };
/* The reduced mass of a direction that the constraints lose falls with the square of the distance to the singular position; pivots
 * below this share of the best ones seen are too near: errors off the constraints would be blown up, and the branch lost. */
static const double SINGULAR_AT = 1e-6;
static const double LARGEST_L = 5; /* dropped rows larger than this in terms of kept ones: other rows are kept */

typedef struct lagrange {
    bl_index r, nd, n;        /* kept rows, dropped rows, nv + r */
    bl_recursion by;          /* by.taken: the matrix is W W^T of the kept rows */
    bool matrix_only;         /* M had no inverse */
    double worst_now;         /* how near dependent rows are: smallest pivot over the largest one, and what single rows lost since */
    bl_index *place;          /* [np] place of a row: r > k >= 0 kept, -1 - k dropped */
    bl_index *kept, *dropped; /* [r], [nd] */
    bl_pattern pattern;       /* augmented matrix */
    bl_index *slot_M, *slot_G, *slot_GT; /* places of the values of M and G in it, -1: dropped */
    double *values, *x;                  /* [nnz], [n] */
    double *row_by;                      /* [np] 1 / scale, the same in the matrix and beside it: else constraints drift by rounding */
    const double *inverse;               /* columns, where the solver has them; of an expansion */
    double *b, *y;                       /* [n], padded: of products with it */
    double *q, *v;
    double made_t, *made_q; /* place of the factors, when `made` */
    bool made;
    double *L, *LL, *s; /* [n][nd] dropped rows by kept ones, [nd][nd], [nd] */
    double *many;       /* instead of L and LL where these would be large: [n] a right-hand side, [3 nd + r] for the products with L */
    double checked;     /* worst pivot when the choice of rows was last checked */
    bool factored, warned;
    double level; /* best worst pivot of an accepted place */
    double refused_t, *refused_q;
    bl_status refused;
    bl_index refused_at; /* BL_NOT_FINITE: column of the first force, or acceleration, that is none; -1: neither */
} lagrange;

static void lagrange_free(bl_formulation *form) {
    lagrange *own = form->own;
    bl_context *ctx = form->ctx;
    bl_formulation_chosen(form, NULL, 0);
    bl_pattern_free(ctx, &own->pattern);
    bl_free(ctx, own->place);
    bl_free(ctx, own->slot_M);
    bl_free(ctx, own->values);
    bl_free(ctx, own->q);
    bl_recursion_free(ctx, &own->by);
    bool matrix_only = own->matrix_only;
    memset(own, 0, sizeof *own);
    own->matrix_only = matrix_only;
}

static void lagrange_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    lagrange_free(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

/* which rows are kept, at the place of at_e; most: not more than these (off the constraints redundant rows look independent) */
static bl_status choose_rows(bl_formulation *form, bl_index most) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_index *row_order = NULL, rank = 0;
    BL_TRY(BL_NEW(form->ctx, own->place, 2 * sys->np));
    own->kept = own->place + sys->np;
    BL_TRY(BL_NEW(form->ctx, row_order, sys->np + sys->nv));
    bl_status status = bl_formulation_rank(form, NULL, row_order, row_order + sys->np, &rank);
    if (status == BL_OK) {
        rank = rank < most ? rank : most;
        status = bl_formulation_log_rank(form, row_order, rank, most == sys->np ? BL_LOG_INFO : BL_LOG_DEBUG);
        own->r = rank;
        own->nd = sys->np - rank;
        own->n = sys->nv + rank;
        own->dropped = own->kept + rank;
        form->freedoms = sys->nv - rank;
        form->redundant = own->nd;
        for (bl_index i = 0; i < sys->np; i++)
            own->place[row_order[i]] = i < rank ? 0 : -1;
        bl_index kept = 0, dropped = 0;
        for (bl_index i = 0; i < sys->np; i++) {
            bool keep = own->place[i] >= 0;
            *(keep ? &own->kept[kept] : &own->dropped[dropped]) = i;
            own->place[i] = keep ? kept++ : -1 - dropped++;
        }
        bl_formulation_chosen(form, own->place, rank);
    }
    bl_free(form->ctx, row_order);
    return status;
}

static bl_status build_pattern(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *M = &sys->pat_M, *G = &sys->pat_G;
    bl_index nM = M->ptr[sys->nv], nG = G->ptr[sys->nv], most = nM + 2 * nG, npair = 0;
    bl_index *row = NULL, *slot = NULL;
    BL_TRY(BL_NEW(form->ctx, own->slot_M, most));
    own->slot_G = own->slot_M + nM;
    own->slot_GT = own->slot_G + nG;
    BL_TRY(BL_NEW(form->ctx, row, 3 * (size_t)most));
    bl_index *col = row + most;
    slot = col + most;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = M->ptr[j]; p < M->ptr[j + 1]; p++) {
            own->slot_M[p] = npair;
            row[npair] = M->idx[p];
            col[npair++] = j;
        }
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++) {
            bl_index place = own->place[G->idx[p]];
            own->slot_G[p] = own->slot_GT[p] = -1;
            if (place < 0)
                continue;
            own->slot_G[p] = npair;
            row[npair] = sys->nv + place;
            col[npair++] = j;
            own->slot_GT[p] = npair;
            row[npair] = j;
            col[npair++] = sys->nv + place;
        }
    bl_status status = bl_pattern_build(form->ctx, own->n, own->n, npair, row, col, &own->pattern, slot);
    for (bl_index k = 0; k < most && status == BL_OK; k++)
        if (own->slot_M[k] >= 0)
            own->slot_M[k] = slot[own->slot_M[k]];
    bl_free(form->ctx, row);
    return status;
}

/* ---- the matrix */

static void fill_matrix(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    const bl_eval *e = &form->at_e;
    bl_index nM = sys->pat_M.ptr[sys->nv], nG = sys->pat_G.ptr[sys->nv];
    memset(own->values, 0, (size_t)own->pattern.ptr[own->n] * sizeof(double));
    for (bl_index k = 0; k < nM; k++)
        own->values[own->slot_M[k]] = e->M[k];
    for (bl_index k = 0; k < nG; k++)
        if (own->slot_G[k] >= 0)
            own->values[own->slot_G[k]] = own->values[own->slot_GT[k]] = e->G[k] * own->row_by[sys->pat_G.idx[k]];
}

static void take_worst(bl_formulation *form) {
    lagrange *own = form->own;
    own->worst_now = form->linsol->stats.worst_pivot * (own->by.taken ? bl_recursion_left(&own->by, own->values) : 1);
}

/* matrix of at_e, factored */
static bl_status factor(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bool anew = !own->factored;
    if (own->by.taken) {
        BL_TRY(bl_system_eval(sys, e, BL_G | BL_W));
        bl_recursion_matrix(form, &own->by, own->row_by, own->values);
    } else {
        BL_TRY(bl_system_eval(sys, e, BL_M | BL_G));
        fill_matrix(form);
    }
    own->factored = own->made = false;
    BL_TRY(bl_formulation_factor(form, anew, own->values));
    own->factored = own->made = true;
    take_worst(form);
    own->made_t = e->t;
    memcpy(own->made_q, e->q, (size_t)sys->nq * sizeof *e->q);
    return BL_OK;
}

/* the same, where it has not been done at this very place: the end of a step is the start of the next */
static bl_status factor_here(bl_formulation *form) {
    const lagrange *own = form->own;
    const bl_eval *e = &form->at_e;
    bool here = own->made && own->made_t == e->t && memcmp(own->made_q, e->q, (size_t)form->sys->nq * sizeof *e->q) == 0;
    return here ? BL_OK : factor(form);
}

static bl_status solve(bl_formulation *form, bl_index nrhs, double *x) {
    lagrange *own = form->own;
    form->stats.solves += nrhs;
    for (bl_index k = 0; own->by.taken && k < nrhs; k++)
        BL_TRY(bl_recursion_solve(form, &own->by, own->row_by, x + (size_t)k * (size_t)own->n));
    return nrhs && !own->by.taken ? bl_linsol_solve(form->linsol, false, nrhs, x) : BL_OK;
}

/* right-hand side of the kept rows */
static void load_rows(const bl_formulation *form, double sign, const double *values) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    for (bl_index k = 0; k < own->r; k++)
        own->x[sys->nv + k] = sign * values[own->kept[k]] * own->row_by[own->kept[k]];
}

static bl_status spread(bl_formulation *form);

static bl_index first_not_finite(bl_index n, const double *x) {
    for (bl_index i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* with the matrix factored */
static bl_status solve_forces(bl_formulation *form) {
    lagrange *own = form->own;
    memcpy(own->x, form->at_e.Q, (size_t)form->sys->nv * sizeof(double));
    load_rows(form, 1, form->at_e.c);
    BL_TRY(solve(form, 1, own->x));
    bl_status status = bl_check_finite(form->ctx, "acceleration", form->at_e.t, own->n, own->x);
    if (status != BL_OK) { /* a force that is none makes all of them so */
        own->refused_at = first_not_finite(form->sys->nv, form->at_e.Q);
        if (own->refused_at < 0)
            own->refused_at = first_not_finite(form->sys->nv, own->x);
    }
    return status;
}

/* the multipliers of all rows from x; spoils those in x */
static bl_status all_multipliers(bl_formulation *form, double *lambda) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    BL_TRY(spread(form));
    for (bl_index i = 0; i < sys->np; i++)
        lambda[i] = (own->place[i] >= 0 ? own->x[sys->nv + own->place[i]] : own->s[-1 - own->place[i]]) / sys->row[i].scale;
    return BL_OK;
}

static bl_status hand_out(bl_formulation *form, double *a, double *lambda) {
    const lagrange *own = form->own;
    memcpy(a, own->x, (size_t)form->sys->nv * sizeof *a);
    return all_multipliers(form, lambda);
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    BL_TRY(solve_forces(form));
    return hand_out(form, a, lambda);
}

/* a in x[0..nv), scaled multipliers of the kept rows behind (with normal loads: spread), at the place of at_e */
static bl_status solve_accelerations(bl_formulation *form) {
    const lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    uint32_t want = BL_G | BL_Q | BL_C | (own->by.taken ? 0 : BL_M) | (sys->facts & BL_RHEONOMIC ? BL_B : 0);
    BL_TRY(bl_system_eval(sys, e, want));
    BL_TRY(factor(form));
    return sys->nload ? bl_loads_settle(form, solve_loaded) : solve_forces(form);
}

static bl_status make_memory(bl_formulation *form) {
    lagrange *own = form->own;
    size_t nv = (size_t)form->sys->nv, nq = (size_t)form->sys->nq, n = (size_t)own->n, nd = (size_t)own->nd,
           nnz = (size_t)own->pattern.ptr[own->pattern.ncol], room = bl_dense_room(n), np = (size_t)form->sys->np;
    bool many = n * nd > BL_MOST_L;
    BL_TRY(BL_NEW(form->ctx, own->values, nnz + n + (many ? 2 * n + 4 * nd : nd * (n + nd + 1)) + 2 * room + np));
    own->x = own->values + nnz;
    own->b = own->x + n;
    own->y = own->b + room;
    own->row_by = own->y + room;
    for (size_t i = 0; i < np; i++)
        own->row_by[i] = 1 / form->sys->row[i].scale;
    own->L = own->row_by + np;
    own->LL = own->L + n * nd;
    own->s = own->LL + nd * nd;
    own->many = NULL;
    if (many) {
        own->many = own->L;
        own->L = own->LL = NULL;
        own->s = own->many + 2 * n + 3 * nd;
    }
    BL_TRY(BL_NEW(form->ctx, own->q, 3 * nq + nv));
    own->v = own->q + nq;
    own->refused_q = own->v + nv;
    own->made_q = own->refused_q + nq;
    return BL_OK;
}

static bl_status set_up(bl_formulation *form, const bl_state *state, bl_index most) {
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    if (!form->own) {
        lagrange *fresh;
        BL_TRY(BL_NEW(ctx, fresh, 1));
        form->own = fresh;
    }
    lagrange_free(form);
    lagrange *own = form->own;
    form->drifts = sys->np > 0;
    BL_TRY(bl_whole_weigh(form, true));
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    BL_TRY(choose_rows(form, most));
    if (!own->matrix_only)
        BL_TRY(bl_recursion_plan(form, &own->by, own->r, own->kept, own->place, (bl_recursion_way)form->value[0].number, &own->pattern,
                                 &own->matrix_only));
    if (!own->by.taken) {
        BL_TRY(bl_system_eval(sys, &form->at_e, BL_M));
        BL_TRY(build_pattern(form));
    }
    BL_TRY(make_memory(form));
    BL_TRY(bl_formulation_analyse(form, &own->pattern, NULL, BL_REFUSE, form->rank_tolerance * BL_RANK_KEPT));
    bl_status status = factor(form);
    if (status == BL_SINGULAR && own->by.taken) { /* the matrix of the rows squares what is small in them */
        bl_context_clear_error(ctx);
        own->matrix_only = true;
        return set_up(form, state, most);
    }
    if (status == BL_OK) {
        bl_recursion_best(&own->by, own->values);
        take_worst(form);
    }
    own->checked = own->level = own->worst_now;
    if (status == BL_SINGULAR) {
        bl_fail(ctx, BL_E_MODEL, NULL, "a motion allowed by the constraints moves no mass: the accelerations are not determined");
        bl_advise(ctx, "give mass or inertia to the bodies that can move alone, or hold them");
        bl_blame(ctx, NULL, NULL, *state->t);
        return BL_E_MODEL;
    }
    return status;
}

static bl_status lagrange_setup(bl_formulation *form, const bl_state *state) { return set_up(form, state, form->sys->np); }

/* a place must not be too near to a singular one; stale pivots are given a second chance with new ones */
static bl_status judge(bl_formulation *form) {
    lagrange *own = form->own;
    /* as the solver counts pivots; of W W^T the smallest eigenvalue is that of the solver's own matrix */
    double level = own->worst_now > 0 ? own->level * (form->linsol->stats.worst_pivot / own->worst_now) : own->level;
    BL_TRY(bl_wary_judge(form, form->linsol, own->by.taken ? 0 : form->sys->nv, own->r, level, 0));
    if (own->r == 0 || own->worst_now >= SINGULAR_AT * own->level)
        return BL_OK;
    own->factored = false;
    BL_TRY(factor(form));
    return own->worst_now >= SINGULAR_AT * own->level ? BL_OK : BL_SINGULAR;
}

static bl_status lagrange_rate(bl_formulation *form, double t, const double *y, double *rate) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = sys->nv, nq = sys->nq;
    form->stats.evaluations++;
    bl_formulation_place(form, t, y, y + nq);
    own->refused_at = -1;
    own->refused = solve_accelerations(form);
    if (own->refused == BL_OK)
        own->refused = judge(form);
    if (own->refused != BL_OK) {
        own->refused_t = t;
        memcpy(own->refused_q, y, (size_t)nq * sizeof *y);
        return own->refused;
    }
    BL_TRY(bl_position_rate(form, y + nq, rate));
    memcpy(rate + nq, own->x, (size_t)nv * sizeof *rate);
    double power = sys->nload ? bl_loads_power(form) : form->at_e.power;
    if ((sys->facts & BL_RHEONOMIC) && sys->nload == 0)
        for (bl_index k = 0; k < own->r; k++)
            power -= own->x[nv + k] / sys->row[own->kept[k]].scale * form->at_e.b[own->kept[k]];
    rate[nq + nv] = power;
    return BL_OK;
}

static bl_status solve_order(bl_formulation *form, const double *Q, const double *f, const double *c, double *a, double *zd,
                             double *lambda) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    (void)f;
    (void)zd;
    memcpy(own->x, Q, (size_t)sys->nv * sizeof(double));
    load_rows(form, 1, c);
    BL_TRY(solve(form, 1, own->x));
    memcpy(a, own->x, (size_t)sys->nv * sizeof *a);
    memset(lambda, 0, (size_t)sys->np * sizeof *lambda);
    for (bl_index k = 0; k < own->r; k++)
        lambda[own->kept[k]] = own->x[sys->nv + k] / sys->row[own->kept[k]].scale;
    return BL_OK;
}

/* the same as a product with the inverse */
static bl_status multiply_order(bl_formulation *form, const double *Q, const double *f, const double *c, double *a, double *zd,
                                double *lambda) {
    lagrange *own = form->own;
    bl_index nv = form->sys->nv, r = own->r;
    const double *restrict by = own->row_by;
    double *restrict b = own->b, *restrict y = own->y;
    (void)f;
    (void)zd;
    for (bl_index i = 0; i < nv; i++)
        b[i] = Q[i];
    for (bl_index k = 0; k < r; k++)
        b[nv + k] = c[own->kept[k]] * by[own->kept[k]];
    bl_dense_multiply(form->ctx, (size_t)own->n, bl_dense_room((size_t)own->n), own->inverse, b, y);
    for (bl_index i = 0; i < nv; i++)
        a[i] = y[i];
    for (bl_index k = 0; k < own->nd; k++)
        lambda[own->dropped[k]] = 0;
    for (bl_index k = 0; k < r; k++)
        lambda[own->kept[k]] = y[nv + k] * by[own->kept[k]];
    form->stats.solves++;
    return BL_OK;
}

static bl_status lagrange_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex) {
    lagrange *own = form->own;
    bl_index nv = form->sys->nv;
    bl_formulation_place(form, t, y, y + nv);
    BL_TRY(factor_here(form));
    BL_TRY(judge(form));
    own->inverse = !own->by.taken ? bl_linsol_inverse_columns(form->linsol) : NULL;
    return bl_formulation_expand(form, t, y, y + nv, NULL, own->inverse ? multiply_order : solve_order, ex);
}

/* dq = argmin dq^T M dq with G dq = -phi, repeated; then v = argmin (v - v0)^T M (v - v0) with G v = b */
static bl_status lagrange_project(bl_formulation *form, bl_state *state, double tolerance) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = sys->nv;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->q, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(own->v, state->v, (size_t)nv * sizeof(double));
    double before = INFINITY, goal = fmin(tolerance, 1e-12);
    for (int k = 0;; k++) {
        bl_formulation_place(form, *state->t, own->q, own->v);
        BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G));
        BL_TRY(factor(form));
        double drift = bl_formulation_kept_drift(form, e->phi);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (k == MOST_PROJECTIONS || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->x, 0, (size_t)nv * sizeof(double));
        load_rows(form, -1, e->phi);
        BL_TRY(solve(form, 1, own->x));
        BL_TRY(bl_system_retract(sys, own->q, own->x, own->q));
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    memset(own->x, 0, (size_t)nv * sizeof(double));
    load_rows(form, 1, e->b);
    if (!own->by.taken)
        bl_csc_multiply(&sys->pat_M, e->M, own->v, own->x);
    for (bl_index j = 0; own->by.taken && j < nv; j++) /* the change of v */
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p];
            if (own->place[row] >= 0)
                own->x[nv + own->place[row]] -= e->G[p] * own->row_by[row] * own->v[j];
        }
    BL_TRY(solve(form, 1, own->x));
    for (bl_index j = 0; own->by.taken && j < nv; j++)
        own->x[j] += own->v[j];
    memcpy(state->q, own->q, (size_t)sys->nq * sizeof(double));
    memcpy(state->v, own->x, (size_t)nv * sizeof(double));
    return BL_OK;
}

/* Dropped rows as combinations L of the kept ones, at the place where the matrix was factored: with g_d in the range of G^T,
 * [M G^T; G 0] [0; L] = [g_d; 0]. */
static bl_status combine_dropped(bl_formulation *form) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    size_t n = (size_t)own->n, nd = (size_t)own->nd;
    memset(own->L, 0, n * nd * sizeof(double));
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p];
            if (own->place[row] < 0)
                own->L[(size_t)(-1 - own->place[row]) * n + (size_t)j] = form->at_e.G[p] * own->row_by[row];
        }
    return solve(form, own->nd, own->L);
}

/* products with L, a solve each: the matrix is symmetric */
static bl_status multiply_dropped(bl_formulation *form, bool transposed, const double *x, double *y) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    double *rhs = own->many;
    memset(rhs, 0, (size_t)own->n * sizeof *rhs);
    if (transposed) {
        memcpy(rhs + sys->nv, x, (size_t)own->r * sizeof *x);
        BL_TRY(solve(form, 1, rhs));
        memset(y, 0, (size_t)own->nd * sizeof *y);
    }
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p], k = -1 - own->place[row];
            double g = form->at_e.G[p] * own->row_by[row];
            if (k >= 0 && transposed)
                y[k] += g * rhs[j];
            else if (k >= 0)
                rhs[j] += g * x[k];
        }
    if (transposed)
        return BL_OK;
    BL_TRY(solve(form, 1, rhs));
    memcpy(y, rhs + sys->nv, (size_t)own->r * sizeof *y);
    return BL_OK;
}

static bl_status spread(bl_formulation *form) {
    lagrange *own = form->own;
    if (own->nd == 0)
        return BL_OK;
    if (own->many)
        return bl_formulation_spread_many(form, own->nd, own->r, multiply_dropped, own->s, own->x + form->sys->nv, own->many + own->n);
    BL_TRY(combine_dropped(form));
    return bl_formulation_spread(own->nd, own->n, form->sys->nv, own->L, own->LL, own->s, own->x);
}

static bl_status lagrange_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    const bl_system *sys = form->sys;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(solve_accelerations(form));
    if (sys->nload == 0)
        return hand_out(form, a, lambda);
    bl_loads_take(form, a, lambda);
    return BL_OK;
}

static bl_status lagrange_spread(bl_formulation *form, const bl_state *state, double *lambda) {
    lagrange *own = form->own;
    const bl_system *sys = form->sys;
    for (bl_index k = 0; k < own->nd; k++)
        if (lambda[own->dropped[k]] != 0)
            return BL_SINGULAR; /* of another choice of rows */
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(factor(form));
    for (bl_index k = 0; k < own->r; k++)
        own->x[sys->nv + k] = lambda[own->kept[k]] * sys->row[own->kept[k]].scale;
    return all_multipliers(form, lambda);
}

/* other rows when the kept ones grew dependent, or when dropped ones turn out to be needed */
static bl_status lagrange_review(bl_formulation *form, const bl_state *state) {
    lagrange *own = form->own;
    own->level = fmax(own->level, own->worst_now);
    bl_recursion_best(&own->by, own->values);
    if (own->nd == 0)
        return BL_OK;
    bl_index violated = -1, rank = own->r;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    if (!own->warned)
        BL_TRY(bl_formulation_violated(form, own->place, &violated));
    if (violated < 0) {
        double worst = own->worst_now, largest = 0;
        own->checked = fmax(own->checked, worst);
        if (worst > 0.3 * own->checked)
            return BL_OK;
        own->checked = worst;
        BL_TRY(factor(form));
        if (own->many)
            largest = INFINITY; /* a new choice costs less than to look at all of L */
        else
            BL_TRY(combine_dropped(form));
        for (bl_index k = 0; k < own->nd && !own->many; k++)
            for (bl_index i = form->sys->nv; i < own->n; i++)
                largest = fmax(largest, fabs(own->L[(size_t)k * (size_t)own->n + (size_t)i]));
        if (largest <= LARGEST_L)
            return BL_OK;
        bl_formulation_place(form, *state->t, state->q, state->v);
        BL_TRY(bl_formulation_rebase(form));
    }
    bool warned = own->warned;
    BL_TRY(set_up(form, state, violated >= 0 ? form->sys->np : rank));
    own->warned = warned || (violated >= 0 && own->r == rank);
    form->stats.repartitions++;
    if (violated >= 0)
        bl_formulation_warn_violated(form, violated, own->r == rank);
    return BL_OK; /* y means the same */
}

static bl_status lagrange_explain(bl_formulation *form) {
    lagrange *own = form->own;
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    if (own->refused == BL_NOT_FINITE && own->refused_at >= 0)
        return bl_formulation_blame_not_finite(form, own->refused_at, own->refused_t);
    if (own->refused != BL_SINGULAR)
        return BL_OK;
    return bl_formulation_blame_singular(form, own->refused_t, own->refused_q, own->v, own->r);
}

static double lagrange_cost(const bl_size *size, int order) {
    double couples = size->full ? (double)size->freedoms * size->bodies : 0;
    /* by recursion: a body is worth some 16 entries, a pair of rows that close loops a sixth; they answer each other along the chains, so
     * that their matrix is full, and its factors cost with the cube */
    double rows = size->closing_rows;
    if (size->full && size->closings > 0)
        couples = 16.0 * size->bodies + 0.16 * rows * rows + 0.004 * rows * rows * rows;
    return order ? size->expand[0] * bl_size_order_share(order) : size->rate[0] + size->entry[0] * couples;
}

static const bl_param lagrange_params[] = {
    {.name = "mass",
     .type = BL_P_CHOICE,
     .choices = BL_RECURSION_WAYS,
     .help =
         "how masses come in: as a matrix, or, in relative coordinates, by recursion along the chains, with a matrix of the rows alone"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_lagrange = {
    .kind = {.name = "lagrange",
             .help = "index 1: accelerations and multipliers from one augmented system",
             .params = lagrange_params,
             .needs = BL_CAN_MASS,
             .gives =
                 BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_CAN_COEFFICIENT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_REFUSES_SINGULAR},
    .uses = BL_T | BL_G, /* M where it is made */
    .index = 1,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over where a step allows it, else refused",
    .setup = lagrange_setup,
    .to_y = bl_whole_to_y,
    .from_y = bl_whole_from_y,
    .rate = lagrange_rate,
    .cost = lagrange_cost,
    .expand = lagrange_expand,
    .review = lagrange_review,
    .project = lagrange_project,
    .accelerations = lagrange_accelerations,
    .spread = lagrange_spread,
    .explain = lagrange_explain,
    BL_RATE_STAGE_SLOTS,
    .destroy = lagrange_destroy,
};
