/* Linear solvers by every instruction set of the machine: solutions agree with those of the plain one to rounding times condition, and one
 * set gives the same bits again. */
#include "base/isa.h"
#include "linsol/linsol.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NRHS = 5 };

/* x[NRHS][n]: three plain right-hand sides, then the transposed ones */
static void solve_all(bl_isa isa, const char *spec, const test_matrix *matrix, const double *b, double *x) {
    bl_context *ctx = test_context(NULL);
    assert_true(bl_context_use_isa(ctx, isa));
    bl_index n = matrix->pattern.ncol;
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &matrix->pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, matrix->values), BL_OK);
    assert_int_equal(bl_linsol_refactor(solver, matrix->values), BL_OK);
    memcpy(x, b, NRHS * (size_t)n * sizeof *x);
    assert_int_equal(bl_linsol_solve(solver, false, 3, x), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, true, NRHS - 3, x + 3 * n), BL_OK);
    bl_linsol_destroy(solver);
    test_context_end(ctx);
}

static void kernels__agree_between_instruction_sets(void **unused) {
    (void)unused;
    static const char *const specs[] = {"inverse", "klu", "block", "dense"};
    test_random random = {test_seed(405)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 60; trial++) {
        bl_index n = 1 + test_random_below(&random, 70);
        test_matrix matrix = test_matrix_random(ctx, &random, n, 4 * n);
        double *a = malloc((size_t)(n * n) * sizeof *a), s[70], b[NRHS * 70], x[3][NRHS * 70];
        test_matrix_dense(&matrix, a);
        test_singular_values(n, n, a, s);
        free(a);
        for (bl_index i = 0; i < NRHS * n; i++)
            b[i] = test_random_symmetric(&random);
        for (size_t k = 0; k < sizeof specs / sizeof *specs && s[n - 1] > 1e-6 * s[0]; k++) {
            solve_all(BL_ISA_PLAIN, specs[k], &matrix, b, x[0]);
            double size = 0, condition = s[0] / s[n - 1];
            for (bl_index i = 0; i < NRHS * n; i++)
                size = fmax(size, fabs(x[0][i]));
            for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++) {
                if (!bl_isa_available(isa))
                    continue;
                solve_all(isa, specs[k], &matrix, b, x[1]);
                solve_all(isa, specs[k], &matrix, b, x[2]);
                assert_memory_equal(x[1], x[2], NRHS * (size_t)n * sizeof(double));
                if (strcmp(specs[k], "klu") == 0) /* nothing is fused there */
                    assert_memory_equal(x[1], x[0], NRHS * (size_t)n * sizeof(double));
                for (bl_index i = 0; i < NRHS * n; i++) /* growth of pivots up to 100 */
                    assert_true(fabs(x[1][i] - x[0][i]) <= 100 * n * DBL_EPSILON * condition * size);
            }
        }
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels__agree_between_instruction_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
