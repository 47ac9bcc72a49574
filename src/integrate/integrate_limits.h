/* Thresholds of integrate that a model can meet. Coefficients of published methods and step controls stand in the files of the methods.
 * Those of steps across a singular position are in one table with the others of the kind in docs/theory. */
#ifndef BL_INTEGRATE_LIMITS_H
#define BL_INTEGRATE_LIMITS_H

#include "base/limit.h"

/* ---- steps */

BL_LIMIT(integrate_stage, 1e-3, "of the tolerance",
         "how far stages of an explicit step may be off the constraints. Higher: their rates show in the error; lower: more iterations",
         "verify_dynamics_bricard")
BL_LIMIT(
    integrate_over, 1 - 0.93, "of the step",
    "by which a step is shortened to step over a singular position. Higher: fewer attempts, each with a smaller chance to end clear of it; "
    "lower: more attempts",
    "unit_integrate_integrators")
BL_LIMIT(integrate_steady, 0.2, "of the step",
         "a change of the next step that is not worth another matrix (rosenbrock23, trbdf2). Higher: steps stay too short or are rejected; "
         "lower: more factorizations",
         "unit_integrate_implicit_pairs")

/* ---- iterations of implicit methods */

BL_LIMIT(
    integrate_held, 0.05, "of the tolerance",
    "what an iteration may leave where constraints hold positions: it shows in velocities divided by the step. Higher: velocities become "
    "noise and steps are rejected; lower: more iterations",
    "verify_integrate_mechanisms")
BL_LIMIT(integrate_span, 8, "steps at which tangents were made",
         "longest step that they serve: updates by a matrix far too stiff are small without being right. Higher: such updates pass for a "
         "solution; lower: more tangents",
         "unit_integrate_backward")
BL_LIMIT(
    integrate_rounded, 10, "expected rounding",
    "updates and errors up to it may be nothing else. Higher: errors pass for rounding; lower: steps are shortened where no digits are "
    "left, and the run ends",
    "unit_integrate_newton")
BL_LIMIT(
    integrate_rounding, 1e-10, "relative",
    "largest update or error that rounding can explain: equations that lose more than six digits are near a singular position, which is "
    "passed in another way. Higher: errors beside such positions are accepted; lower: tight tolerances end runs",
    "unit_integrate_newton")

/* ---- power series */

BL_LIMIT(integrate_series_last, 0.25, "of the tolerance",
         "what the last coefficients may add in a step. Higher: longer steps, more of them rejected; lower: shorter ones",
         "verify_series_errors")
BL_LIMIT(
    integrate_series_left, 1e-3, "of the tolerance",
    "what is left of it by the size of the last coefficients, for the choice of the order. Found on Bricard's mechanism, Andrews' squeezer "
    "and four-bars, orders 9 to 23, tolerances 1e-2 to 1e-8. Off by more, the order costs a few percent",
    "verify_study_choice")
BL_LIMIT(integrate_series_finest, 1e-8, "relative",
         "coefficients that the choice of the order aims at, at least. Lower: higher orders, which amplify rounding, most beside singular "
         "positions, and save little",
         "verify_study_choice")
BL_LIMIT(
    integrate_series_motion, 0.1, "of the tolerance",
    "what the last two terms of accelerations or multipliers may be worth where they are given from the series. What follows them is a "
    "fifth of it on the scenes. Higher: reactions are off; lower: more of them are computed from the equations",
    "conform_study_read_samples")
BL_LIMIT(integrate_series_floor, 1e-11, "relative",
         "coefficients that grow with a singular position ahead and are this small at it are rounding: the step goes over the position. "
         "Higher: what is true motion is ignored; lower: steps shrink toward the position",
         "verify_series_singular")
BL_LIMIT(integrate_series_floor_least, 1e-13, "relative", "the same where the tolerance is smaller still: rounding itself",
         "verify_series_singular")
BL_LIMIT(integrate_series_floor_fixed, 1e-6, "relative", "the same with fixed steps, where positions may be off the constraints as well",
         "verify_series_singular")
BL_LIMIT(
    integrate_series_beyond, 0.3, "of the distance to the position",
    "by which a step over a singular position leads beyond it. Higher: the polynomial is used where rounding shows; lower: the next step "
    "starts too near",
    "verify_series_singular")
BL_LIMIT(integrate_series_rounding, 1e-9, "relative",
         "largest difference between polynomial and equations at the end of such a step that rounding can explain: it is amplified by the "
         "square of the nearness. Higher: errors are accepted; lower: steps are shortened into the position",
         "verify_series_singular")

/* ---- stiff_auto: when an oscillation counts as stiff */

BL_LIMIT(integrate_stiff_error, 0.02, "of the tolerance", "error of a step worth a search. Higher: found later; lower: more searches",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_steep, 10, "degrees", "of the eigenvalue from the imaginary axis, on the damped side, at most",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_growing, 3, "degrees", "the same on the growing side, where the estimate may err", "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_damped, 0.02, "degrees", "at least, of an oscillation that may be large: one without damping is the solution",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_largest, 2000, "tolerances", "amplitude. Higher: motion is taken for noise; lower: noise holds the step",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_large, 200, "tolerances", "amplitude from which the order is bound to 3, which damps more, instead of 4",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_undamped, 100, "tolerances", "amplitude of an oscillation whose damping is not clear",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_part, 0.05, "of the solution", "amplitude of the same", "verify_integrate_stiff_auto")

/* ---- others */

BL_LIMIT(integrate_agree, 1e-12, "relative",
         "to which momenta and positions of edmc1 must agree when rounding ends the progress. Lower: steps are refused for rounding",
         "verify_integrate_second_order")
BL_LIMIT(
    integrate_consistent, 1e-10, "of the sum of |a_j|",
    "by which a user's multistep formula may miss a condition of consistency or order. Higher: formulas with too few digits pass; lower: "
    "formulas with decimals are refused",
    "unit_integrate_multistep")
BL_LIMIT(integrate_unstable, 1e-6, "absolute", "by which a root of such a formula may lie outside the unit circle, for rounding",
         "unit_integrate_multistep")
BL_LIMIT(integrate_double_root, 1e-4, "absolute", "between two roots that count as one: a double root is found to the root of the rounding",
         "unit_integrate_multistep")

#endif
