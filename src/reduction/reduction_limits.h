/* reduction_limits: thresholds of the reduction of meshes that a model can meet (base/limit.h). */
#ifndef BL_REDUCTION_LIMITS_H
#define BL_REDUCTION_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    reduction_dense, 1500, "unknowns inside a mesh",
    "up to here all modes with fixed interfaces are computed by full matrices, above only the lowest by iteration. Higher: time n^3 and "
    "memory n^2; lower: iterations where full matrices are faster",
    "unit_reduction_component")
BL_LIMIT(reduction_separate, 1e-6, "relative distance of two eigenvalues",
         "between which the missing ones are counted. Higher: the count is skipped if all are close; lower: it is not reliable next to an "
         "eigenvalue",
         "unit_reduction_component")

BL_LIMIT(
    reduction_pivot, 1e-13, "largest pivot of the scaled stiffness",
    "a mesh with smaller ones can move with fixed interfaces. Higher: slender meshes are refused; lower: meshes that hang on a point or a "
    "line are accepted",
    "unit_reduction_component")

#endif
