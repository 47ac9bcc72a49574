/* Least-norm solutions of large sparse assemblies against those by orthogonal factors of the dense matrix. */
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/assembly_private.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { ROWS = 300, COLS = 470, TERMS = 3, MOST = 6 * COLS, SHARED = 2 };

typedef struct rows {
    bl_index ptr[COLS + 1], idx[MOST];
    double value[MOST], dense[ROWS * COLS], b[COLS];
    bl_pattern pattern;
} rows;

/* A chain: row i has entries near column 3 i / 2; the last `copies` rows are sums of earlier ones, b matches but for `contradiction`. A
 * star: all rows share two columns besides. */
static void make(rows *r, bl_index copies, double contradiction, bool star) {
    test_random random = {test_seed(5)};
    memset(r, 0, sizeof *r);
    for (bl_index i = 0; i < ROWS; i++) {
        for (bl_index k = 0; k < TERMS && i < ROWS - copies; k++)
            r->dense[((3 * i / 2 + 2 * k) % COLS) * ROWS + i] = 1 + 0.5 * test_random_symmetric(&random);
        for (bl_index k = 0; k < SHARED && star && i < ROWS - copies; k++)
            r->dense[(COLS - 1 - k) * ROWS + i] = 1 + 0.5 * test_random_symmetric(&random);
        r->b[i] = 0.5 * test_random_symmetric(&random);
    }
    for (bl_index c = 0; c < copies; c++) {
        bl_index i = ROWS - 1 - c, one = 7 * c + 3, two = 7 * c + 30;
        for (bl_index j = 0; j < COLS; j++)
            r->dense[j * ROWS + i] = r->dense[j * ROWS + one] - 2 * r->dense[j * ROWS + two];
        r->b[i] = r->b[one] - 2 * r->b[two] + contradiction;
    }
    bl_index n = 0;
    for (bl_index j = 0; j < COLS; j++) {
        for (bl_index i = 0; i < ROWS; i++)
            if (r->dense[j * ROWS + i] != 0) {
                r->idx[n] = i;
                r->value[n++] = r->dense[j * ROWS + i];
            }
        r->ptr[j + 1] = n;
    }
    r->pattern = (bl_pattern){.nrow = ROWS, .ncol = COLS, .ptr = r->ptr, .idx = r->idx};
}

static void agree(bl_index copies, bool star) {
    bl_context *ctx = test_context(NULL);
    static rows r;
    double x[COLS], *work;
    bl_index rank;
    bool solved;
    make(&r, copies, 0, star);
    memcpy(x, r.b, sizeof x);
    assert_int_equal(BL_NEW(ctx, work, bl_least_norm_work(ROWS, COLS)), BL_OK);
    assert_int_equal(bl_assembly_sparse(ctx, &r.pattern, r.value, r.b, &solved), BL_OK);
    assert_true(solved);
    assert_int_equal(bl_least_norm(ctx, ROWS, COLS, r.dense, 1e-10, x, &rank, work), BL_OK);
    assert_int_equal(rank, ROWS - copies);
    for (bl_index j = 0; j < COLS; j++)
        assert_true(fabs(x[j] - r.b[j]) < 1e-11);
    bl_free(ctx, work);
    test_context_end(ctx);
}

static void independent_rows__give_the_least_norm(void **unused) {
    (void)unused;
    agree(0, false);
    agree(0, true);
}

static void dependent_rows_that_agree__are_left_out(void **unused) {
    (void)unused;
    agree(4, false);
    agree(4, true);
}

static void contradicting_rows__are_left_to_others(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static rows r, kept;
    for (int star = 0; star < 2; star++) {
        bool solved = true;
        make(&r, 4, 1e-6, star);
        kept = r;
        assert_int_equal(bl_assembly_sparse(ctx, &r.pattern, r.value, r.b, &solved), BL_OK);
        assert_false(solved);
        assert_memory_equal(r.b, kept.b, sizeof r.b);
    }
    test_context_end(ctx);
}

static bl_status once(bl_context *ctx, void *star) {
    static rows r;
    bool solved;
    make(&r, 2, 0, star != NULL);
    return bl_assembly_sparse(ctx, &r.pattern, r.value, r.b, &solved);
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(once, NULL) >= 5);
    assert_true(test_failing_allocations(once, &(int){1}) >= 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_rows__give_the_least_norm),
        cmocka_unit_test(dependent_rows_that_agree__are_left_out),
        cmocka_unit_test(contradicting_rows__are_left_to_others),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
