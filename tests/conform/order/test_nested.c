/* The nested ordering: parts one after another, each in bordered block triangular form, the complete matrix lower triangular by parts. */
#include "order/order.h"
#include "support/matrices.h"
#include "support/patterns.h"

#include <string.h>

enum { MOST = 60 };

static void check_form(const bl_pattern *p, const bl_ordering *o) {
    bl_index row_at[MOST], col_at[MOST], part_of[MOST], block_of[MOST], n = p->ncol, seen = 0;
    for (bl_index k = 0; k < n; k++) {
        row_at[o->row[k]] = k;
        col_at[o->col[k]] = k;
        block_of[k] = -1; /* in a border */
    }
    assert_int_equal(o->part[0], 0);
    assert_int_equal(o->part[o->npart], n);
    bl_index k = 0;
    for (bl_index s = 0; s < o->npart; s++) {
        assert_true(o->part[s] <= o->border_start[s] && o->border_start[s] <= o->part[s + 1]);
        for (bl_index i = o->part[s]; i < o->part[s + 1]; i++)
            part_of[i] = s;
        for (; k < o->nblock && o->block[k] < o->border_start[s]; k++) {
            bl_index end = o->block[k + 1] < o->border_start[s] ? o->block[k + 1] : o->border_start[s];
            assert_true(end - o->block[k] <= 3); /* the ordering `mechanism` makes blocks of 1, 2 and 3 */
            for (bl_index i = o->block[k]; i < end; i++, seen++)
                block_of[i] = k;
        }
    }
    assert_int_equal(k, o->nblock);
    assert_int_equal(seen + o->border, n);
    assert_int_equal(o->border, o->band);
    for (bl_index j = 0; j < n; j++)
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++) {
            bl_index r = row_at[p->idx[e]], c = col_at[j];
            assert_true(part_of[c] <= part_of[r]);
            if (part_of[c] == part_of[r] && block_of[r] >= 0 && block_of[c] >= 0)
                assert_true(block_of[c] <= block_of[r]);
        }
}

static void nested__is_triangular_by_parts_and_bordered_inside(void **unused) {
    (void)unused;
    test_random random = {test_seed(211)};
    bl_context *ctx = test_context(NULL);
    int parts = 0, borders = 0;
    for (int trial = 0; trial < 2000; trial++) {
        bl_index n = 1 + test_random_below(&random, MOST - 1);
        test_matrix matrix = test_matrix_random(ctx, &random, n, n + test_random_below(&random, 2 * n + 1));
        bl_ordering out;
        assert_int_equal(bl_order_pattern(ctx, "nested", &matrix.pattern, &out), BL_OK);
        test_permutation(n, out.row);
        test_permutation(n, out.col);
        if (out.npart)
            check_form(&matrix.pattern, &out);
        parts += out.npart > 1;
        borders += out.npart && out.border > 0;
        assert_int_equal(bl_ordering_flatten(ctx, &out), BL_OK);
        test_block_form(&matrix.pattern, &out);
        bl_ordering_free(ctx, &out);
        test_matrix_free(&matrix);
    }
    assert_true(parts > 200 && borders > 200); /* both cases occur */
    test_context_end(ctx);
}

static bl_status whole_life(bl_context *ctx, void *user) {
    bl_ordering out;
    bl_status status = bl_order_pattern(ctx, "nested", user, &out);
    bl_ordering_free(ctx, &out);
    return status;
}

static void nested__survives_failing_allocations(void **unused) {
    (void)unused;
    /* a ring of five with a tail of two: one part with a border, two parts of one */
    bl_index ptr[] = {0, 2, 4, 6, 8, 11, 13, 14}, idx[] = {0, 1, 1, 2, 2, 3, 3, 4, 0, 4, 5, 5, 6, 6};
    bl_pattern pattern = {7, 7, ptr, idx};
    test_failing_allocations(whole_life, &pattern);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested__is_triangular_by_parts_and_bordered_inside),
        cmocka_unit_test(nested__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
