/* Linear elasticity for small strains: stress = lambda tr(e) 1 + 2 mu e (M3). */
#include "material/law.h"

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

const bl_material_kind bl_material_elastic = {
    .kind = {"elastic", "linear, isotropic, small strains", params, BL_OF_LINEAR,
             BL_MATERIAL_PLANE_STRESS | BL_MATERIAL_ENERGY | BL_MATERIAL_LINEAR},
    .prepare = bl_solid_prepare,
    .point = bl_linear_law,
    .stiffness = bl_solid_stiffness,
};
