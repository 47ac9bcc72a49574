/* Nearly incompressible neo-Hookean law: W = mu/2 (J^(-2/3) tr b - 3) + kappa/2 (J - 1)^2, tau = mu J^(-2/3) dev b + J p 1 (M13), with the
 * pressure p = kappa (J - 1), or kappa (v/V - 1) with the mean dilatation of the element to avoid locking (Simo, Taylor and Pister 1985).
 * In plane stress it is incompressible: F33 = 1/det F2, tau = mu (b2 - F33^2 1) (M15). */
#include "material/law.h"

#include <math.h>

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

static bl_status plane_stress_point(const bl_material *m, bl_material_point *p) {
    double mu = m->number[BL_MU], *F = p->F, J2 = F[0] * F[4] - F[1] * F[3], half[6];
    if (!(J2 > 0) || !isfinite(J2))
        return BL_NOT_FINITE;
    F[2] = F[5] = F[6] = F[7] = 0;
    F[8] = 1 / J2;
    half_square_minus_one(F, 0, half);
    double thickness = F[8] * F[8];
    for (int k = 0; k < 6 && p->stress; k++)
        p->stress[k] = 2 * mu * (half[k] - (k < 3 ? half[BL_33] : 0));
    if (p->tangent) {
        bl_isotropic(2 * mu * thickness, mu * thickness, p->tangent);
        flatten6(NULL, p->tangent);
    }
    if (p->energy)
        *p->energy = mu * (half[0] + half[1] + half[2]);
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

static bl_status nearly_incompressible_point(const bl_material *m, bl_material_point *p) {
    if (m->plane == BL_PLANE_STRESS)
        return plane_stress_point(m, p);
    double J = det3(p->F), mean = p->dilatation != 0 ? p->dilatation : J, half[6], b[6];
    if (!(J > 0) || !isfinite(J) || !(mean > 0))
        return BL_NOT_FINITE;
    half_square_minus_one(p->F, 0, half);
    double root = cbrt(J), mu = m->number[BL_MU] / (root * root), kappa = m->bulk;
    double pressure = J * kappa * (mean - 1);
    double third = 2 * (half[0] + half[1] + half[2]) / 3; /* (tr b - 3)/3 */
    for (int k = 0; k < 6; k++)
        b[k] = 2 * half[k] + (k < 3);
    for (int k = 0; k < 6 && p->stress; k++)
        p->stress[k] = mu * (2 * half[k] - (k < 3 ? third : 0)) + (k < 3 ? pressure : 0);
    if (p->tangent) {
        double slope = p->dilatation != 0 ? 0 : kappa * J * J;
        double trace = 1 + third; /* tr b / 3 */
        bl_isotropic(2 * mu * trace / 3 + pressure + slope, mu * trace - pressure, p->tangent);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 3; j++) {
                p->tangent[6 * i + j] -= 2 * mu / 3 * b[i];
                p->tangent[6 * j + i] -= 2 * mu / 3 * b[i];
            }
    }
    if (p->energy)
        *p->energy = 1.5 * (mu * (1 + third) - m->number[BL_MU]) + 0.5 * kappa * (mean - 1) * (mean - 1);
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

/* incompressible in plane stress: 2 mu (1 (x) 1 + I) */
static double nearly_incompressible_stiffness(const bl_material *m) {
    return m->plane == BL_PLANE_STRESS ? sqrt(4 * m->number[BL_MU] / m->density) : bl_solid_stiffness(m);
}

const bl_material_kind bl_material_nearly_incompressible = {
    .kind = {"nearly_incompressible", "neo-Hookean law with separate pressure, for rubber; incompressible in plane stress", params,
             BL_OF_LEFT, BL_MATERIAL_PLANE_STRESS | BL_MATERIAL_ENERGY | BL_MATERIAL_DILATATION},
    .prepare = bl_solid_prepare,
    .point = nearly_incompressible_point,
    .stiffness = nearly_incompressible_stiffness,
};
