/* Thresholds of forces that a model can meet. */
#ifndef BL_FORCE_LIMITS_H
#define BL_FORCE_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    force_no_length, 1e-12, "fraction of the largest coordinate of the ends",
    "ends of a spring closer than this coincide, and the spring has no direction. Higher: short springs are refused; lower: rounding of "
    "the given points determines the direction",
    "unit_force_forces")

BL_LIMIT(force_reference_across, 1e-6, "fraction of a unit vector",
         "component of a reference perpendicular to its axis. Higher: references nearly parallel to the axis are refused; lower: rounded "
         "digits of the axis determine the other axes",
         "verify_dynamics_bushing")

BL_LIMIT(force_screw_rest, 1e-16, "square of the velocity scale of friction",
         "added to the square of the speed of a cylindrical joint, so that friction has a direction at rest. Higher: slow screws rub "
         "less; lower: a division by zero at rest",
         "verify_dynamics_friction")

BL_LIMIT(
    force_compliant_depth, 1e-10, "m, rad",
    "size of an atom: at depths of this size the power of a compliant contact is rounded off, so that the law is smooth on both sides of "
    "the surface. Higher: shallow contacts are softer; lower: the law has a root whose derivatives overflow",
    "verify_dynamics_compliant_contact")

#endif
