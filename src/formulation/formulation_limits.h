/* Thresholds of formulations that a mechanism can meet (base/limit.h). */
#ifndef BL_FORMULATION_LIMITS_H
#define BL_FORMULATION_LIMITS_H

#include "base/limit.h"

/* ---- which rows are kept */

BL_LIMIT(formulation_rows_exchange, 5, "coefficient of a kept row in a dropped one",
         "above it other rows are kept. Higher: multipliers lose digits; lower: rows are chosen anew more often",
         "conform_formulation_formulations")
BL_LIMIT(formulation_rows_exchange_stage, 50, "coefficient of a kept row in a dropped one",
         "the same where other rows cost a restart of the method: two digits of the multipliers are given away first",
         "conform_formulation_formulations")
BL_LIMIT(formulation_rows_check, 0.3, "of the best quality since the last check",
         "coefficients are looked at when the factors of the system get worse by it. Higher: more looks, a solution for every dropped row "
         "each; lower: rows may grow bad unseen",
         "conform_formulation_formulations")

BL_LIMIT(formulation_rows_stale, 0.1, "of the quality of pivots when they were chosen",
         "pivots of a partition that fell below it are chosen anew. Higher: more factorizations; lower: digits are lost",
         "verify_dynamics_n_four_bar")
BL_LIMIT(formulation_contradicted, 100, "times the worst kept row",
         "by how much a dropped row must be worse to count as violated. Higher: rows that are needed stay dropped for longer; lower: drift "
         "of all rows looks like a contradiction",
         "conform_formulation_formulations")

/* ---- near singular positions: docs/theory/singular.md */

BL_LIMIT(
    formulation_singular, 1e-6, "of the best quality of accepted states",
    "below it a configuration is refused. The quality falls with the square of the distance to a singular one. Higher: steps that could "
    "pass are cut; lower: errors off the constraints are blown up, and the branch is lost",
    "verify_dynamics_formulations_singular")
BL_LIMIT(formulation_singular_penalty, 1e-3, "of the best quality of accepted states",
         "the same where rows are compliant: positions are a little off the constraints, and there another branch is near",
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
         "below it a suspect configuration is refused. Higher: steps that could pass are cut; lower: the branch may be lost",
         "verify_dynamics_change_point")

/* ---- independent coordinates */

BL_LIMIT(formulation_lost, 100, "dependent by independent velocity, scaled",
         "above it the choice of coordinates, not the place, is at fault, and others are chosen inside of a step. Higher: Newton steps for "
         "positions fail instead; lower: more choices",
         "verify_dynamics_bricard")
BL_LIMIT(formulation_basis_exchange, 4, "dependent by independent motion, scaled",
         "above it matrix_r chooses other independent coordinates after a step. Higher: digits are lost; lower: more choices",
         "unit_formulation_bases")

/* ---- closing positions */

BL_LIMIT(formulation_far, 0.3, "of the size of a coordinate",
         "a first correction above it may reach another branch: the step is refused. Higher: another branch; lower: shorter steps",
         "verify_dynamics_change_point")
BL_LIMIT(formulation_closed, 1e-13, "of the size of a coordinate",
         "corrections below it are rounding. Higher: positions are off by it; lower: an iteration more", "verify_dynamics_bricard")
BL_LIMIT(formulation_nearly_closed, 1e-10, "of the size of a coordinate",
         "below it corrections that shrink no more are rounding amplified near a singular position. Higher: a wrong convergence passes; "
         "lower: steps near singular positions are refused",
         "verify_dynamics_change_point")

/* ---- projections */

BL_LIMIT(formulation_projected, 1e-12, "largest |phi| / scale",
         "where a projection ends, if the tolerance is not smaller. Higher: drift comes back sooner; lower: an iteration more for rounding",
         "unit_formulation_formulations")
BL_LIMIT(formulation_projected_stage, 1e-10, "largest |phi| / scale",
         "what may be left where rates are taken at projected configurations, when corrections shrink no more",
         "unit_formulation_formulations")
BL_LIMIT(formulation_left_over, 1e-6, "largest |phi| / scale",
         "what compliant rows may leave after six projections: beside a singular position the weak ones stay as they are and are set "
         "right behind it. Higher: drift; lower: the run ends there",
         "verify_dynamics_passes")

/* ---- normal loads of dry friction: docs/theory/friction.md */

BL_LIMIT(formulation_loads_settled, 1e-12, "of the largest load",
         "where the iteration for loads ends. Higher: energies are off by it; lower: an iteration more", "verify_dynamics_friction")
BL_LIMIT(formulation_loads_rounding, 1e-9, "of the largest load",
         "below it what gets no better is rounding. Higher: loads are off by it; lower: joints jam by rounding", "verify_dynamics_friction")
BL_LIMIT(formulation_loads_open, 1e-6, "of the largest load",
         "a load that changes by more along reactions that move nothing is not determined: a warning. Higher: no warning; lower: rounding "
         "warns",
         "verify_dynamics_friction")

#endif
