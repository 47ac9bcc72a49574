/* Points found by position: the same as by comparing all of them, also across the borders of cells. */
#include "coords/spatial_hash.h"
#include "support/testing.h"

#include <math.h>

static void search__finds_what_comparing_all_finds(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    enum { MOST = 500 };
    static double at[MOST][3];
    bl_spatial_hash hash = {.cell = 8e-3};
    const double reach = 1e-3;
    test_random random = {test_seed(11)};
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < 3; k++) /* clusters around corners of cells */
            at[i][k] = hash.cell * (test_random_below(&random, 5) - 2) + 1.5e-3 * test_random_symmetric(&random);
        assert_int_equal(bl_spatial_hash_put(ctx, &hash, (uint64_t)(i % 2), at[i]), BL_OK);
    }
    for (int i = 0; i < MOST; i++) {
        uint64_t key[BL_SPATIAL_HASH_CELLS];
        int n = bl_spatial_hash_keys(&hash, (uint64_t)(i % 2), at[i], reach, key), found = 0, wanted = 0;
        for (int c = 0; c < n; c++)
            for (bl_index j = bl_hash_find(&hash.table, key[c]); j >= 0; j = bl_hash_next(&hash.table, j)) {
                double off = 0;
                assert_int_equal(j % 2, i % 2);
                for (int k = 0; k < 3; k++)
                    off = fmax(off, fabs(at[i][k] - at[j][k]));
                found += off < reach;
            }
        for (int j = i % 2; j < MOST; j += 2) {
            double off = 0;
            for (int k = 0; k < 3; k++)
                off = fmax(off, fabs(at[i][k] - at[j][k]));
            wanted += off < reach;
        }
        assert_int_equal(found, wanted);
    }
    bl_hash_free(ctx, &hash.table);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(search__finds_what_comparing_all_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
