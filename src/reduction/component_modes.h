/* component_modes: shapes of a component by the method of Craig and Bampton (AIAA J. 6 (1968) 1313), of sparse matrices: static responses
 * to given motions of its boundary, and the lowest modes with fixed boundary. */
#ifndef BL_REDUCTION_COMPONENT_H
#define BL_REDUCTION_COMPONENT_H

#include "system/system.h"

typedef struct bl_component {
    const char *name;          /* for messages */
    const bl_place *place;     /* may be NULL */
    const bl_pattern *pattern; /* of K and M, all entries of the symmetric matrices */
    const double *K, *M;
    const uint8_t *held; /* [n] unknowns of the boundary */
    bl_index nmotion, nmode;
    bool *split;          /* set, unless NULL: the mode after the last one has the same frequency, so that the last one is arbitrary */
    const double *motion; /* [nmotion][n] values of the boundary unknowns; others are not read */
} bl_component;

/* shape[nmotion + nmode][n]: the motions with the inside in equilibrium, then the modes, zero on the boundary, of unit modal mass;
 * value[nmode] their squared frequencies, ascending. BL_E_MODEL: more modes than unknowns inside, an inside that moves without resistance
 * or has no mass. */
bl_status bl_component_shapes(bl_context *ctx, const bl_component *component, double *shape, double *value);

#endif
