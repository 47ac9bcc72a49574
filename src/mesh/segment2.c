/* segment2: linear segment, N_i = 1/2 (1 + xi xi_i). One point would integrate the stiffness exactly for constant coefficients; the default
 * is two points because coefficients may depend on the solution or the position. */
#include "mesh/element.h"

static const double node[2][3] = {{-1, 0, 0}, {1, 0, 0}};

static void segment2_functions(const double xi[3], double *N, double (*dN)[3]) {
    for (int i = 0; i < 2; i++) {
        if (N)
            N[i] = (1 + xi[0] * node[i][0]) / 2;
        if (dN) {
            dN[i][0] = node[i][0] / 2;
            dN[i][1] = dN[i][2] = 0;
        }
    }
}

static const bl_element_face face[2] = {{NULL, {0}}, {NULL, {1}}};

const bl_element_kind bl_element_segment2 = {
    .kind = {"segment2", "segment of two nodes, linear", NULL, 0, 0},
    .shape = BL_SEGMENT,
    .dim = 1,
    .nnode = 2,
    .ncorner = 2,
    .degree = 1,
    .nface = 2,
    .face = face,
    .node = node,
    .points = {2},
    .mass_points = {2},
    .reduced_points = {1},
    .functions = segment2_functions,
    .row_sum = true,
    .vtk = 3,
    .gmsh = 1,
};
