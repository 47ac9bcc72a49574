/* A system in motion: steps, events, review of the formulation, projection; samples from dense output. */
#include "study/simulation.h"
#include "study/critical.h"
#include "study/defaults.h"
#include "study/events.h"
#include "study/sample.h"
#include "study/singular.h"
#include "study/stiffness.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { SERIES_SOLUTIONS = 16 }; /* solutions of a power series per matrix: two per order, about two matrices per step */

static bl_status room_for_y(bl_simulation *sim) {
    if (sim->y && sim->ny >= sim->form->ny)
        return BL_OK;
    double *y = bl_resize(sim->ctx, sim->y, (size_t)sim->form->ny, sizeof *y);
    if (!y)
        return BL_E_MEMORY;
    sim->y = y;
    sim->ny = sim->form->ny;
    return BL_OK;
}

/* one absolute tolerance instead of tolerance x scale; components without error control keep weight 0 */
static void weigh(const bl_simulation *sim) {
    for (bl_index i = 0; sim->absolute > 0 && i < sim->form->ny; i++)
        if (sim->form->weight[i] > 0)
            sim->form->weight[i] = sim->absolute / sim->integ->control.tolerance;
}

/* starts the method at the state */
static bl_status start(bl_simulation *sim) {
    BL_TRY(room_for_y(sim));
    bool held = sim->form->stage_of == BL_STAGE_MOTION && sim->sys->np > 0 && sim->form->kind->project;
    if (held && sim->integ->stats.restarts > 0) { /* a formulation that led past a singular configuration may be less accurate */
        bl_status status = sim->form->kind->project(sim->form, &sim->state, fmax(fabs(sim->projection_tolerance), 1e-12));
        if (status < 0)
            return status;
    }
    BL_TRY(sim->form->kind->to_y(sim->form, &sim->state, sim->y));
    sim->restart_due = false;
    weigh(sim); /* the formulation may have set new weights */
    BL_TRY(bl_turns_begin(sim));
    return bl_integrator_start(sim->integ, *sim->state.t, sim->y);
}

/* A positive status that no retry handles becomes an error, explained by the formulation where it can. */
static bl_status give_up(bl_simulation *sim, bl_status status) {
    bl_context *ctx = sim->ctx;
    double t = *sim->state.t;
    if ((status == BL_E_NUMERIC || status > 0) && bl_context_stopped(ctx))
        return BL_STOPPED; /* a solver was interrupted, which its caller took for a failure */
    if (status == BL_E_NUMERIC || status > 0) {
        bl_status explained = sim->form->kind->explain && !sim->singular.reported ? sim->form->kind->explain(sim->form) : BL_OK;
        if (explained < 0)
            return explained;
        if (status > 0 && bl_context_error(ctx)->status != status)
            bl_fail(ctx, status, NULL, "%s at t = %.9g", bl_status_text(status), t);
        bl_error kept = *bl_context_error(ctx);
        kept.time = isnan(kept.time) ? t : kept.time;
        bl_fail_again(ctx, status > 0 ? BL_E_NUMERIC : kept.status, &kept);
        return BL_E_NUMERIC;
    }
    return status;
}

/* y of the system's exact solution; the work done is unknown and is kept */
static bl_status exact_y(void *user, double t, double *y) {
    bl_simulation *sim = user;
    *sim->at.t = t;
    *sim->at.work = *sim->state.work;
    BL_TRY(sim->sys->kind->exact(sim->sys, t, sim->at.q, sim->at.v, sim->at.z));
    return sim->form->kind->to_y(sim->form, &sim->at, y);
}

/* step control of the method, with the default step size where none is given */
static bl_status step_control(bl_simulation *sim, const bl_simulation_setup *setup, const bl_integrator_kind *kind,
                              bl_step_control *control) {
    const bl_system *sys = sim->sys;
    double t = *sim->state.t;
    *control = (bl_step_control){.t_end = setup->t_end,
                                 .h_max = setup->h_max,
                                 .step = setup->step,
                                 .tolerance = setup->tolerance > 0 ? setup->tolerance : BL_DEFAULT_TOLERANCE,
                                 .absolute = setup->absolute,
                                 .step_overs = setup->singular == BL_REFUSE_SINGULAR ? -1
                                               : setup->singular == BL_PASS          ? BL_SINGULAR_STEP_OVERS
                                                                                     : 0,
                                 .exact = sys->kind->exact ? exact_y : NULL,
                                 .exact_user = sim};
    if (kind && (kind->kind.gives & BL_HELD) && (sys->facts & BL_FINE))
        BL_TRY(bl_critical_step(sys, &sim->state, kind->kind.name, &control->step));
    if (control->step == 0 && kind && !(kind->kind.gives & BL_ADAPTIVE)) {
        control->step = (setup->t_end - t) / BL_DEFAULT_STEPS;
        bl_log(sim->ctx, BL_LOG_INFO, "no step size is given: %s takes %d steps of %g s", kind->kind.name, BL_DEFAULT_STEPS, control->step);
    }
    return BL_OK;
}

static bl_status make_memory(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    BL_TRY(bl_singular_create(sim));
    BL_TRY(bl_state_create(sys, 0, &sim->state));
    BL_TRY(bl_state_create(sys, 0, &sim->at));
    if (sys->nevent > 0 && sys->kind->blend)
        BL_TRY(bl_state_create(sys, 0, &sim->beyond));
    BL_TRY(bl_eval_create(sys, BL_T | BL_G | BL_SEEN | (sim->unsampled & BL_WANT_FORCES ? 0 : BL_FORCES), &sim->eval));
    BL_TRY(BL_NEW(sim->ctx, sim->step_history, sys->history_bytes + 1));
    return BL_NEW_ARRAYS(sim->ctx, sim->block, BL_ARRAY(sim->a, sys->nv), BL_ARRAY(sim->lambda, sys->np));
}

static bl_status make_formulation(bl_simulation *sim, const bl_simulation_setup *setup, const bl_integrator_kind *kind) {
    const bl_system *sys = sim->sys;
    const char *name = setup->formulation ? setup->formulation : BL_DEFAULT_FORMULATION;
    BL_TRY(bl_formulation_create(sys, name, setup->linsol, setup->ordering, &sim->form));
    sim->form->held = kind && (kind->kind.gives & BL_HELD);
    sim->form->at_e.keeps = !kind || (kind->kind.gives & BL_BETWEEN);
    sim->form->many = kind && (kind->kind.needs & BL_CAN_COEFFICIENT) ? SERIES_SOLUTIONS : 0;
    BL_TRY(bl_formulation_setup(sim->form, &sim->state));
    if (sys->nload)
        BL_TRY(bl_loads_check(sim->form, &sim->state));
    if (setup->singular == BL_PASS && sys->np > 0 && (sim->form->kind->kind.gives & BL_CAN_RATE))
        BL_TRY(bl_near_singular_begin(sim->form, fabs(sim->projection_tolerance)));
    return BL_OK;
}

/* The viewer does once what samples need, so that sampling allocates nothing. */
static bl_status make_viewer(bl_simulation *sim) {
    bl_formulation *viewer;
    BL_TRY(bl_formulation_sampler(sim->form, &sim->state, &viewer));
    if (viewer == sim->form)
        return BL_OK;
    bl_status status = viewer->kind->accelerations(viewer, &sim->state, sim->a, sim->lambda);
    if (status == BL_OK && sim->watched)
        status = viewer->kind->rate(viewer, *sim->state.t, sim->y, sim->residual.work[0]);
    bool memory = status == BL_E_MEMORY || (status != BL_OK && bl_context_error(sim->ctx)->status == BL_E_MEMORY);
    if (status != BL_OK && !memory) /* a sample will report it */
        bl_context_clear_error(sim->ctx);
    return memory ? BL_E_MEMORY : BL_OK;
}

static bl_status set_up(bl_simulation *sim, const bl_state *state, const bl_simulation_setup *setup) {
    const bl_system *sys = sim->sys;
    const char *integrator = setup->integrator ? setup->integrator : BL_DEFAULT_INTEGRATOR;
    const bl_integrator_kind *kind = bl_integrator_kind_of(integrator);
    const uint32_t seen = BL_WANT_BODIES | BL_WANT_VARIABLES;
    bl_step_control control;
    BL_TRY(make_memory(sim));
    bl_state_copy(sys, &sim->state, state);
    memcpy(sim->step_history, state->history, sys->history_bytes);
    BL_TRY(step_control(sim, setup, kind, &control));
    sim->projection_tolerance =
        setup->projection_tolerance != 0 ? setup->projection_tolerance : control.tolerance * bl_system_smallest(sys);
    BL_TRY(make_formulation(sim, setup, kind));
    BL_TRY(bl_integrator_create(sim->ctx, integrator, sim->form, &control, &sim->integ));
    sim->eval.unseen = (setup->unsampled & seen) == seen && sys->nevent == 0 && !sys->revolutions_in_laws;
    if (!sim->eval.unseen)
        BL_TRY(bl_turns_create(sim));
    BL_TRY(bl_events_create(sim));
    BL_TRY(start(sim));
    BL_TRY(bl_stiffness_create(sim, setup));
    if (sys->can & BL_CAN_ENERGY) {
        bl_eval_at(&sim->eval, &sim->state);
        BL_TRY(bl_system_eval(sys, &sim->eval, BL_ENERGY));
        sim->energy_start = bl_eval_energy(&sim->eval) - *sim->state.work;
    }
    BL_TRY(bl_balance_begin(sim));
    BL_TRY(bl_momentum_step(sim));
    if (sim->watched)
        BL_TRY(bl_residual_begin(sim));
    return make_viewer(sim);
}

bl_status bl_simulation_create(const bl_system *sys, const bl_state *state, const bl_simulation_setup *setup, bl_simulation **out) {
    bl_simulation *sim;
    *out = NULL;
    BL_TRY(BL_NEW(sys->ctx, sim, 1));
    sim->ctx = sys->ctx;
    sim->sys = sys;
    sim->absolute = setup->absolute;
    sim->singular_policy = setup->singular;
    sim->momentum = setup->momentum;
    sim->watched = setup->watched && !(sys->facts & BL_FINE);
    sim->unsampled = setup->unsampled;
    bl_status status = set_up(sim, state, setup);
    if (status != BL_OK) {
        if (sim->form)
            status = give_up(sim, status);
        bl_simulation_destroy(sim);
        return status;
    }
    sim->t_from = *state->t;
    sim->crossed = NAN;
    *out = sim;
    return BL_OK;
}

void bl_simulation_exchange(bl_simulation *sim, bl_formulation **form, bl_integrator **integ) {
    bl_formulation *was_form = sim->form;
    bl_integrator *was_integ = sim->integ;
    bl_singular_restore_tolerance(sim);
    (*form)->stats = was_form->stats;
    (*integ)->stats = was_integ->stats;
    (*integ)->control.t_stop = was_integ->control.t_stop;
    sim->form = *form;
    sim->integ = *integ;
    *form = was_form;
    *integ = was_integ;
}

void bl_simulation_destroy(bl_simulation *sim) {
    if (!sim)
        return;
    bl_singular_destroy(sim);
    bl_balance_end(sim);
    bl_residual_destroy(sim);
    bl_turns_destroy(sim);
    bl_events_destroy(sim);
    bl_stiffness_destroy(sim);
    bl_integrator_destroy(sim->integ);
    bl_formulation_destroy(sim->form);
    bl_eval_destroy(sim->sys, &sim->eval);
    bl_state_destroy(sim->sys, &sim->state);
    bl_state_destroy(sim->sys, &sim->at);
    bl_state_destroy(sim->sys, &sim->beyond);
    bl_free(sim->ctx, sim->y);
    bl_free(sim->ctx, sim->step_history);
    bl_free(sim->ctx, sim->block);
    bl_free(sim->ctx, sim);
}

/* ---- between steps */

/* Projects the state when it drifted beyond the tolerance; *done: projected. between: the state is inside a step. */
static bl_status project_drift(bl_simulation *sim, bl_state *state, bool between, bool *done) {
    double drift, velocity_drift;
    *done = false;
    if (!(sim->form->drifts || (between && sim->form->drifts_between)) || sim->projection_tolerance < 0)
        return BL_OK;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_sample_drift(sim->sys, sim->form, &sim->eval, &drift, &velocity_drift, NULL));
    int period = between ? 0 : sim->form->project_period;
    if (period > 0 && ++sim->since_projection < period)
        return BL_OK;
    sim->since_projection = period > 0 ? 0 : sim->since_projection;
    double most = fmax(bl_formulation_kept_drift(sim->form, sim->eval.phi), bl_formulation_kept_drift(sim->form, sim->eval.c));
    if (period == 0 && most <= sim->projection_tolerance)
        return BL_OK;
    bl_status status = sim->form->kind->project(sim->form, state, sim->projection_tolerance);
    *done = status == BL_OK;
    if (status > 0 && !sim->warned) {
        bl_warn(sim->ctx, *state->t, NULL, "projection onto the constraints did not converge at t = %.6g s; a drift of %.3g remains",
                *state->t, drift);
        sim->warned = true;
    }
    return status > 0 ? BL_OK : status;
}

/* Constraint equations that are violated by their misfit were exchanged: projects velocities onto those kept now. The change of energy
 * counts as work. */
static bl_status take_exchange(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    bl_state *state = &sim->state;
    uint32_t want = sys->can & BL_CAN_ENERGY ? BL_ENERGY : 0;
    sim->form->rebased = false;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sys, &sim->eval, want));
    double before = bl_eval_energy(&sim->eval);
    bl_status status = sim->form->kind->project ? sim->form->kind->project(sim->form, state, sim->projection_tolerance) : BL_OK;
    if (status > 0)
        return BL_OK; /* left to the next step */
    BL_TRY(status);
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sys, &sim->eval, want));
    *state->work += want ? bl_eval_energy(&sim->eval) - before : 0;
    sim->restart_due = true;
    return BL_OK;
}

static bl_status settle(bl_simulation *sim) {
    bool back, changed;
    bl_singular_remember(sim);
    BL_TRY(bl_singular_hand_back(sim, &back));
    BL_TRY(bl_stiffness_change(sim, &changed));
    if (changed)
        sim->review_due = false, sim->restart_due = true;
    bl_formulation *form = sim->form;
    if (sim->review_due && !back) {
        sim->review_due = false;
        if (form->kind->review) {
            bl_status status = form->kind->review(form, &sim->state);
            if (status == BL_RESTART)
                sim->restart_due = true;
            else
                BL_TRY(status);
        }
        if (form->rebased)
            BL_TRY(take_exchange(sim));
    }
    if (!sim->restart_due)
        return BL_OK;
    sim->integ->stats.restarts++;
    return start(sim);
}

/* The state is expressed in new coordinates: the formulation is set up again, but only after the last sample of the last step, whose dense
 * output uses the previous coordinates. */
static bl_status set_up_again(bl_simulation *sim) {
    if (!sim->setup_due)
        return BL_OK;
    sim->setup_due = false;
    sim->residual.form = NULL; /* y means something else */
    return bl_formulation_setup(sim->form, &sim->state);
}

/* The system updates its history and may normalize the state, which is then written back into y. */
static bl_status accept(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    if (sys->kind->accept) {
        bl_eval_at(&sim->eval, &sim->state);
        bl_status status = sys->kind->accept(sys, &sim->eval, &sim->state);
        if (status == BL_RESTART) {
            sim->setup_due = sim->restart_due = true;
        } else {
            BL_TRY(status);
        }
    }
    return BL_OK;
}

bl_status bl_simulation_dense(bl_simulation *sim, double t, bl_state *state) {
    memcpy(state->history, sim->step_history, sim->sys->history_bytes); /* accepting the step may have changed it */
    bl_turns_expect(sim, t, state->history);
    sim->form->history = state->history; /* dense output may evaluate rates within the step */
    BL_TRY(sim->integ->kind->dense(sim->integ, t, sim->y));
    return sim->form->kind->from_y(sim->form, t, sim->y, state);
}

/* a step after one that failed with `why`: from an earlier state or by another formulation (singular.h), or BL_REJECTED */
static bl_status step_past(bl_simulation *sim, bl_status why) {
    for (;;) {
        BL_TRY(bl_singular_begin(sim, why));
        sim->t_from = *sim->state.t;
        bl_status status = start(sim);
        if (status == BL_OK)
            status = bl_integrator_step(sim->integ, &why);
        if (status <= 0 && status != BL_E_NUMERIC)
            return status;
    }
}

/* a step of the method; if it fails because a branch of a law was extended too far, it is repeated with the law as written */
static bl_status method_step(bl_simulation *sim, bl_status *why) {
    sim->integ->control.return_not_finite = sim->holds && !sim->let_go;
    bl_status status = bl_integrator_step(sim->integ, why);
    if (status != BL_NOT_FINITE)
        return status;
    sim->integ->control.return_not_finite = false;
    if (bl_events_let_go(sim))
        BL_TRY(start(sim));
    return bl_integrator_step(sim->integ, why);
}

static bl_status take_step(bl_simulation *sim) {
    bool due, handed_over = sim->singular.handed_over;
    BL_TRY(bl_singular_due(sim, &due));
    bl_status why = BL_SINGULAR, status = due ? BL_E_NUMERIC : method_step(sim, &why);
    if (status != BL_E_NUMERIC)
        return status;
    bl_status past = step_past(sim, why);
    if (past != BL_REJECTED)
        return past;
    return due && !handed_over ? bl_integrator_step(sim->integ, NULL) : status; /* continue in small steps before any handover */
}

/* after a failure: a step by the other method of the run (stiffness.h) */
static bl_status step_otherwise(bl_simulation *sim, bl_status failure) {
    bool changed;
    BL_TRY(bl_stiffness_rescue(sim, &changed));
    if (!changed)
        return failure;
    bl_status status = start(sim);
    if (status == BL_OK)
        status = bl_integrator_step(sim->integ, NULL);
    if (status != BL_OK)
        bl_stiffness_failed(sim);
    return status > 0 ? failure : status;
}

/* applies what happens at an event, once; the method restarts after it */
static bl_status cross(bl_simulation *sim) {
    sim->cross_due = false;
    BL_TRY(set_up_again(sim));
    bl_status status = bl_events_cross(sim);
    if (status == BL_AGAIN)
        return BL_OK;
    sim->crossed = *sim->state.t;
    sim->restart_due = true;
    if (sim->event_hit != BL_HIT_SLIDING)
        sim->integ->h_next = 0; /* the step size before the event says nothing about the motion after it */
    return status;
}

/* to the next accepted state, before the search for events */
static bl_status step_ahead(bl_simulation *sim) {
    sim->singular.reported = false;
    sim->form->history = sim->state.history; /* samples of the last step used the history of its start */
    if (sim->cross_due)
        BL_TRY(cross(sim));
    BL_TRY(set_up_again(sim));
    sim->form->history = sim->state.history; /* as above: setting up again may have replaced it */
    bl_status status = settle(sim);
    sim->t_from = *sim->state.t;
    if (status == BL_OK)
        status = bl_events_ahead(sim);
    if (status > 0) { /* the method cannot start from the state that was reached */
        bl_status otherwise = sim->singular.handed_over ? BL_E_NUMERIC : status;
        status = step_past(sim, status);
        return status == BL_REJECTED ? otherwise : status;
    }
    return status == BL_OK ? take_step(sim) : status;
}

static bl_status step(bl_simulation *sim) {
    bl_status taken = step_ahead(sim);
    if (taken == BL_E_NUMERIC)
        taken = step_otherwise(sim, taken);
    BL_TRY(taken);
    bl_integrator *integ = sim->integ;
    const bl_system *sys = sim->sys;
    BL_TRY(sim->form->kind->from_y(sim->form, integ->t, integ->y, &sim->at));
    memcpy(sim->at.history, sim->state.history, sys->history_bytes);
    memcpy(sim->at.armed, sim->state.armed, (size_t)sys->nevent);
    bl_state_copy(sys, &sim->state, &sim->at);
    sim->review_due = true;
    memcpy(sim->step_history, sim->state.history, sys->history_bytes);
    BL_TRY(bl_turns_follow(sim));
    bl_status found = bl_events_find(sim);
    if (found != BL_OK && found != BL_EVENT)
        return found;
    BL_TRY(accept(sim));
    if (!sim->setup_due) /* y and the history belong together */
        BL_TRY(bl_stiffness_note(sim));
    bool projected;
    BL_TRY(project_drift(sim, &sim->state, found == BL_EVENT, &projected));
    /* implicit methods for first-order systems continue from the corrected y: restarted after each step they would never reach their
     * order */
    bool goes_on = (integ->kind->kind.needs & BL_CAN_STAGE) && !(integ->kind->kind.gives & BL_SECOND_ORDER);
    sim->restart_due = sim->restart_due || (projected && !goes_on);
    if (found == BL_EVENT) {
        sim->restart_due = sim->restart_due || *sim->state.t < integ->t || bl_events_stop(sim);
        bl_singular_forget(sim);
        if (bl_events_stop(sim)) {
            sim->state.armed[sim->event_hit] = 0; /* a continued run leaves it from zero */
            return BL_EVENT;
        }
        sim->cross_due = true;
    }
    if (sim->let_go) {
        BL_TRY(bl_events_hold(sim));
        sim->restart_due = true;
    }
    /* y already is the state: no constraints, no history, no projection */
    if (sys->np == 0 && !sys->kind->accept && sys->nevent == 0 && sys->history_bytes == 0 && !projected)
        return BL_OK;
    /* positions that satisfy the constraints replace the estimates in y; the rate is the same there */
    return sim->restart_due ? BL_OK : sim->form->kind->to_y(sim->form, &sim->state, integ->y);
}

bl_status bl_simulation_cross(bl_simulation *sim) {
    bl_status status = sim->cross_due ? cross(sim) : BL_OK;
    return status == BL_OK ? status : give_up(sim, status);
}

bl_status bl_simulation_advance(bl_simulation *sim) {
    bl_status status = step(sim);
    if (status != BL_OK && status != BL_EVENT)
        return give_up(sim, status);
    BL_TRY(bl_balance_step(sim));
    BL_TRY(bl_momentum_step(sim));
    if (sim->watched)
        BL_TRY(bl_residual_step(sim));
    return status;
}

/* ---- samples */

/* sets sim->at to the state at a time of the last step */
static bl_status state_at(bl_simulation *sim, double t) {
    if (t == *sim->state.t) {
        bl_state_copy(sim->sys, &sim->at, &sim->state);
        return BL_OK;
    }
    bool projected;
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    return project_drift(sim, &sim->at, true, &projected);
}

static bl_status check_time(const bl_simulation *sim, double t) {
    if (t >= sim->t_from && t <= *sim->state.t)
        return BL_OK;
    return bl_fail(sim->ctx, BL_E_ARG, NULL, "cannot sample at t = %.17g: the time is outside the last step [%.17g, %.17g]", t, sim->t_from,
                   *sim->state.t);
}

void bl_simulation_count_samples(bl_simulation *sim, bl_formulation *form, const bl_formulation_stats *motion) {
    bl_formulation_stats *now = &form->stats, *to = &sim->sampled;
    to->evaluations += now->evaluations - motion->evaluations;
    to->factors += now->factors - motion->factors + now->refactors - motion->refactors;
    to->solves += now->solves - motion->solves;
    *now = *motion;
}

bl_status bl_simulation_view_begin(bl_simulation *sim, bl_formulation **kept) {
    bl_formulation *viewer;
    *kept = sim->form;
    BL_TRY(bl_formulation_sampler(sim->form, &sim->state, &viewer));
    sim->form = sim->integ->form = viewer;
    return BL_OK;
}

void bl_simulation_view_end(bl_simulation *sim, bl_formulation *kept) { sim->form = sim->integ->form = kept; }

typedef struct bl_violation {
    double drift, velocity_drift, misfit;
} bl_violation;

static void note_drift(bl_simulation *sim, const bl_violation *violation) {
    sim->largest_drift = fmax(sim->largest_drift, violation->drift);
    sim->largest_misfit = fmax(sim->largest_misfit, violation->misfit);
}

/* the largest velocity / scale, at least 1 per second: the unit in which velocity drift is measured */
static double fastest(const bl_system *sys, const double *v) {
    double size = 1;
    for (bl_index j = 0; j < sys->nv; j++)
        size = fmax(size, fabs(v[j]) / sys->col[j].scale);
    return size;
}

/* Takes sim->at inside the last step directly from the method, where that satisfies the constraints as well as the formulation would make
 * it: then *read is true, eval is at that state and its violation is known. Errors of the interpolating polynomial grow with a high power
 * of time, so states with a larger violation are near the end of a step. */
static bl_status read_state(bl_simulation *sim, double t, bl_violation *violation, bool *read) {
    const bl_system *sys = sim->sys;
    const bl_integrator_kind *kind = sim->integ->kind;
    double most = sim->projection_tolerance;
    *read = false;
    if (!kind->dense_motion || t == *sim->state.t || sys->nload > 0 || sim->nsliding > 0)
        return BL_OK;
    memcpy(sim->at.history, sim->step_history, sys->history_bytes); /* as for dense output */
    bl_turns_expect(sim, t, sim->at.history);
    kind->motion(sim->integ, t, &sim->at);
    bl_eval_at(&sim->eval, &sim->at);
    *violation = (bl_violation){0};
    bl_status status = sys->np == 0
                           ? BL_OK
                           : bl_sample_drift(sys, sim->form, &sim->eval, &violation->drift, &violation->velocity_drift, &violation->misfit);
    if (status != BL_OK)
        return status > 0 ? BL_OK : status;
    *read = sys->np == 0 || (sim->form->drifts ? violation->drift <= most && violation->velocity_drift <= most
                                               : violation->drift <= study_dense_closed &&
                                                     violation->velocity_drift <= study_dense_velocity * most * fastest(sys, sim->at.v));
    sim->states_read += *read;
    return BL_OK;
}

/* Takes sim->a and sim->lambda at sim->at, inside the last step, from the method where it has them. A viewer only distributes the
 * multipliers of redundant constraint equations. */
static bl_status read_forces(bl_simulation *sim, double t, bool *read) {
    const bl_integrator_kind *kind = sim->integ->kind;
    bool spread = sim->form->redundant > 0;
    *read = false;
    if (!kind->dense_motion || t == *sim->state.t || sim->sys->nload > 0 || sim->nsliding > 0 || (spread && !sim->form->kind->spread))
        return BL_OK;
    if (kind->dense_motion(sim->integ, t, sim->a, sim->lambda) != BL_OK)
        return BL_OK;
    if (spread) {
        bl_formulation *viewer;
        BL_TRY(bl_formulation_sampler(sim->form, &sim->state, &viewer));
        bl_formulation_stats counted = viewer->stats;
        bl_status status = viewer == sim->form ? BL_SINGULAR : viewer->kind->spread(viewer, &sim->at, sim->lambda);
        bl_simulation_count_samples(sim, viewer, &counted);
        if (status != BL_OK)
            return status > 0 ? BL_OK : status;
    }
    *read = true;
    sim->forces_read++;
    return BL_OK;
}

static bl_status view_state(bl_simulation *sim, double t, const bl_state **state) {
    bl_formulation_stats counted = sim->form->stats;
    bl_status status = state_at(sim, t);
    bl_simulation_count_samples(sim, sim->form, &counted);
    if (status == BL_OK && sim->sys->np > 0) {
        bl_violation violation = {0};
        bl_eval_at(&sim->eval, &sim->at);
        status = bl_sample_drift(sim->sys, sim->form, &sim->eval, &violation.drift, &violation.velocity_drift, &violation.misfit);
        note_drift(sim, &violation);
    }
    if (status != BL_OK)
        return give_up(sim, status);
    *state = &sim->at;
    return BL_OK;
}

bl_status bl_simulation_state(bl_simulation *sim, double t, const bl_state **state) {
    bl_formulation *kept;
    bl_violation violation;
    bool read;
    BL_TRY(check_time(sim, t));
    BL_TRY(read_state(sim, t, &violation, &read));
    if (read) {
        note_drift(sim, &violation);
        *state = &sim->at;
        return BL_OK;
    }
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    bl_status status = view_state(sim, t, state);
    bl_simulation_view_end(sim, kept);
    return status;
}

/* sets sim->at at t by a viewer; positive status: it cannot be found exactly there */
static bl_status viewed_state(bl_simulation *sim, double t) {
    bl_formulation *kept;
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    bl_formulation_stats counted = sim->form->stats;
    bl_status status = state_at(sim, t);
    bl_simulation_count_samples(sim, sim->form, &counted);
    if (status < 0)
        status = give_up(sim, status);
    bl_simulation_view_end(sim, kept);
    return status;
}

/* sim->a and sim->lambda at sim->at; if these are unknown or undetermined there, at a time slightly before or after: then *here is false */
static bl_status view_forces(bl_simulation *sim, double t, bool forces, bool *here) {
    bl_formulation *kept;
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    const bl_formulation_kind *kind = sim->form->kind;
    bl_formulation_stats counted = sim->form->stats;
    double from = sim->t_from, to = *sim->state.t;
    static const double beside[] = {1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3}; /* steps */
    bl_status status = !*here ? BL_SINGULAR : kind->accelerations(sim->form, &sim->at, sim->a, sim->lambda);
    for (size_t k = 0; k < sizeof beside / sizeof beside[0] && status > 0; k++) {
        *here = false;
        status = state_at(sim, fmin(fmax(t + beside[k] * (to - from), from), to));
        if (status == BL_OK && forces)
            status = kind->accelerations(sim->form, &sim->at, sim->a, sim->lambda);
    }
    bl_simulation_count_samples(sim, sim->form, &counted);
    if (forces)
        sim->eval.load = sim->form->at_e.load; /* normal loads that belong to these accelerations */
    if (status != BL_OK)
        status = give_up(sim, status);
    bl_simulation_view_end(sim, kept);
    return status;
}

bl_status bl_simulation_sample_of(bl_simulation *sim, double t, uint32_t want, bl_sample *sample) {
    const bl_system *sys = sim->sys;
    /* only reactions need accelerations and multipliers, and forces that depend on reactions */
    bool forces = (want & BL_WANT_REACTIONS && sys->njoint > 0) || (want & BL_WANT_FORCES && sys->nload > 0);
    bool read, known = false;
    bl_violation violation = {0};
    BL_TRY(check_time(sim, t));
    BL_TRY(read_state(sim, t, &violation, &read));
    bl_status status = read ? BL_OK : viewed_state(sim, t);
    if (status < 0)
        return status;
    bool here = status == BL_OK;
    if (here && forces)
        BL_TRY(read_forces(sim, t, &known));
    if (!here || (forces && !known))
        BL_TRY(view_forces(sim, t, forces, &here));
    read = read && here;
    if (forces)
        memcpy(sim->at.lambda, sim->lambda, (size_t)sys->np * sizeof(double));
    const double *a = forces ? sim->a : NULL, *lambda = forces ? sim->lambda : NULL;
    status = read ? bl_sample_fill(sys, &sim->eval, &sim->at, a, lambda, want, sample)
                  : bl_simulation_fill_sample(sys, sim->form, &sim->eval, &sim->at, a, lambda, want, sample, &violation.misfit);
    sim->eval.load = NULL; /* owned by the viewer */
    if (status != BL_OK)
        return give_up(sim, status);
    if (read && (want & BL_WANT_DRIFT)) {
        sample->drift = violation.drift;
        sample->velocity_drift = violation.velocity_drift;
    }
    sample->t = t;
    sample->side = sim->cross_due && t == *sim->state.t ? -1 : t == sim->crossed ? 1 : 0;
    if (sys->can & BL_CAN_ENERGY && want & BL_WANT_ENERGIES)
        sim->dissipated = sample->dissipated,
        sample->energy_error = sample->kinetic + sample->potential + sample->dissipated - sample->work - sim->energy_start;
    sim->largest_energy_error = fmax(sim->largest_energy_error, fabs(sample->energy_error));
    if (!(want & BL_WANT_DRIFT))
        return BL_OK;
    violation.drift = sample->drift;
    note_drift(sim, &violation);
    return bl_balance_drift(sim, t, sample->drift);
}

bl_status bl_simulation_sample(bl_simulation *sim, double t, bl_sample *sample) {
    return bl_simulation_sample_of(sim, t, BL_WANT_ALL, sample);
}

bl_status bl_simulation_drift(bl_simulation *sim) {
    double drift, velocity_drift, misfit;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_sample_drift(sim->sys, sim->form, &sim->eval, &drift, &velocity_drift, &misfit));
    sim->largest_drift = fmax(sim->largest_drift, drift);
    sim->largest_misfit = fmax(sim->largest_misfit, misfit);
    return bl_balance_drift(sim, *sim->state.t, drift);
}

void bl_simulation_summary(const bl_simulation *sim, bl_run_summary *summary) {
    const bl_formulation_stats *form = &sim->form->stats;
    const bl_integrator_stats *integ = &sim->integ->stats;
    summary->t = *sim->state.t;
    summary->steps = integ->steps;
    summary->rejections = integ->rejections;
    summary->restarts = integ->restarts;
    summary->bounded = integ->bounded;
    summary->evaluations = form->evaluations;
    summary->newton_iterations = form->newton_iterations;
    summary->tangents = form->tangents;
    summary->factorizations = form->factors;
    summary->refactorizations = form->refactors;
    summary->solves = form->solves;
    summary->projections = form->projections;
    summary->repartitions = form->repartitions;
    summary->sample_evaluations = sim->sampled.evaluations;
    summary->sample_factorizations = sim->sampled.factors;
    summary->sample_solves = sim->sampled.solves;
    summary->handovers = sim->singular.handovers;
    summary->method_changes = bl_stiffness_describe(sim, summary->method, sizeof summary->method);
    summary->h_smallest = integ->h_smallest;
    summary->h_largest = integ->h_largest;
    summary->largest_drift = sim->largest_drift;
    summary->largest_misfit = sim->largest_misfit;
    summary->largest_energy_error = sim->largest_energy_error;
    summary->dissipated = sim->dissipated;
}
