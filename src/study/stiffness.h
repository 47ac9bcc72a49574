/* stiffness: alternates between an explicit and an implicit method, whichever is cheaper (docs/theory/stiffness.md).
 *
 * Explicit steps are monitored: if h |lambda| of the fastest mode is at the stability limit while errors are far below the tolerance, the
 * mode limits the step without being part of the solution. Then the implicit method takes over from the state. During implicit steps the
 * spectral radius is estimated now and then: where explicit steps would be cheaper, the explicit method returns. Work is counted, never
 * timed. A change that did not pay off is undone, and the next one has to wait twice as long. */
#ifndef BL_STIFFNESS_H
#define BL_STIFFNESS_H

#include "study/simulation.h"

/* sim->form and sim->integ, which have started, become the explicit pair. Allocates; the implicit pair is made when it is needed first. */
bl_status bl_stiffness_create(bl_simulation *sim, const bl_simulation_setup *setup);
void bl_stiffness_destroy(bl_simulation *sim);
/* Monitors an accepted step, before any restart. No allocation. */
bl_status bl_stiffness_note(bl_simulation *sim);
/* Between steps: changes to the other pair if that is due (*done); the method must then be started. May allocate. */
bl_status bl_stiffness_change(bl_simulation *sim, bool *done);
/* After a step that the active pair cannot take: the other one takes over, unless it failed at this time too. *done as above. The error is
 * kept, and bl_stiffness_failed restores it when the other pair fails as well. */
bl_status bl_stiffness_rescue(bl_simulation *sim, bool *done);
void bl_stiffness_failed(bl_simulation *sim);
/* Text that names the methods used and when; returns the number of changes. */
long bl_stiffness_describe(const bl_simulation *sim, char *text, size_t size);

#endif
