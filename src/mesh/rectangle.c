/* rectangle: sides along x and y. Sets, nodes and faces: left (smallest x), right (largest x), bottom (smallest y), top (largest y); all
 * elements. Triangles: every cell is cut from its lower left to its upper right corner. */
#include "mesh/grid.h"

static const bl_param params[] = {
    {"from", BL_P_POINT, 0, 0, NULL, "m", "its lower left corner (default: the origin)"},
    {"to", BL_P_POINT, 0, 0, NULL, "m", "its upper right corner; or `size`"},
    {"size", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, "m", "lengths of its sides along x and y, instead of `to`"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of cells along x and y"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "length of the last cell divided by that of the first, along x and y (default 1)"},
    {0},
};
enum { FROM, TO, SIZE, COUNT, GRADING };

static bl_status rectangle_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b, .generator = &bl_generator_rectangle, .element = element, .side = {"left", "right", "bottom", "top"}};
    double from[3], to[3], n[3], grading[3];
    BL_TRY(bl_grid_corners(b, grid.generator, FROM, value, from, to));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 2, 2, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 2, 2, grading));
    for (int d = 0; d < 2; d++)
        bl_grid_divide(&grid, d, from[d], to[d], n[d], grading[d]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_rectangle = {
    .kind = {"rectangle", "rectangle with sides along x and y", params, 0, 0},
    .dim = 2,
    .generate = rectangle_generate,
};
