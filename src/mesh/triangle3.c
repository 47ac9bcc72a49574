/* triangle3: linear triangle, N = (1 - xi - eta, xi, eta). */
#include "mesh/element.h"

static const double node[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

static void triangle3_functions(const double xi[3], double *N, double (*dN)[3]) {
    if (N) {
        N[0] = 1 - xi[0] - xi[1];
        N[1] = xi[0];
        N[2] = xi[1];
    }
    if (dN)
        for (int i = 0; i < 3; i++) {
            dN[i][0] = slope[i][0];
            dN[i][1] = slope[i][1];
            dN[i][2] = 0;
        }
}

static const bl_element_face face[3] = {
    {&bl_element_segment2, {0, 1}},
    {&bl_element_segment2, {1, 2}},
    {&bl_element_segment2, {2, 0}},
};

const bl_element_kind bl_element_triangle3 = {
    .kind = {"triangle3", "triangle of three nodes, linear", NULL, 0, 0},
    .shape = BL_TRIANGLE,
    .dim = 2,
    .nnode = 3,
    .ncorner = 3,
    .degree = 1,
    .nface = 3,
    .face = face,
    .node = node,
    .points = {1},
    .mass_points = {3},
    .reduced_points = {1},
    .functions = triangle3_functions,
    .row_sum = true,
    .vtk = 5,
    .gmsh = 2,
};
