/* bl_null_space: orthonormal, annihilated by A, of the dimension left by a known rank. */
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "support/matrices.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* random m x n matrix of rank r as a product */
static void low_rank(test_random *random, bl_index m, bl_index n, bl_index r, double *a) {
    memset(a, 0, (size_t)(m * n) * sizeof *a);
    for (bl_index k = 0; k < r; k++) {
        double left[64], right[64];
        for (bl_index i = 0; i < m; i++)
            left[i] = test_random_symmetric(random);
        for (bl_index j = 0; j < n; j++)
            right[j] = test_random_symmetric(random);
        for (bl_index j = 0; j < n; j++)
            for (bl_index i = 0; i < m; i++)
                a[j * m + i] += left[i] * right[j];
    }
}

static void null_space__is_orthonormal_and_complete(void **state) {
    (void)state;
    test_random random = {test_seed(7)};
    bl_context *ctx = test_context(NULL);
    static double a[40 * 40], basis[40 * 40];
    for (int round = 0; round < 300; round++) {
        bl_index m = test_random_below(&random, 30), n = 1 + test_random_below(&random, 30), least = m < n ? m : n, rank = -1;
        bl_index r = test_random_below(&random, least + 1);
        low_rank(&random, m, n, r, a);
        assert_int_equal(bl_null_space(ctx, m, n, a, 1e-9, basis, &rank), BL_OK);
        assert_int_equal(rank, r);
        for (bl_index k = 0; k < n - r; k++) {
            for (bl_index l = 0; l < n - r; l++) {
                double dot = 0;
                for (bl_index j = 0; j < n; j++)
                    dot += basis[k * n + j] * basis[l * n + j];
                assert_true(fabs(dot - (k == l)) < 1e-13);
            }
            for (bl_index i = 0; i < m; i++) { /* entries of A are below r, so rounding is n r eps */
                double sum = 0;
                for (bl_index j = 0; j < n; j++)
                    sum += a[j * m + i] * basis[k * n + j];
                assert_true(fabs(sum) < 1e-12);
            }
        }
    }
    test_context_end(ctx);
}

static void null_space__refuses_what_is_not_finite(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    double a[4] = {1, 2, NAN, 3}, basis[4];
    bl_index rank;
    assert_int_equal(bl_null_space(ctx, 2, 2, a, 1e-9, basis, &rank), BL_NOT_FINITE);
    test_context_end(ctx);
}

static bl_status once(bl_context *ctx, void *user) {
    double a[6] = {1, 2, 3, 4, 5, 6}, basis[9];
    bl_index rank;
    (void)user;
    return bl_null_space(ctx, 2, 3, a, 1e-9, basis, &rank);
}

static void null_space__gives_back_memory_when_allocation_fails(void **state) {
    (void)state;
    assert_int_equal(test_failing_allocations(once, NULL), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_space__is_orthonormal_and_complete),
        cmocka_unit_test(null_space__refuses_what_is_not_finite),
        cmocka_unit_test(null_space__gives_back_memory_when_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
