/* The study `simulate`: a stepper advanced to its end, with samples, steps and events for the sinks. */
#include "base/sized.h"
#include "study/journal.h"
#include "study/stepper_private.h"

#include <math.h>

typedef struct simulate_run {
    bl_stepper s;
    bl_journal journal;
    long next; /* output: index of the next one */
} simulate_run;

static bl_status emit(void *user, double t) {
    simulate_run *r = user;
    bl_sample sample;
    if (!r->s.run.want)
        return BL_OK;
    BL_TRY(bl_simulation_sample_of(r->s.sim, t, r->s.run.want, &sample));
    bl_actuators_show(&r->s.actuators, &sample);
    return bl_run_sample(&r->s.run, &sample);
}

/* samples that are due up to the current state */
static bl_status emit_due(simulate_run *r) {
    double now = *r->s.sim->state.t;
    if (!r->s.run.want)
        return BL_OK;
    if (r->s.run.options.every_step) /* the run may have gone back to pass a singular configuration */
        return now <= r->s.run.sampled ? BL_OK : emit(r, now);
    for (double t; (t = bl_run_output_time(&r->s.run.options, r->next)) <= now; r->next++)
        BL_TRY(emit(r, t));
    return BL_OK;
}

static bl_status march(simulate_run *r) {
    bl_simulation *sim = r->s.sim;
    double until = r->s.run.options.until;
    BL_TRY(bl_journal_begin(&r->journal, r->s.run.ctx, sim, r->s.run.sink, r->s.run.nsink));
    BL_TRY(emit_due(r));
    while (*sim->state.t < until) {
        bl_status status = bl_stepper_advance(&r->s);
        if (status != BL_OK && status != BL_EVENT)
            return status;
        BL_TRY(bl_journal_step(&r->journal, sim));
        BL_TRY(emit_due(r));
        BL_TRY(bl_drivers_follow(&r->s.drivers, *sim->state.t, until));
        if (status == BL_EVENT)
            return BL_EVENT;
        bl_run_progress(&r->s.run, *sim->state.t, until);
    }
    return BL_OK;
}

static void log_summary(bl_context *ctx, const bl_run_summary *s) {
    bl_log(ctx, BL_LOG_INFO, "%s at t = %g s: %ld steps, %ld rejected, %ld restarts, %ld evaluations, step sizes from %.3g to %.3g s",
           bl_status_text(s->status), s->t, s->steps, s->rejections, s->restarts, s->evaluations, s->h_smallest, s->h_largest);
    if (s->method_changes)
        bl_log(ctx, BL_LOG_INFO, "method: %s", s->method);
    if (s->handovers)
        bl_log(ctx, BL_LOG_INFO, "another formulation passed singular configurations %ld times", s->handovers);
    if (s->repartitions || s->projections)
        bl_log(ctx, BL_LOG_INFO, "independent coordinates were chosen again %ld times, %ld projections", s->repartitions, s->projections);
}

/* ends a simulation: last sample, summary, last entries of the journal */
static void conclude(simulate_run *r, bl_status status, bl_run_summary *made) {
    status = bl_run_sample_last(&r->s.run, status, *r->s.sim->state.t, emit, r);
    made->status = status;
    bl_simulation_summary(r->s.sim, made);
    if (status == BL_EVENT && r->s.sim->event_hit < r->s.run.model->nstop)
        made->stopped_by = r->s.run.model->stop[r->s.sim->event_hit].name;
    bl_status last = bl_journal_end(&r->journal, r->s.sim, status, made->stopped_by);
    if (last != BL_OK && status >= 0)
        made->status = last;
    log_summary(r->s.run.ctx, made);
}

/* Delays of the model, whose own end may be later: longer than this run they have no effect. */
static void warn_of_delays(const bl_run *run) {
    const bl_model *model = run->model;
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_DELAY && model->signal[i].delay >= run->options.until)
            bl_warn(run->ctx, NAN, NULL, "a delay of %g s is longer than the run of %g s: it always has the value of the start",
                    model->signal[i].delay, run->options.until);
    for (bl_index i = 0; i < model->nassignment; i++)
        if (model->assignment[i].delay > 0 && model->assignment[i].delay >= run->options.until)
            bl_warn(run->ctx, NAN, model->signal[model->assignment[i].signal].name,
                    "a delay of %g s is longer than the run of %g s: the output never changes", model->assignment[i].delay,
                    run->options.until);
}

/* after bl_stepper_prepare: what sinks want to know before the run */
static bl_status begin(simulate_run *r) {
    bl_run *run = &r->s.run;
    warn_of_delays(run);
    if (!r->s.borrowed)
        bl_state_destroy(r->s.sys, &r->s.start); /* the simulation has its own */
    run->info.samples = bl_run_samples(&run->options);
    run->info.stepped = true;
    if (!(r->s.sim->integ->kind->kind.gives & BL_ADAPTIVE))
        run->info.steps = (long)fmin(ceil(run->options.until / run->info.step), 1e15);
    return bl_run_begin(run);
}

bl_status bl_simulate_from(bl_system *sys, const bl_state *start, bl_context *ctx, const bl_model *model, const bl_run_options *options,
                           bl_sink *sinks, bl_index nsink, bl_run_summary *summary) {
    simulate_run r = {.s = {.sys = sys, .begins = start, .borrowed = sys != NULL}};
    bl_run *run = &r.s.run;
    bl_run_summary made = {0};
    BL_TRY(bl_run_open(run, "bl_simulate", ctx, model, sinks, nsink));
    bl_status status = bl_run_resolve(ctx, model, options, &run->options);
    if (status == BL_OK)
        status = bl_run_check_times(ctx, &run->options);
    if (status == BL_OK)
        status = bl_run_refused(ctx, model, options, bl_stepper_prepare(&r.s));
    if (status == BL_OK)
        status = begin(&r);
    if (status == BL_OK)
        status = march(&r);
    made.status = status;
    if (r.s.sim)
        conclude(&r, status, &made);
    status = bl_run_close(run, made.t, &made, summary);
    bl_stepper_release(&r.s);
    return status;
}

bl_status bl_simulate(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary) {
    bl_run_options own;
    BL_TRY(BL_TAKE(ctx, bl_run_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    return bl_simulate_from(NULL, NULL, ctx, model, &own, sinks, nsink, summary);
}
