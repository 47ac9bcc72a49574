/* Large matrices: five-point grids and plates of plane stress, chains and closed chains. auto finds factors of bounded memory for all of
 * them, the residual is at rounding, and what it takes grows as the fill of the best known orders does. tests/long has 360 000 unknowns. */
#include "linsol/linsol.h"
#include "support/grids.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static double megabytes(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

static bl_linsol *factored(bl_context *ctx, const char *spec, const test_grid *g) {
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &g->pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, g->values), BL_OK);
    return solver;
}

/* diagonally dominant, so growth is small: |A| |x| eps times the length of a column of the factors, generously */
static const double ROUNDING = 1000 * DBL_EPSILON;

static int64_t fill_of(const char *spec, int side, int dof, double skew) {
    bl_context *ctx = test_context(NULL);
    test_grid g = test_grid_make(side, dof, skew);
    bl_linsol *solver = factored(ctx, spec, &g);
    int64_t fill = solver->stats.fill;
    assert_true(test_grid_residual(solver, &g, false) <= ROUNDING);
    assert_int_equal(bl_linsol_refactor(solver, g.values), BL_OK);
    assert_true(test_grid_residual(solver, &g, true) <= ROUNDING);
    bl_linsol_destroy(solver);
    test_grid_free(&g);
    test_context_end(ctx);
    return fill;
}

static void every_solver__takes_a_plate_of_5000(void **unused) {
    (void)unused;
    static const char *const specs[] = {"klu", "ldl", "superlu", "superlu:ordering=amd", "band", "auto"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        assert_true(fill_of(specs[k], 50, 2, 0) > 5000);
}

static void auto__takes_plates_of_20200_and_grids_of_90000(void **unused) {
    (void)unused;
    assert_true(fill_of("auto", 50, 2, 0.1) > 0);
    int64_t small = fill_of("auto", 50, 2, 0), large = fill_of("auto", 101, 2, 0); /* 5000 and 20 402 unknowns */
    /* n log n entries: 4.08 log(20402) / log(5000) = 4.8; orders differ by some per cent */
    assert_true((double)large <= 6 * (double)small);
    assert_true(fill_of("auto", 300, 1, 0) <= 12000000); /* 31 n log2(n) / 4 = 11.5e6 for nested dissection (George 1973) */
    assert_true(megabytes() < 400);
}

static void auto__leaves_a_symmetric_solver_when_symmetry_ends(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_grid g = test_grid_make(40, 2, 0), skew = test_grid_make(40, 2, 0.1);
    bl_linsol *solver = factored(ctx, "ldl", &g);
    assert_int_equal(bl_linsol_factor(solver, skew.values), BL_E_ABILITY);
    bl_linsol_destroy(solver);
    solver = factored(ctx, "auto", &g);
    assert_int_equal(bl_linsol_update(solver, skew.values), BL_OK);
    assert_true(test_grid_residual(solver, &skew, false) <= ROUNDING);
    assert_int_equal(bl_linsol_update(solver, g.values), BL_OK);
    assert_true(test_grid_residual(solver, &g, true) <= ROUNDING);
    bl_linsol_destroy(solver);
    test_grid_free(&g);
    test_grid_free(&skew);
    test_context_end(ctx);
}

/* An open chain is for block; when many of its blocks become weak at once, what was chosen has to take it, whatever it cost. */
static void auto__keeps_the_choice_when_blocks_become_weak(void **unused) {
    (void)unused;
    enum { N = 600 };
    bl_context *ctx = test_context(NULL);
    test_grid g = {.ptr = calloc(N + 1, sizeof *g.ptr), .idx = malloc(3 * N * sizeof *g.idx), .values = malloc(3 * N * sizeof *g.values)};
    bl_index used = 0;
    for (bl_index j = 0; j < N; j++) { /* pairs of rows, and the pair behind */
        bl_index pair = j / 2 * 2;
        for (bl_index i = pair; i < pair + 4 && i < N; i++)
            if (i < pair + 2 || i - pair - 2 == j - pair) {
                g.idx[used] = i;
                g.values[used++] = i == j ? 1.5 : i < pair + 2 ? 0.3 : -0.5;
            }
        g.ptr[j + 1] = used;
    }
    g.pattern = (bl_pattern){N, N, g.ptr, g.idx};
    bl_linsol *solver = factored(ctx, "auto", &g);
    assert_string_equal(solver->uses, "block");
    for (bl_index j = 0; j < N; j++)
        for (bl_index k = g.ptr[j]; k < g.ptr[j + 1]; k++)
            if (j / 2 % 2 == 0) /* 150 blocks with a pivot of 0.006 left; little goes on to the next */
                g.values[k] = g.idx[k] == j ? 1 : g.idx[k] < j / 2 * 2 + 2 ? 0.997 : -0.002;
    assert_int_equal(bl_linsol_update(solver, g.values), BL_OK);
    assert_true(test_grid_residual(solver, &g, false) <= 1000 * ROUNDING);
    assert_int_equal(bl_linsol_update(solver, g.values), BL_OK);
    bl_linsol_destroy(solver);
    test_grid_free(&g);
    test_context_end(ctx);
}

/* a closed ring of n unknowns, each with its two neighbors: a band of two after reordering, whatever the numbers */
static void band__takes_rings_and_rows_that_pivot(void **unused) {
    (void)unused;
    enum { N = 3000 };
    test_random random = {test_seed(406)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 20; trial++) {
        bl_index position[N];
        test_grid g = {
            .ptr = calloc(N + 1, sizeof *g.ptr), .idx = malloc(3 * N * sizeof *g.idx), .values = malloc(3 * N * sizeof *g.values)};
        for (bl_index i = 0; i < N; i++) { /* a random numbering */
            bl_index j = test_random_below(&random, (int)i + 1);
            position[i] = position[j];
            position[j] = i;
        }
        for (bl_index at = 0, used = 0; at < N; at++) {
            bl_index i = 0;
            while (position[i] != at)
                i++;
            bl_index row[3] = {position[(i + N - 1) % N], at, position[(i + 1) % N]};
            for (int a = 0; a < 3; a++)
                for (int b = a + 1; b < 3; b++)
                    if (row[b] < row[a]) {
                        bl_index keep = row[a];
                        row[a] = row[b];
                        row[b] = keep;
                    }
            for (int a = 0; a < 3; a++, used++) { /* weak diagonals: rows are exchanged */
                g.idx[used] = row[a];
                g.values[used] = (row[a] == at ? 0.1 : 1) * (0.5 + test_random_unit(&random));
            }
            g.ptr[at + 1] = used;
        }
        g.pattern = (bl_pattern){N, N, g.ptr, g.idx};
        bl_linsol *band = factored(ctx, "band", &g), *klu = factored(ctx, "klu", &g);
        assert_true(band->stats.fill <= 10 * N);
        double *x = malloc(2 * N * sizeof *x), *y = x + N, size = 0, apart = 0;
        for (bl_index t = 0; t < 2; t++) {
            for (bl_index i = 0; i < N; i++)
                x[i] = y[i] = test_random_symmetric(&random);
            assert_int_equal(bl_linsol_solve(band, t == 1, 1, x), BL_OK);
            assert_int_equal(bl_linsol_solve(klu, t == 1, 1, y), BL_OK);
            for (bl_index i = 0; i < N; i++) {
                size = fmax(size, fabs(y[i]));
                apart = fmax(apart, fabs(x[i] - y[i]));
            }
            assert_true(test_grid_residual(band, &g, t == 1) <=
                        1e-10 * fmax(1, size)); /* growth of partial pivoting in a band of 2: up to 4 */
        }
        assert_true(apart <= 1e-8 * size);
        free(x);
        bl_linsol_destroy(band);
        bl_linsol_destroy(klu);
        test_grid_free(&g);
    }
    test_context_end(ctx);
}

/* too wide for its memory: refused with the numbers */
static void band__refuses_what_would_take_a_gigabyte(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_grid g = test_grid_make(400, 1, 0);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "band", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &g.pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, g.values), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "160000"));
    bl_linsol_destroy(solver);
    test_grid_free(&g);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver__takes_a_plate_of_5000),
        cmocka_unit_test(auto__takes_plates_of_20200_and_grids_of_90000),
        cmocka_unit_test(auto__leaves_a_symmetric_solver_when_symmetry_ends),
        cmocka_unit_test(auto__keeps_the_choice_when_blocks_become_weak),
        cmocka_unit_test(band__takes_rings_and_rows_that_pivot),
        cmocka_unit_test(band__refuses_what_would_take_a_gigabyte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
