/* Quadrature against exact integrals of monomials, rule by rule. Tolerances: a sum of n products has an error of at most about
 * (n + number of factors) eps times the sum of absolute values, which is at most the volume here. */
#include "support/reference.h"

#include <float.h>
#include <limits.h>
#include <math.h>

static const int triangle_rules[] = {1, 3, 6, 7, 12}, triangle_degree[] = {1, 2, 4, 5, 6};
static const int tetra_rules[] = {1, 4, 15}, tetra_degree[] = {1, 2, 5};

static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

/* of x^p over [-1, 1] */
static double line(int p) { return p % 2 ? 0 : 2.0 / (p + 1); }

/* of xi^p eta^q zeta^r over the reference element: Dirichlet's formula on simplices */
static double exact(bl_shape shape, int p, int q, int r) {
    switch (shape) {
    case BL_SEGMENT: return line(p);
    case BL_QUAD: return line(p) * line(q);
    case BL_HEXA: return line(p) * line(q) * line(r);
    case BL_TRIANGLE: return factorial(p) * factorial(q) / factorial(p + q + 2);
    case BL_WEDGE: return factorial(p) * factorial(q) / factorial(p + q + 2) * line(r);
    default: return factorial(p) * factorial(q) * factorial(r) / factorial(p + q + r + 3);
    }
}

static double by_rule(const bl_quadrature *rule, int p, int q, int r) {
    double sum = 0;
    for (bl_index i = 0; i < rule->n; i++) {
        double f = rule->weight[i];
        for (int k = 0; k < p; k++)
            f *= rule->at[i][0];
        for (int k = 0; k < q; k++)
            f *= rule->at[i][1];
        for (int k = 0; k < r; k++)
            f *= rule->at[i][2];
        sum += f;
    }
    return sum;
}

static double error_of(bl_shape shape, const bl_quadrature *rule, int p, int q, int r) {
    return fabs(by_rule(rule, p, q, r) - exact(shape, p, q, r));
}

static double rounding(bl_shape shape, const bl_quadrature *rule, int degree) {
    return (rule->n + degree + 4) * DBL_EPSILON * test_reference_volume(shape);
}

static void check_exact(bl_shape shape, const bl_quadrature *rule, int p, int q, int r) {
    double error = error_of(shape, rule, p, q, r);
    if (!(error <= rounding(shape, rule, p + q + r)))
        fail_msg("shape %d, %d points: xi^%d eta^%d zeta^%d is off by %g", shape, rule->n, p, q, r, error);
}

static void check_points(bl_shape shape, const bl_quadrature *rule, bl_index count) {
    assert_int_equal(rule->n, count);
    double sum = 0;
    for (bl_index i = 0; i < rule->n; i++) {
        assert_true(rule->weight[i] > 0);
        assert_true(test_reference_holds(shape, rule->at[i], 0));
        sum += rule->weight[i];
        for (bl_index j = 0; j < i; j++) {
            double distance = 0;
            for (int d = 0; d < 3; d++)
                distance += fabs(rule->at[i][d] - rule->at[j][d]);
            assert_true(distance > 0.05);
        }
    }
    assert_true(fabs(sum - test_reference_volume(shape)) <= rounding(shape, rule, 0));
}

static bl_quadrature rule_of(bl_shape shape, int n0, int n1, int n2) {
    bl_quadrature rule;
    assert_int_equal(bl_quadrature_of(shape, (const int[3]){n0, n1, n2}, &rule), BL_OK);
    return rule;
}

static void gauss_points__are_zeros_of_legendre_polynomials(void **unused) {
    (void)unused;
    for (int n = 1; n <= 5; n++) {
        double x[8], w[8];
        test_gauss(n, x, w);
        bl_quadrature rule = rule_of(BL_SEGMENT, n, 0, 0);
        check_points(BL_SEGMENT, &rule, n);
        for (int i = 0; i < n; i++) {
            assert_true(fabs(rule.at[i][0] - x[i]) <= DBL_EPSILON);
            assert_true(fabs(rule.weight[i] - w[i]) <= 2 * DBL_EPSILON);
            assert_true(rule.at[i][0] == -rule.at[n - 1 - i][0]); /* symmetric to the bit: sums of odd functions vanish */
            assert_true(rule.weight[i] == rule.weight[n - 1 - i]);
        }
    }
}

static void segments__are_exact_to_degree_2n_minus_1_and_no_further(void **unused) {
    (void)unused;
    for (int n = 1; n <= 5; n++) {
        bl_quadrature rule = rule_of(BL_SEGMENT, n, -7, 99);
        for (int p = 0; p < 2 * n; p++)
            check_exact(BL_SEGMENT, &rule, p, 0, 0);
        double bound = ldexp(1, 2 * n + 1) * pow(factorial(n), 4) / ((2 * n + 1) * pow(factorial(2 * n), 2)); /* the error for x^2n */
        assert_true(fabs(error_of(BL_SEGMENT, &rule, 2 * n, 0, 0) - bound) <= rounding(BL_SEGMENT, &rule, 2 * n));
    }
}

static void quads__are_exact_in_each_direction(void **unused) {
    (void)unused;
    for (int n0 = 1; n0 <= 5; n0++)
        for (int n1 = 1; n1 <= 5; n1++) {
            bl_quadrature rule = rule_of(BL_QUAD, n0, n1, 0);
            check_points(BL_QUAD, &rule, n0 * n1);
            for (int p = 0; p < 2 * n0; p++)
                for (int q = 0; q < 2 * n1; q++)
                    check_exact(BL_QUAD, &rule, p, q, 0);
            assert_true(error_of(BL_QUAD, &rule, 2 * n0, 0, 0) > 1e-3);
            assert_true(error_of(BL_QUAD, &rule, 0, 2 * n1, 0) > 1e-3);
        }
}

static void hexas__are_exact_in_each_direction(void **unused) {
    (void)unused;
    for (int n0 = 1; n0 <= 5; n0++)
        for (int n1 = 1; n1 <= 5; n1++)
            for (int n2 = 1; n2 <= 5; n2++) {
                bl_quadrature rule = rule_of(BL_HEXA, n0, n1, n2);
                check_points(BL_HEXA, &rule, n0 * n1 * n2);
                assert_true(rule.n <= BL_ELEMENT_POINTS);
                for (int p = 0; p < 2 * n0; p++)
                    for (int q = 0; q < 2 * n1; q++)
                        for (int r = 0; r < 2 * n2; r++)
                            check_exact(BL_HEXA, &rule, p, q, r);
                assert_true(error_of(BL_HEXA, &rule, 2 * n0, 0, 0) > 1e-3);
                assert_true(error_of(BL_HEXA, &rule, 0, 2 * n1, 0) > 1e-3);
                assert_true(error_of(BL_HEXA, &rule, 0, 0, 2 * n2) > 1e-3);
            }
}

static void first_coordinate__changes_fastest(void **unused) {
    (void)unused;
    bl_quadrature rule = rule_of(BL_HEXA, 2, 3, 4), along = rule_of(BL_SEGMENT, 2, 0, 0), line3 = rule_of(BL_SEGMENT, 3, 0, 0),
                  line4 = rule_of(BL_SEGMENT, 4, 0, 0);
    for (int i = 0; i < 24; i++) {
        assert_true(rule.at[i][0] == along.at[i % 2][0]);
        assert_true(rule.at[i][1] == line3.at[i / 2 % 3][0]);
        assert_true(rule.at[i][2] == line4.at[i / 6][0]);
    }
}

/* largest error among monomials of one total degree */
static double worst_of_degree(bl_shape shape, const bl_quadrature *rule, int degree) {
    double worst = 0;
    for (int p = 0; p <= degree; p++)
        for (int q = 0; p + q <= degree; q++)
            if (shape == BL_TETRA || p + q == degree)
                worst = fmax(worst, error_of(shape, rule, p, q, shape == BL_TETRA ? degree - p - q : 0));
    return worst;
}

static void triangles__have_their_degree_and_no_more(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof triangle_rules / sizeof triangle_rules[0]; k++) {
        bl_quadrature rule = rule_of(BL_TRIANGLE, triangle_rules[k], 0, 0);
        check_points(BL_TRIANGLE, &rule, triangle_rules[k]);
        for (int degree = 0; degree <= triangle_degree[k]; degree++)
            assert_true(worst_of_degree(BL_TRIANGLE, &rule, degree) <= rounding(BL_TRIANGLE, &rule, degree));
        assert_true(worst_of_degree(BL_TRIANGLE, &rule, triangle_degree[k] + 1) > 1e-6);
    }
}

static void tetrahedra__have_their_degree_and_no_more(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof tetra_rules / sizeof tetra_rules[0]; k++) {
        bl_quadrature rule = rule_of(BL_TETRA, tetra_rules[k], 0, 0);
        check_points(BL_TETRA, &rule, tetra_rules[k]);
        for (int degree = 0; degree <= tetra_degree[k]; degree++)
            assert_true(worst_of_degree(BL_TETRA, &rule, degree) <= rounding(BL_TETRA, &rule, degree));
        assert_true(worst_of_degree(BL_TETRA, &rule, tetra_degree[k] + 1) > 1e-6);
    }
}

/* Every permutation of barycentric coordinates maps the rule to itself: results do not depend on which corner comes first. */
static void simplex_rules__are_symmetric(void **unused) {
    (void)unused;
    for (size_t k = 0; k < 8; k++) {
        int dim = k < 5 ? 2 : 3;
        bl_quadrature rule = k < 5 ? rule_of(BL_TRIANGLE, triangle_rules[k], 0, 0) : rule_of(BL_TETRA, tetra_rules[k - 5], 0, 0);
        for (bl_index i = 0; i < rule.n; i++)
            for (int a = 0; a < dim; a++)
                for (int b = a + 1; b <= dim; b++) { /* l_a and l_b are exchanged; l_0 = 1 - the others */
                    double l[4] = {1}, image[3] = {0};
                    for (int d = 0; d < dim; d++) {
                        l[d + 1] = rule.at[i][d];
                        l[0] -= rule.at[i][d];
                    }
                    double keep = l[a];
                    l[a] = l[b];
                    l[b] = keep;
                    for (int d = 0; d < dim; d++)
                        image[d] = l[d + 1];
                    bool found = false;
                    for (bl_index j = 0; j < rule.n && !found; j++) {
                        double distance = 0;
                        for (int d = 0; d < 3; d++)
                            distance = fmax(distance, fabs(image[d] - rule.at[j][d]));
                        found = distance <= 4 * DBL_EPSILON && rule.weight[i] == rule.weight[j];
                    }
                    assert_true(found);
                }
    }
}

static void wedges__are_triangles_times_segments(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof triangle_rules / sizeof triangle_rules[0]; k++)
        for (int n1 = 1; n1 <= 5; n1++) {
            bl_quadrature rule = rule_of(BL_WEDGE, triangle_rules[k], n1, 0);
            check_points(BL_WEDGE, &rule, triangle_rules[k] * n1);
            for (int p = 0; p <= triangle_degree[k]; p++)
                for (int q = 0; p + q <= triangle_degree[k]; q++)
                    for (int r = 0; r < 2 * n1; r++)
                        check_exact(BL_WEDGE, &rule, p, q, r);
            assert_true(error_of(BL_WEDGE, &rule, 0, 0, 2 * n1) > 1e-3);
            bl_quadrature flat = rule_of(BL_TRIANGLE, triangle_rules[k], 0, 0);
            for (bl_index i = 0; i < rule.n; i++) /* the point in the triangle changes fastest */
                for (int d = 0; d < 2; d++)
                    assert_true(rule.at[i][d] == flat.at[i % flat.n][d]);
        }
}

static void numbers_without_a_rule__are_refused(void **unused) {
    (void)unused;
    bl_quadrature rule;
    static const int bad[] = {INT_MIN, -1, 0, 6, 125, INT_MAX};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++)
        for (int d = 0; d < 3; d++) {
            int n[3] = {3, 3, 3};
            n[d] = bad[k];
            assert_int_equal(bl_quadrature_of(BL_HEXA, n, &rule), BL_E_ABILITY);
            if (d < 2)
                assert_int_equal(bl_quadrature_of(BL_QUAD, n, &rule), BL_E_ABILITY);
            if (d < 1)
                assert_int_equal(bl_quadrature_of(BL_SEGMENT, n, &rule), BL_E_ABILITY);
            if (d == 1)
                assert_int_equal(bl_quadrature_of(BL_WEDGE, n, &rule), BL_E_ABILITY);
        }
    for (int n0 = -20; n0 <= 20; n0++) {
        bool triangle = false, tetra = false;
        for (size_t k = 0; k < sizeof triangle_rules / sizeof triangle_rules[0]; k++)
            triangle = triangle || n0 == triangle_rules[k];
        for (size_t k = 0; k < sizeof tetra_rules / sizeof tetra_rules[0]; k++)
            tetra = tetra || n0 == tetra_rules[k];
        const int n[3] = {n0, 2, 2};
        assert_int_equal(bl_quadrature_of(BL_TRIANGLE, n, &rule), triangle ? BL_OK : BL_E_ABILITY);
        assert_int_equal(bl_quadrature_of(BL_WEDGE, n, &rule), triangle ? BL_OK : BL_E_ABILITY);
        assert_int_equal(bl_quadrature_of(BL_TETRA, n, &rule), tetra ? BL_OK : BL_E_ABILITY);
    }
    assert_int_equal(bl_quadrature_of(BL_SHAPES, (const int[3]){1, 1, 1}, &rule), BL_E_ABILITY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_points__are_zeros_of_legendre_polynomials),
        cmocka_unit_test(segments__are_exact_to_degree_2n_minus_1_and_no_further),
        cmocka_unit_test(quads__are_exact_in_each_direction),
        cmocka_unit_test(hexas__are_exact_in_each_direction),
        cmocka_unit_test(first_coordinate__changes_fastest),
        cmocka_unit_test(triangles__have_their_degree_and_no_more),
        cmocka_unit_test(tetrahedra__have_their_degree_and_no_more),
        cmocka_unit_test(simplex_rules__are_symmetric),
        cmocka_unit_test(wedges__are_triangles_times_segments),
        cmocka_unit_test(numbers_without_a_rule__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
