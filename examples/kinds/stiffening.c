/* Green's strain E with a stiffness that grows with the square of its trace: S = (lambda tr E + k (tr E)^3) 1 + 2 mu E,
 * energy lambda (tr E)^2 / 2 + mu E : E + k (tr E)^4 / 4. */
#include "material/law.h"

static const bl_param params[] = {
    BL_SOLID_PARAMS,
    {"stiffening", BL_P_NUMBER, BL_REQUIRED | BL_NOT_NEGATIVE, 0, NULL, "N/m^2", "pressure at tr E = 1 beyond the linear one"},
    {0},
};
enum { K = BL_NUMBER_OWN };

static bl_status stiffening_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    BL_TRY(bl_solid_prepare(ctx, value, m));
    m->number[K] = value[BL_SOLID_OWN].number;
    return BL_OK;
}

/* in three dimensions: plane stress and bars are solved by iteration (plane_stress.c) */
static bl_status stiffening_point(const bl_material *m, bl_material_point *p) {
    const double lambda = m->number[BL_LAMBDA], mu = m->number[BL_MU], k = m->number[K], *e = p->strain;
    const double trace = e[BL_11] + e[BL_22] + e[BL_33], square = trace * trace, pressure = (lambda + k * square) * trace;
    double stress[6];
    for (int i = 0; i < 3; i++) {
        stress[i] = pressure + 2 * mu * e[i];
        stress[i + 3] = mu * e[i + 3]; /* shear angles */
    }
    if (p->stress)
        memcpy(p->stress, stress, sizeof stress);
    if (p->tangent)
        bl_isotropic(lambda + 3 * k * square, mu, p->tangent);
    if (p->energy)
        *p->energy = 0.5 * contract6(stress, e) - 0.25 * k * square * square;
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

const bl_material_kind bl_material_stiffening = {
    .kind = {"stiffening", "linear in Green's strain, stiffer where the volume changes", params, BL_OF_GREEN, BL_MATERIAL_ENERGY},
    .prepare = stiffening_prepare,
    .point = stiffening_point,
    .stiffness = bl_solid_stiffness,
};
