/* ell: the letter L, an upright leg and a horizontal foot that meet at the lower left. Sets, nodes and faces: left (smallest x), bottom
 * (smallest y), right (the end of the foot), top (the end of the upright), inner (the two edges that meet in the reentrant corner); all
 * elements. */
#include "mesh/grid.h"

static const bl_param params[] = {
    {"from", BL_P_POINT, 0, 0, NULL, "m", "its lower left corner (default: the origin)"},
    {"size", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "overall length of the foot and overall height of the upright"},
    {"thickness", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "of the upright (along x) and of the foot (along y)"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL,
     "number of cells through the thickness, along the rest of the foot, and along the rest of the upright (default: as the foot)"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "size of the last cell divided by that of the first, in the order of `n`, away from the lower left corner (default 1)"},
    {0},
};
enum { FROM, SIZE, THICKNESS, COUNT, GRADING };

static bl_status ell_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {
        .builder = b, .generator = &bl_generator_ell, .element = element, .side = {"left", "right", "bottom", "top"}, .inner = "inner"};
    enum { THROUGH, ALONG };
    double size[3], thickness[3], n[3], grading[3];
    BL_TRY(bl_grid_numbers(b, grid.generator, SIZE, value, 2, 2, 0, size));
    BL_TRY(bl_grid_numbers(b, grid.generator, THICKNESS, value, 2, 2, 0, thickness));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 2, 3, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 2, 3, grading));
    for (int d = 0; d < 2; d++) {
        double from = value[FROM].given ? value[FROM].vector[d] : 0, bend = from + thickness[d], to = from + size[d];
        if (!(bend > from && bend < to))
            return bl_fail(b->ctx, BL_E_MODEL, value[THICKNESS].place.file ? &value[THICKNESS].place : &b->place,
                           "ell: thickness is %g; it must be less than size, %g", thickness[d], size[d]);
        bl_grid_divide(&grid, d, from, bend, n[THROUGH], grading[THROUGH]);
        bl_grid_divide(&grid, d, bend, to, n[ALONG + d], grading[ALONG + d]);
    }
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_ell = {
    .kind = {"ell", "letter L, with its corner at the lower left", params, 0, 0},
    .dim = 2,
    .generate = ell_generate,
};
