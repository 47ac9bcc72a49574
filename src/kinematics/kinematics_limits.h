/* kinematics_limits: thresholds of groups placed one after the other (base/limit.h). Lengths are in sizes of the mechanism. */
#ifndef BL_KINEMATICS_LIMITS_H
#define BL_KINEMATICS_LIMITS_H

#include "base/limit.h"

/* ---- equations of a group */
BL_LIMIT(kinematics_rank, 1e-10, "share of the largest pivot of a group's scaled equations",
         "higher: groups near a singular position count as deficient; lower: repeated equations count as independent. Groups are small "
         "and closed to 1e-12",
         "verify_kinematics_ways")
BL_LIMIT(kinematics_unclosed, 1e-8, "|phi| / scale",
         "what equations that repeat others may be off by. Higher: a mechanism that does not close is followed; lower: dimensions with "
         "rounded digits are refused (`closure` widens it)",
         "verify_kinematics_ways")

/* ---- Newton: how far a step may lead */
BL_LIMIT(kinematics_farthest, 0.3, "rad, or size",
         "of a position from where it was expected. Higher: the motion may jump to another branch; lower: more steps",
         "property_kinematics_random")
BL_LIMIT(kinematics_part_of_way, 0.3, "share of the expected way",
         "the same for short steps: they become shorter where the motion bends, as before a dead point. Higher: a dead point is passed "
         "unnoticed; lower: more steps",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_rounding, 1e-5, "rad, or size", "changes below it are always accepted: rounding and rough rates make them",
         "property_kinematics_random")

/* ---- Newton: smallest pivot, relative to the best one of the motion, near a singular position */
BL_LIMIT(kinematics_weak, 1e-3, "relative pivot",
         "below it the branch is watched and rates are computed anew. Higher: slower; lower: a change of branch may be missed",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_crossing, 1e-4, "relative pivot",
         "a determinant that changes its sign closer than this passes a change point; farther away the motion has jumped",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_singular, 1e-7, "relative pivot", "below it rates are rounding: the position is singular",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_sure, 0.05, "change from the expected position over the relative pivot",
         "below it the position found is the one expected, whatever the pivots say", "verify_kinematics_change_points")

/* ---- dyads of the plane: squared sine of the angle between the links (its root decides on the branch) */
BL_LIMIT(kinematics_dyad_near, 0.03, "squared sine",
         "below it the motion is followed in steps. Higher: slower; lower: a branch may change unseen", "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_close, 1e-9, "squared sine",
         "a minimum below it may touch zero (change point), above it the links turn back (dead point beyond)",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_singular, 1e-12, "squared sine", "below it rates are rounding", "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_turns, 0.1, "minimum over the larger end value", "above it the root turns back before zero",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dyad_touches, 1e-3, "minimum over the smaller end value", "below it the root touches zero",
         "verify_kinematics_change_points")

/* ---- singular positions that the motion passes */
BL_LIMIT(kinematics_aside, 4e-3, "rad",
         "turn of the fastest body from a singular position to the positions beside it, from which rates there are interpolated. Higher: "
         "larger error of interpolation (its fourth power); lower: rounding of nearly singular positions",
         "verify_kinematics_change_points")
BL_LIMIT(kinematics_dead_point, 1e-9, "squared sine", "closer than this the time of a dead point is extrapolated from root and rate",
         "verify_kinematics_change_points")

/* ---- links between two balls, which may turn about themselves */
BL_LIMIT(kinematics_balls_apart, 1e-9, "size", "two balls of a link nearer than this give no line to turn about", "verify_kinematics_ways")
BL_LIMIT(kinematics_hinge_aside, 0.04, "squared sine of the angle between a hinge and the line of the balls",
         "below it the hinge does not hold the link: another direction is taken", "verify_kinematics_ways")

#endif
