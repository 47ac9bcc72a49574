/* segment: a piece of the x axis; in the plane and in space a straight line of bars. Sets: left (`from`) and right (`to`), nodes and faces;
 * all elements. */
#include "mesh/grid.h"

#include <math.h>

static const bl_param params[] = {
    {"from", BL_P_NUMBERS, 0, 0, NULL, "m", "x of its left end; in the plane and in space its first point (default: the origin)"},
    {"to", BL_P_NUMBERS, BL_REQUIRED, 0, NULL, "m", "x of its right end; in the plane and in space its last point"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of elements"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL, "length of the last element divided by that of the first (default 1)"},
    {0},
};
enum { FROM, TO, COUNT, GRADING };

typedef struct ends {
    double from[3], to[3];
} ends;

/* u from 0 to 1; the ends exactly */
static void along(const void *shape, const double u[3], double x[3]) {
    const ends *line = shape;
    for (int k = 0; k < 3; k++)
        x[k] = u[0] == 1 ? line->to[k] : line->from[k] + u[0] * (line->to[k] - line->from[k]);
}

static bl_status read_point(const bl_mesh_builder *b, int param, const bl_value *value, double x[3]) {
    const bl_value *v = &value[param];
    for (int k = 0; k < 3; k++)
        x[k] = v->given && k < b->dim ? v->vector[k] : 0;
    if (v->given && (int)v->number != b->dim)
        return bl_fail(b->ctx, BL_E_MODEL, v->place.file ? &v->place : &b->place, "segment: %s needs %d %s, found %d", params[param].name,
                       b->dim, b->dim > 1 ? "numbers" : "number", (int)v->number);
    return BL_OK;
}

static bl_status segment_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b, .generator = &bl_generator_segment, .element = element, .side = {"left", "right"}};
    double n[3], grading[3], length = 0;
    ends line;
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 1, 1, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 1, 1, grading));
    BL_TRY(read_point(b, FROM, value, line.from));
    BL_TRY(read_point(b, TO, value, line.to));
    for (int k = 0; k < 3; k++)
        length = hypot(length, line.to[k] - line.from[k]);
    if (b->dim == 1 && (!(line.to[0] > line.from[0]) || !isfinite(length)))
        return bl_fail(b->ctx, BL_E_MODEL, value[TO].place.file ? &value[TO].place : &b->place,
                       "segment: `to` is %g; it must be greater than `from`, %g", line.to[0], line.from[0]);
    if (!(length > 0) || !isfinite(length))
        return bl_fail(b->ctx, BL_E_MODEL, value[TO].place.file ? &value[TO].place : &b->place,
                       "segment: `from` and `to` are the same point");
    if (b->dim > 1) {
        grid.map = along;
        grid.shape = &line;
    }
    bl_grid_divide(&grid, 0, b->dim > 1 ? 0 : line.from[0], b->dim > 1 ? 1 : line.to[0], n[0], grading[0]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_segment = {
    .kind = {"segment", "piece of the x axis; straight line of bars in the plane and in space", params, 0, 0},
    .dim = 1,
    .generate = segment_generate,
};
