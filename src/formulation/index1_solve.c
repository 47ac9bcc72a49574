/* The family of index 1 at one configuration: accelerations, rates, power series, projection, multipliers (index1.h). */
#include "formulation/formulation_limits.h"
#include "formulation/index1.h"

#include "dense/dense.h"
#include "kkt/spread.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PROJECTION_TIMES = 3, EXACT_TIMES = 6 }; /* solutions with compliant constraints */

/* ---- the system */

bl_status bl_index1_factor(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_eval *e = &form->at_e;
    if ((own->constant && own->factored) || own->ready || !own->solver->factor)
        return BL_OK;
    own->made = own->massless = false;
    BL_TRY(own->solver->factor(form));
    own->made = !own->weighing;
    own->made_t = e->t;
    memcpy(own->made_q, e->q, (size_t)form->sys->nq * sizeof *e->q);
    return BL_OK;
}

/* the same, unless done at exactly this configuration: the end of a step is the start of the next */
static bl_status factor_here(bl_formulation *form) {
    const bl_index1 *own = form->own;
    const bl_eval *e = &form->at_e;
    bool here = own->made && own->made_t == e->t && memcmp(own->made_q, e->q, (size_t)form->sys->nq * sizeof *e->q) == 0;
    return here ? BL_OK : bl_index1_factor(form);
}

static double compliance(const bl_index1 *own, bl_index k) {
    return bl_index1_compliance(own, k, own->options.stage ? BL_INDEX1_STAGE_PENALTY : own->options.penalty);
}

/* x[nrhs][nv + r]: (Q, c) in, (a, mu) out. The compliance of constraints is compensated `times` times by the multipliers found
 * (augmented Lagrangian). */
static bl_status respond(bl_formulation *form, int times, bl_index nrhs, double *x) {
    bl_index1 *own = form->own;
    size_t n = (size_t)own->nv, r = (size_t)own->rows.r;
    if (!own->solver->solve)
        return BL_OK;
    if (!(own->options.penalty > 0)) {
        form->stats.solves += nrhs;
        return nrhs ? own->solver->solve(form, nrhs, x) : BL_OK;
    }
    for (bl_index d = 0; d < nrhs; d++, x += n + r) {
        memcpy(own->right, x, (n + r) * sizeof *x);
        for (int k = 0; k < times; k++) {
            memcpy(own->carried, x + n, r * sizeof *x);
            memcpy(x, own->right, (n + r) * sizeof *x);
            for (size_t i = 0; i < r && k > 0; i++)
                x[n + i] -= compliance(own, (bl_index)i) * own->carried[i];
            form->stats.solves++;
            BL_TRY(own->solver->solve(form, 1, x));
        }
    }
    return BL_OK;
}

/* right-hand side of the kept rows */
static void load_rows(const bl_formulation *form, double sign, const double *values) {
    const bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    for (bl_index k = 0; k < rows->r; k++)
        own->x[own->nv + k] = sign * values[rows->kept[k]] * rows->by[rows->kept[k]];
}

/* y[r] += factor G x of the kept rows, scaled */
static void add_rows(const bl_formulation *form, double factor, const double *x, double *y) {
    const bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (rows->slot[G->idx[k]] >= 0)
                y[rows->slot[G->idx[k]]] += factor * form->at_e.G[k] * rows->by[G->idx[k]] * x[j];
}

/* ---- accelerations */

static bl_index first_not_finite(bl_index n, const double *x) {
    for (bl_index i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* records where and why an evaluation was refused */
static bl_status note(bl_formulation *form, bl_status status, double t, const double *q) {
    bl_index1 *own = form->own;
    own->refused = status;
    if (status != BL_OK) {
        own->refused_t = t;
        memcpy(own->refused_q, q, (size_t)form->sys->nq * sizeof *q);
        if (own->nz)
            memcpy(own->refused_z, form->at_e.z, (size_t)own->nz * sizeof *q);
    }
    return status;
}

bl_status bl_index1_accelerate(bl_formulation *form, const double *target) {
    bl_index1 *own = form->own;
    const bl_eval *e = &form->at_e;
    BL_TRY(note(form, bl_index1_factor(form), e->t, e->q));
    memcpy(own->x, e->Q, (size_t)own->nv * sizeof(double));
    load_rows(form, 1, target);
    BL_TRY(respond(form, own->options.times > 0 ? own->options.times : EXACT_TIMES, 1, own->x));
    bl_status status = bl_check_finite(form->ctx, "acceleration", e->t, own->nv + own->rows.r, own->x);
    if (status != BL_OK) { /* one force that is not finite spreads to all accelerations */
        own->refused_at = first_not_finite(own->nv, e->Q);
        if (own->refused_at < 0)
            own->refused_at = first_not_finite(own->nv, own->x);
    }
    return status;
}

/* target = c - 2 alpha (G v - b) - beta^2 phi */
static bl_status find_target(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    bl_eval *e = &form->at_e;
    double alpha, beta;
    own->options.feedback(form, &alpha, &beta);
    BL_TRY(bl_system_eval(form->sys, e, BL_PHI | BL_B | BL_G | BL_C));
    for (bl_index i = 0; i < own->np; i++)
        own->target[i] = e->c[i] + 2 * alpha * e->b[i] - beta * beta * e->phi[i];
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            own->target[G->idx[k]] -= 2 * alpha * e->G[k] * e->v[j];
    return BL_OK;
}

static bl_status solve_forces(bl_formulation *form) {
    bl_index1 *own = form->own;
    bool feedback = own->options.feedback && own->np > 0;
    if (feedback && !own->ready)
        BL_TRY(find_target(form));
    return bl_index1_accelerate(form, feedback ? own->target : form->at_e.c);
}

static bl_status spread(bl_formulation *form);

/* the multipliers of all rows from x, which is overwritten */
static bl_status all_multipliers(bl_formulation *form, double *lambda) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    BL_TRY(spread(form));
    for (bl_index i = 0; i < own->np; i++)
        lambda[i] = (rows->slot[i] >= 0 ? own->x[own->nv + rows->slot[i]] : own->s[-1 - rows->slot[i]]) * rows->by[i];
    return BL_OK;
}

static bl_status copy_solution(bl_formulation *form, double *a, double *lambda) {
    const bl_index1 *own = form->own;
    memcpy(a, own->x, (size_t)own->nv * sizeof *a);
    return all_multipliers(form, lambda);
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    bl_index1 *own = form->own;
    BL_TRY(solve_forces(form));
    own->ready = true;
    return copy_solution(form, a, lambda);
}

/* (a, mu) in x at the configuration of at_e; with normal loads the multipliers come from copy_solution */
static bl_status solve_configuration(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    e->q_from = e->q_to = NULL;
    bool driven = sys->facts & BL_RHEONOMIC;
    uint32_t of_rows = own->np ? BL_C | (driven ? BL_B : 0) : 0, of_matrix = own->solver->uses & ~(own->np ? 0u : (uint32_t)BL_G);
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_Q : 0) | (own->nz ? BL_F : 0) | of_rows | (own->constant ? 0 : of_matrix)));
    if (sys->nload == 0)
        return solve_forces(form);
    bl_status status = bl_loads_settle(form, solve_loaded);
    own->ready = false;
    return status;
}

/* Refuses a configuration too near to a singular one; stale pivots are replaced before a refusal. */
static bl_status judge(bl_formulation *form) {
    bl_index1 *own = form->own;
    bool doubled = form->redundant > own->rows.nd; /* redundant rows are kept */
    double share = !(own->options.penalty > 0) ? formulation_singular : doubled ? 0 : own->options.singular_at;
    if (own->options.stage || own->rows.r == 0)
        return BL_OK;
    double least_compliance = own->options.penalty > 0 ? INFINITY : 0;
    for (bl_index k = 0; k < own->rows.r && least_compliance > 0; k++)
        least_compliance = fmin(least_compliance, compliance(own, k));
    bool blind = least_compliance > 0 && doubled; /* eigenvalues are zero everywhere */
    if (!own->linsol)
        share = fmax(share, bl_near_singular_share(form));
    else if (!own->options.each_stage && !blind) { /* level in the solver's measure of pivots */
        double level = own->quality > 0 ? own->level * (own->linsol->stats.worst_pivot / own->quality) : own->level;
        BL_TRY(bl_near_singular_judge(form, own->linsol, own->first_row, own->rows.r, level, least_compliance));
    }
    if (own->quality >= share * own->level)
        return BL_OK;
    if (!own->linsol)
        return BL_SINGULAR;
    own->factored = false;
    BL_TRY(bl_index1_factor(form));
    return own->quality >= share * own->level ? BL_OK : BL_SINGULAR;
}

/* projects own->q and own->v onto the constraints */
static bl_status project_configuration(bl_formulation *form, double t, const double *z, double tolerance);

bl_status bl_index1_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    const bl_row_choice *rows = &own->rows;
    bl_eval *e = &form->at_e;
    bl_index nq = sys->nq, nv = own->nv, nz = own->nz;
    const double *q = y, *v = y + nq, *z = v + nv;
    form->stats.evaluations++;
    if (own->options.each_stage && own->np) {
        memcpy(own->q, q, (size_t)nq * sizeof *q);
        memcpy(own->v, v, (size_t)nv * sizeof *v);
        BL_TRY(note(form, project_configuration(form, t, z, formulation_projected_stage), t, own->q));
        q = own->q;
        v = own->v;
    }
    bl_formulation_move_to(form, t, q, v, z);
    own->refused_at = -1;
    bl_status status = solve_configuration(form);
    BL_TRY(note(form, status == BL_OK ? judge(form) : status, t, q));
    BL_TRY(bl_position_rate(form, v, rate));
    memcpy(rate + nq, own->x, (size_t)nv * sizeof *rate);
    BL_TRY(note(form, bl_state_rates_find(form, rate + nq + nv, &own->refused_at), t, q));
    double power = sys->nload ? bl_loads_power(form) : sys->can & BL_CAN_ENERGY ? e->power : 0;
    if (own->np && sys->nload == 0 && (sys->facts & BL_RHEONOMIC))
        for (bl_index k = 0; k < rows->r; k++)
            power -= own->x[own->nv + k] * rows->by[rows->kept[k]] * e->b[rows->kept[k]];
    rate[nq + nv + nz] = power;
    return BL_OK;
}

bl_status bl_index1_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(note(form, solve_configuration(form), *state->t, state->q));
    if (form->sys->nload == 0)
        return copy_solution(form, a, lambda);
    bl_loads_take(form, a, lambda);
    return BL_OK;
}

/* ---- power series */

static bl_status solve_order(bl_formulation *form, const double *Q, const double *c, double *a, double *lambda) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    memcpy(own->x, Q, (size_t)own->nv * sizeof(double));
    load_rows(form, 1, c);
    BL_TRY(respond(form, EXACT_TIMES, 1, own->x));
    memcpy(a, own->x, (size_t)own->nv * sizeof *a);
    memset(lambda, 0, (size_t)own->np * sizeof *lambda);
    for (bl_index k = 0; k < rows->r; k++)
        lambda[rows->kept[k]] = own->x[own->nv + k] * rows->by[rows->kept[k]];
    return BL_OK;
}

/* the same as a product with the inverse */
static bl_status multiply_order(bl_formulation *form, const double *Q, const double *c, double *a, double *lambda) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    bl_index nv = own->nv, r = rows->r;
    size_t n = (size_t)nv + (size_t)r;
    const double *restrict by = rows->by;
    double *restrict b = own->b, *restrict y = own->y;
    for (bl_index i = 0; i < nv; i++)
        b[i] = Q[i];
    for (bl_index k = 0; k < r; k++)
        b[nv + k] = c[rows->kept[k]] * by[rows->kept[k]];
    bl_dense_multiply(form->ctx, n, bl_dense_room(n), own->inverse, b, y);
    for (bl_index i = 0; i < nv; i++)
        a[i] = y[i];
    for (bl_index k = 0; k < rows->nd + rows->nout; k++)
        lambda[rows->dropped[k]] = 0;
    for (bl_index k = 0; k < r; k++)
        lambda[rows->kept[k]] = y[nv + k] * by[rows->kept[k]];
    form->stats.solves++;
    return BL_OK;
}

bl_status bl_index1_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex) {
    bl_index1 *own = form->own;
    const double *q = y, *v = y + own->nv, *z = v + own->nv;
    bl_formulation_move_to(form, t, q, v, z);
    BL_TRY(factor_here(form));
    BL_TRY(judge(form));
    bool products = own->b && !(own->options.penalty > 0);
    own->inverse = products ? bl_linsol_inverse_columns(own->linsol) : NULL;
    return (own->options.expand ? own->options.expand : bl_formulation_expand)(form, t, q, v, z,
                                                                               own->inverse ? multiply_order : solve_order, ex);
}

/* ---- projection */

/* dq = argmin dq^T W dq with G dq = -phi, repeated; then v = argmin (v - v0)^T W (v - v0) with G v = b; W = M or the identity */
static bl_status project_onto(bl_formulation *form, double t, const double *z, double tolerance) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t top = (size_t)own->nv * sizeof(double);
    /* stages satisfy the constraints to rounding: a larger violation would be an error of the first step, however short */
    double before = INFINITY, goal = own->options.stage ? DBL_EPSILON : fmin(tolerance, formulation_projected);
    for (int k = 0;; k++) {
        bl_formulation_move_to(form, t, own->q, own->v, z);
        BL_TRY(bl_system_eval(sys, e, BL_PHI | own->solver->uses));
        BL_TRY(bl_index1_factor(form));
        double drift = bl_formulation_kept_drift(form, e->phi);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (own->options.penalty > 0 && k >= formulation_projections_compliant && drift <= formulation_left_over)
            break; /* beside a singular configuration the weak rows are left as they are, and corrected behind it */
        if (k >= formulation_projections || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->x, 0, top);
        load_rows(form, -1, e->phi);
        BL_TRY(respond(form, PROJECTION_TIMES, 1, own->x));
        BL_TRY(bl_system_retract(sys, own->q, own->x, own->q));
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    memset(own->x, 0, top);
    load_rows(form, 1, e->b);
    add_rows(form, -1, own->v, own->x + own->nv);
    BL_TRY(respond(form, PROJECTION_TIMES, 1, own->x));
    for (bl_index j = 0; j < own->nv; j++)
        own->v[j] += own->x[j];
    return BL_OK;
}

static bl_status project_configuration(bl_formulation *form, double t, const double *z, double tolerance) {
    bl_index1 *own = form->own;
    own->weighing = own->options.identity;
    bl_status status = project_onto(form, t, z, tolerance);
    own->weighing = false;
    return status;
}

bl_status bl_index1_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_index1 *own = form->own;
    size_t bytes_q = (size_t)form->sys->nq * sizeof(double), bytes = (size_t)own->nv * sizeof(double);
    if (own->np == 0)
        return BL_OK;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->q, state->q, bytes_q);
    memcpy(own->v, state->v, bytes);
    BL_TRY(project_configuration(form, *state->t, state->z, tolerance));
    memcpy(state->q, own->q, bytes_q);
    memcpy(state->v, own->v, bytes);
    return BL_OK;
}

/* ---- multipliers of dropped rows */

/* A dropped row g_d is a combination L of the kept ones: [M G^T; G 0] [0; L] = [g_d; 0], with the matrix last factored. */
static bl_status combine(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    const bl_pattern *G = &form->sys->pat_G;
    size_t n = (size_t)own->nv + (size_t)rows->r;
    memset(own->L, 0, n * (size_t)rows->nd * sizeof(double));
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = G->idx[k], d = -1 - rows->slot[row];
            if (d >= 0 && d < rows->nd)
                own->L[(size_t)d * n + (size_t)j] = form->at_e.G[k] * rows->by[row];
        }
    return respond(form, EXACT_TIMES, rows->nd, own->L);
}

bl_status bl_index1_combine(bl_formulation *form, double *largest) {
    bl_index1 *own = form->own;
    size_t n = (size_t)own->nv + (size_t)own->rows.r;
    *largest = INFINITY;
    BL_TRY(bl_index1_factor(form));
    if (own->many) /* a new choice is cheaper than forming all of L */
        return BL_OK;
    BL_TRY(combine(form));
    *largest = 0;
    for (size_t k = 0; k < (size_t)own->rows.nd; k++)
        for (size_t i = (size_t)own->nv; i < n; i++)
            *largest = fmax(*largest, fabs(own->L[k * n + i]));
    return BL_OK;
}

/* products with L, one solution each: the matrix is symmetric */
static bl_status multiply_dropped(void *of, bool transposed, const double *x, double *y) {
    bl_formulation *form = of;
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    const bl_pattern *G = &form->sys->pat_G;
    double *rhs = own->many;
    memset(rhs, 0, ((size_t)own->nv + (size_t)rows->r) * sizeof *rhs);
    if (transposed) {
        memcpy(rhs + own->nv, x, (size_t)rows->r * sizeof *x);
        BL_TRY(respond(form, EXACT_TIMES, 1, rhs));
        memset(y, 0, (size_t)rows->nd * sizeof *y);
    }
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = G->idx[k], d = -1 - rows->slot[row];
            double g = form->at_e.G[k] * rows->by[row];
            if (d < 0 || d >= rows->nd)
                continue;
            if (transposed)
                y[d] += g * rhs[j];
            else
                rhs[j] += g * x[d];
        }
    if (transposed)
        return BL_OK;
    BL_TRY(respond(form, EXACT_TIMES, 1, rhs));
    memcpy(y, rhs + own->nv, (size_t)rows->r * sizeof *y);
    return BL_OK;
}

/* replaces the multipliers in x by those of all rows with the least sum of (lambda_i scale_i)^2, dropped ones in s */
static bl_status spread(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    if (rows->nd == 0)
        return BL_OK;
    if (own->many)
        return bl_kkt_spread_many(form, rows->nd, rows->r, multiply_dropped, own->s, own->x + own->nv, own->many + own->nv + rows->r);
    BL_TRY(combine(form));
    return bl_kkt_spread(rows->nd, own->nv + rows->r, own->nv, own->L, own->LL, own->s, own->x);
}

bl_status bl_index1_spread(bl_formulation *form, const bl_state *state, double *lambda) {
    bl_index1 *own = form->own;
    const bl_row_choice *rows = &own->rows;
    for (bl_index k = 0; k < rows->nd; k++)
        if (lambda[rows->dropped[k]] != 0)
            return BL_SINGULAR; /* from another choice of rows */
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(bl_index1_factor(form));
    for (bl_index k = 0; k < rows->r; k++)
        own->x[own->nv + k] = lambda[rows->kept[k]] / rows->by[rows->kept[k]];
    return all_multipliers(form, lambda);
}
