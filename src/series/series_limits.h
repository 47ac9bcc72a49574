/* series_limits: thresholds of laws and power series that a user's model can meet (base/limit.h). */
#ifndef BL_SERIES_LIMITS_H
#define BL_SERIES_LIMITS_H

#include "base/limit.h"

#include <float.h>

BL_LIMIT(series_piece_reach, 1e-12, "last terms of a polynomial, of one of its first",
         "distance within which it represents the argument of a switch whose times of change are sought in advance. Higher: changes are "
         "missed or found at wrong times; lower: more polynomials",
         "unit_series_pieces")
BL_LIMIT(series_knot_smooth, 64 * DBL_EPSILON,
         "jump of a derivative at a knot of a table, of the values there over the distance to the next",
         "smaller ones are rounding of third differences: the knot is no event. Higher: kinks are integrated across; lower: smooth tables "
         "make a step end at every knot",
         "unit_series_table")
BL_LIMIT(series_radius_zero, 1e-6, "largest coefficient, in units of the root test",
         "smaller ones are zero or rounding when the distance between coefficients is sought. Higher: small ones are left out of the fit; "
         "lower: rounding takes part in it",
         "unit_series_taylor")
BL_LIMIT(
    series_radius_fit, 1e-4, "sum of squares of the coefficients, that of the residuals of the fit",
    "above it coefficients are not those of a pair of singularities, and the root test remains. Higher: wrong radii; lower: the radius "
    "is known less exactly",
    "unit_series_taylor")

#endif
