/* quad8: serendipity quadrilateral. Corners 1/4 (1 + xi xi_i)(1 + eta eta_i)(xi xi_i + eta eta_i - 1), middles of the edges 12, 23, 34, 41
 * 1/2 (1 - xi^2)(1 + eta eta_i) and 1/2 (1 + xi xi_i)(1 - eta^2). */
#include "mesh/element.h"

static const double node[8][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};

static void quad8_functions(const double xi[3], double *N, double (*dN)[3]) {
    double x = xi[0], y = xi[1];
    for (int i = 0; i < 8; i++) {
        double p = node[i][0], q = node[i][1];
        double a = p == 0 ? (1 - x) * (1 + x) : 1 + x * p, da = p == 0 ? -2 * x : p;
        double b = q == 0 ? (1 - y) * (1 + y) : 1 + y * q, db = q == 0 ? -2 * y : q;
        /* factor of corners; for midpoints of edges c is the constant 1/2 */
        double c = i < 4 ? (x * p + y * q - 1) / 4 : 0.5, cx = i < 4 ? p / 4 : 0, cy = i < 4 ? q / 4 : 0;
        if (N)
            N[i] = a * b * c;
        if (dN) {
            dN[i][0] = (da * c + a * cx) * b;
            dN[i][1] = (db * c + b * cy) * a;
            dN[i][2] = 0;
        }
    }
}

static const bl_element_face face[4] = {
    {&bl_element_segment3, {0, 1, 4}},
    {&bl_element_segment3, {1, 2, 5}},
    {&bl_element_segment3, {2, 3, 6}},
    {&bl_element_segment3, {3, 0, 7}},
};

const bl_element_kind bl_element_quad8 = {
    .kind = {"quad8", "quadrilateral of eight nodes, quadratic (serendipity)", NULL, 0, 0},
    .shape = BL_QUAD,
    .dim = 2,
    .nnode = 8,
    .ncorner = 4,
    .degree = 2,
    .nface = 4,
    .face = face,
    .node = node,
    .points = {3, 3},
    .mass_points = {3, 3},
    .reduced_points = {2, 2},
    .functions = quad8_functions,
    .vtk = 23,
    .gmsh = 16,
};
