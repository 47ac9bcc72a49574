/* Nonlinear string with the slope s = u': N = (T + ES (sqrt(1 + s^2) - 1)) s (M38), the tension of a string that is elongated; with a
 * gradient in two directions, a membrane with the same tension in both. */
#include "material/law.h"

#include <math.h>

static const bl_param params[] = {
    {"tension", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N", "tension of the straight string"},
    {"stiffness", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N",
     "Young's modulus times cross section: increase of the tension per elongation"},
    {"density", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "kg/m", "mass per length"},
    {0},
};
enum { T, ES, DENSITY };

static bl_status string_prepare(bl_context *ctx, const bl_value *value, bl_material *m) {
    double tension = value[T].number, stiffness = value[ES].number, density = value[DENSITY].number;
    BL_TRY(bl_material_must(ctx, m, value, T, tension > 0 && isfinite(tension), "positive", "a slack string has no equilibrium"));
    BL_TRY(bl_material_must(ctx, m, value, ES, stiffness >= 0 && isfinite(stiffness), "zero or positive", "0: the tension is constant"));
    BL_TRY(bl_material_must(ctx, m, value, DENSITY, density >= 0 && isfinite(density), "zero or positive",
                            "leave it out where nothing moves"));
    m->number[T] = tension;
    m->number[ES] = stiffness;
    m->density = m->capacity = density;
    if (stiffness == 0)
        m->gives |= BL_MATERIAL_LINEAR;
    return BL_OK;
}

static bl_status string_point(const bl_material *m, bl_material_point *p) {
    const double *g = p->gradient;
    double s2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2], length = sqrt(1 + s2);
    double elongation = s2 / (1 + length); /* sqrt(1 + s^2) - 1 without its cancellation */
    double tension = m->number[T] + m->number[ES] * elongation, slope = m->number[ES] / length;
    if (!isfinite(tension))
        return BL_NOT_FINITE;
    for (int i = 0; i < 3; i++) {
        if (p->stress)
            p->stress[i] = tension * g[i];
        for (int j = 0; j < 3 && p->tangent; j++)
            p->tangent[3 * i + j] = (i == j ? tension : 0) + slope * (g[i] * g[j]);
        if (p->tangent)
            p->tangent[9 + i] = 0;
    }
    /* T s^2/2 + ES ((1 + s^2)^(3/2)/3 - s^2/2 - 1/3), the bracket is elongation^2 (1 + 2 sqrt(1 + s^2))/6 */
    if (p->energy)
        *p->energy = 0.5 * m->number[T] * s2 + m->number[ES] * elongation * elongation * (1 + 2 * length) / 6;
    if (p->dissipated)
        *p->dissipated = 0;
    return BL_OK;
}

static double string_stiffness(const bl_material *m) { return sqrt(m->number[T] / m->density); }

const bl_material_kind bl_material_string = {
    .kind = {"string", "string whose tension increases with its length", params, BL_OF_GRADIENT,
             BL_MATERIAL_NO_PLANE_STRESS | BL_MATERIAL_ENERGY},
    .prepare = string_prepare,
    .point = string_point,
    .stiffness = string_stiffness,
};
