/* Common part of isotropic solids. */
#include "material/law.h"

#include <math.h>

bl_status bl_material_must(bl_context *ctx, const bl_material *m, const bl_value *value, bl_index which, bool holds, const char *rule,
                           const char *advice) {
    if (holds)
        return BL_OK;
    bl_fail(ctx, BL_E_MODEL, &value[which].place, "material %s: %s = %.6g must be %s", m->kind->kind.name, m->kind->kind.params[which].name,
            value[which].number, rule);
    bl_advise(ctx, "%s", advice);
    return BL_E_MODEL;
}

void bl_solid_lame(double E, double nu, bl_material *m) {
    m->bulk = E / (3 * (1 - 2 * nu));
    m->number[BL_LAMBDA] = E * nu / ((1 + nu) * (1 - 2 * nu));
    m->number[BL_MU] = 0.5 * E / (1 + nu);
    m->number[BL_LAMBDA_PLANE] = E * nu / (1 - nu * nu);
}

bl_status bl_solid_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    double E = value[BL_SOLID_E].number, nu = value[BL_SOLID_NU].number, density = value[BL_SOLID_DENSITY].number;
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_E, E > 0 && isfinite(E), "positive", "give Young's modulus in N/m^2"));
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_NU, nu < 0.5, "below 0.5",
                            "for a nearly incompressible body use the material `nearly_incompressible` with nu = 0.4999 and bbar: true"));
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_NU, nu > -1, "above -1", "most solids have values from 0 to 0.5"));
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_DENSITY, density >= 0 && isfinite(density), "zero or positive",
                            "leave it out where nothing moves"));
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_EXPANSION, isfinite(value[BL_SOLID_EXPANSION].number), "finite",
                            "typical of metals is 1e-5 1/K"));
    BL_TRY(bl_material_must(ctx, m, value, BL_SOLID_REFERENCE, isfinite(value[BL_SOLID_REFERENCE].number), "finite",
                            "give the temperature at which the body has no thermal strain"));
    m->density = density;
    m->expansion = value[BL_SOLID_EXPANSION].number;
    m->reference_temperature = value[BL_SOLID_REFERENCE].number;
    bl_solid_lame(E, nu, m);
    return BL_OK;
}

static double young(const bl_material *m) {
    double lambda = m->number[BL_LAMBDA], mu = m->number[BL_MU];
    return mu * (3 * lambda + 2 * mu) / (lambda + mu);
}

double bl_solid_stiffness(const bl_material *m) {
    if (m->plane == BL_PLANE_BAR)
        return sqrt(young(m) / m->density);
    double lambda = m->number[m->plane == BL_PLANE_STRESS ? BL_LAMBDA_PLANE : BL_LAMBDA];
    return sqrt((lambda + 2 * m->number[BL_MU]) / m->density);
}

/* stress = E e11, e22 = e33 = -nu e11 */
static bl_status axial_law(const bl_material *m, bl_material_point *p) {
    double E = young(m), nu = 0.5 * m->number[BL_LAMBDA] / (m->number[BL_LAMBDA] + m->number[BL_MU]), *e = p->strain;
    e[BL_22] = e[BL_33] = -nu * e[BL_11];
    e[BL_12] = e[BL_23] = e[BL_13] = 0;
    if (p->stress) {
        p->stress[BL_11] = E * e[BL_11];
        axial6(p->stress, NULL);
    }
    if (p->tangent) {
        p->tangent[0] = E;
        axial6(NULL, p->tangent);
    }
    if (p->energy)
        *p->energy = 0.5 * E * e[BL_11] * e[BL_11];
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

void bl_isotropic(double lambda, double mu, double D[36]) {
    memset(D, 0, 36 * sizeof *D);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            D[6 * i + j] = lambda;
        D[7 * i] += 2 * mu;
        D[7 * (i + 3)] = mu;
    }
}

bl_status bl_linear_law(const bl_material *m, bl_material_point *p) {
    if (m->plane == BL_PLANE_BAR)
        return axial_law(m, p);
    bool plane_stress = m->plane == BL_PLANE_STRESS;
    double lambda = m->number[plane_stress ? BL_LAMBDA_PLANE : BL_LAMBDA], mu = m->number[BL_MU], *e = p->strain, stress[6];
    if (plane_stress) {
        e[BL_33] = -m->number[BL_LAMBDA] / (m->number[BL_LAMBDA] + 2 * mu) * (e[BL_11] + e[BL_22]);
        e[BL_23] = e[BL_13] = 0;
    }
    double pressure = lambda * (e[BL_11] + e[BL_22] + (plane_stress ? 0 : e[BL_33]));
    for (int k = 0; k < 3; k++) {
        stress[k] = pressure + 2 * mu * e[k];
        stress[k + 3] = mu * e[k + 3];
    }
    if (plane_stress)
        stress[BL_33] = 0;
    if (p->stress)
        memcpy(p->stress, stress, sizeof stress);
    if (p->tangent) {
        bl_isotropic(lambda, mu, p->tangent);
        if (plane_stress)
            flatten6(NULL, p->tangent);
    }
    if (p->energy)
        *p->energy = 0.5 * contract6(stress, e);
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}
