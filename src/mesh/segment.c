/* segment: a piece of the x axis. Sets: left (the smallest x) and right (the largest), nodes and faces; all elements. */
#include "mesh/grid.h"

#include <math.h>

static const bl_param params[] = {
    {"from", BL_P_NUMBER, 0, 0, NULL, "m", "x of its left end"},
    {"to", BL_P_NUMBER, BL_REQUIRED, 0, NULL, "m", "x of its right end"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of elements"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL, "length of the last element divided by that of the first (default 1)"},
    {0},
};
enum { FROM, TO, COUNT, GRADING };

static bl_status segment_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b, .generator = &bl_generator_segment, .element = element, .side = {"left", "right"}};
    double n[3], grading[3], from = value[FROM].number, to = value[TO].number;
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 1, 1, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 1, 1, grading));
    if (!(to > from) || !isfinite(to - from))
        return bl_fail(b->ctx, BL_E_MODEL, value[TO].place.file ? &value[TO].place : &b->place,
                       "segment: `to` is %g; it must be above `from`, %g", to, from);
    bl_grid_divide(&grid, 0, from, to, n[0], grading[0]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_segment = {
    .kind = {"segment", "piece of the x axis", params, 0, 0},
    .dim = 1,
    .generate = segment_generate,
};
