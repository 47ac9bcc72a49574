/* The block solver where its diagonal blocks are singular although the matrix is not: met on purpose, at the start and during a motion. */
#include "linsol/block.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST = 40 };

static double residual(const test_matrix *m, bool transposed, const double *b, const double *x) {
    return test_matrix_residual(m, transposed, x, b);
}

static void expect_solves(bl_linsol *solver, const test_matrix *m, test_random *random, double bound) {
    for (int transposed = 0; transposed < 2; transposed++) {
        double b[5 * MOST], x[5 * MOST];
        for (bl_index i = 0; i < 5 * m->n; i++)
            x[i] = b[i] = test_random_symmetric(random);
        assert_int_equal(bl_linsol_solve(solver, transposed, 5, x), BL_OK);
        for (int c = 0; c < 5; c++)
            assert_true(residual(m, transposed, b + c * m->n, x + c * m->n) < bound);
    }
}

/* [ e 1 ; 1 1 ] with the order that takes e as a block of its own */
static void pivot_of_zero__is_delayed_and_counted(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {1};
    double a[4] = {0, 1, 1, 1};
    uint8_t full[4] = {1, 1, 1, 1};
    bl_index row[] = {0, 1}, col[] = {0, 1}, block[] = {0, 1};
    /* the first unknown is a 1x1 block, the second one border and band */
    bl_ordering ordering = {.nrow = 2, .ncol = 2, .row = row, .col = col, .block = block, .nblock = 1, .border = 1, .band = 1};
    test_matrix m = test_matrix_from(ctx, 2, a, full);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "block", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
    assert_int_equal(((bl_block *)solver->own)->delayed, 1);
    expect_solves(solver, &m, &random, 1e-14);
    /* the pivot comes and goes: refactor decides anew each time */
    for (int k = 1; k < 40; k++) {
        double e = pow(10, -k);
        m.values[0] = k % 2 ? -e : e;
        assert_int_equal(bl_linsol_refactor(solver, m.values), BL_OK);
        assert_int_equal(((bl_block *)solver->own)->delayed, e < 1e-2);
        expect_solves(solver, &m, &random, 1e-13);
    }
    bl_linsol_destroy(solver);
    test_matrix_free(&m);
    test_context_end(ctx);
}

/* chain of 3x3 blocks, each made singular in turn; the blocks before and after make up for it, so the matrix is regular */
static void singular_blocks__in_a_ring_are_solved(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(307)};
    for (int trial = 0; trial < 200; trial++) {
        enum { BLOCKS = 5 };
        bl_index n = 3 * BLOCKS;
        double a[MOST * MOST] = {0};
        uint8_t full[MOST * MOST] = {0};
        for (bl_index k = 0; k < BLOCKS; k++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    bl_index before = 3 * ((k + BLOCKS - 1) % BLOCKS);
                    full[3 * k + i + (3 * k + j) * n] = full[3 * k + i + (before + j) * n] = 1;
                    a[3 * k + i + (3 * k + j) * n] = test_random_symmetric(&random);
                    a[3 * k + i + (before + j) * n] = test_random_symmetric(&random);
                }
        bl_index bad = test_random_below(&random, BLOCKS);
        for (int i = 0; i < 3; i++) /* its third column is the sum of the others */
            a[3 * bad + i + (3 * bad + 2) * n] = a[3 * bad + i + (3 * bad) * n] + a[3 * bad + i + (3 * bad + 1) * n];
        test_matrix m = test_matrix_from(ctx, n, a, full);
        double s[MOST], copy[MOST * MOST];
        test_matrix_dense(&m, copy);
        test_singular_values(n, n, copy, s);
        if (s[n - 1] > 1e-3 * s[0]) {
            /* blocks in a row; the last one closes the ring: border and band */
            bl_index order[MOST], block[] = {0, 3, 6, 9, 12};
            for (bl_index i = 0; i < n; i++)
                order[i] = i;
            bl_ordering ordering = {.nrow = n, .ncol = n, .row = order, .col = order, .block = block, .nblock = 4, .border = 3, .band = 3};
            bl_linsol *solver;
            assert_int_equal(bl_linsol_create(ctx, "block", &solver), BL_OK);
            assert_int_equal(bl_linsol_analyze(solver, &m.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
            assert_true(bad == 4 || ((bl_block *)solver->own)->delayed >= 1);
            expect_solves(solver, &m, &random, 1e-12);
            bl_linsol_destroy(solver);
            /* the thesis' own remedy: the weak block is merged with the next */
            assert_int_equal(bl_linsol_create(ctx, "block:merge=1", &solver), BL_OK);
            assert_int_equal(bl_linsol_analyze(solver, &m.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
            assert_true(bad == 4 || ((bl_block *)solver->own)->merged >= 1);
            expect_solves(solver, &m, &random, 1e-12);
            assert_int_equal(bl_linsol_refactor(solver, m.values), BL_OK);
            expect_solves(solver, &m, &random, 1e-12);
            bl_linsol_destroy(solver);
        }
        test_matrix_free(&m);
    }
    test_context_end(ctx);
}

/* a part that is one block has nowhere to delay to: small pivots are used, zero ones make the matrix singular */
static void lone_block__is_regular_or_the_matrix_is_not(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {2};
    double a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9 + 1e-3};
    test_matrix m = test_matrix_from(ctx, 3, a, NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "block", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_OK);
    assert_int_equal(((bl_block *)solver->own)->delayed, 0);
    expect_solves(solver, &m, &random, 1e-12);
    m.values[8] = 9;
    assert_int_equal(bl_linsol_refactor(solver, m.values), BL_SINGULAR);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_SINGULAR);
    assert_int_equal(solver->stats.rank, 2);
    bl_linsol_destroy(solver);
    test_matrix_free(&m);
    test_context_end(ctx);
}

static void wrong_order__is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double a[4] = {1, 1, 1, 2};
    bl_index row[] = {0, 1}, block[] = {0, 1, 2};
    bl_ordering ordering = {.nrow = 2, .ncol = 2, .row = row, .col = row, .block = block, .nblock = 2};
    test_matrix m = test_matrix_from(ctx, 2, a, NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "block", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_E_ARG); /* two blocks of one, but an entry above the diagonal */
    bl_linsol_destroy(solver);
    assert_int_equal(bl_linsol_create(ctx, "block:ordering=amd", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &m.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, m.values), BL_E_ABILITY);
    bl_linsol_destroy(solver);
    test_matrix_free(&m);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pivot_of_zero__is_delayed_and_counted),
        cmocka_unit_test(singular_blocks__in_a_ring_are_solved),
        cmocka_unit_test(lone_block__is_regular_or_the_matrix_is_not),
        cmocka_unit_test(wrong_order__is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
