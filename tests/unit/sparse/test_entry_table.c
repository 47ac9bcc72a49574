/* The table of entries against a full one, while pairs come and go; failing memory. */
#include "sparse/entry_table.h"
#include "support/testing.h"

#include <string.h>

enum { ROWS = 30, COLS = 50 };

static void table__holds_what_was_added_and_not_removed(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(5)};
    bl_entry_table table = {.ctx = ctx};
    bl_index full[ROWS][COLS], count = 0;
    memset(full, -1, sizeof full);
    assert_int_equal(bl_entry_table_find(&table, 3, 4), -1);
    for (bl_index step = 0; step < 40000; step++) {
        bl_index row = test_random_below(&random, ROWS), col = test_random_below(&random, COLS);
        bool more = step / 5000 % 2 == 0 ? test_random_below(&random, 4) > 0 : test_random_below(&random, 4) == 0; /* fills and empties */
        assert_int_equal(bl_entry_table_find(&table, row, col), full[row][col]);
        if (full[row][col] < 0 && more) {
            assert_int_equal(bl_entry_table_add(&table, row, col, step), BL_OK);
            full[row][col] = step;
            count++;
        } else if (full[row][col] >= 0 && !more) {
            bl_entry_table_remove(&table, row, col);
            full[row][col] = -1;
            count--;
        }
        assert_int_equal(table.count, count);
    }
    for (bl_index row = 0; row < ROWS; row++)
        for (bl_index col = 0; col < COLS; col++)
            assert_int_equal(bl_entry_table_find(&table, row, col), full[row][col]);
    bl_entry_table_free(&table);
    test_context_end(ctx);
}

static bl_status fill_table(bl_context *ctx, void *unused) {
    (void)unused;
    bl_entry_table table = {.ctx = ctx};
    bl_status status = BL_OK;
    for (bl_index k = 0; k < 1000 && status == BL_OK; k++)
        status = bl_entry_table_add(&table, k % 7, k, k);
    bl_entry_table_free(&table);
    return status;
}

static void failing_allocations__are_survived(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(fill_table, NULL) > 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__holds_what_was_added_and_not_removed),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
