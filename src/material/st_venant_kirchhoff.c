/* St. Venant-Kirchhoff: S = lambda tr(E) 1 + 2 mu E of Green's strain E (M9). Forces are cubic polynomials of positions; for large
 * rotations with moderate strains. */
#include "material/law.h"

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

const bl_material_kind bl_material_st_venant_kirchhoff = {
    .kind = {"st_venant_kirchhoff", "linear in Green's strain: large rotations, moderate strains", params, BL_OF_GREEN,
             BL_MATERIAL_PLANE_STRESS | BL_MATERIAL_ENERGY | BL_MATERIAL_LINEAR},
    .prepare = bl_solid_prepare,
    .point = bl_linear_law,
    .stiffness = bl_solid_stiffness,
};
