/* quad9: biquadratic quadrilateral, the product of segment3 with itself; the ninth node is the center. */
#include "mesh/element.h"

static const double node[9][3] = {
    {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, 0, 0},
};
/* which function of segment3 in xi and in eta */
static const uint8_t factor[9][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {1, 2}, {2, 1}, {0, 2}, {2, 2}};

static void quad9_functions(const double xi[3], double *N, double (*dN)[3]) {
    double a[3], b[3], da[3][3], db[3][3];
    bl_element_segment3.functions((const double[3]){xi[0]}, a, da);
    bl_element_segment3.functions((const double[3]){xi[1]}, b, db);
    for (int i = 0; i < 9; i++) {
        int p = factor[i][0], q = factor[i][1];
        if (N)
            N[i] = a[p] * b[q];
        if (dN) {
            dN[i][0] = da[p][0] * b[q];
            dN[i][1] = a[p] * db[q][0];
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

const bl_element_kind bl_element_quad9 = {
    .kind = {"quad9", "quadrilateral of nine nodes, biquadratic", NULL, 0, 0},
    .shape = BL_QUAD,
    .dim = 2,
    .nnode = 9,
    .ncorner = 4,
    .degree = 2,
    .nface = 4,
    .face = face,
    .node = node,
    .points = {3, 3},
    .mass_points = {3, 3},
    .reduced_points = {2, 2},
    .functions = quad9_functions,
    .vtk = 28,
    .gmsh = 10,
};
