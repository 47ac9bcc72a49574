/* Accelerations, rates of states and multipliers at one place,
 *
 *     [ M  0  G^T ] [ a      ]   [ Q ]
 *     [ 0  A   0  ] [ zd     ] = [ f ],
 *     [ G  0   0  ] [ lambda ]   [ c ]
 *
 * and the projection onto the constraints with the same matrix. Algebraic states get the rate 0. */
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_PROJECTIONS = 20, GIVING_PROJECTIONS = 6, PROJECTION_TIMES = 3, EXACT_TIMES = 6 }; /* the last two where rows give way */
static const double STILL_PENALTY = 1e5; /* of kinds whose own one belongs to a step */
/* Pivots fall with the square of the distance to a singular position; below this share of the best level a place is too near. */
static const double SINGULAR_AT = 1e-6;
static const double LEFT_OVER = 1e-6; /* of rows that give way, after GIVING_PROJECTIONS */

static bl_status build_still(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    own->still_lent = own->np == 0 && own->nz == 0 && (sys->facts & BL_M_CONST) && (sys->facts & BL_FINE) && !own->way.identity;
    if (own->still_lent) {
        own->still = sys->pat_M;
        return BL_OK;
    }
    const bl_pattern *M = &sys->pat_M, *C = &sys->pat_C, *G = &sys->pat_G;
    bl_index nv = own->nv, n = own->n, nM = M->ptr[nv], nC = own->nz ? C->ptr[n] : 0, nG = own->np ? G->ptr[nv] : 0, npair = 0;
    size_t most = (size_t)nM + (size_t)nC + 2 * (size_t)nG + (size_t)n + (size_t)own->r;
    bl_index *row = NULL;
    BL_TRY(BL_NEW(ctx, own->still_M, most));
    own->still_A = own->still_M + nM;
    own->still_G = own->still_A + nC;
    own->still_GT = own->still_G + nG;
    bl_index *diagonal = own->still_diagonal = own->still_GT + nG;
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
    for (bl_index j = 0; j < n + own->r; j++)
        if ((j < nv && own->way.identity) || (j >= n && own->way.penalty > 0)) {
            row[npair] = col[npair] = j;
            diagonal[j] = npair++;
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

/* Masses of unknowns that each stand alone, none of them zero: accelerations are quotients. */
static bool quotients(const bl_formulation *form) {
    const bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    const uint32_t facts = BL_M_DIAGONAL | BL_M_CONST | BL_FINE;
    bool all = (sys->facts & facts) == facts && own->np == 0 && own->nz == 0 && (form->at_e.have & BL_M);
    for (bl_index i = 0; i < own->nv && all; i++)
        all = form->at_e.M[i] > 0;
    return all;
}

/* Masses of a mesh are positive definite and hardly differ from diagonal ones, whatever its size: some twenty products solve for
 * accelerations, which are asked for at the start and in samples, where factors would take as much memory as those of the stages. */
static const char *solver_of_masses(const bl_formulation *form) {
    enum { MANY = 10000 };
    const bl_motion *own = form->own;
    bool many = own->still_lent && (form->sys->facts & BL_FINE) && own->nv >= MANY;
    bool chosen = form->linsol_spec && strcmp(form->linsol_spec, "auto") != 0;
    return many && !chosen ? "cg:preconditioner=jacobi,tolerance=1e-13" : form->linsol_spec;
}

bl_status bl_motion_still_setup(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    own->still_identity = (sys->facts & BL_IDENTITY) && own->np == 0;
    own->still_constant = (sys->facts & BL_M_CONST) && own->np == 0;
    size_t nv = (size_t)own->nv, nq = (size_t)sys->nq, n = (size_t)own->n + (size_t)own->r, nnz = 0;
    own->still_quotients = !own->still_identity && quotients(form);
    if (!own->still_identity && !own->still_quotients) {
        BL_TRY(build_still(form));
        nnz = own->still_lent ? 0 : (size_t)own->still.ptr[n];
        BL_TRY(bl_linsol_create(ctx, solver_of_masses(form), &own->still_solver));
        BL_TRY(bl_linsol_analyze(own->still_solver, &own->still, NULL, BL_REFUSE, form->rank_tolerance * BL_RANK_KEPT));
    }
    BL_TRY(BL_NEW(ctx, own->still_values, nnz + 3 * n + 2 * nq + nv + (size_t)own->np));
    own->still_x = own->still_values + nnz;
    own->still_top = own->still_x + n;
    own->still_old = own->still_top + n;
    own->still_q = own->still_old + n;
    own->still_v = own->still_q + nq;
    own->refused_q = own->still_v + nv;
    own->target = own->refused_q + nq;
    if (own->nd > 0)
        BL_TRY(BL_NEW(ctx, own->least, (size_t)own->nd * (2 * n + (size_t)own->nd + 1)));
    return BL_OK;
}

double bl_motion_give(const bl_motion *own, bl_index k, double penalty) {
    double factor = own->row_factor[own->kept[k]];
    return own->way.raw ? factor * factor / penalty : 1 / (own->row_mass[own->kept[k]] * penalty);
}

static double give(const bl_motion *own, bl_index k) { return bl_motion_give(own, k, own->way.rate ? own->way.penalty : STILL_PENALTY); }

static bl_status factor_values(bl_formulation *form, const double *values) {
    bl_motion *own = form->own;
    bl_linsol *solver = own->still_solver;
    if (own->still_factored) {
        form->stats.refactors++;
        bl_status status = bl_linsol_refactor(solver, values);
        if (status != BL_SINGULAR)
            return status;
    }
    form->stats.factors++;
    BL_TRY(bl_linsol_factor(solver, values)); /* the old pivots do not hold */
    if (own->still_factored)
        bl_context_clear_error(form->ctx);
    own->still_factored = true;
    return BL_OK;
}

/* matrix of the place of at_e, factored */
static bl_status factor(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    if ((own->still_constant && own->still_factored) || own->still_ready)
        return BL_OK;
    bool moving_A = own->nz && !(sys->facts & BL_M_CONST);
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_M : 0) | (own->np ? BL_G : 0) | (moving_A ? BL_KC : 0)));
    const double *A = moving_A ? e->C : own->A;
    double *values = own->still_lent ? e->M : own->still_values;
    if (own->still_lent)
        return factor_values(form, values);
    memset(values, 0, (size_t)own->still.ptr[own->n + own->r] * sizeof *values);
    for (bl_index k = 0; k < sys->pat_M.ptr[own->nv] && !own->weighing; k++)
        values[own->still_M[k]] += e->M[k];
    for (bl_index j = 0; j < own->nv && own->weighing; j++)
        values[own->still_diagonal[j]] = 1;
    for (bl_index k = 0; k < own->r && own->way.penalty > 0; k++)
        values[own->still_diagonal[own->n + k]] = -give(own, k);
    bool identity = sys->facts & BL_IDENTITY;
    for (bl_index k = own->nz ? sys->pat_C.ptr[own->nv] : 0; own->nz && !identity && k < sys->pat_C.ptr[own->n]; k++)
        if (own->still_A[k] >= 0)
            values[own->still_A[k]] += A[k];
    bl_index nG = own->np ? sys->pat_G.ptr[own->nv] : 0;
    for (bl_index k = 0; k < nG; k++)
        if (own->still_G[k] >= 0)
            values[own->still_G[k]] = values[own->still_GT[k]] = e->G[k] * own->row_factor[sys->pat_G.idx[k]];
    for (bl_index j = own->nv; j < own->n; j++)
        if (own->algebraic[j - own->nv] || identity)
            values[own->still_diagonal[j]] = 1;
    return factor_values(form, values);
}

static void load_rows(const bl_formulation *form, double sign, const double *values) {
    bl_motion *own = form->own;
    for (bl_index k = 0; k < own->r; k++)
        own->still_x[own->n + k] = sign * values[own->kept[k]] * own->row_factor[own->kept[k]];
}

static bl_status solve(bl_formulation *form) {
    bl_motion *own = form->own;
    form->stats.solves++;
    return bl_linsol_solve(own->still_solver, false, 1, own->still_x);
}

/* Solves for the first n entries of still_x as right-hand side and rows sign x values. Where rows give way, what they gave is taken back
 * by the multipliers found: the augmented Lagrangian, repeated. */
static bl_status solve_rows(bl_formulation *form, double sign, const double *values, int times) {
    bl_motion *own = form->own;
    size_t top = (size_t)own->n * sizeof(double), rows = (size_t)own->r * sizeof(double);
    bool gives = own->way.penalty > 0;
    if (gives) {
        memcpy(own->still_top, own->still_x, top);
        memset(own->still_old, 0, rows);
    }
    for (int k = 0; k < (gives ? times : 1); k++) {
        if (k > 0) {
            memcpy(own->still_old, own->still_x + own->n, rows);
            memcpy(own->still_x, own->still_top, top);
        }
        load_rows(form, sign, values);
        for (bl_index i = 0; i < own->r && gives; i++)
            own->still_x[own->n + i] -= give(own, i) * own->still_old[i];
        BL_TRY(solve(form));
    }
    return BL_OK;
}

bl_status bl_motion_solve_rows(bl_formulation *form, const double *target, int times) {
    bl_motion *own = form->own;
    bl_eval *e = &form->at_e;
    memcpy(own->still_x, e->Q, (size_t)own->nv * sizeof(double));
    memcpy(own->still_x + own->nv, e->f, (size_t)own->nz * sizeof(double));
    for (bl_index i = 0; i < own->nz; i++)
        if (own->algebraic[i])
            own->still_x[own->nv + i] = 0;
    if (own->still_identity)
        return BL_OK;
    if (own->still_quotients) {
        BL_TRY(bl_system_eval(form->sys, e, BL_M));
        for (bl_index i = 0; i < own->nv; i++)
            own->still_x[i] /= e->M[i];
        form->stats.solves++;
        return bl_check_finite(form->ctx, "acceleration", e->t, own->n, own->still_x);
    }
    own->refused_t = e->t;
    own->refused = factor(form);
    BL_TRY(own->refused);
    own->worst = own->still_solver->stats.worst_pivot;
    BL_TRY(solve_rows(form, 1, target, times));
    return bl_check_finite(form->ctx, "acceleration", e->t, own->n + own->r, own->still_x);
}

bl_status bl_motion_feedback(bl_formulation *form, double alpha, double beta) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_B | BL_G | BL_C));
    for (bl_index i = 0; i < own->np; i++)
        own->target[i] = e->c[i] + 2 * alpha * e->b[i] - beta * beta * e->phi[i];
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++)
            own->target[sys->pat_G.idx[k]] -= 2 * alpha * e->G[k] * e->v[j];
    return BL_OK;
}

static bl_status spread(bl_formulation *form, double *lambda);

static bl_status solve_forces(bl_formulation *form) {
    bl_motion *own = form->own;
    return own->way.accelerate && own->np ? own->way.accelerate(form) : bl_motion_solve_rows(form, form->at_e.c, EXACT_TIMES);
}

/* a and the multipliers of all rows from still_x; spoils those there */
static bl_status hand_out(bl_formulation *form, double *a, double *lambda) {
    bl_motion *own = form->own;
    memcpy(a, own->still_x, (size_t)own->nv * sizeof *a);
    memset(lambda, 0, (size_t)own->np * sizeof *lambda);
    if (own->nd > 0)
        BL_TRY(spread(form, lambda));
    for (bl_index k = 0; k < own->r; k++)
        lambda[own->kept[k]] = own->still_x[own->n + k] * own->row_factor[own->kept[k]];
    return BL_OK;
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    bl_motion *own = form->own;
    BL_TRY(solve_forces(form));
    own->still_ready = true;
    return hand_out(form, a, lambda);
}

/* (a, zd, scaled multipliers) in still_x at the place of at_e; with normal loads the multipliers are those of hand_out */
static bl_status solve_still(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    e->q_from = e->q_to = NULL;
    bool driven = own->np && (sys->facts & BL_RHEONOMIC);
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_Q : 0) | (own->nz ? BL_F : 0) | (own->np ? BL_C : 0) | (driven ? BL_B : 0)));
    if (sys->nload == 0)
        return solve_forces(form);
    bl_status status = bl_loads_settle(form, solve_loaded);
    own->still_ready = false;
    return status;
}

/* positions and velocities in still_q and still_v onto the constraints */
static bl_status project_place(bl_formulation *form, double t, const double *z, double tolerance);

/* a place must not be too near to a singular one; stale pivots are given a second chance with new ones */
static bl_status judge(bl_formulation *form) {
    bl_motion *own = form->own;
    bool doubled = form->redundant > own->nd; /* redundant rows are kept */
    double share = own->way.penalty == 0 ? SINGULAR_AT : doubled ? 0 : own->way.singular_at;
    double gives = own->way.penalty > 0 && own->r > 0 ? INFINITY : 0;
    for (bl_index k = 0; k < own->r && gives > 0; k++)
        gives = fmin(gives, give(own, k));
    bool blind = gives > 0 && doubled; /* eigenvalues that are zero everywhere */
    if (own->way.rate && !own->way.each_place && !blind)
        BL_TRY(bl_wary_judge(form, own->still_solver, own->n, own->r, own->level, gives));
    if (!own->way.rate || own->r == 0 || own->worst >= share * own->level)
        return BL_OK;
    form->stats.factors++;
    BL_TRY(bl_linsol_factor(own->still_solver, own->still_values));
    own->worst = own->still_solver->stats.worst_pivot;
    return own->worst >= share * own->level ? BL_OK : BL_SINGULAR;
}

/* accelerations at a place that is not singular; keeps where it was refused */
static bl_status solve_regular(bl_formulation *form) {
    bl_motion *own = form->own;
    own->refused = solve_still(form);
    if (own->refused == BL_OK)
        own->refused = judge(form);
    if (own->refused != BL_OK) {
        own->refused_t = form->at_e.t;
        memcpy(own->refused_q, form->at_e.q, (size_t)form->sys->nq * sizeof(double));
    }
    return own->refused;
}

bl_status bl_motion_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nq = sys->nq, nv = own->nv, nz = own->nz;
    form->stats.evaluations++;
    const double *q = y, *v = y + nq, *z = v + nv;
    if (own->way.each_place && own->np) {
        memcpy(own->still_q, q, (size_t)nq * sizeof *q);
        memcpy(own->still_v, v, (size_t)nv * sizeof *v);
        own->weighing = own->way.identity;
        bl_status status = project_place(form, t, z, 1e-10);
        own->weighing = false;
        if (status == BL_SINGULAR) {
            own->refused = status;
            own->refused_t = t;
            memcpy(own->refused_q, own->still_q, (size_t)nq * sizeof *q);
        }
        BL_TRY(status);
        q = own->still_q;
        v = own->still_v;
    }
    bl_formulation_place(form, t, q, v);
    e->z = z;
    BL_TRY(solve_regular(form));
    BL_TRY(bl_position_rate(form, v, rate));
    memcpy(rate + nq, own->still_x, (size_t)(nv + nz) * sizeof *rate);
    double power = sys->nload ? bl_loads_power(form) : sys->can & BL_CAN_ENERGY ? e->power : 0;
    if (own->np && sys->nload == 0 && (sys->facts & BL_RHEONOMIC))
        for (bl_index k = 0; k < own->r; k++)
            power -= own->still_x[own->n + k] * own->row_factor[own->kept[k]] * e->b[own->kept[k]];
    rate[nq + nv + nz] = power;
    return BL_OK;
}

static bl_status solve_order(bl_formulation *form, const double *Q, const double *f, const double *c, double *a, double *zd,
                             double *lambda) {
    bl_motion *own = form->own;
    memcpy(own->still_x, Q, (size_t)own->nv * sizeof(double));
    memcpy(own->still_x + own->nv, f, (size_t)own->nz * sizeof(double));
    if (!own->still_identity)
        BL_TRY(solve_rows(form, 1, c, EXACT_TIMES));
    memcpy(a, own->still_x, (size_t)own->nv * sizeof *a);
    memcpy(zd, own->still_x + own->nv, (size_t)own->nz * sizeof *zd);
    memset(lambda, 0, (size_t)own->np * sizeof *lambda);
    for (bl_index k = 0; k < own->r; k++)
        lambda[own->kept[k]] = own->still_x[own->n + k] * own->row_factor[own->kept[k]];
    return BL_OK;
}

bl_status bl_motion_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex) {
    bl_motion *own = form->own;
    const double *q = y, *v = y + own->nv, *z = v + own->nv;
    bl_formulation_place(form, t, q, v);
    form->at_e.z = z;
    if (!own->still_identity)
        BL_TRY(factor(form));
    return (own->way.recursion ? own->way.recursion : bl_formulation_expand)(form, t, q, v, z, solve_order, ex);
}

/* A dropped row g_d is a combination L of the kept ones: [M G^T; G 0] [0; L] = [g_d; 0], with the matrix last factored. Where rows give way
 * it is repeated with what they gave, as in solve_rows. */
static bl_status combine(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    size_t n = (size_t)own->n + (size_t)own->r, nd = (size_t)own->nd;
    double *top = own->least + nd * (n + nd + 1);
    int times = own->way.penalty > 0 ? EXACT_TIMES : 1;
    memset(own->least, 0, n * nd * sizeof(double));
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index row = sys->pat_G.idx[k];
            if (own->place[row] < 0)
                own->least[(size_t)(-1 - own->place[row]) * n + (size_t)j] = form->at_e.G[k] * own->row_factor[row];
        }
    if (times > 1)
        memcpy(top, own->least, n * nd * sizeof(double));
    for (int m = 0; m < times; m++) {
        for (size_t d = 0; d < nd && m > 0; d++) {
            double *x = own->least + d * n, *lambda = x + own->n;
            memcpy(x, top + d * n, (size_t)own->n * sizeof(double));
            for (bl_index k = 0; k < own->r; k++)
                lambda[k] *= -give(own, k);
        }
        form->stats.solves += own->nd;
        BL_TRY(bl_linsol_solve(own->still_solver, false, own->nd, own->least));
    }
    return BL_OK;
}

bl_status bl_motion_combine(bl_formulation *form, double *largest) {
    bl_motion *own = form->own;
    size_t n = (size_t)own->n + (size_t)own->r;
    BL_TRY(factor(form));
    BL_TRY(combine(form));
    *largest = 0;
    for (size_t k = 0; k < (size_t)own->nd; k++)
        for (size_t i = (size_t)own->n; i < n; i++)
            *largest = fmax(*largest, fabs(own->least[k * n + i]));
    return BL_OK;
}

/* The multipliers in still_x spread over all rows with least sum of (lambda_i scale_i)^2. */
static bl_status spread(bl_formulation *form, double *lambda) {
    bl_motion *own = form->own;
    size_t n = (size_t)own->n + (size_t)own->r, nd = (size_t)own->nd;
    double *L = own->least, *LL = L + n * nd, *s = LL + nd * nd;
    BL_TRY(combine(form));
    BL_TRY(bl_formulation_spread(own->nd, (bl_index)n, own->n, L, LL, s, own->still_x));
    for (bl_index k = 0; k < own->nd; k++)
        lambda[own->dropped[k]] = s[k] * own->row_factor[own->dropped[k]];
    return BL_OK;
}

bl_status bl_motion_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    form->at_e.z = state->z;
    BL_TRY(solve_still(form));
    if (form->sys->nload == 0)
        return hand_out(form, a, lambda);
    bl_loads_take(form, a, lambda);
    return BL_OK;
}

/* dq = argmin dq^T W dq with G dq = -phi, repeated; then v = argmin (v - v0)^T W (v - v0) with G v = b; W = M or the identity */
static bl_status project_place(bl_formulation *form, double t, const double *z, double tolerance) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = own->nv;
    /* stages hold the constraints to rounding: a place that is less near would be an error of the first step, however short */
    double before = INFINITY, goal = own->way.rate ? fmin(tolerance, 1e-12) : DBL_EPSILON;
    for (int k = 0;; k++) {
        bl_formulation_place(form, t, own->still_q, own->still_v);
        e->z = z;
        BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_M));
        BL_TRY(factor(form));
        double drift = bl_formulation_kept_drift(form, e->phi);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (own->way.penalty > 0 && k >= GIVING_PROJECTIONS && drift <= LEFT_OVER)
            break; /* beside a singular position the weak rows stay as they are, and are set right behind it */
        if (k == MOST_PROJECTIONS || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->still_x, 0, (size_t)own->n * sizeof(double));
        BL_TRY(solve_rows(form, -1, e->phi, PROJECTION_TIMES));
        BL_TRY(bl_system_retract(sys, own->still_q, own->still_x, own->still_q));
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    memset(own->still_x, 0, (size_t)own->n * sizeof(double));
    if (own->weighing)
        memcpy(own->still_x, own->still_v, (size_t)nv * sizeof(double));
    for (bl_index j = 0; j < nv && !own->weighing; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            own->still_x[sys->pat_M.idx[k]] += e->M[k] * own->still_v[j];
    BL_TRY(solve_rows(form, 1, e->b, PROJECTION_TIMES));
    memcpy(own->still_v, own->still_x, (size_t)nv * sizeof(double));
    return BL_OK;
}

bl_status bl_motion_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_motion *own = form->own;
    size_t bytes_q = (size_t)form->sys->nq * sizeof(double), bytes = (size_t)own->nv * sizeof(double);
    if (own->np == 0)
        return BL_OK;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->still_q, state->q, bytes_q);
    memcpy(own->still_v, state->v, bytes);
    own->weighing = own->way.identity;
    bl_status status = project_place(form, *state->t, state->z, tolerance);
    own->weighing = false;
    BL_TRY(status);
    memcpy(state->q, own->still_q, bytes_q);
    memcpy(state->v, own->still_v, bytes);
    return BL_OK;
}

bl_status bl_motion_explain(bl_formulation *form) {
    bl_motion *own = form->own;
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    if (!own || own->refused != BL_SINGULAR)
        return BL_OK;
    if (own->level > 0 && own->r > 0) /* it was regular before */
        return bl_formulation_blame_singular(form, own->refused_t, own->refused_q, own->still_v, own->r);
    bl_fail(form->ctx, BL_E_NUMERIC, NULL,
            own->np ? "accelerations are not determined at t = %.9g: constraints lose rank, or a motion moves no mass"
                    : "the mass matrix is singular at t = %.9g: accelerations are not determined",
            own->refused_t);
    bl_advise(form->ctx, own->nz ? "states without a rate must be algebraic: a whole row of A zero" : "give mass to what can move");
    bl_blame(form->ctx, NULL, NULL, own->refused_t);
    return BL_E_NUMERIC;
}
