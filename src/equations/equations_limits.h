/* Thresholds of plain equations that a model can meet. */
#ifndef BL_EQUATIONS_LIMITS_H
#define BL_EQUATIONS_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    equations_symmetric, 1e-12, "of the largest entry",
    "given matrices whose halves differ by less are symmetric, and the system has an energy. Higher: matrices that are not meant so lose "
    "energy unnoticed; lower: rounding in the file takes the energy away",
    "unit_equations_matrices")

#endif
