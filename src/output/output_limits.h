/* Thresholds in figures and tables of linearized mechanisms. */
#ifndef BL_OUTPUT_LIMITS_H
#define BL_OUTPUT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(output_mode_margin, 1e-6, "share of the eigenvalue",
         "real parts below it count as zero: neither stable nor unstable. Higher: slow flutter is not reported; lower: rounding of an "
         "eigenvalue without damping is reported as a change of stability",
         "unit_output_linear")
BL_LIMIT(output_mode_margin_largest, 4.5e-8, "share of the largest eigenvalue",
         "the same against the largest one. Three times the square root of rounding, the error of double eigenvalues. Higher: slow modes "
         "beside fast ones lose their stability; lower: double eigenvalues at zero change sides",
         "unit_output_linear")
BL_LIMIT(
    output_mode_together, 1e-3, "share of the eigenvalue",
    "curves whose real and imaginary parts agree to this leave the axis together in drawings. Higher: a neighbor is also drawn through "
    "the axis; lower: the second curve of a pair misses it",
    "unit_output_linear")
BL_LIMIT(
    output_half_turn, 1, "degrees",
    "a phase jump of 180 degrees within this is an undamped pole or zero, whose direction follows from the magnitudes. Higher: steep but "
    "damped resonances may get the wrong direction; lower: rounding decides for undamped ones",
    "unit_output_linear")
BL_LIMIT(output_response_vanished, 1e-10, "share of the magnitude before",
         "smaller magnitudes are rounding, without a phase. Higher: deep notches lose their phase; lower: noise at a zero gets one",
         "unit_output_linear")
BL_LIMIT(output_mode_oscillates, 1e-6, "share of the eigenvalue",
         "imaginary parts below it count as zero. Higher: strongly damped modes are drawn as real; lower: double real eigenvalues as "
         "oscillations",
         "unit_output_linear")
BL_LIMIT(
    output_frequency_zero, 1e-7, "share of the largest eigenvalue",
    "the same against the largest one. Higher: slow oscillations are drawn as real; lower: rounding of rigid motions as an oscillation",
    "unit_output_linear")

#endif
