/* Who acts when. The stretch grows while the formulation fails again without a step of its own in between. */
#include "study/relief.h"

#include "study/defaults.h"

#include <math.h>
#include <string.h>

static const double NEAR = 1e-2; /* smallest pivot of scaled rows, relative, beside a singular position */

static void exchange(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_formulation *form = sim->form;
    bl_integrator *integ = sim->integ;
    sim->form = relief->form;
    sim->integ = relief->integ;
    sim->form->stats = form->stats; /* the counters are of the run, whoever acts */
    sim->integ->stats = integ->stats;
    relief->form = form;
    relief->integ = integ;
    relief->acts = !relief->acts;
    sim->restart_due = true;
}

/* whether the constraints are about to lose rank at the state */
static bl_status near_singular(bl_simulation *sim, bool *near) {
    bl_formulation *form = sim->form;
    const bl_system *sys = sim->sys;
    bl_index *order = NULL, rank = 0;
    double kept = form->rank_tolerance;
    *near = false;
    BL_TRY(BL_NEW(sim->ctx, order, sys->np + sys->nv));
    bl_formulation_place(form, *sim->state.t, sim->state.q, sim->state.v);
    bl_status status = bl_system_eval(sys, &form->at_e, BL_G);
    form->rank_tolerance = NEAR;
    if (status == BL_OK)
        status = bl_formulation_rank(form, NULL, order, order + sys->np, &rank, NULL);
    form->rank_tolerance = kept;
    bl_free(sim->ctx, order);
    *near = status == BL_OK && rank < sys->nv - form->freedoms;
    return status;
}

static bl_status make(bl_simulation *sim) {
    bl_relief *relief = &sim->relief;
    bl_step_control control = sim->integ->control;
    bool adaptive = sim->integ->kind->kind.gives & BL_ADAPTIVE;
    if (!adaptive) { /* an unknown error is not to grow here */
        control.h_max = control.step;
        control.tolerance = fmin(control.tolerance, BL_RELIEF_TOLERANCE);
    }
    control.step = 0;
    control.step_overs = 0;
    BL_TRY(bl_formulation_create(sim->sys, BL_RELIEF_FORMULATION, sim->form->linsol_spec, NULL, &relief->form));
    BL_TRY(relief->form->kind->setup(relief->form, &sim->state));
    return bl_integrator_create(sim->ctx, BL_DEFAULT_INTEGRATOR, relief->form, &control, &relief->integ);
}

void bl_relief_destroy(bl_simulation *sim) {
    bl_integrator_destroy(sim->relief.integ);
    bl_formulation_destroy(sim->relief.form);
    sim->relief.integ = NULL;
    sim->relief.form = NULL;
}

/* the first failure is the one to tell */
static bl_status restore(bl_context *ctx, const bl_error *kept) {
    bl_fail(ctx, kept->status, NULL, "%s", kept->what);
    bl_advise(ctx, "%s", kept->advice);
    bl_blame(ctx, kept->part, kept->equation, kept->time);
    return BL_REJECTED;
}

bl_status bl_relief_begin(bl_simulation *sim, bl_status why) {
    bl_relief *relief = &sim->relief;
    bl_error kept = *bl_context_error(sim->ctx);
    double t = *sim->state.t;
    bool near = why == BL_SINGULAR;
    if (sim->singular != BL_PASS || relief->acts || sim->sys->np == 0 || (why != BL_SINGULAR && why != BL_NO_CONVERGENCE))
        return BL_REJECTED;
    bl_status status = near ? BL_OK : near_singular(sim, &near);
    if (status == BL_OK && near)
        status = relief->form ? relief->form->kind->setup(relief->form, &sim->state) : make(sim);
    if (status == BL_E_MEMORY)
        return status;
    if (status != BL_OK || !near) {
        if (status != BL_OK)
            bl_relief_destroy(sim);
        return restore(sim->ctx, &kept);
    }
    double before = sim->integ->stats.steps > 0 ? sim->integ->t - sim->integ->t_old : 0;
    if (!(before > 0))
        before = fmin(sim->integ->h_next, bl_step_largest(sim->integ));
    relief->stretch = sim->integ->stats.steps == relief->steps ? 2 * relief->stretch : before;
    relief->until = t + relief->stretch;
    bl_log(sim->ctx, BL_LOG_INFO, "formulation %s finds no step past a singular position near t = %.6g: %s takes over for %.3g s",
           sim->form->kind->kind.name, t, BL_RELIEF_FORMULATION, relief->stretch);
    relief->count++;
    exchange(sim);
    sim->integ->h_next = 0;
    bl_context_clear_error(sim->ctx);
    return BL_OK;
}

bl_status bl_relief_end(bl_simulation *sim, bool *done) {
    bl_relief *relief = &sim->relief;
    bl_formulation *form = relief->form; /* of the one that may come back */
    *done = false;
    if (!relief->acts || *sim->state.t < relief->until)
        return BL_OK;
    bl_formulation_stats counted = form->stats;
    bl_status status = form->kind->review ? form->kind->review(form, &sim->state) : BL_OK;
    if (status == BL_OK || status == BL_RESTART) {
        double *y = bl_resize(sim->ctx, sim->y, 2 * (size_t)form->ny, sizeof *y); /* y and its rate */
        if (!y)
            return BL_E_MEMORY;
        sim->y = y;
        sim->ny = 2 * form->ny;
        status = form->kind->to_y(form, &sim->state, y);
        if (status == BL_OK)
            status = form->kind->rate(form, *sim->state.t, y, y + form->ny);
    }
    form->stats = counted;
    if (status < 0 && status != BL_E_NUMERIC)
        return status;
    if (status != BL_OK) { /* still too near */
        relief->until = *sim->state.t + 0.5 * relief->stretch;
        bl_context_clear_error(sim->ctx);
        return BL_OK;
    }
    exchange(sim);
    relief->steps = sim->integ->stats.steps;
    *done = true;
    return BL_OK;
}
