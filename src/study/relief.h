/* relief: past a singular position that a formulation cannot step over, another one takes its place for a stretch.
 *
 * Before that the same method tries other landings, so that the place lies inside a step. Then the coordinate partition acts, whose stages
 * lie on the constraints, and, where its coordinates fail too, the augmented Lagrangian: it decides no rank and so loses none. What is off
 * the constraints is thrown off the branch the more the nearer the place, so the relief goes back a few steps and starts well before it.
 * Both work from the state: the change costs a restart of the method and nothing else. */
#ifndef BL_RELIEF_H
#define BL_RELIEF_H

#include "study/simulation.h"

/* A singular position is as wide as a place is too near to it. Where it is narrow beside the step, one of the first shorter steps has no
 * stage in it; where it is not, steps would creep up to it. */
#define BL_RELIEF_STEP_OVERS 8

bl_status bl_relief_create(bl_simulation *sim);
void bl_relief_destroy(bl_simulation *sim);
/* Keeps an accepted state to go back to; forgets all, after an event or another change of what moves. No allocation. */
void bl_relief_remember(bl_simulation *sim);
void bl_relief_forget(bl_simulation *sim);
/* After a step that was refused for `why` near a singular position: the state is an earlier one, the relief acts from there, and a step may
 * be tried again. BL_REJECTED: it is not allowed, not of use here, or cannot be had; the error stands as it was. Allocates. */
bl_status bl_relief_begin(bl_simulation *sim, bl_status why);
/* The tolerance of the run again, for the method that acts: before another takes its place. A place passed with a larger one is said. */
void bl_relief_tighten(bl_simulation *sim);
/* Between steps: whether they collapsed beside a singular position. Off the constraints the motion is wild there, and error control follows
 * it closely. Allocates when they did. */
bl_status bl_relief_due(bl_simulation *sim, bool *due);
/* Between steps of the relief: hands back when the stretch is over and the place is regular; *done says so. */
bl_status bl_relief_end(bl_simulation *sim, bool *done);

#endif
