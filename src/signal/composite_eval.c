/* Evaluation of a composite system: the inner one with its numbers u = (those of the caller, inputs at t, held numbers, states), whose
 * arrays it shares; the rows and columns of the states. */
#include "signal/composite.h"

#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

/* computed by the composite system itself; with states also the matrices of length nv + nz */
enum { OWN = BL_F | BL_EVENTS | BL_U | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE, OF_STATES = BL_KC | BL_MA_X | BL_GTL_X };
enum { K, C, MA_X, GTL_X, Q_U, EVENT, NMATRIX };

static uint32_t shared(const bl_system *sys) { return ~(uint32_t)(OWN | (sys->nz ? OF_STATES : 0)); }

/* what the inner system must evaluate for these quantities */
static uint32_t needs(const bl_system *sys, uint32_t want) {
    const bl_composite *c = bl_composite_of(sys);
    uint32_t ask = want & ~(uint32_t)(BL_F | BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE);
    if (want & BL_F)
        ask |= BL_SIGNALS;
    if ((want & BL_KC) && sys->nz)
        ask |= BL_U | BL_SIGNAL_X;
    if ((want & BL_U) && sys->nz)
        ask |= BL_SIGNAL_X;
    if (((want & BL_Q) && c->inner->power_of_u) || ((want & (BL_B | BL_C)) && c->drives && sys->nz))
        ask |= BL_SIGNALS;
    if ((want & BL_C) && c->drives_states)
        ask |= BL_SIGNAL_RATE;
    if ((want & BL_EVENTS) && c->nwhen)
        ask |= BL_VARIABLES | BL_PROBES;
    return ask;
}

/* ---- workspaces */

bl_status bl_composite_eval_create(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    BL_TRY(bl_eval_create(c->inner, 0, &w->inner));
    w->inner.keeps = e->keeps;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->u, 3 * c->inner->nu), BL_ARRAY(w->driven, 2 * sys->np),
                         BL_ARRAY(w->signal, c->model->nsignal), BL_ARRAY(w->next, c->model->nsignal),
                         BL_ARRAY(w->blow, c->model->npercussion), BL_ARRAY(w->in, c->law_in), BL_ARRAY(w->delayed, c->ndelay),
                         BL_ARRAY(w->work, c->law_work)));
    w->u_rate = w->u + c->inner->nu;
    return BL_OK;
}

void bl_composite_eval_destroy(const bl_system *sys, bl_eval *e) {
    bl_composite_work *w = e->own;
    if (!w)
        return;
    bl_eval_destroy(bl_composite_of(sys)->inner, &w->inner);
    for (int k = 0; k < NMATRIX; k++)
        bl_free(sys->ctx, w->matrix[k]);
    bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

/* the composite evaluation shows the arrays of the inner one */
static void share_arrays(bl_eval *e, const bl_eval *in) {
    e->T = in->T;
    e->M = in->M;
    e->G = in->G;
    e->W = in->W;
    e->Gv_x = in->Gv_x;
    e->K = in->K;
    e->C = in->C;
    e->Ma_x = in->Ma_x;
    e->GTl_x = in->GTl_x;
    e->pose = in->pose;
    e->wrench = in->wrench;
    e->driver_force = in->driver_force;
    e->relation_force = in->relation_force;
    e->load_now = in->load_now;
    e->variable = in->variable;
    e->variable_rate = in->variable_rate;
    e->probe = in->probe;
    e->probe_rate = in->probe_rate;
    e->field = in->field;
    e->push = in->push;
    e->contact = in->contact;
    e->spring_length = in->spring_length;
    e->spring_tension = in->spring_tension;
}

static bl_status new_matrix(const bl_system *sys, bl_composite_work *w, int which, size_t n) {
    bl_free(sys->ctx, w->matrix[which]);
    return BL_NEW(sys->ctx, w->matrix[which], n);
}

bl_status bl_composite_eval_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    bl_eval *in = &w->inner;
    size_t nK = sys->pat_K.ptr ? (size_t)sys->pat_K.ptr[sys->pat_K.ncol] : 0, n = (size_t)(sys->nv + sys->nz);
    in->keeps = e->keeps;
    BL_TRY(bl_eval_room(c->inner, needs(sys, fresh), in));
    if (fresh & BL_SEEN) /* all results for the user have memory together */
        BL_TRY(new_matrix(sys, w, EVENT, (size_t)sys->nevent));
    if (fresh & BL_U)
        BL_TRY(new_matrix(sys, w, Q_U, (size_t)sys->nu * n));
    if (sys->nz && (fresh & BL_KC)) {
        BL_TRY(new_matrix(sys, w, K, nK));
        BL_TRY(new_matrix(sys, w, C, (size_t)sys->pat_C.ptr[sys->pat_C.ncol]));
        for (bl_index i = 0; i < sys->nz; i++)
            w->matrix[C][c->A_slot[i]] = 1;
    }
    if (sys->nz && (fresh & BL_MA_X))
        BL_TRY(new_matrix(sys, w, MA_X, nK));
    if (sys->nz && (fresh & BL_GTL_X))
        BL_TRY(new_matrix(sys, w, GTL_X, nK));
    share_arrays(e, in);
    e->Q_u = w->matrix[Q_U];
    e->event = w->matrix[EVENT];
    if (sys->nz) {
        e->K = w->matrix[K];
        e->C = w->matrix[C];
        e->Ma_x = w->matrix[MA_X];
        e->GTl_x = w->matrix[GTL_X];
    }
    e->constant |= in->constant & shared(sys);
    return BL_OK;
}

/* ---- numbers */

void bl_composite_signals(const bl_composite *c, const bl_eval *e, double *value) {
    const bl_model *model = c->model;
    const double *number = bl_composite_numbers(c, e->history);
    for (bl_index i = 0; i < model->nsignal; i++) {
        bl_index k = c->input_of[i];
        value[i] = number ? number[c->value + i] : model->signal[i].value;
        if (c->asked[i])
            value[i] = e->u ? e->u[c->held_of[i]] : bl_held_now(&c->held[c->held_of[i]], e->t);
        else if (c->state_of[i] >= 0 && e->z)
            value[i] = e->z[c->state_of[i]];
        else if (k >= 0 && number)
            bl_composite_input(c, number, k, e->t, 0, 1, &value[i]);
        else if (c->delay_of[i] >= 0 && number)
            value[i] = bl_delay_value(c, number, c->delay_of[i], e->t, NULL);
    }
}

static void set_numbers(const bl_system *sys, const bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    bl_composite_signals(c, e, w->signal);
    for (bl_index k = 0; k < c->nasked; k++)
        w->u[k] = e->u ? e->u[k] : bl_held_now(&c->held[k], e->t);
    for (bl_index i = 0; i < c->model->nsignal; i++)
        if (c->held_of[i] >= 0)
            w->u[c->held_of[i]] = w->signal[i];
}

/* rates of u: of the caller's numbers, of inputs, and of the states, which are known */
static void set_rates(const bl_composite *c, const bl_eval *e) {
    bl_composite_work *w = e->own;
    const double *number = bl_composite_numbers(c, e->history);
    for (bl_index k = 0; k < c->inner->nu; k++)
        w->u_rate[k] = e->u_rate && k < c->nasked ? e->u_rate[k] : 0;
    memset(w->u + 2 * c->inner->nu, 0, (size_t)c->inner->nu * sizeof *w->u);
    for (bl_index i = 0; i < c->model->nsignal; i++) {
        if (c->asked[i] || c->held_of[i] < 0)
            continue;
        if (c->state_of[i] >= 0)
            w->u_rate[c->held_of[i]] = w->inner.signal[c->state_of[i]];
        else if (c->input_of[i] >= 0 && number) {
            double now[3];
            bl_composite_input(c, number, c->input_of[i], e->t, 2, 1, now);
            w->u_rate[c->held_of[i]] = now[1];
            w->u[2 * c->inner->nu + c->held_of[i]] = now[2];
        } else if (c->delay_of[i] >= 0 && number)
            bl_delay_value(c, number, c->delay_of[i], e->t, &w->u_rate[c->held_of[i]]);
    }
}

void bl_composite_follow(const bl_system *sys, bl_eval *e) {
    bl_composite_work *w = e->own;
    bl_eval *in = &w->inner;
    in->t = e->t;
    in->q = e->q;
    in->v = e->v;
    in->a = e->a;
    in->lambda = e->lambda;
    in->history = e->history;
    in->q_from = e->q_from;
    in->q_to = e->q_to;
    in->load = e->load;
    in->dissipation = e->dissipation;
    in->slow = e->slow;
    in->keeps = e->keeps;
    in->unseen = e->unseen;
    in->Q = e->Q;
    in->phi = e->phi;
    in->b = e->b;
    in->c = e->c;
    in->a_free = e->a_free;
    in->trial = e->trial;
    set_numbers(sys, e);
    in->u = w->u;
    in->u_rate = NULL;
    in->u_order = 0;
    in->have = (e->have & shared(sys)) | in->constant;
    if (e->have & BL_F)
        in->have |= BL_SIGNALS;
}

/* Evaluates the quantities in the system of the mechanism; those that both systems share are then valid in both. */
static bl_status eval_inner(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    bl_eval *in = &w->inner;
    bool driven = c->drives && (want & (BL_B | BL_C));
    bool early = !(want & ~(uint32_t)BL_OF_POSITION & ~(uint32_t)BL_SIGNALS) && !(e->have & BL_OWN_VELOCITY);
    if (driven || ((want & BL_Q) && c->inner->power_of_u)) {
        if (sys->nz)
            BL_TRY(bl_system_eval(c->inner, in, BL_SIGNALS));
        set_rates(c, e);
        in->u_rate = w->u_rate;
    }
    if (driven) {
        in->u_order = 1 + ((want & BL_C) != 0);
        if ((want & BL_C) && c->drives_states)
            BL_TRY(bl_system_eval(c->inner, in, BL_SIGNAL_RATE));
        for (bl_index i = 0; (want & BL_C) && c->drives_states && i < sys->nz; i++)
            w->u[2 * c->inner->nu + c->held_of[c->state[i]]] = 0.5 * in->signal_rate[i];
    }
    BL_TRY(bl_system_eval(c->inner, in, want));
    if (driven && early) /* other velocities may follow at the same positions */
        in->have &= ~(uint32_t)(BL_OWN_VELOCITY | BL_SIGNALS);
    e->have |= in->have & shared(sys);
    e->kinetic = in->kinetic;
    e->potential = in->potential;
    e->dissipated = in->dissipated;
    e->power = in->power;
    share_arrays(e, in); /* it may have allocated more */
    if (sys->nz) {
        e->K = w->matrix[K];
        e->C = w->matrix[C];
        e->Ma_x = w->matrix[MA_X];
        e->GTl_x = w->matrix[GTL_X];
    }
    return BL_OK;
}

bl_state bl_composite_view(const bl_state *state) {
    bl_state view = *state;
    view.z = NULL;
    view.u = NULL;
    view.block = NULL;
    view.bytes = 0;
    return view;
}

/* ---- matrices with states */

static void spread(bl_index n, const bl_index *slot, const double *from, double *to) {
    for (bl_index k = 0; k < n; k++)
        to[slot[k]] = from[k];
}

static void eval_KC(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_composite_work *w = e->own;
    const bl_eval *in = &w->inner;
    bl_index nv = sys->nv, nz = sys->nz, nS = c->inner->pat_S.ptr[nz];
    memset(e->K, 0, (size_t)sys->pat_K.ptr[nv + nz] * sizeof(double));
    memset(e->C, 0, (size_t)sys->pat_C.ptr[nv + nz] * sizeof(double));
    spread(c->inner->pat_K.ptr[nv], c->K_slot, in->K, e->K);
    spread(c->inner->pat_C.ptr[nv], c->C_slot, in->C, e->C);
    for (bl_index i = 0; i < nz; i++) {
        const double *Q_z = in->Q_u + (size_t)c->held_of[c->state[i]] * (size_t)nv;
        const double *f_z = in->signal_u + (size_t)c->held_of[c->state[i]] * (size_t)nz;
        for (bl_index j = 0; j < nv; j++)
            e->K[c->K_by_z[i * nv + j]] = -Q_z[j];
        for (bl_index j = 0; j < nz; j++)
            e->K[c->K_f_z[i * nz + j]] = -f_z[j];
        e->C[c->A_slot[i]] = 1;
    }
    for (bl_index k = 0; k < nS; k++) {
        e->K[c->K_f_x[k]] = -in->signal_x[k];
        e->C[c->C_f_v[k]] = -in->signal_v[k];
    }
}

/* derivatives of (Q, f) with respect to the caller's numbers */
static void eval_U(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_composite_work *w = e->own;
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz;
    for (size_t k = 0; k < (size_t)c->nasked; k++) {
        if (nv)
            memcpy(e->Q_u + k * (nv + nz), w->inner.Q_u + k * nv, nv * sizeof(double));
        if (nz)
            memcpy(e->Q_u + k * (nv + nz) + nv, w->inner.signal_u + k * nz, nz * sizeof(double));
    }
}

/* ---- laws beside the equations */

double bl_composite_law(const bl_composite *c, const bl_eval *e, bl_index law) {
    const bl_composite_work *w = e->own;
    const bl_eval *in = &w->inner;
    const bl_instant now = {.t = e->t,
                            .variable = in->variable,
                            .rate = in->variable_rate,
                            .probe = in->probe,
                            .probe_rate = in->probe_rate,
                            .signal = w->signal};
    double value;
    bl_law_read(c->model, &c->model->law[law], &now, w->in);
    bl_tape_eval(c->model->law[law].tape, w->in, &value, w->work);
    return value;
}

static void eval_events(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_composite_work *w = e->own;
    bl_index first = c->inner->nevent;
    if (first)
        memcpy(e->event, w->inner.event, (size_t)first * sizeof(double));
    for (bl_index k = 0; k < c->nwhen; k++)
        e->event[first + k] = bl_composite_law(c, e, c->model->action[c->when[k]].law);
}

static bl_status check_rates(const bl_system *sys, const bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    bl_index i = bl_first_not_finite(sys->nz, e->f);
    if (i < 0)
        return BL_OK;
    const char *name = c->model->signal[c->state[i]].name;
    bl_fail(sys->ctx, BL_NOT_FINITE, NULL, "the rate of state '%s' is %s at t = %.9g", name, isnan(e->f[i]) ? "not a number" : "infinite",
            e->t);
    bl_advise(sys->ctx, BL_ADVICE_NOT_FINITE);
    bl_blame(sys->ctx, name, "rate", e->t);
    return BL_NOT_FINITE;
}

bl_status bl_composite_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    bl_eval *in = &w->inner;
    want &= ~e->have;
    bl_composite_follow(sys, e);
    BL_TRY(eval_inner(sys, e, needs(sys, want)));
    if ((want & BL_F) && sys->nz) {
        memcpy(e->f, in->signal, (size_t)sys->nz * sizeof(double));
        BL_TRY(check_rates(sys, e));
    }
    if (want & BL_EVENTS)
        eval_events(sys, e);
    if ((want & BL_U) && sys->nu)
        eval_U(sys, e);
    if (sys->nz == 0)
        return BL_OK;
    if (want & BL_KC)
        eval_KC(sys, e);
    if (want & BL_MA_X) {
        memset(e->Ma_x, 0, (size_t)sys->pat_K.ptr[sys->nv + sys->nz] * sizeof(double));
        spread(c->inner->pat_K.ptr[sys->nv], c->K_slot, in->Ma_x, e->Ma_x);
    }
    if (want & BL_GTL_X) {
        memset(e->GTl_x, 0, (size_t)sys->pat_K.ptr[sys->nv + sys->nz] * sizeof(double));
        spread(c->inner->pat_K.ptr[sys->nv], c->K_slot, in->GTl_x, e->GTl_x);
    }
    return BL_OK;
}

bl_status bl_signal_values(const bl_system *sys, bl_eval *e, double *value) {
    if (!bl_signal_has(sys))
        return BL_OK;
    const bl_composite *c = bl_composite_of(sys);
    const bl_model *model = c->model;
    bl_index noutput = 0;
    for (bl_index i = 0; i < model->nsignal; i++)
        noutput += model->signal[i].what == BL_SIGNAL_OUTPUT;
    if (noutput)
        BL_TRY(bl_system_eval(sys, e, BL_VARIABLES | BL_PROBES));
    bl_composite_follow(sys, e);
    bl_composite_signals(c, e, value);
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_OUTPUT)
            value[i] = bl_composite_law(c, e, model->signal[i].law);
    return BL_OK;
}

bl_status bl_signal_show(const bl_system *sys, bl_eval *e, const double **value) {
    *value = NULL;
    if (!bl_signal_has(sys))
        return BL_OK;
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    bl_index n = 0;
    BL_TRY(bl_signal_values(sys, e, w->next));
    for (bl_index i = 0; i < c->model->nsignal; i++)
        if (!c->model->signal[i].hidden)
            w->next[n++] = w->next[i];
    *value = w->next;
    return BL_OK;
}

/* ---- other slots */

bl_status bl_composite_apply(const bl_system *sys, bl_eval *e, bl_op op, bl_index nrhs, const double *x, double *y) {
    bl_composite_work *w = e->own;
    if (sys->nz && (op == BL_OP_K || op == BL_OP_C))
        return bl_system_multiply(sys, e, op, nrhs, x, y);
    bl_composite_follow(sys, e);
    BL_TRY(bl_system_apply(bl_composite_of(sys)->inner, &w->inner, op, nrhs, x, y));
    e->have |= w->inner.have & shared(sys);
    return BL_OK;
}

bl_status bl_composite_demand(const bl_system *sys, bl_eval *e, const double *a, double *force) {
    bl_composite_work *w = e->own;
    bl_composite_follow(sys, e);
    bl_status status = bl_composite_of(sys)->inner->kind->demand(bl_composite_of(sys)->inner, &w->inner, a, force);
    e->have |= w->inner.have & shared(sys);
    return status;
}

double bl_composite_turning(const bl_system *sys, bl_eval *e) {
    bl_composite_work *w = e->own;
    bl_composite_follow(sys, e);
    double bound = bl_composite_of(sys)->inner->kind->turning(bl_composite_of(sys)->inner, &w->inner);
    e->have |= w->inner.have & shared(sys);
    return bound;
}

bl_status bl_composite_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_system *inner = bl_composite_of(sys)->inner;
    bl_composite_work *w = e->own;
    bl_state view = bl_composite_view(state);
    if (!inner->kind->accept)
        return BL_OK;
    bl_composite_follow(sys, e);
    bl_status status = inner->kind->accept(inner, &w->inner, &view);
    e->have |= w->inner.have & shared(sys);
    return status;
}
