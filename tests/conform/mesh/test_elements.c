/* Every reference element. A kind in element_list.h is tested. Tolerances are multiples of eps: shape functions and their derivatives are
 * polynomials with a few dozen products of numbers up to 10. */
#include "support/matrices.h"
#include "support/reference.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { NODES = BL_ELEMENT_NODES, TRIALS = 40 };
static const double EPS = 200 * DBL_EPSILON;

typedef struct map { /* x = a + A xi */
    double a[3], A[3][3], det;
} map;

static double determinant(int dim, const double A[3][3]) {
    if (dim == 1)
        return A[0][0];
    if (dim == 2)
        return A[0][0] * A[1][1] - A[0][1] * A[1][0];
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) - A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

/* random, with a determinant of the given sign whose size is at least 0.3 */
static map random_map(int dim, int sign, test_random *random) {
    map m = {0};
    do {
        for (int d = 0; d < dim; d++) {
            m.a[d] = test_random_symmetric(random);
            for (int e = 0; e < dim; e++)
                m.A[d][e] = 2 * test_random_symmetric(random);
        }
        m.det = determinant(dim, m.A);
    } while (!(sign * m.det > 0.3));
    return m;
}

static void apply(const map *m, const double xi[3], double x[3]) {
    for (int d = 0; d < 3; d++)
        x[d] = m->a[d] + m->A[d][0] * xi[0] + m->A[d][1] * xi[1] + m->A[d][2] * xi[2];
}

static void place(const bl_element_kind *kind, const map *m, double (*x)[3]) {
    for (int i = 0; i < kind->nnode; i++)
        apply(m, kind->node[i], x[i]);
}

/* every node moved by up to `share`, so that edges and faces of quadratic kinds are curved */
static void distort(const bl_element_kind *kind, double share, test_random *random, double (*x)[3]) {
    for (int i = 0; i < kind->nnode; i++)
        for (int d = 0; d < kind->dim; d++)
            x[i][d] += share * test_random_symmetric(random);
}

static void check(const bl_element_kind *kind, const char *what, double error, double bound) {
    if (!(error <= bound))
        fail_msg("%s: %s: %g is more than %g", kind->kind.name, what, error, bound);
}

static void every_kind__is_found_and_within_limits(void **unused) {
    (void)unused;
    static const char *const names[] = {
#define BL_KIND(name) #name,
#include "mesh/element_list.h"
#undef BL_KIND
    };
    assert_int_equal(bl_element_kind_count, sizeof names / sizeof names[0]);
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        assert_string_equal(kind->kind.name, names[k]);
        assert_ptr_equal(bl_element_kind_by_name(names[k]), kind);
        assert_ptr_equal(bl_element_kind_by_gmsh(kind->gmsh), kind);
        for (size_t j = 0; j < k; j++)
            assert_int_not_equal(bl_element_kinds[j]->vtk, kind->vtk);
        assert_true(kind->kind.help && kind->kind.help[0]);
        assert_in_range(kind->dim, 1, 3);
        assert_in_range(kind->nnode, kind->ncorner, BL_ELEMENT_NODES);
        assert_in_range(kind->nface, 2, BL_ELEMENT_FACES);
        const int *points[] = {kind->points, kind->mass_points, kind->reduced_points};
        bl_quadrature rule[3];
        for (int r = 0; r < 3; r++) {
            assert_int_equal(bl_quadrature_of(kind->shape, points[r], &rule[r]), BL_OK);
            assert_in_range(rule[r].n, 1, BL_ELEMENT_POINTS);
        }
        assert_true(rule[2].n <= rule[0].n);
    }
}

static void nodes__stand_on_the_reference_element_with_corners_first(void **unused) {
    (void)unused;
    static const int corners[BL_SHAPES] = {
        [BL_SEGMENT] = 2, [BL_TRIANGLE] = 3, [BL_QUAD] = 4, [BL_TETRA] = 4, [BL_HEXA] = 8, [BL_WEDGE] = 6};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        assert_int_equal(kind->ncorner, corners[kind->shape]);
        for (int i = 0; i < kind->nnode; i++) {
            assert_true(test_reference_holds(kind->shape, kind->node[i], 0));
            bool corner = true;
            for (int d = 0; d < kind->dim; d++) {
                double at = fabs(kind->node[i][d]);
                bool whole = kind->shape == BL_TRIANGLE || kind->shape == BL_TETRA || (kind->shape == BL_WEDGE && d < 2);
                corner = corner && (at == 1 || (whole && at == 0));
            }
            assert_int_equal(corner, i < kind->ncorner);
        }
    }
}

static void functions__are_one_at_their_node_and_sum_to_one(void **unused) {
    (void)unused;
    test_random random = {test_seed(11)};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        double N[NODES], dN[NODES][3], xi[3];
        for (int j = 0; j < kind->nnode; j++) {
            kind->functions(kind->node[j], N, NULL);
            for (int i = 0; i < kind->nnode; i++)
                check(kind, "value at a node", fabs(N[i] - (i == j)), EPS);
        }
        for (int trial = 0; trial < TRIALS; trial++) {
            test_reference_point(kind->shape, &random, xi);
            kind->functions(xi, N, dN);
            double sum = -1, slope[3] = {0};
            for (int i = 0; i < kind->nnode; i++) {
                sum += N[i];
                for (int d = 0; d < 3; d++)
                    slope[d] += dN[i][d];
            }
            check(kind, "sum of functions", fabs(sum), EPS);
            for (int d = 0; d < 3; d++)
                check(kind, "sum of slopes", fabs(slope[d]), EPS);
        }
    }
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12h is exact for polynomials of degree 4 in one coordinate, so h may be large */
static void slopes__are_differences_of_functions(void **unused) {
    (void)unused;
    test_random random = {test_seed(12)};
    const double h = 0.25;
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        for (int trial = 0; trial < TRIALS; trial++) {
            double xi[3], alone[NODES][3], both[NODES][3], N[NODES], only[NODES], f[4][NODES];
            test_reference_point(kind->shape, &random, xi);
            memset(alone, 255, sizeof alone); /* NaN: all entries must be written, those beyond dim with 0 */
            kind->functions(xi, NULL, alone);
            kind->functions(xi, N, both);
            kind->functions(xi, only, NULL);
            assert_memory_equal(alone, both, (size_t)kind->nnode * sizeof alone[0]);
            assert_memory_equal(N, only, (size_t)kind->nnode * sizeof N[0]);
            for (int d = 0; d < 3; d++) {
                static const int step[4] = {-2, -1, 1, 2};
                for (int s = 0; s < 4; s++) {
                    double at[3] = {xi[0], xi[1], xi[2]};
                    at[d] += step[s] * h;
                    kind->functions(at, f[s], NULL);
                }
                for (int i = 0; i < kind->nnode; i++) {
                    double slope = (8 * (f[2][i] - f[1][i]) - (f[3][i] - f[0][i])) / (12 * h);
                    check(kind, "slope", fabs(alone[i][d] - (d < kind->dim ? slope : 0)), d < kind->dim ? 10 * EPS : 0);
                }
            }
        }
    }
}

/* a polynomial of total degree at most 3 in dim variables, and its gradient */
static double polynomial(int dim, int degree, const double *c, const double x[3], double gradient[3]) {
    double value = *c++;
    for (int d = 0; d < dim; d++) {
        value += *c * x[d];
        gradient[d] = *c++;
    }
    if (degree < 2)
        return value;
    for (int d = 0; d < dim; d++)
        for (int e = d; e < dim; e++, c++) {
            value += *c * x[d] * x[e];
            gradient[d] += *c * x[e];
            gradient[e] += *c * x[d];
        }
    if (degree < 3)
        return value;
    for (int d = 0; d < dim; d++)
        for (int e = d; e < dim; e++)
            for (int f = e; f < dim; f++, c++) {
                value += *c * x[d] * x[e] * x[f];
                gradient[d] += *c * x[e] * x[f];
                gradient[e] += *c * x[d] * x[f];
                gradient[f] += *c * x[d] * x[e];
            }
    return value;
}

static void complete_polynomials__are_reproduced_on_affine_elements(void **unused) {
    (void)unused;
    test_random random = {test_seed(13)};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        int dim = kind->dim;
        assert_in_range(kind->degree, 1, 3);     /* beyond: extend polynomial() */
        double large = kind->degree < 3 ? 1 : 7; /* x up to 7 */
        for (int trial = 0; trial < TRIALS; trial++) {
            map m = random_map(dim, 1, &random);
            double x[NODES][3], u[NODES], c[20], ignored[3], xi[3], at[3], wanted[3], N[NODES], dN[NODES][3], g[NODES * 3];
            for (int i = 0; i < (kind->degree < 3 ? 10 : 20); i++)
                c[i] = test_random_symmetric(&random);
            place(kind, &m, x);
            for (int i = 0; i < kind->nnode; i++)
                u[i] = polynomial(dim, kind->degree, c, x[i], ignored);
            test_reference_point(kind->shape, &random, xi);
            apply(&m, xi, at);
            kind->functions(xi, N, dN);
            double value = -polynomial(dim, kind->degree, c, at, wanted);
            for (int i = 0; i < kind->nnode; i++)
                value += N[i] * u[i];
            check(kind, "value of a polynomial", fabs(value), large * 100 * EPS); /* x^2 up to 49 */
            double det = bl_element_gradients(dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g);
            check(kind, "determinant", fabs(det - m.det), 100 * EPS);
            for (int d = 0; d < dim; d++) {
                double slope = -wanted[d];
                for (int i = 0; i < kind->nnode; i++)
                    slope += g[i * dim + d] * u[i];
                check(kind, "gradient of a polynomial", fabs(slope), large * 2000 * EPS); /* entries of A^-1 up to 8 / 0.3 */
            }
        }
    }
}

static void linear_fields__are_reproduced_on_distorted_elements(void **unused) {
    (void)unused;
    test_random random = {test_seed(14)};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        int dim = kind->dim;
        for (int trial = 0; trial < TRIALS; trial++) {
            double x[NODES][3], c[4], ignored[3], xi[3], N[NODES], dN[NODES][3], g[NODES * 3];
            for (int i = 0; i < 4; i++)
                c[i] = test_random_symmetric(&random);
            memcpy(x, kind->node, (size_t)kind->nnode * sizeof x[0]);
            distort(kind, 0.05, &random, x);
            test_reference_point(kind->shape, &random, xi);
            kind->functions(xi, N, dN);
            double det = bl_element_gradients(dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g);
            assert_true(det > 0);
            double at[3] = {0}, u[NODES], value = 0;
            for (int i = 0; i < kind->nnode; i++) {
                u[i] = polynomial(dim, 1, c, x[i], ignored);
                value += N[i] * u[i];
                for (int d = 0; d < dim; d++)
                    at[d] += N[i] * x[i][d];
            }
            check(kind, "value of a linear field", fabs(value - polynomial(dim, 1, c, at, ignored)), EPS);
            for (int d = 0; d < dim; d++) {
                double slope = -c[1 + d];
                for (int i = 0; i < kind->nnode; i++)
                    slope += g[i * dim + d] * u[i];
                check(kind, "gradient of a linear field", fabs(slope), 50 * EPS / fmin(det, 1));
            }
        }
    }
}

static void inverted_and_flat_elements__have_no_positive_determinant(void **unused) {
    (void)unused;
    test_random random = {test_seed(15)};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        double x[NODES][3], dN[NODES][3], g[NODES * 3], xi[3];
        for (int trial = 0; trial < TRIALS; trial++) {
            map m = random_map(kind->dim, -1, &random);
            place(kind, &m, x);
            test_reference_point(kind->shape, &random, xi);
            kind->functions(xi, NULL, dN);
            double det = bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g);
            assert_true(det < 0);
            check(kind, "determinant", fabs(det - m.det), 100 * EPS);
            for (int i = 0; i < kind->nnode; i++)
                x[i][kind->dim - 1] = 0;
            assert_true(bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g) == 0);
        }
        x[0][0] = NAN;
        assert_false(bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g) > 0);
    }
}

/* ---- faces */

/* (multi)linear functions of the corners of a segment, triangle or quad */
static void corner_functions(bl_shape shape, const double xi[3], double *L) {
    double x = xi[0], y = xi[1];
    if (shape == BL_SEGMENT) {
        L[0] = (1 - x) / 2;
        L[1] = (1 + x) / 2;
    } else if (shape == BL_TRIANGLE) {
        L[0] = 1 - x - y;
        L[1] = x;
        L[2] = y;
    } else {
        assert_int_equal(shape, BL_QUAD);
        L[0] = (1 - x) * (1 - y) / 4;
        L[1] = (1 + x) * (1 - y) / 4;
        L[2] = (1 + x) * (1 + y) / 4;
        L[3] = (1 - x) * (1 + y) / 4;
    }
}

static void faces__carry_their_nodes_in_the_order_of_their_kind(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        for (int f = 0; f < kind->nface; f++) {
            const bl_element_face *face = &kind->face[f];
            if (!face->kind) {
                assert_int_equal(kind->dim, 1);
                assert_int_equal(face->node[0], f);
                continue;
            }
            assert_int_equal(face->kind->dim, kind->dim - 1);
            assert_int_equal(face->kind->degree, kind->degree);
            for (int m = 0; m < face->kind->nnode; m++) {
                double L[4], at[3] = {0};
                assert_in_range(face->node[m], 0, kind->nnode - 1);
                corner_functions(face->kind->shape, face->kind->node[m], L);
                for (int c = 0; c < face->kind->ncorner; c++)
                    for (int d = 0; d < 3; d++)
                        at[d] += L[c] * kind->node[face->node[c]][d];
                for (int d = 0; d < 3; d++)
                    assert_true(at[d] == kind->node[face->node[m]][d]);
            }
        }
    }
}

/* Elements that share the nodes of a face share its shape: on the face the functions of its nodes are those of its kind, others vanish. */
static void functions__on_a_face_are_those_of_its_kind(void **unused) {
    (void)unused;
    test_random random = {test_seed(16)};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        for (int f = 0; f < kind->nface && kind->face[f].kind; f++)
            for (int trial = 0; trial < TRIALS; trial++) {
                const bl_element_face *face = &kind->face[f];
                double s[3], xi[3] = {0}, M[NODES], N[NODES];
                test_reference_point(face->kind->shape, &random, s);
                face->kind->functions(s, M, NULL);
                for (int m = 0; m < face->kind->nnode; m++)
                    for (int d = 0; d < 3; d++)
                        xi[d] += M[m] * kind->node[face->node[m]][d];
                kind->functions(xi, N, NULL);
                for (int m = 0; m < face->kind->nnode; m++)
                    N[face->node[m]] -= M[m];
                for (int i = 0; i < kind->nnode; i++)
                    check(kind, "function on a face", fabs(N[i]), EPS);
            }
    }
}

/* the area vector (in the plane: length) of all faces together, and the volume by the divergence theorem, V = 1/dim sum int x.n dA */
static double closed_surface(const bl_element_kind *kind, const double (*x)[3], double sum[3]) {
    static double at[TEST_RULE_MOST][3], weight[TEST_RULE_MOST];
    double volume = 0;
    memset(sum, 0, 3 * sizeof *sum);
    for (int f = 0; f < kind->nface; f++) {
        const bl_element_face *face = &kind->face[f];
        if (!face->kind) { /* the normal of an end of a segment is its own reference coordinate */
            double n = kind->node[face->node[0]][0];
            sum[0] += n;
            volume += n * x[face->node[0]][0];
            continue;
        }
        bl_index n = test_reference_rule(face->kind->shape, 6, at, weight);
        for (bl_index p = 0; p < n; p++) {
            double M[NODES], dM[NODES][3], y[3] = {0}, t[2][3] = {{0}}, normal[3];
            face->kind->functions(at[p], M, dM);
            for (int m = 0; m < face->kind->nnode; m++)
                for (int d = 0; d < 3; d++) {
                    y[d] += M[m] * x[face->node[m]][d];
                    t[0][d] += dM[m][0] * x[face->node[m]][d];
                    t[1][d] += dM[m][1] * x[face->node[m]][d];
                }
            if (kind->dim == 2) {
                normal[0] = t[0][1]; /* to the right */
                normal[1] = -t[0][0];
                normal[2] = 0;
            } else
                for (int d = 0; d < 3; d++)
                    normal[d] = t[0][(d + 1) % 3] * t[1][(d + 2) % 3] - t[0][(d + 2) % 3] * t[1][(d + 1) % 3];
            for (int d = 0; d < 3; d++) {
                sum[d] += weight[p] * normal[d];
                volume += weight[p] * normal[d] * y[d] / kind->dim;
            }
        }
    }
    return volume;
}

static double volume_by(const bl_element_kind *kind, bl_index n, const double (*at)[3], const double *weight, const double (*x)[3]) {
    double volume = 0, dN[NODES][3], g[NODES * 3];
    for (bl_index p = 0; p < n; p++) {
        kind->functions(at[p], NULL, dN);
        volume += weight[p] * bl_element_gradients(kind->dim, kind->nnode, x, (const double(*)[3])dN, g);
    }
    return volume;
}

static void faces__enclose_the_volume_and_point_outward(void **unused) {
    (void)unused;
    test_random random = {test_seed(17)};
    static double at[TEST_RULE_MOST][3], weight[TEST_RULE_MOST];
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        bl_index n = test_reference_rule(kind->shape, 7, at, weight);
        for (int trial = 0; trial < TRIALS; trial++) {
            double x[NODES][3], sum[3];
            map m = random_map(kind->dim, 1, &random);
            place(kind, &m, x);
            if (trial % 2)
                distort(kind, 0.3, &random, x); /* curved, possibly folded: the theorem holds for polynomials */
            double volume = volume_by(kind, n, (const double(*)[3])at, weight, (const double(*)[3])x);
            double enclosed = closed_surface(kind, (const double(*)[3])x, sum);
            if (trial % 2 == 0)
                check(kind, "volume of an affine element", fabs(volume - m.det * test_reference_volume(kind->shape)), 1000 * EPS);
            for (int d = 0; d < 3; d++)
                check(kind, "sum of area vectors", fabs(sum[d]), 1000 * EPS);
            check(kind, "volume within the faces", fabs(enclosed - volume), 1000 * EPS);
        }
    }
}

/* ---- integration points of a kind */

static void mass_points__integrate_the_mass_exactly(void **unused) {
    (void)unused;
    static double at[TEST_RULE_MOST][3], weight[TEST_RULE_MOST], wanted[NODES * NODES], M[NODES * NODES];
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        bl_index n = test_reference_rule(kind->shape, 6, at, weight), nn = kind->nnode;
        bl_quadrature rule;
        assert_int_equal(bl_quadrature_of(kind->shape, kind->mass_points, &rule), BL_OK);
        memset(wanted, 0, sizeof wanted);
        memset(M, 0, sizeof M);
        double N[NODES], total = 0;
        for (bl_index p = 0; p < n; p++) {
            kind->functions(at[p], N, NULL);
            for (bl_index i = 0; i < nn * nn; i++)
                wanted[i] += weight[p] * N[i / nn] * N[i % nn];
        }
        for (bl_index p = 0; p < rule.n; p++) {
            kind->functions(rule.at[p], N, NULL);
            for (bl_index i = 0; i < nn * nn; i++)
                M[i] += rule.weight[p] * N[i / nn] * N[i % nn];
        }
        for (bl_index i = 0; i < nn * nn; i++) {
            check(kind, "mass", fabs(M[i] - wanted[i]), EPS);
            total += M[i];
        }
        check(kind, "total mass", fabs(total - test_reference_volume(kind->shape)), 10 * EPS);
        for (bl_index i = 0; i < nn; i++) { /* lumped masses are positive */
            double row = 0;
            for (bl_index j = 0; j < nn; j++)
                row += M[i * nn + j];
            assert_true(kind->row_sum ? row > 0.01 : M[i * nn + i] > 0.001);
        }
        double s[NODES];
        test_singular_values(nn, nn, M, s);
        assert_true(s[nn - 1] > 1e-4 * s[0]); /* no field without mass */
    }
}

/* A unit cube (square, length), and the wedge and simplex that are 1/2 and 1/dim! of it: the mass of density 1 is their volume. */
static void unit_cubes__have_mass_one(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        static const double wanted[BL_SHAPES] = {
            [BL_SEGMENT] = 1, [BL_TRIANGLE] = 0.5, [BL_QUAD] = 1, [BL_TETRA] = 1.0 / 6, [BL_HEXA] = 1, [BL_WEDGE] = 0.5,
        };
        double x[NODES][3] = {{0}};
        for (int i = 0; i < kind->nnode; i++)
            for (int d = 0; d < kind->dim; d++) {
                bool simplex = kind->shape == BL_TRIANGLE || kind->shape == BL_TETRA || (kind->shape == BL_WEDGE && d < 2);
                x[i][d] = simplex ? kind->node[i][d] : (1 + kind->node[i][d]) / 2;
            }
        const int *points[] = {kind->points, kind->mass_points, kind->reduced_points};
        for (int r = 0; r < 3; r++) {
            bl_quadrature rule;
            assert_int_equal(bl_quadrature_of(kind->shape, points[r], &rule), BL_OK);
            double mass = volume_by(kind, rule.n, rule.at, rule.weight, (const double(*)[3])x);
            check(kind, "mass of a unit cube", fabs(mass - wanted[kind->shape]), EPS);
        }
    }
}

/* Full integration: only rigid motions have no energy. Reduced integration has more such modes only if it has too few strains. */
static void zero_energy_modes__are_as_few_as_the_points_allow(void **unused) {
    (void)unused;
    test_random random = {test_seed(18)};
    static const int rigid[] = {0, 1, 3, 6}, strains[] = {0, 1, 3, 6};
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        double x[NODES][3];
        memcpy(x, kind->node, (size_t)kind->nnode * sizeof x[0]);
        distort(kind, 0.05, &random, x);
        bl_index all = kind->dim * kind->nnode - rigid[kind->dim];
        assert_int_equal(test_strain_rank(kind, kind->points, (const double(*)[3])x), all);
        assert_int_equal(test_strain_rank(kind, kind->mass_points, (const double(*)[3])x), all);
        bl_quadrature rule;
        assert_int_equal(bl_quadrature_of(kind->shape, kind->reduced_points, &rule), BL_OK);
        bl_index most = strains[kind->dim] * rule.n;
        assert_int_equal(test_strain_rank(kind, kind->reduced_points, (const double(*)[3])x), most < all ? most : all);
    }
}

/* corners moved, edges straight: other nodes where the linear element of the shape puts them */
static void straighten(const bl_element_kind *kind, double (*x)[3]) {
    const bl_element_kind *linear = NULL;
    for (size_t k = 0; k < bl_element_kind_count && !linear; k++)
        if (bl_element_kinds[k]->shape == kind->shape && bl_element_kinds[k]->nnode == kind->ncorner)
            linear = bl_element_kinds[k];
    assert_non_null(linear);
    for (int i = kind->ncorner; i < kind->nnode; i++) {
        double L[NODES];
        linear->functions(kind->node[i], L, NULL);
        memset(x[i], 0, sizeof x[i]);
        for (int c = 0; c < kind->ncorner; c++)
            for (int d = 0; d < 3; d++)
                x[i][d] += L[c] * x[c][d];
    }
}

/* Requirement of the linear patch test: int dN/dx, the nodal forces of a constant stress, is exact with the integration points of the
 * stiffness if edges are straight, also on distorted elements. */
static void stiffness_points__integrate_gradients_exactly(void **unused) {
    (void)unused;
    test_random random = {test_seed(19)};
    static double at[TEST_RULE_MOST][3], weight[TEST_RULE_MOST];
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        bl_index n = test_reference_rule(kind->shape, 6, at, weight);
        bl_quadrature rule;
        assert_int_equal(bl_quadrature_of(kind->shape, kind->points, &rule), BL_OK);
        for (int trial = 0; trial < TRIALS; trial++) {
            double x[NODES][3], dN[NODES][3], g[NODES * 3], difference[NODES * 3] = {0};
            memcpy(x, kind->node, (size_t)kind->nnode * sizeof x[0]);
            distort(kind, 0.15, &random, x);
            straighten(kind, x);
            for (bl_index p = 0; p < n + rule.n; p++) {
                kind->functions(p < n ? at[p] : rule.at[p - n], NULL, dN);
                double det = bl_element_gradients(kind->dim, kind->nnode, (const double(*)[3])x, (const double(*)[3])dN, g);
                assert_true(det > 0);
                for (int i = 0; i < kind->nnode * kind->dim; i++)
                    difference[i] += det * (p < n ? weight[p] : -rule.weight[p - n]) * g[i];
            }
            for (int i = 0; i < kind->nnode * kind->dim; i++)
                check(kind, "integral of a gradient", fabs(difference[i]), 10 * EPS);
        }
    }
}

static void orders_of_files__are_permutations(void **unused) {
    (void)unused;
    for (size_t k = 0; k < bl_element_kind_count; k++) {
        const bl_element_kind *kind = bl_element_kinds[k];
        const uint8_t *order[] = {kind->gmsh_order, kind->vtk_order};
        for (int o = 0; o < 2; o++) {
            if (!order[o])
                continue;
            bool seen[NODES] = {false}, moved = false;
            for (int i = 0; i < kind->nnode; i++) {
                assert_in_range(order[o][i], 0, kind->nnode - 1);
                assert_false(seen[order[o][i]]);
                seen[order[o][i]] = true;
                moved = moved || order[o][i] != i;
                assert_int_equal(order[o][i] < kind->ncorner, i < kind->ncorner);
            }
            assert_true(moved); /* else it is NULL */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind__is_found_and_within_limits),
        cmocka_unit_test(nodes__stand_on_the_reference_element_with_corners_first),
        cmocka_unit_test(functions__are_one_at_their_node_and_sum_to_one),
        cmocka_unit_test(slopes__are_differences_of_functions),
        cmocka_unit_test(complete_polynomials__are_reproduced_on_affine_elements),
        cmocka_unit_test(linear_fields__are_reproduced_on_distorted_elements),
        cmocka_unit_test(inverted_and_flat_elements__have_no_positive_determinant),
        cmocka_unit_test(faces__carry_their_nodes_in_the_order_of_their_kind),
        cmocka_unit_test(functions__on_a_face_are_those_of_its_kind),
        cmocka_unit_test(faces__enclose_the_volume_and_point_outward),
        cmocka_unit_test(mass_points__integrate_the_mass_exactly),
        cmocka_unit_test(unit_cubes__have_mass_one),
        cmocka_unit_test(zero_energy_modes__are_as_few_as_the_points_allow),
        cmocka_unit_test(stiffness_points__integrate_gradients_exactly),
        cmocka_unit_test(orders_of_files__are_permutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
