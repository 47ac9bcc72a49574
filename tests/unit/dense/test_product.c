/* Products with small full matrices, against plain sums of the same numbers. */
#include "base/isa.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>

enum { MOST = 40 };

static void check_products(const bl_context *ctx) {
    test_random random = {test_seed(711)};
    for (size_t rows = 1; rows <= MOST; rows++)
        for (size_t n = 1; n <= MOST; n += 3) {
            double X[(MOST + BL_DENSE_COLUMNS) * (MOST + BL_DENSE_ROWS)] = {0}, x[MOST + BL_DENSE_ROWS] = {0}, y[MOST + BL_DENSE_ROWS];
            size_t room = bl_dense_room(rows);
            assert_true(room >= rows && room < rows + BL_DENSE_ROWS);
            for (size_t i = 0; i < MOST; i++)
                x[i] = test_random_symmetric(&random);
            for (size_t j = 0; j < n; j++)
                for (size_t i = 0; i < rows; i++)
                    X[j * room + i] = test_random_symmetric(&random);
            bl_dense_multiply(ctx, n, room, X, x, y);
            for (size_t i = 0; i < room; i++) {
                double sum = 0;
                for (size_t j = 0; j < n; j++)
                    sum += X[j * room + i] * x[j];
                assert_true(fabs(y[i] - sum) <= DBL_EPSILON * (double)n);
            }
            for (size_t i = rows; i < room; i++)
                x[i] = 0;
            bl_dense_multiply_transposed(ctx, n, room, X, x, y);
            for (size_t j = 0; j < n; j++) {
                double sum = 0;
                for (size_t i = 0; i < rows; i++)
                    sum += X[j * room + i] * x[i];
                assert_true(fabs(y[j] - sum) <= DBL_EPSILON * (double)rows);
            }
        }
}

static void products__are_those_of_plain_sums_for_all_sizes(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++)
        if (bl_context_use_isa(ctx, isa))
            check_products(ctx);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products__are_those_of_plain_sums_for_all_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
