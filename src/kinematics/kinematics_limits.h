/* kinematics_limits: thresholds of groups solved one after another (base/limit.h). Lengths are relative to the size of the mechanism. */
#ifndef BL_KINEMATICS_LIMITS_H
#define BL_KINEMATICS_LIMITS_H

#include "base/limit.h"

/* ---- equations of a group */
BL_LIMIT(
    kinematics_rank, 1e-10, "relative to the largest pivot of a group's scaled equations",
    "higher: groups near a singular configuration count as rank deficient; lower: redundant equations count as independent. Groups are "
    "small and assembled to 1e-12",
    "verify_kinematics_methods")
BL_LIMIT(kinematics_unclosed, 1e-8, "|phi| / scale",
         "largest violation of redundant equations. Higher: a mechanism that does not close is accepted; lower: dimensions with rounded "
         "digits are refused (`closure` widens it)",
         "verify_kinematics_methods")

BL_LIMIT(kinematics_growth, 1e4, "growth of factors with the pivots of an earlier position",
         "above it new pivots are chosen. Higher: digits are lost; lower: more searches for pivots", "verify_kinematics_methods")

/* ---- Newton: limits of a step */
BL_LIMIT(kinematics_iterations, 12, "Newton steps for one position",
         "then the step is halved. Higher: steps that fail cost more; lower: shorter steps", "property_kinematics_random")
BL_LIMIT(kinematics_quadratic, 1e-3, "rad, or size, of a Newton step",
         "below it convergence is quadratic, and the next step is predicted instead of computed. Higher: positions are less exact; lower: "
         "one more iteration",
         "property_kinematics_random")
BL_LIMIT(kinematics_farthest, 0.3, "rad, or size",
         "largest change from the predicted position. Higher: the motion may jump to another branch; lower: more steps",
         "property_kinematics_random")
BL_LIMIT(
    kinematics_part_of_displacement, 0.3, "fraction of the predicted displacement",
    "the same for short steps, which become shorter where the motion is curved, as before a dead point. Higher: a dead point is passed "
    "unnoticed; lower: more steps",
    "verify_kinematics_change_points")
BL_LIMIT(kinematics_rounding, 1e-5, "rad, or size", "smaller changes are always accepted: they come from rounding and approximate rates",
         "property_kinematics_random")

/* ---- Newton: smallest pivot, relative to the best one of the motion, near a singular configuration */
BL_LIMIT(kinematics_weak, 1e-3, "relative pivot",
         "below it the branch is checked and rates are recomputed. Higher: slower; lower: a change of branch may be missed",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_crossing, 1e-4, "relative pivot",
         "a determinant that changes sign below this passes a change point; above it the motion has jumped to another branch",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_singular, 1e-7, "relative pivot", "below it rates are only rounding errors: the position is singular",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_sure, 0.05, "change from the predicted position / relative pivot",
         "below it the position is accepted as the predicted one, whatever the pivots", "verify_kinematics_change_points")

/* ---- dyads of the plane: squared sine of the angle between the links (its root selects the branch) */
BL_LIMIT(kinematics_dyad_near, 0.03, "squared sine",
         "below it the motion is followed in steps. Higher: slower; lower: a change of branch may be missed",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_close, 1e-9, "squared sine",
         "a minimum below it may touch zero (change point), above it the links reverse before (dead point beyond)",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_singular, 1e-12, "squared sine", "below it rates are only rounding errors", "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_turns, 0.1, "minimum / larger end value", "above it the root reverses before zero",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_touches, 1e-3, "minimum / smaller end value", "below it the root touches zero", "verify_kinematics_change_points")

/* ---- singular configurations that the motion passes */
BL_LIMIT(kinematics_aside, 4e-3, "rad",
         "rotation of the fastest body from a singular configuration to the neighboring positions used to interpolate its rates. Higher: "
         "larger interpolation error (fourth power); lower: rounding errors of nearly singular configurations",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dead_point, 1e-9, "squared sine", "below it the time of a dead point is extrapolated from root and rate",
         "verify_kinematics_change_points")

/* ---- links between two spherical joints, which may rotate about themselves */
BL_LIMIT(kinematics_balls_apart, 1e-9, "size", "two spherical joints of a link closer than this define no axis of rotation",
         "verify_kinematics_methods")
BL_LIMIT(kinematics_hinge_aside, 0.04, "squared sine of the angle between a revolute axis and the line of the spherical joints",
         "below it the revolute axis cannot serve as reference: another direction is used", "verify_kinematics_methods")
BL_LIMIT(
    kinematics_farthest_turn, 1.5, "rad in one step",
    "largest change of an angle whose revolutions are counted. Higher: half a revolution may be counted the wrong way; lower: more steps",
    "verify_kinematics_methods")
BL_LIMIT(kinematics_least_step, 1e-13, "time",
         "shorter steps end the study: the mechanism cannot follow its drivers. Higher: it ends farther before a dead point; lower: "
         "steps of rounding",
         "verify_kinematics_change_points")

#endif
