/* sliding: a switch whose law pushes back from both sides of its border. The motion then stays on the border, with a blend of both branches
 * that keeps it there (Filippov 1988): found by the rates of the switching function on either side, held during a step, corrected
 * between steps. */
#ifndef BL_STUDY_SLIDING_H
#define BL_STUDY_SLIDING_H

#include "study/simulation.h"

enum { BL_SLIDES_NOT = 2 }; /* of bl_simulation.share */

bl_status bl_sliding_create(bl_simulation *sim);
void bl_sliding_destroy(bl_simulation *sim);
static inline bool bl_slides(const bl_simulation *sim, bl_index i) { return sim->nsliding > 0 && sim->share[i] != BL_SLIDES_NOT; }

/* The switch of `event` has just changed its branch at the state: does the motion go on behind it, come back, or slide from now on?
 * Positive: rates cannot be found here, nothing is decided. So in those below. */
bl_status bl_sliding_judge(bl_simulation *sim, bl_index event);
/* The longest step that makes sense; INFINITY: nothing slides. */
double bl_sliding_longest(const bl_simulation *sim);
/* After a step along borders: *t, where the blend held in it is no longer the right one; INFINITY: it is. Spoils sim->at. */
bl_status bl_sliding_check(bl_simulation *sim, double *t);
/* The blend at the state; what leaves its border is held on its side again. */
bl_status bl_sliding_adjust(bl_simulation *sim);

#endif
