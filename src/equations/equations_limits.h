/* Thresholds for models given by equations or matrices. */
#ifndef BL_EQUATIONS_LIMITS_H
#define BL_EQUATIONS_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    equations_symmetric, 1e-12, "fraction of the largest entry",
    "matrices whose two triangles differ by less are symmetric, and the system has an energy. Higher: unsymmetric matrices get an energy "
    "that is not conserved; lower: rounding in the file prevents the energy",
    "unit_equations_matrices")

#endif
