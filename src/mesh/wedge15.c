/* wedge15: serendipity wedge in l = (1 - xi - eta, xi, eta) and z = zeta zeta_i. Corners 1/2 l_i (1 + z)(2 l_i - 2 + z), middles of the
 * triangles' edges 2 l_i l_j (1 + z), of the upright edges l_i (1 - zeta^2). Edges: 12 23 31 below, 45 56 64 above, uprights 14 25 36. */
#include "mesh/element.h"

static const double node[15][3] = {
    {0, 0, -1},   {1, 0, -1},  {0, 1, -1},    {0, 0, 1},   {1, 0, 1}, {0, 1, 1}, {0.5, 0, -1}, {0.5, 0.5, -1},
    {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
};
static const double slope[3][2] = {{-1, -1}, {1, 0}, {0, 1}}; /* of l */

/* at zeta = side: the corner of l_i and the middle of the edge from it to the next corner */
static void end_functions(int i, double side, const double l[3], double zeta, double *N, double (*dN)[3]) {
    int corner = side < 0 ? i : 3 + i, middle = side < 0 ? 6 + i : 9 + i, j = (i + 1) % 3;
    double z = zeta * side;
    if (N) {
        N[corner] = l[i] * (1 + z) * (2 * l[i] - 2 + z) / 2;
        N[middle] = 2 * l[i] * l[j] * (1 + z);
    }
    if (!dN)
        return;
    for (int d = 0; d < 2; d++) {
        dN[corner][d] = slope[i][d] * (1 + z) * (4 * l[i] - 2 + z) / 2;
        dN[middle][d] = 2 * (slope[i][d] * l[j] + l[i] * slope[j][d]) * (1 + z);
    }
    dN[corner][2] = side * l[i] * (2 * l[i] - 1 + 2 * z) / 2;
    dN[middle][2] = side * 2 * l[i] * l[j];
}

static void wedge15_functions(const double xi[3], double *N, double (*dN)[3]) {
    double l[3] = {1 - xi[0] - xi[1], xi[0], xi[1]}, zeta = xi[2];
    for (int i = 0; i < 3; i++) {
        end_functions(i, -1, l, zeta, N, dN);
        end_functions(i, 1, l, zeta, N, dN);
        if (N)
            N[12 + i] = l[i] * (1 - zeta) * (1 + zeta);
        if (dN) {
            for (int d = 0; d < 2; d++)
                dN[12 + i][d] = slope[i][d] * (1 - zeta) * (1 + zeta);
            dN[12 + i][2] = -2 * l[i] * zeta;
        }
    }
}

static const bl_element_face face[5] = {
    {&bl_element_triangle6, {0, 2, 1, 8, 7, 6}},      {&bl_element_triangle6, {3, 4, 5, 9, 10, 11}},
    {&bl_element_quad8, {0, 1, 4, 3, 6, 13, 9, 12}},  {&bl_element_quad8, {1, 2, 5, 4, 7, 14, 10, 13}},
    {&bl_element_quad8, {2, 0, 3, 5, 8, 12, 11, 14}},
};

/* Gmsh reference manual, section "Node ordering": middles of the edges 12 13 14 23 25 36 45 46 56 */
static const uint8_t gmsh_order[15] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11};

const bl_element_kind bl_element_wedge15 = {
    .kind = {"wedge15", "wedge of fifteen nodes, quadratic (serendipity)", NULL, 0, 0},
    .shape = BL_WEDGE,
    .dim = 3,
    .nnode = 15,
    .ncorner = 6,
    .degree = 2,
    .nface = 5,
    .face = face,
    .node = node,
    .points = {3, 3},
    .mass_points = {6, 3},
    .reduced_points = {3, 2},
    .functions = wedge15_functions,
    .vtk = 26,
    .gmsh = 18,
    .gmsh_order = gmsh_order,
};
