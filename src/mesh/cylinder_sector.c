/* cylinder_sector: inner <= r <= outer, 0 <= angle <= `angle` from the x axis about z, 0 <= z <= height; with 2 pi a closed tube. Edges
 * along arcs as for quarter_ring. Sets, nodes and faces: inner, outer, back (z = 0), front (z = height), start (angle 0) and end, which are
 * also named bottom and left if the angle is a right angle; a tube has neither. All elements. */
#include "mesh/grid.h"
#include "mesh/mesh_limits.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static const bl_param params[] = {
    {"inner", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "inner radius"},
    {"outer", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "outer radius"},
    {"angle", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "rad", "from the x axis about z; at most 2 pi, a closed tube"},
    {"height", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "m", "along z, from 0"},
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "number of cells around, through the wall and along z"},
    {"grading", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "size of the last cell divided by that of the first: around, from the inside to the outside, along z (default 1)"},
    {0},
};
enum { INNER, OUTER, ANGLE, HEIGHT, COUNT, GRADING };

static bl_status refuse(bl_mesh_builder *b, const bl_value *value, const char *wanted, double found) {
    return bl_fail(b->ctx, BL_E_MODEL, value->place.file ? &value->place : &b->place, "cylinder_sector: %s, found %g", wanted, found);
}

static bl_status cylinder_sector_generate(bl_mesh_builder *b, const bl_value *value, const bl_element_kind *element) {
    bl_grid grid = {.builder = b,
                    .generator = &bl_generator_cylinder_sector,
                    .element = element,
                    .map = bl_grid_polar,
                    .side = {"inner", "outer", "start", "end", "back", "front"}};
    enum { AROUND, THROUGH, ALONG };
    double n[3], grading[3], angle = value[ANGLE].number, height = value[HEIGHT].number;
    BL_TRY(bl_grid_radii(b, grid.generator, INNER, value));
    BL_TRY(bl_grid_counts(b, grid.generator, COUNT, value, 3, 3, n));
    BL_TRY(bl_grid_gradings(b, grid.generator, GRADING, value, 3, 3, grading));
    if (!(height > 0) || !isfinite(height))
        return refuse(b, &value[HEIGHT], "height must be positive", height);
    if (!(angle > 0 && angle <= 2 * PI * (1 + mesh_angle)))
        return refuse(b, &value[ANGLE], "angle must be positive and at most 2 pi", angle);
    grid.closed = angle >= 2 * PI * (1 - mesh_angle);
    if (grid.closed)
        grid.side[2] = grid.side[3] = NULL;
    if (fabs(angle - PI / 2) <= mesh_angle)
        grid.also[2] = "bottom", grid.also[3] = "left";
    /* chords over half a revolution or more would leave degenerate or inverted cells */
    double least = floor(angle / PI) + 1;
    if (n[AROUND] < least)
        return refuse(b, &value[COUNT], "n around must be large enough that a cell spans less than half a revolution", n[AROUND]);
    bl_grid_divide(&grid, 0, value[INNER].number, value[OUTER].number, n[THROUGH], grading[THROUGH]);
    bl_grid_divide(&grid, 1, 0, angle, n[AROUND], grading[AROUND]);
    bl_grid_divide(&grid, 2, 0, height, n[ALONG], grading[ALONG]);
    return bl_grid_fill(&grid);
}

const bl_generator_kind bl_generator_cylinder_sector = {
    .kind = {"cylinder_sector", "sector of a hollow cylinder about z, or a tube", params, 0, 0},
    .dim = 3,
    .generate = cylinder_sector_generate,
};
