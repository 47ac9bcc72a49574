/* hexa27: triquadratic hexahedron, the product of three segment3. Nodes of hexa20, then the centers of the faces in their order (zeta = -1,
 * zeta = 1, eta = -1, xi = 1, eta = 1, xi = -1), then the center. */
#include "mesh/element.h"

static const double node[27][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},  {-1, 1, 1},  {0, -1, -1},
    {1, 0, -1},   {0, 1, -1},  {-1, 0, -1}, {0, -1, 1},  {1, 0, 1},   {0, 1, 1},  {-1, 0, 1}, {-1, -1, 0}, {1, -1, 0},
    {1, 1, 0},    {-1, 1, 0},  {0, 0, -1},  {0, 0, 1},   {0, -1, 0},  {1, 0, 0},  {0, 1, 0},  {-1, 0, 0},  {0, 0, 0},
};

/* which function of segment3 belongs to a coordinate -1, 1 or 0 */
static int factor(double at) { return at < 0 ? 0 : at > 0 ? 1 : 2; }

static void hexa27_functions(const double xi[3], double *N, double (*dN)[3]) {
    double f[3][3], df[3][3][3];
    for (int d = 0; d < 3; d++)
        bl_element_segment3.functions((const double[3]){xi[d]}, f[d], df[d]);
    for (int i = 0; i < 27; i++) {
        int p = factor(node[i][0]), q = factor(node[i][1]), r = factor(node[i][2]);
        if (N)
            N[i] = f[0][p] * f[1][q] * f[2][r];
        if (dN) {
            dN[i][0] = df[0][p][0] * f[1][q] * f[2][r];
            dN[i][1] = f[0][p] * df[1][q][0] * f[2][r];
            dN[i][2] = f[0][p] * f[1][q] * df[2][r][0];
        }
    }
}

static const bl_element_face face[6] = {
    {&bl_element_quad9, {0, 3, 2, 1, 11, 10, 9, 8, 20}},   {&bl_element_quad9, {4, 5, 6, 7, 12, 13, 14, 15, 21}},
    {&bl_element_quad9, {0, 1, 5, 4, 8, 17, 12, 16, 22}},  {&bl_element_quad9, {1, 2, 6, 5, 9, 18, 13, 17, 23}},
    {&bl_element_quad9, {2, 3, 7, 6, 10, 19, 14, 18, 24}}, {&bl_element_quad9, {3, 0, 4, 7, 11, 16, 15, 19, 25}},
};

/* Gmsh reference manual, section "Node ordering": edges as in hexa20, faces zeta = -1, eta = -1, xi = -1, xi = 1, eta = 1, zeta = 1 */
static const uint8_t gmsh_order[27] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 20, 25, 21, 23, 24, 22, 26,
};
/* VTK, documentation of the class vtkTriQuadraticHexahedron: faces xi = -1, xi = 1, eta = -1, eta = 1, zeta = -1, zeta = 1 */
static const uint8_t vtk_order[27] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 24, 25, 22, 21, 23, 20, 26,
};

const bl_element_kind bl_element_hexa27 = {
    .kind = {"hexa27", "hexahedron of 27 nodes, triquadratic", NULL, 0, 0},
    .shape = BL_HEXA,
    .dim = 3,
    .nnode = 27,
    .ncorner = 8,
    .degree = 2,
    .nface = 6,
    .face = face,
    .node = node,
    .points = {3, 3, 3},
    .mass_points = {3, 3, 3},
    .reduced_points = {2, 2, 2},
    .functions = hexa27_functions,
    .vtk = 29,
    .gmsh = 12,
    .gmsh_order = gmsh_order,
    .vtk_order = vtk_order,
};
