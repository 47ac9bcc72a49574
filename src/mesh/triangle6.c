/* triangle6: quadratic triangle in l = (1 - xi - eta, xi, eta): corners l_i (2 l_i - 1), middles of the edges 12, 23, 31 4 l_i l_j. The
 * mass has degree 4 and takes six points; three integrate the stiffness exactly if edges are straight; with fewer points it loses rank. */
#include "mesh/element.h"

static const double node[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}};
static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}}; /* of l */
static const uint8_t edge[3][2] = {{0, 1}, {1, 2}, {2, 0}};

static void triangle6_functions(const double xi[3], double *N, double (*dN)[3]) {
    double l[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};
    for (int i = 0; i < 3; i++) {
        int a = edge[i][0], b = edge[i][1];
        if (N) {
            N[i] = l[i] * (2 * l[i] - 1);
            N[3 + i] = 4 * l[a] * l[b];
        }
        if (dN) {
            for (int d = 0; d < 2; d++) {
                dN[i][d] = (4 * l[i] - 1) * slope[i][d];
                dN[3 + i][d] = 4 * (l[a] * slope[b][d] + l[b] * slope[a][d]);
            }
            dN[i][2] = dN[3 + i][2] = 0;
        }
    }
}

static const bl_element_face face[3] = {
    {&bl_element_segment3, {0, 1, 3}},
    {&bl_element_segment3, {1, 2, 4}},
    {&bl_element_segment3, {2, 0, 5}},
};

const bl_element_kind bl_element_triangle6 = {
    .kind = {"triangle6", "triangle of six nodes, quadratic", NULL, 0, 0},
    .shape = BL_TRIANGLE,
    .dim = 2,
    .nnode = 6,
    .ncorner = 3,
    .degree = 2,
    .nface = 3,
    .face = face,
    .node = node,
    .points = {3},
    .mass_points = {6},
    .reduced_points = {3},
    .functions = triangle6_functions,
    .vtk = 22,
    .gmsh = 9,
};
