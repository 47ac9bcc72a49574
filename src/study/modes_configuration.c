/* The state about which modes are computed: an equilibrium, the start, a steady motion, or a time of the motion. */
#include "study/modes_private.h"

#include "study/linear_limits.h"
#include "study/plan.h"
#include "study/run.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_status nothing(bl_statics *s, void *user) {
    (void)s, (void)user;
    return BL_OK;
}

/* checks whether the given state is in equilibrium */
static bl_status check_balance(bl_modes_own *own, const char *what, bool anyway, double *residual) {
    bl_statics *s = own->statics;
    double size = 0;
    s->fit = true;
    bl_status status = bl_statics_evaluate(s);
    s->fit = false;
    BL_TRY(status);
    for (bl_index j = 0; j < s->n; j++)
        size = fmax(size, fabs(s->force[j]) * s->kkt->scale[j]);
    *residual = size > 0 ? s->residual / size : 0;
    bl_state_copy(s->sys, &s->kept, &s->state);
    if (*residual <= study_out_of_balance || anyway)
        return BL_OK;
    char worst[96];
    bl_system_col_name(s->sys, s->worst, worst, sizeof worst);
    bl_fail(own->ctx, BL_E_NUMERIC, NULL, "%s is not in equilibrium: forces on %s are unbalanced by %.3g of the largest force (limit %g)",
            what, worst, *residual, study_out_of_balance);
    bl_advise(own->ctx, "modes are computed about an equilibrium: use --at equilibrium to find it, or --anyway to use this state");
    bl_blame(own->ctx, NULL, worst, *s->state.t);
    return BL_E_NUMERIC;
}

bool bl_modes_begin_from(bl_modes_own *own, bl_state *state) {
    const bl_system *sys = own->sys, *before = own->from ? own->from->sys : NULL;
    if (!before || before->nq != sys->nq || before->nv != sys->nv || before->np != sys->np || before->history_bytes != sys->history_bytes)
        return false;
    bl_state kept = {0};
    bool good = bl_state_create(sys, 0, &kept) == BL_OK;
    if (good) {
        bl_state_copy(sys, &kept, state);
        memcpy(state->q, own->from->reference.q, (size_t)sys->nq * sizeof(double));
        memcpy(state->history, own->from->reference.history, sys->history_bytes);
        good = sys->np == 0 || bl_assemble_nearby(sys, state) == BL_OK;
        if (!good)
            bl_state_copy(sys, state, &kept);
    }
    bl_context_clear_error(own->ctx);
    bl_state_destroy(sys, &kept);
    return good;
}

static bl_status find_rest(bl_modes_own *own, const bl_modes_ask *ask, const bl_equilibrium_options *how, double *residual) {
    if (ask->at == BL_MODES_AT_EQUILIBRIUM)
        (void)bl_modes_begin_from(own, &own->start);
    BL_TRY(bl_statics_create(own->sys, &own->start, how, &own->statics));
    own->statics->model = own->model;
    own->statics->unnamed = true;
    if (ask->at != BL_MODES_AT_EQUILIBRIUM) {
        BL_TRY(check_balance(own, ask->at == BL_MODES_AT_START ? "the start" : "the state at this time", ask->options->anyway, residual));
    } else {
        BL_TRY(bl_statics_follow(own->statics, nothing, NULL));
        *residual = own->statics->found.residual;
    }
    bl_state_copy(own->sys, &own->reference, &own->statics->kept);
    if (own->statics->kkt->dense && ask->at == BL_MODES_AT_EQUILIBRIUM && !(how->until > how->from)) {
        own->problem.ctx = own->ctx;
        own->problem.kkt = own->statics->kkt; /* evaluated at the equilibrium */
        own->statics->kkt = own->statics->full = NULL;
    }
    bl_statics_destroy(own->statics); /* its matrices are as large as the problem's */
    own->statics = NULL;
    if (own->sys->nload > 0)
        bl_warn(own->ctx, NAN, NULL, "dry friction is ignored: the modes are about a state of rest, where nothing slides");
    return BL_OK;
}

/* ---- a time of the motion */

/* the states have different layouts */
static void take_state(bl_modes_own *own, const bl_state *at) {
    const bl_system *sys = own->sys;
    *own->start.t = *at->t;
    memcpy(own->start.q, at->q, (size_t)sys->nq * sizeof(double));
    memcpy(own->start.v, at->v, (size_t)sys->nv * sizeof(double));
    memcpy(own->start.lambda, at->lambda, (size_t)sys->np * sizeof(double));
    memcpy(own->start.history, at->history, sys->history_bytes);
}

static bl_status run_to(bl_modes_own *own, double t) {
    bl_simulation *sim = NULL;
    const char *integrator = bl_plan_integrator(own->sys, own->run.integrator, own->run.formulation, own->run.tolerance);
    bl_simulation_setup setup = {.t_end = t,
                                 .tolerance = own->run.tolerance,
                                 .integrator = integrator,
                                 .formulation = bl_plan_formulation(own->sys, own->run.formulation, integrator, own->run.tolerance),
                                 .unsampled = ~(uint32_t)0};
    bl_status status = bl_simulation_create(own->sys, &own->start, &setup, &sim);
    while (status == BL_OK && *sim->state.t < t) {
        status = bl_context_stopped(own->ctx) ? BL_STOPPED : bl_simulation_advance(sim);
        if (status == BL_EVENT) {
            bl_fail(own->ctx, BL_E_NUMERIC, NULL, "a stop condition ends the motion at t = %.9g s, before t = %.9g s", *sim->state.t, t);
            status = BL_E_NUMERIC;
        }
    }
    const bl_state *at;
    if (status == BL_OK)
        status = bl_simulation_state(sim, t, &at);
    if (status == BL_OK)
        take_state(own, at);
    bl_simulation_destroy(sim);
    return status;
}

static bool at_rest(const bl_system *sys, const bl_state *state) {
    for (bl_index j = 0; j < sys->nv; j++)
        if (fabs(state->v[j]) > study_stands * (sys->col && sys->col[j].scale > 0 ? sys->col[j].scale : 1))
            return false;
    return true;
}

bl_status bl_modes_find_configuration(bl_modes_own *own, const bl_modes_ask *ask, const bl_equilibrium_options *how,
                                      bl_modes_report *report) {
    const bl_system *sys = own->sys;
    report->residual = 0;
    if (own->linear) { /* the modes are the same everywhere: use zero */
        memset(own->reference.q, 0, (size_t)sys->nq * sizeof(double));
        memset(own->reference.z, 0, (size_t)sys->nz * sizeof(double));
        *own->reference.t = how->from;
        return BL_OK;
    }
    if (own->present)
        take_state(own, own->present);
    else if (ask->at == BL_MODES_AT_TIME && ask->time > 0)
        BL_TRY(run_to(own, ask->time));
    bool moves = ask->at == BL_MODES_AT_STEADY || (ask->at == BL_MODES_AT_TIME && !at_rest(sys, &own->start));
    if (!moves)
        return find_rest(own, ask, how, &report->residual);
    if (at_rest(sys, &own->start) && own->along) { /* a path over a speed may start at zero */
        bl_modes_ask rest = *ask;
        rest.at = BL_MODES_AT_EQUILIBRIUM;
        return find_rest(own, &rest, how, &report->residual);
    }
    if (at_rest(sys, &own->start)) {
        bl_fail(own->ctx, BL_E_NUMERIC, NULL, "nothing moves at the start: a steady motion needs initial velocities");
        bl_advise(own->ctx, "give rates under `initial:`, add drivers, or compute modes --at equilibrium");
        return BL_E_NUMERIC;
    }
    if (sys->nload > 0) {
        bl_fail(own->ctx, BL_E_ABILITY, NULL, "modes about a motion are not available with joint friction, which depends on the reactions");
        bl_advise(own->ctx, "remove the joint friction, or compute modes about an equilibrium");
        return BL_E_ABILITY;
    }
    if (sys->nv > study_modes_dense) {
        bl_fail(own->ctx, BL_E_ABILITY, NULL, "modes about a motion are computed with full matrices: %d unknowns, the limit is %.0f",
                (int)sys->nv, study_modes_dense);
        bl_advise(own->ctx, "use a coarser mesh, or reduce meshed bodies (`coordinates: floating`)");
        return BL_E_ABILITY;
    }
    report->moving = true;
    BL_TRY(bl_linearize_create(sys, own->model, &own->lin));
    own->lin->loads = own->io.loads;
    BL_TRY(bl_modes_settle(own, ask, report));
    bl_state_copy(sys, &own->reference, &own->lin->state);
    return BL_OK;
}
