/* sphere_octant: inner <= r <= outer in the first octant, about the origin. Three blocks meet on the diagonal x = y = z: the faces z = 1,
 * x = 1 and y = 1 of a cube, divided by equal angles and projected onto the sphere. Nodes of outer and inner faces are on the spheres.
 * Sets, nodes and faces: inner, outer, left (x = 0), bottom (y = 0), back (z = 0); all elements. */
#include "mesh/grid.h"

#include <math.h>

static const bl_param params[] = {
    {"inner", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "inner radius"},
    {"outer", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "outer radius"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL,
     "number of cells along an eighth of a circle (two such sides make one edge of the octant) and through the wall"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL, "size of the outermost cell divided by that of the innermost (default 1)"},
    {0},
};
enum { INNER, OUTER, COUNT, GRADING };

/* u from the z axis (0) to the x axis (2), v from the z axis to the y axis, w = r; of the cube: z = 1 for u, v <= 1, then x = 1, y = 1 */
static void cube_to_sphere(const void *shape, const double u[3], double x[3]) {
    static const double EIGHTH = 0.78539816339744830962;
    (void)shape;
    double over = fmax(u[0], u[1]), c[3];
    for (int k = 0; k < 2; k++)
        c[k] = u[k] >= 1 ? 1 : tan(EIGHTH * u[k]);
    c[2] = over <= 1 ? 1 : tan(EIGHTH * (2 - over));
    double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
    for (int k = 0; k < 3; k++)
        x[k] = u[2] * (c[k] / length);
}

static bl_status sphere_octant_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b,
                    .generator = &bl_generator_sphere_octant,
                    .element = element,
                    .map = cube_to_sphere,
                    .side = {"left", "back", "bottom", "back", "inner", "outer"},
                    .folded = true};
    enum { AROUND, THROUGH };
    double n[3], grading[3];
    BL_TRY(bl_grid_radii(b, grid.generator, INNER, value));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 2, 2, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 1, 1, grading));
    for (int d = 0; d < 2; d++) {
        bl_grid_divide(&grid, d, 0, 1, n[AROUND], 1);
        bl_grid_divide(&grid, d, 1, 2, n[AROUND], 1);
    }
    bl_grid_divide(&grid, 2, value[INNER].number, value[OUTER].number, n[THROUGH], grading[0]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_sphere_octant = {
    .kind = {"sphere_octant", "eighth of a hollow sphere, in the first octant about the origin", params, 0, 0},
    .dim = 3,
    .generate = sphere_octant_generate,
};
