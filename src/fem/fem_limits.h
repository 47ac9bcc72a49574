/* fem_limits: thresholds of meshed bodies that a user's model can meet (base/limit.h). */
#ifndef BL_FEM_LIMITS_H
#define BL_FEM_LIMITS_H

#include "base/limit.h"

/* ---- checks of the model */

BL_LIMIT(
    fem_negative_radius, 1e-12, "diagonal of the mesh",
    "x below minus this is a negative radius of an axisymmetric body, which is refused. Higher: elements overlap the axis; lower: nodes "
    "on the axis are refused for rounding errors of their coordinates",
    "cli_bad_meshes")
BL_LIMIT(
    fem_locking, 0.49, "Poisson's ratio",
    "from here on the stiffness errors of linear elements exceed one half on usual meshes, and a warning advises bbar. Higher: locking "
    "goes unnoticed; lower: warnings about good models",
    "cli_bad_meshes")
BL_LIMIT(fem_support_jump, 1e-9, "diagonal of the mesh",
         "a larger change of a support between two pieces of its law is reported as a jump. Higher: jumps go unnoticed; lower: pieces that "
         "agree up to rounding are reported",
         "cli_bad_meshes")

/* ---- equations between nodes */

BL_LIMIT(
    fem_tie_canceled, 1e-12, "largest coefficient of the equation",
    "smaller coefficients have canceled during elimination and are dropped. Higher: small terms are lost; lower: rounding errors remain "
    "as equations",
    "unit_study_deck")
BL_LIMIT(fem_tie_pivot, 1e-6, "largest coefficient of the equation",
         "the first free component is eliminated unless its coefficient is smaller; then the one with the largest coefficient. Higher: "
         "another component than the user wrote first is eliminated; lower: division by small coefficients amplifies rounding errors",
         "unit_study_deck")
BL_LIMIT(fem_tie_terms, 5e7, "terms of all reduced equations",
         "more are refused. Higher: about 12 bytes of memory per term and long runs; lower: large periodic models are refused",
         "unit_study_deck")

/* ---- names of rigid motions in messages */

BL_LIMIT(fem_rigid, 1e-10, "square of the remainder, of that of the motion",
         "below it a motion without stiffness is rigid and gets a name. Higher: mechanisms of elements are called rigid; lower: rounding "
         "errors of the eigenvectors hide rigid motions",
         "cli_bad_meshes")
BL_LIMIT(fem_rigid_spin, 1e-12, "square of spin times size, of that of the velocity",
         "below it a rigid motion is a translation. Higher: rotations about distant axes are called translations; lower: translations are "
         "called rotations about an axis far away",
         "cli_bad_meshes")
BL_LIMIT(
    fem_rigid_slide, 1e-6, "velocity along the axis, of the velocity of the center",
    "above it a rotation also translates along its axis. Higher: screw motions are called rotations; lower: rounding errors are called "
    "translations",
    "cli_bad_meshes")

/* ---- smoothing of stresses */

BL_LIMIT(
    fem_field_small, 1e-8, "diagonal of the mesh",
    "largest displacement, in the axes of its frame, from which stresses of a reduced body with a nonlinear law are computed, and then "
    "scaled. Higher: they are not linear in the shapes; lower: rounding errors",
    "verify_elastic_mesh_fields")

BL_LIMIT(fem_smooth_fit, 1e-10, "pivot, of the diagonal entry",
         "below it the points of an element do not determine a slope, and its stress is taken as constant. Higher: slopes of thin elements "
         "are lost; lower: slopes are computed from rounding errors",
         "unit_fem_fields")
BL_LIMIT(fem_smooth_residual, 1e-24, "square of the residual, of that of the right-hand side",
         "conjugate gradients for nodal stresses end below it. Higher: fewer correct digits; lower: iterations without effect",
         "conform_fem_fields")
BL_LIMIT(
    fem_smooth_iterations, 300, "conjugate gradients for nodal stresses, accelerations and rates",
    "then a warning reports inexact values; 20 to 40 are usual. Higher: fields of badly shaped meshes take long; lower: warnings about "
    "usable meshes",
    "unit_fem_fields")

#endif
