/* Thresholds for models given by equations or matrices. */
#ifndef BL_EQUATIONS_LIMITS_H
#define BL_EQUATIONS_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    equations_symmetric, 1e-12, "fraction of the largest entry",
    "matrices whose two triangles differ by less are symmetric, and the system has an energy. Higher: unsymmetric matrices get an energy "
    "that is not conserved; lower: rounding in the file prevents the energy",
    "unit_equations_matrices")
BL_LIMIT(equations_coupled, 1000, "states of first order whose rates are coupled",
         "with more no rates are computed, and explicit methods are refused. Higher: a full matrix is factored; lower: small systems are "
         "refused",
         "unit_equations_equations")
BL_LIMIT(equations_band, 4e6, "entries of M stored as a band, 8 bytes each",
         "with more no rates are computed, and explicit methods are refused. Higher: memory; lower: usual matrices are refused",
         "unit_equations_matrices")
BL_LIMIT(equations_dense, 4000, "unknowns of a function without a sparsity pattern",
         "more are refused. Higher: memory n^2; lower: functions of usual size need a pattern", "unit_equations_function")
BL_LIMIT(equations_sliding_begins, 1e-9, "of the smallest scale of a state, per second",
         "speed of a contact with two speeds of sliding below which the direction at its beginning counts: at rest it has none. Higher: a "
         "contact that begins to slide turns too late; lower: steps become short at the beginning of sliding",
         "verify_study_contact_variables")

#endif
