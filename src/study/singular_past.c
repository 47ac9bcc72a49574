/* States kept to go back to from a singular position, and the same method from there by a step that ends elsewhere. */
#include "study/singular.h"
#include "study/singular_limits.h"

#include <math.h>
#include <string.h>

/* Landings so many longest steps before the position: a step from there has it well inside, whatever limits its length by as much. */
static const double LANDING[] = {0.5, 0.75, 0.35, 0.2, 0.1};
enum { LANDINGS = sizeof LANDING / sizeof *LANDING };
enum { OWN_SHORT_STEPS = 48 }; /* so many cut steps in a row, with no position known, are the motion's own */

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
    while (older < BL_PAST_STATES - 1 &&
           n % (2L << (older - BL_RECENT_STATES)) == 0) /* n = odd x 2^k belongs to the k-th: never all at once */
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

/* No state is old enough just after the start: the oldest serves. */
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
    if (*sim->state.t >= singular->t + LANDING[0] * singular->reach) /* left behind */
        bl_singular_restore_tolerance(sim);
    singular->last_step = sim->integ->t - sim->integ->t_old;
    bool cut = singular->last_step < singular_cut * bl_singular_longest_step(singular);
    singular->cut = cut ? singular->cut + 1 : 0;
    if (cut && (singular->cut <= OWN_SHORT_STEPS || fabs(*sim->state.t - singular->t) <= singular->reach))
        return;
    bl_singular_keep(sim, singular->last_step);
}

void bl_singular_note_position(bl_simulation *sim) {
    bl_singular *singular = &sim->singular;
    if (fabs(*sim->state.t - singular->t) <= singular->reach) { /* the same, seen from nearer */
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
    static const char words[] = "passed the singular position near t = %.6g with tolerance %.1g: rounding there does not allow %.1g";
    bl_singular *singular = &sim->singular;
    double *tolerance = &sim->integ->control.tolerance;
    if (!singular->eased)
        return;
    if (*sim->state.t > singular->t) {
        if (singular->warned)
            bl_log(sim->ctx, BL_LOG_INFO, words, singular->t, *tolerance, singular->tolerance);
        else
            bl_warn(sim->ctx, singular->t, NULL, words, singular->t, *tolerance, singular->tolerance);
        singular->warned = true; /* once a run */
    }
    *tolerance = singular->tolerance;
    singular->eased = false;
}

/* the next larger tolerance for this position; false: no larger one would be of use */
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
    for (int i = 0; i < BL_PAST_STATES; i++) /* those behind it are no past of it */
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
