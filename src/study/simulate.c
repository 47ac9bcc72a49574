/* The study `simulate`: from a model to a system and its motion, with samples for the sinks. */
#include "base/crew.h"
#include "fem/fem.h"
#include "study/actuators.h"
#include "study/closure.h"
#include "study/drivers.h"
#include "study/journal.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/simulation.h"
#include "study/start_warnings.h"

#include <math.h>
#include <string.h>

typedef struct simulate_run {
    bl_run run;
    bl_system *sys;
    bl_state state;        /* of a start of its own */
    const bl_state *start; /* until the simulation has its own */
    bool given;            /* system and start are owned by the caller */
    double *misfit;        /* [np] of a given system at the start, to restore it; NULL: none */
    bl_simulation *sim;
    struct bl_crew *crew; /* threads; NULL: none */
    bl_driver_watch drivers;
    bl_momentum momentum;
    bl_actuators actuators; /* the drivers */
    bl_journal journal;
    long next; /* output: index of the next one */
} simulate_run;

static bl_status emit(void *user, double t) {
    simulate_run *r = user;
    bl_sample sample;
    if (!r->run.want)
        return BL_OK;
    BL_TRY(bl_simulation_sample_of(r->sim, t, r->run.want, &sample));
    bl_actuators_show(&r->actuators, &sample);
    return bl_run_sample(&r->run, &sample);
}

/* ---- the run */

/* explains a failure at the start where the reason can be found; returns the status of the new error */
static bl_status explain_start(simulate_run *r, bl_status status) {
    bl_context *ctx = r->run.ctx;
    if (status != BL_E_NUMERIC && status != BL_E_MODEL)
        return status;
    if (!isfinite(*r->start->t) || bl_context_error(ctx)->status != status)
        return status;
    bl_start_massless(r->sys, r->run.model, r->start);
    return bl_context_error(ctx)->status;
}

/* the motion of a solid needs its density */
static bl_status check_masses(const bl_run *run) {
    for (bl_index s = 0; s < run->model->nsolid; s++) {
        const bl_solid *solid = &run->model->solid[s];
        for (bl_index k = 0; solid->order == 2 && k < solid->nsection; k++) {
            if (solid->section[k].material.density > 0)
                continue;
            bl_fail(run->ctx, BL_E_MODEL, &solid->place, "%s has no mass: the material '%s' has no density, which is needed for a motion",
                    solid->name, solid->section[k].name);
            bl_advise(run->ctx, "add `density` to the material; `biela equilibrium` does not need it");
            return BL_E_MODEL;
        }
    }
    return BL_OK;
}

/* system and start, from the model or given */
static bl_status find_start(simulate_run *r) {
    bl_run *run = &r->run;
    if (!r->given) {
        const bl_run_options *o = &run->options;
        BL_TRY(bl_run_prepare_held(run->ctx, run->model, o->coordinates, o->closure, NULL, 0, &r->sys, &r->state));
        r->start = &r->state;
    } else if (r->sys->misfit) {
        BL_TRY(BL_NEW(run->ctx, r->misfit, r->sys->np));
        memcpy(r->misfit, r->sys->misfit, (size_t)r->sys->np * sizeof *r->misfit);
    }
    BL_TRY(bl_run_crew(run->ctx, &run->options, r->sys, &r->crew));
    if (run->model->nsolid && (run->want & BL_WANT_FIELDS))
        BL_TRY(bl_fem_choose_fields(r->sys, run->options.fields));
    return r->given ? BL_OK : bl_closure_warn(r->sys, run->model, r->start);
}

/* chooses formulation and integrator if none is given, and creates the simulation */
static bl_status create_simulation(simulate_run *r) {
    bl_run_options *o = &r->run.options;
    bl_simulation_setup setup = {.linsol = o->linsol,
                                 .ordering = o->ordering,
                                 .t_end = o->until,
                                 .tolerance = o->tolerance,
                                 .absolute = o->absolute,
                                 .step = o->step,
                                 .momentum = &r->momentum,
                                 .watched = true,
                                 .unsampled = ~r->run.want,
                                 .projection_tolerance = o->projection_tolerance};
    bl_plan_methods(r->sys, o->formulation, o->integrator, o->tolerance, &setup);
    o->formulation = setup.formulation;
    o->integrator = setup.integrator;
    BL_TRY(bl_run_singular(r->run.ctx, o->singular, NULL, &setup.singular));
    bl_status status = bl_simulation_create(r->sys, r->start, &setup, &r->sim);
    if (status != BL_OK)
        return explain_start(r, status);
    if (r->sim->form->redundant > 0)
        BL_TRY(bl_start_singular(r->sys, r->run.model, r->start, setup.singular));
    bl_state_destroy(r->sys, &r->state); /* the simulation has its own */
    return BL_OK;
}

static bl_status prepare(simulate_run *r) {
    bl_run *run = &r->run;
    BL_TRY(check_masses(run));
    BL_TRY(bl_driver_watch_create(run->ctx, run->model, &r->drivers));
    BL_TRY(find_start(r));
    BL_TRY(bl_momentum_find(run->ctx, run->model, &r->momentum));
    BL_TRY(create_simulation(r));
    BL_TRY(bl_run_describe(run, r->sys, r->sim->form));
    BL_TRY(bl_actuators_of_drivers(run->ctx, run->model, &run->arena, &run->info, &r->actuators));
    run->info.step = r->sim->integ->control.step;
    run->info.samples = bl_run_samples(&run->options);
    run->info.stepped = true;
    if (!(r->sim->integ->kind->kind.gives & BL_ADAPTIVE))
        run->info.steps = (long)fmin(ceil(run->options.until / run->info.step), 1e15);
    return BL_OK;
}

/* samples that are due up to the current state */
static bl_status emit_due(simulate_run *r) {
    double now = *r->sim->state.t;
    if (!r->run.want)
        return BL_OK;
    if (r->run.options.every_step) /* the run may have gone back to pass a singular configuration */
        return now <= r->run.sampled ? BL_OK : emit(r, now);
    for (double t; (t = bl_run_output_time(&r->run.options, r->next)) <= now; r->next++)
        BL_TRY(emit(r, t));
    return BL_OK;
}

static bl_status march(simulate_run *r) {
    bl_simulation *sim = r->sim;
    double until = r->run.options.until;
    BL_TRY(bl_journal_begin(&r->journal, r->run.ctx, sim, r->run.sink, r->run.nsink));
    BL_TRY(emit_due(r));
    while (*sim->state.t < until) {
        if (bl_context_stopped(r->run.ctx))
            return BL_STOPPED;
        bl_status status = bl_simulation_advance(sim);
        if (status == BL_E_NUMERIC)
            bl_drivers_explain(&r->drivers, *sim->state.t);
        if (status != BL_OK && status != BL_EVENT)
            return status;
        BL_TRY(bl_journal_step(&r->journal, sim));
        BL_TRY(emit_due(r));
        BL_TRY(bl_drivers_follow(&r->drivers, *sim->state.t, until));
        if (status == BL_EVENT)
            return BL_EVENT;
        bl_run_progress(&r->run, *sim->state.t, until);
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
    status = bl_run_sample_last(&r->run, status, *r->sim->state.t, emit, r);
    made->status = status;
    bl_simulation_summary(r->sim, made);
    if (status == BL_EVENT && r->sim->event_hit < r->run.model->nstop)
        made->stopped_by = r->run.model->stop[r->sim->event_hit].name;
    bl_status last = bl_journal_end(&r->journal, r->sim, status, made->stopped_by);
    if (last != BL_OK && status >= 0)
        made->status = last;
    log_summary(r->run.ctx, made);
}

static void release(simulate_run *r) {
    bl_context *ctx = r->run.ctx;
    bl_simulation_destroy(r->sim);
    if (!r->given)
        bl_run_release(r->sys, &r->state, NULL);
    else
        r->sys->crew = NULL;
    if (r->misfit)
        memcpy(r->sys->misfit, r->misfit, (size_t)r->sys->np * sizeof *r->misfit);
    bl_free(ctx, r->misfit);
    bl_crew_destroy(r->crew);
    bl_driver_watch_destroy(&r->drivers);
    bl_momentum_free(ctx, &r->momentum);
    bl_actuators_destroy(&r->actuators);
}

bl_status bl_simulate_from(bl_system *sys, const bl_state *start, bl_context *ctx, const bl_model *model, const bl_run_options *options,
                           bl_sink *sinks, bl_index nsink, bl_run_summary *summary) {
    simulate_run r = {.sys = sys, .start = start, .given = sys != NULL};
    bl_run_summary made = {0};
    BL_TRY(bl_run_open(&r.run, "bl_simulate", ctx, model, sinks, nsink));
    bl_status status = bl_run_resolve(ctx, model, options, &r.run.options);
    if (status == BL_OK)
        status = bl_run_check_times(ctx, &r.run.options);
    if (status == BL_OK)
        status = bl_run_refused(ctx, model, options, prepare(&r));
    if (status == BL_OK)
        status = bl_run_begin(&r.run);
    if (status == BL_OK)
        status = march(&r);
    made.status = status;
    if (r.sim)
        conclude(&r, status, &made);
    status = bl_run_close(&r.run, made.t, &made, summary);
    release(&r);
    return status;
}

bl_status bl_simulate(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_sink *sinks, bl_index nsink,
                      bl_run_summary *summary) {
    return bl_simulate_from(NULL, NULL, ctx, model, options, sinks, nsink, summary);
}
