/* Thresholds of coordinates that a model can reach. Scales of rows: system/system_limits.h. */
#ifndef BL_COORDS_LIMITS_H
#define BL_COORDS_LIMITS_H

#include "base/limit.h"

BL_LIMIT(coords_same, 1e-9, "relative to the size of the model; vectors: to 1; mass moments: to the largest",
         "points and vectors nearer than this are identical, marks and masses within it are on the line or in the plane of a body, joints "
         "with a smaller gap are closed. Higher: distinct points are merged; lower: rounded input and rounding errors separate bodies that "
         "share a point, and exclude joints from the tree",
         "unit_coords_build")
BL_LIMIT(coords_dropped, 1e-13, "relative to the size of the model; vectors: to 1",
         "a component of a point or vector in the basis of its body that contributes less is zero. Higher: small offsets are lost; lower: "
         "rounding errors of the given coordinates make matrices less sparse",
         "verify_units")
BL_LIMIT(
    coords_canceled, 1e-14, "relative to the terms that cancel",
    "a coefficient or mass moment whose terms cancel to less is zero. Higher: small ones are lost; lower: rounding errors make matrices "
    "less sparse",
    "unit_coords_build")
BL_LIMIT(coords_across, 1e-12, "cosine of the angle to the axis",
         "a direction of the body within it of a right angle is preferred as reference of an angle. Higher: a reference that is not "
         "perpendicular gives a wrong angle; lower: rounding makes the form longer",
         "conform_coords_systems")
BL_LIMIT(coords_rod, 1e-6, "relative to the size of the model",
         "a slender rod without inertia about its line is described by two points if its marks are at least this far apart. Higher: short "
         "rods are refused; lower: two nearly coincident points define its direction",
         "unit_coords_mixture")
BL_LIMIT(
    coords_sliding_begins, 1e-9, "of the length of the model, per second",
    "sliding speed in space below which the direction at its beginning counts: at rest a speed has none. Higher: a contact that begins "
    "to slide turns too late; lower: steps become short at the beginning of sliding",
    "conform_study_limits")
BL_LIMIT(coords_contact_reach, 1e-8, "of the length of the model",
         "contacts hold a little beyond the end of a face. Higher: bodies hang on an edge; lower: rounding lets a body fall past one of "
         "the same "
         "size",
         "verify_study_contact_shapes")
BL_LIMIT(
    coords_contact_handover, 1e-12, "of the length of the model",
    "the parts of a rounded surface overlap by it, so that one of them holds. Higher: normals differ where one takes over from the other, "
    "and the contact opens for an instant; lower: rounding leaves a gap between them",
    "verify_study_contact_shapes")
BL_LIMIT(coords_contact_steep, 10, "gradient of a gap relative to that of a distance",
         "scale of the row of a contact, at most: gaps of parts that are out of reach in the given configuration may have any gradient. "
         "Higher: such a gap counts as small when it is not; lower: drift of contacts of slender bodies is overestimated",
         "verify_study_contact_shapes")
BL_LIMIT(coords_clear_direction, 0.1, "sine of an angle",
         "a direction is used as reference of an angle, or first added to the basis of its body, if it deviates from the axis or the "
         "others by at least this. Higher: bodies get vectors they do not need; lower: angles and bases are ill-conditioned",
         "conform_coords_systems")
BL_LIMIT(coords_thin_basis, 0.03, "sine of an angle",
         "if no clear direction is left, a direction is added to a basis if it deviates by at least this. Same trade-off",
         "conform_coords_systems")
BL_LIMIT(
    coords_driver_jump, 1e-9, "relative to the value, or to the length of the mechanism",
    "a driver that changes by more at a switch of its law is discontinuous and refused. Higher: a jump goes unnoticed; lower: rounding "
    "at the boundary of two continuous branches counts as a jump",
    "unit_series_pieces")
BL_LIMIT(
    coords_conservative, 1e-11, "relative to the power of a force",
    "a force whose power and loss of potential agree to this is conservative; likewise a quadratic potential. Measured: rounding of "
    "tapes is below 1e-13. Higher: weak damping is overlooked; lower: energy-conserving methods treat conservative forces as dissipative",
    "unit_coords_held")
BL_LIMIT(
    coords_lost_inertia, 1e-9, "relative to the inertia of the column with all joints beyond it locked",
    "a column of a tree with less articulated inertia than this, because the links beyond it move freely, has no inertia: M is singular. "
    "Higher: light links are refused; lower: only rounding errors are left",
    "unit_coords_relative")
BL_LIMIT(
    coords_axes_in_line, 1e-9, "relative to a unit twist",
    "axes of a joint that are independent by less are treated as one; at the start the first of them moves. Higher: nearly aligned axes "
    "are merged; lower: their rates are large and opposite",
    "conform_coords_systems")
BL_LIMIT(coords_singular_joint, 1e-12, "relative to a unit vector",
         "if the directions of a joint's own angles are independent by less, its drive torque is left in the reaction. Higher: reactions "
         "near singular angles contain drives; lower: division by rounding",
         "conform_coords_systems")
BL_LIMIT(
    coords_turn_seen, 0.25, "rad",
    "bodies that rotated by less since revolutions were last counted are skipped. Must stay well below half a revolution; lower: more work",
    "conform_coords_systems")
BL_LIMIT(
    coords_room_left, 0.5, "1 at the start of the parameters, 0 where they fail",
    "three parameters of an orientation are reset below this. Higher: needless restarts of the method (above 1: at every step); lower: "
    "steps are short near the limit of the parameters",
    "conform_coords_systems")
BL_LIMIT(coords_large_turn, 1.5, "rad",
         "rotation vectors of spherical joints are reset above this. Must stay below 2 pi. Higher: the vectors lose precision; lower: "
         "more restarts of the method",
         "unit_coords_relative")

#endif
