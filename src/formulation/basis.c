/* Index 1 with full matrices: rows, memory, y, projection and the watch over the rank for every way of bl_basis. */
#include "formulation/basis.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_COORDINATES = 1000, MOST_PROJECTIONS = 20, BLOCK = 32 };
static const double LARGEST_L = 5; /* dropped rows larger than this in terms of kept ones: other rows are kept */

/* ---- QR */

size_t bl_qr_room(bl_index m, bl_index n) {
    return (size_t)m * (size_t)n + (size_t)n + (size_t)BLOCK * ((size_t)m + 1) + 2 * (size_t)n + 65 * 64 + 1;
}

double *bl_qr_place(bl_qr *qr, bl_index m, bl_index n, double *at, bl_index *pivot) {
    double *end = at + bl_qr_room(m, n);
    *qr = (bl_qr){.m = m, .n = n, .a = at, .tau = at + (size_t)m * (size_t)n, .pivot = pivot};
    qr->work = qr->tau + n;
    qr->nwork = (size_t)(end - qr->work);
    return end;
}

bl_status bl_qr_factor(bl_qr *qr, double *smallest) {
    for (bl_index j = 0; j < qr->n; j++)
        qr->pivot[j] = 0;
    *smallest = INFINITY;
    if (!bl_dense_qr_pivoted(qr->m, qr->n, qr->a, qr->pivot, qr->tau, qr->work, qr->nwork))
        return BL_SINGULAR;
    for (bl_index j = 0; j < qr->n; j++)
        *smallest = fmin(*smallest, fabs(qr->a[(size_t)j * (size_t)(qr->m + 1)]));
    return *smallest > 0 ? BL_OK : BL_SINGULAR;
}

void bl_qr_apply(bl_qr *qr, bool transposed, bl_index ncol, double *x) {
    bl_dense_qr_multiply(qr->m, ncol, qr->n, qr->a, qr->tau, transposed, x, qr->work, qr->nwork);
}

void bl_qr_solve(bl_qr *qr, double *b, double *x) {
    bl_dense_triangle_solve(BL_UPPER, false, qr->n, 1, qr->a, qr->m, b, qr->n);
    for (bl_index j = 0; j < qr->n; j++)
        x[qr->pivot[j] - 1] = b[j];
}

void bl_qr_solve_transposed(const bl_qr *qr, const double *c, double *p) {
    for (bl_index j = 0; j < qr->n; j++)
        p[j] = c[qr->pivot[j] - 1];
    bl_dense_triangle_solve(BL_UPPER, true, qr->n, 1, qr->a, qr->m, p, qr->n);
}

/* ---- mass */

void bl_basis_mass(const bl_formulation *form, const double *x, double *y) {
    const bl_system *sys = form->sys;
    memset(y, 0, (size_t)sys->nv * sizeof *y);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            bl_index i = sys->pat_M.idx[k];
            y[i] += sys->col[i].scale * form->at_e.M[k] * sys->col[j].scale * x[j];
        }
}

bl_status bl_basis_cholesky(bl_index n, double *a, double *diagonal) {
    for (bl_index i = 0; i < n; i++)
        diagonal[i] = a[(size_t)i * (size_t)(n + 1)];
    if (!bl_dense_llt(n, a))
        return BL_SINGULAR;
    for (bl_index i = 0; i < n; i++) {
        double pivot = a[(size_t)i * (size_t)(n + 1)];
        if (!(pivot * pivot > BL_BASIS_MASSLESS * diagonal[i]))
            return BL_SINGULAR;
    }
    return BL_OK;
}

/* ---- memory and rows */

static void basis_free(bl_formulation *form) {
    bl_basis *own = form->own;
    bl_context *ctx = form->ctx;
    bl_formulation_chosen(form, NULL, 0);
    bl_free(ctx, own->place);
    bl_free(ctx, own->GT);
    bl_free(ctx, own->more);
    bl_free(ctx, own->block);
    bl_free(ctx, own->list);
    memset(own, 0, sizeof *own);
}

void bl_basis_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    basis_free(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

/* which rows are kept, at the place of at_e; most: not more than these (off the constraints redundant rows look independent) */
static bl_status choose_rows(bl_formulation *form, bl_index most) {
    bl_basis *own = form->own;
    bl_index np = own->np, *order = NULL, rank = 0;
    BL_TRY(BL_NEW(form->ctx, own->place, 2 * (size_t)np));
    own->kept = own->place + np;
    BL_TRY(BL_NEW(form->ctx, order, (size_t)np + (size_t)own->nv));
    bl_status status = bl_formulation_rank(form, NULL, order, order + np, &rank);
    if (status == BL_OK) {
        rank = rank < most ? rank : most;
        status = bl_formulation_log_rank(form, order, rank, most == np ? BL_LOG_INFO : BL_LOG_DEBUG);
        for (bl_index i = 0; i < np; i++)
            own->place[order[i]] = i < rank ? 0 : -1;
    }
    bl_free(form->ctx, order);
    BL_TRY(status);
    own->r = rank;
    own->f = own->nv - rank;
    own->nd = np - rank;
    own->dropped = own->kept + rank;
    form->freedoms = own->f;
    form->redundant = own->nd;
    bl_index kept = 0, dropped = 0;
    for (bl_index i = 0; i < np; i++) {
        bool keep = own->place[i] >= 0;
        *(keep ? &own->kept[kept] : &own->dropped[dropped]) = i;
        own->place[i] = keep ? kept++ : -1 - dropped++;
    }
    bl_formulation_chosen(form, own->place, rank);
    return BL_OK;
}

static bl_status make_memory(bl_formulation *form) {
    bl_basis *own = form->own;
    size_t nv = (size_t)own->nv, nq = (size_t)form->sys->nq, r = (size_t)own->r, nd = (size_t)own->nd;
    BL_TRY(BL_NEW(form->ctx, own->GT, nv * r + 4 * nv + 2 * nq + 2 * r + nd * (r + nd + 1)));
    own->Q = own->GT + nv * r;
    own->a = own->Q + nv;
    own->force = own->a + nv;
    own->q = own->force + nv;
    own->v = own->q + nq;
    own->refused_q = own->v + nv;
    own->c = own->refused_q + nq;
    own->mu = own->c + r;
    own->L = own->mu + r;
    own->LL = own->L + nd * r;
    own->s = own->LL + nd * nd;
    return BL_OK;
}

/* ---- one place */

/* GT filled and factored at the place of at_e */
static bl_status factor(bl_formulation *form) {
    bl_basis *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *G = &sys->pat_G;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)own->nv;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_G));
    BL_TRY(bl_check_finite(form->ctx, "gradient of the constraints", e->t, own->np ? G->ptr[own->nv] : 0, e->G));
    memset(own->GT, 0, nv * (size_t)own->r * sizeof(double));
    for (bl_index j = 0; j < own->nv && own->r > 0; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index i = G->idx[k];
            if (own->place[i] >= 0)
                own->GT[(size_t)own->place[i] * nv + (size_t)j] = e->G[k] * sys->col[j].scale / sys->row[i].scale;
        }
    form->stats.factors++;
    own->massless = false;
    return own->way->factor(form);
}

/* right-hand side of the kept rows */
static void load_rows(bl_formulation *form, double sign, const double *values) {
    bl_basis *own = form->own;
    for (bl_index k = 0; k < own->r; k++)
        own->c[k] = sign * values[own->kept[k]] / form->sys->row[own->kept[k]].scale;
}

/* x = scale a for the right-hand side in Q and c */
static bl_status solve(bl_formulation *form, double *x) {
    bl_basis *own = form->own;
    form->stats.solves++;
    BL_TRY(own->way->accelerate(form, own->Q, own->c, own->a));
    for (bl_index i = 0; i < own->nv; i++)
        x[i] = form->sys->col[i].scale * own->a[i];
    return BL_OK;
}

/* mu of the kept rows, from Q and the a found last */
static bl_status multipliers(bl_formulation *form) {
    bl_basis *own = form->own;
    bl_basis_mass(form, own->a, own->force);
    for (bl_index i = 0; i < own->nv; i++)
        own->force[i] = own->Q[i] - own->force[i];
    form->stats.solves++;
    return own->way->multiply(form, own->force, own->mu);
}

static bl_status combine_dropped(bl_formulation *form);

/* where the way has factored */
static bl_status solve_forces(bl_formulation *form, double *a) {
    bl_basis *own = form->own;
    const bl_eval *e = &form->at_e;
    for (bl_index i = 0; i < own->nv; i++)
        own->Q[i] = form->sys->col[i].scale * e->Q[i];
    load_rows(form, 1, e->c);
    BL_TRY(solve(form, a));
    return bl_check_finite(form->ctx, "acceleration", e->t, own->nv, a);
}

/* the multipliers of all rows, from Q and the a found last */
static bl_status all_multipliers(bl_formulation *form, double *lambda) {
    bl_basis *own = form->own;
    BL_TRY(multipliers(form));
    if (own->nd > 0) {
        BL_TRY(combine_dropped(form));
        BL_TRY(bl_formulation_spread(own->nd, own->r, 0, own->L, own->LL, own->s, own->mu));
    }
    for (bl_index i = 0; i < own->np; i++)
        lambda[i] = (own->place[i] >= 0 ? own->mu[own->place[i]] : own->s[-1 - own->place[i]]) / form->sys->row[i].scale;
    return BL_OK;
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    BL_TRY(solve_forces(form, a));
    return all_multipliers(form, lambda);
}

/* at the place of at_e: ready to solve for accelerations, and where there are normal loads, solved */
static bl_status make_ready(bl_formulation *form) {
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_G | BL_Q | BL_C | (sys->facts & BL_RHEONOMIC ? BL_B : 0)));
    BL_TRY(factor(form));
    return sys->nload ? bl_loads_settle(form, solve_loaded) : BL_OK;
}

/* A coordinate that neither M nor G hold, at the place of at_e (evaluated): complete pivoting of [M; G] leaves it over. -1: none. */
static bl_status find_massless(bl_formulation *form, bl_index *col) {
    const bl_system *sys = form->sys;
    bl_index nv = sys->nv, m = nv + sys->np, rank = 0, *order = NULL;
    double *a = NULL, largest = 0;
    *col = -1;
    bl_status status = BL_NEW(form->ctx, a, (size_t)m * (size_t)nv);
    if (status == BL_OK)
        status = BL_NEW(form->ctx, order, (size_t)m + (size_t)nv);
    if (status == BL_OK) {
        for (bl_index j = 0; j < nv; j++)
            for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
                double *entry = &a[(size_t)j * (size_t)m + (size_t)sys->pat_M.idx[k]];
                *entry = sys->col[sys->pat_M.idx[k]].scale * form->at_e.M[k] * sys->col[j].scale;
                largest = fmax(largest, fabs(*entry));
            }
        for (bl_index j = 0; j < nv; j++) {
            for (bl_index i = 0; i < nv && largest > 0; i++)
                a[(size_t)j * (size_t)m + (size_t)i] /= largest;
            for (bl_index k = sys->np ? sys->pat_G.ptr[j] : 0; k < (sys->np ? sys->pat_G.ptr[j + 1] : 0); k++)
                a[(size_t)j * (size_t)m + (size_t)(nv + sys->pat_G.idx[k])] =
                    form->at_e.G[k] * sys->col[j].scale / sys->row[sys->pat_G.idx[k]].scale;
        }
        bl_rank_reveal(m, nv, a, NULL, NULL, NULL, form->rank_tolerance, order, order + m, &rank, NULL);
        if (rank < nv)
            *col = order[m + rank];
    }
    bl_free(form->ctx, a);
    bl_free(form->ctx, order);
    return status;
}

static bl_status massless(bl_formulation *form, double t) {
    char name[96] = "";
    bl_index col;
    BL_TRY(find_massless(form, &col));
    if (col >= 0)
        bl_system_col_name(form->sys, col, name, sizeof name);
    bl_fail(form->ctx, BL_E_MODEL, NULL,
            col >= 0 ? "a motion allowed by the constraints moves no mass: that of %s"
                     : "a motion allowed by the constraints moves almost no mass%s",
            name);
    bl_advise(form->ctx, "give mass or inertia to the bodies that can move alone, or hold them");
    bl_blame(form->ctx, name, "equation of motion", t);
    return BL_E_MODEL;
}

static bl_status set_up(bl_formulation *form, const bl_state *state, const bl_basis_way *way, bl_index most) {
    const bl_system *sys = form->sys;
    if (sys->nv > MOST_COORDINATES) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation %s works with full matrices: at most %d coordinates, the system has %d",
                form->kind->kind.name, (int)MOST_COORDINATES, (int)sys->nv);
        bl_advise(form->ctx, "lagrange and partition solve the same equations with sparse matrices");
        return BL_E_ABILITY;
    }
    if (!form->own) {
        bl_basis *fresh;
        BL_TRY(BL_NEW(form->ctx, fresh, 1));
        form->own = fresh;
    }
    basis_free(form);
    bl_basis *own = form->own;
    own->way = way;
    own->nv = sys->nv;
    own->np = sys->np;
    form->drifts = sys->np > 0;
    form->history = state->history;
    BL_TRY(bl_whole_weigh(form, true));
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M | BL_G));
    BL_TRY(choose_rows(form, most));
    BL_TRY(make_memory(form));
    BL_TRY(way->make(form));
    bl_status status = factor(form);
    own->level = own->checked = own->quality;
    return status == BL_SINGULAR ? massless(form, *state->t) : status;
}

bl_status bl_basis_setup(bl_formulation *form, const bl_state *state, const bl_basis_way *way) {
    return set_up(form, state, way, form->sys->np);
}

/* ---- y = (q, v, work) */

static bl_status try_rate(bl_formulation *form, const double *y, double *rate) {
    bl_basis *own = form->own;
    const bl_system *sys = form->sys;
    size_t nq = (size_t)sys->nq, nv = (size_t)own->nv;
    BL_TRY(make_ready(form));
    BL_TRY(solve_forces(form, rate + nq));
    if (own->r > 0 && !(own->quality >= fmax(BL_BASIS_SINGULAR_AT, sqrt(bl_wary_share(form))) * own->level))
        return BL_SINGULAR;
    BL_TRY(bl_position_rate(form, y + nq, rate));
    rate[nq + nv] = sys->nload ? bl_loads_power(form) : form->at_e.power;
    if (sys->nload == 0 && (sys->facts & BL_RHEONOMIC)) {
        BL_TRY(multipliers(form));
        for (bl_index k = 0; k < own->r; k++)
            rate[nq + nv] -= own->mu[k] / sys->row[own->kept[k]].scale * form->at_e.b[own->kept[k]];
    }
    return BL_OK;
}

bl_status bl_basis_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_basis *own = form->own;
    form->stats.evaluations++;
    bl_formulation_place(form, t, y, y + form->sys->nq);
    own->refused = try_rate(form, y, rate);
    if (own->refused != BL_OK) {
        own->refused_t = t;
        memcpy(own->refused_q, y, (size_t)form->sys->nq * sizeof *y);
    }
    return own->refused;
}

/* dq = argmin dq^T M dq with G dq = -phi, repeated; then v = argmin (v - v0)^T M (v - v0) with G v = b */
bl_status bl_basis_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_basis *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)own->nv;
    form->stats.projections++;
    form->history = state->history;
    memcpy(own->q, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(own->v, state->v, nv * sizeof(double));
    double before = INFINITY, goal = fmin(tolerance, 1e-12);
    for (int k = 0;; k++) {
        bl_formulation_place(form, *state->t, own->q, own->v);
        BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_M));
        BL_TRY(factor(form));
        double drift = bl_formulation_kept_drift(form, e->phi);
        if (drift <= goal || (drift >= 0.5 * before && drift <= tolerance))
            break;
        if (k == MOST_PROJECTIONS || !(drift < INFINITY))
            return BL_NO_CONVERGENCE;
        before = drift;
        memset(own->Q, 0, nv * sizeof(double));
        load_rows(form, -1, e->phi);
        BL_TRY(solve(form, own->force));
        BL_TRY(bl_system_retract(sys, own->q, own->force, own->q));
        form->stats.newton_iterations++;
    }
    BL_TRY(bl_system_eval(sys, e, BL_B));
    for (size_t i = 0; i < nv; i++)
        own->force[i] = own->v[i] / sys->col[i].scale;
    bl_basis_mass(form, own->force, own->Q);
    load_rows(form, 1, e->b);
    BL_TRY(solve(form, own->v));
    memcpy(state->q, own->q, (size_t)sys->nq * sizeof(double));
    memcpy(state->v, own->v, nv * sizeof(double));
    return BL_OK;
}

/* ---- redundant rows */

/* dropped rows as combinations L of the kept ones, where GT was factored: GT L = G_d^T */
static bl_status combine_dropped(bl_formulation *form) {
    bl_basis *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *G = &sys->pat_G;
    for (bl_index d = 0; d < own->nd; d++) {
        memset(own->force, 0, (size_t)own->nv * sizeof(double));
        for (bl_index j = 0; j < own->nv; j++)
            for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
                if (G->idx[k] == own->dropped[d])
                    own->force[j] = form->at_e.G[k] * sys->col[j].scale / sys->row[G->idx[k]].scale;
        form->stats.solves++;
        BL_TRY(own->way->multiply(form, own->force, own->L + (size_t)d * (size_t)own->r));
    }
    return BL_OK;
}

bl_status bl_basis_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(make_ready(form));
    return solve_loaded(form, a, lambda);
}

/* other rows when the kept ones grew dependent, or when dropped ones turn out to be needed */
bl_status bl_basis_review(bl_formulation *form, const bl_state *state) {
    bl_basis *own = form->own;
    own->level = fmax(own->level, own->quality);
    if (own->nd == 0)
        return BL_OK;
    bl_index violated = -1, rank = own->r;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    if (!own->warned)
        BL_TRY(bl_formulation_violated(form, own->place, &violated));
    if (violated < 0) {
        double largest = 0;
        own->checked = fmax(own->checked, own->quality);
        if (own->quality > 0.5 * own->checked)
            return BL_OK;
        own->checked = own->quality;
        BL_TRY(factor(form));
        BL_TRY(combine_dropped(form));
        for (size_t k = 0; k < (size_t)own->nd * (size_t)own->r; k++)
            largest = fmax(largest, fabs(own->L[k]));
        if (largest <= LARGEST_L)
            return BL_OK;
        bl_formulation_place(form, *state->t, state->q, state->v);
        BL_TRY(bl_formulation_rebase(form));
    }
    bool warned = own->warned;
    BL_TRY(set_up(form, state, own->way, violated >= 0 ? own->np : rank));
    own->warned = warned || (violated >= 0 && own->r == rank);
    form->stats.repartitions++;
    if (violated >= 0)
        bl_formulation_warn_violated(form, violated, own->r == rank);
    return BL_OK; /* y means the same */
}

bl_status bl_basis_explain(bl_formulation *form) {
    bl_basis *own = form->own;
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    if (!own || own->refused != BL_SINGULAR)
        return BL_OK;
    char part[96] = "", equation[128] = "";
    bl_index *order = NULL, rank = 0; /* the row of the smallest pivot */
    BL_TRY(BL_NEW(form->ctx, order, (size_t)own->np + (size_t)own->nv));
    bl_formulation_place(form, own->refused_t, own->refused_q, own->v);
    bl_status status = bl_system_eval(form->sys, &form->at_e, BL_G);
    if (status == BL_OK)
        status = bl_formulation_rank(form, NULL, order, order + own->np, &rank);
    if (status == BL_OK && own->r > 0)
        bl_system_row_name(form->sys, order[rank < own->r ? rank : own->r - 1], part, sizeof part, equation, sizeof equation);
    bl_free(form->ctx, order);
    BL_TRY(status);
    bl_fail(form->ctx, BL_E_NUMERIC, NULL,
            own->massless ? BL_SINGULAR_PLACE "%.9g: a motion that the constraints allow there moves no mass"
                          : BL_SINGULAR_PLACE "%.9g: the constraints lose their independence",
            own->refused_t);
    bl_advise(form->ctx, BL_ADVICE_PASS " where formulation %s cannot step over it", form->kind->kind.name);
    bl_blame(form->ctx, part, equation, own->refused_t);
    return BL_E_NUMERIC;
}
