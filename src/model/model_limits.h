/* model_limits: thresholds for values in model files (base/limit.h); those of options are in option_limits.h. */
#ifndef BL_MODEL_LIMITS_H
#define BL_MODEL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    model_inertia_digits, 1e-6, "fraction of the largest moment of inertia",
    "by which inertia may be unsymmetric or violate the triangle inequality. Higher: impossible bodies pass; lower: inertia given with six "
    "digits is refused",
    "unit_model_bodies")
BL_LIMIT(model_axes_parallel, 1e-6, "sine of the angle between the two directions of axes",
         "higher: nearly parallel directions are refused; lower: the last digits given determine the third axis", "unit_model_bodies")
BL_LIMIT(model_same_point, 1e-9, "fraction of the size of the model",
         "an entry of `initial:` applies to a mark within this distance. Higher: points of small parts are confused; lower: the same point "
         "computed in two ways counts as two",
         "unit_model_reading")
BL_LIMIT(model_node_near, 1e-6, "fraction of the distance from the origin, at least of 1 m",
         "a node named by its position. Higher: nodes of fine meshes are confused; lower: positions given with six digits find no node",
         "unit_model_numbers")
BL_LIMIT(model_same_nodes, 1e-12, "fraction of the largest coordinate",
         "nodes of two meshes count as the same. Higher: different meshes count as equal; lower: rounding makes equal meshes differ",
         "verify_fem_heat_and_pressure")
BL_LIMIT(model_nodes_thin, 1e-10, "determinant of second moments over the cube of the largest",
         "below it the nodes that carry a mass are collinear or coincide, and do not define a rotation", "verify_fem_supports")
BL_LIMIT(model_bar_along, 1e-9, "fraction of the length of a bar",
         "components of its direction below it are rounding errors of coordinates", "verify_fem_bars")

#endif
