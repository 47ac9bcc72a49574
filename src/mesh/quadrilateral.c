/* quadrilateral: any convex quadrilateral, given by its four corners counterclockwise from the lower left; cells divide opposite sides in
 * the same ratio. Sets, nodes and faces: bottom (from a to b), right (b to c), top (c to d), left (d to a); all elements. */
#include "mesh/grid.h"

static const bl_param params[] = {
    {"a", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "lower left corner"},
    {"b", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "lower right corner"},
    {"c", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "upper right corner"},
    {"d", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "upper left corner"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of cells along a-b and along a-d"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "length of the last cell divided by that of the first, along a-b and along a-d (default 1)"},
    {0},
};
enum { CORNER, COUNT = 4, GRADING };

static void bilinear(const void *shape, const double u[3], double x[3]) {
    const bl_value *corner = shape;
    const double N[4] = {(1 - u[0]) * (1 - u[1]), u[0] * (1 - u[1]), u[0] * u[1], (1 - u[0]) * u[1]};
    for (int k = 0; k < 3; k++) {
        x[k] = 0;
        for (int c = 0; c < 4; c++)
            x[k] += N[c] * corner[CORNER + c].vector[k];
    }
}

static bl_status quadrilateral_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b,
                    .generator = &bl_generator_quadrilateral,
                    .element = element,
                    .map = bilinear,
                    .shape = value,
                    .side = {"left", "right", "bottom", "top"}};
    double n[3], grading[3];
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 2, 2, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 2, 2, grading));
    for (int d = 0; d < 2; d++)
        bl_grid_divide(&grid, d, 0, 1, n[d], grading[d]);
    for (int c = 0; c < 4; c++) { /* the polygon turns left at every corner */
        const double *p = value[CORNER + c].vector, *q = value[CORNER + (c + 1) % 4].vector, *s = value[CORNER + (c + 3) % 4].vector;
        if (!((q[0] - p[0]) * (s[1] - p[1]) - (q[1] - p[1]) * (s[0] - p[0]) > 0)) {
            bl_fail(b->ctx, BL_E_MODEL, &value[CORNER + c].place, "quadrilateral: corner %c is not convex", "abcd"[c]);
            bl_advise(b->ctx, "give the corners counterclockwise: a lower left, b lower right, c upper right, d upper left");
            return BL_E_MODEL;
        }
    }
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_quadrilateral = {
    .kind = {"quadrilateral", "convex quadrilateral by its corners", params, 0, 0},
    .dim = 2,
    .generate = quadrilateral_generate,
};
