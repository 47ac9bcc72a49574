/* segment3: quadratic segment, ends and middle: 1/2 xi (xi - 1), 1/2 xi (xi + 1), 1 - xi^2. */
#include "mesh/element.h"

static const double node[3][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};

static void segment3_functions(const double xi[3], double *N, double (*dN)[3]) {
    double x = xi[0];
    if (N) {
        N[0] = x * (x - 1) / 2;
        N[1] = x * (x + 1) / 2;
        N[2] = (1 - x) * (1 + x);
    }
    if (dN) {
        dN[0][0] = x - 0.5;
        dN[1][0] = x + 0.5;
        dN[2][0] = -2 * x;
        for (int i = 0; i < 3; i++)
            dN[i][1] = dN[i][2] = 0;
    }
}

static const bl_element_face face[2] = {{NULL, {0}}, {NULL, {1}}};

const bl_element_kind bl_element_segment3 = {
    .kind = {"segment3", "segment of three nodes, quadratic", NULL, 0, 0},
    .shape = BL_SEGMENT,
    .dim = 1,
    .nnode = 3,
    .ncorner = 2,
    .degree = 2,
    .nface = 2,
    .face = face,
    .node = node,
    .points = {3},
    .mass_points = {3},
    .reduced_points = {2},
    .functions = segment3_functions,
    .vtk = 21,
    .gmsh = 8,
};
