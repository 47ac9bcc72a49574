/* Steps and events for the sinks, found by comparing the counters of a simulation with those after the step before. */
#include "study/journal.h"
#include "study/events.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_text[BL_EVENT_KINDS] = {
    [BL_HAPPENED_WARNING] = "warning",         [BL_HAPPENED_EVENT] = "event",       [BL_HAPPENED_RESTART] = "restart",
    [BL_HAPPENED_REPARTITION] = "repartition", [BL_HAPPENED_HANDOVER] = "handover", [BL_HAPPENED_SINGULAR] = "singular",
    [BL_HAPPENED_METHOD] = "method",           [BL_HAPPENED_STOP] = "stop",         [BL_HAPPENED_MODE] = "mode",
    [BL_HAPPENED_IMPACT] = "impact",           [BL_HAPPENED_CONTACT] = "contact"};

const char *bl_event_kind_text(bl_event_kind kind) { return (unsigned)kind < BL_EVENT_KINDS ? kind_text[kind] : "unknown"; }

static bl_status output_event(const bl_journal *j, const bl_event_mark *mark) {
    for (bl_index i = 0; i < j->nsink; i++)
        if (j->sink[i].event)
            BL_TRY(j->sink[i].event(j->sink[i].user, mark));
    return BL_OK;
}

static bl_status note_text(bl_journal *j, double t, bl_event_kind kind, const char *part, const char *text) {
    if (j->count[kind]++ >= BL_MOST_EVENTS)
        return BL_OK;
    return output_event(j, &(bl_event_mark){.t = t, .kind = kind, .text = text, .part = part ? part : ""});
}

#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static bl_status
note(bl_journal *j, double t, bl_event_kind kind, const char *format, ...) {
    char text[sizeof((bl_warning *)0)->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bl_text_clean(text, NULL);
    return note_text(j, t, kind, NULL, text);
}

static bl_status note_warnings(bl_journal *j) {
    const bl_warning *warning;
    bl_index n = bl_context_warnings(j->ctx, &warning, NULL);
    for (; j->nwarning < n; j->nwarning++) {
        const bl_warning *w = &warning[j->nwarning];
        BL_TRY(note_text(j, w->time, BL_HAPPENED_WARNING, w->part, w->text));
    }
    return BL_OK;
}

/* the counters as they are now */
static void remember(bl_journal *j, const bl_simulation *sim) {
    j->restarts = sim->integ->stats.restarts;
    j->repartitions = sim->form->stats.repartitions;
    j->projected = sim->form->stats.projections > j->projections;
    j->projections = sim->form->stats.projections;
    j->handovers = sim->singular.handovers;
    j->handed_over = sim->singular.handed_over;
    j->percussions = sim->percussion.count;
    j->happened = sim->contacts.happened;
    j->crosses = sim->cross_due;
    j->integ = sim->integ;
    j->method = sim->integ->kind->kind.name;
}

/* What happened at contacts since the last call: the simulation remembers the last of them. */
static bl_status note_contacts(bl_journal *j, const bl_simulation *sim) {
    const bl_contacts *c = &sim->contacts;
    long first = j->happened > c->happened - BL_CONTACT_HAPPENINGS ? j->happened : c->happened - BL_CONTACT_HAPPENINGS;
    long missed = first - j->happened;
    if (missed > 0)
        BL_TRY(note(j, c->happening[first % BL_CONTACT_HAPPENINGS].t, BL_HAPPENED_CONTACT,
                    "%ld earlier events of contacts at this time are left out", missed));
    for (long k = first; k < c->happened; k++) {
        const bl_contact_happening *now = &c->happening[k % BL_CONTACT_HAPPENINGS];
        const bl_contact *contact = &sim->sys->contact[now->contact];
        bl_event_mark mark = {.t = now->t,
                              .kind = contact->percussion ? BL_HAPPENED_EVENT
                                      : now->impact       ? BL_HAPPENED_IMPACT
                                                          : BL_HAPPENED_CONTACT,
                              .text = now->text,
                              .part = contact->name,
                              .impulse = bl_contacts_joint_impulse(sim, now),
                              .strike = now->impact ? &now->strike : NULL};
        mark.nimpulse = mark.impulse ? sim->sys->njoint - c->n : 0;
        if (j->count[mark.kind]++ < BL_MOST_EVENTS)
            BL_TRY(output_event(j, &mark));
    }
    j->happened = c->happened;
    return BL_OK;
}

bl_status bl_journal_begin(bl_journal *j, bl_context *ctx, const bl_simulation *sim, bl_sink *sinks, bl_index nsink) {
    *j = (bl_journal){.ctx = ctx, .sink = sinks, .nsink = nsink};
    for (bl_index i = 0; i < nsink; i++) {
        j->steps = j->steps || sinks[i].step;
        j->events = j->events || sinks[i].event;
    }
    remember(j, sim);
    j->happened = 0; /* impacts and modes at the start */
    if (j->events)
        BL_TRY(note_contacts(j, sim));
    return j->events ? note_warnings(j) : BL_OK;
}

/* Reports what took over before the step, or why the method was restarted. One reason is enough: each of them restarts the method. */
static bl_status note_start(bl_journal *j, const bl_simulation *sim) {
    double t = sim->t_from;
    const char *form = sim->form->kind->kind.name, *integ = sim->integ->kind->kind.name;
    long repartitions = sim->form->stats.repartitions - j->repartitions;
    if (sim->singular.handovers > j->handovers)
        return note(j, t, BL_HAPPENED_HANDOVER, "formulation %s takes over to pass a singular configuration, with %s", form, integ);
    if (j->handed_over && !sim->singular.handed_over)
        return note(j, t, BL_HAPPENED_HANDOVER, "formulation %s resumes after a singular configuration", form);
    if (sim->integ != j->integ)
        return note(j, t, BL_HAPPENED_METHOD, "%s takes over from %s, with formulation %s", integ, j->method, form);
    if (repartitions > 0)
        return note(j, t, BL_HAPPENED_REPARTITION, "another set of independent coordinates was chosen");
    if (sim->integ->stats.restarts > j->restarts && !j->crosses)
        return note(j, t, BL_HAPPENED_RESTART, "the method was restarted%s",
                    j->projected ? " after a projection onto the constraints" : "");
    return BL_OK;
}

/* where a law switches; corrections while sliding along such a border are not reported as events */
static bl_status note_crossing(bl_journal *j, const bl_simulation *sim) {
    double t = *sim->state.t;
    char name[160] = "";
    if (sim->event_hit == BL_HIT_SLIDING)
        return BL_OK;
    if (sim->event_hit >= 0 && bl_system_event(sim->sys, sim->event_hit).what == BL_EVENT_CONTACT)
        return BL_OK; /* what follows is not known yet */
    if (sim->event_hit == BL_HIT_TIME)
        return note(j, t, BL_HAPPENED_EVENT, "a law changes at a time known in advance");
    if (sim->sys->kind->event_name)
        sim->sys->kind->event_name(sim->sys, sim->event_hit, name, sizeof name);
    return note(j, t, BL_HAPPENED_EVENT, name[0] ? "%s switches to another branch" : "a law switches to another branch%s", name);
}

bl_status bl_journal_step(bl_journal *j, const bl_simulation *sim) {
    if (j->steps) {
        double t = *sim->state.t;
        bl_step step = {.t = t, .size = t - sim->t_from, .order = sim->integ->order, .error = sim->integ->error};
        for (bl_index i = 0; i < j->nsink; i++)
            if (j->sink[i].step)
                BL_TRY(j->sink[i].step(j->sink[i].user, &step));
    }
    if (!j->events)
        return BL_OK;
    if (sim->percussion.count > j->percussions)
        BL_TRY(note_text(j, sim->percussion.t, BL_HAPPENED_EVENT, sim->percussion.part, sim->percussion.text));
    BL_TRY(note_contacts(j, sim));
    BL_TRY(note_start(j, sim));
    if (sim->integ->h_unshortened > 0)
        BL_TRY(note(j, sim->t_from, BL_HAPPENED_SINGULAR, "a step of %.3g s, shortened from %.3g s, passes a singular configuration",
                    sim->integ->t - sim->integ->t_old, sim->integ->h_unshortened));
    BL_TRY(note_warnings(j));
    if (sim->cross_due)
        BL_TRY(note_crossing(j, sim));
    remember(j, sim);
    return BL_OK;
}

static bl_status note_end(bl_journal *j, double t, bl_status status, const char *stopped_by) {
    const bl_error *error = bl_context_error(j->ctx);
    if (status == BL_OK)
        return BL_OK;
    if (status == BL_EVENT)
        return note(j, t, BL_HAPPENED_STOP, "stop expression: %s", stopped_by ? stopped_by : "");
    if (status == BL_STOPPED)
        return note(j, t, BL_HAPPENED_STOP, "stopped on request");
    if (error->status == BL_OK)
        return note(j, t, BL_HAPPENED_STOP, "%s", bl_status_text(status));
    return note_text(j, isnan(error->time) ? t : error->time, BL_HAPPENED_STOP, error->part, error->what);
}

bl_status bl_journal_end(bl_journal *j, const bl_simulation *sim, bl_status status, const char *stopped_by) {
    if (!j->events)
        return BL_OK;
    double t = sim ? *sim->state.t : NAN;
    if (sim)
        BL_TRY(note_contacts(j, sim)); /* of a step that failed */
    BL_TRY(note_warnings(j));
    BL_TRY(note_end(j, t, status, stopped_by));
    char text[256] = "";
    size_t used = 0;
    for (int k = 0; k < BL_EVENT_KINDS; k++)
        if (j->count[k] > BL_MOST_EVENTS && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%ld of kind %s", used ? ", " : "", j->count[k] - BL_MOST_EVENTS,
                                     kind_text[k]);
    if (!used)
        return BL_OK;
    char message[sizeof text + 48];
    snprintf(message, sizeof message, "further events are left out: %s", text);
    return output_event(j, &(bl_event_mark){.t = t, .kind = BL_HAPPENED_WARNING, .text = message, .part = ""});
}
