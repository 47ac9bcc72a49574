/* closure: mechanisms that move, or close, only within the digits of their dimensions. */
#ifndef BL_STUDY_CLOSURE_H
#define BL_STUDY_CLOSURE_H

#include "study/study.h"

/* After positions were assembled: where they close only within sys->closure, what is left becomes sys->misfit, and is reported by joint. */
bl_status bl_closure_misfit(bl_system *sys, const bl_model *model, const bl_state *state);

typedef bl_status (*bl_closure_report)(void *user, const char *part, const char *text);
/* Finds joints whose constraints others imply but for less than the digits of the dimensions, all along a motion that is locked only by
 * them; one report for each. Allocates; sys is as before. */
bl_status bl_closure_examine(bl_system *sys, const bl_model *model, const bl_state *state, bl_closure_report report, void *user);
/* The same as warnings of the study. */
bl_status bl_closure_warn(bl_system *sys, const bl_model *model, const bl_state *state);

#endif
