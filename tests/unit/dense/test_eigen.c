/* Eigenvalues of symmetric pencils: the chain of masses and springs in closed form, random pencils by their own equation. */
#include "dense/dense.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* k/m = 25 between walls: 2 sqrt(25) sin(j pi / (2 n + 2)) */
static void chain__has_its_frequencies(void **unused) {
    (void)unused;
    enum { N = 10 };
    double A[N * N] = {0}, B[N * N] = {0}, w[N], *work = malloc(bl_dense_eigen_work(N) * sizeof *work);
    bl_index iwork[5 * N + 3];
    for (int i = 0; i < N; i++) {
        A[i * (N + 1)] = 100;
        B[i * (N + 1)] = 2;
        if (i > 0)
            A[(i - 1) * N + i] = -50; /* lower triangle alone */
    }
    assert_true(bl_dense_eigen_pair(N, A, B, w, work, bl_dense_eigen_work(N), iwork));
    for (int j = 0; j < N; j++)
        assert_near(sqrt(w[j]), 10 * sin((j + 1) * 3.14159265358979323846 / 22), 1e-13 * 10);
    free(work);
}

static void random_pencils__fulfil_their_equation(void **unused) {
    (void)unused;
    enum { MOST = 12 };
    test_random random = {test_seed(4)};
    for (int trial = 0; trial < 50; trial++) {
        int n = 1 + test_random_below(&random, MOST);
        double A[MOST * MOST] = {0}, B[MOST * MOST] = {0}, X[MOST * MOST], L[MOST * MOST], w[MOST], work[1 + 6 * MOST + 2 * MOST * MOST];
        bl_index iwork[5 * MOST + 3];
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                A[j * n + i] = i <= j ? test_random_symmetric(&random) : 0;
                L[j * n + i] = i > j ? test_random_symmetric(&random) : i == j ? 1 + test_random_unit(&random) : 0;
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) {
                A[j * n + i] = i <= j ? A[j * n + i] : A[i * n + j];
                for (int k = 0; k < n; k++)
                    B[j * n + i] += L[k * n + i] * L[k * n + j];
            }
        memcpy(X, A, sizeof A);
        memcpy(L, B, sizeof B);
        assert_true(bl_dense_eigen_pair(n, X, L, w, work, sizeof work / sizeof *work, iwork));
        for (int k = 0; k < n; k++) {
            double norm = 0;
            assert_true(k == 0 || w[k] >= w[k - 1]);
            for (int i = 0; i < n; i++) {
                double off = 0, Bx = 0;
                for (int j = 0; j < n; j++) {
                    off += (A[j * n + i] - w[k] * B[j * n + i]) * X[k * n + j];
                    Bx += B[j * n + i] * X[k * n + j];
                }
                norm += Bx * X[k * n + i];
                assert_near(off, 0, 1e-11 * n * (1 + fabs(w[k])));
            }
            assert_near(norm, 1, 1e-12 * n);
        }
    }
}

static void b__must_be_positive(void **unused) {
    (void)unused;
    double A[] = {1, 0, 0, 1}, B[] = {1, 0, 0, -1}, w[2], work[64];
    bl_index iwork[13];
    assert_false(bl_dense_eigen_pair(2, A, B, w, work, 64, iwork));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain__has_its_frequencies),
                                       cmocka_unit_test(random_pencils__fulfil_their_equation), cmocka_unit_test(b__must_be_positive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
