/* What is particular to klu: its options, block triangular matrices, the fill it reports, singular matrices too large for complete
 * pivoting. */
#include "linsol/linsol.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void options__all_solve(void **unused) {
    (void)unused;
    const char *specs[] = {"klu", "klu:colamd", "klu:natural", "klu:ordering=amd,pivot=1,btf=false", "klu:colamd,0.01,false"};
    test_random random = {test_seed(401)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 50; trial++) {
        bl_index n = 5 + test_random_below(&random, 40);
        test_matrix matrix = test_matrix_random(ctx, &random, n, 3 * n);
        double *a = malloc((size_t)(n * n) * sizeof *a), s[64];
        test_matrix_dense(&matrix, a);
        test_singular_values(n, n, a, s);
        free(a);
        for (size_t k = 0; k < sizeof specs / sizeof specs[0] && s[n - 1] > 1e-6 * s[0]; k++) {
            bl_linsol *solver;
            double x[64], b[64];
            for (bl_index i = 0; i < n; i++)
                x[i] = b[i] = test_random_symmetric(&random);
            assert_int_equal(bl_linsol_create(ctx, specs[k], &solver), BL_OK);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
            assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
            assert_true(test_matrix_residual(&matrix, false, x, b) <= 1000 * DBL_EPSILON * n); /* growth up to 1 / 0.01 a step */
            bl_linsol_destroy(solver);
        }
        test_matrix_free(&matrix);
    }
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "klu:ordering=amdd", &solver), BL_E_ARG);
    assert_int_equal(bl_linsol_create(ctx, "klu:pivot=-1", &solver), BL_E_ARG);
    assert_int_equal(bl_linsol_create(ctx, "kul", &solver), BL_E_ARG);
    assert_string_equal(bl_context_error(ctx)->advice, "did you mean 'klu'?");
    assert_null(solver);
    test_context_end(ctx);
}

/* 2 x 2 blocks on the diagonal, anything to the right of them: only the blocks are eliminated, so nothing fills */
static void block_triangular__matrices_do_not_fill(void **unused) {
    (void)unused;
    test_random random = {test_seed(402)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 100; trial++) {
        enum { N = 20 };
        double a[N * N] = {0}, x[4 * N], b[4 * N];
        bl_index order[N], nnz = 0;
        for (int i = 0; i < N; i++) {
            int j = test_random_below(&random, i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        for (int i = 0; i < N; i++)
            for (int j = i / 2 * 2; j < N; j++)
                if (j / 2 == i / 2 || test_random_unit(&random) < 0.3) {
                    double inside = (i == j ? 2 : 1) + test_random_unit(&random) / 4;
                    a[order[i] + order[j] * N] = j / 2 != i / 2 ? test_random_symmetric(&random) : inside;
                    nnz++;
                }
        test_matrix matrix = test_matrix_from(ctx, N, a, NULL);
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, "klu", &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
        assert_int_equal(solver->stats.fill, nnz);
        for (int transposed = 0; transposed < 2; transposed++) {
            for (int i = 0; i < 4 * N; i++)
                x[i] = b[i] = test_random_symmetric(&random);
            assert_int_equal(bl_linsol_solve(solver, transposed, 4, x), BL_OK);
            for (int c = 0; c < 4; c++)
                assert_true(test_matrix_residual(&matrix, transposed, x + c * N, b + c * N) <= 100 * DBL_EPSILON * N);
        }
        bl_linsol_destroy(solver);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

/* second differences without boundary values: rank n - 1, and too large for a dense search */
static void large_singular__matrix_drops_the_dependent_row(void **unused) {
    (void)unused;
    enum { N = 1600 };
    bl_context *ctx = test_context(NULL);
    bl_index *row = malloc(3 * N * sizeof *row), *col = malloc(3 * N * sizeof *col), npair = 0;
    for (bl_index i = 0; i < N; i++)
        for (bl_index j = i ? i - 1 : 0; j <= i + 1 && j < N; j++) {
            row[npair] = i;
            col[npair++] = j;
        }
    bl_pattern pattern;
    assert_int_equal(bl_pattern_build(ctx, N, N, npair, row, col, &pattern, NULL), BL_OK);
    double *values = malloc((size_t)npair * sizeof *values), *x = calloc(N, sizeof *x);
    for (bl_index j = 0; j < N; j++)
        for (bl_index k = pattern.ptr[j]; k < pattern.ptr[j + 1]; k++)
            values[k] = pattern.idx[k] != j ? -1 : j == 0 || j == N - 1 ? 1 : 2;
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "klu", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &pattern, NULL, BL_DROP, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, values), BL_OK); /* rows add up to zero */
    assert_int_equal(solver->stats.rank, N - 1);
    x[0] = 1; /* x rises by one from node to node, whichever of them is held */
    x[N - 1] = -1;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    for (bl_index i = 1; i < N; i++)
        assert_true(fabs(x[i] - x[i - 1] + 1) <= 1e-6);
    memset(x, 0, N * sizeof *x);
    values[0] = 2; /* one end held: a constant c solves A x = c e_0 */
    x[0] = N + 1;
    assert_int_equal(bl_linsol_factor(solver, values), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    for (bl_index i = 0; i < N; i++)
        assert_true(fabs(x[i] - (N + 1)) <= 1e-6 * N);
    bl_linsol_destroy(solver);
    bl_pattern_free(ctx, &pattern);
    free(row), free(col), free(values), free(x);
    test_context_end(ctx);
}

/* pivots that were good become small: refactor reports it, and new ones are good again */
static void decayed_pivots__ask_for_new_ones(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double a[4] = {1, 0.5, 0.5, 1};
    test_matrix matrix = test_matrix_from(ctx, 2, a, NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "klu", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
    matrix.values[0] = matrix.values[3] = 1e-12;
    assert_int_equal(bl_linsol_refactor(solver, matrix.values), BL_SINGULAR);
    assert_int_equal(bl_linsol_update(solver, matrix.values), BL_OK);
    double x[2] = {1, 2}, b[2] = {1, 2};
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_true(test_matrix_residual(&matrix, false, x, b) <= 10 * DBL_EPSILON);
    assert_int_equal(solver->stats.factors, 2);
    assert_int_equal(solver->stats.refactors, 1);
    bl_linsol_destroy(solver);
    test_matrix_free(&matrix);
    test_context_end(ctx);
}

/* by elimination with row exchanges */
static int determinant_sign(bl_index n, double *a) {
    int sign = 1;
    for (bl_index k = 0; k < n; k++) {
        bl_index p = k;
        for (bl_index i = k + 1; i < n; i++)
            if (fabs(a[i + n * k]) > fabs(a[p + n * k]))
                p = i;
        sign = (p == k) == (a[p + n * k] > 0) ? sign : -sign;
        for (bl_index j = k; j < n; j++) {
            double swap = a[k + n * j];
            a[k + n * j] = a[p + n * j];
            a[p + n * j] = swap;
        }
        for (bl_index i = k + 1; i < n; i++)
            for (bl_index j = n - 1; j >= k; j--)
                a[i + n * j] -= a[i + n * k] / a[k + n * k] * a[k + n * j];
    }
    return sign;
}

static void sign__is_that_of_the_determinant(void **unused) {
    (void)unused;
    test_random random = {test_seed(402)};
    bl_context *ctx = test_context(NULL);
    int seen[2] = {0};
    for (int trial = 0; trial < 100; trial++) {
        bl_index n = 3 + test_random_below(&random, 40);
        test_matrix matrix = test_matrix_random(ctx, &random, n, 3 * n);
        double *a = malloc((size_t)(n * n) * sizeof *a), s[64];
        test_matrix_dense(&matrix, a);
        test_singular_values(n, n, a, s);
        if (s[n - 1] > 1e-6 * s[0]) {
            bl_linsol *solver;
            assert_int_equal(bl_linsol_create(ctx, "klu", &solver), BL_OK);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
            assert_int_equal(bl_linsol_update(solver, matrix.values), BL_OK);
            test_matrix_dense(&matrix, a);
            int exact = determinant_sign(n, a);
            assert_int_equal(bl_linsol_sign(solver), exact);
            for (bl_index k = matrix.pattern.ptr[0]; k < matrix.pattern.ptr[1]; k++) /* one column with the opposite sign */
                matrix.values[k] = -matrix.values[k];
            assert_int_equal(bl_linsol_update(solver, matrix.values), BL_OK);
            assert_int_equal(bl_linsol_sign(solver), -exact);
            seen[exact > 0]++;
            bl_linsol_destroy(solver);
        }
        free(a);
        test_matrix_free(&matrix);
    }
    assert_true(seen[0] > 10 && seen[1] > 10);
    test_context_end(ctx);
}

/* [M G^T; G 0] with diagonal M; half of the entries of G vanish at first, and a later matrix has them all: zeros are part of the pattern.
 * The factors of least fill have no more entries than those by AMD, and they solve both matrices. */
static void least__fill_keeps_zeros_of_the_pattern(void **unused) {
    (void)unused;
    test_random random = {test_seed(405)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 50; trial++) {
        enum { NV = 24, NP = 12, N = NV + NP };
        double a[N * N] = {0}, x[N], b[N];
        for (int i = 0; i < NV; i++)
            a[i + i * N] = 1 + test_random_unit(&random);
        for (int i = 0; i < NP; i++)
            for (int k = 0; k < 4; k++) {
                int row = NV + i, col = k == 0 ? 2 * i : 1 + 2 * test_random_below(&random, NP);
                a[row + col * N] = a[col + row * N] = k == 0 ? 3 : test_random_symmetric(&random);
            }
        test_matrix matrix = test_matrix_from(ctx, N, a, NULL);
        bl_index nnz = matrix.pattern.ptr[N];
        double *later = malloc((size_t)nnz * sizeof *later);
        memcpy(later, matrix.values, (size_t)nnz * sizeof *later);
        for (bl_index k = 0; k < nnz; k++)
            if (fabs(matrix.values[k]) < 0.5)
                matrix.values[k] = 0;
        int64_t fill[2];
        for (int least = 0; least < 2; least++) {
            bl_linsol *solver;
            assert_int_equal(bl_linsol_create(ctx, least ? "klu:least" : "klu:amd", &solver), BL_OK);
            assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
            assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
            fill[least] = solver->stats.fill;
            for (int round = 0; round < 2; round++) {
                test_matrix now = {.ctx = ctx, .n = N, .pattern = matrix.pattern, .values = round ? later : matrix.values};
                assert_int_equal(bl_linsol_update(solver, now.values), BL_OK);
                for (int transposed = 0; transposed < 2; transposed++) {
                    for (int i = 0; i < N; i++)
                        x[i] = b[i] = test_random_symmetric(&random);
                    assert_int_equal(bl_linsol_solve(solver, transposed, 1, x), BL_OK);
                    assert_true(test_matrix_residual(&now, transposed, x, b) <= 1000 * DBL_EPSILON * N);
                }
            }
            bl_linsol_destroy(solver);
        }
        assert_true(fill[1] <= fill[0]);
        free(later);
        test_matrix_free(&matrix);
    }
    test_context_end(ctx);
}

static void sign__of_what_is_not_factored_is_unknown(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const bl_index ptr[] = {0, 1, 2}, idx[] = {0, 0};
    const bl_pattern pattern = {2, 2, ptr, idx};
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "klu", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, (double[]){1, 1}), BL_SINGULAR);
    assert_int_equal(bl_linsol_sign(solver), 0);
    bl_linsol_destroy(solver);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options__all_solve),
        cmocka_unit_test(sign__is_that_of_the_determinant),
        cmocka_unit_test(sign__of_what_is_not_factored_is_unknown),
        cmocka_unit_test(block_triangular__matrices_do_not_fill),
        cmocka_unit_test(least__fill_keeps_zeros_of_the_pattern),
        cmocka_unit_test(large_singular__matrix_drops_the_dependent_row),
        cmocka_unit_test(decayed_pivots__ask_for_new_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
