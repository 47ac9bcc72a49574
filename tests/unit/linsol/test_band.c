/* Narrow symmetric bands by segments, and what sends them back to LU: against plain sums, on every instruction set. */
#include "linsol/linsol.h"
#include "linsol/segments.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct band {
    bl_index n, *ptr, *idx, *position; /* position: of unknowns along the band */
    double *values;
    bl_pattern pattern;
} band;

static void band_free(band *b) {
    free(b->ptr);
    free(b->values);
}

/* A random band of `wide` entries beside the diagonal, numbered at random where `mixed`; diagonals outweigh their rows by `weight`. */
static band band_make(bl_index n, bl_index wide, bool mixed, double weight, test_random *random) {
    size_t rows = (size_t)n, most = rows * (2 * (size_t)wide + 1);
    band b = {.n = n, .ptr = calloc(3 * rows + 2 + most, sizeof *b.ptr), .values = calloc(most, sizeof *b.values)};
    b.idx = b.ptr + n + 1;
    b.position = b.idx + most;
    bl_index *unknown = malloc(rows * sizeof *unknown);
    for (bl_index i = 0; i < n; i++) {
        bl_index j = mixed ? test_random_below(random, (int)i + 1) : i;
        unknown[i] = i;
        bl_index keep = unknown[j];
        unknown[j] = i;
        unknown[i] = keep;
    }
    for (bl_index k = 0; k < n; k++)
        b.position[unknown[k]] = k;
    double *lower = malloc(rows * (size_t)wide * sizeof *lower); /* entry (k, k - d) at [k wide + d - 1] */
    for (bl_index k = 0; k < n * wide; k++)
        lower[k] = test_random_symmetric(random);
    bl_index used = 0;
    for (bl_index j = 0; j < n; j++) {
        bl_index col = b.position[j];
        double sum = 0;
        for (bl_index i = 0; i < n; i++) {
            bl_index row = b.position[i], apart = row > col ? row - col : col - row, late = row > col ? row : col;
            if (apart > wide)
                continue;
            b.idx[used] = i;
            b.values[used] = apart ? lower[late * wide + apart - 1] : 0;
            sum += fabs(b.values[used++]);
        }
        for (bl_index k = b.ptr[j]; k < used; k++)
            if (b.idx[k] == j)
                b.values[k] = weight * sum + 0.1;
        b.ptr[j + 1] = used;
    }
    free(lower);
    free(unknown);
    b.pattern = (bl_pattern){n, n, b.ptr, b.idx};
    return b;
}

static bl_linsol *factored(bl_context *ctx, const char *spec, const band *b, bl_deficient deficient) {
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &b->pattern, NULL, deficient, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, b->values), BL_OK);
    return solver;
}

/* largest |b - A x| against |A| |x| + |b|, of `nrhs` random right-hand sides */
static double residual(bl_linsol *solver, const band *b, bool transposed, bl_index nrhs, test_random *random) {
    size_t n = (size_t)b->n, all = n * (size_t)nrhs;
    double *x = malloc(3 * all * sizeof *x), *rhs = x + all, *sum = rhs + all, most = 0;
    for (size_t i = 0; i < all; i++) {
        x[i] = rhs[i] = test_random_symmetric(random);
        sum[i] = fabs(x[i]);
    }
    assert_int_equal(bl_linsol_solve(solver, transposed, nrhs, x), BL_OK);
    for (bl_index c = 0; c < nrhs; c++)
        for (bl_index j = 0; j < b->n; j++)
            for (bl_index k = b->ptr[j]; k < b->ptr[j + 1]; k++) {
                size_t to = (size_t)c * n + (size_t)(transposed ? j : b->idx[k]),
                       from = (size_t)c * n + (size_t)(transposed ? b->idx[k] : j);
                rhs[to] -= b->values[k] * x[from];
                sum[to] += fabs(b->values[k] * x[from]);
            }
    for (size_t i = 0; i < all; i++)
        most = fmax(most, fabs(rhs[i]) / sum[i]);
    free(x);
    return most;
}

/* Rows of up to 9 entries, pivots that stay near 1: some roundings per entry; spikes and the rows between segments add theirs. */
static const double ROUNDING = 200 * DBL_EPSILON;

static void segments__solve_bands_of_any_length_on_every_instruction_set(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(701);
    for (int isa = 0; isa < BL_ISA_COUNT; isa++) {
        bl_context *ctx = test_context(NULL);
        test_random random = {seed};
        for (int trial = 0; trial < 60 && bl_context_use_isa(ctx, (bl_isa)isa); trial++) {
            bl_index wide = 1 + trial % 4, n = 8 * (8 + wide) * wide + test_random_below(&random, trial % 3 ? 40 : 400);
            assert_true(bl_segments_suit(n, wide) && !bl_segments_suit(n, 5) && !bl_segments_suit(20, 1));
            band b = band_make(n, wide, trial % 2, 1 + test_random_unit(&random), &random);
            bl_linsol *solver = factored(ctx, "band", &b, BL_REFUSE);
            assert_true(residual(solver, &b, false, 3, &random) <= ROUNDING);
            assert_true(residual(solver, &b, true, 2, &random) <= ROUNDING);
            assert_true(solver->stats.worst_pivot > 0 && solver->stats.worst_pivot <= 1);
            for (bl_index k = 0; k < b.ptr[n]; k++) /* stiffer by the same factor everywhere */
                b.values[k] *= 3;
            assert_int_equal(bl_linsol_refactor(solver, b.values), BL_OK);
            assert_true(residual(solver, &b, false, 1, &random) <= ROUNDING);
            bl_linsol_destroy(solver);
            band_free(&b);
        }
        test_context_end(ctx);
    }
}

/* the same factors as elimination without segments: the inverse of a Laplacian is known */
static void segments__solve_the_laplacian_exactly(void **unused) {
    (void)unused;
    enum { N = 400 };
    bl_context *ctx = test_context(NULL);
    bl_index ptr[N + 1], idx[3 * N], used = 0;
    double values[3 * N], x[N];
    ptr[0] = 0;
    for (bl_index j = 0; j < N; j++) {
        for (bl_index i = j ? j - 1 : 0; i <= j + 1 && i < N; i++) {
            idx[used] = i;
            values[used++] = i == j ? 2 : -1;
        }
        ptr[j + 1] = used;
    }
    band b = {.n = N, .ptr = ptr, .idx = idx, .values = values, .pattern = {N, N, ptr, idx}};
    bl_linsol *solver = factored(ctx, "band", &b, BL_REFUSE);
    for (int i = 0; i < N; i++)
        x[i] = 1;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    for (int i = 0; i < N; i++) { /* -x'' = 1: x = (i + 1)(N - i) / 2; the condition is 4 (N + 1)^2 / pi^2 = 65 000 */
        double exact = 0.5 * (i + 1) * (N - i);
        assert_true(fabs(x[i] - exact) <= 65000 * 10 * DBL_EPSILON * exact);
    }
    bl_linsol_destroy(solver);
    test_context_end(ctx);
}

/* not positive definite, not symmetric, and back again: the same solver, by LU where it must */
static void band__changes_between_segments_and_pivoting(void **unused) {
    (void)unused;
    test_random random = {test_seed(702)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 30; trial++) {
        bl_index wide = 1 + trial % 4, n = 300 + test_random_below(&random, 300);
        band good = band_make(n, wide, trial % 2, 1.2, &random), b = good;
        size_t nnz = (size_t)b.ptr[n];
        b.values = malloc(nnz * sizeof *b.values);
        bl_linsol *solver = factored(ctx, "band", &good, BL_REFUSE);
        for (int what = 0; what < 4; what++) {
            memcpy(b.values, good.values, nnz * sizeof *b.values);
            for (bl_index j = 0; j < n; j++)
                for (bl_index k = b.ptr[j]; k < b.ptr[j + 1]; k++) {
                    if (what == 0 && b.idx[k] == j && j % 3 == 0)
                        b.values[k] *= -1; /* indefinite */
                    if (what == 1 && b.idx[k] < j)
                        b.values[k] *= 0.7; /* unsymmetric */
                    if (what == 2 && b.idx[k] == j)
                        b.values[k] *= 0.05; /* rows are exchanged */
                }
            bl_status status = bl_linsol_update(solver, b.values);
            if (what == 2 && status == BL_SINGULAR) /* as it may well be */
                continue;
            assert_int_equal(status, BL_OK);
            /* partial pivoting in a band of w may grow by 2^(2w) at worst; LU of the others as before */
            assert_true(residual(solver, &b, false, 1, &random) <= (what == 2 ? 1e5 : 10) * ROUNDING);
            assert_true(residual(solver, &b, true, 1, &random) <= (what == 2 ? 1e5 : 10) * ROUNDING);
        }
        bl_linsol_destroy(solver);
        free(b.values);
        band_free(&good);
    }
    test_context_end(ctx);
}

/* NaN in one right-hand side does not affect the next */
static void segments__forget_what_is_not_a_number(void **unused) {
    (void)unused;
    test_random random = {test_seed(703)};
    bl_context *ctx = test_context(NULL);
    band b = band_make(203, 1, false, 1.5, &random);
    bl_linsol *solver = factored(ctx, "band", &b, BL_REFUSE);
    double *x = malloc(203 * sizeof *x);
    for (int i = 0; i < 203; i++)
        x[i] = NAN;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_true(isnan(x[100]));
    assert_true(residual(solver, &b, false, 1, &random) <= ROUNDING);
    free(x);
    bl_linsol_destroy(solver);
    band_free(&b);
    test_context_end(ctx);
}

/* a row and its column that vanish are dropped and the rest is solved, or the matrix is refused, as requested */
static void segments__leave_dependent_rows_to_the_shell(void **unused) {
    (void)unused;
    test_random random = {test_seed(704)};
    bl_context *ctx = test_context(NULL);
    band b = band_make(120, 1, false, 1.5, &random);
    for (bl_index j = 0; j < 120; j++)
        for (bl_index k = b.ptr[j]; k < b.ptr[j + 1]; k++)
            if (j == 50 || b.idx[k] == 50)
                b.values[k] = 0;
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "band", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &b.pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, b.values), BL_SINGULAR);
    bl_linsol_destroy(solver);
    solver = factored(ctx, "band", &b, BL_DROP);
    assert_int_equal(solver->stats.ndependent, 1);
    assert_int_equal(solver->stats.dependent[0], 50);
    double x[120];
    for (int i = 0; i < 120; i++)
        x[i] = 1;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_true(x[50] == 0 && isfinite(x[49]) && fabs(x[49]) > 0);
    bl_linsol_destroy(solver);
    band_free(&b);
    test_context_end(ctx);
}

static void auto__takes_segments_for_a_bar(void **unused) {
    (void)unused;
    test_random random = {test_seed(705)};
    bl_context *ctx = test_context(NULL);
    band b = band_make(400, 1, true, 1.1, &random);
    bl_linsol *solver = factored(ctx, "auto", &b, BL_REFUSE);
    assert_string_equal(solver->uses, "band");
    bl_linsol_destroy(solver);
    band_free(&b);
    test_context_end(ctx);
}

static bl_status whole_life(bl_context *ctx, void *user) {
    const band *b = user;
    bl_linsol *solver = NULL;
    double x[100] = {1};
    bl_status status = bl_linsol_create(ctx, "band", &solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(solver, &b->pattern, NULL, BL_REFUSE, 1e-12);
    if (status == BL_OK)
        status = bl_linsol_factor(solver, b->values);
    if (status == BL_OK)
        status = bl_linsol_refactor(solver, b->values);
    if (status == BL_OK)
        status = bl_linsol_solve(solver, false, 1, x);
    bl_linsol_destroy(solver);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    test_random random = {7};
    band b = band_make(100, 1, true, 1.5, &random);
    assert_true(test_failing_allocations(whole_life, &b) > 5);
    assert_true(test_failing_once(whole_life, &b) > 5);
    band_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments__solve_bands_of_any_length_on_every_instruction_set),
        cmocka_unit_test(segments__solve_the_laplacian_exactly),
        cmocka_unit_test(band__changes_between_segments_and_pivoting),
        cmocka_unit_test(segments__forget_what_is_not_a_number),
        cmocka_unit_test(segments__leave_dependent_rows_to_the_shell),
        cmocka_unit_test(auto__takes_segments_for_a_bar),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
