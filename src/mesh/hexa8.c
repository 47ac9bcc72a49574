/* hexa8: trilinear hexahedron, N_i = 1/8 (1 + xi xi_i)(1 + eta eta_i)(1 + zeta zeta_i). */
#include "mesh/element.h"

static const double node[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};

static void hexa8_functions(const double xi[3], double *N, double (*dN)[3]) {
    for (int i = 0; i < 8; i++) {
        const double *at = node[i];
        double a = 1 + xi[0] * at[0], b = 1 + xi[1] * at[1], c = 1 + xi[2] * at[2];
        if (N)
            N[i] = a * b * c / 8;
        if (dN) {
            dN[i][0] = at[0] * b * c / 8;
            dN[i][1] = a * at[1] * c / 8;
            dN[i][2] = a * b * at[2] / 8;
        }
    }
}

static const bl_element_face face[6] = {
    {&bl_element_quad4, {0, 3, 2, 1}}, {&bl_element_quad4, {4, 5, 6, 7}}, {&bl_element_quad4, {0, 1, 5, 4}},
    {&bl_element_quad4, {1, 2, 6, 5}}, {&bl_element_quad4, {2, 3, 7, 6}}, {&bl_element_quad4, {3, 0, 4, 7}},
};

const bl_element_kind bl_element_hexa8 = {
    .kind = {"hexa8", "hexahedron of eight nodes, trilinear", NULL, 0, 0},
    .shape = BL_HEXA,
    .dim = 3,
    .nnode = 8,
    .ncorner = 8,
    .degree = 1,
    .nface = 6,
    .face = face,
    .node = node,
    .points = {2, 2, 2},
    .mass_points = {2, 2, 2},
    .reduced_points = {1, 1, 1},
    .functions = hexa8_functions,
    .row_sum = true,
    .vtk = 12,
    .gmsh = 5,
};
