/* Things found by where they are: the same as by looking at all of them, also across the borders of cells. */
#include "coords/spatial_hash.h"
#include "support/testing.h"

#include <math.h>

static void search__finds_what_looking_at_all_finds(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    enum { MOST = 500 };
    static double at[MOST][3];
    bl_near near = {.cell = 8e-3};
    const double reach = 1e-3;
    test_random random = {test_seed(11)};
    for (int i = 0; i < MOST; i++) {
        for (int k = 0; k < 3; k++) /* clouds about corners of cells */
            at[i][k] = near.cell * (test_random_below(&random, 5) - 2) + 1.5e-3 * test_random_symmetric(&random);
        assert_int_equal(bl_near_put(ctx, &near, (uint64_t)(i % 2), at[i]), BL_OK);
    }
    for (int i = 0; i < MOST; i++) {
        uint64_t key[BL_NEAR_CELLS];
        int n = bl_near_keys(&near, (uint64_t)(i % 2), at[i], reach, key), found = 0, wanted = 0;
        for (int c = 0; c < n; c++)
            for (bl_index j = bl_hash_find(&near.table, key[c]); j >= 0; j = bl_hash_next(&near.table, j)) {
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
    bl_hash_free(ctx, &near.table);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(search__finds_what_looking_at_all_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
