/* box: sides along x, y and z. Sets, nodes and faces: left (smallest x), right (largest x), bottom (smallest y), top (largest y), back
 * (smallest z), front (largest z: toward the viewer if x is to the right and y upward); all elements. */
#include "mesh/grid.h"

static const bl_param params[] = {
    {"from", BL_P_POINT, 0, 0, NULL, "m", "its corner of smallest x, y and z (default: the origin)"},
    {"to", BL_P_POINT, 0, 0, NULL, "m", "its corner of largest x, y and z; or `size`"},
    {"size", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, "m", "lengths of its sides along x, y and z, instead of `to`"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of cells along x, y and z"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "length of the last cell divided by that of the first, along x, y and z (default 1)"},
    {0},
};
enum { FROM, TO, SIZE, COUNT, GRADING };

static bl_status box_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {
        .builder = b, .generator = &bl_generator_box, .element = element, .side = {"left", "right", "bottom", "top", "back", "front"}};
    double from[3], to[3], n[3], grading[3];
    BL_TRY(bl_grid_corners(b, grid.generator, FROM, value, from, to));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 3, 3, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 3, 3, grading));
    for (int d = 0; d < 3; d++)
        bl_grid_divide(&grid, d, from[d], to[d], n[d], grading[d]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_box = {
    .kind = {"box", "box with sides along x, y and z", params, 0, 0},
    .dim = 3,
    .generate = box_generate,
};
