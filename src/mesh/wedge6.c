/* wedge6: linear wedge, triangle3 times segment2. Three points in the middle plane give full rank, one in each of two planes does not. */
#include "mesh/element.h"

static const double node[6][3] = {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};

static void wedge6_functions(const double xi[3], double *N, double (*dN)[3]) {
    double l[3], dl[3][3], f[2], df[2][3];
    bl_element_triangle3.functions(xi, l, dl);
    bl_element_segment2.functions((const double[3]){xi[2]}, f, df);
    for (int i = 0; i < 6; i++) {
        int p = i % 3, q = i / 3;
        if (N)
            N[i] = l[p] * f[q];
        if (dN) {
            dN[i][0] = dl[p][0] * f[q];
            dN[i][1] = dl[p][1] * f[q];
            dN[i][2] = l[p] * df[q][0];
        }
    }
}

static const bl_element_face face[5] = {
    {&bl_element_triangle3, {0, 2, 1}}, {&bl_element_triangle3, {3, 4, 5}}, {&bl_element_quad4, {0, 1, 4, 3}},
    {&bl_element_quad4, {1, 2, 5, 4}},  {&bl_element_quad4, {2, 0, 3, 5}},
};

/* VTK, documentation of the class vtkWedge: the normal of the first triangle points away from the second, so both are listed in reverse
 * order. (vtkQuadraticWedge has our order: its parametric coordinates are right-handed, and it is cut into vtkWedge of the other sense.) */
static const uint8_t vtk_order[6] = {0, 2, 1, 3, 5, 4};

const bl_element_kind bl_element_wedge6 = {
    .kind = {"wedge6", "wedge of six nodes, linear", NULL, 0, 0},
    .shape = BL_WEDGE,
    .dim = 3,
    .nnode = 6,
    .ncorner = 6,
    .degree = 1,
    .nface = 5,
    .face = face,
    .node = node,
    .points = {3, 2},
    .mass_points = {3, 2},
    .reduced_points = {3, 1},
    .functions = wedge6_functions,
    .row_sum = true,
    .vtk = 13,
    .gmsh = 6,
    .vtk_order = vtk_order,
};
