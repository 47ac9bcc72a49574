/* Thresholds of formulations that a mechanism can meet (base/limit.h). */
#ifndef BL_FORMULATION_LIMITS_H
#define BL_FORMULATION_LIMITS_H

#include "base/limit.h"

/* ---- which rows are kept */

BL_LIMIT(formulation_rows_exchange, 5, "coefficient of a kept row in a dropped one",
         "above it other rows are kept. Higher: multipliers lose digits; lower: rows are chosen anew more often", "unit_formulation_rows")
BL_LIMIT(formulation_rows_exchange_stage, 50, "coefficient of a kept row in a dropped one",
         "the same where other rows cost a restart of the method: two digits of the multipliers are given away first",
         "unit_formulation_rows")
BL_LIMIT(formulation_rows_check, 0.3, "of the best quality since the last check",
         "coefficients are looked at when the factors of the system get worse by it. Higher: more looks, a solution for every dropped row "
         "each; lower: rows may grow bad unseen",
         "unit_formulation_rows")

/* ---- near singular positions: docs/theory/singular.md */

BL_LIMIT(formulation_singular, 1e-6, "of the best quality of accepted places",
         "below it a place is refused. The quality falls with the square of the distance to a singular position. Higher: steps that could "
         "pass are cut; lower: errors off the constraints are blown up, and the branch is lost",
         "verify_dynamics_formulations_singular")
BL_LIMIT(formulation_singular_penalty, 1e-3, "of the best quality of accepted places",
         "the same where rows give way: positions are a little off the constraints, and there another branch is near",
         "verify_dynamics_passes")

/* ---- projections */

BL_LIMIT(formulation_projected, 1e-12, "largest |phi| / scale",
         "where a projection ends, if the tolerance is not smaller. Higher: drift comes back sooner; lower: an iteration more for rounding",
         "unit_formulation_formulations")
BL_LIMIT(formulation_projected_stage, 1e-10, "largest |phi| / scale",
         "what may be left where rates are taken at projected places, when corrections shrink no more", "unit_formulation_formulations")
BL_LIMIT(formulation_left_over, 1e-6, "largest |phi| / scale",
         "what rows that give way may leave after six projections: beside a singular position the weak ones stay as they are and are set "
         "right behind it. Higher: drift; lower: the run ends there",
         "verify_dynamics_passes")

#endif
