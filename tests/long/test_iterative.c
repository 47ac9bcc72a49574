/* Conjugate gradients where nothing else goes: a box of a million unknowns in space, and matrices on which they fail. */
#include "linsol/linsol.h"
#include "support/boxes.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

static bl_linsol *factored(bl_context *ctx, const char *spec, const test_box *box) {
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &box->pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, box->values), BL_OK);
    return solver;
}

/* |b - A x| / |b| of the answer to b_i = sin(i) */
static double residual(bl_linsol *solver, const test_box *box) {
    bl_index n = box->pattern.ncol;
    double *x = malloc(2 * (size_t)n * sizeof *x), *r = x + n, left = 0, size = 0;
    for (bl_index i = 0; i < n; i++) {
        x[i] = sin(i + 1.0);
        r[i] = 0;
    }
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    bl_csc_multiply(&box->pattern, box->values, x, r);
    for (bl_index i = 0; i < n; i++) {
        double b = sin(i + 1.0);
        left += (b - r[i]) * (b - r[i]);
        size += b * b;
    }
    free(x);
    return sqrt(left / size);
}

/* 69^3 elements, a step of Newmark's method ten times as long as a wave takes through an element: 4 / h^2 of the mass matrix is added */
static void auto__takes_a_box_of_a_million(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double wave = sqrt(1.3462), step = 10 / wave; /* speed of pressure waves: (lambda + 2 mu) / density */
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {69}, .elastic = true, .mass = 4 / (step * step)});
    assert_int_equal(box.pattern.ncol, 3 * 69 * 70 * 70);
    bl_linsol *solver = factored(ctx, "auto", &box);
    assert_string_equal(solver->uses, "cg");
    solver->accuracy = 1e-8;
    double share = residual(solver, &box);
    assert_true(share <= 30 * 1e-8); /* norms differ by the root of the condition of M */
    assert_in_range(solver->stats.iterations, 1, 39);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    assert_true(use.ru_maxrss < 2.5 * 1024 * 1024); /* kB; the matrix of the caller takes 1.0 GB of it */
}

/* heat flow in a cube of 10 164 unknowns; less some mass it is indefinite */
static void auto__asks_direct_solvers_where_the_iteration_fails(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {21}});
    test_box wrong = test_box_make(&(test_box_input){.dim = 3, .side = {21}, .mass = -0.05});
    bl_linsol *solver = factored(ctx, "auto", &box);
    bl_index n = box.pattern.ncol;
    assert_string_equal(solver->uses, "cg");
    /* a matrix that cg cannot take: the solution fails once, then another solver is there */
    double *b = malloc((size_t)n * sizeof *b);
    for (bl_index i = 0; i < n; i++)
        b[i] = 1 + i % 5;
    assert_int_equal(bl_linsol_update(solver, wrong.values), BL_OK);
    assert_int_equal(bl_linsol_solve(solver, false, 1, b), BL_NO_CONVERGENCE);
    assert_int_equal(bl_linsol_update(solver, wrong.values), BL_OK);
    assert_string_not_equal(solver->uses, "cg");
    assert_true(residual(solver, &wrong) <= 1e-9); /* elimination without pivoting, refined */
    free(b);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_box_free(&wrong);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto__takes_a_box_of_a_million),
        cmocka_unit_test(auto__asks_direct_solvers_where_the_iteration_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
