/* sliding: a switch whose law pushes the motion back to its border from both sides. The motion then stays on the border, with the blend of
 * both branches that keeps it there (Filippov 1988): found from the rates of the switching function on either side, held constant during a
 * step, corrected between steps. */
#ifndef BL_STUDY_SLIDING_H
#define BL_STUDY_SLIDING_H

#include "study/simulation.h"

enum { BL_SLIDES_NOT = 2 }; /* value of bl_simulation.share without sliding */

bl_status bl_sliding_create(bl_simulation *sim);
void bl_sliding_destroy(bl_simulation *sim);
static inline bool bl_slides(const bl_simulation *sim, bl_index i) { return sim->nsliding > 0 && sim->share[i] != BL_SLIDES_NOT; }

/* The switch of `event` has just changed its branch at the state: decides whether the motion crosses the border, returns, or slides from
 * now on. Positive status, here and below: rates cannot be evaluated, nothing is decided. */
bl_status bl_sliding_judge(bl_simulation *sim, bl_index event);
/* The longest useful step; INFINITY: nothing slides. */
double bl_sliding_longest(const bl_simulation *sim);
/* After a step along borders: *t, the time from which the blend held in it is too inaccurate; INFINITY: it is accurate. Overwrites
 * sim->at. */
bl_status bl_sliding_check(bl_simulation *sim, double *t);
/* Updates the blend at the state; a switch that leaves its border is put back on one branch. */
bl_status bl_sliding_adjust(bl_simulation *sim);
/* After an event that may have changed forces, or selected branches again: slides on, with the blend that fits now. */
bl_status bl_sliding_resume(bl_simulation *sim);

#endif
