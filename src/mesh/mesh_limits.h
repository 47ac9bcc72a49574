/* mesh_limits: thresholds of meshes that a user's model can meet (base/limit.h). */
#ifndef BL_MESH_LIMITS_H
#define BL_MESH_LIMITS_H

#include "base/limit.h"

/* ---- elements */

BL_LIMIT(mesh_flat, 1e-10, "determinant of dx/dxi, of the product of the lengths of its columns",
         "an element with less is degenerate. Coordinates a million times larger than the element leave rounding errors of 1e-10. Higher: "
         "sheared elements that still work are refused; lower: flat ones are accepted and divide by rounding errors",
         "unit_mesh_mesh")
BL_LIMIT(mesh_short_segment, 1e-5, "length of a segment in the plane or in space, of its largest coordinate",
         "lengths below it count as this long when mesh_flat is applied, so that rounding errors of coordinates do not count as a length. "
         "Higher: short bars far from the origin are refused; lower: bars of no length are accepted",
         "unit_mesh_mesh")
BL_LIMIT(
    mesh_off_plane, 1e-9, "size of the mesh",
    "coordinates beyond the dimension of the mesh must be below it. Higher: meshes that are not plane are flattened; lower: plane ones "
    "are refused for rounding errors",
    "unit_mesh_mesh")

/* ---- finding a point */

BL_LIMIT(
    mesh_inside, 1e-9, "size of the element",
    "a point this far outside still belongs to the element. Higher: points outside the mesh are accepted; lower: points on faces are in "
    "no element",
    "unit_mesh_mesh")
BL_LIMIT(mesh_locate_steps, 30, "iterations of Newton's method",
         "after them a point is not in the element. Higher: time in elements that do not contain the point; lower: points in distorted "
         "elements are not found",
         "unit_mesh_mesh")

/* ---- generators */

BL_LIMIT(mesh_grading, 1e6, "size of the last cell, of the first",
         "larger ratios, and smaller ones than its inverse, are refused. Higher: cells so thin that they are degenerate; lower: useful "
         "boundary layers are refused",
         "unit_mesh_generators")
BL_LIMIT(mesh_angle, 1e-12, "rad, or share of a full revolution",
         "angles this close to a full revolution or to a right angle count as such. Higher: a gap is closed; lower: angles typed with 16 "
         "digits leave a tube open",
         "unit_mesh_generators")
BL_LIMIT(mesh_on_axis, 1e-15, "cosine or sine",
         "a smaller one is the rounding error of an angle on an axis and becomes 0. Higher: nodes near an axis are moved onto it; lower: "
         "nodes of symmetry planes are off by rounding errors",
         "unit_mesh_generators")

#endif
