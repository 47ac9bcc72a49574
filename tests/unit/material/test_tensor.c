/* Small tensor algebra against sums written out, and eigenvalues that are prescribed: apart, double, triple, nearly so, zero. */
#include "support/materials.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 2000 };

static void random9(test_random *random, double A[9]) {
    for (int k = 0; k < 9; k++)
        A[k] = test_random_symmetric(random);
}

static void inverse__times_the_matrix_is_one(void **unused) {
    (void)unused;
    test_random random = {test_seed(3)};
    for (int n = 0; n < CASES; n++) {
        double A[9], B[9], C[9];
        random9(&random, A);
        double det = inverse3(A, B);
        assert_near(det, det3(A), 1e-15 * 6);
        multiply3(A, B, C);
        for (int k = 0; k < 9; k++)
            assert_near(C[k], k % 4 == 0, 20 * DBL_EPSILON * test_largest(B, 9));
    }
}

/* A S A^T and A A A A C by indices */
static void congruence__is_the_sum_over_all_indices(void **unused) {
    (void)unused;
    test_random random = {test_seed(5)};
    for (int n = 0; n < 50; n++) {
        double A[9], s[6], e[6], T[36], C[36], c[36], out[6];
        random9(&random, A);
        for (int k = 0; k < 6; k++) {
            s[k] = test_random_symmetric(&random);
            for (int m = 0; m < 6; m++)
                C[6 * k + m] = test_random_symmetric(&random);
        }
        congruence6(A, T);
        apply6(T, s, out);
        push6(T, C, 2, c);
        apply6_t(T, s, e);
        for (int p = 0; p < 6; p++) {
            int i = bl_first[p], j = bl_second[p];
            double pushed = 0, back = 0;
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) {
                    pushed += A[3 * i + k] * A[3 * j + l] * s[bl_pair[k][l]];
                    /* A^T e A of a strain e, whose shear angles are twice its components; so are those of the result */
                    int q = bl_pair[k][l];
                    back += A[3 * k + i] * A[3 * l + j] * s[q] * (q < 3 ? 1 : 0.5) * (p < 3 ? 1 : 2);
                }
            assert_near(out[p], pushed, 1e-15 * 9);
            assert_near(e[p], back, 1e-15 * 18);
            for (int q = 0; q < 6; q++) {
                double sum = 0;
                for (int m = 0; m < 81; m++) {
                    int a = m / 27, b = m / 9 % 3, d = m / 3 % 3, f = m % 3;
                    sum += A[3 * i + a] * A[3 * j + b] * A[3 * bl_first[q] + d] * A[3 * bl_second[q] + f] *
                           C[6 * bl_pair[a][b] + bl_pair[d][f]];
                }
                assert_near(c[6 * p + q], 2 * sum, 1e-15 * 160);
            }
        }
    }
}

static void squares_less_one__keep_small_numbers(void **unused) {
    (void)unused;
    double A[9] = {1, 1e-9, 0, 0, 1, 0, 0, 0, 1}, e[6];
    half_square_minus_one(A, 0, e);
    assert_near(e[BL_11], 5e-19, 1e-30); /* (1 + 1e-18 - 1)/2, lost in 1 + 1e-18 */
    assert_near(e[BL_12], 5e-10, 1e-25);
    assert_true(e[BL_22] == 0);
    half_square_minus_one(A, 1, e);
    assert_near(e[BL_22], 5e-19, 1e-30);
    assert_true(e[BL_11] == 0);
}

/* ---- eigenvalues */

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* s = Q diag(value) Q^T has a rounding of about 2 eps of the largest value, and so have its eigenvalues (Weyl) */
static void found_again(test_random *random, const double value[3]) {
    double Q[9], s[6], found[3], V[9], sorted[3], A[9], AV[9], norm = test_largest(value, 3);
    const double diagonal[6] = {value[0], value[1], value[2], 0, 0, 0};
    test_random_rotation(random, BL_PLANE_NONE, Q);
    test_rotate(Q, diagonal, s);
    bl_eigen3(s, found, V);
    stress_matrix(s, A);
    multiply3(A, V, AV);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double dot = V[i] * V[k] + V[3 + i] * V[3 + k] + V[6 + i] * V[6 + k];
            assert_near(dot, i == k, 16 * DBL_EPSILON);
            assert_near(AV[3 * i + k], V[3 * i + k] * found[k], 16 * DBL_EPSILON * norm);
        }
    assert_near(det3(V), 1, 32 * DBL_EPSILON);
    memcpy(sorted, value, sizeof sorted);
    qsort(sorted, 3, sizeof *sorted, by_value);
    qsort(found, 3, sizeof *found, by_value);
    for (int k = 0; k < 3; k++)
        assert_near(found[k], sorted[k], 16 * DBL_EPSILON * norm);
}

static void eigenvalues__are_those_prescribed(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    static const double gaps[] = {0, 1e-300, 1e-16, 1e-12, 1e-9, 1e-6, 1e-3, 0.5};
    for (int n = 0; n < CASES; n++) {
        double scale = pow(10, 20 * test_random_symmetric(&random)), gap = gaps[n % 8], other = gaps[n / 8 % 8];
        double one = test_random_symmetric(&random);
        found_again(&random,
                    (const double[3]){scale * one, scale * test_random_symmetric(&random), scale * test_random_symmetric(&random)});
        found_again(&random, (const double[3]){scale * one, scale * (one + gap), scale * test_random_symmetric(&random)}); /* double */
        found_again(&random, (const double[3]){scale * one, scale * (one + gap), scale * (one + other)});                  /* triple */
        found_again(&random, (const double[3]){scale * one, 0, scale * gap});
    }
    found_again(&random, (const double[3]){0, 0, 0});
}

static void eigenvectors__leave_decoupled_axes_alone(void **unused) {
    (void)unused;
    const double flat[6] = {0.3, 0.3, 0.3, 1e-9, 0, 0};
    double value[3], V[9];
    bl_eigen3(flat, value, V);
    assert_true(V[8] == 1 && V[2] == 0 && V[5] == 0 && V[6] == 0 && V[7] == 0 && value[2] == 0.3);
    assert_near(fabs(value[0] - value[1]), 2e-9, 1e-16);
    const double spherical[6] = {5, 5, 5, 0, 0, 0};
    bl_eigen3(spherical, value, V);
    for (int k = 0; k < 9; k++)
        assert_true(V[k] == (k % 4 == 0));
}

static void eigenvalues__of_nan_come_back(void **unused) {
    (void)unused;
    const double nothing[6] = {NAN, 1, 1, 1, NAN, INFINITY};
    double value[3], V[9];
    bl_eigen3(nothing, value, V); /* ends */
    assert_false(isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse__times_the_matrix_is_one),         cmocka_unit_test(congruence__is_the_sum_over_all_indices),
        cmocka_unit_test(squares_less_one__keep_small_numbers),     cmocka_unit_test(eigenvalues__are_those_prescribed),
        cmocka_unit_test(eigenvectors__leave_decoupled_axes_alone), cmocka_unit_test(eigenvalues__of_nan_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
