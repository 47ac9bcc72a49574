/* Events of a motion: found on dense output, crossed, armed again. */
#include "study/events.h"

#include "study/event_roots.h"
#include "study/sliding.h"
#include "study/study.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBES = 4, MORE_PROBES = 1000, MOST_HALVINGS = 120 };

static int sign_of(double x) { return (x > 0) - (x < 0); }

enum { ALL = -1 };

/* only: one function that is needed; the others may be wrong. ALL */
static bl_status values(bl_simulation *sim, const bl_state *state, double *event, bl_index only) {
    if (sim->sys->nevent == 0)
        return BL_OK;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_EVENTS));
    memcpy(event, sim->eval.event, (size_t)sim->sys->nevent * sizeof *event);
    for (bl_index i = 0; sim->nsliding && i < sim->sys->nevent; i++)
        if (bl_slides(sim, i))
            event[i] = 1; /* it stays on its switching surface */
    return sim->contacts.n ? bl_contacts_events(sim, state, event, only) : BL_OK;
}

/* ---- armed: the last sign of each function */

static bool switches(const bl_simulation *sim, bl_index i) {
    uint8_t what = bl_system_event(sim->sys, i).what;
    return what == BL_EVENT_SWITCH || what == BL_EVENT_KINK;
}

static bool of_contact(const bl_simulation *sim, bl_index i) { return bl_system_event(sim->sys, i).what == BL_EVENT_CONTACT; }

/* an open contact that its point has not to enter: it is beside the body */
static bool is_beside(const bl_simulation *sim, bl_index i) {
    if (!of_contact(sim, i) || bl_contact_event_of(sim, i) != BL_CONTACT_FIRST)
        return false;
    bl_index contact = bl_contact_of(sim, i);
    return bl_contact_states_of(sim->sys, sim->state.history)[contact].mode == BL_CONTACT_OPEN &&
           bl_contacts_behind(sim, contact, sim->event[i]);
}

/* A switch is inside its branch, or has just entered it; it cannot be outside. So is a contact in its mode. fresh: all events, else only
 * these. */
static bl_status arm(bl_simulation *sim, bool fresh) {
    BL_TRY(values(sim, &sim->state, sim->event, ALL));
    for (bl_index i = 0; i < sim->sys->nevent; i++)
        if (is_beside(sim, i))
            sim->state.armed[i] = -1;
        else if (switches(sim, i) || of_contact(sim, i))
            sim->state.armed[i] = sim->event[i] > 0;
        else if (fresh)
            sim->state.armed[i] = (signed char)sign_of(sim->event[i]);
    return BL_OK;
}

/* whether the function, with the sign `before`, fires at the value `now` */
static bool fires(const bl_simulation *sim, bl_index i, int before, double now) {
    bl_event_def def = bl_system_event(sim->sys, i);
    if ((switches(sim, i) || of_contact(sim, i)) && before == 0)
        return now < 0; /* it was on the switching surface and left its branch again */
    return before != 0 && sign_of(now) != before && (def.direction == 0 || def.direction == -before);
}

bool bl_events_let_go(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    if (!sim->holds || sim->let_go || sim->nsliding > 0)
        return false;
    sys->kind->hold(sys, NULL, &sim->state);
    sim->let_go = true;
    bl_formulation_forget(sim->form);
    return true;
}

/* selects the branches of laws */
static bl_status hold(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    if (!sys->kind->hold)
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(sys->kind->hold(sys, &sim->eval, &sim->state));
    if (memcmp(sim->step_history, sim->state.history, sys->history_bytes) == 0)
        return BL_OK;
    memcpy(sim->step_history, sim->state.history, sys->history_bytes);
    bl_formulation_forget(sim->form);
    return BL_OK;
}

bl_status bl_events_create(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    sim->event_hit = sim->crowd_last = sim->crowd_other = -1;
    for (bl_index i = 0; i < sys->nevent; i++)
        sim->holds = sim->holds || (sys->kind->hold && switches(sim, i));
    sim->next_time = sys->kind->next_time ? -INFINITY : INFINITY;
    if (sys->nevent > 0) {
        BL_TRY(BL_NEW(sim->ctx, sim->event, 3 * sys->nevent));
        sim->event_new = sim->event + sys->nevent;
        sim->event_end = sim->event_new + sys->nevent;
        BL_TRY(BL_NEW(sim->ctx, sim->direction, sys->nevent));
        for (bl_index i = 0; i < sys->nevent; i++)
            sim->direction[i] = bl_system_event(sys, i).direction;
        if (sys->kind->blend)
            BL_TRY(bl_sliding_create(sim));
        if (sim->integ->kind->kind.gives & BL_POLYNOMIAL)
            BL_TRY(bl_event_roots_create(sim->ctx, sys->nevent, &sim->roots));
    }
    BL_TRY(hold(sim));
    if (sim->contacts.n) { /* percussions at the start */
        bl_status status = bl_contacts_strike(sim);
        if (status != BL_OK && status != BL_AGAIN)
            return status;
    }
    return arm(sim, true);
}

bl_status bl_events_arm(bl_simulation *sim) {
    sim->next_time = sim->sys->kind->next_time ? -INFINITY : INFINITY;
    return arm(sim, true);
}

bl_status bl_events_hold(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    sim->let_go = false;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(sys->kind->hold(sys, &sim->eval, &sim->state));
    sim->next_time = sys->kind->next_time ? -INFINITY : INFINITY;
    bl_formulation_forget(sim->form);
    return arm(sim, false);
}

void bl_events_destroy(bl_simulation *sim) {
    bl_event_roots_destroy(sim->roots);
    bl_sliding_destroy(sim);
    bl_free(sim->ctx, sim->event);
    bl_free(sim->ctx, sim->direction);
}

/* ---- location */

/* to which a time is found, s */
static double goal_of(const bl_simulation *sim, double t) {
    return study_event_located * fmax(fabs(t), fabs(sim->integ->t - sim->integ->t_old));
}

static bl_status value_at(bl_simulation *sim, double t, bl_index which, double *value) {
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    BL_TRY(values(sim, &sim->at, sim->event_new, which));
    *value = sim->event_new[which];
    return BL_OK;
}

/* Narrows [t0, t1], where function `which` less the level has the values g0, g1 of different sign; t1 ends just after it. */
static bl_status locate(bl_simulation *sim, double t0, double g0, double t1, double g1, double level, bl_index which, double *t_event) {
    bl_bracket bracket;
    double t, value, goal = goal_of(sim, t1);
    bl_bracket_begin(&bracket, t0, g0, t1, g1);
    for (int k = 0; k < MOST_HALVINGS && bl_bracket_next(&bracket, goal, &t); k++) {
        BL_TRY(value_at(sim, t, which, &value));
        bl_bracket_take(&bracket, t, value - level);
    }
    *t_event = bracket.hi;
    return BL_OK;
}

/* Other functions that left zero before the event count from now on; those that go through zero with it keep the sign before. */
static void leave_zero(bl_simulation *sim) {
    for (bl_index i = 0; i < sim->sys->nevent; i++)
        if (i != sim->event_hit && sim->state.armed[i] == 0 && !switches(sim, i) && !(of_contact(sim, i) && sim->event[i] < 0))
            sim->state.armed[i] = (signed char)sign_of(sim->event[i]);
}

static bl_status gap_speed_at(bl_simulation *sim, double t, bl_index contact, double *speed) {
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    return bl_contacts_gap_speed(sim, &sim->at, contact, speed);
}

/* moves the state to t inside the step, which then ends there; the signs remain those before the event */
static bl_status move_to_event(bl_simulation *sim, double t) {
    bl_index n = sim->sys->nevent;
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    memcpy(sim->at.armed, sim->state.armed, (size_t)n * sizeof *sim->at.armed);
    bl_state_copy(sim->sys, &sim->state, &sim->at);
    BL_TRY(values(sim, &sim->state, sim->event, ALL));
    leave_zero(sim);
    return BL_EVENT;
}

static double time_of(const bl_simulation *sim, double x) { /* of [-1, 1] */
    const bl_integrator *integ = sim->integ;
    return x >= 1 ? integ->t : fmin(integ->t_old + (integ->t - integ->t_old) * (0.5 * x + 0.5), integ->t);
}

static bl_status events_at(void *user, double x, double *event) {
    bl_simulation *sim = user;
    if (x >= 1)
        return values(sim, &sim->state, event, ALL);
    BL_TRY(bl_simulation_dense(sim, time_of(sim, x), &sim->at));
    return values(sim, &sim->at, event, ALL);
}

/* signs after a step, or a piece of one, without an event; a function that is zero keeps the sign it had */
static void keep_signs(bl_simulation *sim, const double *now) {
    for (bl_index i = 0; i < sim->sys->nevent; i++)
        if (sign_of(now[i]) != 0)
            sim->state.armed[i] = (signed char)sign_of(now[i]);
}

/* over long steps: finds every sign change of the interpolated motion */
static bl_status find_by_roots(bl_simulation *sim) {
    const bl_integrator *integ = sim->integ;
    double x, step = integ->t - integ->t_old, spacing = nextafter(fabs(integ->t), INFINITY) - fabs(integ->t);
    bl_index which, n = sim->sys->nevent;
    for (bl_index i = 0; i < n; i++)
        sim->event[i] = switches(sim, i) || (of_contact(sim, i) && sim->state.armed[i] == 0) ? 1 : sim->state.armed[i];
    BL_TRY(bl_event_roots_first(sim->roots, events_at, sim, sim->event, sim->direction, 4 * spacing / step, &x, &which));
    sim->event_hit = which;
    if (which < 0 || x >= 1) {
        BL_TRY(values(sim, &sim->state, sim->event, ALL));
        if (which >= 0) {
            leave_zero(sim);
            return BL_EVENT;
        }
        keep_signs(sim, sim->event);
        return BL_OK;
    }
    return move_to_event(sim, time_of(sim, x));
}

/* the gap of an open contact */
static bool is_gap(const bl_simulation *sim, bl_index i) {
    return of_contact(sim, i) && bl_contact_event_of(sim, i) == BL_CONTACT_FIRST &&
           bl_contact_states_of(sim->sys, sim->state.history)[bl_contact_of(sim, i)].mode == BL_CONTACT_OPEN;
}

/* whether a function fires between two probes, with the value `now` at the second one */
static bool fires_between(const bl_simulation *sim, bl_index i, double now) {
    bool crosses = fires(sim, i, sim->state.armed[i], now);
    if (!is_gap(sim, i))
        return crosses;
    return crosses ? bl_contacts_approaches(sim, bl_contact_of(sim, i)) : bl_contacts_enters(sim, bl_contact_of(sim, i));
}

/* A gap became too small while its rate says that it grows: positions and velocities of a method agree to its error only. Then the contact
 * enters where the rate turns. */
static bl_status await_turn(bl_simulation *sim, bl_index contact, double t1, double *t) {
    bl_bracket bracket;
    double lo = *t, at_lo, at_hi, speed, goal = goal_of(sim, t1);
    BL_TRY(gap_speed_at(sim, lo, contact, &at_lo));
    BL_TRY(gap_speed_at(sim, t1, contact, &at_hi));
    if (!(at_lo > 0 && at_hi < 0))
        return BL_OK;
    bl_bracket_begin(&bracket, lo, at_lo, t1, at_hi);
    for (int k = 0; k < MOST_HALVINGS && bl_bracket_next(&bracket, goal, t); k++) {
        BL_TRY(gap_speed_at(sim, *t, contact, &speed));
        bl_bracket_take(&bracket, *t, speed);
    }
    *t = bracket.hi;
    return BL_OK;
}

/* Of the functions that fire between t0 and t1, with the values sim->event_new there, the first. Those that do so within the accuracy
 * of its time, as contacts of one face, change with it. */
static bl_status first_of(bl_simulation *sim, double t0, double t1) {
    bl_index n = sim->sys->nevent;
    memcpy(sim->event_end, sim->event_new, (size_t)n * sizeof *sim->event);
    sim->event_hit = -1;
    for (bl_index i = 0; i < n; i++) {
        int before = sim->state.armed[i];
        double level = 0, g1 = sim->event_end[i], t = sim->event_hit < 0 ? t1 : t1 - goal_of(sim, t1);
        if (!fires_between(sim, i, g1))
            continue;
        if (!fires(sim, i, before, g1)) /* what is inside already moves below the depth it had */
            level = fmin(sim->event[i], 0);
        before = before && !is_gap(sim, i) ? before : 1;
        if (sim->event_hit >= 0 && t > t0)
            BL_TRY(value_at(sim, t, i, &g1));
        if (sim->event_hit >= 0 && !(t > t0 && fires(sim, i, before, g1 - level)))
            continue;
        double g0 = sim->event[i] - level;
        g0 = sign_of(g0) == before ? g0 : before * fabs(g1 - level);
        BL_TRY(locate(sim, t0, g0 != 0 ? g0 : before, t, g1 - level, level, i, &t1));
        if (is_gap(sim, i))
            BL_TRY(await_turn(sim, bl_contact_of(sim, i), t, &t1));
        sim->event_hit = i;
    }
    return move_to_event(sim, t1);
}

/* enough of them that no body in contact with others turns far in between */
static bl_status count_probes(bl_simulation *sim, long *probes) {
    double fastest = 0, span = sim->integ->t - sim->integ->t_old;
    *probes = PROBES;
    if (!sim->contacts.n)
        return BL_OK;
    for (int k = 0; k <= PROBES; k++) {
        if (k < PROBES)
            BL_TRY(bl_simulation_dense(sim, sim->integ->t_old + span * k / PROBES, &sim->at));
        BL_TRY(bl_contacts_turning(sim, k < PROBES ? &sim->at : &sim->state, &fastest));
    }
    *probes = (long)fmin(fmax(ceil(fastest * span / study_contact_turn), PROBES), study_contact_probes);
    return BL_OK;
}

/* whether some function fires between two probes */
static bool any_fires(const bl_simulation *sim) {
    for (bl_index i = 0; i < sim->sys->nevent; i++)
        if (fires_between(sim, i, sim->event_new[i]))
            return true;
    return false;
}

/* The state at t and its values; where open contacts need another probe before it: *t is the time of that. *more: still allowed. */
static bl_status probe(bl_simulation *sim, double t0, double *t, int *more) {
    for (;;) {
        bl_state *state = *t < sim->integ->t ? &sim->at : &sim->state;
        double between = INFINITY;
        if (state == &sim->at)
            BL_TRY(bl_simulation_dense(sim, *t, state));
        if (sim->contacts.n)
            BL_TRY(bl_contacts_probe(sim, t0, *t, state, &between));
        if (between == INFINITY || *more == 0)
            return values(sim, state, sim->event_new, ALL);
        *t = between;
        *more -= 1;
    }
}

/* at a few times in the step */
static bl_status find_by_probes(bl_simulation *sim) {
    double from = sim->integ->t_old, to = sim->integ->t, t0 = from;
    long probes;
    int more = MORE_PROBES;
    BL_TRY(count_probes(sim, &probes));
    if (sim->contacts.n)
        BL_TRY(bl_contacts_probe_begin(sim, from));
    for (long k = 1; k <= probes;) {
        double planned = k == probes ? to : from + (to - from) * (double)k / (double)probes, t1 = planned;
        BL_TRY(probe(sim, t0, &t1, &more));
        if (any_fires(sim)) /* several may fire in the same interval: the earliest counts */
            return first_of(sim, t0, t1);
        keep_signs(sim, sim->event_new);
        memcpy(sim->event, sim->event_new, (size_t)sim->sys->nevent * sizeof *sim->event);
        if (sim->contacts.n)
            bl_contacts_probe_keep(sim);
        t0 = t1;
        k += t1 == planned;
    }
    return BL_OK;
}

/* Open contacts whose gap was negative before the step, as methods do not resolve flights lower than their error: those that enter now. */
static bl_status find_entered(bl_simulation *sim) {
    double speed;
    for (bl_index i = 0; i < sim->contacts.n; i++) {
        bl_index event = sim->sys->contact_event + BL_CONTACT_EVENTS * i;
        if (sim->state.armed[event] >= 0 || sim->event[event] >= 0 ||
            bl_contact_states_of(sim->sys, sim->state.history)[i].mode != BL_CONTACT_OPEN)
            continue;
        BL_TRY(bl_contacts_gap_speed(sim, &sim->state, i, &speed));
        if (bl_contacts_entered(sim, i, sim->event[event], speed)) {
            sim->event_hit = event;
            sim->contacts.unresolved = i + 1;
            return BL_EVENT;
        }
    }
    return BL_OK;
}

/* A step that rounding of time makes up, as the rest of a run after an event at its end: what changes in it changes after it. */
static bool within_rounding(const bl_simulation *sim) {
    double t = fabs(sim->integ->t);
    return sim->integ->t - sim->integ->t_old <= 4 * (nextafter(t, INFINITY) - t);
}

bl_status bl_events_find(bl_simulation *sim) {
    sim->event_hit = BL_HIT_TIME;
    if (sim->sys->nevent > 0 && !within_rounding(sim)) {
        bl_status status = BL_SINGULAR;
        if (sim->roots && (sim->integ->kind->kind.gives & BL_POLYNOMIAL))
            status = find_by_roots(sim);
        if (status > 0 && status != BL_EVENT) /* a state inside the step is singular: try fewer of them */
            status = find_by_probes(sim);
        if (status == BL_OK)
            status = find_entered(sim);
        if (status != BL_OK)
            return status;
    }
    double t;
    bl_status slides = bl_sliding_check(sim, &t);
    if (slides < 0)
        return slides;
    if (t < INFINITY) {
        sim->event_hit = BL_HIT_SLIDING;
        return t < *sim->state.t ? move_to_event(sim, t) : BL_EVENT;
    }
    return sim->integ->t >= sim->next_time ? BL_EVENT : BL_OK;
}

/* ---- crossing */

bool bl_events_stop(const bl_simulation *sim) {
    return sim->event_hit >= 0 && bl_system_event(sim->sys, sim->event_hit).what == BL_EVENT_STOP;
}

bl_status bl_events_ahead(bl_simulation *sim) {
    const bl_system_kind *kind = sim->sys->kind;
    if (!kind->next_time)
        return BL_OK;
    if (!(sim->next_time > *sim->state.t)) /* it was reached; besides this only a jump changes it */
        BL_TRY(kind->next_time(sim->sys, &sim->state, &sim->next_time));
    sim->integ->control.t_stop = fmin(sim->next_time, *sim->state.t + bl_sliding_longest(sim));
    if (sim->stop_at > *sim->state.t)
        sim->integ->control.t_stop = fmin(sim->integ->control.t_stop, sim->stop_at);
    if (sim->singular.landing > *sim->state.t)
        sim->integ->control.t_stop = fmin(sim->integ->control.t_stop, sim->singular.landing);
    return BL_OK;
}

static void name_of(const bl_simulation *sim, bl_index event, char *name, size_t nname) {
    snprintf(name, nname, "a law");
    if (event >= 0 && of_contact(sim, event))
        snprintf(name, nname, "%s", bl_contacts_name(sim, event));
    else if (event >= 0 && sim->sys->kind->event_name)
        sim->sys->kind->event_name(sim->sys, event, name, nname);
}

/* "A switches", or "A and B alternate" */
static void describe_crowd(const bl_simulation *sim, bl_index hit, char *text, size_t ntext) {
    char name[96], other[96];
    name_of(sim, hit, name, sizeof name);
    name_of(sim, sim->crowd_other, other, sizeof other);
    if (sim->crowd_other >= 0 && strcmp(name, other) != 0)
        snprintf(text, ntext, "%s and %s alternate", other, name);
    else
        snprintf(text, ntext, "%s switches", name);
}

static bl_status refuse_crowd(bl_simulation *sim, bl_index hit, long count, double since) {
    double t = *sim->state.t;
    char name[96], text[256];
    name_of(sim, hit, name, sizeof name);
    describe_crowd(sim, hit, text, sizeof text);
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "%s %ld times between t = %.9g and %.9g: time does not advance", text, count, since, t);
    if (of_contact(sim, hit))
        bl_advise(sim->ctx, "a higher `rest` ends small bounces; with `restitution: 0` there are none");
    else
        bl_advise(sim->ctx, "smooth the jump (tanh in place of sign), give the switch a hysteresis, or use the built-in kinds of friction");
    bl_blame(sim->ctx, name, of_contact(sim, hit) ? "contact" : "switch", t);
    return BL_E_NUMERIC;
}

/* Warns of events that follow each other fast, and refuses to continue where time hardly advances. */
static bl_status count_crowd(bl_simulation *sim, bl_index hit) {
    double t = *sim->state.t, span = fmax(fabs(t), fabs(sim->integ->control.t_end));
    char text[256];
    if (!(t - sim->event_t <= study_event_crowded * span)) {
        sim->event_t = t;
        sim->crowd = 0;
    }
    if (!(t - sim->many_t <= study_event_many * span)) {
        sim->many_t = t;
        sim->many = 0;
        sim->crowd_other = -1;
    }
    if (hit < 0)
        return BL_OK;
    if (hit != sim->crowd_last) {
        sim->crowd_other = sim->crowd_last;
        sim->crowd_last = hit;
    }
    if (++sim->crowd >= study_event_most_crowded)
        return refuse_crowd(sim, hit, sim->crowd, sim->event_t);
    if (++sim->many >= study_event_most_many)
        return refuse_crowd(sim, hit, sim->many, sim->many_t);
    if (sim->many < study_event_most_crowded || sim->many_warned)
        return BL_OK;
    sim->many_warned = true;
    describe_crowd(sim, hit, text, sizeof text);
    bl_warn(sim->ctx, t, NULL, "%s %ld times between t = %.9g and %.9g: the run advances slowly", text, sim->many, sim->many_t, t);
    return BL_OK;
}

/* An action may have changed its own function: then its sign counts. Otherwise it is zero, and its sign is rounding. */
static void arm_again(bl_simulation *sim, bl_index hit, double was) {
    bool jumped = !switches(sim, hit) && sim->event[hit] != was;
    sim->state.armed[hit] = (signed char)(jumped ? sign_of(sim->event[hit]) : 0);
}

/* another blend of laws that slide */
static bl_status adjust(bl_simulation *sim) {
    bl_status status = bl_sliding_adjust(sim);
    if (status < 0)
        return status;
    bl_formulation_forget(sim->form);
    return arm(sim, false);
}

/* percussions of the event; their work is counted already */
static bl_status strike(bl_simulation *sim, double *energy) {
    double work = *sim->state.work;
    if (!sim->contacts.n)
        return BL_OK;
    bl_status status = bl_contacts_strike(sim);
    *energy += *sim->state.work - work;
    return status == BL_AGAIN ? BL_OK : status;
}

/* An open contact at its zero changed nothing. One that is held by others or moves too slowly counts when it is deeper; one that moves
 * apart is inside by the error of the method, and counts when it enters again. */
static bl_status pass_gap(bl_simulation *sim, bl_index hit) {
    bl_index contact = bl_contact_of(sim, hit);
    double speed;
    BL_TRY(bl_contacts_gap_speed(sim, &sim->state, contact, &speed));
    bool apart = speed > study_contact_approach * sim->contacts.rest;
    if (!apart)
        sim->event[hit] = bl_contacts_lower(sim, contact);
    sim->state.armed[hit] = apart ? -1 : 1;
    return BL_AGAIN;
}

/* A contact closes, opens, begins or ends to slide. One that stays as it is counts again only after its function was positive. */
static bl_status cross_contact(bl_simulation *sim, bl_index hit) {
    BL_TRY(count_crowd(sim, hit));
    bl_status status = bl_contacts_cross(sim, hit);
    sim->contacts.unresolved = 0;
    if (status == BL_AGAIN) {
        if (is_gap(sim, hit) && !bl_contacts_behind(sim, bl_contact_of(sim, hit), sim->contacts.gap[bl_contact_of(sim, hit)]))
            return pass_gap(sim, hit);
        bool was_due = sim->contacts.inner_due;
        if (was_due) /* other forces than before */
            BL_TRY(arm(sim, false));
        sim->state.armed[hit] = was_due && sim->event[hit] > 0 ? 1 : -1;
        return status;
    }
    BL_TRY(status);
    bl_formulation_forget(sim->form);
    return arm(sim, false);
}

bl_status bl_events_cross(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    bl_index hit = sim->event_hit;
    double before, after, was = hit >= 0 ? sim->event[hit] : 0;
    bl_status status;
    bool slid = hit == BL_HIT_SLIDING;
    if (hit >= 0 && of_contact(sim, hit))
        return cross_contact(sim, hit);
    if (slid && !(sys->kind->next_time && sim->next_time <= *sim->state.t))
        return adjust(sim);
    hit = slid ? BL_HIT_TIME : hit; /* a known time was reached as well */
    BL_TRY(count_crowd(sim, hit));
    sim->next_time = sys->kind->next_time ? -INFINITY : INFINITY;
    if (!sys->kind->jump)
        return BL_OK;
    BL_TRY(bl_simulation_energy(sim, &before));
    bl_eval_at(&sim->eval, &sim->state);
    status = sys->kind->jump(sys, &sim->eval, &sim->state, hit);
    if (status == BL_AGAIN && hit >= 0 && !switches(sim, hit))
        sim->state.armed[hit] = 0; /* it was crossed, although it changed nothing */
    if (status == BL_AGAIN)
        return slid ? adjust(sim) : status;
    BL_TRY(status);
    BL_TRY(strike(sim, &before));
    if ((status = bl_sliding_resume(sim)) < 0)
        return status;
    if (hit >= 0 && bl_system_event(sys, hit).what == BL_EVENT_SWITCH)
        if ((status = bl_sliding_judge(sim, hit)) < 0)
            return status;
    for (bl_index j = sys->nv; j < sys->nv + sys->nz; j++)
        if (sys->col[j].order == 0) { /* algebraic variables jump with their equations */
            BL_TRY(bl_assemble_algebraic(sys, &sim->state));
            break;
        }
    BL_TRY(bl_simulation_energy(sim, &after));
    *sim->state.work += after - before; /* so that the energy balance holds */
    BL_TRY(arm(sim, false));
    if (hit >= 0)
        arm_again(sim, hit, was);
    bl_formulation_forget(sim->form);
    return BL_OK;
}

bl_status bl_events_renew(bl_simulation *sim) {
    sim->next_time = sim->sys->kind->next_time ? -INFINITY : INFINITY;
    BL_TRY(hold(sim));
    bl_formulation_forget(sim->form);
    sim->restart_due = true;
    return arm(sim, false);
}
