/* Reference elements, one by one: functions against those that the polynomial space and the nodes determine, orders of nodes against the
 * reference nodes that Gmsh and VTK document. What holds for every kind is in tests/conform/mesh. */
#include "support/reference.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { NODES = BL_ELEMENT_NODES };

/* ---- functions */

typedef struct space { /* exponents of xi, eta, zeta of all monomials */
    const bl_element_kind *kind;
    const char *monomials;
} space;

static const space spaces[] = {
    {&bl_element_segment2, "000 100"},
    {&bl_element_segment3, "000 100 200"},
    {&bl_element_triangle3, "000 100 010"},
    {&bl_element_triangle6, "000 100 010 200 110 020"},
    {&bl_element_quad4, "000 100 010 110"},
    {&bl_element_quad8, "000 100 010 110 200 020 210 120"},
    {&bl_element_quad9, "000 100 010 110 200 020 210 120 220"},
    {&bl_element_tetra4, "000 100 010 001"},
    {&bl_element_tetra10, "000 100 010 001 200 020 002 110 011 101"},
    {&bl_element_hexa8, "000 100 010 001 110 011 101 111"},
    {&bl_element_hexa20, "000 100 010 001 110 011 101 111 200 020 002 210 201 120 021 102 012 211 121 112"},
    {&bl_element_hexa27, "000 100 010 001 110 011 101 111 200 020 002 210 201 120 021 102 012 211 121 112 220 022 202 221 122 212 222"},
    {&bl_element_wedge6, "000 100 010 001 101 011"},
    {&bl_element_wedge15, "000 100 010 200 110 020 001 101 011 201 111 021 002 102 012"},
};

static double power(double x, char p) { return p == '0' ? 1 : p == '1' ? x : x * x; }

static void monomials_at(const space *s, const double xi[3], double *m) {
    for (int i = 0; i < s->kind->nnode; i++) {
        const char *e = s->monomials + 4 * i;
        m[i] = power(xi[0], e[0]) * power(xi[1], e[1]) * power(xi[2], e[2]);
    }
}

/* N_i = sum_j c_ij m_j with N_i(node k) = delta_ik: V N = m, where column k of V holds the monomials at node k */
static void functions__follow_from_nodes_and_polynomials(void **unused) {
    (void)unused;
    test_random random = {test_seed(21)};
    assert_int_equal(sizeof spaces / sizeof spaces[0], 14);
    for (size_t k = 0; k < sizeof spaces / sizeof spaces[0]; k++) {
        const bl_element_kind *kind = spaces[k].kind;
        int n = kind->nnode;
        assert_int_equal(strlen(spaces[k].monomials), 4 * n - 1);
        for (int trial = 0; trial < 20; trial++) {
            double V[NODES * NODES], wanted[NODES], N[NODES], xi[3];
            lapack_int pivot[NODES];
            for (int i = 0; i < n; i++)
                monomials_at(&spaces[k], kind->node[i], V + i * n);
            test_reference_point(kind->shape, &random, xi);
            monomials_at(&spaces[k], xi, wanted);
            assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, n, 1, V, n, pivot, wanted, n), 0);
            kind->functions(xi, N, NULL);
            for (int i = 0; i < n; i++)
                if (!(fabs(N[i] - wanted[i]) <= 1000 * DBL_EPSILON)) /* the condition of V is at most 50 */
                    fail_msg("%s: function %d is off by %g", kind->kind.name, i + 1, N[i] - wanted[i]);
        }
    }
}

/* ---- orders of nodes in files */

typedef struct listing { /* reference nodes in the order of a file format */
    const bl_element_kind *kind;
    int type;
    bool unit; /* along segments coordinates go from 0 to 1 instead of from -1 to 1 */
    double node[NODES][3];
} listing;

/* Gmsh reference manual, section "Node ordering": the pictures, read one node after the other; element types of section "Legacy formats" */
static const listing gmsh[] = {
    {&bl_element_segment2, 1, false, {{-1}, {1}}},
    {&bl_element_segment3, 8, false, {{-1}, {1}, {0}}},
    {&bl_element_triangle3, 2, false, {{0, 0}, {1, 0}, {0, 1}}},
    {&bl_element_triangle6, 9, false, {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}}},
    {&bl_element_quad4, 3, false, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}},
    {&bl_element_quad8, 16, false, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}}},
    {&bl_element_quad9, 10, false, {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}, {0, 0}}},
    {&bl_element_tetra4, 4, false, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {&bl_element_tetra10,
     11,
     false,
     {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0, 0.5, 0.5}, {0.5, 0, 0.5}}},
    {&bl_element_hexa8, 5, false, {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}},
    {&bl_element_hexa20, 17, false, {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
                                     {-1, 1, 1},   {0, -1, -1}, {-1, 0, -1}, {-1, -1, 0}, {1, 0, -1},  {1, -1, 0}, {0, 1, -1},
                                     {1, 1, 0},    {-1, 1, 0},  {0, -1, 1},  {-1, 0, 1},  {1, 0, 1},   {0, 1, 1}}},
    {&bl_element_hexa27, 12, false, {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
                                     {-1, 1, 1},   {0, -1, -1}, {-1, 0, -1}, {-1, -1, 0}, {1, 0, -1},  {1, -1, 0}, {0, 1, -1},
                                     {1, 1, 0},    {-1, 1, 0},  {0, -1, 1},  {-1, 0, 1},  {1, 0, 1},   {0, 1, 1},  {0, 0, -1},
                                     {0, -1, 0},   {-1, 0, 0},  {1, 0, 0},   {0, 1, 0},   {0, 0, 1},   {0, 0, 0}}},
    {&bl_element_wedge6, 6, false, {{0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}}},
    {&bl_element_wedge15,
     18,
     false,
     {{0, 0, -1},
      {1, 0, -1},
      {0, 1, -1},
      {0, 0, 1},
      {1, 0, 1},
      {0, 1, 1},
      {0.5, 0, -1},
      {0, 0.5, -1},
      {0, 0, 0},
      {0.5, 0.5, -1},
      {1, 0, 0},
      {0, 1, 0},
      {0.5, 0, 1},
      {0, 0.5, 1},
      {0.5, 0.5, 1}}},
};

/* VTK: parametric coordinates that GetParametricCoords() of the classes vtkLine to vtkQuadraticWedge returns. vtkWedge is left out: its
 * documentation asks for the other sense of rotation, see below. */
static const listing vtk[] = {
    {&bl_element_segment2, 3, true, {{0}, {1}}},
    {&bl_element_segment3, 21, true, {{0}, {1}, {0.5}}},
    {&bl_element_triangle3, 5, true, {{0, 0}, {1, 0}, {0, 1}}},
    {&bl_element_triangle6, 22, true, {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}}},
    {&bl_element_quad4, 9, true, {{0, 0}, {1, 0}, {1, 1}, {0, 1}}},
    {&bl_element_quad8, 23, true, {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}}},
    {&bl_element_quad9, 28, true, {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}, {0.5, 0.5}}},
    {&bl_element_tetra4, 10, true, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {&bl_element_tetra10,
     24,
     true,
     {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}},
    {&bl_element_hexa8, 12, true, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}},
    {&bl_element_hexa20, 25, true, {{0, 0, 0},   {1, 0, 0},   {1, 1, 0},   {0, 1, 0},   {0, 0, 1},   {1, 0, 1},   {1, 1, 1},
                                    {0, 1, 1},   {0.5, 0, 0}, {1, 0.5, 0}, {0.5, 1, 0}, {0, 0.5, 0}, {0.5, 0, 1}, {1, 0.5, 1},
                                    {0.5, 1, 1}, {0, 0.5, 1}, {0, 0, 0.5}, {1, 0, 0.5}, {1, 1, 0.5}, {0, 1, 0.5}}},
    {&bl_element_hexa27, 29, true, {{0, 0, 0},     {1, 0, 0},     {1, 1, 0},      {0, 1, 0},     {0, 0, 1},     {1, 0, 1},
                                    {1, 1, 1},     {0, 1, 1},     {0.5, 0, 0},    {1, 0.5, 0},   {0.5, 1, 0},   {0, 0.5, 0},
                                    {0.5, 0, 1},   {1, 0.5, 1},   {0.5, 1, 1},    {0, 0.5, 1},   {0, 0, 0.5},   {1, 0, 0.5},
                                    {1, 1, 0.5},   {0, 1, 0.5},   {0, 0.5, 0.5},  {1, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 1, 0.5},
                                    {0.5, 0.5, 0}, {0.5, 0.5, 1}, {0.5, 0.5, 0.5}}},
    {&bl_element_wedge15,
     26,
     true,
     {{0, 0, 0},
      {1, 0, 0},
      {0, 1, 0},
      {0, 0, 1},
      {1, 0, 1},
      {0, 1, 1},
      {0.5, 0, 0},
      {0.5, 0.5, 0},
      {0, 0.5, 0},
      {0.5, 0, 1},
      {0.5, 0.5, 1},
      {0, 0.5, 1},
      {0, 0, 0.5},
      {1, 0, 0.5},
      {0, 1, 0.5}}},
};

static double volume_of(const bl_element_kind *kind, const double (*x)[3]) {
    bl_quadrature rule;
    double dN[NODES][3], g[3 * NODES], volume = 0;
    assert_int_equal(bl_quadrature_of(kind->shape, kind->mass_points, &rule), BL_OK);
    for (bl_index p = 0; p < rule.n; p++) {
        kind->functions(rule.at[p], NULL, dN);
        double det = bl_element_gradients(kind->dim, kind->nnode, x, (const double(*)[3])dN, g);
        assert_true(det > 0);
        volume += rule.weight[p] * det;
    }
    return volume;
}

/* a map of degree 2 that bends all edges: permuted middles would fold the element */
static void bend(int dim, const double at[3], double x[3]) {
    double u = at[0], v = at[1], w = at[2];
    x[0] = u + 0.1 * v * v;
    x[1] = dim > 1 ? v + 0.1 * w * w : 0;
    x[2] = dim > 2 ? w : 0;
}

/* nodes as the file lists them, put into our order: our reference nodes, and after bending (determinant 1) the same volume */
static void check_listing(const listing *list, const uint8_t *order) {
    const bl_element_kind *kind = list->kind;
    double x[NODES][3];
    for (int k = 0; k < kind->nnode; k++) {
        double at[3];
        for (int d = 0; d < 3; d++) {
            bool simplex = kind->shape == BL_TRIANGLE || kind->shape == BL_TETRA || (kind->shape == BL_WEDGE && d < 2);
            at[d] = list->node[order ? order[k] : k][d];
            if (list->unit && !simplex && d < kind->dim)
                at[d] = 2 * at[d] - 1;
            if (at[d] != kind->node[k][d])
                fail_msg("%s: node %d stands elsewhere", kind->kind.name, k + 1);
        }
        bend(kind->dim, at, x[k]);
    }
    double wanted = test_reference_volume(kind->shape);
    if (kind->degree == 2) /* linear kinds see chords */
        assert_true(fabs(volume_of(kind, (const double(*)[3])x) - wanted) <= 100 * DBL_EPSILON * wanted);
}

static void gmsh_nodes__stand_where_its_manual_draws_them(void **unused) {
    (void)unused;
    assert_int_equal(sizeof gmsh / sizeof gmsh[0], 14);
    for (size_t k = 0; k < sizeof gmsh / sizeof gmsh[0]; k++) {
        assert_int_equal(gmsh[k].kind->gmsh, gmsh[k].type);
        assert_ptr_equal(bl_element_kind_by_gmsh(gmsh[k].type), gmsh[k].kind);
        check_listing(&gmsh[k], gmsh[k].kind->gmsh_order);
    }
}

static void vtk_nodes__stand_at_its_parametric_coordinates(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof vtk / sizeof vtk[0]; k++) {
        assert_int_equal(vtk[k].kind->vtk, vtk[k].type);
        check_listing(&vtk[k], vtk[k].kind->vtk_order);
    }
}

/* Documentation of vtkWedge: by the right-hand rule the normal of the base (0,1,2) points outward, away from (3,4,5). The base lies below
 * here, so it is listed clockwise as seen from above. */
static void vtk_wedge6__has_the_normal_of_its_base_outside(void **unused) {
    (void)unused;
    static const double listed[6][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 2}, {0, 1, 2}, {1, 0, 2}};
    double x[6][3];
    assert_int_equal(bl_element_wedge6.vtk, 13);
    for (int k = 0; k < 6; k++)
        memcpy(x[k], listed[bl_element_wedge6.vtk_order[k]], sizeof x[k]);
    assert_true(fabs(volume_of(&bl_element_wedge6, (const double(*)[3])x) - 1) <= 10 * DBL_EPSILON);
    for (int k = 0; k < 3; k++) { /* uprights stay uprights */
        assert_true(x[k][0] == x[k + 3][0] && x[k][1] == x[k + 3][1]);
        assert_true(x[k][2] == 0 && x[k + 3][2] == 2);
    }
}

/* ---- faces, numbered as in Abaqus and CalculiX, whose loads name them */

/* outward normal of face f of a reference element at the mean of its corners, by the first corners */
static void face_normal(const bl_element_kind *kind, int f, double normal[3]) {
    const uint8_t *n = kind->face[f].node;
    const double *a = kind->node[n[0]], *b = kind->node[n[1]], *c = kind->node[n[2]];
    double size = 0;
    for (int d = 0; d < 3; d++) {
        int e = (d + 1) % 3, g = (d + 2) % 3;
        normal[d] = (b[e] - a[e]) * (c[g] - a[g]) - (b[g] - a[g]) * (c[e] - a[e]);
        size += normal[d] * normal[d];
    }
    for (int d = 0; d < 3; d++)
        normal[d] /= sqrt(size);
}

static void faces__are_numbered_as_documented(void **unused) {
    (void)unused;
    const double a = 1 / sqrt(2.0), b = 1 / sqrt(3.0);
    const struct {
        bl_shape shape;
        double normal[6][3];
    } wanted[] = {
        {BL_TETRA, {{0, 0, -1}, {0, -1, 0}, {b, b, b}, {-1, 0, 0}}},
        {BL_HEXA, {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}}},
        {BL_WEDGE, {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {a, a, 0}, {-1, 0, 0}}},
    };
    for (size_t k = 0; k < bl_element_kind_count; k++)
        for (size_t w = 0; w < 3; w++)
            for (int f = 0; f < bl_element_kinds[k]->nface && bl_element_kinds[k]->shape == wanted[w].shape; f++) {
                double normal[3];
                face_normal(bl_element_kinds[k], f, normal);
                for (int d = 0; d < 3; d++)
                    assert_true(fabs(normal[d] - wanted[w].normal[f][d]) <= 4 * DBL_EPSILON);
            }
    for (size_t k = 0; k < bl_element_kind_count; k++) /* in the plane from one corner to the next */
        for (int f = 0; f < bl_element_kinds[k]->nface && bl_element_kinds[k]->dim == 2; f++) {
            assert_int_equal(bl_element_kinds[k]->face[f].node[0], f);
            assert_int_equal(bl_element_kinds[k]->face[f].node[1], (f + 1) % bl_element_kinds[k]->ncorner);
        }
}

/* ---- lookups */

static void unknown_kinds__are_not_found(void **unused) {
    (void)unused;
    static const char *const names[] = {"", "quad", "quad4 ", "Quad4", "hexa", "hexa200"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        assert_null(bl_element_kind_by_name(names[k]));
    static const int types[] = {-1, 0, 7, 13, 14, 15, 19, 92, 256 + 5, 1 << 30};
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        assert_null(bl_element_kind_by_gmsh(types[k]));
}

/* ---- points */

/* stiffness / mass / reduced, as docs/theory/elements.md lists them */
static void default_points__are_those_documented(void **unused) {
    (void)unused;
    static const struct {
        const bl_element_kind *kind;
        int n[3];
    } wanted[] = {
        {&bl_element_segment2, {2, 2, 1}},  {&bl_element_segment3, {3, 3, 2}}, {&bl_element_triangle3, {1, 3, 1}},
        {&bl_element_triangle6, {3, 6, 3}}, {&bl_element_quad4, {4, 4, 1}},    {&bl_element_quad8, {9, 9, 4}},
        {&bl_element_quad9, {9, 9, 4}},     {&bl_element_tetra4, {1, 4, 1}},   {&bl_element_tetra10, {4, 15, 4}},
        {&bl_element_hexa8, {8, 8, 1}},     {&bl_element_hexa20, {27, 27, 8}}, {&bl_element_hexa27, {27, 27, 8}},
        {&bl_element_wedge6, {6, 6, 3}},    {&bl_element_wedge15, {9, 18, 6}},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
        const int *points[] = {wanted[k].kind->points, wanted[k].kind->mass_points, wanted[k].kind->reduced_points};
        for (int r = 0; r < 3; r++) {
            bl_quadrature rule;
            assert_int_equal(bl_quadrature_of(wanted[k].kind->shape, points[r], &rule), BL_OK);
            assert_int_equal(rule.n, wanted[k].n[r]);
        }
    }
}

/* largest error of int grad N_i . grad N_j on an affine element by these points */
static double stiffness_error(const bl_element_kind *kind, const int points[3]) {
    static double at[TEST_RULE_MOST][3], weight[TEST_RULE_MOST];
    static const double A[3][3] = {{1, 0.3, -0.2}, {0.1, 0.8, 0.2}, {-0.3, 0.1, 1.2}};
    bl_index n = test_reference_rule(kind->shape, 6, at, weight);
    bl_quadrature rule;
    assert_int_equal(bl_quadrature_of(kind->shape, points, &rule), BL_OK);
    double x[NODES][3], dN[NODES][3], g[3 * NODES], K[NODES][NODES] = {{0}}, worst = 0;
    for (int i = 0; i < kind->nnode; i++)
        for (int d = 0; d < 3; d++)
            x[i][d] = A[d][0] * kind->node[i][0] + A[d][1] * kind->node[i][1] + A[d][2] * kind->node[i][2];
    for (bl_index p = 0; p < n + rule.n; p++) {
        kind->functions(p < n ? at[p] : rule.at[p - n], NULL, dN);
        double factor = (p < n ? weight[p] : -rule.weight[p - n]) *
                        bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g);
        for (int i = 0; i < kind->nnode; i++)
            for (int j = 0; j < kind->nnode; j++)
                for (int d = 0; d < kind->dim; d++)
                    K[i][j] += factor * g[i * kind->dim + d] * g[j * kind->dim + d];
    }
    for (int i = 0; i < kind->nnode; i++)
        for (int j = 0; j < kind->nnode; j++)
            worst = fmax(worst, fabs(K[i][j]));
    return worst;
}

static void stiffness_points__are_exact_on_affine_elements_but_for_wedge15(void **unused) {
    (void)unused;
    const double rounding = 500 * DBL_EPSILON; /* up to 216 + 27 terms of size 1 */
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        if (kind == &bl_element_wedge15)
            assert_true(stiffness_error(kind, kind->points) > 1e-3);
        else
            assert_true(stiffness_error(kind, kind->points) <= rounding);
    }
    assert_true(stiffness_error(&bl_element_wedge15, (const int[3]){6, 3}) <= rounding);
}

/* ---- quadratic fields on distorted elements */

/* Error of x_d^2, d = 0, 1, ..., at a point when corners are moved and edges stay straight. linear: the kind of the corners. */
static double quadratic_error(const bl_element_kind *kind, const bl_element_kind *linear) {
    test_random random = {33};
    double corner[8][3], xi[3], L[8], at[3] = {0}, u[3] = {0}, N[NODES], worst = 0;
    for (int c = 0; c < kind->ncorner; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] = kind->node[c][d] + (d < kind->dim ? 0.2 * test_random_symmetric(&random) : 0);
    test_reference_point(kind->shape, &random, xi);
    kind->functions(xi, N, NULL);
    for (int i = 0; i < kind->nnode; i++) {
        double x[3] = {0};
        linear->functions(kind->node[i], L, NULL);
        for (int c = 0; c < kind->ncorner; c++)
            for (int d = 0; d < 3; d++)
                x[d] += L[c] * corner[c][d];
        for (int d = 0; d < 3; d++) {
            at[d] += N[i] * x[d];
            u[d] += N[i] * x[d] * x[d];
        }
    }
    for (int d = 0; d < 3; d++)
        worst = fmax(worst, fabs(u[d] - at[d] * at[d]));
    return worst;
}

/* what the quadratic patch test may require, and what it may not */
static void quadratic_fields__survive_straight_distortion_without_serendipity(void **unused) {
    (void)unused;
    assert_true(quadratic_error(&bl_element_triangle6, &bl_element_triangle3) <= 20 * DBL_EPSILON);
    assert_true(quadratic_error(&bl_element_quad9, &bl_element_quad4) <= 20 * DBL_EPSILON);
    assert_true(quadratic_error(&bl_element_tetra10, &bl_element_tetra4) <= 20 * DBL_EPSILON);
    assert_true(quadratic_error(&bl_element_hexa27, &bl_element_hexa8) <= 20 * DBL_EPSILON);
    assert_true(quadratic_error(&bl_element_quad8, &bl_element_quad4) > 1e-4);
    assert_true(quadratic_error(&bl_element_hexa20, &bl_element_hexa8) > 1e-4);
    assert_true(quadratic_error(&bl_element_wedge15, &bl_element_wedge6) > 1e-4);
}

/* ---- gradients */

/* A bilinear quadrilateral, by hand: corners (0,0) (2,0) (3,2) (0,1). At the center dx/dxi = (5, 1)/4, dx/deta = (1, 3)/4, det = 14/16. */
static void gradients__of_a_quadrilateral_are_those_by_hand(void **unused) {
    (void)unused;
    static const double x[4][3] = {{0, 0, 0}, {2, 0, 0}, {3, 2, 0}, {0, 1, 0}}, center[3] = {0};
    double dN[4][3], g[8];
    bl_element_quad4.functions(center, NULL, dN);
    double det = bl_element_gradients(2, 4, x, (const double(*)[3])dN, g);
    assert_true(fabs(det - 14.0 / 16) <= 4 * DBL_EPSILON);
    /* J^-T = 4/14 (3 -1; -1 5); the slopes of the third corner are (1/4, 1/4) */
    assert_true(fabs(g[4] - 2.0 / 14) <= 4 * DBL_EPSILON);
    assert_true(fabs(g[5] - 4.0 / 14) <= 4 * DBL_EPSILON);
}

/* a segment takes its first coordinate, whatever the others are */
static void gradients__of_segments_are_along_x(void **unused) {
    (void)unused;
    static const double x[2][3] = {{1, 5, 7}, {1.5, -2, 3}}, at[3] = {0.3};
    double dN[2][3], g[2];
    bl_element_segment2.functions(at, NULL, dN);
    assert_true(bl_element_gradients(1, 2, x, (const double(*)[3])dN, g) == 0.25);
    assert_true(g[0] == -2 && g[1] == 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions__follow_from_nodes_and_polynomials),
        cmocka_unit_test(gmsh_nodes__stand_where_its_manual_draws_them),
        cmocka_unit_test(vtk_nodes__stand_at_its_parametric_coordinates),
        cmocka_unit_test(vtk_wedge6__has_the_normal_of_its_base_outside),
        cmocka_unit_test(faces__are_numbered_as_documented),
        cmocka_unit_test(unknown_kinds__are_not_found),
        cmocka_unit_test(default_points__are_those_documented),
        cmocka_unit_test(stiffness_points__are_exact_on_affine_elements_but_for_wedge15),
        cmocka_unit_test(quadratic_fields__survive_straight_distortion_without_serendipity),
        cmocka_unit_test(gradients__of_a_quadrilateral_are_those_by_hand),
        cmocka_unit_test(gradients__of_segments_are_along_x),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
