/* States to go back to from a singular configuration, and restarts of the same method from there with a step that ends elsewhere. */
#include "study/singular.h"
#include "study/singular_limits.h"

#include <math.h>
#include <string.h>

/* Landing times before the singular configuration, in longest steps: the next step has it well inside, even if it is somewhat shorter. */
static const double LANDING[] = {0.5, 0.75, 0.35, 0.2, 0.1};
enum { LANDINGS = sizeof LANDING / sizeof *LANDING };

/* ---- states */

void bl_singular_forget(bl_simulation *sim) {
    sim->singular.remembered = 0;
    for (int i = 0; i < BL_PAST_STATES; i++)
        sim->singular.step[i] = -1;
}

void bl_singular_keep(bl_simulation *sim, double step) {
    bl_singular *singular = &sim->singular;
    long n = singular->remembered++;
    int recent = (int)(n % BL_RECENT_STATES), older = BL_RECENT_STATES;
    while (older < BL_PAST_STATES - 1 && n % (2L << (older - BL_RECENT_STATES)) == 0) /* n = odd x 2^k goes to slot k: never all at once */
        older++;
    bl_state_copy(sim->sys, &singular->past[recent], &sim->state);
    bl_state_copy(sim->sys, &singular->past[older], &sim->state);
    singular->step[recent] = singular->step[older] = step;
}

double bl_singular_longest_step(const bl_singular *singular) {
    double longest = 0;
    for (int i = 0; i < BL_PAST_STATES; i++)
        longest = fmax(longest, singular->step[i]);
    return longest;
}

/* the latest kept state not after t; NULL: none */
static const bl_state *kept_before(const bl_singular *singular, double t) {
    const bl_state *found = NULL;
    for (int i = 0; i < BL_PAST_STATES; i++)
        if (singular->step[i] >= 0 && *singular->past[i].t <= t && (!found || *singular->past[i].t > *found->t))
            found = &singular->past[i];
    return found;
}

/* Just after the start no state is old enough: then the oldest one. */
const bl_state *bl_singular_well_before(const bl_simulation *sim, double *span) {
    const bl_singular *singular = &sim->singular;
    double longest = bl_singular_longest_step(singular);
    *span = singular_back * (longest > 0 ? longest : fmin(sim->integ->h_next, bl_step_largest(sim->integ)));
    const bl_state *found = kept_before(singular, *sim->state.t - *span), *oldest = &sim->state;
    for (int i = 0; i < BL_PAST_STATES && !found; i++)
        if (singular->step[i] >= 0 && *singular->past[i].t < *oldest->t)
            oldest = &singular->past[i];
    return found ? found : oldest;
}

void bl_singular_remember(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    if (!singular->past[0].block)
        return;
    if (*sim->state.t >= singular->t + LANDING[0] * singular->reach) /* passed */
        bl_singular_restore_tolerance(sim);
    singular->last_step = sim->integ->t - sim->integ->t_old;
    bool cut = singular->last_step < singular_cut * bl_singular_longest_step(singular);
    singular->cut = cut ? singular->cut + 1 : 0;
    if (cut && (singular->cut <= singular_own_steps || fabs(*sim->state.t - singular->t) <= singular->reach))
        return;
    bl_singular_keep(sim, singular->last_step);
}

void bl_singular_note_position(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    if (fabs(*sim->state.t - singular->t) <= singular->reach) { /* the same one, located better */
        singular->t = fmax(singular->t, *sim->state.t);
        return;
    }
    bl_singular_restore_tolerance(sim);
    singular->t = *sim->state.t;
    singular->reach = bl_singular_longest_step(singular);
    singular->landings = 0;
    singular->hopeless = false;
}

/* ---- tolerances */

void bl_singular_restore_tolerance(bl_simulation *sim) {
    static const char format[] =
        "passed the singular configuration near t = %.6g s with tolerance %.1g: rounding errors there do not allow %.1g";
    bl_singular *singular = &sim->singular;
    double *tolerance = &sim->integ->control.tolerance;
    if (!singular->eased)
        return;
    if (*sim->state.t > singular->t) {
        if (singular->warned)
            bl_log(sim->ctx, BL_LOG_INFO, format, singular->t, *tolerance, singular->tolerance);
        else
            bl_warn(sim->ctx, singular->t, NULL, format, singular->t, *tolerance, singular->tolerance);
        singular->warned = true; /* once per run */
    }
    *tolerance = singular->tolerance;
    singular->eased = false;
}

/* enlarges the tolerance for this configuration; false: it is at its maximum */
static bool ease(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    bl_step_control *control = &sim->integ->control;
    if (control->tolerance * singular_ease > singular_coarsest)
        return false;
    if (!singular->eased) {
        singular->eased = true;
        singular->tolerance = control->tolerance;
    }
    control->tolerance *= singular_ease;
    singular->landings = 0;
    return true;
}

/* ---- landings */

bool bl_singular_stays_closed(const bl_formulation *form) { return form->kind == &bl_formulation_partition && !form->drifts; }

bl_status bl_singular_land(bl_simulation *sim, bool *tries) {
    bl_singular *singular = &sim->singular;
    *tries = false;
    if (!bl_singular_stays_closed(sim->form) || !(sim->integ->kind->kind.gives & BL_ADAPTIVE) || !(singular->reach > 0))
        return BL_OK;
    const bl_state *from = NULL;
    while (!from && (singular->landings < LANDINGS || ease(sim))) {
        singular->landing = singular->t - LANDING[singular->landings++] * singular->reach;
        from = kept_before(singular, singular->landing);
    }
    if (!from) {
        bl_singular_restore_tolerance(sim);
        singular->landing = NAN;
        return BL_OK;
    }
    bl_state_copy(sim->sys, &sim->state, from);
    for (int i = 0; i < BL_PAST_STATES; i++) /* later ones are not its past */
        if (*singular->past[i].t > *sim->state.t)
            singular->step[i] = -1;
    bl_status status = sim->form->kind->review ? sim->form->kind->review(sim->form, &sim->state) : BL_OK;
    if (status < 0)
        return status;
    singular->collapsed = 0;
    sim->integ->control.t_stop = singular->landing;
    sim->integ->h_next = 0;
    *tries = true;
    return BL_OK;
}
