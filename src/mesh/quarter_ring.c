/* quarter_ring: inner <= r <= outer in the first quadrant, about the origin. Edges along arcs are chords for linear elements; the nodes of
 * quadratic ones are on the arcs. Sets, nodes and faces: inner and outer arc, bottom (the edge on the x axis), left (the edge on the y
 * axis); all elements. */
#include "mesh/grid.h"

static const double PI = 3.14159265358979323846;

static const bl_param params[] = {
    {"inner", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "inner radius"},
    {"outer", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "outer radius"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of cells around and through the wall"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "size of the last cell divided by that of the first: around from the x to the y axis, and from the inside to the outside (default 1)"},
    {0},
};
enum { INNER, OUTER, COUNT, GRADING };

static bl_status quarter_ring_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b,
                    .generator = &bl_generator_quarter_ring,
                    .element = element,
                    .map = bl_grid_polar,
                    .side = {"inner", "outer", "bottom", "left"}};
    enum { AROUND, THROUGH };
    double n[3], grading[3];
    BL_TRY(bl_grid_radii(b, grid.generator, INNER, value));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 2, 2, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 2, 2, grading));
    bl_grid_divide(&grid, 0, value[INNER].number, value[OUTER].number, n[THROUGH], grading[THROUGH]);
    bl_grid_divide(&grid, 1, 0, PI / 2, n[AROUND], grading[AROUND]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_quarter_ring = {
    .kind = {"quarter_ring", "quarter of a ring, in the first quadrant about the origin", params, 0, 0},
    .dim = 2,
    .generate = quarter_ring_generate,
};
