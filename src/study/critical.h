/* critical: the longest step of an explicit method on a mesh. */
#ifndef BL_CRITICAL_H
#define BL_CRITICAL_H

#include "system/system.h"

/* Largest frequency at a state, by products of M^-1 with changes of the forces: from below, within some per cent. 0: not known. */
bl_status bl_critical_frequency(const bl_system *sys, const bl_state *state, double *omega);

/* Refuses a step that is longer than 2/omega of the fastest mode (BL_E_NUMERIC), and sets one that is 0 to a safe share of it. */
bl_status bl_critical_step(const bl_system *sys, const bl_state *state, const char *method, double *step);

#endif
