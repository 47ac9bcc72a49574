/* Compressible neo-Hookean law: W = lambda/2 (ln J)^2 - mu ln J + mu/2 (tr b - 3), tau = mu (b - 1) + lambda ln J 1 (M11); Simo and Pister
 * (1984), Bonet and Wood (2008), 6.4.3. */
#include "material/law.h"

#include <math.h>

static const bl_param params[] = {BL_SOLID_PARAMS, {0}};

static bl_status neo_hookean_point(const bl_material *m, bl_material_point *p) {
    double lambda = m->number[BL_LAMBDA], mu = m->number[BL_MU], J = det3(p->F), half[6];
    if (!(J > 0) || !isfinite(J))
        return BL_NOT_FINITE;
    double log_J = log(J);
    half_square_minus_one(p->F, 0, half); /* (b - 1)/2 */
    for (int k = 0; k < 6 && p->stress; k++)
        p->stress[k] = 2 * mu * half[k] + (k < 3 ? lambda * log_J : 0);
    if (p->tangent)
        bl_isotropic(lambda, mu - lambda * log_J, p->tangent);
    if (p->energy)
        *p->energy = 0.5 * lambda * log_J * log_J + mu * (half[0] + half[1] + half[2] - log_J);
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

const bl_material_kind bl_material_neo_hookean = {
    .kind = {"neo_hookean", "compressible neo-Hookean law: large elastic strains", params, BL_OF_LEFT, BL_MATERIAL_ENERGY},
    .prepare = bl_solid_prepare,
    .point = neo_hookean_point,
    .stiffness = bl_solid_stiffness,
};
