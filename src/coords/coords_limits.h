/* Thresholds of coordinates that a model can meet. Scales of rows: system/system_limits.h. */
#ifndef BL_COORDS_LIMITS_H
#define BL_COORDS_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    coords_same, 1e-9, "of the size of the model; of vectors: of 1; of moments of mass: of the largest",
    "points and vectors nearer than this are one, marks and masses within it lie on the line or in the plane of a body, joints that miss "
    "by less are closed. Higher: what is meant to differ is merged; lower: digits that people type, and rounding, keep bodies apart that "
    "share a point, and joints out of the tree",
    "unit_coords_build")
BL_LIMIT(
    coords_rod, 1e-6, "of the size of the model",
    "a slender rod without inertia about its line is two points, if its marks are that far apart. Higher: short rods are refused; lower: "
    "two points that nearly coincide describe its direction",
    "unit_coords_mixture")
BL_LIMIT(coords_clear_direction, 0.1, "sine of an angle",
         "a direction serves as reference of an angle, or is first taken into the basis of its body, if it leans away from the axis or the "
         "others by that much. Higher: bodies get vectors of their own that they need not have; lower: angles and bases are badly "
         "conditioned",
         "conform_coords_systems")
BL_LIMIT(coords_thin_basis, 0.03, "sine of an angle",
         "where the others are not enough, a direction is taken into a basis if it leans away by this much. Trades the same",
         "conform_coords_systems")
BL_LIMIT(
    coords_driver_jump, 1e-9, "of the value, or of the length of the mechanism",
    "a driver that changes by more at a switch of its law jumps, and is refused. Higher: velocities jump unnoticed; lower: rounding of "
    "two branches that meet counts as a jump",
    "unit_series_pieces")
BL_LIMIT(
    coords_conservative, 1e-11, "of the power of a force",
    "a force whose power and loss of potential agree to this has nothing else; likewise a quadratic potential. Found: rounding of tapes "
    "is below 1e-13. Higher: weak damping is overlooked; lower: methods that keep energy lose forces that they could keep",
    "unit_coords_held")
BL_LIMIT(
    coords_lost_inertia, 1e-9, "of the inertia that a column would carry",
    "a column of a tree that keeps less than this, because what hangs on it moves freely, has no inertia of its own: M has no inverse. "
    "Higher: light links are refused; lower: what is left is rounding",
    "unit_coords_relative")
BL_LIMIT(
    coords_axes_in_line, 1e-9, "of a unit twist",
    "axes of a joint that are independent by less turn as one, at the start the first of them. Higher: axes that nearly meet are taken "
    "for one; lower: their rates are large and opposite",
    "conform_coords_systems")
BL_LIMIT(
    coords_singular_joint, 1e-12, "of a unit vector",
    "directions of a joint's own angles that are independent by less: what drives them is left in the reaction there. Higher: reactions "
    "near singular angles contain drives; lower: division by rounding",
    "conform_coords_systems")
BL_LIMIT(
    coords_turn_seen, 0.25, "rad",
    "bodies that turned by less since turns were counted are not looked at. Must stay well below half a turn; lower: more is looked at",
    "conform_coords_systems")
BL_LIMIT(
    coords_room_left, 0.5, "1 at the start of the parameters, 0 where they fail",
    "three parameters of an orientation start anew below it. Higher: restarts of the method for nothing (above 1: at every step); lower: "
    "steps are short near the limit of the parameters",
    "conform_coords_systems")
BL_LIMIT(coords_large_turn, 1.5, "rad",
         "rotation vectors of balls start anew above it. Must stay below a full turn. Higher: the vectors lose precision; lower: more "
         "restarts of the method",
         "unit_coords_relative")

#endif
