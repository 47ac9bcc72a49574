/* hexa20: serendipity hexahedron. Corners 1/8 (1 + xi xi_i)(1 + eta eta_i)(1 + zeta zeta_i)(xi xi_i + eta eta_i + zeta zeta_i - 2), middles
 * of edges 1/4 (1 - xi^2)(1 + eta eta_i)(1 + zeta zeta_i) and likewise.
 * Edges: 12 23 34 41 below, 56 67 78 85 above, uprights 15 26 37 48. */
#include "mesh/element.h"

static const double node[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},   {-1, 1, 1}, {0, -1, -1}, {1, 0, -1},
    {0, 1, -1},   {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},   {0, 1, 1},   {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0}, {1, 1, 0},   {-1, 1, 0},
};

/* f: the product f[0] f[1] f[2] of linear and bubble functions with slopes df, times c with slopes dc */
static void hexa20_functions(const double xi[3], double *N, double (*dN)[3]) {
    for (int i = 0; i < 20; i++) {
        double f[3], df[3], c = 0.25, dc[3] = {0};
        for (int d = 0; d < 3; d++) {
            double x = xi[d], at = node[i][d];
            f[d] = at == 0 ? (1 - x) * (1 + x) : 1 + x * at;
            df[d] = at == 0 ? -2 * x : at;
        }
        if (i < 8) {
            c = (xi[0] * node[i][0] + xi[1] * node[i][1] + xi[2] * node[i][2] - 2) / 8;
            for (int d = 0; d < 3; d++)
                dc[d] = node[i][d] / 8;
        }
        if (N)
            N[i] = f[0] * f[1] * f[2] * c;
        if (dN) {
            dN[i][0] = (df[0] * c + f[0] * dc[0]) * f[1] * f[2];
            dN[i][1] = (df[1] * c + f[1] * dc[1]) * f[0] * f[2];
            dN[i][2] = (df[2] * c + f[2] * dc[2]) * f[0] * f[1];
        }
    }
}

static const bl_element_face face[6] = {
    {&bl_element_quad8, {0, 3, 2, 1, 11, 10, 9, 8}},   {&bl_element_quad8, {4, 5, 6, 7, 12, 13, 14, 15}},
    {&bl_element_quad8, {0, 1, 5, 4, 8, 17, 12, 16}},  {&bl_element_quad8, {1, 2, 6, 5, 9, 18, 13, 17}},
    {&bl_element_quad8, {2, 3, 7, 6, 10, 19, 14, 18}}, {&bl_element_quad8, {3, 0, 4, 7, 11, 16, 15, 19}},
};

/* Gmsh reference manual, section "Node ordering": middles of the edges 12 14 15 23 26 34 37 48 56 58 67 78 */
static const uint8_t gmsh_order[20] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15};

const bl_element_kind bl_element_hexa20 = {
    .kind = {"hexa20", "hexahedron of twenty nodes, quadratic (serendipity)", NULL, 0, 0},
    .shape = BL_HEXA,
    .dim = 3,
    .nnode = 20,
    .ncorner = 8,
    .degree = 2,
    .nface = 6,
    .face = face,
    .node = node,
    .points = {3, 3, 3},
    .mass_points = {3, 3, 3},
    .reduced_points = {2, 2, 2},
    .functions = hexa20_functions,
    .vtk = 25,
    .gmsh = 17,
    .gmsh_order = gmsh_order,
};
