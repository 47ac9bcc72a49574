/* stiffness: an explicit method and an implicit one take turns, whichever is cheaper (docs/theory/stiffness.md).
 *
 * While the explicit one acts, its steps are watched: h |lambda| of the fastest mode at the limit of stability, where errors are far below
 * the tolerance, says that the mode limits the step without being part of the solution. Then the implicit one takes over from the state.
 * While that acts, the spectral radius is estimated now and then: where explicit steps would be cheaper, the explicit one comes back. Work
 * is counted, never timed. A change that did not pay is undone, and the next one has to wait twice as long. */
#ifndef BL_STIFFNESS_H
#define BL_STIFFNESS_H

#include "study/simulation.h"

/* sim->form and sim->integ, which have started, become the explicit pair. Allocates; the implicit pair is made when it is needed first. */
bl_status bl_stiffness_create(bl_simulation *sim, const bl_simulation_setup *setup);
void bl_stiffness_destroy(bl_simulation *sim);
/* After an accepted step, before anything starts anew: looks at it. No allocation. */
bl_status bl_stiffness_note(bl_simulation *sim);
/* Between steps: the other pair takes over if it is due, and *done says so; the method must then be started. May allocate. */
bl_status bl_stiffness_change(bl_simulation *sim, bool *done);
/* After a step that the acting pair cannot take: the other takes over, unless it failed at this time too. *done as above. The error is
 * kept, and comes back by bl_stiffness_failed when the other one fails as well. */
bl_status bl_stiffness_rescue(bl_simulation *sim, bool *done);
void bl_stiffness_failed(bl_simulation *sim);
/* Which methods acted, in words; changes: how often they took turns. */
long bl_stiffness_words(const bl_simulation *sim, char *words, size_t nwords);

#endif
