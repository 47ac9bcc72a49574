/* tetra4: linear tetrahedron, N = (1 - xi - eta - zeta, xi, eta, zeta). */
#include "mesh/element.h"

static const double node[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void tetra4_functions(const double xi[3], double *N, double (*dN)[3]) {
    if (N) {
        N[0] = 1 - xi[0] - xi[1] - xi[2];
        for (int i = 1; i < 4; i++)
            N[i] = xi[i - 1];
    }
    if (dN)
        for (int i = 0; i < 4; i++)
            for (int d = 0; d < 3; d++)
                dN[i][d] = slope[i][d];
}

static const bl_element_face face[4] = {
    {&bl_element_triangle3, {0, 2, 1}},
    {&bl_element_triangle3, {0, 1, 3}},
    {&bl_element_triangle3, {1, 2, 3}},
    {&bl_element_triangle3, {2, 0, 3}},
};

const bl_element_kind bl_element_tetra4 = {
    .kind = {"tetra4", "tetrahedron of four nodes, linear", NULL, 0, 0},
    .shape = BL_TETRA,
    .dim = 3,
    .nnode = 4,
    .ncorner = 4,
    .degree = 1,
    .nface = 4,
    .face = face,
    .node = node,
    .points = {1},
    .mass_points = {4},
    .reduced_points = {1},
    .functions = tetra4_functions,
    .row_sum = true,
    .vtk = 10,
    .gmsh = 4,
};
