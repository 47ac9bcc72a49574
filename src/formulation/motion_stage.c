/* Residual, tangent and matrix of a stage. Rows of equilibrium are divided by ca, of states by czd (algebraic ones: cz), of constraints by
 * cc (cvc), so that the matrix tends to [M G^T; G 0] and A when the step becomes small, whatever the method. */
#include "formulation/motion.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

static bool same_point(const bl_stage *s) {
    return s->qe == s->qc && s->ve == s->vc && s->ce == s->cc && s->cv == s->cvc && s->te == s->tc;
}

/* a second evaluation point is only needed where equilibrium and constraints are at different configurations */
static bl_eval *constraint_point(bl_formulation *form, const bl_stage *stage) { return same_point(stage) ? &form->at_e : &form->at_c; }

/* out = base + factor x; returns whether out already had that value */
static bool moved(bl_index n, const double *restrict base, double factor, const double *restrict x, double *restrict out) {
    bl_index changed = 0;
    for (bl_index i = 0; i < n; i++) {
        double now = base[i] + factor * x[i];
        changed += !(now == out[i]);
        out[i] = now;
    }
    return changed == 0;
}

/* Quantities still valid where an iteration requests residual and tangent at one iterate, or moves velocities alone (central differences):
 * all that depend neither on a nor on lambda. The builder's own may depend on states as they do on positions. */
static uint32_t known_there(const bl_eval *e, bool same_q, bool same_v, bool same_z) {
    const uint32_t of_state = BL_OF_POSITION | BL_OWN_VELOCITY | BL_Q | BL_F | BL_C | BL_KC | BL_GV_X;
    uint32_t of_position = BL_OF_POSITION & ~(same_z ? 0u : (uint32_t)(BL_OWN_POSITION | BL_PHI | BL_B));
    return same_q ? e->have & (same_v && same_z ? of_state : of_position) : 0;
}

/* q = base (+) factor d */
static bool moved_positions(bl_formulation *form, const double *base, double factor, const double *d, double *q) {
    bl_motion *own = form->own;
    if (form->sys->facts & BL_FLAT)
        return moved(own->nv, base, factor, d, q);
    for (bl_index i = 0; i < own->nv; i++)
        own->moved[i] = factor * d[i];
    if (bl_system_retract(form->sys, base, own->moved, q) != BL_OK)
        q[0] = NAN; /* detected by the check of the residual */
    return false;
}

/* the guess is used in place, without copies */
static void move_to_guess(bl_formulation *form, const bl_stage *s) {
    bl_motion *own = form->own;
    bl_eval *e = &form->at_e;
    bl_formulation_move_to(form, s->te, s->qe, s->ve, s->ze);
    e->a = own->a_now = s->ae;
    own->zd_now = s->zde;
    e->lambda = own->lambda;
    e->q_from = e->q_to = NULL;
    own->discrete_now = own->point_known = false;
}

/* Moves at_e (and at_c) to x; evaluates nothing. */
static void move_to(bl_formulation *form, const bl_stage *s, const double *x) {
    bl_motion *own = form->own;
    if (s->at_guess && own->np == 0 && !s->q_from && (form->sys->facts & BL_FLAT)) {
        move_to_guess(form, s);
        return;
    }
    bl_index nv = own->nv, nz = own->nz;
    const double *d = x, *w = x + own->ow, *dz = x + nv;
    bl_eval *e = &form->at_e, *c = &form->at_c;
    bool here =
        own->point_known && !s->q_from && e->q == own->q && e->v == own->v && e->t == s->te && e->history == form->history && !e->q_from;
    bool same_q = moved_positions(form, s->qe, s->ce, d, own->q), same_v = moved(nv, s->ve, s->cv, w, own->v);
    moved(nv, s->ae, s->ca, w, own->a);
    bool same_z = moved(nz, s->ze, s->cz, dz, own->z) && e->z == own->z;
    moved(nz, s->zde, s->czd, dz, own->zd);
    own->a_now = own->a;
    own->zd_now = own->zd;
    uint32_t known = known_there(e, here && same_q, same_v, same_z);
    bl_formulation_move_to(form, s->te, own->q, own->v, own->z);
    e->have |= known;
    e->a = own->a;
    e->lambda = own->lambda;
    e->q_from = e->q_to = NULL;
    own->discrete_now = s->q_from != NULL;
    bool apart = !same_point(s);
    here = own->point_known && c->q == own->qc && c->v == own->vc && c->t == s->tc && c->history == form->history;
    own->point_known = true;
    same_q = same_v = false;
    if (apart || s->q_from) {
        same_q = moved_positions(form, s->qc, s->cc, d, own->qc);
        same_v = moved(nv, s->vc, s->cvc, w, own->vc);
    }
    if (s->q_from) {
        e->q_from = s->q_from;
        e->dissipation = s->dissipation;
        e->q_to = own->qc;
    }
    if (own->np == 0)
        return;
    for (bl_index k = 0; k < own->r; k++) {
        bl_index row = own->at.rows.kept[k];
        own->lambda[row] = x[own->ol + k] * own->at.rows.by[row];
        own->mu[row] = own->stabilized ? x[own->om + k] * own->at.rows.by[row] : 0;
    }
    if (apart) {
        known = known_there(c, here && same_q, same_v, own->nz == 0);
        c->t = s->tc;
        c->q = own->qc;
        c->v = own->vc;
        c->z = own->z;
        c->history = form->history;
        c->have = c->constant | known;
    }
}

/* Q and f at te, or their mean with those at t_other */
static bl_status eval_forces(bl_formulation *form, const bl_stage *s, const double **Q, const double **f) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    uint32_t want = (own->nv ? BL_Q : 0) | (own->nz ? BL_F : 0);
    BL_TRY(bl_system_eval(sys, e, want));
    *Q = e->Q;
    *f = e->f;
    if (s->w_other == 0 || !(sys->facts & BL_Q_OF_T))
        return BL_OK;
    for (bl_index i = 0; i < own->nv; i++)
        own->Q[i] = (1 - s->w_other) * e->Q[i];
    for (bl_index i = 0; i < own->nz; i++)
        own->f[i] = (1 - s->w_other) * e->f[i];
    uint32_t kept = e->have & ~want;
    e->t = s->t_other;
    e->have = e->constant;
    BL_TRY(bl_system_eval(sys, e, want));
    for (bl_index i = 0; i < own->nv; i++)
        own->Q[i] += s->w_other * e->Q[i];
    for (bl_index i = 0; i < own->nz; i++)
        own->f[i] += s->w_other * e->f[i];
    e->t = s->te;
    e->have = kept;
    *Q = own->Q;
    *f = own->f;
    return BL_OK;
}

/* r -= A x over columns first .. last, rows shifted */
static void subtract(const bl_pattern *pattern, const double *values, bl_index first, bl_index last, const double *x, bl_index least_row,
                     double *r) {
    for (bl_index j = first; j < last; j++) {
        double xj = x[j - first];
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            if (pattern->idx[k] >= least_row)
                r[pattern->idx[k] - least_row] -= values[k] * xj;
    }
}

/* rows of states: R[nz] = f - A zd */
static void balance_states(const bl_formulation *form, const double *f, double *R) {
    const bl_motion *own = form->own;
    const double *A = bl_state_rates_matrix(form);
    for (bl_index i = 0; i < own->nz; i++)
        R[i] = f[i] - (A ? 0 : own->zd_now[i]);
    if (A)
        subtract(&form->sys->pat_C, A, own->nv, own->n, own->zd_now, own->nv, R);
}

/* R[nv] = Q - M a by the builder in one pass, where M moves and is not needed by itself. BL_AGAIN: not available. */
static bl_status balance_at_once(bl_formulation *form, const bl_stage *s, double *R) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bool moves = own->nv > 0 && !(sys->facts & (BL_M_CONST | BL_IDENTITY));
    if (!moves || !sys->kind->demand || s->q_from || (s->w_other != 0 && (sys->facts & BL_Q_OF_T)))
        return BL_AGAIN;
    BL_TRY(sys->kind->demand(sys, &form->at_e, own->a_now, R));
    for (bl_index i = 0; i < own->nv; i++)
        R[i] = -R[i];
    if (own->nz)
        BL_TRY(bl_system_eval(sys, &form->at_e, BL_F));
    return BL_OK;
}

/* the same from Q and M */
static bl_status balance_apart(bl_formulation *form, const bl_stage *s, const double **f, double *R) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = own->nv;
    const double *Q;
    bool identity = sys->facts & BL_IDENTITY;
    BL_TRY(eval_forces(form, s, &Q, f));
    BL_TRY(bl_system_eval(sys, e, nv && !identity ? BL_M : 0));
    if (identity) {
        for (bl_index i = 0; i < nv; i++)
            R[i] = Q[i] - own->a_now[i];
    } else {
        memcpy(R, Q, (size_t)nv * sizeof *R);
        subtract(&sys->pat_M, e->M, 0, nv, own->a_now, 0, R);
    }
    return BL_OK;
}

bl_status bl_motion_balance(bl_formulation *form, const bl_stage *stage, double *R) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nv = own->nv;
    const double *f = e->f;
    bl_status status = balance_at_once(form, stage, R);
    if (status == BL_AGAIN)
        status = balance_apart(form, stage, &f, R);
    BL_TRY(status);
    BL_TRY(bl_system_eval(sys, e, own->np ? BL_G : 0));
    balance_states(form, f, R + nv);
    for (bl_index j = 0; j < (own->np ? nv : 0); j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++)
            R[j] -= e->G[k] * own->lambda[sys->pat_G.idx[k]];
    return BL_OK;
}

/* velocity rows in place of phi: (b - G v) / cvc, stabilized -mu */
static void velocity_residual(const bl_formulation *form, const bl_stage *s, const bl_eval *c, const double *x, double *r) {
    const bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index k = 0; k < own->r; k++) {
        bl_index row = own->at.rows.kept[k];
        if (bl_motion_at_velocity(form, row))
            r[own->ol + k] = own->stabilized ? -x[own->om + k] : c->b[row] * own->at.rows.by[row] / s->cvc;
    }
    for (bl_index j = 0; j < own->nv && !own->stabilized; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = G->idx[k], slot = own->at.rows.slot[row];
            if (slot >= 0 && bl_motion_at_velocity(form, row))
                r[own->ol + slot] -= c->G[k] * c->v[j] * own->at.rows.by[row] / s->cvc;
        }
}

static bl_status constraint_residual(bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *c = constraint_point(form, s);
    BL_TRY(bl_system_eval(sys, c, BL_PHI | BL_G | (own->stabilized || own->velocity_rows ? BL_B : 0)));
    for (bl_index k = 0; k < own->r; k++)
        r[own->ol + k] = -c->phi[own->at.rows.kept[k]] * own->at.rows.by[own->at.rows.kept[k]] / s->cc;
    if (own->velocity_rows)
        velocity_residual(form, s, c, x, r);
    if (!own->stabilized)
        return BL_OK;
    bl_index nv = own->nv;
    const double *v = c->v;
    double *rw = r + own->ow, *rm = r + own->om;
    for (bl_index k = 0; k < own->r; k++)
        rm[k] = c->b[own->at.rows.kept[k]] * own->at.rows.by[own->at.rows.kept[k]] / s->cvc;
    for (bl_index j = 0; j < nv; j++) {
        double pushed = 0; /* (G^T mu)_j */
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index row = sys->pat_G.idx[k], slot = own->at.rows.slot[row];
            if (slot < 0)
                continue;
            pushed += c->G[k] * own->mu[row];
            rm[slot] -= c->G[k] * v[j] * own->at.rows.by[row] / s->cvc;
        }
        rw[j] = x[own->ow + j] + pushed - x[j];
    }
    return BL_OK;
}

/* The balance with the mass of the last tangent, M_0 M^-1 (Q - M a) = M_0 (M^-1 Q - a): its zeros are the same, and the convergence of
 * Newton's iteration with kept tangents does not depend on the change of M since then (without it the contraction is that of M_0^-1 M - 1,
 * of first order in the step). */
static bl_status leveled_balance(bl_formulation *form, double *R) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bool itself = sys->can & BL_CAN_MSOLVE;
    BL_TRY(bl_system_eval(sys, e, (itself ? BL_FREE_ACC : BL_Q) | (own->nz ? BL_F : 0)));
    if (!itself)
        BL_TRY(bl_index1_accelerate(form, NULL));
    const double *a = itself ? e->a_free : own->at.x;
    memset(R, 0, (size_t)own->nv * sizeof *R);
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            R[sys->pat_M.idx[k]] += own->M[k] * (a[j] - own->a_now[j]);
    balance_states(form, e->f, R + own->nv);
    return BL_OK;
}

/* only forces, in the scaling of residuals */
static bl_status coasting_residual(bl_formulation *form, const bl_stage *s, double *r) {
    const bl_motion *own = form->own;
    const double *Q, *f, by_ca = 1 / s->ca, by_czd = own->nz ? 1 / s->czd : 0;
    BL_TRY(eval_forces(form, s, &Q, &f));
    own->vectors->scale(own->nv, by_ca, Q, r);
    own->vectors->scale(own->nz, by_czd, f, r + own->nv);
    return BL_OK;
}

bl_status bl_motion_residual(bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    bl_motion *own = form->own;
    form->stats.evaluations++;
    move_to(form, s, x);
    if (s->coasting && s->at_guess && own->np == 0)
        return coasting_residual(form, s, r);
    bool leveled = own->levels && own->tangent_known && !own->discrete_now && s->w_other == 0;
    BL_TRY(leveled ? leveled_balance(form, r) : bl_motion_balance(form, s, r));
    double by_ca = 1 / s->ca, by_czd = own->nz ? 1 / s->czd : 0;
    for (bl_index i = 0; i < own->nv; i++)
        r[i] *= by_ca;
    for (bl_index i = own->nv; i < own->n; i++)
        r[i] *= own->algebraic ? bl_motion_state_factor(own, s, i - own->nv) : by_czd;
    return own->np ? constraint_residual(form, s, x, r) : BL_OK;
}

bl_status bl_motion_tangent(bl_formulation *form, const bl_stage *s, const double *x) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_index nM = sys->pat_M.ptr[own->nv];
    form->stats.tangents++;
    memset(own->valid, 0, sizeof own->valid);
    move_to(form, s, x);
    bool moving = own->nv && !(sys->facts & BL_M_CONST);
    bl_index nK = own->held ? 0 : sys->pat_K.ptr[own->n], nC = own->held ? 0 : sys->pat_C.ptr[own->n];
    /* the derivative of a discrete gradient is available with equilibrium in the middle */
    bool differences = form->jacobian != BL_JACOBIAN_ANALYTIC || !(sys->can & BL_CAN_TANGENT) || (own->discrete_now && s->cc != 2 * s->ce);
    if (own->held) {
        /* nothing is multiplied by K or C */
    } else if (differences) {
        BL_TRY(bl_motion_differences(form, s));
    } else {
        bool along = !s->held; /* add the derivatives of M a and G^T lambda to K */
        BL_TRY(bl_system_eval(sys, e, BL_KC | (moving && along ? BL_MA_X : 0) | (own->np && along ? BL_GTL_X : 0)));
        if ((along || own->nz) && own->K != e->K) /* else it is never used */
            memcpy(own->K, e->K, (size_t)nK * sizeof(double));
        if (own->C != e->C)
            memcpy(own->C, e->C, (size_t)nC * sizeof(double));
        for (bl_index k = 0; moving && along && k < nK; k++)
            own->K[k] += e->Ma_x[k];
        for (bl_index k = 0; own->np && along && k < nK; k++)
            own->K[k] += e->GTl_x[k];
    }
    BL_TRY(bl_system_eval(sys, e, (own->nv ? BL_M : 0) | (own->np ? BL_G : 0)));
    if (own->M != e->M)
        memcpy(own->M, e->M, (size_t)nM * sizeof(double));
    own->tangent_known = true;
    if (own->np == 0)
        return BL_OK;
    size_t bytes = (size_t)sys->pat_G.ptr[own->nv] * sizeof(double);
    bl_eval *c = constraint_point(form, s);
    bool of_velocities = own->stabilized || own->velocity_rows;
    BL_TRY(bl_system_eval(sys, c, BL_G | (of_velocities ? BL_GV_X : 0)));
    memcpy(own->G_e, e->G, bytes);
    memcpy(own->G_c, c->G, bytes);
    if (of_velocities)
        memcpy(own->Gv_x, c->Gv_x, bytes);
    if (own->reduce)
        bl_motion_reduce_tangent(form, !same_point(s));
    return BL_OK;
}

/* ---- matrix */

static void add_constraints(const bl_formulation *form, const bl_stage *s, double *values) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    double velocity_ratio = s->cc / s->cvc;
    for (bl_index k = 0; k < G->ptr[own->nv]; k++) {
        if (own->slot_GT[k] < 0)
            continue;
        double factor = own->at.rows.by[G->idx[k]], g = own->G_c[k] * factor, moving = own->Gv_x[k] * factor * velocity_ratio;
        bool at_velocity = own->velocity_rows && bl_motion_at_velocity(form, G->idx[k]);
        values[own->slot_GT[k]] += own->G_e[k] * factor; /* for lambda / ca: solve multiplies by ca */
        if (own->slot_G[k] >= 0)
            values[own->slot_G[k]] += at_velocity ? g + moving : g;
        if (own->stabilized) {
            if (own->slot_Gmu[k] >= 0)
                values[own->slot_Gmu[k]] -= g;
            values[own->slot_Gv[k]] += g;
            values[own->slot_Gv_x[k]] += moving;
        }
    }
    for (bl_index k = 0; k < own->r && own->stabilized && own->velocity_rows; k++)
        if (own->slot_rest[k] >= 0)
            values[own->slot_rest[k]] = 1;
    /* compliant constraints: penalty times ca, so that the matrix does not depend on the step */
    for (bl_index k = 0; k < own->r && own->options.at.penalty > 0; k++)
        values[own->slot_corner[k]] = -bl_index1_compliance(&own->at, k, own->options.at.penalty);
    for (bl_index i = 0; i < (own->stabilized ? own->nv : 0); i++) {
        values[own->slot_move[i]] = 1;
        values[own->slot_move[own->nv + i]] = -1;
    }
}

/* c divided as row i of equilibrium or states is */
static inline double scaled(const bl_motion *own, const bl_stage *s, bl_index i, double c, double of_motion, double of_states) {
    if (i < own->nv)
        return of_motion;
    return own->algebraic ? c * bl_motion_state_factor(own, s, i - own->nv) : of_states;
}

static void assemble(const bl_formulation *form, const bl_stage *s, size_t count, double *values) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = own->nv, n = own->n;
    double by_ca = 1 / s->ca, by_czd = own->nz ? 1 / s->czd : 0;
    if (own->free) {
        bl_motion_free_values(form, s, values);
        return;
    }
    memset(values, 0, count * sizeof *values);
    for (bl_index k = 0; k < sys->pat_M.ptr[nv]; k++)
        values[own->slot_M ? own->slot_M[k] : k] += own->M[k];
    for (bl_index j = 0; j < (own->held ? 0 : n); j++) {
        double c = j < nv ? s->cv : s->czd, of_motion = c * by_ca, of_states = c * by_czd;
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            values[own->slot_C ? own->slot_C[k] : k] += scaled(own, s, sys->pat_C.idx[k], c, of_motion, of_states) * own->C[k];
        c = j < nv ? s->ce : s->cz;
        of_motion = c * by_ca;
        of_states = c * by_czd;
        for (bl_index k = sys->pat_K.ptr[j]; c != 0 && k < sys->pat_K.ptr[j + 1]; k++)
            values[own->slot_K ? own->slot_K[k] : k] += scaled(own, s, sys->pat_K.idx[k], c, of_motion, of_states) * own->K[k];
    }
    if (own->np)
        add_constraints(form, s, values);
}

/* the matrix kept for these numbers, or the one to replace: an empty one, else the least recently used */
static bool find_matrix(const bl_formulation *form, const double *key, int *which) {
    bl_motion *own = form->own;
    int oldest = 0;
    bool known = false;
    for (int k = 0; k < form->matrices && !known; k++) {
        known = own->valid[k] && memcmp(own->key[k], key, sizeof own->key[k]) == 0;
        if (known)
            oldest = k;
        else if (own->valid[oldest] && (!own->valid[k] || own->used[k] < own->used[oldest]))
            oldest = k;
    }
    *which = oldest;
    own->used[oldest] = ++own->uses;
    return known;
}

static bl_status analyze_stage(bl_formulation *form) {
    bl_motion *own = form->own;
    if (own->free) {
        BL_TRY(bl_linsol_create(form->ctx, form->linsol_spec, &form->linsol));
        form->linsol->product = bl_motion_free_product;
        form->linsol->product_user = form;
    }
    return bl_formulation_analyze(form, bl_motion_reduce_pattern(own), NULL, BL_REFUSE, form->rank_tolerance * system_rank_stage);
}

bl_status bl_motion_stage_setup(bl_formulation *form) {
    bl_motion *own = form->own;
    own->point_known = false; /* the history may have changed */
    if (form->matrices < 1)
        form->matrices = 1;
    if (!form->linsol)
        BL_TRY(analyze_stage(form));
    own->solver[own->present] = form->linsol;
    BL_TRY(bl_motion_reduce_matrices(form));
    return bl_motion_color(form);
}

bl_status bl_motion_matrix(bl_formulation *form, const bl_stage *s) {
    bl_motion *own = form->own;
    double key[7] = {s->ce, s->cv, s->ca, s->cc, s->cvc, s->cz, s->czd};
    int which;
    bool known = find_matrix(form, key, &which);
    if (own->present != which || !form->linsol) {
        own->solver[own->present] = form->linsol;
        own->present = which;
        form->linsol = own->solver[which];
    }
    if (known)
        return BL_OK;
    bool anew = !form->linsol;
    if (anew)
        BL_TRY(analyze_stage(form));
    own->solver[which] = form->linsol;
    memcpy(own->key[which], key, sizeof key); /* products need it while the solver tests them */
    own->valid[which] = false;
    size_t count = (size_t)own->pattern.ptr[form->nx];
    double *into = own->reduce ? bl_motion_reduce_room(own, which, &count) : own->values;
    if (own->values_brief)
        BL_TRY(BL_NEW(form->ctx, into, count));
    assemble(form, s, count, into);
    const double *values = into;
    bl_status status = own->reduce ? bl_motion_reduce_values(form, s, which, &values) : BL_OK;
    if (status == BL_OK)
        status = bl_formulation_factor(form, anew || !form->linsol->factored, values);
    if (status == BL_SINGULAR)
        bl_motion_reduce_blame(form);
    if (own->values_brief)
        bl_free(form->ctx, into);
    own->solver[which] = form->linsol; /* another solver may have been substituted */
    own->valid[which] = status == BL_OK;
    return status;
}

bl_status bl_motion_solve(bl_formulation *form, double *x) {
    bl_motion *own = form->own;
    form->stats.solves++;
    BL_TRY(own->reduce ? bl_motion_reduce_solve(form, own->present, x) : bl_linsol_solve(form->linsol, false, 1, x));
    for (bl_index k = 0; k < own->r; k++)
        x[own->ol + k] *= own->key[own->present][BL_KEY_CA];
    return BL_OK;
}

void bl_motion_subtract(bl_formulation *form, const double *u, const double *d, double *r) {
    const bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = own->nv;
    if (u) {
        subtract(&sys->pat_M, own->M, 0, nv, u, 0, r);
        subtract(&sys->pat_C, own->C, nv, own->n, u + nv, nv, r + nv);
    }
    if (d && own->free && bl_system_apply(sys, &form->at_e, BL_OP_K, 1, d, own->R0) == BL_OK)
        for (bl_index i = 0; i < nv; i++)
            r[i] -= own->R0[i];
    else if (d)
        subtract(&sys->pat_K, own->K, 0, nv, d, 0, r);
}

bl_status bl_motion_power(bl_formulation *form, const bl_stage *s, const double *x, double *power) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    *power = 0;
    if (!(sys->can & BL_CAN_ENERGY))
        return BL_OK;
    bool alone = sys->facts & BL_POWER_OF_V;
    if (alone && own->np == 0) {
        own->vectors->add(own->nv, s->ve, s->cv, x + own->ow, own->v);
        own->point_known = false;
        bl_formulation_move_to(form, s->te, s->qe, own->v, s->ze);
        BL_TRY(sys->kind->power(sys, e));
        *power = e->power;
        return BL_OK;
    }
    move_to(form, s, x);
    e->q_from = e->q_to = NULL;
    bool driven = own->np && (sys->facts & BL_RHEONOMIC);
    BL_TRY(alone ? sys->kind->power(sys, e) : bl_system_eval(sys, e, BL_Q));
    BL_TRY(bl_system_eval(sys, e, driven ? BL_B : 0));
    *power = e->power;
    for (bl_index i = 0; driven && i < own->np; i++)
        *power -= own->lambda[i] * e->b[i];
    return BL_OK;
}
