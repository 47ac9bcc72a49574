/* plate_with_hole: the rectangle from the origin to `size` without the quarter disk of `radius` about the origin: a quarter of a plate with
 * a round hole, or (axisymmetric, x the radius) half a cylinder with a spherical cavity. Cells are bounded by rays from equal arcs of the
 * hole to equal parts of the outer sides; the ray to the corner divides the arc. Arcs as for quarter_ring. Sets, nodes and faces: hole,
 * bottom, right, top, left; all elements. */
#include "mesh/grid.h"

#include <math.h>

static const bl_param params[] = {
    {"radius", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "of the hole, about the origin"},
    {"size", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "width and height of the rectangle, hole included"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL,
     "number of cells up the right side, along the top, and from the hole outward"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL, "size of the outermost cell divided by that at the hole (default 1)"},
    {0},
};
enum { RADIUS, SIZE, COUNT, GRADING };

typedef struct plate {
    double radius, size[2], corner; /* angle of the ray to the corner */
} plate;

/* u: 0 on the hole, 1 on the outer sides; v: 0 to 1 up the right side, 1 to 2 along the top to the left */
static void ray(const void *shape, const double u[3], double x[3]) {
    const plate *p = shape;
    static const double QUARTER = 1.57079632679489661923;
    double v = u[1], angle = v <= 1 ? v * p->corner : p->corner + (v - 1) * (QUARTER - p->corner);
    const double in[2] = {v < 2 ? p->radius * cos(angle) : 0, p->radius * sin(angle)};
    const double out[2] = {v <= 1 ? p->size[0] : (2 - v) * p->size[0], v <= 1 ? v * p->size[1] : p->size[1]};
    for (int k = 0; k < 2; k++)
        x[k] = (1 - u[0]) * in[k] + u[0] * out[k];
    x[2] = 0;
}

static bl_status plate_with_hole_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    plate shape = {.radius = value[RADIUS].number};
    bl_grid grid = {.builder = b,
                    .generator = &bl_generator_plate_with_hole,
                    .element = element,
                    .map = ray,
                    .shape = &shape,
                    .side = {"hole", "right", "bottom", "left"},
                    .turned = "top"};
    double size[3], n[3], grading[3];
    BL_TRY(bl_grid_numbers(b, grid.generator, SIZE, value, 2, 2, 0, size));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 3, 3, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 1, 1, grading));
    for (int d = 0; d < 2; d++) {
        shape.size[d] = size[d];
        if (!(shape.radius > 0 && shape.radius < size[d]))
            return bl_fail(b->ctx, BL_E_MODEL, value[RADIUS].place.file ? &value[RADIUS].place : &b->place,
                           "plate_with_hole: radius is %g; it must be positive and less than the %s of the plate, %g", shape.radius,
                           d ? "height" : "width", size[d]);
    }
    shape.corner = atan2(size[1], size[0]);
    bl_grid_divide(&grid, 0, 0, 1, n[2], grading[0]);
    bl_grid_divide(&grid, 1, 0, 1, n[0], 1);
    bl_grid_divide(&grid, 1, 1, 2, n[1], 1);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_plate_with_hole = {
    .kind = {"plate_with_hole", "quarter of a rectangular plate with a round hole, about the origin", params, 0, 0},
    .dim = 2,
    .generate = plate_with_hole_generate,
};
