/* Refactoring and solving allocate nothing: neither through the context nor, below it, in the libraries. */
#include "linsol/linsol.h"
#include "support/counted_malloc.h"
#include "support/matrices.h"

#include <stdlib.h>

static void run(bl_context *ctx, const bl_linsol_kind *kind, bl_deficient deficient, const test_matrix *matrix) {
    bl_index n = matrix->n;
    double x[5 * 64];
    bl_linsol *solver;
    assert_true(5 * n <= 5 * 64);
    assert_int_equal(bl_linsol_create(ctx, kind->kind.name, &solver), BL_OK);
    long before_all = malloc_calls;
    assert_int_equal(bl_linsol_analyze(solver, &matrix->pattern, NULL, deficient, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, matrix->values), BL_OK);
    assert_true(!MALLOC_COUNTED || malloc_calls > before_all); /* the counter counts */
    for (int repeat = 0; repeat < 3; repeat++) {
        for (bl_index i = 0; i < 5 * n; i++)
            x[i] = 1;
        bl_memory before = bl_context_memory(ctx);
        long counted = malloc_calls;
        bl_status refactored = bl_linsol_refactor(solver, matrix->values);
        bl_status solved = bl_linsol_solve(solver, repeat % 2, 5, x);
        long after = malloc_calls;
        assert_int_equal(refactored, BL_OK);
        assert_int_equal(solved, BL_OK);
        assert_int_equal(bl_context_memory(ctx).calls, before.calls);
        if (repeat > 0) /* BLAS may set itself up at its first call */
            assert_int_equal(after, counted);
    }
    bl_linsol_destroy(solver);
}

static void refactor_and_solve__allocate_nothing(void **unused) {
    (void)unused;
    test_random random = {test_seed(301)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 20; trial++) {
        test_kkt full = test_kkt_random(ctx, &random, 30, 20, 20), redundant = test_kkt_random(ctx, &random, 30, 20, 16);
        test_matrix definite = test_matrix_from(ctx, full.nv, full.M, NULL);
        for (size_t k = 0; k < bl_linsol_kind_count; k++) {
            const bl_linsol_kind *kind = bl_linsol_kinds[k];
            if (kind->kind.needs & BL_LINSOL_MEMORY) /* declares that it allocates */
                continue;
            run(ctx, kind, BL_REFUSE, kind->kind.needs & BL_LINSOL_DEFINITE ? &definite : &full.matrix);
            if (kind->kind.gives & BL_LINSOL_DROP)
                run(ctx, kind, BL_DROP, &redundant.matrix);
            if (kind->kind.gives & BL_LINSOL_MIN_NORM)
                run(ctx, kind, BL_MIN_NORM, &redundant.matrix);
        }
        test_matrix_free(&definite);
        test_kkt_free(&full);
        test_kkt_free(&redundant);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(refactor_and_solve__allocate_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
