/* tetra10: quadratic tetrahedron in l = (1 - xi - eta - zeta, xi, eta, zeta): corners l_i (2 l_i - 1), middles of the edges 12, 23, 31, 14,
 * 24, 34 4 l_i l_j. Four points integrate the stiffness exactly if edges are straight; with fewer points it loses rank. The mass has
 * degree 4. */
#include "mesh/element.h"

static const double node[10][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5},
};
static const double slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; /* of l */
static const uint8_t edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void tetra10_functions(const double xi[3], double *N, double (*dN)[3]) {
    double l[4] = {1 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]};
    for (int i = 0; i < 4; i++) {
        if (N)
            N[i] = l[i] * (2 * l[i] - 1);
        for (int d = 0; dN && d < 3; d++)
            dN[i][d] = (4 * l[i] - 1) * slope[i][d];
    }
    for (int i = 0; i < 6; i++) {
        int a = edge[i][0], b = edge[i][1];
        if (N)
            N[4 + i] = 4 * l[a] * l[b];
        for (int d = 0; dN && d < 3; d++)
            dN[4 + i][d] = 4 * (l[a] * slope[b][d] + l[b] * slope[a][d]);
    }
}

static const bl_element_face face[4] = {
    {&bl_element_triangle6, {0, 2, 1, 6, 5, 4}},
    {&bl_element_triangle6, {0, 1, 3, 4, 8, 7}},
    {&bl_element_triangle6, {1, 2, 3, 5, 9, 8}},
    {&bl_element_triangle6, {2, 0, 3, 6, 7, 9}},
};

/* Gmsh reference manual, section "Node ordering": the last two midpoints are exchanged */
static const uint8_t gmsh_order[10] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8};

const bl_element_kind bl_element_tetra10 = {
    .kind = {"tetra10", "tetrahedron of ten nodes, quadratic", NULL, 0, 0},
    .shape = BL_TETRA,
    .dim = 3,
    .nnode = 10,
    .ncorner = 4,
    .degree = 2,
    .nface = 4,
    .face = face,
    .node = node,
    .points = {4},
    .mass_points = {15},
    .reduced_points = {4},
    .functions = tetra10_functions,
    .vtk = 24,
    .gmsh = 11,
    .gmsh_order = gmsh_order,
};
