/* material_limits: thresholds of material laws that a user's model can meet (base/limit.h). All concern the iteration for strain 33, where
 * plane stress requires stress 33 = 0; bars likewise. Other laws are evaluated in closed form. */
#ifndef BL_MATERIAL_LIMITS_H
#define BL_MATERIAL_LIMITS_H

#include "base/limit.h"

BL_LIMIT(
    material_plane_iterations, 200, "evaluations of the law",
    "then the point fails, and with it the step. Higher: time at points where the law has no solution; lower: points fail where Newton\'s "
    "method does not converge, since bisection needs about 53 evaluations, after as many steps of material_plane_step as lead to a bracket",
    "unit_material_large_strains")
BL_LIMIT(
    material_plane_step, 1, "strain, or ln F33",
    "a step of the iteration is at most this long. Higher: the law is evaluated where F33 overflows; lower: more evaluations for large "
    "strains",
    "unit_material_large_strains")
BL_LIMIT(material_plane_secant, 0.1, "stress, of that before",
         "if Newton's method reduces stress 33 by less, the secant is used: the law may be set to return another tangent than its own. "
         "Higher: slow convergence with such tangents; lower: secants where the tangent is good",
         "unit_material_plastic")
BL_LIMIT(material_plane_negligible, 1e-14, "error of strain 33, of the strains",
         "below it the iteration ends. Higher: tangents are not exact derivatives; lower: iterations without effect, until the bracket "
         "closes",
         "conform_material_materials")

#endif
