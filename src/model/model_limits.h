/* model_limits: thresholds for values in model files and options of a run (base/limit.h). Sizes of input: reader.h. */
#ifndef BL_MODEL_LIMITS_H
#define BL_MODEL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(model_surface_laws, 1000, "contacts listed one by one for time stepping",
         "their table of laws is quadratic. Higher: memory; lower: models with many pairs are refused", "unit_model_surfaces")
BL_LIMIT(model_thin_shape, 0.05, "of the length of a shape without thickness",
         "the size that its overlap is measured by. Higher: overlap is visible; lower: separated in many steps", "unit_model_surfaces")
BL_LIMIT(
    model_inertia_digits, 1e-6, "fraction of the largest moment of inertia",
    "by which inertia may be unsymmetric or violate the triangle inequality. Higher: impossible bodies pass; lower: inertia given with six "
    "digits is refused",
    "unit_model_bodies")
BL_LIMIT(model_axes_parallel, 1e-6, "sine of the angle between the two directions of axes",
         "higher: nearly parallel directions are refused; lower: the last digits given determine the third axis", "unit_model_bodies")
BL_LIMIT(model_beam_nodes, 100000, "nodes of a beam",
         "more are refused: a number of elements with a digit too many. Higher: memory; lower: long chains need several beams",
         "unit_model_beams")
BL_LIMIT(model_arc_round, 1e-6, "fraction of the radius of an arc",
         "by which its ends may be at different distances from its center. Higher: a center by mistake passes; lower: one given with six "
         "digits is refused",
         "unit_model_beams")
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
BL_LIMIT(model_interface_thin, 1e-4, "extent of the nodes of an interface across their line, as a fraction of that along it",
         "below it they do not define a frame in space. Higher: slender interfaces are refused; lower: nodes on a line define one by "
         "rounding",
         "verify_elastic_bad_solids")
BL_LIMIT(model_bar_along, 1e-9, "fraction of the length of a bar",
         "components of its direction below it are rounding errors of coordinates", "verify_fem_bars")
BL_LIMIT(model_mass_nodes, 2000, "nodes that carry one mass",
         "more are refused: they are all coupled in the matrices. Higher: memory n^2; lower: masses on fine meshes need smaller sets",
         "unit_fem_masses")

/* ---- decks */

BL_LIMIT(model_deck_increments, 1e9, "increments of a step",
         "more are refused. Higher: runs that do not end; lower: long steps with short increments are refused", "unit_model_deck")
BL_LIMIT(
    model_never_yields, 1e6, "Young's modulus",
    "yield stress of elastic materials in a deck with plasticity at large strains. Higher: nothing; lower: they yield at large strains",
    "unit_study_deck")

/* ---- options of a run */

BL_LIMIT(model_tolerance_least, 1e-14, "relative",
         "numbers have 16 digits and a step makes tens to hundreds of rounding errors: below it the step size would be controlled by "
         "rounding. Higher: useful tolerances are refused",
         "unit_model_words")
BL_LIMIT(model_tolerance_most, 0.1, "relative", "above it not one digit is correct. Lower: coarse runs are refused", "unit_model_words")
BL_LIMIT(model_absolute_most, 1e9, "units of the coordinates",
         "larger than any coordinate of a machine in SI units, so that the error is not controlled. Lower: large machines are refused",
         "unit_model_words")
BL_LIMIT(model_step_least, 4e-15, "time to simulate",
         "shorter steps would be lost in the rounding of t. Higher: short steps are refused; lower: time does not advance",
         "unit_model_words")
BL_LIMIT(model_outputs_most, 1e9, "outputs of a run", "more exceed any disk. Lower: long recordings are refused", "unit_model_words")

/* ---- signals */

BL_LIMIT(model_period_counted, 1e-12, "fraction of the length of a run",
         "shortest period of events and controllers. Higher: fast ones are refused; lower: their times cannot be told apart from rounding",
         "unit_model_refusals")

#endif
