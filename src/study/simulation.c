/* A system in motion: steps, events, review of the formulation, projection; samples from dense output. */
#include "study/simulation.h"
#include "study/contact_steps.h"
#include "study/critical.h"
#include "study/defaults.h"
#include "study/events.h"
#include "study/sample.h"
#include "study/singular.h"
#include "study/stiffness.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
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
        bl_status status = sim->form->kind->project(sim->form, &sim->state, fmax(fabs(sim->projection_tolerance), study_restart_closed));
        if (status < 0)
            return status;
    }
    BL_TRY(sim->form->kind->to_y(sim->form, &sim->state, sim->y));
    sim->restart_due = false;
    weigh(sim); /* the formulation may have set new weights */
    BL_TRY(bl_turns_begin(sim));
    return bl_integrator_start(sim->integ, *sim->state.t, sim->y);
}

bl_status bl_simulation_give_up(bl_simulation *sim, bl_status status) {
    bl_context *ctx = sim->ctx;
    double t = *sim->state.t;
    if ((status == BL_E_NUMERIC || status > 0) && bl_context_stopped(ctx))
        return BL_STOPPED; /* a solver was interrupted, which its caller took for a failure */
    if (status == BL_E_NUMERIC || status > 0) {
        bl_status explained = sim->form->kind->explain && !sim->singular.reported ? sim->form->kind->explain(sim->form) : BL_OK;
        if (explained < 0)
            return explained;
        if (status == BL_NO_CONVERGENCE && sim->contacts.n && bl_context_error(ctx)->status != status) {
            bl_status contact = bl_contacts_explain(sim);
            status = contact < 0 ? contact : status;
        }
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
    sim->contacts.law = setup->impact;
    sim->contacts.painleve = setup->painleve;
    sim->contacts.rest = setup->contact_rest > 0 ? setup->contact_rest : fmin(study_contact_rest, control.tolerance);
    sim->contacts.error = fmin(1, control.tolerance) * bl_system_smallest(sys);
    sim->contacts.height = fmax(study_contact_height * fmin(1, control.tolerance), study_contact_height_least) * bl_system_smallest(sys);
    if (setup->surfaces) {
        BL_TRY(bl_contact_steps_create(sim->ctx, setup->surfaces, sys, &sim->steps));
        control.impulses = &sim->steps->impulses;
    } else {
        BL_TRY(bl_contacts_create(sim));
    }
    BL_TRY(make_formulation(sim, setup, kind));
    control.projection = sim->projection_tolerance > 0 ? sim->projection_tolerance : control.tolerance * bl_system_smallest(sys);
    BL_TRY(bl_integrator_create(sim->ctx, integrator, sim->form, &control, &sim->integ));
    BL_TRY(bl_contacts_method_create(sim, setup, &control));
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
    sim->watched = setup->watched && !(sys->facts & BL_FINE) && !setup->surfaces;
    sim->unsampled = setup->unsampled;
    bl_status status = set_up(sim, state, setup);
    if (status != BL_OK) {
        if (sim->form)
            status = bl_simulation_give_up(sim, status);
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
    (*integ)->control.t_end = was_integ->control.t_end;
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
    bl_percussion_destroy(sim);
    bl_contacts_destroy(sim);
    bl_contact_steps_destroy(sim->steps);
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

bl_status bl_simulation_project(bl_simulation *sim, bl_state *state, bool between, bool *done) {
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

/* after a failure where a contact can slide no longer (contacts.h) */
static bl_status step_halted(bl_simulation *sim, bl_status failure) {
    bool done;
    BL_TRY(bl_contacts_rescue(sim, &done));
    if (!done)
        return failure;
    bl_context_clear_error(sim->ctx);
    memcpy(sim->step_history, sim->state.history, sim->sys->history_bytes);
    BL_TRY(bl_contacts_method_choose(sim));
    BL_TRY(bl_formulation_setup(sim->form, &sim->state));
    bl_formulation_forget(sim->form);
    BL_TRY(bl_events_arm(sim));
    sim->restart_due = true;
    sim->integ->h_next = 0;
    return step_ahead(sim);
}

static bl_status step(bl_simulation *sim) {
    sim->singular.reported = false;
    sim->form->history = sim->state.history; /* samples of the last step used the history of its start */
    if (sim->cross_due)
        BL_TRY(cross(sim)); /* no other method would do better at an event */
    bl_status taken = step_ahead(sim);
    if (taken == BL_E_NUMERIC)
        taken = step_otherwise(sim, taken);
    if (taken == BL_E_NUMERIC)
        taken = step_halted(sim, taken);
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
    BL_TRY(bl_simulation_project(sim, &sim->state, found == BL_EVENT, &projected));
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
    return status == BL_OK ? status : bl_simulation_give_up(sim, status);
}

bl_status bl_simulation_advance(bl_simulation *sim) {
    bl_status status = step(sim);
    if (status != BL_OK && status != BL_EVENT)
        return bl_simulation_give_up(sim, status);
    BL_TRY(bl_balance_step(sim));
    BL_TRY(bl_momentum_step(sim));
    if (sim->watched)
        BL_TRY(bl_residual_step(sim));
    return status;
}

/* ---- changes from outside */

void bl_simulation_set_end(bl_simulation *sim, double t_end) { sim->integ->control.t_end = t_end; }

bl_status bl_simulation_energy(bl_simulation *sim, double *energy) {
    *energy = 0;
    if (!(sim->sys->can & BL_CAN_ENERGY))
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_ENERGY));
    *energy = bl_eval_energy(&sim->eval);
    return BL_OK;
}

/* moves the state back to t inside the last step */
static bl_status move_back(bl_simulation *sim, double t) {
    const bl_system *sys = sim->sys;
    bool projected;
    sim->cross_due = sim->setup_due = false; /* an event at the end of the step, new coordinates there: both lie ahead */
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    memcpy(sim->at.u, sim->state.u, (size_t)sys->nu * sizeof *sim->at.u);
    bl_state_copy(sys, &sim->state, &sim->at);
    memcpy(sim->step_history, sim->state.history, sys->history_bytes);
    BL_TRY(accept(sim));
    BL_TRY(bl_simulation_project(sim, &sim->state, true, &projected));
    return bl_events_arm(sim);
}

bl_status bl_simulation_cut(bl_simulation *sim, double t) {
    BL_TRY(bl_simulation_check_time(sim, t));
    bl_status status = BL_OK;
    if (t < *sim->state.t)
        status = move_back(sim, t);
    else if (sim->cross_due)
        status = cross(sim);
    if (status != BL_OK)
        return bl_simulation_give_up(sim, status);
    bl_singular_forget(sim);
    sim->t_from = t;
    sim->restart_due = sim->review_due = true;
    return BL_OK;
}

bl_status bl_simulation_changed(bl_simulation *sim, double before) {
    double after;
    sim->form->history = sim->state.history;
    BL_TRY(bl_percussion_after(sim));
    BL_TRY(bl_events_renew(sim));
    BL_TRY(bl_simulation_energy(sim, &after));
    *sim->state.work += after - before; /* so that the energy balance holds */
    memcpy(sim->step_history, sim->state.history, sim->sys->history_bytes);
    if (sim->momentum)
        sim->momentum->begun = false; /* what acts from outside may change it */
    return BL_OK;
}

static void describe_sliding(const bl_simulation *sim, bl_run_summary *summary) {
    const bl_contacts *c = &sim->contacts;
    const char *sliding = bl_contacts_sliding_method(sim);
    snprintf(summary->sliding_method, sizeof summary->sliding_method, "%s", sliding);
    if (c->exchanges == 0)
        return;
    const char *now = sim->integ->kind->kind.name, *other = c->other_integ->kind->kind.name;
    snprintf(summary->method, sizeof summary->method, "%s, %s while contacts slide (%ld change%s)", strcmp(now, sliding) == 0 ? other : now,
             sliding, c->exchanges, c->exchanges == 1 ? "" : "s");
    summary->method_changes += c->exchanges;
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
    describe_sliding(sim, summary);
    summary->h_smallest = integ->h_smallest;
    summary->h_largest = integ->h_largest;
    summary->largest_drift = sim->largest_drift;
    summary->largest_misfit = sim->largest_misfit;
    summary->largest_energy_error = sim->largest_energy_error;
    summary->dissipated = sim->dissipated;
    summary->impacts = sim->contacts.impacts;
    summary->accumulations = sim->contacts.accumulations;
    summary->lost_in_impacts = sim->steps ? -sim->steps->contact_work : sim->contacts.lost;
}
