/* The study `simulate`: model to system to motion, samples to sinks. */
#include "base/crew.h"
#include "fem/fem.h"
#include "study/actuators.h"
#include "study/closure.h"
#include "study/drivers.h"
#include "study/journal.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"
#include "study/start_words.h"

#include <math.h>
#include <string.h>

typedef struct run {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_simulation *sim;
    struct bl_crew *crew;   /* threads; NULL: none */
    bl_run_options options; /* resolved: nothing is NULL or 0 that has a default */
    bl_run_info info;
    bl_arena arena; /* names */
    bl_driver_watch drivers;
    bl_momentum momentum;
    bl_actuators actuators; /* the drivers */
    bl_journal journal;
    bl_sink *sink;
    bl_index nsink, nbegun;
    uint32_t want;               /* of samples; 0: nobody takes any */
    double begin, last_progress; /* wall clock */
    double sampled;              /* time of the last sample; NaN: none yet */
    long next;                   /* output: index of the next one */
} run;

static bl_status resolve(run *r, const bl_run_options *given) {
    bl_run_options *o = &r->options;
    BL_TRY(bl_run_resolve(r->ctx, r->model, given, o));
    return bl_run_check_times(r->ctx, o);
}

static bl_status emit(run *r, double t) {
    bl_sample sample;
    if (!r->want)
        return BL_OK;
    BL_TRY(bl_simulation_sample_of(r->sim, t, r->want, &sample));
    r->sampled = t;
    bl_actuators_show(&r->actuators, &sample);
    return bl_sinks_sample(r->sink, r->nsink, &sample);
}

static void progress(run *r) {
    double now = bl_clock_seconds();
    if (now - r->last_progress < 0.1)
        return;
    r->last_progress = now;
    for (bl_index i = 0; i < r->nsink; i++)
        if (r->sink[i].progress)
            r->sink[i].progress(r->sink[i].user, *r->sim->state.t, r->options.until, now - r->begin);
}

/* ---- the run */

/* a failure at the start, with its reason where one is known; *status: that of the new error */
static bl_status explain_start(run *r, bl_status status) {
    if (status != BL_E_NUMERIC && status != BL_E_MODEL)
        return status;
    if (!isfinite(*r->state.t) || bl_context_error(r->ctx)->status != status)
        return status;
    bl_start_massless(r->sys, r->model, &r->state);
    return bl_context_error(r->ctx)->status;
}

/* bodies and waves move by their masses */
static bl_status check_masses(run *r) {
    for (bl_index s = 0; s < r->model->nsolid; s++) {
        const bl_solid *solid = &r->model->solid[s];
        for (bl_index k = 0; solid->order == 2 && k < solid->nsection; k++) {
            if (solid->section[k].material.density > 0)
                continue;
            bl_fail(r->ctx, BL_E_MODEL, &solid->place, "%s has no mass: the material '%s' has no density, which a motion needs",
                    solid->name, solid->section[k].name);
            bl_advise(r->ctx, "give `density` to the material; `biela equilibrium` finds rest without");
            return BL_E_MODEL;
        }
    }
    return BL_OK;
}

static bl_status prepare(run *r) {
    BL_TRY(check_masses(r));
    BL_TRY(bl_driver_watch_create(r->ctx, r->model, &r->drivers));
    BL_TRY(bl_run_prepare_within(r->ctx, r->model, r->options.coordinates, r->options.closure, &r->sys, &r->state));
    BL_TRY(bl_run_crew(r->ctx, &r->options, r->sys, &r->crew));
    if (r->model->nsolid && (r->want & BL_WANT_FIELDS))
        BL_TRY(bl_fem_choose_fields(r->sys, r->options.fields));
    BL_TRY(bl_closure_warn(r->sys, r->model, &r->state));
    BL_TRY(bl_momentum_find(r->ctx, r->model, &r->momentum));
    const char *stiff = r->options.integrator ? NULL : bl_plan_stiff_integrator(r->sys, r->options.formulation);
    const char *stiff_formulation = stiff ? bl_plan_formulation(r->sys, r->options.formulation, stiff, r->options.tolerance) : NULL;
    r->options.integrator = bl_plan_integrator(r->sys, r->options.integrator, r->options.formulation, r->options.tolerance);
    r->options.formulation = bl_plan_formulation(r->sys, r->options.formulation, r->options.integrator, r->options.tolerance);
    bl_simulation_setup setup = {.formulation = r->options.formulation,
                                 .integrator = r->options.integrator,
                                 .stiff_formulation = stiff_formulation,
                                 .stiff_integrator = stiff,
                                 .linsol = r->options.linsol,
                                 .ordering = r->options.ordering,
                                 .t_end = r->options.until,
                                 .tolerance = r->options.tolerance,
                                 .absolute = r->options.absolute,
                                 .step = r->options.step,
                                 .momentum = &r->momentum,
                                 .watched = true,
                                 .unsampled = ~r->want,
                                 .projection_tolerance = r->options.projection_tolerance};
    BL_TRY(bl_run_singular(r->ctx, r->options.singular, NULL, &setup.singular));
    bl_status status = bl_simulation_create(r->sys, &r->state, &setup, &r->sim);
    if (status != BL_OK)
        return explain_start(r, status);
    if (r->sim->form->redundant > 0)
        BL_TRY(bl_start_singular(r->sys, r->model, &r->state, setup.singular));
    bl_state_destroy(r->sys, &r->state); /* the simulation has its own */
    BL_TRY(bl_run_describe(r->model, r->sys, r->sim->form, &r->options, &r->arena, &r->info));
    BL_TRY(bl_run_fields(r->model, r->sys, r->want, &r->arena, &r->info));
    BL_TRY(bl_run_scene(r->ctx, r->model, r->want, &r->arena, &r->info));
    BL_TRY(bl_actuators_of_drivers(r->ctx, r->model, &r->arena, &r->info, &r->actuators));
    r->info.step = r->sim->integ->control.step;
    r->info.samples = bl_run_samples(&r->options);
    r->info.stepped = true;
    if (!(r->sim->integ->kind->kind.gives & BL_ADAPTIVE))
        r->info.steps = (long)fmin(ceil(r->options.until / r->info.step), 1e15);
    return BL_OK;
}

/* samples that are due up to the present state */
static bl_status emit_due(run *r) {
    if (!r->want)
        return BL_OK;
    if (r->options.every_step) /* past a singular position the run may have gone back */
        return *r->sim->state.t > r->sampled || isnan(r->sampled) ? emit(r, *r->sim->state.t) : BL_OK;
    for (double t; (t = bl_run_output_time(&r->options, r->next)) <= *r->sim->state.t; r->next++)
        BL_TRY(emit(r, t));
    return BL_OK;
}

static bl_status march(run *r) {
    bl_simulation *sim = r->sim;
    BL_TRY(bl_journal_begin(&r->journal, r->ctx, sim, r->sink, r->nsink));
    BL_TRY(emit_due(r));
    while (*sim->state.t < r->options.until) {
        if (bl_context_stopped(r->ctx))
            return BL_STOPPED;
        bl_status status = bl_simulation_advance(sim);
        if (status == BL_E_NUMERIC)
            bl_drivers_explain(&r->drivers, *sim->state.t);
        if (status != BL_OK && status != BL_EVENT)
            return status;
        BL_TRY(bl_journal_step(&r->journal, sim));
        BL_TRY(emit_due(r));
        BL_TRY(bl_drivers_follow(&r->drivers, *sim->state.t, r->options.until));
        if (status == BL_EVENT)
            return BL_EVENT;
        progress(r);
    }
    return BL_OK;
}

/* the place where the run ended early is worth a sample, whatever the output times */
static bl_status emit_last(run *r, bl_status status) {
    if (status == BL_OK || status == BL_E_FILE || status == BL_E_MEMORY || !r->sim || r->nbegun < r->nsink)
        return BL_OK;
    if (!isnan(r->sampled) && !(*r->sim->state.t > r->sampled))
        return BL_OK;
    bl_error kept = *bl_context_error(r->ctx);
    bl_status last = emit(r, *r->sim->state.t);
    if (status < 0) { /* the first failure is the one to tell */
        bl_fail_again(r->ctx, kept.status, &kept);
        return BL_OK;
    }
    return last;
}

static void summarise(run *r, bl_status status, bl_run_summary *summary) {
    memset(summary, 0, sizeof *summary);
    summary->status = status;
    if (r->sim) {
        bl_simulation_summary(r->sim, summary);
        if (status == BL_EVENT && r->sim->event_hit < r->model->nstop)
            summary->stopped_by = r->model->stop[r->sim->event_hit].name;
    }
    summary->wall_seconds = bl_clock_seconds() - r->begin;
    summary->real_time_factor = summary->wall_seconds > 0 ? summary->t / summary->wall_seconds : 0;
}

static void log_summary(const run *r, const bl_run_summary *s) {
    bl_log(r->ctx, BL_LOG_INFO, "%s at t = %g: %ld steps, %ld rejected, %ld restarts, %ld evaluations, steps from %.3g to %.3g",
           bl_status_text(s->status), s->t, s->steps, s->rejections, s->restarts, s->evaluations, s->h_smallest, s->h_largest);
    if (s->method_changes)
        bl_log(r->ctx, BL_LOG_INFO, "method: %s", s->method);
    if (s->handovers)
        bl_log(r->ctx, BL_LOG_INFO, "%ld times another formulation led past a singular position", s->handovers);
    if (s->repartitions || s->projections)
        bl_log(r->ctx, BL_LOG_INFO, "%ld times other coordinates became independent, %ld projections", s->repartitions, s->projections);
}

bl_status bl_simulate(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary) {
    if (!ctx || !model || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_simulate needs a context, a model and its sinks");
    run r = {.ctx = ctx, .model = model, .sink = sinks, .nsink = nsink, .begin = bl_clock_seconds(), .sampled = NAN, .arena.ctx = ctx};
    r.want = bl_sinks_want(sinks, nsink);
    r.last_progress = r.begin;
    bl_context_clear_warnings(ctx);
    bl_status status = resolve(&r, options);
    if (status == BL_OK)
        status = bl_run_refused(ctx, model, options, prepare(&r));
    if (status == BL_OK)
        status = bl_sinks_begin(sinks, nsink, &r.info, &r.nbegun);
    if (status == BL_OK)
        status = march(&r);
    bl_status last = emit_last(&r, status);
    if (last != BL_OK && status >= 0)
        status = last;
    bl_run_summary made;
    summarise(&r, status, &made);
    last = bl_journal_end(&r.journal, r.sim, status, made.stopped_by);
    if (last != BL_OK && made.status >= 0)
        made.status = last;
    if (r.sim)
        log_summary(&r, &made);
    status = bl_sinks_end(sinks, r.nbegun, &made);
    if (summary)
        *summary = made;
    bl_simulation_destroy(r.sim);
    if (r.sys) {
        bl_state_destroy(r.sys, &r.state);
        bl_system_destroy(r.sys);
    }
    bl_crew_destroy(r.crew);
    bl_driver_watch_destroy(&r.drivers);
    bl_momentum_free(ctx, &r.momentum);
    bl_actuators_destroy(&r.actuators);
    bl_arena_destroy(&r.arena);
    return status;
}
