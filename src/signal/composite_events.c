/* Actions of a composite system: times are counted, never summed; at one instant all laws have the values just before it. The order of
 * what is due at the same time: delayed values, samples of controllers, other actions; of two that set the same number the later one
 * decides. */
#include "signal/composite.h"
#include "signal/signal_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- building */

static bl_status find_queues(bl_composite *c) {
    const bl_model *model = c->model;
    bl_index n = 0;
    for (bl_index i = 0; i < model->nassignment; i++)
        n += model->assignment[i].delay > 0;
    BL_TRY(BL_ARENA_NEW(&c->arena, c->queue, (size_t)n + 1));
    for (bl_index a = 0; a < model->naction; a++)
        for (bl_index i = model->action[a].first; i < model->action[a].first + model->action[a].count; i++) {
            if (!(model->assignment[i].delay > 0))
                continue;
            double waiting = floor(model->assignment[i].delay / model->action[a].period) + 2;
            if (waiting > signal_waiting)
                return bl_fail(c->arena.ctx, BL_E_MODEL, &model->assignment[i].place, "the delay of %g s is more than %.0f periods of %g s",
                               model->assignment[i].delay, signal_waiting, model->action[a].period);
            c->queue[c->nqueue++] = (bl_queue){.action = a, .assignment = i, .room = (bl_index)waiting, .first = c->ndouble};
            c->ndouble += 1 + (bl_index)waiting;
        }
    return BL_OK;
}

bl_status bl_composite_events_build(bl_composite *c) {
    const bl_model *model = c->model;
    bl_index inner = c->inner->nevent;
    BL_TRY(BL_ARENA_NEW(&c->arena, c->when, (size_t)model->naction + 1));
    for (bl_index a = 0; a < model->naction; a++)
        if (model->action[a].when == BL_ACTION_WHEN)
            c->when[c->nwhen++] = a;
    BL_TRY(BL_ARENA_NEW(&c->arena, c->event, (size_t)(inner + c->nwhen) + 1));
    for (bl_index k = 0; k < inner; k++)
        c->event[k] = bl_system_event(c->inner, k);
    for (bl_index k = 0; k < c->nwhen; k++)
        c->event[inner + k] =
            (bl_event_def){.what = BL_EVENT_ACTION, .direction = model->action[c->when[k]].direction, .owner = c->when[k], .scale = 1};
    return find_queues(c);
}

/* ---- times */

static double tolerance(double t) { return signal_together * fabs(t); }
static bool is_due(double time, double t) { return time <= t + tolerance(t); }

/* the next time of an action; INFINITY: none */
static double time_of(const bl_composite *c, const double *number, bl_index a) {
    const bl_action *action = &c->model->action[a];
    if (action->when == BL_ACTION_AT)
        return number[c->count + a] == 0 ? action->time : INFINITY;
    return action->when == BL_ACTION_EVERY ? action->time + number[c->count + a] * action->period : INFINITY;
}

/* the next time at which a delayed value takes effect */
static double effect_of(const bl_composite *c, const double *number, const bl_queue *q) {
    const bl_action *action = &c->model->action[q->action];
    double done = number[q->first];
    if (done >= number[c->count + q->action])
        return INFINITY; /* none is under way */
    return action->time + done * action->period + c->model->assignment[q->assignment].delay;
}

/* the end of a cubic that leads an input */
static const bl_ramp *ramp_at(const bl_composite *c, const double *number, bl_index input) {
    return (const bl_ramp *)(const void *)(number + c->ramp) + input;
}

/* inputs whose cubics have ended continue at the rate of the end; false: none */
static bool end_ramps(const bl_composite *c, double *number, double t) {
    bool ended = false;
    for (bl_index k = 0; k < c->ninput; k++) {
        bl_ramp *r = (bl_ramp *)(void *)(number + c->ramp) + k;
        if (!is_due(r->end, t))
            continue;
        number[c->value + c->input[k]] = r->next;
        *r = (bl_ramp){.c = {r->rate}, .since = r->end, .end = INFINITY};
        ended = true;
    }
    return ended;
}

/* the earliest time, and of those that are the same the last */
bl_status bl_composite_next_time(const bl_system *sys, const bl_state *state, double *t) {
    const bl_composite *c = bl_composite_of(sys);
    const double *number = bl_composite_numbers(c, state->history);
    double inner = INFINITY, first, last;
    bl_state view = bl_composite_view(state);
    if (c->inner->kind->next_time)
        BL_TRY(c->inner->kind->next_time(c->inner, &view, &inner));
    first = inner;
    for (bl_index a = 0; a < c->model->naction; a++)
        first = fmin(first, time_of(c, number, a));
    for (bl_index k = 0; k < c->nqueue; k++)
        first = fmin(first, effect_of(c, number, &c->queue[k]));
    for (bl_index k = 0; k < c->ninput; k++)
        first = fmin(first, ramp_at(c, number, k)->end);
    double delayed = bl_delays_next_time(c, number);
    first = fmin(first, delayed);
    last = is_due(delayed, first) ? fmax(first, delayed) : first;
    for (bl_index a = 0; a < c->model->naction; a++)
        if (is_due(time_of(c, number, a), first))
            last = fmax(last, time_of(c, number, a));
    for (bl_index k = 0; k < c->nqueue; k++)
        if (is_due(effect_of(c, number, &c->queue[k]), first))
            last = fmax(last, effect_of(c, number, &c->queue[k]));
    for (bl_index k = 0; k < c->ninput; k++)
        if (is_due(ramp_at(c, number, k)->end, first))
            last = fmax(last, ramp_at(c, number, k)->end);
    if (is_due(inner, first))
        last = fmax(last, inner);
    *t = last;
    return BL_OK;
}

/* ---- what happens */

typedef struct change {
    const bl_composite *c;
    const bl_eval *e; /* just before */
    double *number;   /* of the state */
    double *next;     /* [nsignal] */
    double t;
} change;

static bl_status value_of(const change *x, const bl_action *action, const bl_assignment *a, double *value) {
    const bl_composite *c = x->c;
    *value = a->law < 0 ? a->value : bl_composite_law(c, x->e, a->law);
    if (isfinite(*value))
        return BL_OK;
    bl_context *ctx = c->arena.ctx;
    bl_fail(ctx, BL_E_MODEL, &a->place, "%s sets '%s' to a value that is %s at t = %.9g", action->name, c->model->signal[a->signal].name,
            isnan(*value) ? "not a number" : "infinite", x->t);
    bl_advise(ctx, BL_ADVICE_NOT_FINITE);
    bl_blame(ctx, action->name, "set", x->t);
    return BL_E_MODEL;
}

static bl_queue *queue_of(const bl_composite *c, bl_index assignment) {
    for (bl_index k = 0; k < c->nqueue; k++)
        if (c->queue[k].assignment == assignment)
            return &c->queue[k];
    return NULL;
}

/* the impulse of an action, with the values just before */
static bl_status strike(const change *x, bl_index a) {
    const bl_composite *c = x->c;
    bl_composite_work *w = x->e->own;
    bl_index which = c->model->action[a].percussion;
    if (which < 0)
        return BL_OK;
    const bl_percussion_def *def = &c->model->percussion[which];
    bl_blow *blow = &w->blow[w->nblow++];
    *blow = (bl_blow){.contact = def->contact};
    for (bl_index k = 0; k < def->n; k++) {
        blow->impulse[k] = def->law[k] < 0 ? def->value[k] : bl_composite_law(c, x->e, def->law[k]);
        if (isfinite(blow->impulse[k]))
            continue;
        bl_context *ctx = c->arena.ctx;
        bl_fail(ctx, BL_E_MODEL, &def->place, "the percussion of %s is not a finite number at t = %.9g", c->model->action[a].name, x->t);
        bl_advise(ctx, BL_ADVICE_NOT_FINITE);
        bl_blame(ctx, c->model->action[a].name, "percussion", x->t);
        return BL_E_MODEL;
    }
    return BL_OK;
}

static bl_status act(const change *x, bl_index a) {
    const bl_composite *c = x->c;
    const bl_action *action = &c->model->action[a];
    for (bl_index i = action->first; i < action->first + action->count; i++) {
        const bl_assignment *set = &c->model->assignment[i];
        double value;
        BL_TRY(value_of(x, action, set, &value));
        if (set->delay > 0) {
            const bl_queue *q = queue_of(c, i);
            x->number[q->first + 1 + (bl_index)fmod(x->number[c->count + a], q->room)] = value;
        } else {
            x->next[set->signal] = value;
        }
    }
    return strike(x, a);
}

const bl_blow *bl_composite_blows(const bl_system *sys, const bl_eval *e, bl_index *n) {
    const bl_composite_work *w = e->own;
    (void)sys;
    *n = w->nblow;
    return w->blow;
}

/* counts on; refuses to go on where a period is lost in rounding */
static bl_status count(const change *x, bl_index a) {
    const bl_composite *c = x->c;
    const bl_action *action = &c->model->action[a];
    x->number[c->count + a]++;
    if (action->when != BL_ACTION_EVERY || !is_due(time_of(c, x->number, a), x->t))
        return BL_OK;
    bl_context *ctx = c->arena.ctx;
    bl_fail(ctx, BL_E_MODEL, &action->place, "%s: its period of %g s can no longer be counted at t = %.17g", action->name, action->period,
            x->t);
    bl_advise(ctx, "use a longer period");
    bl_blame(ctx, action->name, "every", x->t);
    return BL_E_MODEL;
}

static void take_delayed(const change *x) {
    const bl_composite *c = x->c;
    for (bl_index k = 0; k < c->nqueue; k++) {
        const bl_queue *q = &c->queue[k];
        double *done = &x->number[q->first];
        for (; is_due(effect_of(c, x->number, q), x->t); ++*done)
            x->next[c->model->assignment[q->assignment].signal] = x->number[q->first + 1 + (bl_index)fmod(*done, q->room)];
    }
}

/* all that is due at the time of the state */
static bl_status act_in_time(const change *x) {
    const bl_composite *c = x->c;
    take_delayed(x);
    for (int sample = 1; sample >= 0; sample--)
        for (bl_index a = 0; a < c->model->naction; a++)
            if (c->model->action[a].sample == sample && is_due(time_of(c, x->number, a), x->t)) {
                BL_TRY(act(x, a));
                BL_TRY(count(x, a));
            }
    return BL_OK;
}

/* the values just before: e is at the state */
static bl_status begin(const bl_system *sys, bl_eval *e, bl_state *state, change *x) {
    const bl_composite *c = bl_composite_of(sys);
    bl_composite_work *w = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_VARIABLES | BL_PROBES));
    bl_composite_follow(sys, e);
    w->nblow = 0;
    *x = (change){.c = c, .e = e, .number = bl_composite_set(c, state), .next = w->next, .t = *state->t};
    memcpy(w->next, w->signal, (size_t)c->model->nsignal * sizeof *w->next);
    return BL_OK;
}

/* writes the new numbers into the state; false: none changed */
static bool finish(const change *x, bl_state *state) {
    const bl_composite *c = x->c;
    bool changed = false;
    for (bl_index i = 0; i < c->model->nsignal; i++) {
        double *now = c->state_of[i] >= 0 ? &state->z[c->state_of[i]] : &x->number[c->value + i];
        if (c->input_of[i] >= 0 || c->delay_of[i] >= 0 || c->asked[i] || *now == x->next[i])
            continue;
        *now = x->next[i];
        changed = true;
    }
    return changed;
}

/* ---- drivers that follow signals: neither their values nor their rates may change at an instant */

static bl_status drivers_before(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_composite_work *w = e->own;
    if (!c->drives || sys->np == 0)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_B));
    memcpy(w->driven, e->phi, (size_t)sys->np * sizeof(double));
    memcpy(w->driven + sys->np, e->b, (size_t)sys->np * sizeof(double));
    return BL_OK;
}

static bl_status refuse_jump(const bl_system *sys, bl_index driver, double t, const char *what, double by) {
    const bl_model *model = bl_composite_of(sys)->model;
    const char *name = model->variable[model->driver[driver].variable].name;
    bl_fail(sys->ctx, BL_E_MODEL, &model->driver[driver].place, "the driver of %s jumps at t = %.9g: its %s changes by %.9g", name, t, what,
            by);
    bl_advise(sys->ctx, "no mass can follow this: let it follow a filter of second order, or an input that is led by cubics");
    bl_blame(sys->ctx, name, "driver", t);
    return BL_E_MODEL;
}

/* e is at the state after the change */
static bl_status drivers_after(const bl_system *sys, bl_eval *e) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_composite_work *w = e->own;
    if (!c->drives || sys->np == 0)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_B));
    double smallest = bl_system_smallest(sys);
    for (bl_index i = 0; i < sys->np; i++) {
        double phi = e->phi[i] - w->driven[i], b = e->b[i] - w->driven[sys->np + i];
        if (sys->row[i].what != BL_ROW_DRIVER)
            continue;
        if (!(fabs(phi) <= signal_driver_jump * (fabs(e->phi[i]) + smallest)))
            return refuse_jump(sys, sys->row[i].owner, e->t, "value", -phi);
        if (!(fabs(b) <= signal_driver_jump * (fabs(e->b[i]) + smallest)))
            return refuse_jump(sys, sys->row[i].owner, e->t, "rate", b);
    }
    e->have = e->constant;
    return BL_OK;
}

/* ---- slots */

/* values at the start that are laws */
static void start_laws(const bl_system *sys, bl_eval *e, const change *x) {
    const bl_composite *c = bl_composite_of(sys);
    for (bl_index i = 0; i < c->model->nsignal; i++)
        if (c->model->signal[i].start >= 0)
            x->next[i] = bl_composite_law(c, e, c->model->signal[i].start);
}

bl_status bl_signal_start(const bl_system *sys, bl_state *state) {
    const bl_composite *c = bl_signal_has(sys) ? bl_composite_of(sys) : NULL;
    bl_eval e = {0};
    change x;
    if (!c || !c->drives_states || bl_composite_numbers(c, state->history)[c->begun] != 0)
        return BL_OK;
    bl_status status = bl_eval_create(sys, BL_SEEN, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, state);
        status = begin(sys, &e, state, &x);
    }
    if (status == BL_OK) {
        start_laws(sys, &e, &x);
        finish(&x, state);
    }
    bl_eval_destroy(sys, &e);
    return status;
}

bl_status bl_composite_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_system *inner = c->inner;
    bl_state view = bl_composite_view(state);
    if (!e)
        return inner->kind->hold ? inner->kind->hold(inner, NULL, &view) : BL_OK;
    bl_composite_work *w = e->own;
    if (bl_composite_numbers(c, state->history)[c->begun] == 0) {
        change x;
        BL_TRY(drivers_before(sys, e));
        BL_TRY(begin(sys, e, state, &x));
        start_laws(sys, e, &x);
        finish(&x, state);
        e->have = e->constant;
        BL_TRY(begin(sys, e, state, &x));
        BL_TRY(act_in_time(&x));
        finish(&x, state);
        x.number[c->begun] = 1;
        e->have = e->constant;
        BL_TRY(bl_system_eval(sys, e, c->ndelay ? BL_VARIABLES | BL_PROBES : 0));
        bl_composite_follow(sys, e);
        bl_delays_begin(c, e, x.number);
        e->have = e->constant;
        BL_TRY(drivers_after(sys, e));
    }
    if (!inner->kind->hold)
        return BL_OK;
    bl_composite_follow(sys, e);
    w->inner.have = w->inner.constant;
    return inner->kind->hold(inner, &w->inner, &view);
}

bl_status bl_composite_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    const bl_composite *c = bl_composite_of(sys);
    const bl_system *inner = c->inner;
    bl_composite_work *w = e->own;
    bl_state view = bl_composite_view(state);
    bool changed = false, restart = false;
    BL_TRY(drivers_before(sys, e));
    if (c->ndelay) {
        BL_TRY(bl_system_eval(sys, e, BL_VARIABLES | BL_PROBES));
        bl_composite_follow(sys, e);
        bl_delays_before(c, e, w->delayed);
    }
    if (event < 0 || event >= inner->nevent) {
        change x;
        BL_TRY(begin(sys, e, state, &x));
        BL_TRY(event < 0 ? act_in_time(&x) : act(&x, c->when[event - inner->nevent]));
        changed = finish(&x, state) || w->nblow > 0;
        changed = (event < 0 && end_ramps(c, x.number, *state->t)) || changed;
        e->have = e->constant;
        event = -1; /* branches follow the new numbers; those whose time came change, too */
    }
    bl_composite_follow(sys, e);
    w->inner.have = w->inner.constant;
    bl_status status = inner->kind->jump ? inner->kind->jump(inner, &w->inner, &view, event) : BL_AGAIN;
    if (status != BL_OK && status != BL_AGAIN)
        return status;
    e->have = e->constant;
    if (c->ndelay) {
        double next = INFINITY;
        double *number = bl_composite_set(c, state);
        for (bl_index a = 0; a < c->model->naction; a++)
            next = fmin(next, time_of(c, number, a));
        BL_TRY(bl_system_eval(sys, e, BL_VARIABLES | BL_PROBES));
        bl_composite_follow(sys, e);
        BL_TRY(bl_delays_after(c, e, number, w->delayed, changed || status == BL_OK, next, &restart));
        e->have = e->constant;
    }
    BL_TRY(drivers_after(sys, e));
    return changed || restart || status == BL_OK ? BL_OK : BL_AGAIN;
}

bool bl_composite_blend(const bl_system *sys, bl_state *state, bl_index event, double share) {
    const bl_system *inner = bl_composite_of(sys)->inner;
    bl_state view = bl_composite_view(state);
    return event < inner->nevent && inner->kind->blend(inner, &view, event, share);
}

void bl_composite_event_name(const bl_system *sys, bl_index event, char *name, size_t nname) {
    const bl_composite *c = bl_composite_of(sys);
    if (event < c->inner->nevent && c->inner->kind->event_name)
        c->inner->kind->event_name(c->inner, event, name, nname);
    else if (event >= c->inner->nevent)
        snprintf(name, nname, "%s", c->model->action[c->when[event - c->inner->nevent]].name);
}
