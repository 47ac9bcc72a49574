/* Hash tables: everything put in is found, newest first, and nothing else. */
#include "base/hash.h"
#include "support/testing.h"

static void numbers__are_found_newest_first_and_no_others(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    enum { MOST = 3000 };
    static double value[MOST];
    bl_hash table = {0};
    test_random random = {test_seed(5)};
    assert_int_equal(bl_hash_find(&table, 7), -1);
    for (bl_index i = 0; i < MOST; i++) {
        value[i] = test_random_below(&random, 500) - 250;
        assert_int_equal(bl_hash_put(ctx, &table, bl_hash_number(BL_HASH_START, value[i])), BL_OK);
    }
    for (int v = -300; v <= 300; v++) {
        bl_index found = bl_hash_find(&table, bl_hash_number(BL_HASH_START, v));
        for (bl_index i = MOST - 1; i >= 0; i--)
            if (value[i] == v) {
                assert_int_equal(found, i);
                found = bl_hash_next(&table, found);
            }
        assert_int_equal(found, -1);
    }
    assert_true(bl_hash_number(3, 0.0) == bl_hash_number(3, -0.0));
    bl_hash_free(ctx, &table);
    test_context_end(ctx);
}

static bl_status put_some(bl_context *ctx, void *user) {
    (void)user;
    bl_hash table = {0};
    bl_status status = BL_OK;
    for (int i = 0; i < 200 && status == BL_OK; i++)
        status = bl_hash_put(ctx, &table, bl_hash_mix(BL_HASH_START, (uint64_t)i));
    bl_hash_free(ctx, &table);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(put_some, NULL) > 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers__are_found_newest_first_and_no_others),
                                       cmocka_unit_test(failing_allocations__leak_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
