/* Singular configurations: which formulation is active when. The time for which another one takes over doubles each time the first one
 * fails again without a step of its own. */
#include "study/singular.h"
#include "kkt/rank_margin.h"
#include "study/defaults.h"
#include "study/singular_limits.h"

#include <math.h>
#include <string.h>

/* Successors: a formulation whose stages satisfy the constraints, then one that makes no rank decision and so cannot lose rank. */
static const char *const successors[] = {"partition", "auglag:project=stage,alpha=1e7"};
enum { SUCCESSORS = sizeof successors / sizeof *successors };
static const char ADVICE_BESIDE[] = "start from another configuration, or end the run before this one with a stop expression";

bl_status bl_singular_create(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    singular->steps_at_return = -1;
    singular->t = singular->reach = singular->landing = NAN;
    bl_singular_forget(sim);
    if (sim->singular_policy != BL_PASS || sim->sys->np == 0)
        return BL_OK;
    BL_TRY(bl_state_create(sim->sys, 0, &singular->refused));
    BL_TRY(bl_state_create(sim->sys, 0, &singular->started));
    for (int i = 0; i < BL_PAST_STATES; i++)
        BL_TRY(bl_state_create(sim->sys, 0, &singular->past[i]));
    return BL_OK;
}

static void discard(bl_simulation *sim) {
    bl_integrator_destroy(sim->singular.integ);
    bl_formulation_destroy(sim->singular.form);
    sim->singular.integ = NULL;
    sim->singular.form = NULL;
}

void bl_singular_destroy(bl_simulation *sim) {
    discard(sim);
    for (int i = 0; i < BL_PAST_STATES; i++)
        bl_state_destroy(sim->sys, &sim->singular.past[i]);
    bl_state_destroy(sim->sys, &sim->singular.refused);
    bl_state_destroy(sim->sys, &sim->singular.started);
}

/* ---- is the configuration singular? */

/* whether the constraints nearly lose rank at the state; row: the equation closest to depending on the others, or -1 */
static bl_status near_singular(bl_simulation *sim, bool *near, bl_index *row) {
    bl_eval_at(&sim->eval, &sim->state);
    bl_status status = bl_system_eval(sim->sys, &sim->eval, BL_G);
    *near = false;
    return status == BL_OK ? bl_kkt_near_singular(sim->sys, sim->eval.G, sim->sys->nv - sim->form->dof, near, row) : status;
}

bl_status bl_singular_due(bl_simulation *sim, bool *due) {
    bl_singular *singular = &sim->singular;
    *due = false;
    if (!singular->past[0].block || singular->remembered == 0)
        return BL_OK;
    bool last = singular->handed_over && !bl_singular_stays_closed(sim->form);
    double longest = last ? (singular->until - *singular->started.t) / (2 * singular_back) : bl_singular_longest_step(singular);
    bool collapsed = singular->last_step < singular_collapsed * longest;
    singular->collapsed = collapsed ? singular->collapsed + 1 : last ? singular->collapsed : 0;
    if (last) {
        *due = singular->collapsed > singular_crept;
        return BL_OK;
    }
    /* checked after 1, 2, 4, ... times singular_patience: short steps may begin far from the singular configuration */
    int patience = (int)singular_patience, times = singular->collapsed / patience;
    if (singular->collapsed % patience != 0 || times == 0 || (times & (times - 1)) != 0)
        return BL_OK;
    bl_status status = near_singular(sim, due, NULL);
    return status > 0 ? BL_OK : status;
}

/* ---- the reported failure is the first one */

/* Stores the error. Steps that merely became short have raised none, so one is made. */
static bl_status keep_failure(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    bl_error *kept = &singular->failure;
    if (bl_context_error(sim->ctx)->status == BL_OK) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "step size fell to %.3g s near a singular configuration at t = %.9g s", singular->last_step,
                *sim->state.t);
        bl_blame(sim->ctx, NULL, NULL, *sim->state.t);
        bl_advise(sim->ctx, "%s", ADVICE_BESIDE);
    }
    *kept = *bl_context_error(sim->ctx);
    bl_status explained = sim->form->kind->explain ? sim->form->kind->explain(sim->form) : BL_OK;
    if (explained == BL_E_NUMERIC)
        *kept = *bl_context_error(sim->ctx);
    if (explained == BL_E_MEMORY || kept->part[0])
        return explained == BL_E_MEMORY ? explained : BL_OK;
    bl_index row = -1;
    bool near;
    bl_status status = near_singular(sim, &near, &row);
    if (row >= 0)
        bl_system_row_name(sim->sys, row, kept->part, sizeof kept->part, kept->equation, sizeof kept->equation);
    return status == BL_E_MEMORY ? status : BL_OK;
}

static bl_status refuse(bl_simulation *sim) {
    const bl_error *kept = &sim->singular.failure;
    sim->singular.hopeless = true;
    bl_fail(sim->ctx, kept->status, NULL, "%s", kept->what);
    bool in_use = strncmp(kept->advice, BL_ADVICE_PASS, strlen(BL_ADVICE_PASS)) == 0; /* the advice to pass is followed already */
    bl_advise(sim->ctx, "%s", in_use ? ADVICE_BESIDE : kept->advice);
    bl_blame(sim->ctx, kept->part, kept->equation, kept->time);
    sim->singular.reported = true;
    return BL_REJECTED;
}

/* ---- handover */

static void exchange(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    bl_simulation_exchange(sim, &singular->form, &singular->integ);
    singular->handed_over = !singular->handed_over;
    sim->restart_due = true;
}

/* creates the current successor at the state */
static bl_status make_successor(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    bl_step_control control = sim->integ->control;
    if (!(sim->integ->kind->kind.gives & BL_ADAPTIVE)) {
        control.h_max = control.step;
        control.tolerance = fmin(control.tolerance, singular_fixed_tolerance);
    }
    control.step = 0;
    control.step_overs = 0;
    BL_TRY(bl_formulation_create(sim->sys, successors[singular->successor], sim->form->linsol_spec, NULL, &singular->form));
    BL_TRY(bl_formulation_setup(singular->form, &sim->state));
    /* power series, which take few long steps, continue if the successor supports them */
    bool same = sim->integ->kind == &bl_integrator_series && (singular->form->kind->kind.gives & BL_CAN_COEFFICIENT);
    return bl_integrator_create(sim->ctx, same ? "series" : BL_DEFAULT_INTEGRATOR, singular->form, &control, &singular->integ);
}

/* BL_OK, or the refusal because the successor cannot be created */
static bl_status made_or_refused(bl_simulation *sim, bl_status status) {
    if (status == BL_OK)
        return BL_OK;
    discard(sim);
    return status == BL_E_MEMORY ? status : refuse(sim);
}

static bl_status take_over(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    bl_log(sim->ctx, BL_LOG_INFO, "formulation %s cannot step past a singular configuration: %s takes over from t = %.6g s to %.6g s",
           sim->form->kind->kind.name, singular->form->kind->kind.name, *sim->state.t, singular->until);
    singular->handovers++;
    exchange(sim);
    bl_singular_forget(sim);
    bl_singular_keep(sim, 0);
    sim->integ->h_next = 0;
    bl_context_clear_error(sim->ctx);
    return BL_OK;
}

/* the successor failed too: back to where it started, with the next one */
static bl_status next_successor(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    if (*sim->state.t > singular->until)
        return BL_REJECTED; /* it has passed the singular configuration: this failure has another cause */
    exchange(sim);
    if (singular->successor + 1 >= SUCCESSORS) {
        bl_state_copy(sim->sys, &sim->state, &singular->refused);
        sim->t_from = sim->integ->t_old;
        return refuse(sim);
    }
    singular->successor++;
    bl_state_copy(sim->sys, &sim->state, &singular->started);
    discard(sim);
    return made_or_refused(sim, make_successor(sim));
}

/* starts the first successor at a state well before the singular configuration */
static bl_status first_successor(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    double t = *sim->state.t, span;
    const bl_state *from = bl_singular_well_before(sim, &span);
    /* failed again without a step, or within one stretch after the handback: many short handovers would only accumulate errors */
    bool again =
        sim->integ->stats.steps == singular->steps_at_return || (singular->stretch > 0 && t - singular->until <= singular->stretch);
    singular->stretch = again ? 2 * singular->stretch : span;
    singular->until = t + singular->stretch;
    bl_state_copy(sim->sys, &singular->started, from);
    bl_state_copy(sim->sys, &singular->refused, &sim->state);
    bl_state_copy(sim->sys, &sim->state, &singular->started);
    if (singular->form)
        return made_or_refused(sim, bl_formulation_setup(singular->form, &sim->state));
    if (bl_singular_stays_closed(sim->form)) /* this formulation is the first successor */
        singular->successor = 1;
    return made_or_refused(sim, make_successor(sim));
}

bl_status bl_singular_begin(bl_simulation *sim, bl_status why) {
    bl_singular *singular = &sim->singular;
    bool near = why == BL_SINGULAR, lands;
    if (!singular->past[0].block || (why != BL_SINGULAR && why != BL_NO_CONVERGENCE && why != BL_REJECTED && !singular->handed_over))
        return BL_REJECTED;
    bl_singular_note_position(sim);
    if (!singular->handed_over) {
        if (singular->hopeless)
            return refuse(sim);
        singular->collapsed = 0;
        BL_TRY(keep_failure(sim));
        bl_status status = near ? BL_OK : near_singular(sim, &near, NULL);
        if (status == BL_E_MEMORY)
            return status;
        if (status != BL_OK || !near)
            return refuse(sim);
    }
    BL_TRY(bl_singular_land(sim, &lands));
    if (lands) {
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    BL_TRY(singular->handed_over ? next_successor(sim) : first_successor(sim));
    return take_over(sim);
}

/* BL_OK if the formulation can evaluate rates at the state; its y is then in sim->y */
static bl_status rates_exist(bl_simulation *sim, bl_formulation *form) {
    bl_status status = form->kind->review ? form->kind->review(form, &sim->state) : BL_OK;
    if (status != BL_OK && status != BL_RESTART)
        return status;
    double *y = bl_resize(sim->ctx, sim->y, 2 * (size_t)form->ny, sizeof *y); /* y and its rate */
    if (!y)
        return BL_E_MEMORY;
    sim->y = y;
    sim->ny = 2 * form->ny;
    BL_TRY(form->kind->to_y(form, &sim->state, y));
    return form->kind->rate(form, *sim->state.t, y, y + form->ny);
}

bl_status bl_singular_hand_back(bl_simulation *sim, bool *done) {
    bl_singular *singular = &sim->singular;
    *done = false;
    if (!singular->handed_over || *sim->state.t < singular->until)
        return BL_OK;
    bl_formulation_stats counted = singular->form->stats;
    bl_status status = BL_OK;
    if (sim->contacts.n) { /* other contacts may hold by now */
        singular->form->history = sim->state.history;
        status = bl_formulation_setup(singular->form, &sim->state);
    }
    if (status == BL_OK)
        status = rates_exist(sim, singular->form);
    singular->form->stats = counted;
    if (status < 0 && status != BL_E_NUMERIC)
        return status;
    if (status != BL_OK) { /* too close to the singular configuration yet */
        singular->until = *sim->state.t + 0.5 * singular->stretch;
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    exchange(sim);
    singular->steps_at_return = sim->integ->stats.steps;
    *done = true;
    return BL_OK;
}
