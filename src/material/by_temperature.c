/* Material parameters that depend on temperature, by tables; (M45). */
#include "material/law.h"

#include <math.h>

double bl_temperature_value(const bl_by_temperature *table, double T, int k, double *slope) {
    bl_index i = 0, n = table->n;
    while (i + 2 < n && T >= table->row[i + 1][0])
        i++;
    if (slope)
        *slope = 0;
    if (n == 1 || T <= table->row[0][0])
        return table->row[0][k + 1];
    if (T >= table->row[n - 1][0])
        return table->row[n - 1][k + 1];
    double h = (table->row[i + 1][k + 1] - table->row[i][k + 1]) / (table->row[i + 1][0] - table->row[i][0]);
    if (slope)
        *slope = h;
    return table->row[i][k + 1] + h * (T - table->row[i][0]);
}

static const char *wrong(bl_temperature_number which, const double row[3]) {
    switch (which) {
    case BL_ELASTIC_BY:
        return !(row[1] > 0)                    ? "Young's modulus must be positive"
               : !(row[2] > -1 && row[2] < 0.5) ? "Poisson's ratio must be above -1 and below 0.5"
                                                : NULL;
    case BL_CONDUCTIVITY_BY: return row[1] > 0 ? NULL : "the conductivity must be positive";
    default: return NULL;
    }
}

bl_status bl_material_by_temperature(bl_context *ctx, bl_material *m, bl_temperature_number which, bl_index n, const double (*row)[3],
                                     const bl_place *place) {
    for (bl_index i = 0; i < n; i++) {
        if (!isfinite(row[i][0]) || !isfinite(row[i][1]) || !isfinite(row[i][2]) || (i > 0 && !(row[i][0] > row[i - 1][0])))
            return bl_fail(ctx, BL_E_MODEL, place, "material %s: temperatures must increase, found %g in row %d", m->kind->kind.name,
                           row[i][0], (int)i + 1);
        const char *why = wrong(which, row[i]);
        if (why)
            return bl_fail(ctx, BL_E_MODEL, place, "material %s: %s, found %g, %g at temperature %g", m->kind->kind.name, why, row[i][1],
                           row[i][2], row[i][0]);
    }
    bl_by_temperature *to = which == BL_ELASTIC_BY ? &m->elastic : which == BL_EXPANSION_BY ? &m->expansion_by : &m->conductivity;
    *to = (bl_by_temperature){n, row};
    if (which != BL_EXPANSION_BY) /* forces are then no longer a constant matrix times the unknowns */
        m->gives &= ~(uint32_t)BL_MATERIAL_LINEAR;
    if (which == BL_CONDUCTIVITY_BY) {
        m->gives &= ~(uint32_t)BL_MATERIAL_ENERGY;
        m->gives |= BL_MATERIAL_UNSYMMETRIC;
    }
    return BL_OK;
}

const bl_material *bl_material_at_temperature(const bl_material *m, double T, bl_material *copy) {
    if (m->elastic.n == 0)
        return m;
    *copy = *m;
    bl_solid_lame(bl_temperature_value(&m->elastic, T, 0, NULL), bl_temperature_value(&m->elastic, T, 1, NULL), copy);
    return copy;
}

double bl_material_thermal_strain(const bl_material *m, double T) {
    double T0 = m->reference_temperature;
    if (m->expansion_by.n == 0)
        return m->expansion * (T - T0);
    return bl_temperature_value(&m->expansion_by, T, 0, NULL) * (T - m->zero) -
           bl_temperature_value(&m->expansion_by, T0, 0, NULL) * (T0 - m->zero);
}
