/* model_limits: thresholds of what a model file says (base/limit.h); those of options are in option_limits.h. */
#ifndef BL_MODEL_LIMITS_H
#define BL_MODEL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    model_inertia_digits, 1e-6, "share of the largest moment of inertia",
    "by which inertia may be unsymmetric or break the triangle inequality. Higher: impossible bodies pass; lower: tables that print six "
    "digits are refused",
    "unit_model_bodies")
BL_LIMIT(model_axes_parallel, 1e-6, "sine of the angle between the two directions of axes",
         "higher: directions nearly along each other are refused; lower: typed digits decide about the third axis", "unit_model_bodies")
BL_LIMIT(
    model_same_point, 1e-9, "share of the size of the model",
    "an entry of `initial:` at a point nearer than this to a mark is about that mark. Higher: points of small parts are mixed up; lower: "
    "points computed in two ways count as two",
    "unit_model_reading")
BL_LIMIT(model_node_near, 1e-6, "share of the distance from the origin, at least of 1 m",
         "a node named by its position. Higher: nodes of fine meshes are mixed up; lower: positions written with six digits find none",
         "unit_model_numbers")
BL_LIMIT(model_same_nodes, 1e-12, "share of the largest coordinate",
         "nodes of two meshes count as the same. Higher: meshes that differ are taken as one; lower: rounding parts them",
         "verify_fem_heat_and_pressure")
BL_LIMIT(model_nodes_thin, 1e-10, "determinant of second moments over the cube of the largest",
         "below it the nodes that carry a mass lie on a line or in a point, and do not fix a rotation", "verify_fem_supports")
BL_LIMIT(model_bar_along, 1e-9, "share of the length of a bar", "components of its direction below it are rounding of coordinates",
         "verify_fem_bars")

#endif
