/* Thresholds of formulations that a mechanism can meet (base/limit.h). */
#ifndef BL_FORMULATION_LIMITS_H
#define BL_FORMULATION_LIMITS_H

#include "base/limit.h"

#include <float.h>

/* ---- which rows are kept */

BL_LIMIT(formulation_rows_exchange, 5, "coefficient of a kept row in a dropped one",
         "above it other rows are kept. Higher: multipliers lose digits; lower: rows are chosen anew more often",
         "conform_formulation_formulations")
BL_LIMIT(formulation_rows_exchange_stage, 50, "coefficient of a kept row in a dropped one",
         "the same where other rows cost a restart of the method: two digits of the multipliers are given up first",
         "conform_formulation_formulations")
BL_LIMIT(formulation_rows_check, 0.3, "of the best quality since the last check",
         "coefficients are checked when the factors of the system get worse by it. Higher: more checks, a solution for every dropped row "
         "each; lower: rows may become badly conditioned unnoticed",
         "conform_formulation_formulations")

BL_LIMIT(formulation_rows_stale, 0.1, "of the quality of pivots when they were chosen",
         "pivots of a partition that fall below it are chosen anew. Higher: more factorizations; lower: digits are lost",
         "verify_dynamics_n_four_bar")
BL_LIMIT(formulation_contradicted, 100, "times the worst kept row",
         "how much worse a dropped row must be to count as violated. Higher: rows that are needed stay dropped for longer; lower: drift "
         "of all rows looks like a contradiction",
         "conform_formulation_formulations")

/* ---- near singular configurations: docs/theory/singular.md */

BL_LIMIT(
    formulation_singular, 1e-6, "of the best quality of accepted states",
    "below it a configuration is refused. The quality falls with the square of the distance to a singular one. Higher: steps that could "
    "pass are shortened; lower: constraint violations are amplified, and the branch is lost",
    "verify_dynamics_formulations_singular")
BL_LIMIT(formulation_singular_penalty, 1e-3, "of the best quality of accepted states",
         "the same where constraints are compliant: positions violate them a little, and there another branch is near",
         "verify_dynamics_passes")

BL_LIMIT(
    formulation_beside, 1e4, "times how far positions are off the constraints",
    "the share of the best eigenvalue of G M^-1 G^T below which a place is refused where another formulation can act, between the next "
    "two. Higher: it acts for longer; lower: this one follows the turn onto another branch",
    "verify_dynamics_passes")
BL_LIMIT(formulation_beside_least, 1e-3, "of the best eigenvalue", "the least such share: a distance of 0.03 where positions are as 1",
         "verify_dynamics_passes")
BL_LIMIT(formulation_beside_most, 4e-3, "of the best eigenvalue", "the largest such share: a distance of 0.06 where positions are as 1",
         "verify_dynamics_passes")
BL_LIMIT(
    formulation_suspect, 1e-3, "of the best pivot since set-up",
    "pivots of a partition below it make a configuration suspect; singular values decide. Higher: more factorizations; lower: a singular "
    "one is integrated through",
    "verify_dynamics_change_point")
BL_LIMIT(formulation_sigma, 0.03, "of the best smallest singular value",
         "below it a suspect configuration is refused. Higher: steps that could pass are shortened; lower: the branch may be lost",
         "verify_dynamics_change_point")

/* ---- independent coordinates */

BL_LIMIT(formulation_lost, 100, "dependent by independent velocity, scaled",
         "above it the choice of coordinates, not the configuration, is at fault, and others are chosen within the step. Higher: Newton "
         "iterations for positions fail instead; lower: more choices",
         "verify_dynamics_bricard")
BL_LIMIT(formulation_basis_exchange, 4, "dependent by independent motion, scaled",
         "above it matrix_r chooses other independent coordinates after a step. Higher: digits are lost; lower: more choices",
         "unit_formulation_bases")

/* ---- closing positions */

BL_LIMIT(formulation_far, 0.3, "of the size of a coordinate",
         "a first correction above it may reach another branch: the step is refused. Higher: another branch; lower: shorter steps",
         "verify_dynamics_change_point")
BL_LIMIT(formulation_closed, 1e-13, "of the size of a coordinate",
         "corrections below it are rounding. Higher: positions are wrong by it; lower: one more iteration", "verify_dynamics_bricard")
BL_LIMIT(
    formulation_nearly_closed, 1e-10, "of the size of a coordinate",
    "below it corrections that no longer shrink are rounding amplified near a singular configuration. Higher: false convergence passes; "
    "lower: steps near singular configurations are refused",
    "verify_dynamics_change_point")

BL_LIMIT(formulation_square_closed, 1e-9, "of the size of a coordinate",
         "after a correction with new factors the square of it is left: below this it is rounding. Higher: positions are wrong by its "
         "square; lower: one more iteration",
         "verify_dynamics_bricard")
BL_LIMIT(formulation_newton, 15, "corrections of positions in a step",
         "then the step is refused. Higher: steps that fail cost more; lower: steps near singular configurations are refused",
         "verify_dynamics_change_point")

/* ---- projections */

BL_LIMIT(formulation_projected, 1e-12, "largest |phi| / scale",
         "where a projection ends, if the tolerance is not smaller. Higher: drift returns sooner; lower: one more iteration for rounding",
         "unit_formulation_formulations")
BL_LIMIT(formulation_projected_stage, 1e-10, "largest |phi| / scale",
         "violation accepted where rates are taken at projected configurations, when corrections no longer shrink",
         "unit_formulation_formulations")
BL_LIMIT(formulation_left_over, 1e-6, "largest |phi| / scale",
         "violation that compliant constraints may keep after six projections: beside a singular configuration the weak ones are left and "
         "corrected behind it. Higher: drift; lower: the run ends there",
         "verify_dynamics_passes")

BL_LIMIT(formulation_projections, 20, "iterations of a projection",
         "then it fails. Higher: a failure costs more; lower: projections near singular configurations fail", "verify_dynamics_passes")
BL_LIMIT(formulation_projections_compliant, 6, "iterations of a projection onto compliant constraints",
         "then formulation_left_over is accepted. Higher: time beside singular configurations; lower: weak constraints are corrected later",
         "verify_dynamics_passes")

/* ---- normal loads of dry friction: docs/theory/friction.md */

BL_LIMIT(formulation_loads_settled, 1e-12, "of the largest load",
         "where the iteration for loads ends. Higher: energies are wrong by it; lower: one more iteration", "verify_dynamics_friction")
BL_LIMIT(formulation_loads_rounding, 1e-9, "of the largest load",
         "below it an iteration without progress is rounding. Higher: loads are wrong by it; lower: joints jam because of rounding",
         "verify_dynamics_friction")
BL_LIMIT(formulation_loads_open, 1e-6, "of the largest load",
         "a load that changes by more along reactions that move nothing is undetermined: a warning. Higher: no warning; lower: rounding "
         "warns",
         "verify_dynamics_friction")
BL_LIMIT(formulation_loads_corrections, 25, "quasi-Newton corrections",
         "then Newton's method is tried. Higher: a failure costs more; lower: more derivatives", "verify_dynamics_friction")
BL_LIMIT(formulation_loads_newton, 50, "Newton corrections, usually five to ten",
         "then the joint jams: no load balances the friction. Higher: a failure costs more; lower: mechanisms that move are said to jam",
         "verify_dynamics_friction")
BL_LIMIT(formulation_loads_diverge, 1e6, "smallest residual so far",
         "a larger one ends the corrections. Higher: a failure costs more; lower: residuals that grow at first end them",
         "verify_dynamics_friction")

/* ---- pivots and memory */

BL_LIMIT(
    formulation_pivots_kept, 8, "largest entry of the factors of a block's rows, 1 with the best pivots",
    "beyond it other pivots, and so other unknowns, are chosen. Higher: a digit is lost; lower: the large matrix needs new pivots more "
    "often",
    "conform_formulation_stage")
BL_LIMIT(formulation_full_coordinates, 1000, "coordinates",
         "formulations that use full matrices refuse more. Higher: time n^3 in every step; lower: models of usual size are refused",
         "unit_formulation_bases")
BL_LIMIT(formulation_full_unknowns, 5000, "unknowns of y' = f(t, y)",
         "implicit methods refuse more where a formulation has no sparse matrices: one takes 200 MB, a complex one twice that. Higher: "
         "memory; lower: models that fit are refused",
         "unit_formulation_caps")
BL_LIMIT(formulation_full_entries, 1.25e8, "entries of full matrices of a partition, 8 bytes each",
         "more are refused. Higher: a machine without that memory starts to swap; lower: models that fit are refused",
         "unit_formulation_caps")
BL_LIMIT(formulation_massless_entries, 4e6, "entries of [M; G] as a full matrix",
         "in larger systems the coordinate without mass or constraint is not named in the message. Higher: the message takes long",
         "unit_formulation_formulations")
BL_LIMIT(formulation_loads_pivot, DBL_EPSILON, "one: slopes of normal loads are those of the identity without friction",
         "a smaller pivot means that friction locks the joint. Higher: strong friction is refused; lower: division by rounding",
         "verify_dynamics_friction")
BL_LIMIT(formulation_loads_update, 0.1, "square of the change of the loads",
         "smaller denominators would make the updated inverse huge: it is kept. Higher: slow convergence; lower: wrong updates",
         "verify_dynamics_friction")
BL_LIMIT(formulation_amplified, 0.3, "ratio of successive corrections, both small",
         "above it they are rounding, amplified near a singular configuration. Higher: iterations in vain; lower: slow convergence "
         "counts as the end",
         "verify_dynamics_formulations_singular")

#endif
