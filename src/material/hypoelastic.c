/* Hypoelasticity: an objective rate of Cauchy stress is lambda tr(d) 1 + 2 mu d; in axes that rotate with the material point (increment.h)
 * the stress is linear in the sum of the strain increments (M29). There is no stored energy: a closed path of strains may leave stresses.
 */
#include "material/law.h"

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

const bl_material_kind bl_material_hypoelastic = {
    .kind = {"hypoelastic", "linear in the rate of deformation", params, BL_OF_INCREMENT, BL_MATERIAL_PLANE_STRESS | BL_MATERIAL_LINEAR},
    .prepare = bl_solid_prepare,
    .point = bl_linear_law,
    .stiffness = bl_solid_stiffness,
};
