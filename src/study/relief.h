/* relief: past a singular position that a formulation cannot step over, another one takes its place for a stretch.
 *
 * The augmented Lagrangian, positions and velocities projected at every stage, decides no rank and so loses none. It is slower and hands
 * back as soon as the formulation can go on. Both work from the state, so the change costs a restart of the method and nothing else. */
#ifndef BL_RELIEF_H
#define BL_RELIEF_H

#include "study/simulation.h"

#define BL_RELIEF_FORMULATION "auglag:project=stage"
/* A singular position is as wide as a place is too near to it. Where it is narrow beside the step, one of the first shorter steps has no
 * stage in it; where it is not, steps would creep up to it, and whoever takes over should start well before. */
#define BL_RELIEF_STEP_OVERS 8

/* After a step that was refused for `why` at a state near a singular position: the relief acts, and the step may be tried again. BL_REJECTED:
 * it is not allowed, not of use here, or cannot be had; the error stands as it was. Allocates the first time. */
bl_status bl_relief_begin(bl_simulation *sim, bl_status why);
/* Between steps of the relief: hands back when the stretch is over and the place is regular; *done says so. */
bl_status bl_relief_end(bl_simulation *sim, bool *done);
void bl_relief_destroy(bl_simulation *sim);

#endif
