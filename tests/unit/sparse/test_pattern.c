/* Patterns from random pairs against a dense table. */
#include "sparse/sparse.h"
#include "support/testing.h"

#include <string.h>

enum { MOST = 25 };

static void pattern__holds_each_pair_once_and_finds_its_position(void **unused) {
    (void)unused;
    test_random random = {test_seed(21)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 1000; trial++) {
        bl_index nrow = 1 + test_random_below(&random, MOST), ncol = 1 + test_random_below(&random, MOST);
        bl_index npair = test_random_below(&random, 200), row[200], col[200], slot[200];
        uint8_t dense[MOST][MOST] = {0};
        bl_index distinct = 0;
        for (bl_index k = 0; k < npair; k++) {
            row[k] = test_random_below(&random, nrow);
            col[k] = test_random_below(&random, ncol);
            distinct += !dense[row[k]][col[k]];
            dense[row[k]][col[k]] = 1;
        }
        bl_pattern pattern;
        assert_int_equal(bl_pattern_build(ctx, nrow, ncol, npair, row, col, &pattern, slot), BL_OK);
        assert_int_equal(pattern.nrow, nrow);
        assert_int_equal(pattern.ncol, ncol);
        assert_int_equal(pattern.ptr[ncol], distinct);
        for (bl_index j = 0; j < ncol; j++)
            for (bl_index k = pattern.ptr[j]; k < pattern.ptr[j + 1]; k++) {
                assert_true(dense[pattern.idx[k]][j]);
                assert_true(k == pattern.ptr[j] || pattern.idx[k - 1] < pattern.idx[k]);
            }
        for (bl_index k = 0; k < npair; k++) {
            assert_int_equal(pattern.idx[slot[k]], row[k]);
            assert_in_range(slot[k], pattern.ptr[col[k]], pattern.ptr[col[k] + 1] - 1);
        }
        for (bl_index i = 0; i < nrow; i++)
            for (bl_index j = 0; j < ncol; j++)
                assert_int_equal(bl_pattern_find(&pattern, i, j) >= 0, dense[i][j]);
        bl_pattern_free(ctx, &pattern);
    }
    test_context_end(ctx);
}

static void products__match_a_dense_product(void **unused) {
    (void)unused;
    test_random random = {test_seed(22)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 200; trial++) {
        bl_index nrow = 1 + test_random_below(&random, MOST), ncol = 1 + test_random_below(&random, MOST), row[100], col[100], slot[100];
        double dense[MOST][MOST] = {0}, values[100] = {0}, x[MOST], y[MOST], z[MOST];
        for (bl_index k = 0; k < 100; k++) {
            row[k] = test_random_below(&random, nrow);
            col[k] = test_random_below(&random, ncol);
        }
        bl_pattern pattern;
        assert_int_equal(bl_pattern_build(ctx, nrow, ncol, 100, row, col, &pattern, slot), BL_OK);
        for (bl_index k = 0; k < 100; k++) {
            double entry = test_random_below(&random, 100) - 50; /* integers: sums are exact in any order */
            values[slot[k]] += entry;
            dense[row[k]][col[k]] += entry;
        }
        for (bl_index i = 0; i < MOST; i++) {
            x[i] = test_random_below(&random, 100);
            y[i] = z[i] = i;
        }
        bl_csc_multiply(&pattern, values, x, y);
        for (bl_index i = 0; i < nrow; i++) {
            double sum = i;
            for (bl_index j = 0; j < ncol; j++)
                sum += dense[i][j] * x[j];
            assert_true(sum == y[i]);
        }
        bl_csc_multiply_transposed(&pattern, values, x, z);
        for (bl_index j = 0; j < ncol; j++) {
            double sum = j;
            for (bl_index i = 0; i < nrow; i++)
                sum += dense[i][j] * x[i];
            assert_true(sum == z[j]);
        }
        bl_pattern_free(ctx, &pattern);
    }
    test_context_end(ctx);
}

static void pairs_outside__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_pattern pattern;
    assert_int_equal(bl_pattern_build(ctx, 2, 2, 1, (bl_index[]){2}, (bl_index[]){0}, &pattern, NULL), BL_E_ARG);
    assert_int_equal(bl_pattern_build(ctx, 2, 2, 1, (bl_index[]){0}, (bl_index[]){-1}, &pattern, NULL), BL_E_ARG);
    assert_int_equal(bl_pattern_build(ctx, 0, 0, 0, NULL, NULL, &pattern, NULL), BL_OK);
    assert_int_equal(pattern.ptr[0], 0);
    bl_pattern_free(ctx, &pattern);
    test_context_end(ctx);
}

/* [x . x]    rows, mirror images and a cut of a small one
 * [. x .]
 * [. x x] */
static void rows_mirror_and_cut__follow_the_entries(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    const bl_index ptr[] = {0, 1, 3, 5}, idx[] = {0, 1, 2, 0, 2};
    const bl_pattern a = {3, 3, ptr, idx};
    bl_index row[4], col[5], position[5], mate[5], from[5];
    bl_pattern_rows(&a, row, col, position);
    assert_memory_equal(row, ((bl_index[]){0, 2, 3, 5}), sizeof row);
    assert_memory_equal(col, ((bl_index[]){0, 2, 1, 1, 2}), sizeof col);
    assert_memory_equal(position, ((bl_index[]){0, 3, 1, 2, 4}), sizeof position);
    assert_int_equal(bl_pattern_mirror(ctx, &a, mate), BL_OK);
    assert_memory_equal(mate, ((bl_index[]){0, 1, -1, -1, 4}), sizeof mate);
    bl_pattern_cut(&a, (bl_index[]){1, -1, 0}, 2, (bl_index[]){2, 1}, row, col, from); /* rows 2, 0 and columns 2, 1 */
    assert_memory_equal(row, ((bl_index[]){0, 2, 3}), 3 * sizeof *row);
    assert_memory_equal(col, ((bl_index[]){1, 0, 0}), 3 * sizeof *col);
    assert_memory_equal(from, ((bl_index[]){3, 4, 2}), 3 * sizeof *from);
    test_context_end(ctx);
}

static bl_status build(bl_context *ctx, void *user) {
    (void)user;
    bl_pattern pattern;
    bl_status status = bl_pattern_build(ctx, 2, 2, 3, (bl_index[]){0, 1, 0}, (bl_index[]){1, 0, 1}, &pattern, NULL);
    bl_pattern_free(ctx, &pattern);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(build, NULL) >= 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern__holds_each_pair_once_and_finds_its_position),
        cmocka_unit_test(products__match_a_dense_product),
        cmocka_unit_test(pairs_outside__are_refused),
        cmocka_unit_test(rows_mirror_and_cut__follow_the_entries),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
