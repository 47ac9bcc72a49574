/* Generators by name, and the reading of parameters that they share. */
#include "mesh/grid.h"
#include "mesh/mesh_limits.h"

#include <math.h>
#include <stdio.h>

#define BL_KIND(name) &bl_generator_##name,
const bl_generator_kind *const bl_generator_kinds[] = {
#include "mesh/generator_list.h"
};
#undef BL_KIND
const size_t bl_generator_kind_count = sizeof bl_generator_kinds / sizeof bl_generator_kinds[0];

static const bl_place *place_of(const bl_mesh_builder *b, const bl_value *value) { return value->place.file ? &value->place : &b->place; }

bl_status bl_grid_numbers(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                          double fallback, double out[3]) {
    const bl_value *v = &value[param];
    int n = v->given ? (int)v->number : 1;
    if (n < 1 || n > most || (n != 1 && n < least)) {
        char wanted[32] = "one number";
        if (most > 1)
            snprintf(wanted, sizeof wanted, "1 %s %d numbers", least == most ? "or" : "to", most);
        return bl_fail(b->ctx, BL_E_MODEL, place_of(b, v), "%s: %s needs %s, found %d", kind->kind.name, kind->kind.params[param].name,
                       wanted, n);
    }
    for (int k = 0; k < most; k++) {
        out[k] = !v->given ? fallback : v->vector[k < n ? k : n - 1];
        if (!isfinite(out[k]) || ((kind->kind.params[param].flags & BL_POSITIVE) && out[k] <= 0))
            return bl_fail(b->ctx, BL_E_MODEL, place_of(b, v), "%s: %s must be positive, found %g", kind->kind.name,
                           kind->kind.params[param].name, out[k]);
    }
    return BL_OK;
}

bl_status bl_grid_counts(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                         double out[3]) {
    BL_TRY(bl_grid_numbers(b, kind, param, value, least, most, 1, out));
    for (int k = 0; k < most; k++)
        if (out[k] < 1 || out[k] != floor(out[k]))
            return bl_fail(b->ctx, BL_E_MODEL, place_of(b, &value[param]), "%s: %s must be integers of at least 1, found %g",
                           kind->kind.name, kind->kind.params[param].name, out[k]);
    return BL_OK;
}

bl_status bl_grid_gradings(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, int least, int most,
                           double out[3]) {
    BL_TRY(bl_grid_numbers(b, kind, param, value, least, most, 1, out));
    for (int k = 0; k < most; k++)
        if (!(out[k] >= 1 / mesh_grading && out[k] <= mesh_grading))
            return bl_fail(b->ctx, BL_E_MODEL, place_of(b, &value[param]), "%s: %s must be between %g and %g, found %g", kind->kind.name,
                           kind->kind.params[param].name, 1 / mesh_grading, mesh_grading, out[k]);
    return BL_OK;
}

bl_status bl_grid_corners(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value, double from[3],
                          double to[3]) {
    const bl_value *end = &value[param + 1], *size = &value[param + 2];
    double sides[3];
    if (end->given == size->given) {
        bl_fail(b->ctx, BL_E_MODEL, place_of(b, size), end->given ? "%s: `to` and `size` cannot both be given" : "%s needs `to` or `size`",
                kind->kind.name);
        bl_advise(b->ctx, "give the opposite corner as `to`, or the lengths of the sides as `size`");
        return BL_E_MODEL;
    }
    if (size->given)
        BL_TRY(bl_grid_numbers(b, kind, param + 2, value, kind->dim, kind->dim, 0, sides));
    for (int k = 0; k < kind->dim; k++) {
        from[k] = value[param].given ? value[param].vector[k] : 0;
        to[k] = size->given ? from[k] + sides[k] : end->vector[k];
        if (!(to[k] > from[k]))
            return bl_fail(b->ctx, BL_E_MODEL, place_of(b, size->given ? size : end),
                           "%s: %c of `to` is %g; it must be greater than %g, that of `from`", kind->kind.name, "xyz"[k], to[k], from[k]);
    }
    return BL_OK;
}

bl_status bl_grid_radii(const bl_mesh_builder *b, const bl_generator_kind *kind, int param, const bl_value *value) {
    double inner = value[param].number, outer = value[param + 1].number;
    if (!(inner > 0))
        return bl_fail(b->ctx, BL_E_MODEL, place_of(b, &value[param]), "%s: inner must be positive, found %g", kind->kind.name, inner);
    if (!(outer > inner) || !isfinite(outer))
        return bl_fail(b->ctx, BL_E_MODEL, place_of(b, &value[param + 1]), "%s: outer is %g; it must be greater than inner, %g",
                       kind->kind.name, outer, inner);
    return BL_OK;
}

void bl_grid_polar(const void *unused, const double u[3], double x[3]) {
    double c = cos(u[1]), s = sin(u[1]);
    (void)unused;
    x[0] = fabs(c) < mesh_on_axis ? 0 : u[0] * c;
    x[1] = fabs(s) < mesh_on_axis ? 0 : u[0] * s;
    x[2] = u[2];
}
