/* Component modes: a cantilever cut in the middle, EI = rho A = L = 1, forty cubic elements; errors of frequencies as published with the
 * method's usual check (independent computation), static answers exact. */
#include "dense/dense.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALF = 20, NODES = 2 * HALF + 1, ALL = 2 * NODES, MOST = 2 * (HALF + 1) };

static void add_element(double h, int first, int n, double *K, double *M) {
    const double k[4][4] = {
        {12, 6 * h, -12, 6 * h}, {6 * h, 4 * h * h, -6 * h, 2 * h * h}, {-12, -6 * h, 12, -6 * h}, {6 * h, 2 * h * h, -6 * h, 4 * h * h}};
    const double m[4][4] = {{156, 22 * h, 54, -13 * h},
                            {22 * h, 4 * h * h, 13 * h, -3 * h * h},
                            {54, 13 * h, 156, -22 * h},
                            {-13 * h, -3 * h * h, -22 * h, 4 * h * h}};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int at = first + i - 2, col = first + j - 2; /* the first node is clamped */
            if (at < 0 || col < 0)
                continue;
            K[col * n + at] += k[i][j] / (h * h * h);
            M[col * n + at] += m[i][j] * h / 420;
        }
}

static void frequencies(bl_context *ctx, bl_index n, double *K, double *M, double *omega) {
    double *work = calloc(bl_dense_eigen_work(n) + (size_t)n, sizeof *work);
    bl_index *iwork = calloc((size_t)(5 * n + 3), sizeof *iwork);
    assert_true(bl_dense_eigen_pair(n, K, M, omega, work, bl_dense_eigen_work(n), iwork));
    for (bl_index k = 0; k < n; k++)
        omega[k] = sqrt(omega[k]);
    free(work);
    free(iwork);
    (void)ctx;
}

/* T^T A T: the matrix reduced to the columns of T */
static void project(int n, int columns, const double *T, const double *A, double *out) {
    for (int a = 0; a < columns; a++)
        for (int b = 0; b < columns; b++) {
            double sum = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    sum += T[a * n + i] * A[j * n + i] * T[b * n + j];
            out[b * columns + a] = sum;
        }
}

static void cantilever__has_the_known_errors(void **unused) {
    (void)unused;
    static const struct {
        int modes, count;
        double error[4], within[4];
    } cases[] = {{0, 2, {2.60665e-2, 3.422304e-1}, {1e-7, 1e-6}},
                 {1, 3, {6.757e-5, 6.36277e-3, 1.0895452e-1}, {2e-8, 2e-8, 2e-7}},
                 {2, 4, {2.80e-6, 3.3787e-4, 5.6611e-4, 1.4189e-2}, {2e-8, 2e-8, 2e-8, 1e-6}},
                 {4, 4, {1e-7, 1.523e-5, 6.38e-6, 4.694e-4}, {1e-7, 2e-8, 2e-8, 2e-7}}};
    bl_context *ctx = test_context(NULL);
    double h = 1.0 / (2 * HALF);
    const int n = ALL - 2, n1 = 2 * HALF, n2 = 2 * (HALF + 1);
    double *K = calloc((size_t)(2 * n * n), sizeof *K), *M = K + n * n, exact[ALL];
    for (int e = 0; e < 2 * HALF; e++)
        add_element(h, 2 * e, n, K, M);
    frequencies(ctx, n, K, M, exact);
    assert_true(fabs(exact[0] - 3.516015) < 1e-5 && fabs(exact[3] - 120.9024) < 2e-3);
    double *K1 = calloc((size_t)(2 * n1 * n1 + 2 * n2 * n2), sizeof *K1), *M1 = K1 + n1 * n1, *K2 = M1 + n1 * n1, *M2 = K2 + n2 * n2;
    for (int e = 0; e < HALF; e++) {
        add_element(h, 2 * e, n1, K1, M1);
        add_element(h, 2 * e + 2, n2, K2, M2); /* nothing is clamped */
    }
    const bl_index end1[2] = {n1 - 2, n1 - 1}, end2[2] = {0, 1};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int k = cases[c].modes, r = 2 + k, whole = 2 + 2 * k;
        double *T = calloc((size_t)(2 * MOST * r), sizeof *T), *T2 = T + MOST * r;
        assert_int_equal(bl_dense_component(ctx, n1, K1, M1, 2, end1, k, T), BL_OK);
        assert_int_equal(bl_dense_component(ctx, n2, K2, M2, 2, end2, k, T2), BL_OK);
        double part[4][8 * 8], A[2][16 * 16] = {{0}}, omega[16];
        project(n1, r, T, K1, part[0]);
        project(n1, r, T, M1, part[1]);
        project(n2, r, T2, K2, part[2]);
        project(n2, r, T2, M2, part[3]);
        for (int side = 0; side < 2; side++)
            for (int what = 0; what < 2; what++)
                for (int a = 0; a < r; a++)
                    for (int b = 0; b < r; b++) {
                        int row = a < 2 ? a : a + side * k, col = b < 2 ? b : b + side * k;
                        A[what][col * whole + row] += part[2 * side + what][b * r + a];
                    }
        frequencies(ctx, whole, A[0], A[1], omega);
        for (int f = 0; f < cases[c].count; f++)
            assert_true(fabs(omega[f] / exact[f] - 1 - cases[c].error[f]) <= cases[c].within[f]);
        free(T);
    }
    free(K);
    free(K1);
    test_context_end(ctx);
}

static void what_is_not_held__is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    const double K[4] = {1, -1, -1, 1}, M[4] = {1, 0, 0, 1};
    const bl_index one = 0;
    double T[4];
    assert_int_equal(bl_dense_component(ctx, 2, K, M, 0, &one, 1, T), BL_SINGULAR);
    assert_int_equal(bl_dense_component(ctx, 2, K, M, 1, &one, 2, T), BL_E_ARG);
    assert_int_equal(bl_dense_component(ctx, 2, K, M, 1, &one, 1, T), BL_OK);
    assert_true(fabs(T[0] - 1) < 1e-15 && fabs(T[1] - 1) < 1e-15 && T[2] == 0 && fabs(fabs(T[3]) - 1) < 1e-15);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever__has_the_known_errors),
        cmocka_unit_test(what_is_not_held__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
