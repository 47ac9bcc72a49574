/* Build: the mechanism with its signals as held numbers, and the composite system around it. */
#include "signal/composite.h"
#include "signal/signal_limits.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names */

static void row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    bl_system_row_name(bl_composite_of(sys)->inner, row, part, npart, equation, nequation);
}

static void col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    const bl_composite *c = bl_composite_of(sys);
    if (col < sys->nv)
        bl_system_col_name(c->inner, col, name, nname);
    else
        snprintf(name, nname, "%s", c->model->signal[c->state[col - sys->nv]].name);
}

static void load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    bl_system_load_name(bl_composite_of(sys)->inner, load, name, nname);
}

static bool motion_name(const bl_system *sys, const double *x, char *name, size_t nname) {
    const bl_system *inner = bl_composite_of(sys)->inner;
    return inner->kind->motion_name(inner, x, name, nname);
}

static bl_status retract(const bl_system *sys, const double *q, const double *x, double *q_new) {
    return bl_system_retract(bl_composite_of(sys)->inner, q, x, q_new);
}

static bl_status local(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x) {
    return bl_system_local_near(bl_composite_of(sys)->inner, q, q_new, near, x);
}

static void not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    const bl_system *inner = bl_composite_of(sys)->inner;
    if (inner->kind->not_analytic)
        inner->kind->not_analytic(inner, why, nwhy, advice);
}

static void not_discrete(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    const bl_system *inner = bl_composite_of(sys)->inner;
    if (inner->kind->not_discrete)
        inner->kind->not_discrete(inner, why, nwhy, advice);
}

static void composite_destroy(bl_system *sys) {
    bl_composite *c = sys->own;
    bl_composite_free_patterns(c);
    bl_system_destroy(c->inner);
    bl_arena_destroy(&c->arena);
}

/* ---- states */

static bl_ramp *ramp_of(const bl_composite *c, double *number, bl_index input) { return (bl_ramp *)(void *)(number + c->ramp) + input; }

void bl_composite_input(const bl_composite *c, const double *number, bl_index input, double t, int order, size_t stride, double *value) {
    const bl_ramp *r = (const bl_ramp *)(const void *)(number + c->ramp) + input;
    double s = t - r->since, first = number[c->value + c->input[input]];
    double a[4] = {first + s * (r->c[0] + s * (r->c[1] + s * r->c[2])), r->c[0] + s * (2 * r->c[1] + 3 * s * r->c[2]),
                   r->c[1] + 3 * s * r->c[2], r->c[2]};
    if (t > r->end) {
        a[0] = r->next + r->rate * (t - r->end);
        a[1] = r->rate;
        a[2] = a[3] = 0;
    }
    for (int k = 0; k <= order; k++)
        value[(size_t)k * stride] = k < 4 ? a[k] : 0;
}

static void start_numbers(const bl_composite *c, bl_state *state) {
    const bl_model *model = c->model;
    double *number = bl_composite_set(c, state);
    memset(number, 0, (size_t)c->ndouble * sizeof *number);
    for (bl_index i = 0; i < model->nsignal; i++) {
        number[c->value + i] = model->signal[i].value;
        if (c->state_of[i] >= 0)
            state->z[c->state_of[i]] = model->signal[i].value;
    }
    for (bl_index k = 0; k < c->ninput; k++)
        *ramp_of(c, number, k) = (bl_ramp){.c = {model->signal[c->input[k]].rate}, .end = INFINITY};
}

static bl_status initial(const bl_system *sys, bl_state *state) {
    const bl_composite *c = bl_composite_of(sys);
    bl_state view = bl_composite_view(state);
    BL_TRY(bl_coords_initial(c->inner, &view));
    start_numbers(c, state);
    return BL_OK;
}

static bl_status set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    bl_state view = bl_composite_view(state);
    return bl_coords_set_positions(bl_composite_of(sys)->inner, at, &view);
}

static bl_status set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    bl_state view = bl_composite_view(state);
    return bl_coords_set_velocities(bl_composite_of(sys)->inner, at, &view);
}

const bl_coords_kind bl_coords_composite = {
    .kind = {"signals", "a mechanism with signals", NULL, 0, 0},
    .initial = initial,
    .set_positions = set_positions,
    .set_velocities = set_velocities,
};

bool bl_signal_has(const bl_system *sys) { return sys->kind->eval == bl_composite_eval; }

/* the composite system if it has input k; NULL with an error */
static const bl_composite *with_input(const bl_system *sys, bl_index k) {
    const bl_composite *c = bl_signal_has(sys) ? bl_composite_of(sys) : NULL;
    bl_index n = c ? c->ninput : 0;
    if (k >= 0 && k < n)
        return c;
    bl_fail(sys->ctx, BL_E_ARG, NULL, "there is no input number %d: the model has %d", (int)k, (int)n);
    return NULL;
}

static bl_status not_finite(const bl_composite *c, bl_index k) {
    return bl_fail(c->arena.ctx, BL_E_ARG, NULL, "input '%s' must be a finite number with a finite rate",
                   c->model->signal[c->input[k]].name);
}

bl_status bl_signal_set_input(const bl_system *sys, bl_state *state, bl_index k, double t, double value, double rate) {
    const bl_composite *c = with_input(sys, k);
    if (!c)
        return BL_E_ARG;
    if (!isfinite(value) || !isfinite(rate))
        return not_finite(c, k);
    double *number = bl_composite_set(c, state);
    number[c->value + c->input[k]] = value;
    *ramp_of(c, number, k) = (bl_ramp){.c = {rate}, .since = t, .end = INFINITY};
    return BL_OK;
}

bl_status bl_signal_lead_input(const bl_system *sys, bl_state *state, bl_index k, double t, double end, double value, double rate) {
    const bl_composite *c = with_input(sys, k);
    double now[2], h = end - t;
    if (!c)
        return BL_E_ARG;
    if (!isfinite(value) || !isfinite(rate))
        return not_finite(c, k);
    if (!(h > signal_shortest_lead * fabs(t)) || !isfinite(end)) {
        bl_fail(sys->ctx, BL_E_ARG, NULL, "input '%s' cannot be led to its value at t = %.17g: the present time is %.17g",
                c->model->signal[c->input[k]].name, end, t);
        bl_advise(sys->ctx, "give a later time");
        return BL_E_ARG;
    }
    double *number = bl_composite_set(c, state);
    bl_composite_input(c, number, k, t, 1, 1, now);
    double mean = (value - now[0]) / h;
    bl_ramp ramp = {.c = {now[1], (3 * mean - 2 * now[1] - rate) / h, (now[1] + rate - 2 * mean) / (h * h)},
                    .since = t,
                    .end = end,
                    .next = value,
                    .rate = rate};
    if (!isfinite(ramp.c[1]) || !isfinite(ramp.c[2]))
        return not_finite(c, k);
    number[c->value + c->input[k]] = now[0];
    *ramp_of(c, number, k) = ramp;
    return BL_OK;
}

double bl_signal_input(const bl_system *sys, const bl_state *state, bl_index k, double t, double *rate) {
    const bl_composite *c = bl_signal_has(sys) ? bl_composite_of(sys) : NULL;
    double now[2] = {NAN, 0};
    if (c && k >= 0 && k < c->ninput)
        bl_composite_input(c, bl_composite_numbers(c, state->history), k, t, 1, 1, now);
    if (rate)
        *rate = now[1];
    return now[0];
}

bool bl_signal_follows(const bl_system *sys, const bl_state *state, bl_index k, double t) {
    const bl_composite *c = bl_signal_has(sys) ? bl_composite_of(sys) : NULL;
    if (!c || k < 0 || k >= c->ninput)
        return false;
    const bl_ramp *r = (const bl_ramp *)(const void *)(bl_composite_numbers(c, state->history) + c->ramp) + k;
    return t < r->end && r->end < INFINITY;
}

bool bl_signal_drives(const bl_system *sys) { return bl_signal_has(sys) && bl_composite_of(sys)->drives; }

bool bl_signal_moves(const bl_system *sys, const bl_state *state) {
    const bl_composite *c = bl_signal_has(sys) ? bl_composite_of(sys) : NULL;
    for (bl_index k = 0; c && c->drives && k < c->ninput; k++) {
        double now[4];
        bl_composite_input(c, bl_composite_numbers(c, state->history), k, *state->t, 3, 1, now);
        if (now[1] != 0 || now[2] != 0 || now[3] != 0)
            return true;
    }
    return false;
}

bl_status bl_signal_timeless(bl_context *ctx, const bl_model *model, const char *study) {
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_DELAY)
            return bl_fail(ctx, BL_E_ABILITY, &model->signal[i].place, "%s are not available with delays", study);
    char what[96];
    snprintf(what, sizeof what, "%.80s are", study);
    bl_model_without_contacts(ctx, model, study);
    BL_TRY(bl_model_refuse_following(ctx, model, what));
    BL_TRY(bl_model_refuse_reactions(ctx, model, what));
    for (bl_index i = 0; i < model->naction; i++)
        if (model->action[i].sample)
            bl_warn(ctx, NAN, model->action[i].name, "controller '%s' is sampled: here its output keeps the value it has at the start",
                    model->action[i].name);
    return BL_OK;
}

const bl_system *bl_signal_inner(const bl_system *sys) { return bl_signal_has(sys) ? bl_composite_of(sys)->inner : sys; }

void bl_signal_inner_state(const bl_system *sys, const bl_state *state, bl_state *inner) {
    const bl_composite *c = bl_composite_of(sys);
    *inner->t = *state->t;
    *inner->work = *state->work;
    memcpy(inner->q, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(inner->v, state->v, (size_t)sys->nv * sizeof(double));
    memcpy(inner->lambda, state->lambda, (size_t)sys->np * sizeof(double));
    memcpy(inner->history, state->history, c->inner->history_bytes);
    const double *number = bl_composite_numbers(c, state->history);
    for (bl_index k = 0; k < c->nasked; k++)
        inner->u[k] = state->u[k];
    for (bl_index i = 0; i < c->model->nsignal; i++) {
        bl_index k = c->held_of[i], input = c->input_of[i];
        if (k < 0 || c->asked[i])
            continue;
        inner->u[k] = c->state_of[i] >= 0 ? state->z[c->state_of[i]] : number[c->value + i];
        if (input >= 0)
            bl_composite_input(c, number, input, *state->t, 0, 1, &inner->u[k]);
        if (c->delay_of[i] >= 0)
            inner->u[k] = bl_delay_value(c, number, c->delay_of[i], *state->t, NULL);
    }
}

bl_index bl_signal_of_state(const bl_system *sys, bl_index i, bl_index *held) {
    if (!bl_signal_has(sys) || i < 0 || i >= sys->nz)
        return -1;
    const bl_composite *c = bl_composite_of(sys);
    *held = c->held_of[c->state[i]];
    return c->state[i];
}

void bl_signal_copy(const bl_system *sys, bl_state *to, const bl_system *from_sys, const bl_state *from) {
    if (!bl_signal_has(sys) || !bl_signal_has(from_sys))
        return;
    const bl_composite *c = bl_composite_of(sys), *d = bl_composite_of(from_sys);
    if (c->ndouble != d->ndouble || sys->nz != from_sys->nz)
        return;
    memcpy(bl_composite_set(c, to), bl_composite_numbers(d, from->history), (size_t)c->ndouble * sizeof(double));
    if (sys->nz)
        memcpy(to->z, from->z, (size_t)sys->nz * sizeof(double));
}

/* ---- building */

/* which signals are what */
static bl_status sort_signals(bl_composite *c, const bl_held *held) {
    const bl_model *model = c->model;
    size_t n = (size_t)model->nsignal;
    BL_TRY(BL_ARENA_ARRAYS(&c->arena, BL_ARRAY(c->held, n + (size_t)c->nasked), BL_ARRAY(c->held_of, n), BL_ARRAY(c->asked, n),
                           BL_ARRAY(c->state, n), BL_ARRAY(c->state_of, n), BL_ARRAY(c->input, n), BL_ARRAY(c->input_of, n),
                           BL_ARRAY(c->delay_of, n)));
    for (bl_index i = 0; i < model->nsignal; i++)
        c->held_of[i] = c->state_of[i] = c->input_of[i] = c->delay_of[i] = -1;
    for (bl_index k = 0; k < c->nasked; k++) {
        c->held[k] = held[k];
        if (held[k].what != BL_HELD_SIGNAL)
            continue;
        c->held_of[held[k].ref] = k;
        c->asked[held[k].ref] = true;
    }
    return BL_OK;
}

/* held numbers of the inner system and states */
static bl_index hold_signals(bl_composite *c, bl_index *nstate) {
    const bl_model *model = c->model;
    bl_index nheld = c->nasked;
    for (bl_index i = 0; i < model->nsignal; i++) {
        const bl_signal_def *s = &model->signal[i];
        if (s->what == BL_SIGNAL_INPUT) {
            c->input_of[i] = c->ninput;
            c->input[c->ninput++] = i;
        }
        if (s->what == BL_SIGNAL_OUTPUT || c->held_of[i] >= 0)
            continue;
        if (s->what == BL_SIGNAL_STATE) {
            c->state_of[i] = *nstate;
            c->state[(*nstate)++] = i;
        }
        c->held_of[i] = nheld;
        c->held[nheld++] = (bl_held){.what = BL_HELD_SIGNAL, .ref = i, .value = s->value, .varies = s->what != BL_SIGNAL_HELD};
    }
    return nheld;
}

static void measure_laws(bl_composite *c) {
    for (bl_index l = 0; l < c->model->nlaw; l++) {
        const bl_law *law = &c->model->law[l];
        size_t work = bl_tape_work(law->tape);
        c->law_work = work > c->law_work ? work : c->law_work;
        c->law_in = (size_t)law->ninput > c->law_in ? (size_t)law->ninput : c->law_in;
    }
}

static bl_status describe_columns(bl_composite *c, bl_system *sys) {
    BL_TRY(BL_ARENA_NEW(&c->arena, c->col, (size_t)(sys->nv + sys->nz)));
    if (sys->nv)
        memcpy(c->col, c->inner->col, (size_t)sys->nv * sizeof *c->col);
    for (bl_index i = 0; i < sys->nz; i++)
        c->col[sys->nv + i] =
            (bl_col){.what = BL_COL_STATE, .order = 1, .owner = c->state[i], .scale = c->model->signal[c->state[i]].scale};
    sys->col = c->col;
    return BL_OK;
}

/* slots of the inner system are passed on; those it does not have remain empty */
static void make_kind(bl_composite *c) {
    const bl_system_kind *in = c->inner->kind;
    c->kind = (bl_system_kind){
        .kind = in->kind,
        .eval = bl_composite_eval,
        .apply = bl_composite_apply,
        .demand = in->demand ? bl_composite_demand : NULL,
        .retract = in->retract ? retract : NULL,
        .local = in->local ? local : NULL,
        .accept = bl_composite_accept,
        .hold = bl_composite_hold,
        .next_time = bl_composite_next_time,
        .jump = bl_composite_jump,
        .blows = bl_composite_blows,
        .blend = in->blend ? bl_composite_blend : NULL,
        .event_name = bl_composite_event_name,
        .turning = in->turning ? bl_composite_turning : NULL,
        .series = in->series ? bl_composite_series : NULL,
        .expansion_create = bl_composite_expansion_create,
        .expansion_destroy = bl_composite_expansion_destroy,
        .not_analytic = not_analytic,
        .not_discrete = not_discrete,
        .eval_create = bl_composite_eval_create,
        .eval_room = bl_composite_eval_room,
        .patterns = bl_composite_patterns,
        .eval_destroy = bl_composite_eval_destroy,
        .row_name = row_name,
        .col_name = col_name,
        .motion_name = in->motion_name ? motion_name : NULL,
        .load_name = in->load_name ? load_name : NULL,
        .destroy = composite_destroy,
    };
}

/* what the composite system takes over, and what it adds */
static void inherit(bl_composite *c, bl_system *sys) {
    const bl_system *in = c->inner;
    const bl_system_kind *kind = sys->kind;
    bl_context *ctx = sys->ctx;
    bl_index nz = sys->nz;
    void *own = sys->own;
    *sys = *in;
    sys->kind = kind;
    sys->ctx = ctx;
    sys->own = own;
    sys->nz = nz;
    sys->nu = c->nasked;
    sys->held = c->held;
    sys->nsignal = 0;
    sys->pat_S = (bl_pattern){0};
    sys->power_of_u = false;
    sys->lends = BL_ALL;
    bool delays = false;
    for (bl_index i = 0; i < c->model->nsignal; i++)
        delays = delays || c->model->signal[i].what == BL_SIGNAL_DELAY;
    sys->facts |= (c->ninput || delays ? BL_Q_OF_T : 0) | (nz ? BL_A_IDENTITY : 0);
    sys->facts &= ~(uint32_t)BL_POWER_OF_V;
    if (nz) {
        sys->facts &= ~(uint32_t)(BL_K_SYMMETRIC | BL_CK_CONST | BL_IDENTITY);
        sys->can &= ~(uint32_t)BL_CAN_DISCRETE;
        sys->zero &= ~(uint32_t)BL_F;
    }
}

static bl_status build(bl_composite *c, const char *spec, const bl_held *held, bl_system *sys) {
    const bl_model *model = c->model;
    BL_TRY(sort_signals(c, held));
    bl_index nheld = hold_signals(c, &sys->nz);
    BL_TRY(bl_coords_build_signals(sys->ctx, model, spec, c->held, nheld, c->state, sys->nz, &c->inner));
    make_kind(c);
    inherit(c, sys);
    BL_TRY(describe_columns(c, sys));
    measure_laws(c);
    c->drives = bl_model_driver_reading(model, 0, -1) >= 0;
    c->drives_states = bl_model_driver_of_state(model, NULL) >= 0;
    sys->facts |= c->drives_states ? BL_PHI_OF_Z : 0;
    c->base = (c->inner->history_bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    c->value = 0;
    c->ramp = c->value + model->nsignal;
    c->count = c->ramp + BL_RAMP_NUMBERS * c->ninput;
    c->begun = c->count + model->naction;
    c->ndouble = c->begun + 1;
    BL_TRY(bl_composite_events_build(c));
    BL_TRY(bl_delays_build(c));
    sys->history_bytes = c->base + (size_t)c->ndouble * sizeof(double);
    sys->facts |= BL_HISTORY;
    sys->nevent = c->inner->nevent + c->nwhen;
    sys->event = c->event;
    return bl_composite_patterns(sys, 0);
}

bl_status bl_signal_build(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld, bl_system **out) {
    if (model->nsignal == 0 && model->naction == 0)
        return bl_coords_build_held(ctx, model, spec, held, nheld, out);
    static const bl_system_kind begun = {.kind = {.name = "signals"}, .destroy = composite_destroy};
    BL_TRY(bl_system_create(ctx, &begun, sizeof(bl_composite), out));
    bl_composite *c = (*out)->own;
    c->coords = &bl_coords_composite;
    c->sys = *out;
    c->model = model;
    c->arena.ctx = ctx;
    c->nasked = nheld;
    bl_status status = build(c, spec, held, *out);
    if (status == BL_OK)
        (*out)->kind = &c->kind;
    return bl_system_made(status, out);
}
