/* closure: mechanisms that move, or can be assembled, only within the digits of their dimensions. */
#ifndef BL_STUDY_CLOSURE_H
#define BL_STUDY_CLOSURE_H

#include "study/study.h"

/* After assembly: where gaps close only within sys->closure, the remaining gaps become sys->misfit and are reported by joint. */
bl_status bl_closure_misfit(bl_system *sys, const bl_model *model, const bl_state *state);

typedef bl_status (*bl_closure_report)(void *user, const char *part, const char *text);
/* Finds joints whose constraints are implied by the others except for a residual smaller than the digits of the dimensions, and which lock
 * a motion only by this residual; calls report for each. Allocates; sys is unchanged on return. */
bl_status bl_closure_examine(bl_system *sys, const bl_model *model, const bl_state *state, bl_closure_report report, void *user);
/* The same as warnings of the study. */
bl_status bl_closure_warn(bl_system *sys, const bl_model *model, const bl_state *state);

#endif
