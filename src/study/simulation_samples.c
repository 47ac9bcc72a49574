/* Samples of a motion at times of the last step: the state, accelerations and reactions there, without influence on later steps. */
#include "study/contact_steps.h"
#include "study/sample.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* sets sim->at to the state at a time of the last step */
static bl_status state_at(bl_simulation *sim, double t) {
    if (t == *sim->state.t) {
        bl_state_copy(sim->sys, &sim->at, &sim->state);
        return BL_OK;
    }
    bool projected;
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    return bl_simulation_project(sim, &sim->at, true, &projected);
}

bl_status bl_simulation_check_time(const bl_simulation *sim, double t) {
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
        return bl_simulation_give_up(sim, status);
    *state = &sim->at;
    return BL_OK;
}

bl_status bl_simulation_state(bl_simulation *sim, double t, const bl_state **state) {
    bl_formulation *kept;
    bl_violation violation;
    bool read;
    BL_TRY(bl_simulation_check_time(sim, t));
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
        status = bl_simulation_give_up(sim, status);
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
        status = bl_simulation_give_up(sim, status);
    bl_simulation_view_end(sim, kept);
    return status;
}

bl_status bl_simulation_sample_of(bl_simulation *sim, double t, uint32_t want, bl_sample *sample) {
    const bl_system *sys = sim->sys;
    /* only reactions and contacts need accelerations and multipliers, and forces that depend on reactions */
    bool forces = (want & BL_WANT_REACTIONS && sys->njoint > 0) || (want & BL_WANT_FORCES && sys->nload > 0) ||
                  (want & BL_WANT_CONTACTS && sys->ncontact > 0 && !sim->steps);
    bool read, known = false;
    bl_violation violation = {0};
    BL_TRY(bl_simulation_check_time(sim, t));
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
        bl_contacts_complete(&sim->contacts, sim->lambda);
    if (forces)
        memcpy(sim->at.lambda, sim->lambda, (size_t)sys->np * sizeof(double));
    const double *a = forces ? sim->a : NULL, *lambda = forces ? sim->lambda : NULL;
    status = read ? bl_sample_fill(sys, &sim->eval, &sim->at, a, lambda, want, sample)
                  : bl_simulation_fill_sample(sys, sim->form, &sim->eval, &sim->at, a, lambda, want, sample, &violation.misfit);
    sim->eval.load = NULL; /* owned by the viewer */
    if (sim->steps && (want & BL_WANT_CONTACTS))
        sample->contact = sim->steps->sample;
    if (sim->steps && status == BL_OK && (want & BL_WANT_REACTIONS))
        status = bl_contact_steps_reactions(sim->steps, &sim->at, a, lambda, sample);
    if (status != BL_OK)
        return bl_simulation_give_up(sim, status);
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
