/* critical: the longest step of an explicit method on a mesh. */
#ifndef BL_CRITICAL_H
#define BL_CRITICAL_H

#include "system/system.h"

/* Largest frequency at a state, by products of M^-1 with changes of the forces: from below, within some per cent. 0: not known. */
bl_status bl_critical_frequency(const bl_system *sys, const bl_state *state, double *omega);

#endif
