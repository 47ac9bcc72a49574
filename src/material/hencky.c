/* Hencky's law: tau = lambda tr(e) 1 + 2 mu e of the logarithmic strain e = ln V (M17); Hencky (1928). */
#include "material/law.h"

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

const bl_material_kind bl_material_hencky = {
    .kind = {"hencky", "linear in the logarithmic strain", params, BL_OF_LOGARITHM,
             BL_MATERIAL_PLANE_STRESS | BL_MATERIAL_ENERGY | BL_MATERIAL_LINEAR},
    .prepare = bl_solid_prepare,
    .point = bl_linear_law,
    .stiffness = bl_solid_stiffness,
};
