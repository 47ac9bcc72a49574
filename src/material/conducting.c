/* Potential problems (heat, diffusion, waves of a scalar): k(u) grad u, k = k0 + k1 u + k2 u^2 + k3 u^3 (M36). The flux is its negative. */
#include "material/law.h"

#include <math.h>

static const bl_param params[] = {
    {"conductivity", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "W/(m K)", "flux per gradient, at u = 0"},
    {"conductivity_1", BL_P_NUMBER, 0, 0, NULL, "W/(m K^2)", "coefficient k1 of u in k = k0 + k1 u + k2 u^2 + k3 u^3"},
    {"conductivity_2", BL_P_NUMBER, 0, 0, NULL, "W/(m K^3)", "coefficient k2 of u^2"},
    {"conductivity_3", BL_P_NUMBER, 0, 0, NULL, "W/(m K^4)", "coefficient k3 of u^3"},
    {"density", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "kg/m^3", "mass per volume; the inertia of waves"},
    {"specific_heat", BL_P_NUMBER, BL_NOT_NEGATIVE, 1, NULL, "J/(kg K)",
     "heat capacity per mass; times the density, the capacity per volume"},
    {0},
};
enum { K0, K1, K2, K3, DENSITY, SPECIFIC_HEAT };

static bl_status conducting_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    double density = value[DENSITY].number, heat = value[SPECIFIC_HEAT].number;
    BL_TRY(
        bl_material_must(ctx, m, value, K0, value[K0].number > 0 && isfinite(value[K0].number), "positive", "heat flows from hot to cold"));
    for (bl_index k = K1; k <= K3; k++)
        BL_TRY(bl_material_must(ctx, m, value, k, isfinite(value[k].number), "finite", "leave it out if the conductivity is constant"));
    BL_TRY(bl_material_must(ctx, m, value, DENSITY, density >= 0 && isfinite(density), "zero or positive",
                            "leave it out where nothing changes in time"));
    BL_TRY(bl_material_must(ctx, m, value, SPECIFIC_HEAT, heat >= 0 && isfinite(heat), "zero or positive",
                            "leave it out where nothing changes in time"));
    for (bl_index k = K0; k <= K3; k++)
        m->number[k] = value[k].number;
    m->density = density;
    m->capacity = density * heat;
    if (m->number[K1] != 0 || m->number[K2] != 0 || m->number[K3] != 0) {
        m->gives &= ~(uint32_t)(BL_MATERIAL_LINEAR | BL_MATERIAL_ENERGY);
        m->gives |= BL_MATERIAL_UNSYMMETRIC;
    }
    return BL_OK;
}

static bl_status conducting_point(const bl_material *m, bl_material_point *p) {
    const double *number = m->number, *g = p->gradient, u = p->u;
    double k = number[K0] + u * (number[K1] + u * (number[K2] + u * number[K3]));
    double slope = number[K1] + u * (2 * number[K2] + u * 3 * number[K3]);
    if (m->conductivity.n > 0)
        k = bl_temperature_value(&m->conductivity, u, 0, &slope);
    if (!(k > 0) || !isfinite(k)) /* u is outside the range of the polynomial: a negative conductivity has no meaning */
        return BL_NOT_FINITE;
    for (int i = 0; i < 3; i++) {
        if (p->stress)
            p->stress[i] = k * g[i];
        for (int j = 0; j < 3 && p->tangent; j++)
            p->tangent[3 * i + j] = i == j ? k : 0;
        if (p->tangent)
            p->tangent[9 + i] = slope * g[i];
    }
    if (p->energy)
        *p->energy = 0.5 * k * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

static double conducting_stiffness(const bl_material *m) { return sqrt(m->number[K0] / m->capacity); }

const bl_material_kind bl_material_conducting = {
    .kind = {"conducting", "potential problems: flux proportional to the gradient", params, BL_OF_GRADIENT,
             BL_MATERIAL_NO_PLANE_STRESS | BL_MATERIAL_ENERGY | BL_MATERIAL_LINEAR},
    .prepare = conducting_prepare,
    .point = conducting_point,
    .stiffness = conducting_stiffness,
};
