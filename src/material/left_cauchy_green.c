/* Laws of the deformation gradient itself, through b = F F^T: they give tau and its spatial tangent. Thermal expansion enlarges the
 * reference configuration: the law gets F/(1 + theta) (M10) and the mean dilatation scaled accordingly, and refers to the enlarged volume,
 * (1 + theta)^3 times the original. */
#include "material/law.h"

static bl_status left_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                         double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    double thermal_stretch = 1 + thermal[0];
    bl_material_point p = {.history = history, .trial = trial, .stress = tau, .tangent = c, .energy = energy, .dissipated = dissipated};
    for (int k = 0; k < 9; k++)
        p.F[k] = F[k] / thermal_stretch;
    p.dilatation = dilatation / (thermal_stretch * thermal_stretch * thermal_stretch);
    BL_TRY(bl_material_at(m, &p));
    double volume = thermal_stretch * thermal_stretch * thermal_stretch;
    for (int k = 0; k < 6; k++)
        tau[k] *= volume;
    for (int k = 0; k < 36 && c; k++)
        c[k] *= volume;
    if (energy)
        *energy *= volume;
    if (m->plane == BL_PLANE_STRESS || m->plane == BL_PLANE_BAR)
        F[8] = p.F[8] * thermal_stretch;
    if (m->plane == BL_PLANE_BAR)
        F[4] = F[8];
    return BL_OK;
}

const bl_strain_kind bl_strain_left = {
    .kind = {"left", "left Cauchy-Green tensor: large strains of elastic laws", NULL, 0, BL_OF_LEFT},
    .at = left_at,
};
