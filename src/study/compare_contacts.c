/* The study `compare --contacts`: a motion with rigid contacts against motions whose contacts yield, as their stiffness grows.
 *
 *     k = max(m v^(1+n), F) / d^n       first stiffness: depths are the share d of the motion
 *     v0 / chi - ln(1 + chi v0) / chi^2 = -v1 / chi - ln(1 - chi v1) / chi^2,   v1 = e v0       damping chi (compare_springs.c)
 *
 * m, v, e, F: mass, speed, restitution and force at a contact of the rigid motion. Depth and duration of impacts, and with them the
 * distance of the motions, fall like k^(-1/(n+1)) (docs/theory/contact_compliant.md). */
#include "study/compare_contacts_private.h"

#include "base/sized.h"
#include "joint/joint.h"
#include "model/variant.h"
#include "study/run.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one motion */

typedef struct watch {
    bl_contact_comparison *c;
    bl_contact_motion *motion;
    bl_context *inner;
    double begin;
    bool late, reference;
} watch;

static void *inner_realloc(void *user, void *block, size_t bytes) {
    if (bytes > 0)
        return bl_resize(user, block, bytes, 1);
    bl_free(user, block);
    return NULL;
}

static double *pose_of(const bl_contact_comparison *c, const bl_contact_motion *motion, bl_index k, bl_index body) {
    return motion->pose + 7 * ((size_t)k * (size_t)(c->model->nbody - 1) + (size_t)body);
}

/* what the springs of the others are made of */
static void take_forces(bl_contact_comparison *c, const bl_sample *sample) {
    for (bl_index b = 0; b < c->model->nbody - 1; b++) {
        const double *v = sample->body[b].velocity;
        c->speed = fmax(c->speed, sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
    }
    for (bl_index i = 0, k = 0; i < c->model->ncontact; i++) {
        const bl_contact_def *contact = &c->model->contact[i];
        if (contact->percussion || contact->force >= 0)
            continue;
        const bl_contact_sample *at = &sample->contact[i];
        if (at->state > 0 && isfinite(at->force[0]))
            c->force[k] = fmax(c->force[k], fabs(at->force[0]));
        c->sticks = c->sticks || at->state == 2;
        k++;
    }
}

static bool must_end(watch *w) {
    w->late = w->late || bl_clock_seconds() - w->begin > w->c->asked.limit;
    return w->late || bl_context_stopped(w->c->ctx);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    watch *w = user;
    bl_contact_motion *m = w->motion;
    if (m->n > BL_CONTACT_INTERVALS || sample->t != w->c->time[m->n])
        return BL_OK;
    for (bl_index b = 0; b < w->c->model->nbody - 1; b++) {
        double *pose = pose_of(w->c, m, m->n, b);
        memcpy(pose, sample->body[b].position, 3 * sizeof *pose);
        memcpy(pose + 3, sample->body[b].quaternion, 4 * sizeof *pose);
    }
    m->n++;
    if (w->reference)
        take_forces(w->c, sample);
    return BL_OK;
}

static bl_status take_step(void *user, const bl_step *step) {
    (void)step;
    return must_end(user) ? BL_STOPPED : BL_OK;
}

static bl_status take_event(void *user, const bl_event_mark *mark) {
    watch *w = user;
    bl_contact_comparison *c = w->c;
    bl_index i = 0;
    if (!w->reference || mark->kind != BL_HAPPENED_IMPACT || !mark->strike)
        return BL_OK;
    while (i < c->report->nspring && strcmp(c->own->spring[i].name, mark->part) != 0)
        i++;
    if (i == c->report->nspring || !(mark->strike->impulse[0] > 0))
        return BL_OK;
    double change = mark->strike->speed[0] < 0 ? mark->strike->speed[1] - mark->strike->speed[0] : 0;
    BL_TRY(BL_RESERVE(c->ctx, c->strike, c->strike_room, c->nstrike + 1));
    c->strike[c->nstrike++] = (bl_contact_strike){.t = mark->t,
                                                  .speed = -mark->strike->speed[0],
                                                  .impulse = mark->strike->impulse[0],
                                                  .mass = change > 0 ? mark->strike->impulse[0] / change : NAN,
                                                  .spring = i};
    return BL_OK;
}

/* The outcome is the status; *error the message of a failure. BL_E_MEMORY and BL_STOPPED end the study. */
static bl_status run(bl_contact_comparison *c, const bl_model *model, double until, bool reference, bl_contact_motion *motion,
                     bl_error *error) {
    bl_context_options options = {.realloc = inner_realloc, .realloc_user = c->ctx};
    bl_run_options o = c->run;
    watch w = {.c = c, .motion = motion, .begin = bl_clock_seconds(), .reference = reference};
    for (int k = 0; k <= BL_CONTACT_INTERVALS; k++)
        c->time[k] = k < BL_CONTACT_INTERVALS ? until * k / BL_CONTACT_INTERVALS : until; /* not beyond by rounding */
    if (c->step > 0) {                                                                    /* a method of its own */
        o.step = c->step;
        o.integrator = NULL;
    }
    o.until = until;
    o.at = c->time;
    o.nat = BL_CONTACT_INTERVALS + 1;
    motion->n = 0;
    motion->summary = (bl_run_summary){.size = sizeof motion->summary};
    BL_TRY(bl_context_create(&options, &w.inner));
    bl_sink sink = {.size = sizeof sink,
                    .user = &w,
                    .sample = take_sample,
                    .step = take_step,
                    .event = take_event,
                    .want = BL_WANT_TIME | BL_WANT_BODIES | (reference ? BL_WANT_CONTACTS : 0)};
    bl_status status = bl_simulate(w.inner, model, &o, &sink, 1, &motion->summary);
    *error = *bl_context_error(w.inner);
    if (w.late) {
        memset(error, 0, sizeof *error);
        snprintf(error->what, sizeof error->what, "not completed in %g s of wall time, at t = %.6g", c->asked.limit, motion->summary.t);
        error->status = status = BL_E_NUMERIC;
    }
    bl_context_destroy(w.inner);
    return status == BL_EVENT ? BL_OK : status;
}

/* ---- distances */

static double angle_between(const double *a, const double *b) {
    double minus = 0, plus = 0;
    for (int k = 0; k < 4; k++) {
        minus += (a[k] - b[k]) * (a[k] - b[k]);
        plus += (a[k] + b[k]) * (a[k] + b[k]);
    }
    return 4 * asin(fmin(1, 0.5 * sqrt(fmin(minus, plus))));
}

static void measure(const bl_contact_comparison *c, double *largest, double *when, char worst[96]) {
    bl_index n = c->motion.n < c->reference.n ? c->motion.n : c->reference.n;
    *largest = 0;
    for (bl_index k = 0; k < n; k++)
        for (bl_index b = 0; b < c->model->nbody - 1; b++) {
            const double *p = pose_of(c, &c->reference, k, b), *q = pose_of(c, &c->motion, k, b);
            double away = sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
            double distance = fmax(away / c->report->length, angle_between(p + 3, q + 3));
            if (distance <= *largest)
                continue;
            *largest = distance;
            *when = c->time[k];
            snprintf(worst, 96, "%.95s", c->model->body[b + 1].name);
        }
}

/* diagonal of the box of all mass centers of the reference; 1 where they do not move */
static double extent(const bl_contact_comparison *c) {
    double low[3], high[3], square = 0;
    for (int i = 0; i < 3; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (bl_index b = 0; b < c->model->nbody - 1; b++) {
            double from = INFINITY, to = -INFINITY;
            for (bl_index k = 0; k < c->reference.n; k++) {
                from = fmin(from, pose_of(c, &c->reference, k, b)[i]);
                to = fmax(to, pose_of(c, &c->reference, k, b)[i]);
            }
            low[i] = fmin(low[i], from);
            high[i] = fmax(high[i], to);
        }
        square += (high[i] - low[i]) * (high[i] - low[i]);
    }
    return square > 0 ? sqrt(square) : 1;
}

/* ---- treatments of contacts: what a level means, and the motion with it */

static bl_status run_yielding(bl_contact_comparison *c, int level, bl_contacts_entry *e, bl_error *error) {
    const bl_compare_contacts_report *r = c->report;
    bl_model *model;
    double factor = pow(c->asked.factor, level), slower = pow(factor, -r->order);
    for (bl_index i = 0; i < r->nspring; i++) {
        const bl_contact_spring *s = &c->own->spring[i];
        c->yield[i] = (bl_yield){.name = s->name,
                                 .stiffness = s->stiffness * factor,
                                 .exponent = r->exponent,
                                 .damping = bl_contact_damping(c, i, factor),
                                 .velocity = study_yield_creep * slower * (c->speed > 0 ? c->speed : 1)};
        e->stiffness = fmax(e->stiffness, c->yield[i].stiffness);
    }
    e->depth = bl_contact_depth(c, factor);
    bl_status status = bl_model_yield(c->ctx, c->model, c->yield, r->nspring, &model);
    if (status != BL_OK)
        return status;
    status = run(c, model, r->compared, false, &c->motion, error);
    bl_model_destroy(model);
    return status;
}

/* One line for each treatment, in the order of bl_contact_treatment. */
static const struct {
    const char *name;
    bl_status (*run)(bl_contact_comparison *c, int level, bl_contacts_entry *e, bl_error *error);
} treatments[] = {{"hunt_crossley", run_yielding}};
enum { TREATMENTS = sizeof treatments / sizeof *treatments };

const char *bl_contact_treatment_text(bl_contact_treatment treatment) {
    return (size_t)treatment < TREATMENTS ? treatments[treatment].name : "unknown";
}

static void progress(const bl_contact_comparison *c, const char *what) {
    if (c->asked.progress)
        c->asked.progress(c->asked.progress_user, c->report->nentry + c->report->nstepped, (TREATMENTS + 1) * c->asked.levels, what);
}

static bl_status add_entry(bl_contact_comparison *c, int treatment, int level) {
    bl_contacts_entry *e = &c->own->entry[c->report->nentry], *before = level > 0 ? e - 1 : NULL;
    bl_error error = {0};
    char what[64];
    snprintf(what, sizeof what, "%s, level %d", treatments[treatment].name, level + 1);
    progress(c, what);
    *e = (bl_contacts_entry){.treatment = (bl_contact_treatment)treatment, .distance = NAN, .order = NAN};
    bl_status status = treatments[treatment].run(c, level, e, &error);
    if (status == BL_E_MEMORY || status == BL_STOPPED || (status == BL_E_MODEL && error.status == BL_OK))
        return status; /* the last one: the law does not apply to the model */
    e->steps = c->motion.summary.steps;
    e->wall_seconds = c->motion.summary.wall_seconds;
    if (status == BL_OK) {
        measure(c, &e->distance, &e->worst_time, e->worst);
        if (before && before->distance > 0 && e->distance > 0)
            e->order = log(before->distance / e->distance) / log(c->asked.factor);
    } else {
        snprintf(e->reason, sizeof e->reason, "%s", error.what[0] ? error.what : bl_status_text(status));
    }
    c->report->nentry++;
    return BL_OK;
}

/* The last distance is within what the tolerance allows, or it fell over all completed levels at half of the expected order at least. */
static bool converges(const bl_contact_comparison *c) {
    const bl_compare_contacts_report *r = c->report;
    const bl_contacts_entry *first = NULL, *last = NULL;
    for (bl_index k = 0; k < r->nentry; k++)
        if (!isnan(c->own->entry[k].distance)) {
            last = &c->own->entry[k];
            first = first ? first : last;
        }
    if (!last)
        return false;
    if (last->distance <= study_yield_tolerances * r->tolerance)
        return true;
    return last > first && last->distance <= first->distance * pow(last->stiffness / first->stiffness, -0.5 * r->order);
}

/* ---- time stepping, of order 1 in its step */

enum { FIRST_STEPS = 2000 }; /* of the compared time; each step is half of the one before */

static bl_status add_stepped(bl_contact_comparison *c, const bl_model *model, int level) {
    bl_contacts_stepped *e = &c->own->stepped[c->report->nstepped], *before = level > 0 ? e - 1 : NULL;
    bl_error error = {0};
    char what[64];
    snprintf(what, sizeof what, "time steps, level %d", level + 1);
    progress(c, what);
    *e = (bl_contacts_stepped){.step = ldexp(c->report->compared / FIRST_STEPS, -level), .distance = NAN, .order = NAN};
    c->step = e->step;
    bl_status status = run(c, model, c->report->compared, false, &c->motion, &error);
    c->step = 0;
    if (status == BL_E_MEMORY || status == BL_STOPPED)
        return status;
    e->steps = c->motion.summary.steps;
    e->wall_seconds = c->motion.summary.wall_seconds;
    if (status != BL_OK)
        snprintf(e->reason, sizeof e->reason, "%.319s", error.what[0] ? error.what : bl_status_text(status));
    else
        measure(c, &e->distance, &e->worst_time, e->worst);
    if (before && before->distance > 0 && e->distance > 0)
        e->order = log2(before->distance / e->distance);
    c->report->nstepped++;
    return BL_OK;
}

static bool steps_converge(const bl_contact_comparison *c) {
    bl_index n = c->report->nstepped;
    const bl_contacts_stepped *first = c->own->stepped, *last = first + n - 1;
    if (n == 0 || isnan(last->distance))
        return false;
    return last->distance <= study_yield_tolerances * c->report->tolerance ||
           (n > 1 && last->distance <= first->distance * sqrt(last->step / first->step));
}

static bl_status step_through(bl_contact_comparison *c) {
    bl_model *model;
    bl_status status = bl_model_stepping(c->ctx, c->model, &model);
    if (status == BL_E_MODEL || status == BL_E_ABILITY || status == BL_E_ARG) {
        c->own->stepped[0] = (bl_contacts_stepped){.distance = NAN, .order = NAN};
        snprintf(c->own->stepped[0].reason, sizeof c->own->stepped[0].reason, "%.319s", bl_context_error(c->ctx)->what);
        bl_context_clear_error(c->ctx);
        c->report->nstepped = 1;
        return BL_OK;
    }
    for (int level = 0; status == BL_OK && level < c->asked.levels; level++)
        status = add_stepped(c, model, level);
    bl_model_destroy(model);
    c->report->steps_converge = steps_converge(c);
    return status;
}

/* ---- the study */

static bl_status find_springs(bl_contact_comparison *c) {
    bl_index n = 0;
    for (bl_index i = 0; i < c->model->ncontact; i++) {
        const bl_contact_def *contact = &c->model->contact[i];
        if (contact->percussion || contact->force >= 0)
            continue;
        const bl_index variable = contact->touch ? -1 : c->model->joint[c->model->njoint + i].prim->var[0];
        c->number[n] = i;
        c->own->spring[n++] = (bl_contact_spring){.name = bl_arena_text(c->arena, contact->name, strlen(contact->name)),
                                                  .is_angle = variable >= 0 && c->model->variable[variable].is_angle,
                                                  .restitution = contact->restitution};
        if (!c->own->spring[n - 1].name)
            return BL_E_MEMORY;
    }
    c->report->nspring = n;
    if (n > 0)
        return BL_OK;
    bl_fail(c->ctx, BL_E_MODEL, NULL, "the model has no rigid contacts or stops to compare with others");
    bl_advise(c->ctx, "leave out --contacts to compare methods");
    return BL_E_MODEL;
}

static bl_status check(bl_contact_comparison *c) {
    bl_compare_contacts_options *o = &c->asked;
    const double number[] = {o->stiffness, o->exponent, o->factor, o->limit};
    for (int k = 0; k < 4; k++)
        if (!(number[k] >= 0) || !isfinite(number[k]))
            return bl_fail(c->ctx, BL_E_ARG, NULL, "stiffness, exponent, factor and limit must be finite and not negative, found %g",
                           number[k]);
    o->exponent = o->exponent > 0 ? o->exponent : 1;
    o->factor = o->factor > 0 ? o->factor : 10;
    o->levels = o->levels != 0 ? o->levels : 5;
    o->limit = o->limit > 0 ? o->limit : study_compare_seconds;
    if (o->exponent < 1)
        return bl_fail(c->ctx, BL_E_ARG, NULL, "the exponent must be 1 or more, found %g", o->exponent);
    if (!(o->factor > 1))
        return bl_fail(c->ctx, BL_E_ARG, NULL, "the factor between stiffnesses must be more than 1, found %g", o->factor);
    if (o->levels < 1 || o->levels > BL_MOST_CONTACT_LEVELS)
        return bl_fail(c->ctx, BL_E_ARG, NULL, "the number of stiffnesses must be between 1 and %d, found %d", BL_MOST_CONTACT_LEVELS,
                       o->levels);
    return BL_OK;
}

static bl_status prepare(bl_contact_comparison *c) {
    bl_compare_contacts_report *r = c->report;
    const bl_model *model = c->model;
    bl_run_options resolved;
    size_t contacts = (size_t)model->ncontact, numbers = 7 * (BL_CONTACT_INTERVALS + 1) * (size_t)(model->nbody - 1);
    BL_TRY(check(c));
    if (model->ncontact > 0 && model->nbody > 1)
        BL_TRY(BL_ARENA_ARRAYS(c->arena, BL_ARRAY(c->own->spring, contacts), BL_ARRAY(c->force, contacts), BL_ARRAY(c->number, contacts),
                               BL_ARRAY(c->yield, contacts), BL_ARRAY(c->own->entry, TREATMENTS * c->asked.levels),
                               BL_ARRAY(c->own->stepped, c->asked.levels), BL_ARRAY(c->own->note, 8), BL_ARRAY(c->reference.pose, numbers),
                               BL_ARRAY(c->motion.pose, numbers)));
    BL_TRY(find_springs(c));
    BL_TRY(bl_run_resolve(c->ctx, model, &c->run, &resolved));
    if (!(resolved.until > 0)) {
        bl_fail(c->ctx, BL_E_ARG, NULL, "the end time of the simulation is not given");
        bl_advise(c->ctx, "give until, or write `simulate: {until: 10}` in the model");
        return BL_E_ARG;
    }
    r->until = r->compared = resolved.until;
    r->tolerance = resolved.tolerance;
    r->exponent = c->asked.exponent;
    r->order = 1 / (r->exponent + 1);
    r->model_name = bl_arena_text(c->arena, model->name ? model->name : "", model->name ? strlen(model->name) : 0);
    return r->model_name ? BL_OK : BL_E_MEMORY;
}

/* With rigid contacts; again where the comparison ends early, with samples up to there. */
static bl_status make_reference(bl_contact_comparison *c) {
    bl_compare_contacts_report *r = c->report;
    bl_error error = {0};
    progress(c, "rigid");
    bl_status status = run(c, c->model, r->until, true, &c->reference, &error);
    if (status == BL_OK) {
        r->length = extent(c);
        r->until = r->compared = fmin(r->until, c->reference.summary.t);
        c->left_out = c->reference.summary.impacts > BL_MOST_EVENTS;
        BL_TRY(bl_contact_springs(c));
        r->reference_steps = c->reference.summary.steps;
        r->reference_seconds = c->reference.summary.wall_seconds;
        if (r->compared < r->until)
            status = run(c, c->model, r->compared, false, &c->reference, &error);
    }
    if (status == BL_OK || status == BL_E_MEMORY || status == BL_STOPPED)
        return status;
    bl_fail_again(c->ctx, status, &error);
    return status;
}

static bl_status study(bl_contact_comparison *c) {
    BL_TRY(prepare(c));
    BL_TRY(make_reference(c));
    for (int t = 0; t < TREATMENTS; t++)
        for (int level = 0; level < c->asked.levels; level++)
            BL_TRY(add_entry(c, t, level));
    BL_TRY(step_through(c));
    progress(c, "");
    c->report->converges = converges(c);
    return BL_OK;
}

bl_status bl_compare_contacts(bl_context *ctx, const bl_model *model, const bl_compare_contacts_options *options,
                              bl_compare_contacts_report *report) {
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_compare_contacts needs a context, a model and a report");
    bl_compare_contacts_report made = {.size = sizeof made};
    bl_contact_comparison c = {.ctx = ctx, .model = model, .report = &made};
    BL_TRY(BL_TAKE(ctx, bl_compare_contacts_options, options, &c.asked));
    BL_TRY(BL_TAKE(ctx, bl_run_options, c.asked.run, &c.run));
    BL_TRY(BL_FITS(ctx, bl_compare_contacts_report, report));
    BL_GIVE(bl_compare_contacts_report, report, &made);
    BL_TRY(BL_NEW(ctx, c.own, 1));
    c.own->arena.ctx = ctx;
    c.arena = &c.own->arena;
    made.own = c.own;
    bl_status status = study(&c);
    made.spring = c.own->spring;
    made.entry = c.own->entry;
    made.stepped = c.own->stepped;
    made.note = c.own->note;
    bl_free(ctx, c.strike);
    BL_GIVE(bl_compare_contacts_report, report, &made);
    return status;
}

void bl_compare_contacts_report_destroy(bl_context *ctx, bl_compare_contacts_report *report) {
    bl_contacts_holding *own = report->own;
    if (own)
        bl_arena_destroy(&own->arena);
    bl_free(ctx, own);
    BL_CLEAR(bl_compare_contacts_report, report);
}
