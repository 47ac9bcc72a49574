/* A model in motion as an object (biela/stepper.h): prepared, advanced and read. */
#include "study/stepper_private.h"

#include "base/crew.h"
#include "base/sized.h"
#include "study/closure.h"
#include "study/plan.h"
#include "study/start_warnings.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* ---- from a model to a simulation */

/* explains a failure at the start where the reason can be found; returns the status of the new error */
static bl_status explain_start(bl_stepper *s, bl_status status) {
    bl_context *ctx = s->run.ctx;
    if (status != BL_E_NUMERIC && status != BL_E_MODEL)
        return status;
    if (!isfinite(*s->begins->t) || bl_context_error(ctx)->status != status)
        return status;
    bl_start_massless(s->sys, s->run.model, s->begins);
    return bl_context_error(ctx)->status;
}

/* the motion of a solid needs its density */
static bl_status check_masses(const bl_run *run) {
    for (bl_index i = 0; i < run->model->nsolid; i++) {
        const bl_solid *solid = &run->model->solid[i];
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
static bl_status find_start(bl_stepper *s) {
    bl_run *run = &s->run;
    if (!s->borrowed) {
        const bl_run_options *o = &run->options;
        BL_TRY(bl_run_prepare_held(run->ctx, run->model, o->coordinates, o->closure, NULL, 0, &s->sys, &s->start));
        s->begins = &s->start;
        BL_TRY(bl_input_table_begin(&s->inputs, run->model, s->sys, &s->start));
    }
    if (s->sys->misfit) {
        BL_TRY(BL_NEW(run->ctx, s->misfit, s->sys->np));
        memcpy(s->misfit, s->sys->misfit, (size_t)s->sys->np * sizeof *s->misfit);
    }
    BL_TRY(bl_run_crew(run->ctx, &run->options, s->sys, &s->crew));
    BL_TRY(bl_run_choose_fields(run, s->sys, run->options.fields));
    return s->borrowed ? BL_OK : bl_closure_warn(s->sys, run->model, s->begins);
}

/* chooses formulation and integrator if none is given, and creates the simulation */
static bl_status create_simulation(bl_stepper *s) {
    bl_run_options *o = &s->run.options;
    s->setup = (bl_simulation_setup){.linsol = o->linsol,
                                     .ordering = o->ordering,
                                     .t_end = o->until,
                                     .tolerance = o->tolerance,
                                     .absolute = o->absolute,
                                     .step = o->step,
                                     .impact = bl_impact_law_of(s->run.model->settings.impact),
                                     .painleve = bl_painleve_of(s->run.model->settings.painleve),
                                     .contact_rest = s->run.model->settings.rest,
                                     .surfaces = s->run.model->surfaces ? s->run.model : NULL,
                                     .momentum = s->run.model->surfaces ? NULL : &s->momentum,
                                     .watched = true,
                                     .unsampled = ~s->run.want,
                                     .projection_tolerance = o->projection_tolerance};
    if (s->setup.surfaces)
        BL_TRY(bl_plan_stepping(s->run.ctx, o, &s->setup));
    else
        bl_plan_methods(s->sys, o->formulation, o->integrator, o->tolerance, &s->setup);
    o->formulation = s->setup.formulation;
    o->integrator = s->setup.integrator;
    BL_TRY(bl_run_singular(s->run.ctx, o->singular, NULL, &s->setup.singular));
    bl_status status = bl_simulation_create(s->sys, s->begins, &s->setup, &s->sim);
    if (status != BL_OK)
        return explain_start(s, status);
    if (s->sim->form->redundant > 0)
        BL_TRY(bl_start_singular(s->sys, s->run.model, s->begins, s->setup.singular));
    return BL_OK;
}

bl_status bl_stepper_prepare(bl_stepper *s) {
    bl_run *run = &s->run;
    BL_TRY(check_masses(run));
    BL_TRY(bl_input_table_create(&run->arena, run->model, run->options.inputs, &s->inputs));
    BL_TRY(bl_driver_watch_create(run->ctx, run->model, &s->drivers));
    BL_TRY(find_start(s));
    BL_TRY(bl_momentum_find(run->ctx, run->model, &s->momentum));
    BL_TRY(create_simulation(s));
    BL_TRY(bl_run_describe(run, s->sys, s->sim->form));
    BL_TRY(bl_actuators_of_drivers(run->ctx, run->model, &run->arena, &run->info, &s->actuators));
    run->info.step = s->sim->integ->control.step;
    return BL_OK;
}

bl_status bl_stepper_advance(bl_stepper *s) {
    bl_simulation *sim = s->sim;
    if (bl_context_stopped(s->run.ctx))
        return BL_STOPPED;
    BL_TRY(bl_input_table_follow(&s->inputs, sim));
    bl_status status = bl_simulation_advance(sim);
    if (status == BL_E_NUMERIC)
        bl_drivers_explain(&s->drivers, *sim->state.t);
    return status;
}

void bl_stepper_release(bl_stepper *s) {
    bl_context *ctx = s->run.ctx;
    bl_simulation_destroy(s->sim);
    if (!s->borrowed) {
        bl_run_release(s->sys, &s->start, NULL);
    } else {
        s->sys->crew = NULL;
        if (s->misfit)
            memcpy(s->sys->misfit, s->misfit, (size_t)s->sys->np * sizeof *s->misfit);
    }
    bl_free(ctx, s->misfit);
    bl_crew_destroy(s->crew);
    bl_driver_watch_destroy(&s->drivers);
    bl_momentum_free(ctx, &s->momentum);
    bl_actuators_destroy(&s->actuators);
}

/* ---- the object */

/* Texts and tables of the options belong to the caller: keeps copies. Output times are not used: outputs are read when they are wanted. */
static bl_status keep_options(bl_stepper *s, const bl_run_options *options) {
    bl_run_options *o = &s->asked;
    const char **text[] = {&o->coordinates, &o->formulation, &o->integrator, &o->linsol, &o->ordering, &o->singular, &o->fields};
    BL_TRY(BL_TAKE(s->run.ctx, bl_run_options, options, o));
    BL_TRY(bl_inputs_keep(&s->run.arena, o->inputs, &o->inputs));
    o->at = NULL;
    o->nat = 0;
    o->every_step = false;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        if (!*text[i])
            continue;
        *text[i] = bl_arena_text(&s->run.arena, *text[i], strlen(*text[i]));
        if (!*text[i])
            return BL_E_MEMORY;
    }
    return BL_OK;
}

static bl_status open_stepper(bl_stepper *s, const bl_run_options *options) {
    bl_run *run = &s->run;
    BL_TRY(keep_options(s, options));
    BL_TRY(bl_run_resolve(run->ctx, run->model, &s->asked, &run->options));
    run->want = BL_WANT_ALL & ~(uint32_t)BL_WANT_SCENE;
    if (run->options.until == 0)
        run->options.until = study_open_span;
    s->span = run->options.until;
    s->spans = 1;
    BL_TRY(bl_run_refused(run->ctx, run->model, &s->asked, bl_stepper_prepare(s)));
    if (!(s->sim->integ->kind->kind.gives & BL_ADAPTIVE))
        s->setup.step = s->sim->integ->control.step;
    bl_state_copy(s->sys, &s->start, &s->sim->state); /* with the branches of laws and the signs of events */
    s->energy_start = s->sim->energy_start;
    return BL_OK;
}

bl_status bl_stepper_create(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_stepper **out) {
    bl_stepper *s;
    if (!out)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_stepper_create needs a pointer that receives the stepper");
    *out = NULL;
    bl_run run;
    BL_TRY(bl_run_open(&run, "bl_stepper_create", ctx, model, NULL, 0));
    BL_TRY(BL_NEW(ctx, s, 1));
    s->run = run;
    s->given = model;
    s->names.ctx = ctx;
    bl_status status = open_stepper(s, options);
    if (status != BL_OK) {
        bl_stepper_destroy(s);
        return status;
    }
    *out = s;
    return BL_OK;
}

void bl_stepper_destroy(bl_stepper *s) {
    if (!s)
        return;
    bl_context *ctx = s->run.ctx;
    bl_stepper_release(s);
    bl_model_destroy(s->revalued);
    bl_free(ctx, s->output);
    bl_arena_destroy(&s->names);
    bl_arena_destroy(&s->run.arena);
    bl_free(ctx, s);
}

const bl_run_info *bl_stepper_info(const bl_stepper *s) { return &s->run.info; }

double bl_stepper_time(const bl_stepper *s) { return s->t; }

/* ---- advance */

/* The end moves by whole spans, whatever times are asked for, so that the steps do not depend on these. */
static void move_end(bl_stepper *s) {
    while (!(*s->sim->state.t < (double)s->spans * s->span))
        s->spans++;
    bl_simulation_set_end(s->sim, (double)s->spans * s->span);
}

static bl_status step(bl_stepper *s) {
    if (*s->sim->state.t >= s->sim->integ->control.t_end)
        move_end(s);
    bl_status status = bl_stepper_advance(s);
    if (status == BL_OK)
        status = bl_drivers_follow(&s->drivers, *s->sim->state.t, s->sim->integ->control.t_end);
    return status;
}

bl_status bl_stepper_reach(bl_stepper *s, double t) {
    if (!(t >= s->t) || !isfinite(t)) {
        bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_reach: t = %.17g is before the present time %.17g", t, s->t);
        bl_advise(s->run.ctx, "save a snapshot to return to an earlier time");
        return BL_E_ARG;
    }
    while (*s->sim->state.t < t) {
        bl_status status = step(s);
        if (status != BL_OK) {
            s->t = fmax(s->t, *s->sim->state.t);
            return status;
        }
    }
    s->t = t;
    return BL_OK;
}

bl_status bl_stepper_step(bl_stepper *s) {
    bl_status status = BL_OK;
    while (status == BL_OK && !(*s->sim->state.t > s->t)) /* the run may go back to pass a singular configuration */
        status = step(s);
    s->t = fmax(s->t, *s->sim->state.t);
    return status;
}

/* ---- read */

bl_status bl_stepper_sample(bl_stepper *s, uint32_t want, const bl_sample **sample) {
    *sample = NULL;
    if (want & BL_WANT_SIGNALS && s->run.model->nquantity)
        want |= BL_WANT_VARIABLES | BL_WANT_PROBES;
    BL_TRY(bl_simulation_sample_of(s->sim, s->t, want ? want & s->run.want : s->run.want, &s->sample));
    bl_actuators_show(&s->actuators, &s->sample);
    bl_run_relations(&s->run, &s->sample);
    bl_run_sections(&s->run, &s->sample);
    if (!want || want & BL_WANT_SIGNALS)
        bl_run_quantities(&s->run, &s->sample);
    *sample = &s->sample;
    return BL_OK;
}

void bl_stepper_add_counts(bl_run_summary *to, const bl_run_summary *more) {
    const struct {
        long *to;
        long more;
    } count[] = {{&to->steps, more->steps},
                 {&to->rejections, more->rejections},
                 {&to->restarts, more->restarts},
                 {&to->bounded, more->bounded},
                 {&to->evaluations, more->evaluations},
                 {&to->newton_iterations, more->newton_iterations},
                 {&to->tangents, more->tangents},
                 {&to->factorizations, more->factorizations},
                 {&to->refactorizations, more->refactorizations},
                 {&to->solves, more->solves},
                 {&to->projections, more->projections},
                 {&to->repartitions, more->repartitions},
                 {&to->handovers, more->handovers},
                 {&to->sample_evaluations, more->sample_evaluations},
                 {&to->sample_factorizations, more->sample_factorizations},
                 {&to->sample_solves, more->sample_solves},
                 {&to->method_changes, more->method_changes},
                 {&to->impacts, more->impacts},
                 {&to->accumulations, more->accumulations}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        *count[i].to += count[i].more;
    if (more->steps > 0)
        to->h_smallest = to->h_smallest > 0 ? fmin(to->h_smallest, more->h_smallest) : more->h_smallest;
    to->h_largest = fmax(to->h_largest, more->h_largest);
    to->largest_drift = fmax(to->largest_drift, more->largest_drift);
    to->largest_energy_error = fmax(to->largest_energy_error, more->largest_energy_error);
    to->largest_misfit = fmax(to->largest_misfit, more->largest_misfit);
    to->dissipated = more->dissipated;
    to->lost_in_impacts += more->lost_in_impacts;
    memcpy(to->method, more->method, sizeof to->method);
    if (more->sliding_method[0])
        memcpy(to->sliding_method, more->sliding_method, sizeof to->sliding_method);
}

bl_status bl_stepper_summarize(const bl_stepper *s, bl_run_summary *summary) {
    bl_run_summary sum = s->past, now = {.size = sizeof now};
    BL_TRY(BL_FITS(s->run.ctx, bl_run_summary, summary));
    bl_simulation_summary(s->sim, &now);
    bl_stepper_add_counts(&sum, &now);
    sum.t = s->t;
    sum.wall_seconds = bl_clock_seconds() - s->run.started;
    sum.real_time_factor = sum.wall_seconds > 0 ? s->t / sum.wall_seconds : 0;
    BL_GIVE(bl_run_summary, summary, &sum);
    return BL_OK;
}
