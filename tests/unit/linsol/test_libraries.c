/* What is particular to superlu, ldl and mumps: supernodes over panels, orders that pivoting-free elimination needs, null pivots. */
#include "linsol/linsol_limits.h"
#include "linsol/rank_decision.h"
#include "order/order.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double residual(bl_linsol *solver, const test_matrix *matrix, bool transposed, test_random *random) {
    bl_index n = matrix->n, nrhs = 9; /* more than are handed over at a time */
    double *x = malloc((size_t)(2 * n * nrhs) * sizeof *x), *b = x + n * nrhs, worst = 0;
    for (bl_index i = 0; i < n * nrhs; i++)
        x[i] = b[i] = test_random_symmetric(random);
    assert_int_equal(bl_linsol_solve(solver, transposed, nrhs, x), BL_OK);
    for (bl_index c = 0; c < nrhs; c++)
        worst = fmax(worst, test_matrix_residual(matrix, transposed, x + c * n, b + c * n));
    free(x);
    return worst;
}

/* large enough for panels, wide supernodes and segments that end inside one */
static void superlu__refactors_over_its_supernodes(void **unused) {
    (void)unused;
    const char *specs[] = {"superlu", "superlu:ordering=amd", "superlu:natural,pivot=0.1", "superlu:ordering=colamd,pivot=0.001"};
    test_random random = {test_seed(501)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 12; trial++) {
        bl_index n = 100 + test_random_below(&random, 200);
        test_matrix matrix = test_matrix_random(ctx, &random, n, (2 + trial % 4) * n);
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, specs[trial % 4], &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
        if (bl_linsol_factor(solver, matrix.values) == BL_OK) {
            double bound = 1e4 * DBL_EPSILON * n; /* growth of threshold pivoting, at most 1/0.001 by a step */
            assert_true(residual(solver, &matrix, false, &random) <= bound);
            assert_true(residual(solver, &matrix, true, &random) <= bound);
            assert_true(solver->stats.fill >= matrix.pattern.ptr[n] && solver->stats.fill <= n * n);
            for (int again = 0; again < 3; again++) {
                for (bl_index k = 0; k < matrix.pattern.ptr[n]; k++)
                    matrix.values[k] *= 1 + 0.01 * test_random_symmetric(&random);
                assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_OK);
                assert_true(residual(solver, &matrix, false, &random) <= bound);
                assert_true(residual(solver, &matrix, true, &random) <= bound);
            }
            assert_int_equal(solver->stats.factors, 1);
        } else {
            assert_true(trial > 0); /* seldom singular */
        }
        bl_linsol_destroy(solver);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

/* an order with multipliers first, where their diagonals are zero: they are moved behind their neighbors */
static void ldl__takes_any_order_of_a_saddle_point(void **unused) {
    (void)unused;
    test_random random = {test_seed(502)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 200; trial++) {
        bl_index nv = 4 + test_random_below(&random, 40), np = 1 + test_random_below(&random, nv - 1), n = nv + np, order[100];
        test_kkt kkt = test_kkt_random(ctx, &random, nv, np, np);
        for (bl_index i = 0; i < n; i++) {
            bl_index j = trial % 2 ? i : test_random_below(&random, i + 1);
            order[i] = order[j];
            order[j] = n - 1 - i;
        }
        double *s = malloc((size_t)n * sizeof *s);
        test_singular_values(np, nv, kkt.G, s);
        bl_ordering ordering = {.nrow = n, .ncol = n, .col = order};
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, "ldl", &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &kkt.matrix.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
        if (s[np - 1] > 1e-2 * s[0]) {
            assert_int_equal(bl_linsol_factor(solver, kkt.matrix.values), BL_OK);
            assert_true(residual(solver, &kkt.matrix, trial & 1, &random) <= 100 * DBL_EPSILON * n);
        }
        free(s);
        bl_linsol_destroy(solver);
        test_kkt_free(&kkt);
    }
    test_context_end(ctx);
}

/* full rank, but no pivot without exchanges: the caller is informed that another solver can solve it */
static void ldl__says_when_it_would_have_to_pivot(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double cases[][4] = {{0, 1, 1, 0}, {1e-10, 1, 1, 1e-10}, {1e-12, 1, 1, 0}};
    for (size_t k = 0; k < 3; k++) {
        test_matrix matrix = test_matrix_from(ctx, 2, cases[k], NULL);
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, "ldl", &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_SINGULAR);
        assert_int_equal(solver->stats.rank, 2);
        assert_non_null(strstr(bl_context_error(ctx)->advice, "klu"));
        bl_linsol_destroy(solver);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

/* diagonal entries that are in the pattern but zero at first: the order adapts when they become nonzero */
static void ldl__follows_diagonals_that_appear(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(503)};
    uint8_t keep[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    double a[9] = {2, 0, 1, 0, 3, 1, 1, 1, 0}, b[9] = {0, 1, 2, 1, 3, 1, 2, 1, 4};
    test_matrix first = test_matrix_from(ctx, 3, a, keep), then = test_matrix_from(ctx, 3, b, keep);
    bl_index backwards[3] = {2, 1, 0}, forwards[3] = {0, 1, 2};
    for (int k = 0; k < 2; k++) {
        bl_ordering ordering = {.nrow = 3, .ncol = 3, .col = k ? forwards : backwards};
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, "ldl", &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &first.pattern, &ordering, BL_REFUSE, 1e-9), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, first.values), BL_OK);
        assert_true(residual(solver, &first, false, &random) <= 100 * DBL_EPSILON);
        assert_int_equal(bl_linsol_update(solver, then.values), BL_OK);
        assert_true(residual(solver, &then, false, &random) <= 100 * DBL_EPSILON);
        bl_linsol_destroy(solver);
    }
    test_matrix_free(&first);
    test_matrix_free(&then);
    test_context_end(ctx);
}

/* too large for complete pivoting: null pivots name as many rows as are redundant, and the rest solves */
static void mumps__drops_null_pivots_of_large_saddle_points(void **unused) {
    (void)unused;
    test_random random = {test_seed(504)};
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver = NULL;
    if (bl_linsol_create(ctx, "mumps", &solver) != BL_OK) {
        assert_non_null(strstr(bl_context_error(ctx)->what, "MUMPS"));
        test_context_end(ctx);
        skip();
    }
    bl_index nv = 1100, rank = 450, np = 457, n = nv + np;
    assert_true(n > linsol_rank_dense);
    test_kkt kkt = test_kkt_random(ctx, &random, nv, np, rank);
    assert_int_equal(bl_linsol_analyze(solver, &kkt.matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, kkt.matrix.values), BL_SINGULAR);
    assert_int_equal(solver->stats.ndependent, np - rank);
    assert_int_equal(bl_linsol_analyze(solver, &kkt.matrix.pattern, NULL, BL_DROP, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, kkt.matrix.values), BL_OK);
    assert_int_equal(solver->stats.rank, nv + rank);
    double *x = calloc((size_t)(2 * n), sizeof *x), *b = x + n, *some = calloc((size_t)n, sizeof *some);
    for (int again = 0; again < 2; again++) {
        for (bl_index i = 0; i < n; i++)
            some[i] = test_random_symmetric(&random);
        memset(b, 0, (size_t)n * sizeof *b);
        bl_csc_multiply(&kkt.matrix.pattern, kkt.matrix.values, some, b); /* consistent */
        memcpy(x, b, (size_t)n * sizeof *x);
        assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
        assert_true(test_matrix_residual(&kkt.matrix, false, x, b) <= 1000 * DBL_EPSILON * n);
        for (bl_index k = 0; k < solver->stats.ndependent; k++)
            assert_true(solver->stats.dependent[k] >= nv && x[solver->stats.dependent[k]] == 0);
        for (bl_index j = 0; j < nv; j++) /* other masses: the same rows are redundant */
            for (bl_index p = kkt.matrix.pattern.ptr[j]; p < kkt.matrix.pattern.ptr[j + 1]; p++)
                if (kkt.matrix.pattern.idx[p] < nv)
                    kkt.matrix.values[p] *= 1.5;
        assert_int_equal(bl_linsol_refactor(solver, kkt.matrix.values), BL_OK);
    }
    free(x);
    free(some);
    bl_linsol_destroy(solver);
    test_kkt_free(&kkt);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(superlu__refactors_over_its_supernodes),          cmocka_unit_test(ldl__takes_any_order_of_a_saddle_point),
        cmocka_unit_test(ldl__says_when_it_would_have_to_pivot),           cmocka_unit_test(ldl__follows_diagonals_that_appear),
        cmocka_unit_test(mumps__drops_null_pivots_of_large_saddle_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
