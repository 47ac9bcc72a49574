/* The study `compare`: one model by many combinations of coordinates, formulation and integrator.
 *
 * How far two answers may be apart. The reference runs at tol/100. A second run at tol/100 by other kinds differs from it by D; where
 * errors are proportional to the tolerance the motion multiplies it by S = D / (tol/100), so a run at tol may be off by S tol, and by ten
 * times that, since constants of methods differ that much: allowed = 10 max(1, S) tol, never above 1e-2. A run that is further off is
 * repeated at tol/10, tol/100 and on as long as that helps: what is merely inaccurate comes near the reference then, what solves
 * something else does not.
 * Fixed-step methods are halved, without looking at the reference, until two successive answers are far nearer than that, or until three
 * show errors that fall, the last one below sqrt(allowed 1e-2): methods of low order are not driven to what only high ones reach. Then
 * they must be as near to the reference as this error says. */
#include "study/compare.h"

#include "integrate/integrate.h"
#include "study/defaults.h"
#include "study/run.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { INTERVALS = 50, MOST_HALVINGS = 30, MOST_FAILURES = 6, MOST_STALLS = 5, COARSE = 8, ONE_LINE = 512 };
static const double default_limit = 10, reference_share = 0.01, smallest_tolerance = 1e-13, margin = 10, most_allowed = 1e-2,
                    most_error = 0.25e-2; /* of a fixed step, by its own estimate */
static const double converging = 1.6;     /* what halving divides an error by, at least: order 0.7 */

typedef struct combination {
    const char *coordinates, *formulation, *integrator;
    const char *reason; /* why it cannot be tried; NULL: it can */
} combination;

/* What became of one run. */
typedef enum outcome { RUN_DONE, RUN_LATE, RUN_REFUSED, RUN_FAILED } outcome;

/* what a report holds */
typedef struct holding {
    bl_arena arena; /* texts */
    bl_compare_entry *entry;
    bl_index room;
} holding;

typedef struct comparison {
    bl_context *ctx;
    const bl_model *model;
    const bl_compare_options *asked;
    bl_compare_report *report;
    holding *own;
    bl_arena *arena;       /* of the holding */
    bl_run_options middle; /* resolved */
    bl_system *sys;        /* of the middle: which defaults it takes */
    bl_state state;
    double time[INTERVALS + 1];
    double limit;
    bl_measure measure;
    bl_record reference, run, last; /* last: one step size before */
    bl_error refusal;               /* of the last run that was refused or failed */
    char warning[ONE_LINE];         /* the first of the last run */
} comparison;

const char *bl_agreement_text(bl_agreement agreement) {
    static const char *const text[] = {"agreed", "disagreed", "skipped", "refused", "failed"};
    return (size_t)agreement < sizeof text / sizeof *text ? text[agreement] : "unknown";
}

/* ---- one run, in a context of its own: its messages are not those of the study */

typedef struct watch {
    comparison *c;
    bl_context *inner;
    bl_record *record;
    double begin, seconds; /* allowed */
    bool late;
} watch;

static void *inner_realloc(void *user, void *block, size_t bytes) {
    if (bytes > 0)
        return bl_resize(user, block, bytes, 1);
    bl_free(user, block);
    return NULL;
}

static void keep_warning(void *user, bl_log_level level, const char *message) {
    comparison *c = user;
    if (level == BL_LOG_WARNING && !c->warning[0])
        snprintf(c->warning, sizeof c->warning, "%s", message);
}

static bool must_end(watch *w) {
    w->late = w->late || bl_clock_seconds() - w->begin > w->seconds;
    return w->late || bl_context_stopped(w->c->ctx);
}

static bl_status watch_sample(void *user, const bl_sample *sample) {
    watch *w = user;
    bl_record_take(&w->c->measure, sample, w->record);
    return must_end(w) ? BL_STOPPED : BL_OK;
}

static void watch_progress(void *user, double t, double until, double wall_seconds) {
    (void)t, (void)until, (void)wall_seconds;
    watch *w = user;
    if (must_end(w))
        bl_context_stop(w->inner);
}

/* BL_OK: *what says how it went (c->refusal has the words). Else the study ends: BL_STOPPED, BL_E_MEMORY. */
static bl_status run(comparison *c, const combination *x, double tolerance, double step, double seconds, bl_record *record, outcome *what) {
    bl_context_options inner_options = {
        .realloc = inner_realloc, .realloc_user = c->ctx, .log = keep_warning, .log_user = c, .log_level = BL_LOG_WARNING};
    watch w = {.c = c, .record = record, .begin = bl_clock_seconds(), .seconds = seconds};
    BL_TRY(bl_context_create(&inner_options, &w.inner));
    bl_run_options o = {.coordinates = x->coordinates,
                        .formulation = x->formulation,
                        .integrator = x->integrator,
                        .linsol = c->middle.linsol,
                        .ordering = c->middle.ordering,
                        .until = c->middle.until,
                        .tolerance = tolerance,
                        .absolute = c->middle.absolute * tolerance / c->middle.tolerance,
                        .step = step,
                        .at = c->time,
                        .nat = INTERVALS + 1};
    bl_sink sink = {.user = &w, .sample = watch_sample, .progress = watch_progress};
    record->n = 0;
    c->warning[0] = '\0';
    bl_status status = bl_simulate(w.inner, c->model, &o, &sink, 1, &record->summary);
    c->refusal = *bl_context_error(w.inner);
    bl_context_destroy(w.inner);
    if (status == BL_E_MEMORY || (status == BL_STOPPED && !w.late))
        return status;
    *what = status == BL_OK || status == BL_EVENT                                  ? RUN_DONE
            : status == BL_STOPPED                                                 ? RUN_LATE
            : status == BL_E_ARG || status == BL_E_ABILITY || status == BL_E_MODEL ? RUN_REFUSED
                                                                                   : RUN_FAILED;
    return BL_OK;
}

/* the words of an inner run become those of the study */
static bl_status tell_refusal(comparison *c) {
    const bl_error *e = &c->refusal;
    bl_status status = e->status < 0 ? e->status : BL_E_NUMERIC;
    bl_place place = {.file = e->file[0] ? e->file : NULL, .line = e->line, .column = e->column};
    bl_fail(c->ctx, status, &place, "%s", e->what);
    bl_advise(c->ctx, "%s", e->advice);
    bl_blame(c->ctx, e->part, e->equation, e->time);
    return status;
}

static void refusal_line(const comparison *c, char reason[ONE_LINE]) {
    const bl_error *e = &c->refusal;
    size_t n = (size_t)snprintf(reason, ONE_LINE, "%s", e->what[0] ? e->what : bl_status_text(e->status));
    if (e->part[0] && n < ONE_LINE)
        n += (size_t)snprintf(reason + n, ONE_LINE - n, " (%s%s%s)", e->part, e->equation[0] ? ", " : "", e->equation);
    for (char *at = reason; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
}

/* ---- entries */

static bool same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool known(const comparison *c, const combination *x) {
    for (bl_index i = 0; i < c->report->nentry; i++) {
        const bl_compare_entry *e = &c->own->entry[i];
        if (same(e->coordinates, x->coordinates) && same(e->formulation, x->formulation) && same(e->integrator, x->integrator))
            return true;
    }
    return false;
}

static void fill(const comparison *c, bl_compare_entry *e, const bl_record *record) {
    const bl_run_summary *s = &record->summary;
    bl_difference d;
    bl_record_compare(&c->measure, record, &c->reference, &d);
    e->trajectory = d.trajectory;
    e->reactions = isnan(c->report->allowed_reactions) ? NAN : d.reactions;
    e->drift = s->largest_drift;
    e->energy_error = s->largest_energy_error;
    e->steps = s->steps;
    e->evaluations = s->evaluations;
    e->wall_seconds = s->wall_seconds;
    bool by_reactions = d.trajectory <= e->allowed && e->reactions / e->allowed_reactions > d.trajectory / e->allowed;
    snprintf(e->worst, sizeof e->worst, "%s", by_reactions ? d.worst_joint : d.worst);
    e->worst_time = by_reactions ? d.worst_joint_time : d.worst_time;
}

static bool near_reference(const bl_compare_entry *e) { return e->trajectory <= e->allowed && !(e->reactions > e->allowed_reactions); }

static void judge(bl_compare_entry *e) {
    if (near_reference(e)) {
        e->agreement = BL_AGREED;
        return;
    }
    e->agreement = BL_DISAGREED;
    bool moves = !(e->trajectory <= e->allowed);
    snprintf(e->reason, sizeof e->reason, "%s differ%s by %.2g, more than %.2g: most at %s, t = %.6g s",
             moves ? "the motion" : "the reactions", moves ? "s" : "", moves ? e->trajectory : e->reactions,
             moves ? e->allowed : e->allowed_reactions, e->worst, e->worst_time);
}

/* what the facts of a formulation announce is no failure */
static bool refuses_singular(const comparison *c, const bl_compare_entry *e) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(e->formulation);
    return kind && (kind->kind.gives & BL_REFUSES_SINGULAR) && strncmp(c->refusal.what, BL_SINGULAR_PLACE, strlen(BL_SINGULAR_PLACE)) == 0;
}

static void not_done(const comparison *c, bl_compare_entry *e, outcome what) {
    if (what == RUN_FAILED && refuses_singular(c, e))
        what = RUN_REFUSED;
    e->agreement = what == RUN_LATE ? BL_SKIPPED : what == RUN_REFUSED ? BL_REFUSED : BL_AGREEMENT_FAILED;
    if (what != RUN_LATE)
        refusal_line(c, e->reason);
    else
        snprintf(e->reason, sizeof e->reason, "over its limit of %g s at t = %.6g s", c->limit, c->run.summary.t);
}

/* ---- adaptive methods: by tolerance */

/* how many times too far from the reference */
static double excess(const comparison *c, const bl_compare_entry *e) {
    double most = e->trajectory / c->report->allowed;
    return isnan(e->reactions) ? most : fmax(most, e->reactions / c->report->allowed_reactions);
}

static bl_status run_adaptive(comparison *c, const combination *x, bl_compare_entry *e) {
    double left = c->limit, before = INFINITY;
    for (double tolerance = c->middle.tolerance;; tolerance *= 0.1) {
        outcome what;
        e->tolerance = tolerance;
        BL_TRY(run(c, x, tolerance, 0, left, &c->run, &what));
        if (what != RUN_DONE) {
            not_done(c, e, what);
            if (what == RUN_LATE && isfinite(before))
                snprintf(e->reason, sizeof e->reason, "over its limit of %g s at tolerance %.0e; at %.0e it is %.2g times too inaccurate",
                         c->limit, tolerance, 10 * tolerance, before);
            return BL_OK;
        }
        fill(c, e, &c->run);
        left -= c->run.summary.wall_seconds;
        /* as exact as the reference, and still not there: goes on as long as that helps */
        bool exact = tolerance < 1.01 * c->report->reference_tolerance, helps = excess(c, e) < 0.5 * before;
        if (near_reference(e) || (exact && !helps) || 0.1 * tolerance < smallest_tolerance)
            break;
        before = excess(c, e);
    }
    judge(e);
    return BL_OK;
}

/* ---- fixed-step methods: by halving */

/* One quantity of a fixed-step method while its step is halved. */
typedef struct settling {
    double apart;       /* two successive answers; NaN: not yet, or not compared */
    double gain, least; /* what the last halving divided that by, and the last two at least; NaN: unknown */
    double allowed;     /* by the report */
} settling;

static void halved(settling *s, double apart) {
    double gain = s->apart / apart;
    s->least = fmin(gain, s->gain);
    s->gain = gain;
    s->apart = apart;
}

/* Of the last answer, when errors fall as they did, but not faster than with order 2: the first answers may be so wrong that the next are
 * better by chance. */
static double error_of(const settling *s) { return s->least > 1 ? s->apart / (fmin(s->least, 4) - 1) : INFINITY; }

/* near enough to the limit of ever shorter steps; where nothing shows yet how errors fall, or noise hides it, by a wide margin */
static bool settled(const settling *s) {
    return isnan(s->allowed) || s->apart <= 0.05 * s->allowed || (s->least > converging && error_of(s) <= 0.5 * s->allowed);
}

/* errors fall at every halving, and are below `most` */
static bool converges(const settling *s, double most) { return settled(s) || (s->least > converging && error_of(s) <= most); }

static double own_allowance(const settling *s) { return settled(s) ? s->allowed : fmin(s->allowed + 2 * error_of(s), most_allowed); }

/* how many times too far apart two successive answers are */
static double unsettled(const settling *s) { return isnan(s->allowed) ? 0 : s->apart / (0.5 * s->allowed); }

static double goal(const settling *s) { return fmin(sqrt(s->allowed * most_allowed), most_error); }

/* judges with what the method says of its own error */
static void judge_fixed(const comparison *c, bl_compare_entry *e, const settling *motion, const settling *reactions) {
    e->allowed = own_allowance(motion);
    e->allowed_reactions = own_allowance(reactions);
    fill(c, e, &c->run);
    judge(e);
}

/* whether no further halving is worth its time, and why */
static bool gives_up(const comparison *c, bl_compare_entry *e, const settling *motion, const settling *reactions, int stalls, double left) {
    double apart = fmax(unsettled(motion), unsettled(reactions));
    bool late = 2 * c->run.summary.wall_seconds > left;
    if (late && stalls == 0 && converges(motion, most_error) && converges(reactions, most_error)) {
        judge_fixed(c, e, motion, reactions);
        return true;
    }
    if (stalls >= MOST_STALLS || (stalls > 0 && late)) {
        e->agreement = BL_AGREEMENT_FAILED;
        snprintf(e->reason, sizeof e->reason, "halving the step does not settle: at %.3g s two answers are %.2g times too far apart",
                 e->step, apart);
        return true;
    }
    if (late) {
        e->agreement = BL_SKIPPED;
        snprintf(e->reason, sizeof e->reason, "over its limit of %g s: at %.3g s two answers are still %.2g times too far apart", c->limit,
                 e->step, apart);
    }
    return late;
}

static bl_status run_fixed(comparison *c, const combination *x, bl_compare_entry *e) {
    double span = c->middle.until, left = c->limit;
    /* coarse ones cost little and show how errors fall */
    double mean = (double)c->reference.summary.steps * span / fmax(c->reference.summary.t, DBL_MIN);
    double steps = INTERVALS * ceil(mean / COARSE / INTERVALS);
    settling motion = {NAN, NAN, NAN, c->report->allowed}, reactions = {NAN, NAN, NAN, c->report->allowed_reactions};
    int failures = 0, stalls = 0;
    bool have_last = false;
    e->tolerance = c->middle.tolerance;
    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++, steps *= 2) {
        outcome what;
        double h = c->asked->step > 0 ? c->asked->step : span / steps;
        BL_TRY(run(c, x, c->middle.tolerance, h, left, &c->run, &what));
        left -= c->run.summary.wall_seconds;
        /* a shorter step may do what the first ones could not */
        if (what == RUN_FAILED && !have_last && !(c->asked->step > 0) && ++failures < MOST_FAILURES && left > 0)
            continue;
        if (what != RUN_DONE) {
            not_done(c, e, what);
            if (what == RUN_LATE && have_last)
                snprintf(e->reason, sizeof e->reason, "over its limit of %g s: %.3g s is the smallest step that it could take", c->limit,
                         2 * h);
            return BL_OK;
        }
        e->step = h;
        fill(c, e, &c->run);
        if (c->asked->step > 0) {
            judge(e);
            return BL_OK;
        }
        if (have_last) {
            bl_difference d;
            bl_record_compare(&c->measure, &c->last, &c->run, &d);
            double before = fmax(unsettled(&motion), unsettled(&reactions));
            halved(&motion, d.trajectory);
            halved(&reactions, d.reactions);
            if ((settled(&motion) && settled(&reactions)) ||
                (converges(&motion, goal(&motion)) && converges(&reactions, goal(&reactions)))) {
                judge_fixed(c, e, &motion, &reactions);
                return BL_OK;
            }
            /* answers that have nothing in common come from steps that are far too long */
            bool comparable = motion.apart < 10 * most_allowed;
            stalls = comparable && fmax(unsettled(&motion), unsettled(&reactions)) > 0.7 * before ? stalls + 1 : 0;
            if (gives_up(c, e, &motion, &reactions, stalls, left))
                return BL_OK;
        }
        bl_record keep = c->last;
        c->last = c->run;
        c->run = keep;
        have_last = true;
    }
    e->agreement = BL_AGREEMENT_FAILED;
    snprintf(e->reason, sizeof e->reason, "halving the step does not settle: %.3g s at last", e->step);
    return BL_OK;
}

/* ---- one combination */

static bl_status solve(comparison *c, const combination *x, bl_compare_entry *e) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(x->integrator);
    *e = (bl_compare_entry){.coordinates = x->coordinates,
                            .formulation = x->formulation,
                            .integrator = x->integrator,
                            .trajectory = NAN,
                            .reactions = NAN,
                            .allowed = c->report->allowed,
                            .allowed_reactions = c->report->allowed_reactions,
                            .worst_time = NAN,
                            .drift = NAN,
                            .energy_error = NAN,
                            .wall_seconds = NAN};
    if (x->reason) {
        e->agreement = BL_SKIPPED;
        snprintf(e->reason, sizeof e->reason, "%s", x->reason);
        return BL_OK;
    }
    if (kind && !(kind->kind.gives & BL_ADAPTIVE))
        return run_fixed(c, x, e);
    return run_adaptive(c, x, e);
}

static void count(bl_compare_report *report, bl_agreement agreement) {
    bl_index *const counter[] = {&report->agreed, &report->disagreed, &report->skipped, &report->refused, &report->failed};
    ++*counter[agreement];
}

/* what the library warned of, or what the kind is known for, belongs to the reason */
static void add_warning(comparison *c, bl_compare_entry *e) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(e->formulation);
    size_t length = strlen(e->reason);
    if (e->agreement == BL_AGREED || e->agreement == BL_REFUSED)
        return;
    if (!c->warning[0] && e->agreement == BL_DISAGREED && kind && (kind->kind.gives & BL_GIVES_WAY))
        snprintf(c->warning, sizeof c->warning, "constraints give way in %s: its parameters say how far", kind->kind.name);
    if (c->warning[0] && snprintf(e->reason + length, sizeof e->reason - length, "; %s", c->warning) < 0)
        e->reason[length] = '\0';
}

/* instead: the same with a companion that fits, when x is refused; NULL: none */
static bl_status add(comparison *c, const combination *x, const combination *instead) {
    if (known(c, x))
        return BL_OK;
    BL_TRY(BL_RESERVE(c->ctx, c->own->entry, c->own->room, c->report->nentry + 1));
    c->report->entry = c->own->entry;
    bl_compare_entry *e = &c->own->entry[c->report->nentry];
    BL_TRY(solve(c, x, e));
    bool middle = c->report->nentry == 0;
    if (middle && e->agreement == BL_REFUSED && c->refusal.status != BL_E_ABILITY)
        return tell_refusal(c); /* unknown words, parameters out of range: nothing around it would do */
    if (e->agreement == BL_REFUSED && instead) {
        if (known(c, instead))
            return BL_OK;
        bl_compare_entry second;
        BL_TRY(solve(c, instead, &second));
        *e = second;
    }
    if (!x->reason)
        add_warning(c, e);
    c->report->nentry++;
    count(c->report, e->agreement);
    return BL_OK;
}

/* ---- which combinations */

typedef struct axis {
    const char **spec;
    const char **reason; /* why a kind cannot be tried, or NULL */
    bl_index n;
} axis;

static bl_status missing_parameter(comparison *c, const bl_kind *kind, const char **reason) {
    for (const bl_param *p = kind->params; p && p->type != BL_P_END && !*reason; p++)
        if (p->flags & BL_REQUIRED) {
            *reason = bl_arena_printf(c->arena, "%s needs its parameter '%s'", kind->name, p->name);
            if (!*reason)
                return BL_E_MEMORY;
        }
    return BL_OK;
}

static bool names_kind(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    return strlen(name) == length && strncmp(spec, name, length) == 0;
}

/* the middle first, then what was asked for, or every other kind */
static bl_status make_axis(comparison *c, const char *middle, const char *const *tried, bl_index ntried, const bl_kind *const *kind,
                           size_t nkind, axis *a) {
    size_t n = 1 + (ntried > 0 ? (size_t)ntried : nkind);
    *a = (axis){.spec = bl_arena_alloc(c->arena, n, sizeof *a->spec), .reason = bl_arena_alloc(c->arena, n, sizeof *a->reason)};
    if (!a->spec || !a->reason)
        return BL_E_MEMORY;
    a->spec[a->n++] = middle;
    for (bl_index i = 0; i < ntried; i++)
        if (!same(tried[i], middle)) {
            a->spec[a->n] = bl_arena_text(c->arena, tried[i], strlen(tried[i]));
            if (!a->spec[a->n++])
                return BL_E_MEMORY;
        }
    for (size_t i = 0; ntried == 0 && i < nkind; i++) {
        if (names_kind(middle, kind[i]->name))
            continue;
        a->spec[a->n] = kind[i]->name;
        BL_TRY(missing_parameter(c, kind[i], &a->reason[a->n]));
        a->n++;
    }
    return BL_OK;
}

static bl_status make_axes(comparison *c, axis a[3]) {
    const bl_compare_options *o = c->asked;
    bool plain = c->model->equations || c->model->matrices; /* they are what they are */
    const bl_kind **formulation = bl_arena_alloc(c->arena, bl_formulation_kind_count, sizeof *formulation);
    const bl_kind **integrator = bl_arena_alloc(c->arena, bl_integrator_kind_count, sizeof *integrator);
    if (!formulation || !integrator)
        return BL_E_MEMORY;
    for (size_t i = 0; i < bl_formulation_kind_count; i++)
        formulation[i] = &bl_formulation_kinds[i]->kind;
    for (size_t i = 0; i < bl_integrator_kind_count; i++)
        integrator[i] = &bl_integrator_kinds[i]->kind;
    BL_TRY(make_axis(c, c->middle.coordinates, o->coordinates_tried, plain ? 0 : o->ncoordinates_tried, bl_coords_kinds,
                     plain ? 0 : bl_coords_kind_count, &a[0]));
    BL_TRY(
        make_axis(c, c->middle.formulation, o->formulations_tried, o->nformulations_tried, formulation, bl_formulation_kind_count, &a[1]));
    return make_axis(c, c->middle.integrator, o->integrators_tried, o->nintegrators_tried, integrator, bl_integrator_kind_count, &a[2]);
}

static combination at(const axis a[3], bl_index i, bl_index j, bl_index k) {
    combination x = {a[0].spec[i], a[1].spec[j], a[2].spec[k], a[0].reason[i]};
    x.reason = x.reason ? x.reason : a[1].reason[j] ? a[1].reason[j] : a[2].reason[k];
    return x;
}

static bl_status say(const comparison *c, bl_index done, bl_index total, const combination *x) {
    if (bl_context_stopped(c->ctx))
        return BL_STOPPED;
    char text[256];
    snprintf(text, sizeof text, "%s, %s, %s", x->coordinates, x->formulation, x->integrator);
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, done, total, text);
    return BL_OK;
}

static bl_status vary_all(comparison *c, const axis a[3]) {
    bl_index total = a[0].n * a[1].n * a[2].n, done = 0;
    for (bl_index i = 0; i < a[0].n; i++)
        for (bl_index j = 0; j < a[1].n; j++)
            for (bl_index k = 0; k < a[2].n; k++) {
                combination x = at(a, i, j, k);
                BL_TRY(say(c, done++, total, &x));
                BL_TRY(add(c, &x, NULL));
            }
    return BL_OK;
}

/* Around the middle. A formulation that the middle's integrator cannot integrate gets its default one, and the other way round. */
static bl_status vary_each(comparison *c, const axis a[3]) {
    bl_index total = a[0].n + a[1].n + a[2].n - 2, done = 0;
    for (bl_index i = 0; i < a[0].n; i++) {
        combination x = at(a, i, 0, 0);
        BL_TRY(say(c, done++, total, &x));
        BL_TRY(add(c, &x, NULL));
    }
    for (bl_index j = 1; j < a[1].n; j++) {
        combination x = at(a, 0, j, 0), fits = x;
        fits.integrator = bl_run_integrator(c->sys, NULL, x.formulation);
        BL_TRY(say(c, done++, total, &x));
        BL_TRY(add(c, &x, same(fits.integrator, x.integrator) ? NULL : &fits));
    }
    for (bl_index k = 1; k < a[2].n; k++) {
        combination x = at(a, 0, 0, k), fits = x;
        fits.formulation = bl_run_formulation(c->sys, NULL, x.integrator);
        BL_TRY(say(c, done++, total, &x));
        BL_TRY(add(c, &x, same(fits.formulation, x.formulation) ? NULL : &fits));
    }
    return BL_OK;
}

/* ---- the reference */

static const char *in_words(comparison *c, const combination *x) {
    return bl_arena_printf(c->arena, "%s, %s, %s", x->coordinates, x->formulation, x->integrator);
}

static bool adaptive(const char *integrator) {
    const bl_integrator_kind *kind = bl_integrator_kind_of(integrator);
    return !kind || (kind->kind.gives & BL_ADAPTIVE); /* unknown words are told by the run */
}

static bl_status run_exactly(comparison *c, const combination *x, double seconds, bl_record *record, outcome *what) {
    char text[256];
    snprintf(text, sizeof text, "reference: %s, %s, %s", x->coordinates, x->formulation, x->integrator);
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, 0, 0, text);
    return run(c, x, c->report->reference_tolerance, 0, seconds, record, what);
}

/* the middle, by an adaptive method; else by the default one; else by defaults alone */
static bl_status find_reference(comparison *c, combination *x) {
    combination tries[3] = {{c->middle.coordinates, c->middle.formulation, c->middle.integrator, NULL}};
    tries[1] = tries[2] = tries[0];
    tries[1].integrator = bl_run_integrator(c->sys, NULL, c->middle.formulation);
    tries[2].integrator = bl_run_integrator(c->sys, NULL, NULL);
    tries[2].formulation = bl_run_formulation(c->sys, NULL, tries[2].integrator);
    outcome what = RUN_FAILED;
    for (int i = 0; i < 3; i++) {
        *x = tries[i];
        if (!adaptive(x->integrator))
            continue;
        BL_TRY(run_exactly(c, x, 10 * c->limit, &c->reference, &what));
        if (what == RUN_DONE)
            return BL_OK;
        if (what == RUN_REFUSED && c->refusal.status != BL_E_ABILITY)
            return tell_refusal(c);
    }
    if (what != RUN_LATE)
        return tell_refusal(c);
    bl_fail(c->ctx, BL_E_NUMERIC, NULL, "the reference run (%s, %s, %s at tolerance %g) takes more than %g s", x->coordinates,
            x->formulation, x->integrator, c->report->reference_tolerance, 10 * c->limit);
    bl_advise(c->ctx, "a larger limit or tolerance, or a shorter time");
    return BL_E_NUMERIC;
}

/* Another adaptive method on another formulation; in a second pass on any. Methods that need the same face of a formulation come first:
 * where the model wants an implicit method explicit ones may never end. High order before low. */
static bl_status find_check(comparison *c, const combination *reference, combination *x, bool *found) {
    const bl_integrator_kind *own = bl_integrator_kind_of(reference->integrator);
    uint32_t faces = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_COEFFICIENT, face = own->kind.needs & faces;
    *found = false;
    *x = *reference;
    for (int pass = 0; pass < 4; pass++)
        for (int order = 255; order > 0; order--)
            for (size_t i = 0; i < bl_integrator_kind_count; i++) {
                const bl_integrator_kind *kind = bl_integrator_kinds[i];
                bool alike = (kind->kind.needs & face) == face;
                if (kind->order != order || kind == own || !(kind->kind.gives & BL_ADAPTIVE) || alike != (pass < 2))
                    continue;
                for (size_t j = 0; j < bl_formulation_kind_count; j++) {
                    const bl_kind *formulation = &bl_formulation_kinds[j]->kind;
                    bool other = !names_kind(reference->formulation, formulation->name);
                    if (other != (pass % 2 == 0) || (kind->kind.needs & faces & ~formulation->gives) || (formulation->gives & BL_GIVES_WAY))
                        continue;
                    outcome what;
                    x->integrator = kind->kind.name;
                    x->formulation = other ? formulation->name : reference->formulation;
                    BL_TRY(run_exactly(c, x, c->limit, &c->run, &what));
                    *found = what == RUN_DONE;
                    if (*found)
                        return BL_OK;
                }
            }
    return BL_OK;
}

static double allowance(double difference, double tolerance, double exact) {
    return fmin(margin * fmax(difference / exact, 1) * tolerance, most_allowed);
}

static bl_status judge_reference(comparison *c, const combination *reference) {
    bl_compare_report *r = c->report;
    combination other;
    bool found;
    bl_difference d = {.trajectory = NAN, .reactions = NAN};
    BL_TRY(find_check(c, reference, &other, &found));
    r->sensitivity = 1 / reference_share; /* nothing shows it: what long motions often have */
    if (found) {
        r->check = in_words(c, &other);
        if (!r->check)
            return BL_E_MEMORY;
        bl_record_compare(&c->measure, &c->run, &c->reference, &d);
        r->sensitivity = fmax(d.trajectory / r->reference_tolerance, 1);
    }
    r->reference_trajectory = d.trajectory;
    r->reference_reactions = c->measure.reactions ? d.reactions : NAN;
    r->allowed = allowance(r->sensitivity * r->reference_tolerance, r->tolerance, r->reference_tolerance);
    r->allowed_reactions = NAN;
    if (c->measure.reactions && !(d.reactions > 0.1 * most_allowed)) /* else forces jump, or are huge beside a singular position */
        r->allowed_reactions = found ? allowance(d.reactions, r->tolerance, r->reference_tolerance) : r->allowed;
    if (d.trajectory > 0.1 * most_allowed) {
        bl_fail(c->ctx, BL_E_NUMERIC, NULL, "two runs at tolerance %.2g differ by %.2g (%s; %s): most at %s, t = %.6g s",
                r->reference_tolerance, d.trajectory, r->reference, r->check, d.worst, d.worst_time);
        bl_advise(c->ctx, "the motion may be too sensitive to be compared so long: a shorter time or a smaller tolerance");
        return BL_E_NUMERIC;
    }
    return BL_OK;
}

/* of equations: no variable is wanted more exactly than its absolute tolerance says */
static bl_status least_scales(comparison *c, double **least) {
    *least = NULL;
    if (!c->model->equations && !c->model->matrices)
        return BL_OK;
    *least = bl_arena_alloc(c->arena, (size_t)c->model->nvariable, sizeof **least);
    if (!*least)
        return BL_E_MEMORY;
    for (bl_index j = 0; j < c->sys->nv + c->sys->nz; j++)
        if (c->sys->col[j].owner < c->model->nvariable)
            (*least)[c->sys->col[j].owner] = c->middle.absolute > 0 ? c->middle.absolute / c->middle.tolerance : c->sys->col[j].scale;
    return BL_OK;
}

static bl_status make_reference(comparison *c) {
    combination x;
    double *least;
    bl_measure *m = &c->measure;
    BL_TRY(find_reference(c, &x));
    c->report->reference = in_words(c, &x);
    if (!c->report->reference)
        return BL_E_MEMORY;
    BL_TRY(least_scales(c, &least));
    BL_TRY(bl_measure_scales(m, &c->reference, least));
    BL_TRY(bl_measure_determined(m, &c->reference));
    c->report->until = c->reference.summary.t;
    c->report->joints = m->reactions ? m->njoint : 0;
    c->report->joints_undetermined = m->undetermined;
    c->report->joints_partial = m->partial;
    c->report->length = m->length;
    c->report->force = m->force;
    c->report->moment = m->moment;
    return judge_reference(c, &x);
}

/* ---- the study */

static bl_status check_options(comparison *c) {
    const bl_compare_options *o = c->asked;
    const char *said = o->coordinates ? o->coordinates : c->model->settings.coordinates;
    bl_run_options given = {.coordinates = said ? said : BL_DEFAULT_COORDINATES_LOOPS, /* whose rows and reactions all others have */
                            .formulation = o->formulation,
                            .integrator = o->integrator,
                            .linsol = o->linsol,
                            .ordering = o->ordering,
                            .until = o->until,
                            .tolerance = o->tolerance,
                            .step = o->step};
    BL_TRY(bl_run_resolve(c->ctx, c->model, &given, &c->middle));
    if (!(c->middle.until > 0)) {
        bl_fail(c->ctx, BL_E_ARG, NULL, "nothing says how long to simulate");
        bl_advise(c->ctx, "give until, or write `simulate: {until: 10}` in the model");
        return BL_E_ARG;
    }
    if (!(o->limit >= 0) || !isfinite(o->limit))
        return bl_fail(c->ctx, BL_E_ARG, NULL, "the limit must not be %g s", o->limit);
    c->limit = o->limit > 0 ? o->limit : default_limit;
    for (int k = 0; k <= INTERVALS; k++)
        c->time[k] = c->middle.until * k / INTERVALS;
    return BL_OK;
}

static bl_status prepare(comparison *c) {
    bl_compare_report *r = c->report;
    const char *name = c->model->name ? c->model->name : "";
    BL_TRY(check_options(c));
    bl_status status = bl_run_prepare(c->ctx, c->model, c->middle.coordinates, &c->sys, &c->state);
    bl_run_options given = {.coordinates = c->asked->coordinates};
    BL_TRY(bl_run_refused(c->ctx, c->model, &given, status));
    c->middle.integrator = bl_run_integrator(c->sys, c->middle.integrator, c->middle.formulation);
    c->middle.formulation = bl_run_formulation(c->sys, c->middle.formulation, c->middle.integrator);
    /* copies: the report outlives the options */
    const char **const text[] = {&c->middle.coordinates, &c->middle.formulation, &c->middle.integrator, &r->model_name};
    r->model_name = name;
    for (int i = 0; i < 4; i++) {
        *text[i] = bl_arena_text(c->arena, *text[i], strlen(*text[i]));
        if (!*text[i])
            return BL_E_MEMORY;
    }
    r->until = c->middle.until;
    r->tolerance = c->middle.tolerance;
    r->reference_tolerance = fmin(fmax(reference_share * r->tolerance, smallest_tolerance), r->tolerance);
    bl_measure_layout(c->ctx, c->model, c->time, INTERVALS + 1, c->middle.until, &c->measure);
    BL_TRY(bl_record_create(c->ctx, &c->measure, &c->reference));
    BL_TRY(bl_record_create(c->ctx, &c->measure, &c->run));
    return bl_record_create(c->ctx, &c->measure, &c->last);
}

static bl_status study(comparison *c) {
    axis a[3];
    BL_TRY(prepare(c));
    BL_TRY(make_reference(c));
    BL_TRY(make_axes(c, a));
    BL_TRY(c->asked->all ? vary_all(c, a) : vary_each(c, a));
    if (c->asked->progress)
        c->asked->progress(c->asked->progress_user, c->report->nentry, c->report->nentry, "");
    return BL_OK;
}

bl_status bl_compare(bl_context *ctx, const bl_model *model, const bl_compare_options *options, bl_compare_report *report) {
    static const bl_compare_options nothing = {0};
    if (!ctx || !model || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_compare needs a context, a model and a report");
    holding *own;
    *report = (bl_compare_report){.allowed = NAN, .allowed_reactions = NAN, .reference_trajectory = NAN, .reference_reactions = NAN};
    BL_TRY(BL_NEW(ctx, own, 1));
    own->arena.ctx = ctx;
    report->own = own;
    comparison c = {.ctx = ctx, .model = model, .asked = options ? options : &nothing, .report = report, .own = own, .arena = &own->arena};
    bl_status status = study(&c);
    bl_record_destroy(ctx, &c.reference);
    bl_record_destroy(ctx, &c.run);
    bl_record_destroy(ctx, &c.last);
    bl_measure_destroy(&c.measure);
    if (c.sys) {
        bl_state_destroy(c.sys, &c.state);
        bl_system_destroy(c.sys);
    }
    return status;
}

void bl_compare_report_destroy(bl_context *ctx, bl_compare_report *report) {
    holding *own = report->own;
    if (own) {
        bl_free(ctx, own->entry);
        bl_arena_destroy(&own->arena);
    }
    bl_free(ctx, own);
    *report = (bl_compare_report){0};
}
