/* A system in motion: step, events, review of the formulation, projection; samples by dense output. */
#include "study/simulation.h"

#include "study/defaults.h"
#include "study/event_roots.h"
#include "study/relief.h"

#include <math.h>
#include <string.h>

enum { EVENT_PROBES = 4, MOST_HALVINGS = 120 };
enum { SERIES_SOLUTIONS = 16 }; /* of power series, two per order, for each of about two matrices per step */

/* largest |phi| / scale and |G v - b| / scale at the place of eval; spoils c */
static bl_status measure_drift(const bl_system *sys, bl_eval *e, double *drift, double *velocity_drift) {
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_B));
    *drift = bl_system_drift(sys, e->phi, NULL);
    for (bl_index i = 0; i < sys->np; i++)
        e->c[i] = -e->b[i];
    bl_csc_multiply(&sys->pat_G, e->G, e->v, e->c);
    *velocity_drift = bl_system_drift(sys, e->c, NULL);
    e->have &= ~(uint32_t)BL_C;
    return BL_OK;
}

static double smallest_scale(const bl_system *sys) {
    double smallest = INFINITY;
    for (bl_index j = 0; j < sys->nv; j++)
        smallest = fmin(smallest, sys->col[j].scale);
    return isfinite(smallest) && smallest > 0 ? smallest : 1;
}

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

/* one absolute tolerance in place of tolerance x scale; components that do not count stay so */
static void weigh(const bl_simulation *sim) {
    for (bl_index i = 0; sim->absolute > 0 && i < sim->form->ny; i++)
        if (sim->form->weight[i] > 0)
            sim->form->weight[i] = sim->absolute / sim->integ->control.tolerance;
}

/* the method begins at the state */
static bl_status start(bl_simulation *sim) {
    BL_TRY(room_for_y(sim));
    BL_TRY(sim->form->kind->to_y(sim->form, &sim->state, sim->y));
    sim->restart_due = false;
    weigh(sim); /* the formulation may have weighed anew */
    return bl_integrator_start(sim->integ, *sim->state.t, sim->y);
}

/* a positive status that nobody can act on any more becomes final, in the formulation's words when it has some */
static bl_status give_up(bl_simulation *sim, bl_status status) {
    bl_context *ctx = sim->ctx;
    double t = *sim->state.t;
    if (status == BL_E_NUMERIC || status > 0) {
        bl_status told = sim->form->kind->explain && !sim->relief.told ? sim->form->kind->explain(sim->form) : BL_OK;
        if (told < 0)
            return told;
        if (status > 0) {
            if (bl_context_error(ctx)->status != status)
                bl_fail(ctx, status, NULL, "%s at t = %.9g", bl_status_text(status), t);
            bl_error kept = *bl_context_error(ctx);
            bl_fail(ctx, BL_E_NUMERIC, NULL, "%s", kept.what);
            bl_blame(ctx, kept.part, kept.equation, isnan(kept.time) ? t : kept.time);
        }
        if (isnan(bl_context_error(ctx)->time)) {
            bl_error kept = *bl_context_error(ctx);
            bl_blame(ctx, kept.part, kept.equation, t);
        }
        return BL_E_NUMERIC;
    }
    return status;
}

static bl_status eval_events(bl_simulation *sim, const bl_state *state, double *event) {
    if (sim->sys->nevent == 0)
        return BL_OK;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_EVENTS));
    memcpy(event, sim->eval.event, (size_t)sim->sys->nevent * sizeof *event);
    return BL_OK;
}

/* y of the system's known solution; the work done is not known, and stays */
static bl_status exact_y(void *user, double t, double *y) {
    bl_simulation *sim = user;
    *sim->at.t = t;
    *sim->at.work = *sim->state.work;
    BL_TRY(sim->sys->kind->exact(sim->sys, t, sim->at.q, sim->at.v, sim->at.z));
    return sim->form->kind->to_y(sim->form, &sim->at, y);
}

bl_status bl_simulation_create(const bl_system *sys, const bl_state *state, const bl_simulation_setup *setup, bl_simulation **out) {
    bl_context *ctx = sys->ctx;
    *out = NULL;
    bl_simulation *sim;
    BL_TRY(BL_NEW(ctx, sim, 1));
    sim->ctx = ctx;
    sim->sys = sys;
    bl_step_control control = {.t_end = setup->t_end,
                               .h_max = setup->h_max,
                               .step = setup->step,
                               .tolerance = setup->tolerance > 0 ? setup->tolerance : BL_DEFAULT_TOLERANCE,
                               .absolute = setup->absolute,
                               .step_overs = setup->singular == BL_REFUSE_SINGULAR ? -1
                                             : setup->singular == BL_PASS          ? BL_RELIEF_STEP_OVERS
                                                                                   : 0,
                               .exact = sys->kind->exact ? exact_y : NULL,
                               .exact_user = sim};
    const char *integrator = setup->integrator ? setup->integrator : BL_DEFAULT_INTEGRATOR;
    const bl_integrator_kind *kind = bl_integrator_kind_of(integrator);
    if (control.step == 0 && kind && !(kind->kind.gives & BL_ADAPTIVE)) {
        control.step = (setup->t_end - *state->t) / BL_DEFAULT_STEPS;
        bl_log(ctx, BL_LOG_INFO, "no step is given: %s takes %d steps of %g", kind->kind.name, BL_DEFAULT_STEPS, control.step);
    }
    sim->absolute = setup->absolute;
    sim->singular = setup->singular;
    sim->projection_tolerance = setup->projection_tolerance != 0 ? setup->projection_tolerance : control.tolerance * smallest_scale(sys);
    bl_status status = bl_relief_create(sim);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, &sim->state);
    if (status == BL_OK)
        status = bl_state_create(sys, 0, &sim->at);
    if (status == BL_OK)
        status = bl_eval_create(sys, &sim->eval);
    if (status == BL_OK)
        status = BL_NEW(ctx, sim->step_history, sys->history_bytes + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, sim->a, sys->nv + sys->np + 3 * sys->nevent);
    if (status == BL_OK) {
        sim->lambda = sim->a + sys->nv;
        sim->event = sim->lambda + sys->np;
        sim->event_new = sim->event + sys->nevent;
        sim->event_end = sim->event_new + sys->nevent;
        bl_state_copy(sys, &sim->state, state);
        memcpy(sim->step_history, state->history, sys->history_bytes);
        status = bl_formulation_create(sys, setup->formulation ? setup->formulation : BL_DEFAULT_FORMULATION, setup->linsol,
                                       setup->ordering, &sim->form);
    }
    if (status == BL_OK) {
        sim->form->many = kind && (kind->kind.needs & BL_CAN_COEFFICIENT) ? SERIES_SOLUTIONS : 0;
        status = sim->form->kind->setup(sim->form, &sim->state);
    }
    if (status == BL_OK && sys->nload)
        status = bl_loads_check(sim->form, &sim->state);
    if (status == BL_OK && setup->singular == BL_PASS && sys->np > 0 && (sim->form->kind->kind.gives & BL_CAN_RATE))
        status = bl_wary_begin(sim->form, fabs(sim->projection_tolerance));
    if (status == BL_OK)
        status = bl_integrator_create(ctx, integrator, sim->form, &control, &sim->integ);
    if (status == BL_OK && sys->nevent > 0 && (sim->integ->kind->kind.gives & BL_POLYNOMIAL))
        status = bl_event_roots_create(ctx, sys->nevent, &sim->roots);
    if (status == BL_OK)
        status = start(sim);
    if (status == BL_OK)
        status = eval_events(sim, &sim->state, sim->event);
    if (status == BL_OK && (sys->can & BL_CAN_ENERGY)) {
        bl_eval_at(&sim->eval, &sim->state);
        status = bl_system_eval(sys, &sim->eval, BL_ENERGY);
        sim->energy_start = sim->eval.kinetic + sim->eval.potential - *sim->state.work;
    }
    if (status != BL_OK) {
        if (sim->form)
            status = give_up(sim, status);
        bl_simulation_destroy(sim);
        return status;
    }
    sim->t_from = *state->t;
    *out = sim;
    return BL_OK;
}

void bl_simulation_destroy(bl_simulation *sim) {
    if (!sim)
        return;
    bl_relief_destroy(sim);
    bl_event_roots_destroy(sim->roots);
    bl_integrator_destroy(sim->integ);
    bl_formulation_destroy(sim->form);
    bl_eval_destroy(sim->sys, &sim->eval);
    bl_state_destroy(sim->sys, &sim->state);
    bl_state_destroy(sim->sys, &sim->at);
    bl_free(sim->ctx, sim->y);
    bl_free(sim->ctx, sim->step_history);
    bl_free(sim->ctx, sim->a);
    bl_free(sim->ctx, sim);
}

/* ---- between steps */

/* projects the state when it drifted beyond the tolerance; *done says so. between: a place inside a step */
static bl_status project_drift(bl_simulation *sim, bl_state *state, bool between, bool *done) {
    double drift, velocity_drift;
    *done = false;
    if (!(sim->form->drifts || (between && sim->form->drifts_between)) || sim->projection_tolerance < 0)
        return BL_OK;
    bl_eval_at(&sim->eval, state);
    BL_TRY(measure_drift(sim->sys, &sim->eval, &drift, &velocity_drift));
    int period = between ? 0 : sim->form->project_period;
    if (period > 0 && ++sim->since_projection < period)
        return BL_OK;
    sim->since_projection = period > 0 ? 0 : sim->since_projection;
    if (period == 0 && drift <= sim->projection_tolerance && velocity_drift <= sim->projection_tolerance)
        return BL_OK;
    bl_status status = sim->form->kind->project(sim->form, state, sim->projection_tolerance);
    *done = status == BL_OK;
    if (status > 0 && !sim->warned) {
        bl_warn(sim->ctx, *state->t, NULL, "the projection at t = %.6g did not converge; the drift of %.3g stays", *state->t, drift);
        sim->warned = true;
    }
    return status > 0 ? BL_OK : status;
}

static bl_status settle(bl_simulation *sim) {
    bool back;
    bl_relief_remember(sim);
    BL_TRY(bl_relief_end(sim, &back));
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
    }
    if (!sim->restart_due)
        return BL_OK;
    sim->integ->stats.restarts++;
    return start(sim);
}

/* the system keeps its history and may normalise the state; what it did goes back into y */
static bl_status accept(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    if (sys->kind->accept) {
        bl_eval_at(&sim->eval, &sim->state);
        bl_status status = sys->kind->accept(sys, &sim->eval, &sim->state);
        if (status == BL_RESTART) {
            BL_TRY(sim->form->kind->setup(sim->form, &sim->state));
            sim->restart_due = true;
        } else {
            BL_TRY(status);
        }
    }
    return BL_OK;
}

/* ---- events */

static bl_status state_at(bl_simulation *sim, double t, bl_state *state) {
    memcpy(state->history, sim->step_history, sim->sys->history_bytes); /* accepting the step may have changed it */
    sim->form->history = state->history;                                /* dense output may take rates within the step */
    BL_TRY(sim->integ->kind->dense(sim->integ, t, sim->y));
    return sim->form->kind->from_y(sim->form, t, sim->y, state);
}

/* which function changed sign between old and now; -1: none. Leaving zero is no change. */
static bl_index changed_sign(bl_index n, const double *old, const double *now) {
    for (bl_index i = 0; i < n; i++)
        if ((old[i] < 0 && now[i] >= 0) || (old[i] > 0 && now[i] <= 0))
            return i;
    return -1;
}

/* Narrows [t0, t1], where function `which` has values g0 and changes sign, by the Illinois method: t1 ends behind the change. */
static bl_status locate(bl_simulation *sim, double t0, double g0, double t1, double g1, bl_index which, double *t_event) {
    double goal = 1e-13 * fmax(fabs(t1), fabs(sim->integ->t - sim->integ->t_old));
    double weight0 = g0, weight1 = g1;
    for (int k = 0; k < MOST_HALVINGS && t1 - t0 > goal; k++) {
        double t = k % 8 == 7 ? 0.5 * (t0 + t1) : t1 - weight1 * (t1 - t0) / (weight1 - weight0);
        t = fmin(fmax(t, t0 + 0.25 * goal), t1 - 0.25 * goal);
        BL_TRY(state_at(sim, t, &sim->at));
        BL_TRY(eval_events(sim, &sim->at, sim->event_new));
        double g = sim->event_new[which];
        if ((g > 0) == (g0 > 0) && g != 0) {
            t0 = t;
            weight0 = g;
            weight1 *= 0.5;
        } else {
            t1 = t;
            weight1 = g;
            weight0 *= 0.5;
            if (g == 0)
                break;
        }
    }
    *t_event = t1;
    return BL_OK;
}

static bl_status place_on_event(bl_simulation *sim, double t) {
    BL_TRY(state_at(sim, t, &sim->at));
    bl_state_copy(sim->sys, &sim->state, &sim->at);
    BL_TRY(eval_events(sim, &sim->state, sim->event));
    return BL_EVENT;
}

static double time_of(const bl_simulation *sim, double x) { /* of [-1, 1] */
    const bl_integrator *integ = sim->integ;
    return x >= 1 ? integ->t : fmin(integ->t_old + (integ->t - integ->t_old) * (0.5 * x + 0.5), integ->t);
}

static bl_status events_at(void *user, double x, double *event) {
    bl_simulation *sim = user;
    if (x >= 1)
        return eval_events(sim, &sim->state, event);
    BL_TRY(state_at(sim, time_of(sim, x), &sim->at));
    return eval_events(sim, &sim->at, event);
}

/* the same as find_event over long steps: none that the motion makes is missed */
static bl_status find_event_by_roots(bl_simulation *sim) {
    const bl_integrator *integ = sim->integ;
    double x, step = integ->t - integ->t_old, spacing = nextafter(fabs(integ->t), INFINITY) - fabs(integ->t);
    bl_index which;
    BL_TRY(bl_event_roots_first(sim->roots, events_at, sim, sim->event, 4 * spacing / step, &x, &which));
    if (which < 0)
        return eval_events(sim, &sim->state, sim->event);
    sim->event_hit = which;
    if (x >= 1) {
        BL_TRY(eval_events(sim, &sim->state, sim->event));
        return BL_EVENT;
    }
    return place_on_event(sim, time_of(sim, x));
}

/* looks for the first sign change in the step; BL_EVENT: found, state put there */
static bl_status find_event(bl_simulation *sim) {
    bl_index n = sim->sys->nevent;
    if (n == 0)
        return BL_OK;
    if (sim->roots && (sim->integ->kind->kind.gives & BL_POLYNOMIAL)) {
        bl_status status = find_event_by_roots(sim);
        if (status <= 0 || status == BL_EVENT) /* else a place on the way is singular: fewer of them may do */
            return status;
    }
    double from = sim->integ->t_old, to = sim->integ->t, t0 = from;
    for (int k = 1; k <= EVENT_PROBES; k++) {
        double t1 = k == EVENT_PROBES ? to : from + (to - from) * k / EVENT_PROBES;
        if (k == EVENT_PROBES) {
            BL_TRY(eval_events(sim, &sim->state, sim->event_new));
        } else {
            BL_TRY(state_at(sim, t1, &sim->at));
            BL_TRY(eval_events(sim, &sim->at, sim->event_new));
        }
        if (changed_sign(n, sim->event, sim->event_new) >= 0) {
            /* several may change in the same piece: the earliest counts */
            double t_first = INFINITY, t;
            memcpy(sim->event_end, sim->event_new, (size_t)n * sizeof *sim->event);
            for (bl_index i = 0; i < n; i++)
                if (changed_sign(1, &sim->event[i], &sim->event_end[i]) == 0) {
                    BL_TRY(locate(sim, t0, sim->event[i], t1, sim->event_end[i], i, &t));
                    if (t < t_first) {
                        t_first = t;
                        sim->event_hit = i;
                    }
                }
            return place_on_event(sim, t_first);
        }
        memcpy(sim->event, sim->event_new, (size_t)n * sizeof *sim->event);
        t0 = t1;
    }
    return BL_OK;
}

/* a step after one that was refused for `why`: by the relief, or BL_REJECTED when nobody can help */
static bl_status step_relieved(bl_simulation *sim, bl_status why) {
    for (;;) {
        BL_TRY(bl_relief_begin(sim, why));
        sim->t_from = *sim->state.t;
        bl_status status = start(sim);
        if (status == BL_OK)
            status = bl_integrator_step(sim->integ, &why);
        if (status <= 0 && status != BL_E_NUMERIC)
            return status;
    }
}

static bl_status take_step(bl_simulation *sim) {
    bool due;
    BL_TRY(bl_relief_due(sim, &due));
    bl_status why = BL_SINGULAR, status = due ? BL_E_NUMERIC : bl_integrator_step(sim->integ, &why);
    if (status != BL_E_NUMERIC)
        return status;
    bl_status relieved = step_relieved(sim, why);
    if (relieved != BL_REJECTED)
        return relieved;
    return due ? bl_integrator_step(sim->integ, NULL) : status;
}

static bl_status step(bl_simulation *sim) {
    sim->relief.told = false;
    bl_status status = settle(sim);
    sim->t_from = *sim->state.t;
    if (status > 0) { /* what was reached is refused as a start */
        bl_status otherwise = sim->relief.acts ? BL_E_NUMERIC : status;
        status = step_relieved(sim, status);
        status = status == BL_REJECTED ? otherwise : status;
    } else if (status == BL_OK) {
        status = take_step(sim);
    }
    BL_TRY(status);
    bl_integrator *integ = sim->integ;
    BL_TRY(sim->form->kind->from_y(sim->form, integ->t, integ->y, &sim->at));
    memcpy(sim->at.history, sim->state.history, sim->sys->history_bytes);
    bl_state_copy(sim->sys, &sim->state, &sim->at);
    sim->review_due = true;
    memcpy(sim->step_history, sim->state.history, sim->sys->history_bytes);
    bl_status found = find_event(sim);
    if (found != BL_OK && found != BL_EVENT)
        return found;
    BL_TRY(accept(sim));
    bool projected;
    BL_TRY(project_drift(sim, &sim->state, found == BL_EVENT, &projected));
    /* implicit methods of first order go on from a y that was set right: starting anew, step by step, they would never reach their order */
    bool goes_on = (integ->kind->kind.needs & BL_CAN_STAGE) && !(integ->kind->kind.gives & BL_SECOND_ORDER);
    sim->restart_due = sim->restart_due || (projected && !goes_on);
    if (found == BL_EVENT) {
        sim->restart_due = true;
        bl_relief_forget(sim);
        if (sim->sys->kind->jump) {
            bl_eval_at(&sim->eval, &sim->state);
            return sim->sys->kind->jump(sim->sys, &sim->eval, &sim->state, sim->event_hit);
        }
        return BL_EVENT;
    }
    /* closed positions replace the guesses in y; the rate is the same there */
    return sim->restart_due ? BL_OK : sim->form->kind->to_y(sim->form, &sim->state, integ->y);
}

bl_status bl_simulation_advance(bl_simulation *sim) {
    bl_status status = step(sim);
    return status == BL_OK || status == BL_EVENT ? status : give_up(sim, status);
}

/* ---- samples */

bl_status bl_simulation_look(const bl_system *sys, bl_eval *e, const bl_state *state, const double *a, const double *lambda,
                             bl_sample *sample) {
    memset(sample, 0, sizeof *sample);
    bl_eval_at(e, state);
    e->a = a;
    e->lambda = lambda;
    uint32_t want = BL_POSE | BL_VARIABLES | BL_PROBES | (sys->njoint && a ? BL_WRENCH : 0) | (sys->can & BL_CAN_ENERGY ? BL_ENERGY : 0);
    bl_status status = bl_system_eval(sys, e, want);
    if (status == BL_OK)
        status = measure_drift(sys, e, &sample->drift, &sample->velocity_drift);
    e->a = NULL;
    for (bl_index j = 0; !a && j < sys->njoint; j++)
        for (int k = 0; k < 3; k++)
            e->wrench[j].force[k] = e->wrench[j].moment[k] = NAN;
    sample->t = *state->t;
    sample->body = sys->nbody > 1 ? e->pose + 1 : NULL;
    sample->variable = e->variable;
    sample->variable_rate = e->variable_rate;
    sample->probe = e->probe;
    sample->probe_rate = e->probe_rate;
    sample->reaction = e->wrench;
    sample->kinetic = e->kinetic;
    sample->potential = e->potential;
    sample->work = *state->work;
    return status;
}

/* sim->at at a time of the last step */
static bl_status place_at(bl_simulation *sim, double t) {
    if (t == *sim->state.t) {
        bl_state_copy(sim->sys, &sim->at, &sim->state);
        return BL_OK;
    }
    bool projected;
    BL_TRY(state_at(sim, t, &sim->at));
    return project_drift(sim, &sim->at, true, &projected);
}

static bl_status sample_at(bl_simulation *sim, double t) {
    BL_TRY(place_at(sim, t));
    return sim->form->kind->accelerations(sim->form, &sim->at, sim->a, sim->lambda);
}

static bl_status check_time(const bl_simulation *sim, double t) {
    double from = sim->t_from, to = *sim->state.t;
    if (t >= from && t <= to)
        return BL_OK;
    return bl_fail(sim->ctx, BL_E_ARG, NULL, "a sample at t = %.17g is outside the last step [%.17g, %.17g]", t, from, to);
}

bl_status bl_simulation_state(bl_simulation *sim, double t, const bl_state **state) {
    BL_TRY(check_time(sim, t));
    bl_formulation_stats counted = sim->form->stats; /* the work of the motion counts, however often somebody looks */
    bl_status status = place_at(sim, t);
    sim->form->stats = counted;
    if (status == BL_OK && sim->sys->np > 0) {
        double drift, velocity_drift;
        bl_eval_at(&sim->eval, &sim->at);
        status = measure_drift(sim->sys, &sim->eval, &drift, &velocity_drift);
        sim->largest_drift = fmax(sim->largest_drift, drift);
    }
    if (status != BL_OK)
        return give_up(sim, status);
    *state = &sim->at;
    return BL_OK;
}

bl_status bl_simulation_sample(bl_simulation *sim, double t, bl_sample *sample) {
    const bl_system *sys = sim->sys;
    BL_TRY(check_time(sim, t));
    double from = sim->t_from, to = *sim->state.t;
    /* exactly in a singular position nothing is determined: take the mechanism a little beside it */
    static const double beside[] = {0, 1e-7, -1e-7, 1e-5, -1e-5, 1e-3, -1e-3};
    bl_status status = BL_SINGULAR;
    bl_formulation_stats counted = sim->form->stats; /* as above */
    for (size_t k = 0; k < sizeof beside / sizeof beside[0] && status > 0; k++)
        status = sample_at(sim, fmin(fmax(t + beside[k] * (to - from), from), to));
    sim->form->stats = counted;
    if (status != BL_OK)
        return give_up(sim, status);
    memcpy(sim->at.lambda, sim->lambda, (size_t)sys->np * sizeof(double));
    sim->eval.load = sim->form->at_e.load; /* those of the accelerations just found */
    status = bl_simulation_look(sys, &sim->eval, &sim->at, sim->a, sim->lambda, sample);
    if (status != BL_OK)
        return give_up(sim, status);
    sample->t = t;
    if (sys->can & BL_CAN_ENERGY)
        sample->energy_error = sample->kinetic + sample->potential - sample->work - sim->energy_start;
    sim->largest_drift = fmax(sim->largest_drift, sample->drift);
    sim->largest_energy_error = fmax(sim->largest_energy_error, fabs(sample->energy_error));
    return BL_OK;
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
    summary->factorisations = form->factors;
    summary->refactorisations = form->refactors;
    summary->solves = form->solves;
    summary->projections = form->projections;
    summary->repartitions = form->repartitions;
    summary->reliefs = sim->relief.count;
    summary->h_smallest = integ->h_smallest;
    summary->h_largest = integ->h_largest;
    summary->largest_drift = sim->largest_drift;
    summary->largest_energy_error = sim->largest_energy_error;
}
