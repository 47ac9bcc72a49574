/* system_limits: thresholds that decide on rank, in any room, and that a user's model can meet (base/limit.h). What depends on which:
 * docs/theory/mobility.md.
 *
 * Ranks are found on scaled matrices: rows divided by the size of their gradient, columns multiplied by the size of their coordinate, so
 * that entries have no unit and a perturbation of the dimensions by a share e of the size of the mechanism changes them by about e. */
#ifndef BL_SYSTEM_LIMITS_H
#define BL_SYSTEM_LIMITS_H

#include "base/limit.h"

/* ---- dependent constraints */

BL_LIMIT(
    system_rank, 1e-9, "independent part of a row, of the largest pivot",
    "rows below it are dependent. Rounding of coordinates, times the length of loops, is below; the digits that people type are above. "
    "Higher: rows of sound mechanisms count as redundant; lower: rounding counts as a constraint",
    "conform_kkt_rows")
BL_LIMIT(system_closure_sum, 10, "times the user's `closure`",
         "dimensions agree to `closure` of the size of the mechanism; several of them make up a loop, and their errors add up: rows below "
         "this are dependent. Higher: rows of sound mechanisms count as redundant; lower: loops lock because of their dimensions",
         "verify_study_closure")
BL_LIMIT(system_closure_most, 1e-3, "of the size of the mechanism",
         "largest `closure` accepted. Ten times more would treat rows of sound mechanisms as dependent", "verify_study_closure")
BL_LIMIT(system_misfit_most, 10, "times the rank tolerance, |phi| / scale",
         "largest violation of dependent rows along a motion with `closure`: a loop with a gap e in one position has a few e in others. "
         "Higher: contradictions pass; lower: sound loops count as contradictory",
         "verify_study_closure")
BL_LIMIT(
    system_violated, 1e-6, "|phi| / scale",
    "the same without `closure`: larger than any drift, smaller than any intended dimension. Higher: contradictions pass; lower: drift "
    "counts as one",
    "conform_formulation_formulations")
BL_LIMIT(
    system_rank_kept, 1e-3, "of the rank tolerance",
    "where linear solvers treat kept rows as singular: once kept, they are used however near to dependent they become. Higher: runs end "
    "near singular configurations; lower: rounding is amplified",
    "verify_dynamics_change_point")
BL_LIMIT(system_rank_stage, 1e-6, "of the rank tolerance",
         "the same for stages, whose matrices hold masses and stiffnesses in units of the step", "verify_dynamics_change_point")
BL_LIMIT(system_row_slight, 0.1, "of the gradient of a row when everything it connects may move",
         "a row is scaled by its gradient in the model configuration, unless that is below this: then it is an error of the dimensions, or "
         "rounding, and must not be scaled up to 1. Higher: true constraints look weak; lower: rounding locks a mechanism",
         "conform_coords_systems")
BL_LIMIT(system_row_nothing, 1e-12, "typical length, and 1 for vectors",
         "gradients below it are rounding even when everything may move: two bodies that share two points of the plane make a third joint "
         "between them an identity. Higher: weak constraints are ignored; lower: rounding counts as a constraint",
         "conform_coords_systems")
BL_LIMIT(system_rank_least, 0.5, "of the typical gradient of scaled rows (bl_system.row_size)",
         "ranks are relative to the largest entry, or to this where all entries are small. Higher: weak rows are dropped; lower: rounding "
         "counts as a constraint",
         "conform_coords_systems")

/* ---- nearly dependent rows: where a mechanism is locked only by the digits of its dimensions */

BL_LIMIT(system_nearly, 1e-1, "independent part of a row, of the largest pivot",
         "rows below it are examined. Higher: more to examine; lower: coarse dimensions are not recognized", "verify_study_closure")
BL_LIMIT(system_nearly_gap, 5, "ratio of the smallest of all other rows to the largest of those",
         "smallest gap that separates the two. Higher: fewer warnings; lower: warnings for sound mechanisms", "verify_study_closure")
BL_LIMIT(system_nearly_grows, 10, "times their independent part at the start",
         "up to which they are still dependent in a position nearby; at a singular configuration they become independent. Higher: singular "
         "configurations look like coarse dimensions; lower: the reverse",
         "verify_study_closure")

/* ---- assembly: least-norm steps of constraints and initial conditions */

BL_LIMIT(system_assembly_rank, 1e-9, "of the largest singular value",
         "singular values below it never count; above it those below the present gap do not. Higher: true constraints are ignored; lower: "
         "rounding is amplified",
         "property_study_closing")
BL_LIMIT(system_least_change_rank, 1e-8, "of the largest singular value",
         "the same where the change is minimized: conditions of `initial:` are not as well scaled", "unit_study_start")
BL_LIMIT(system_assembly_clear, 1e-3, "pivot of rows of length 1",
         "above it they are independent beyond doubt, and normal equations suffice. Higher: slower; lower: digits are lost",
         "unit_study_close_determined")
BL_LIMIT(system_assembly_independent, 1e-6, "square of a pivot, sparse",
         "above it a row is independent. Higher: orthogonal factors are used more often; lower: rounding counts as a constraint",
         "unit_study_close_sparse")
BL_LIMIT(system_assembly_dependent, 1e-13, "square of a pivot, sparse",
         "below it a row is dependent; between the two orthogonal factors decide. Higher: true constraints are ignored; lower: slower",
         "unit_study_close_sparse")
BL_LIMIT(system_assembly_consistent, 1e-11, "of 1 + the largest right-hand side",
         "largest residual of a row that depends on others. Higher: contradictions pass; lower: rounding counts as one",
         "unit_study_close_sparse")

/* ---- motions without mass */

BL_LIMIT(system_massless, 1e-12, "eigenvalue or pivot of masses, of the largest",
         "motions below it have no mass. Higher: light bodies are refused; lower: accelerations are rounding", "unit_study_check")

/* Share of the largest pivot below which a row is dependent. closure: of the user, or 0. */
static inline double bl_rank_tolerance(double closure) {
    return system_closure_sum * closure > system_rank ? system_closure_sum * closure : system_rank;
}
/* Largest violation of dependent rows, |phi| / scale. */
static inline double bl_misfit_most(double closure) {
    double most = system_misfit_most * bl_rank_tolerance(closure);
    return closure > 0 && most > system_violated ? most : system_violated;
}

#endif
