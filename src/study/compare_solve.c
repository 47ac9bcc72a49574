/* compare: one combination run and judged.
 *
 * Allowed difference of two results. The reference runs at tol/100. A second run at tol/100 with other methods differs from it by D; where
 * errors are proportional to the tolerance, the motion amplifies them by S = D / (tol/100), so a run at tol may have an error of S tol, and
 * of ten times that, since constants of methods differ that much: allowed = 10 max(1, S) tol, never above 1e-2. A run with a larger
 * difference is repeated at tol/10, tol/100 and so on as long as that helps: an inaccurate result then approaches the reference, a
 * wrong one does not.
 * Steps of fixed-step methods are halved, without using the reference, until two successive results differ by far less than that, or until
 * three show falling errors, the last below sqrt(allowed 1e-2): methods of low order need not reach the accuracy of high-order ones. Then
 * the difference from the reference must be within this error. If it is not, the step is halved further: the result is wrong only if two
 * further halvings do not reduce the difference. */
#include "study/compare_private.h"

#include "base/sized.h"
#include "integrate/integrate.h"
#include "study/closure.h"
#include "study/run.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COARSE = 8, ONE_LINE = 512 };

/* ---- starts of runs */

static void *inner_realloc(void *user, void *block, size_t bytes) {
    if (bytes > 0)
        return bl_resize(user, block, bytes, 1);
    bl_free(user, block);
    return NULL;
}

static void keep_warning(void *user, bl_log_level level, const char *message) {
    bl_comparison *c = user;
    if (level == BL_LOG_WARNING && !c->warning[0])
        snprintf(c->warning, sizeof c->warning, "%s", message);
}

static void start_destroy(bl_compare_start *s) {
    bl_run_release(s->sys, &s->state, NULL);
    bl_context_destroy(s->ctx);
}

bl_status bl_compare_start_in(bl_comparison *c, const char *coordinates, const bl_compare_start **start) {
    for (bl_index i = 0; i < c->nstart; i++)
        if (strcmp(c->start[i].coordinates, coordinates) == 0) {
            *start = &c->start[i];
            return BL_OK;
        }
    bl_context_options options = {
        .realloc = inner_realloc, .realloc_user = c->ctx, .log = keep_warning, .log_user = c, .log_level = BL_LOG_WARNING};
    BL_TRY(BL_RESERVE(c->ctx, c->start, c->start_room, c->nstart + 1));
    bl_compare_start *s = &c->start[c->nstart];
    *s = (bl_compare_start){.coordinates = coordinates};
    BL_TRY(bl_context_create(&options, &s->ctx));
    c->warning[0] = '\0';
    bl_status status = bl_run_prepare(s->ctx, c->model, coordinates, &s->sys, &s->state);
    if (status == BL_OK)
        status = bl_closure_warn(s->sys, c->model, &s->state);
    memcpy(s->warning, c->warning, sizeof s->warning);
    if (status == BL_OK) {
        c->nstart++;
        *start = s;
        return BL_OK;
    }
    c->refusal = *bl_context_error(s->ctx);
    start_destroy(s);
    return status;
}

void bl_compare_starts_destroy(bl_comparison *c) {
    for (bl_index i = 0; i < c->nstart; i++)
        start_destroy(&c->start[i]);
    bl_free(c->ctx, c->start);
}

/* ---- one run */

typedef struct watch {
    bl_comparison *c;
    bl_context *inner;
    bl_record *record;
    double begin, seconds; /* allowed */
    bool late;
    bl_motion motion;
} watch;

static bool must_end(watch *w) {
    w->late = w->late || bl_clock_seconds() - w->begin - w->motion.seconds > w->seconds;
    return w->late || bl_context_stopped(w->c->ctx);
}

static bl_status watch_begin(void *user, const bl_run_info *info) {
    watch *w = user;
    snprintf(w->c->formulation, sizeof w->c->formulation, "%s", info->formulation);
    return BL_OK;
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

static bl_outcome outcome_of(bl_status status) {
    return status == BL_OK || status == BL_EVENT                                  ? BL_RUN_DONE
           : status == BL_STOPPED                                                 ? BL_RUN_LATE
           : status == BL_E_ARG || status == BL_E_ABILITY || status == BL_E_MODEL ? BL_RUN_REFUSED
                                                                                  : BL_RUN_FAILED;
}

bl_status bl_compare_run(bl_comparison *c, const bl_combination *x, double tolerance, double step, double seconds, bl_record *record,
                         bl_outcome *what) {
    const bl_compare_start *start;
    bl_run_options o = {.size = sizeof o,
                        .coordinates = x->coordinates,
                        .formulation = x->formulation,
                        .integrator = x->integrator,
                        .linsol = c->middle.linsol,
                        .ordering = c->middle.ordering,
                        .until = c->middle.until,
                        .tolerance = tolerance,
                        .absolute = c->middle.absolute * tolerance / c->middle.tolerance,
                        .step = step,
                        .at = c->sampled ? c->sampled : c->time,
                        .nat = c->sampled ? c->nsampled : BL_COMPARE_INTERVALS + 1};
    const bl_compare_motions *motions = c->asked->motions;
    record->n = 0;
    record->summary = (bl_run_summary){.size = sizeof record->summary};
    c->formulation[0] = '\0';
    bl_status status = bl_compare_start_in(c, x->coordinates, &start);
    *what = outcome_of(status);
    if (status != BL_OK)
        return status == BL_E_MEMORY ? status : BL_OK;
    watch w = {.c = c, .inner = start->ctx, .record = record, .begin = bl_clock_seconds(), .seconds = seconds};
    bl_sink sink[2] = {{.size = sizeof *sink, .user = &w, .begin = watch_begin, .sample = watch_sample, .progress = watch_progress}};
    memcpy(c->warning, start->warning, sizeof c->warning);
    bl_context_clear_error(w.inner);
    bl_context_resume(w.inner);
    status = motions ? w.motion.status = bl_motion_begin(&w.motion, motions, w.inner, &o) : BL_OK;
    if (status == BL_OK) {
        sink[1] = bl_motion_sink(&w.motion);
        status = bl_simulate_from(start->sys, &start->state, w.inner, c->model, &o, sink, motions ? 2 : 1, &record->summary);
        record->summary.wall_seconds -= w.motion.seconds;
    }
    bl_sink_destroy(&w.motion.to);
    c->refusal = *bl_context_error(w.inner);
    if (w.motion.status != BL_OK)
        return bl_compare_pass_error(c);
    if (status == BL_E_MEMORY || (status == BL_STOPPED && !w.late))
        return status;
    *what = outcome_of(status);
    return motions && *what == BL_RUN_DONE ? motions->done(motions->user) : BL_OK;
}

bl_status bl_compare_pass_error(bl_comparison *c) {
    bl_status status = c->refusal.status < 0 ? c->refusal.status : BL_E_NUMERIC;
    bl_fail_again(c->ctx, status, &c->refusal);
    return status;
}

static void refusal_line(const bl_comparison *c, char reason[ONE_LINE]) {
    const bl_error *e = &c->refusal;
    size_t n = (size_t)snprintf(reason, ONE_LINE, "%s", e->what[0] ? e->what : bl_status_text(e->status));
    if (e->part[0] && n < ONE_LINE)
        n += (size_t)snprintf(reason + n, ONE_LINE - n, " (%s%s%s)", e->part, e->equation[0] ? ", " : "", e->equation);
    for (char *at = reason; *at; at++)
        *at = *at == '\n' ? ' ' : *at;
}

/* ---- judgment */

static void fill(const bl_comparison *c, bl_compare_entry *e, const bl_record *record) {
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

void bl_compare_fill_reference(bl_comparison *c, const bl_combination *x) {
    bl_compare_entry *e = &c->report->reference_run;
    *e = (bl_compare_entry){.coordinates = x->coordinates,
                            .formulation = x->formulation,
                            .integrator = x->integrator,
                            .allowed = NAN,
                            .allowed_reactions = NAN,
                            .tolerance = c->report->reference_tolerance};
    fill(c, e, &c->reference);
    e->trajectory = e->reactions = e->worst_time = NAN; /* difference from itself */
    e->worst[0] = '\0';
}

static bool near_reference(const bl_compare_entry *e) { return e->trajectory <= e->allowed && !(e->reactions > e->allowed_reactions); }

static void judge(bl_compare_entry *e) {
    if (near_reference(e)) {
        e->agreement = BL_AGREED;
        e->reason[0] = '\0';
        return;
    }
    e->agreement = BL_DISAGREED;
    bool moves = !(e->trajectory <= e->allowed);
    snprintf(e->reason, sizeof e->reason, "%s differ%s by %.2g, more than %.2g: most at %s, t = %.6g s",
             moves ? "the motion" : "the reactions", moves ? "s" : "", moves ? e->trajectory : e->reactions,
             moves ? e->allowed : e->allowed_reactions, e->worst, e->worst_time);
}

/* a formulation that is declared to refuse singular configurations does not fail there */
static bool refuses_singular(const bl_comparison *c, const bl_compare_entry *e) {
    const bl_formulation_kind *kind = bl_formulation_kind_of(e->formulation ? e->formulation : c->formulation);
    return kind && (kind->kind.gives & BL_REFUSES_SINGULAR) &&
           strncmp(c->refusal.what, BL_SINGULAR_MESSAGE, strlen(BL_SINGULAR_MESSAGE)) == 0;
}

static void not_done(const bl_comparison *c, bl_compare_entry *e, bl_outcome what) {
    if (what == BL_RUN_FAILED && refuses_singular(c, e))
        what = BL_RUN_REFUSED;
    e->agreement = what == BL_RUN_LATE ? BL_SKIPPED : what == BL_RUN_REFUSED ? BL_REFUSED : BL_AGREEMENT_FAILED;
    if (what != BL_RUN_LATE)
        refusal_line(c, e->reason);
    else
        snprintf(e->reason, sizeof e->reason, "exceeded its time limit of %g s at t = %.6g s", c->limit, c->run.summary.t);
}

/* ---- adaptive methods: by tolerance */

/* difference from the reference relative to the allowed one */
static double excess(const bl_comparison *c, const bl_compare_entry *e) {
    double most = e->trajectory / c->report->allowed;
    return isnan(e->reactions) ? most : fmax(most, e->reactions / c->report->allowed_reactions);
}

static bl_status run_adaptive(bl_comparison *c, const bl_combination *x, bl_compare_entry *e) {
    double left = c->limit, before = INFINITY;
    for (double tolerance = c->middle.tolerance;; tolerance *= 0.1) {
        bl_outcome what;
        e->tolerance = tolerance;
        BL_TRY(bl_compare_run(c, x, tolerance, 0, left, &c->run, &what));
        if (what != BL_RUN_DONE) {
            not_done(c, e, what);
            if (what == BL_RUN_LATE && isfinite(before))
                snprintf(e->reason, sizeof e->reason,
                         "exceeded its time limit of %g s at tolerance %.0e; at %.0e it is %.2g times too inaccurate", c->limit, tolerance,
                         10 * tolerance, before);
            return BL_OK;
        }
        fill(c, e, &c->run);
        left -= c->run.summary.wall_seconds;
        /* as exact as the reference, but the difference is still too large: continues as long as that helps */
        bool exact = tolerance < 1.01 * c->report->reference_tolerance, helps = excess(c, e) < 0.5 * before;
        if (near_reference(e) || (exact && !helps) || 0.1 * tolerance < study_compare_least_tolerance)
            break;
        before = excess(c, e);
    }
    judge(e);
    return BL_OK;
}

/* ---- fixed-step methods: by halving */

/* One quantity of a fixed-step method while its step is halved. */
typedef struct settling {
    double apart;       /* difference of two successive results; NaN: not yet known, or not compared */
    double gain, least; /* factor by which the last halving reduced it, and the smaller of the last two; NaN: unknown */
    double allowed;     /* by the report */
} settling;

static void halved(settling *s, double apart) {
    double gain = s->apart / apart;
    s->least = fmin(gain, s->gain);
    s->gain = gain;
    s->apart = apart;
}

/* Error of the last result if errors continue to fall as before, but not faster than with order 2: the first results may be so wrong that
 * the next ones improve by chance. */
static double error_of(const settling *s) { return s->least > 1 ? s->apart / (fmin(s->least, 4) - 1) : INFINITY; }

/* ratio of successive errors that counts as convergence, the step being halved */
static double converging(void) { return exp2(study_compare_order); }

/* near enough to the limit of vanishing steps; by a wide margin where the rate of convergence is unknown or hidden by noise */
static bool settled(const settling *s) {
    return isnan(s->allowed) || s->apart <= study_compare_settled * s->allowed ||
           (s->least > converging() && error_of(s) <= 0.5 * s->allowed);
}

/* errors fall at every halving, and are below `most` */
static bool converges(const settling *s, double most) { return settled(s) || (s->least > converging() && error_of(s) <= most); }

static double own_allowance(const settling *s) { return settled(s) ? s->allowed : fmin(s->allowed + 2 * error_of(s), study_compare_most); }

/* difference of two successive results relative to the allowed one */
static double unsettled(const settling *s) { return isnan(s->allowed) ? 0 : s->apart / (0.5 * s->allowed); }

static double goal(const settling *s) { return fmin(sqrt(s->allowed * study_compare_most), study_compare_error); }

/* judges with the method's own error estimate */
static void judge_fixed(const bl_comparison *c, bl_compare_entry *e, const settling *motion, const settling *reactions) {
    e->allowed = own_allowance(motion);
    e->allowed_reactions = own_allowance(reactions);
    fill(c, e, &c->run);
    judge(e);
}

/* whether further halvings would take too long or do not help; e gets the reason */
static bool gives_up(const bl_comparison *c, bl_compare_entry *e, const settling *motion, const settling *reactions, int stalls,
                     double left) {
    double apart = fmax(unsettled(motion), unsettled(reactions));
    bool late = 2 * c->run.summary.wall_seconds > left;
    if (late && stalls == 0 && converges(motion, study_compare_error) && converges(reactions, study_compare_error)) {
        judge_fixed(c, e, motion, reactions);
        return true;
    }
    if (stalls >= study_compare_stalls || (stalls > 0 && late)) {
        e->agreement = BL_AGREEMENT_FAILED;
        snprintf(e->reason, sizeof e->reason,
                 "does not converge as the step is halved: at %.3g s two successive results differ by %.2g times the allowed difference",
                 e->step, apart);
        return true;
    }
    if (late) {
        e->agreement = BL_SKIPPED;
        snprintf(e->reason, sizeof e->reason,
                 "exceeded its time limit of %g s: at step %.3g s two successive results differ by %.2g times the allowed difference",
                 c->limit, e->step, apart);
    }
    return late;
}

/* A fixed-step method whose difference from the reference is too large: how large, and how many halvings did not reduce it. */
typedef struct doubt {
    bool rises;
    double off;
    int idle;
} doubt;

/* After a judgment or a further halving: whether the judgment is final. */
static bool is_final(const bl_comparison *c, bl_compare_entry *e, doubt *d, double left) {
    if (e->agreement == BL_AGREED)
        return true;
    double off = excess(c, e);
    d->idle = d->rises && !(converging() * off < d->off) ? d->idle + 1 : 0;
    d->rises = true;
    d->off = off;
    if (d->idle >= study_compare_doubts)
        return true;
    if (2 * c->run.summary.wall_seconds <= left)
        return false;
    e->agreement = BL_SKIPPED;
    snprintf(e->reason, sizeof e->reason,
             "exceeded its time limit of %g s: at step %.3g s it is %.2g times too inaccurate, but improves with shorter steps", c->limit,
             e->step, off);
    return true;
}

/* whether two successive results determine the error of the method; *given_up: they never will, and e has the reason */
static bool has_settled(bl_comparison *c, bl_compare_entry *e, settling *motion, settling *reactions, int *stalls, double left,
                        bool *given_up) {
    bl_difference d;
    bl_record_compare(&c->measure, &c->last, &c->run, &d);
    double before = fmax(unsettled(motion), unsettled(reactions));
    halved(motion, d.trajectory);
    halved(reactions, d.reactions);
    if ((settled(motion) && settled(reactions)) || (converges(motion, goal(motion)) && converges(reactions, goal(reactions))))
        return true;
    /* results that have nothing in common come from steps that are far too long */
    bool comparable = motion->apart < 10 * study_compare_most;
    *stalls = comparable && fmax(unsettled(motion), unsettled(reactions)) > before / converging() ? *stalls + 1 : 0;
    *given_up = gives_up(c, e, motion, reactions, *stalls, left);
    return false;
}

static void exchange_last(bl_comparison *c) {
    bl_record keep = c->last;
    c->last = c->run;
    c->run = keep;
}

static bl_status run_fixed(bl_comparison *c, const bl_combination *x, bl_compare_entry *e) {
    double span = c->middle.until, left = c->limit;
    /* coarse steps cost little and show how errors fall */
    double mean = (double)c->reference.summary.steps * span / fmax(c->reference.summary.t, DBL_MIN);
    double steps = c->asked->step > 0 ? span / c->asked->step : BL_COMPARE_INTERVALS * ceil(mean / COARSE / BL_COMPARE_INTERVALS);
    settling motion = {NAN, NAN, NAN, c->report->allowed}, reactions = {NAN, NAN, NAN, c->report->allowed_reactions};
    int failures = 0, stalls = 0;
    bool have_last = false, given_up = false;
    doubt d = {0};
    e->tolerance = c->middle.tolerance;
    for (int halvings = 0; halvings < study_compare_halvings; halvings++, steps *= 2) {
        bl_outcome what;
        double h = span / steps;
        BL_TRY(bl_compare_run(c, x, c->middle.tolerance, h, left, &c->run, &what));
        left -= c->run.summary.wall_seconds;
        if (d.rises && what != BL_RUN_DONE) /* the last judgment remains */
            return BL_OK;
        /* a shorter step may succeed where the first ones failed */
        if (what == BL_RUN_FAILED && !have_last && !(c->asked->step > 0) && ++failures < study_compare_failures && left > 0)
            continue;
        /* so short that rounding stops the iteration: the previous result is judged */
        if (what == BL_RUN_FAILED && have_last && stalls == 0 && converges(&motion, study_compare_error) &&
            converges(&reactions, study_compare_error)) {
            exchange_last(c);
            judge_fixed(c, e, &motion, &reactions);
            return BL_OK;
        }
        if (what != BL_RUN_DONE) {
            not_done(c, e, what);
            if (what == BL_RUN_LATE && have_last)
                snprintf(e->reason, sizeof e->reason, "exceeded its time limit of %g s: the shortest step tried was %.3g s", c->limit,
                         2 * h);
            return BL_OK;
        }
        e->step = h;
        fill(c, e, &c->run);
        bool judged = d.rises || c->asked->step > 0;
        if (judged) {
            judge(e);
        } else if (have_last && has_settled(c, e, &motion, &reactions, &stalls, left, &given_up)) {
            judge_fixed(c, e, &motion, &reactions);
            judged = true;
        }
        if (given_up || c->asked->step > 0 || (judged && is_final(c, e, &d, left)))
            return BL_OK;
        exchange_last(c);
        have_last = true;
    }
    e->agreement = BL_AGREEMENT_FAILED;
    snprintf(e->reason, sizeof e->reason, "does not converge as the step is halved (last step %.3g s)", e->step);
    return BL_OK;
}

/* ---- one combination */

bl_status bl_compare_solve(bl_comparison *c, const bl_combination *x, bl_compare_entry *e) {
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
    bool fixed = kind && !(kind->kind.gives & BL_ADAPTIVE);
    BL_TRY(fixed ? run_fixed(c, x, e) : run_adaptive(c, x, e));
    if (!x->formulation) {
        const char *taken = c->formulation[0] ? c->formulation : "default";
        e->formulation = bl_arena_text(c->arena, taken, strlen(taken));
    }
    return e->formulation ? BL_OK : BL_E_MEMORY;
}
