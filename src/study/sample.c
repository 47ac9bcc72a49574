/* Samples of a state: quantities evaluated by the system, shown through the arrays of the eval. */
#include "study/sample.h"

#include "signal/signal.h"

#include <math.h>

bl_status bl_sample_drift(const bl_system *sys, const bl_formulation *form, bl_eval *e, double *drift, double *velocity_drift,
                          double *misfit) {
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_G | BL_B));
    *drift = form ? bl_formulation_drift(form, e->phi, misfit) : bl_system_drift(sys, e->phi, NULL);
    for (bl_index i = 0; i < sys->np; i++)
        e->c[i] = -e->b[i];
    bl_csc_multiply(&sys->pat_G, e->G, e->v, e->c);
    *velocity_drift = form ? bl_formulation_drift(form, e->c, NULL) : bl_system_drift(sys, e->c, NULL);
    e->have &= ~(uint32_t)BL_C;
    return BL_OK;
}

/* quantities of the system that a sample needs */
static uint32_t asked_for(const bl_system *sys, uint32_t want, const double *a) {
    return (want & BL_WANT_BODIES ? BL_POSE : 0) | (want & BL_WANT_VARIABLES ? BL_VARIABLES : 0) | (want & BL_WANT_PROBES ? BL_PROBES : 0) |
           (want & BL_WANT_REACTIONS && sys->njoint && a ? BL_WRENCH : 0) |
           (want & BL_WANT_ENERGIES && sys->can & BL_CAN_ENERGY ? BL_ENERGY : 0) | (want & BL_WANT_FIELDS && sys->nfield ? BL_FIELDS : 0) |
           (want & BL_WANT_FORCES && sys->npush ? BL_FORCES : 0) | (want & BL_WANT_CONTACTS && sys->ncontact ? BL_CONTACTS : 0);
}

/* accelerations are unknown */
static void no_reactions(const bl_system *sys, bl_eval *e) {
    for (bl_index j = 0; j < sys->njoint; j++)
        for (int k = 0; k < 3; k++)
            e->wrench[j].force[k] = e->wrench[j].moment[k] = e->relation_force[j] = NAN;
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER)
            e->driver_force[sys->row[i].owner] = NAN;
}

static void show(const bl_system *sys, const bl_eval *e, const bl_state *state, uint32_t want, bl_sample *sample) {
    if (want & BL_WANT_BODIES)
        sample->body = sys->nbody > 1 ? e->pose + 1 : NULL;
    if (want & BL_WANT_VARIABLES) {
        sample->variable = e->variable;
        sample->variable_rate = e->variable_rate;
    }
    if (want & BL_WANT_PROBES) {
        sample->probe = e->probe;
        sample->probe_rate = e->probe_rate;
    }
    if (want & BL_WANT_REACTIONS) {
        sample->reaction = e->wrench;
        sample->driver_force = e->driver_force;
        sample->relation_force = e->relation_force;
    }
    if (want & BL_WANT_FIELDS && sys->nfield)
        sample->field = (const double *const *)e->field;
    if (want & BL_WANT_FORCES && sys->npush) {
        sample->push = e->push;
        sample->spring_length = e->spring_length;
        sample->spring_tension = e->spring_tension;
    }
    if (want & BL_WANT_CONTACTS && sys->ncontact)
        sample->contact = e->contact;
    bool energies = want & BL_WANT_ENERGIES;
    sample->kinetic = energies ? e->kinetic : NAN;
    sample->potential = energies ? e->potential : NAN;
    sample->dissipated = energies ? e->dissipated : NAN;
    sample->work = energies ? *state->work : NAN;
    sample->energy_error = energies ? 0 : NAN;
}

bl_status bl_sample_fill(const bl_system *sys, bl_eval *e, const bl_state *state, const double *a, const double *lambda, uint32_t want,
                         bl_sample *sample) {
    *sample = (bl_sample){.t = *state->t, .drift = NAN, .velocity_drift = NAN};
    e->a = a;
    e->lambda = lambda;
    bl_status status = bl_system_eval(sys, e, asked_for(sys, want, a));
    e->a = NULL;
    if (!a && (want & BL_WANT_REACTIONS))
        no_reactions(sys, e);
    show(sys, e, state, want, sample);
    if (status == BL_OK && (want & BL_WANT_SIGNALS))
        status = bl_signal_show(sys, e, &sample->signal);
    return status;
}

bl_status bl_simulation_fill_sample(const bl_system *sys, const bl_formulation *form, bl_eval *e, const bl_state *state, const double *a,
                                    const double *lambda, uint32_t want, bl_sample *sample, double *misfit) {
    *misfit = 0;
    bl_eval_at(e, state);
    BL_TRY(bl_sample_fill(sys, e, state, a, lambda, want, sample));
    return want & BL_WANT_DRIFT ? bl_sample_drift(sys, form, e, &sample->drift, &sample->velocity_drift, misfit) : BL_OK;
}
