/* Thresholds of integrate that a model can meet (base/limit.h). Coefficients of published methods and step controls are in the files of the
 * methods. Those of steps across a singular configuration are in one table with related ones in docs/theory. */
#ifndef BL_INTEGRATE_LIMITS_H
#define BL_INTEGRATE_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- steps */

BL_LIMIT(integrate_stage, 1e-3, "of the tolerance",
         "constraint violation allowed in stages of an explicit step. Higher: it shows in the error; lower: more iterations",
         "verify_dynamics_bricard")
BL_LIMIT(integrate_over, 1 - 0.93, "of the step",
         "by which a step is shortened to step over a singular configuration. Higher: fewer attempts, each less likely to end clear of it; "
         "lower: more attempts",
         "unit_integrate_integrators")
BL_LIMIT(integrate_steady, 0.2, "of the step",
         "a change of the next step that is not worth another matrix (rosenbrock23, trbdf2). Higher: steps stay too short or are rejected; "
         "lower: more factorizations",
         "unit_integrate_implicit_pairs")

BL_LIMIT(
    integrate_step_overs, 60, "attempts to step over a singular configuration",
    "then the run ends or another formulation takes over. Higher: failures cost more; lower: configurations that can be passed end a run",
    "unit_integrate_integrators")
BL_LIMIT(
    integrate_shortest, 1e-25, "end of the run",
    "shortest step at t = 0, where the spacing of numbers is no guide. Higher: starts with very fast motions are refused; lower: steps "
    "shrink for longer before a failure is reported",
    "unit_integrate_integrators")

/* ---- iterations of implicit methods */

BL_LIMIT(
    integrate_held, 0.05, "of the tolerance",
    "error an iteration may leave where constraints hold positions: velocities contain it divided by the step. Higher: velocities become "
    "noisy and steps are rejected; lower: more iterations",
    "verify_integrate_mechanisms")
BL_LIMIT(integrate_span, 8, "steps at which tangents were made",
         "longest step for which they are kept: updates by a matrix far too stiff are small without being right. Higher: such updates pass "
         "as a solution; lower: more tangents",
         "unit_integrate_backward")
BL_LIMIT(
    integrate_rounded, 10, "expected rounding",
    "updates and errors up to it may be rounding only. Higher: errors pass as rounding; lower: steps are shortened where no digits are "
    "left, and the run ends",
    "unit_integrate_newton")
BL_LIMIT(integrate_rounding, 1e-10, "relative",
         "largest update or error that rounding can explain: equations that lose more than six digits are near a singular configuration, "
         "which is passed by other means. Higher: errors beside such configurations are accepted; lower: tight tolerances end runs",
         "unit_integrate_newton")

BL_LIMIT(integrate_halvings, 8, "halvings of an update that does not reduce the residual (newton=full)",
         "higher: failures cost more; lower: iterations that need short updates are given up", "unit_integrate_newton")
BL_LIMIT(
    integrate_residual, 1e-14, "residual, in the norm of the tolerance",
    "a smaller one is rounding, and an update is not shortened because of it. Higher: updates that increase it pass; lower: updates are "
    "shortened for rounding",
    "unit_integrate_newton")

/* ---- power series */

BL_LIMIT(integrate_series_last, 0.25, "of the tolerance",
         "contribution of the last coefficients to a step. Higher: longer steps, more of them rejected; lower: shorter ones",
         "verify_series_errors")
BL_LIMIT(
    integrate_series_left, 1e-3, "of the tolerance",
    "remaining error for the size of the last coefficients, for the choice of the order. Found on Bricard's mechanism, Andrews' squeezer "
    "and four-bars, orders 9 to 23, tolerances 1e-2 to 1e-8. If it is wrong, the order costs a few percent",
    "verify_study_choice")
BL_LIMIT(integrate_series_finest, 1e-8, "relative",
         "smallest size of coefficients that the choice of the order aims at. Lower: higher orders, which amplify rounding, mostly beside "
         "singular configurations, and save little",
         "verify_study_choice")
BL_LIMIT(integrate_series_motion, 0.1, "of the tolerance",
         "contribution of the last two terms of accelerations or multipliers where they are taken from the series. The remainder is a "
         "fifth of it on the scenes. Higher: reactions are wrong; lower: more of them are computed from the equations",
         "conform_study_read_samples")
BL_LIMIT(integrate_series_floor, 1e-11, "relative",
         "coefficients that grow with a singular configuration ahead and are this small at it are rounding: the step goes over it. "
         "Higher: true motion is ignored; lower: steps shrink toward the configuration",
         "verify_series_singular")
BL_LIMIT(integrate_series_floor_least, 1e-13, "relative", "the same for even smaller tolerances: rounding itself", "verify_series_singular")
BL_LIMIT(integrate_series_floor_fixed, 1e-6, "relative", "the same with fixed steps, where positions may also violate the constraints",
         "verify_series_singular")
BL_LIMIT(
    integrate_series_beyond, 0.3, "of the distance to the configuration",
    "by which a step over a singular configuration leads beyond it. Higher: the polynomial is used where rounding shows; lower: the next "
    "step starts too near",
    "verify_series_singular")
BL_LIMIT(integrate_series_rounding, 1e-9, "relative",
         "largest difference between polynomial and equations at the end of such a step that rounding can explain: it is amplified by the "
         "square of the nearness. Higher: errors are accepted; lower: steps shrink toward the configuration",
         "verify_series_singular")

/* ---- stiff_auto: when an oscillation counts as stiff */

BL_LIMIT(integrate_stiff_error, 0.02, "of the tolerance", "error of a step worth a search. Higher: found later; lower: more searches",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_steep, 10, "degrees", "of the eigenvalue from the imaginary axis, on the damped side, at most",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_growing, 3, "degrees", "the same on the growing side, where the estimate may err", "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_damped, 0.02, "degrees",
         "at least, for an oscillation of large amplitude: an undamped one is part of the solution", "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_largest, 2000, "tolerances", "largest amplitude. Higher: motion is taken for noise; lower: noise limits the step",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_large, 200, "tolerances", "amplitude from which the order is limited to 3, which damps more, instead of 4",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_undamped, 100, "tolerances", "largest amplitude of an oscillation whose damping is uncertain",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_part, 0.05, "of the solution", "the same relative to the solution", "verify_integrate_stiff_auto")

BL_LIMIT(integrate_stiff_takes_part, 1e-4, "norm of the error",
         "components with a smaller share of it do not take part in the estimate of the eigenvalue. Higher: positions are left out; lower: "
         "noise takes part",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_direction, 1e-8, "squared sine of the angle of two successive errors",
         "below it they have one direction: the eigenvalue is real. Higher: slow oscillations are missed; lower: rounding oscillates",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_unexplained, 0.1, "squared size of the third error",
         "the largest part that one pair of eigenvalues may leave unexplained. Higher: other motion counts as one oscillation; lower: "
         "oscillations besides others are missed",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_unexplained_own, 0.01, "the same with every component in its own measure", "as integrate_stiff_unexplained",
         "verify_integrate_stiff_auto")
BL_LIMIT(integrate_stiff_clear, 1e-4, "squared size of the third error",
         "below it nothing else is in the error, and the damping is known. Higher: damping is misjudged; lower: it counts as unknown",
         "verify_integrate_stiff_auto")

/* ---- others */

BL_LIMIT(integrate_agree, 1e-12, "relative",
         "to which momenta and positions of edmc1 must agree when rounding ends the progress. Lower: steps are refused for rounding",
         "verify_integrate_second_order")
BL_LIMIT(integrate_stretch_rounds, 60, "iterations of edmc1 for momenta and positions, and of each stretch in them",
         "then the step is refused. Higher: failures cost more; lower: long steps are refused", "verify_integrate_second_order")
BL_LIMIT(integrate_equal_masses, 1e-12, "mass of a point in one direction",
         "by which it may differ in another: edmc1 needs points. Higher: bodies pass as points; lower: rounding refuses points",
         "verify_integrate_second_order")
BL_LIMIT(integrate_edmc2_rank, 1e-14, "largest pivot of the equations of a step of edmc2",
         "below it they are singular. Higher: stiff systems are refused; lower: steps are rounding", "verify_integrate_second_order")
BL_LIMIT(integrate_consistent, 1e-10, "of the sum of |a_j|",
         "by which a user's multistep formula may violate a condition of consistency or order. Higher: formulas with too few digits pass; "
         "lower: formulas with decimals are refused",
         "unit_integrate_multistep")
BL_LIMIT(integrate_unstable, 1e-6, "absolute", "by which a root of such a formula may be outside the unit circle, due to rounding",
         "unit_integrate_multistep")
BL_LIMIT(integrate_double_root, 1e-4, "absolute",
         "distance of two roots that count as one: a double root is found to the square root of the rounding error",
         "unit_integrate_multistep")

/* ---- rounding */

BL_LIMIT(integrate_last_step, 1e-9, "constant step",
         "by which the last one may differ, and still count as that step: the end is a multiple of it but for rounding. Higher: ends "
         "are reached by steps that are too long; lower: a tiny last step, and factors for it",
         "unit_integrate_integrators")
BL_LIMIT(integrate_update_rounding, 100 * DBL_EPSILON, "size of the unknowns",
         "updates of Newton's method below it are rounding. Higher: steps are less exact; lower: iterations in vain",
         "verify_integrate_second_order")
BL_LIMIT(integrate_update_stagnates, 1000 * DBL_EPSILON, "size of the unknowns",
         "the same for updates that no longer fall. Higher: badly conditioned steps are accepted; lower: they are refused",
         "verify_integrate_second_order")
BL_LIMIT(integrate_history_kept, 64 * DBL_EPSILON, "size of a value",
         "smaller corrections of a state leave the history of a multistep formula as it is. Higher: corrections are forgotten; "
         "lower: rounding enters the formula",
         "unit_integrate_multistep")

#endif
