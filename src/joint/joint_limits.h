/* joint_limits: thresholds of joints (base/limit.h). */
#ifndef BL_JOINT_LIMITS_H
#define BL_JOINT_LIMITS_H

#include "base/limit.h"

BL_LIMIT(joint_direction, 1e-12, "length of a direction as given",
         "higher: short differences of points are refused; lower: the rounding error of a difference of equal points counts as a "
         "direction. Rounding errors of coordinates of 1000 m are smaller",
         "unit_joint_geometry")
BL_LIMIT(joint_reference_across, 1e-6, "fraction of a unit vector",
         "component of a reference perpendicular to its axis. Higher: references nearly parallel to the axis are refused; lower: rounded "
         "digits of the axis determine the reference",
         "unit_joint_geometry")
BL_LIMIT(joint_opposite_axes, 0.1, "1 + cosine of the angle between axis and axis_b",
         "lower: the smallest rotation from one to the other becomes undetermined; higher: very different axes in the given "
         "configuration are refused",
         "unit_joint_geometry")
BL_LIMIT(joint_arms_square, 1e-3, "cosine of the angle between the arms of a cross",
         "higher: arms that are not meant to be perpendicular are accepted; lower: components given with three digits are refused. The "
         "assembly removes the remaining error",
         "unit_joint_geometry")
BL_LIMIT(joint_same_axis, 1e-3, "sine of the angle between the axes of a planetary gear",
         "higher: axes that are not meant to be parallel are accepted; lower: components given with three digits are refused",
         "verify_dynamics_transmissions")
BL_LIMIT(joint_rod_length, 1e-12, "relative to the largest coordinate of its ends",
         "higher: short rods far from the origin are refused; lower: rounding errors count as a length", "unit_joint_geometry")
BL_LIMIT(
    joint_gimbal_lock, 1e-12, "squared cosine of the second of three angles",
    "lower bound: at 90 degrees the axes of the first and third angle coincide, and their rates are unbounded. Higher: rates are wrong "
    "farther from it; lower: they overflow",
    "conform_joint_joints")

BL_LIMIT(joint_disc_lies, 1e-3, "sine of an angle",
         "between the axis of a disc and the normal of its plane, between a blade and this normal. Higher: discs that lie nearly flat are "
         "refused; lower: the point of contact of a disc moves around the rim for the smallest rotation",
         "verify_dynamics_rolling")
BL_LIMIT(joint_touch_off, 1, "relative to the radius",
         "distance from its plane of a shape that rolls, in the given configuration. Higher: a center below the plane, where the normal "
         "points the wrong way, is assembled by a large motion; lower: roughly given positions are refused",
         "verify_dynamics_rolling")
BL_LIMIT(joint_curve_converged, 1e-9, "fraction of the range of the parameter",
         "last step of Newton's method on a curve, whose error is its square. Higher: digits are lost; lower: iterations without effect",
         "verify_dynamics_cams")
BL_LIMIT(
    joint_curve_noise, 1e-12, "relative to the squared distance",
    "increase of the distance that counts as rounding error. Higher: steps in the wrong direction are taken; lower: good steps are cut",
    "verify_dynamics_cams")
BL_LIMIT(
    joint_profile_closed, 1e-9, "fraction of a revolution, of a radius",
    "by which the segments of a cam may miss a full revolution, and its radius the value at the start. Higher: gaps that are not meant "
    "are accepted; lower: angles given in rounded digits are refused",
    "verify_dynamics_cams")

BL_LIMIT(joint_touch_least, 1e-9, "of the radius",
         "distances of centers from the line of an edge are smooth below it, where radii forbid them. Higher: "
         "gaps change; lower: normals are not finite there",
         "unit_joint_touch")
BL_LIMIT(
    joint_touch_parallel, 1e-4, "square of the sine between two edges",
    "edges that are closer to parallel touch with their ends only. Higher: edges pass through each other between their ends; lower: the "
    "nearest points are ill-conditioned",
    "unit_joint_touch")

#endif
