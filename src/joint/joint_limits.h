/* joint_limits: thresholds of joints (base/limit.h). */
#ifndef BL_JOINT_LIMITS_H
#define BL_JOINT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(joint_direction, 1e-12, "length of a direction as written",
         "higher: short vectors of differences of points are refused; lower: rounding of a difference of equal points counts as a "
         "direction. Rounding of coordinates of 1000 m stays below",
         "unit_joint_geometry")
BL_LIMIT(joint_reference_across, 1e-6, "share of a unit vector",
         "part of a reference across its axis. Higher: references a little off the axis are refused; lower: digits of the axis that were "
         "typed in decide about the reference",
         "unit_joint_geometry")
BL_LIMIT(joint_opposite_axes, -0.9, "cosine of the angle between axis and axis_b",
         "lower: the shortest turn from one to the other is less and less determined; higher: axes far apart in the given configuration "
         "are refused",
         "unit_joint_geometry")
BL_LIMIT(joint_arms_square, 1e-3, "cosine of the angle between the arms of a cross",
         "higher: arms that nobody meant to be perpendicular pass; lower: components written with three digits are refused. "
         "The assembly closes what is left",
         "unit_joint_geometry")
BL_LIMIT(joint_rod_length, 1e-12, "share of the largest coordinate of its ends",
         "higher: short rods far from the origin are refused; lower: rounding counts as a length", "unit_joint_geometry")

#endif
