/* segment4: cubic segment, ends and two nodes between them: products of (xi - xi_j) / (xi_i - xi_j). */
#include "mesh/element.h"

static const double node[4][3] = {{-1, 0, 0}, {1, 0, 0}, {-1 / 3.0, 0, 0}, {1 / 3.0, 0, 0}};

static void segment4_functions(const double xi[3], double *N, double (*dN)[3]) {
    for (int i = 0; i < 4; i++) {
        double value = 1, slope = 0; /* of the product so far */
        for (int j = 0; j < 4; j++)
            if (j != i) {
                double r = 1 / (node[i][0] - node[j][0]), factor = (xi[0] - node[j][0]) * r;
                slope = slope * factor + value * r;
                value *= factor;
            }
        if (N)
            N[i] = value;
        if (dN)
            dN[i][0] = slope, dN[i][1] = dN[i][2] = 0;
    }
}

static const bl_element_face face[2] = {{NULL, {0}}, {NULL, {1}}};

const bl_element_kind bl_element_segment4 = {
    .kind = {"segment4", "segment of four nodes, cubic", NULL, 0, 0},
    .shape = BL_SEGMENT,
    .dim = 1,
    .nnode = 4,
    .ncorner = 2,
    .degree = 3,
    .nface = 2,
    .face = face,
    .node = node,
    .points = {4},
    .mass_points = {4},
    .reduced_points = {3},
    .functions = segment4_functions,
    .vtk = 35,
    .gmsh = 26,
};
