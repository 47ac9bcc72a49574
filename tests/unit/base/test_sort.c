/* Ascending order: random lists against counting. */
#include "base/base.h"
#include "support/testing.h"

enum { MOST = 200, RANGE = 50 };

static void indices__are_sorted_and_appear_once(void **state) {
    (void)state;
    test_random random = {test_seed(31)};
    for (int trial = 0; trial < 200; trial++) {
        bl_index x[MOST], n = test_random_below(&random, MOST + 1), count[RANGE] = {0}, at = 0;
        for (bl_index i = 0; i < n; i++)
            count[x[i] = test_random_below(&random, RANGE)]++;
        bl_sort_indices(x, (size_t)n);
        for (bl_index value = 0; value < RANGE; value++)
            for (bl_index k = 0; k < count[value]; k++)
                assert_int_equal(x[at++], value);
        bl_index kept = bl_drop_repeated(x, n);
        at = 0;
        for (bl_index value = 0; value < RANGE; value++)
            if (count[value] > 0)
                assert_int_equal(x[at++], value);
        assert_int_equal(at, kept);
    }
}

static void numbers__are_sorted(void **state) {
    (void)state;
    test_random random = {test_seed(32)};
    double x[MOST], sum = 0, sorted = 0;
    for (int i = 0; i < MOST; i++)
        sum += x[i] = (double)test_random_below(&random, 1000) - 500;
    bl_sort_numbers(x, MOST);
    for (int i = 0; i < MOST; i++) {
        assert_true(i == 0 || x[i] >= x[i - 1]);
        sorted += x[i];
    }
    assert_true(sorted == sum); /* integers: exact in any order */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(indices__are_sorted_and_appear_once), cmocka_unit_test(numbers__are_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
