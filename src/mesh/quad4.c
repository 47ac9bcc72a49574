/* quad4: bilinear quadrilateral, N_i = 1/4 (1 + xi xi_i)(1 + eta eta_i). */
#include "mesh/element.h"

static const double node[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};

static void quad4_functions(const double xi[3], double *N, double (*dN)[3]) {
    for (int i = 0; i < 4; i++) {
        double a = 1 + xi[0] * node[i][0], b = 1 + xi[1] * node[i][1];
        if (N)
            N[i] = a * b / 4;
        if (dN) {
            dN[i][0] = node[i][0] * b / 4;
            dN[i][1] = a * node[i][1] / 4;
            dN[i][2] = 0;
        }
    }
}

static const bl_element_face face[4] = {
    {&bl_element_segment2, {0, 1}},
    {&bl_element_segment2, {1, 2}},
    {&bl_element_segment2, {2, 3}},
    {&bl_element_segment2, {3, 0}},
};

const bl_element_kind bl_element_quad4 = {
    .kind = {"quad4", "quadrilateral of four nodes, bilinear", NULL, 0, 0},
    .shape = BL_QUAD,
    .dim = 2,
    .nnode = 4,
    .ncorner = 4,
    .degree = 1,
    .nface = 4,
    .face = face,
    .node = node,
    .points = {2, 2},
    .mass_points = {2, 2},
    .reduced_points = {1, 1},
    .functions = quad4_functions,
    .row_sum = true,
    .vtk = 9,
    .gmsh = 3,
};
