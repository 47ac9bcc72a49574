/* Small strain: e = sym(F) - 1 (M2). Stress and tangent are those of the law; the geometry is not updated. */
#include "material/law.h"

static bl_status linear_at(const bl_material *m, double F[9], const double thermal[6], double dilatation, const double *history,
                           double *trial, double tau[6], double *c, double *energy, double *dissipated) {
    (void)dilatation;
    bl_material_point p = {.history = history, .trial = trial, .stress = tau, .tangent = c, .energy = energy, .dissipated = dissipated};
    for (int k = 0; k < 3; k++)
        p.strain[k] = F[4 * k] - 1 - thermal[k];
    p.strain[BL_12] = F[1] + F[3] - thermal[BL_12];
    p.strain[BL_23] = F[5] + F[7] - thermal[BL_23];
    p.strain[BL_13] = F[2] + F[6] - thermal[BL_13];
    return bl_material_at(m, &p);
}

const bl_strain_kind bl_strain_linear = {
    .kind = {"linear", "small strains", NULL, 0, BL_OF_LINEAR},
    .small = true,
    .at = linear_at,
};
