/* critical: the longest step of an explicit method on a mesh. */
#ifndef BL_CRITICAL_H
#define BL_CRITICAL_H

#include "system/system.h"

/* Refuses a step that is longer than 2/omega of the fastest mode (BL_E_NUMERIC); replaces a step of 0 by a safe fraction of it. */
bl_status bl_critical_step(const bl_system *sys, const bl_state *state, const char *method, double *step);

#endif
