/* PETSc's iterative solvers against direct ones on matrices of meshes and random ones; what they refuse, and with which messages. Run by
 * mpirun as well (tests/CMakeLists.txt): every process then does all of it, and keeps a share of the rows. Builds without PETSc test that
 * one line says so. */
#include "biela/ranks.h"
#include "linsol/linsol.h"
#include "support/boxes.h"
#include "support/matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEEDS_PETSC(unused)        \
    do {                           \
        (void)(unused);            \
        if (!bl_ranks_supported()) \
            skip();                \
    } while (0)

static bl_linsol *factored(bl_context *ctx, const char *spec, const bl_pattern *pattern, const double *values) {
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, values), BL_OK);
    return solver;
}

static double *random_vector(bl_index n, uint64_t seed) {
    test_random random = {seed};
    double *x = malloc((size_t)n * sizeof *x);
    for (bl_index i = 0; i < n; i++)
        x[i] = test_random_symmetric(&random);
    return x;
}

static double *answer(bl_linsol *solver, bl_index n, bool transposed, uint64_t seed) {
    double *x = random_vector(n, seed);
    assert_int_equal(bl_linsol_solve(solver, transposed, 1, x), BL_OK);
    return x;
}

static double apart(bl_index n, const double *x, const double *y) {
    double most = 0, size = 0;
    for (bl_index i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

/* ---- solutions */

/* Residuals are 1e-12 in the norm of M^-1, whose square root of condition turns them into plain ones: 100 for these meshes (12 elements
 * long at most, elastic: below 1e4). The condition turns those into errors. */
static const double CONDITION = 1e4;
static const test_box_input meshes[] = {
    {.dim = 1, .side = {40}},
    {.dim = 2, .side = {9, 12}},
    {.dim = 3, .side = {5, 6, 4}},
    {.dim = 2, .side = {8, 7}, .elastic = true, .rollers = true},
    {.dim = 3, .side = {5, 4, 6}, .elastic = true},
    {.dim = 3, .side = {6, 4, 5}, .elastic = true, .rollers = true, .mass = 0.1},
};

static void every_method__gives_the_direct_solution(void **unused) {
    NEEDS_PETSC(unused);
    static const char *const specs[] = {"petsc:1e-12",
                                        "petsc:1e-12,preconditioner=none",
                                        "petsc:1e-12,preconditioner=jacobi",
                                        "petsc:1e-12,preconditioner=pbjacobi",
                                        "petsc:1e-12,preconditioner=gamg",
                                        "petsc:1e-12,block=1,ordering=natural",
                                        "petsc:1e-12,method=minres",
                                        "petsc:1e-12,method=gmres",
                                        "petsc:1e-12,method=bicgstab"};
    bl_context *ctx = test_context(NULL);
    for (size_t m = 0; m < sizeof meshes / sizeof *meshes; m++) {
        test_box box = test_box_make(&meshes[m]);
        bl_index n = box.pattern.ncol;
        bl_linsol *direct = factored(ctx, "ldl", &box.pattern, box.values);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            bl_linsol *solver = factored(ctx, specs[k], &box.pattern, box.values);
            for (int again = 0; again < 2; again++) { /* and with other values on the same pattern */
                double *y = answer(direct, n, false, 7), *x = answer(solver, n, again, 7);
                if (!(apart(n, x, y) <= CONDITION * sqrt(CONDITION) * 1e-12))
                    fail_msg("%s, mesh %zu: off by %g", specs[k], m, apart(n, x, y));
                assert_true(solver->stats.residual <= 1e-12 && solver->stats.iterations > 0);
                free(x);
                free(y);
                for (bl_index j = 0; j < n; j++)
                    for (bl_index e = box.ptr[j]; e < box.ptr[j + 1]; e++)
                        box.values[e] *= box.idx[e] == j ? (again ? 1 / 1.01 : 1.01) : 1;
                assert_int_equal(bl_linsol_refactor(solver, box.values), BL_OK);
                assert_int_equal(bl_linsol_refactor(direct, box.values), BL_OK);
            }
            bl_linsol_destroy(solver);
        }
        bl_linsol_destroy(direct);
        test_box_free(&box);
    }
    test_context_end(ctx);
}

/* random patterns with dominant diagonals: condition below 100 */
static void random_matrices__are_solved_transposed_too(void **unused) {
    NEEDS_PETSC(unused);
    static const char *const specs[] = {"petsc:1e-12,method=gmres", "petsc:1e-12,method=bicgstab",
                                        "petsc:1e-12,method=gmres,preconditioner=jacobi"};
    uint64_t seed = test_seed(601);
    test_random random = {seed};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 20; trial++) {
        bl_index n = 1 + test_random_below(&random, 60);
        test_matrix matrix = test_matrix_random(ctx, &random, n, 4 * n);
        double *a = malloc((size_t)n * (size_t)n * sizeof *a);
        test_matrix_dense(&matrix, a);
        for (bl_index j = 0; j < n; j++) {
            double sum = 0.5;
            for (bl_index i = 0; i < n; i++)
                sum += fabs(a[i + j * n]) + fabs(a[j + i * n]);
            a[j + j * n] = (test_random_below(&random, 2) ? 1 : -1) * sum;
        }
        test_matrix even = test_matrix_from(ctx, n, a, NULL);
        bl_linsol *direct = factored(ctx, "klu", &even.pattern, even.values);
        for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
            bl_linsol *solver = factored(ctx, specs[k], &even.pattern, even.values);
            for (int transposed = 0; transposed < 2; transposed++) {
                double *x = answer(solver, n, transposed, seed + 1), *y = answer(direct, n, transposed, seed + 1);
                assert_true(apart(n, x, y) <= 100 * sqrt(n) * 1e-12);
                free(x);
                free(y);
            }
            bl_linsol_destroy(solver);
        }
        bl_linsol_destroy(direct);
        test_matrix_free(&even);
        test_matrix_free(&matrix);
        free(a);
    }
    test_context_end(ctx);
}

/* A solution as the next right-hand side: processes that had other bits would be refused. Every time the same bits come from what sums in a
 * fixed order: PETSc's multigrid of three processes or more adds up numbers as they arrive. */
static void solutions__are_the_same_bits_everywhere_and_every_time(void **unused) {
    NEEDS_PETSC(unused);
    static const char *const specs[] = {"petsc", "petsc:preconditioner=gamg"};
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {5}, .elastic = true});
    bl_index n = box.pattern.ncol;
    for (size_t k = 0; k < 2; k++) {
        bl_linsol *one = factored(ctx, specs[k], &box.pattern, box.values), *other = factored(ctx, specs[k], &box.pattern, box.values);
        double *x = answer(one, n, false, 91), *y = answer(other, n, false, 91);
        if (k == 0)
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_int_equal(bl_linsol_solve(one, false, 1, x), BL_OK);
        free(x);
        free(y);
        bl_linsol_destroy(one);
        bl_linsol_destroy(other);
    }
    test_box_free(&box);
    test_context_end(ctx);
}

static void tolerance__is_the_option_then_the_callers_accuracy_then_1e_10(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {6}, .elastic = true});
    static const struct {
        const char *spec;
        double accuracy, tolerance;
    } cases[] = {{"petsc", 0, 1e-10}, {"petsc", 1e-4, 1e-4}, {"petsc:1e-6", 1e-3, 1e-6}, {"petsc:method=minres", 1e-5, 1e-5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_linsol *solver = factored(ctx, cases[k].spec, &box.pattern, box.values);
        solver->accuracy = cases[k].accuracy;
        free(answer(solver, box.pattern.ncol, false, 51));
        assert_true(solver->stats.residual <= cases[k].tolerance);
        assert_true(solver->stats.residual >= 1e-3 * cases[k].tolerance); /* an iteration gains less than that: no more was done */
        bl_linsol_destroy(solver);
    }
    /* a bar of 2000 elements, as exact as it gets: what is left is rounding, and enough */
    test_box bar = test_box_make(&(test_box_input){.dim = 1, .side = {2000}});
    bl_linsol *solver = factored(ctx, "petsc:0", &bar.pattern, bar.values);
    free(answer(solver, bar.pattern.ncol, false, 52));
    bl_linsol_destroy(solver);
    test_box_free(&bar);
    test_box_free(&box);
    test_context_end(ctx);
}

static void right_hand_sides__of_any_size_are_taken(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 1, .side = {10}});
    bl_linsol *solver = factored(ctx, "petsc", &box.pattern, box.values);
    double x[10] = {1, NAN}, zero[10] = {0}, three[3][10];
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_NOT_FINITE);
    assert_int_equal(bl_linsol_solve(solver, false, 1, zero), BL_OK);
    for (int i = 0; i < 10; i++) {
        assert_true(zero[i] == 0);
        three[0][i] = i + 1;
        three[1][i] = ldexp(i + 1, -1000); /* squares would vanish, or overflow */
        three[2][i] = ldexp(i + 1, 900);
    }
    assert_int_equal(bl_linsol_solve(solver, false, 3, three[0]), BL_OK);
    for (int i = 0; i < 10; i++)
        assert_true(ldexp(three[1][i], 1000) == three[0][i] && ldexp(three[2][i], -900) == three[0][i]);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

/* ---- refusals */

static void refuse(bl_linsol *solver, bl_status status, bl_status expected, const char *what, const char *advice) {
    const bl_error *error = bl_context_error(solver->ctx);
    assert_int_equal(status, expected);
    if (!strstr(error->what, what) || !strstr(error->advice, advice))
        fail_msg("'%s', '%s' instead of '%s', '%s'", error->what, error->advice, what, advice);
    bl_context_clear_error(solver->ctx);
}

static void matrices__that_a_method_cannot_take_are_refused(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    double indefinite[9] = {2, 1, 0, 1, -3, 1, 0, 1, 2}, hidden[4] = {1, 2, 2, 1}, uneven[4] = {2, 1, 0.5, 2}, x[3] = {1, 2, 3};
    test_matrix one = test_matrix_from(ctx, 3, indefinite, NULL), two = test_matrix_from(ctx, 2, hidden, NULL),
                three = test_matrix_from(ctx, 2, uneven, NULL);
    assert_int_equal(bl_linsol_create(ctx, "petsc", &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, &one.pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    refuse(solver, bl_linsol_factor(solver, one.values), BL_SINGULAR, "row 1 is -3", "minres");
    assert_int_equal(bl_linsol_analyze(solver, &three.pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    refuse(solver, bl_linsol_factor(solver, three.values), BL_E_ABILITY, "row 1, column 0 differs from the mirrored one", "gmres");
    bl_linsol_destroy(solver);
    solver = factored(ctx, "petsc:preconditioner=jacobi", &two.pattern, two.values);
    double y[2] = {1, 0.3}; /* 0.65 along (1, 1), eigenvalue 3, and 0.35 along (1, -1), eigenvalue -1 */
    refuse(solver, bl_linsol_solve(solver, false, 1, y), BL_NO_CONVERGENCE, "not positive definite", "minres");
    bl_linsol_destroy(solver);
    solver = factored(ctx, "petsc:method=minres", &one.pattern, one.values);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    /* 2a + b = 1, a - 3b + c = 2, b + 2c = 3: b = 0, a = 1/2, c = 3/2 */
    assert_true(fabs(x[0] - 0.5) < 1e-9 && fabs(x[1]) < 1e-9 && fabs(x[2] - 1.5) < 1e-9);
    bl_linsol_destroy(solver);
    test_matrix_free(&one);
    test_matrix_free(&two);
    test_matrix_free(&three);
    test_context_end(ctx);
}

static void body__that_nothing_holds_has_no_solution(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {7}, .elastic = true, .free = true});
    bl_linsol *solver = factored(ctx, "petsc:preconditioner=jacobi,most=500", &box.pattern, box.values);
    double *b = random_vector(box.pattern.ncol, 3);
    for (bl_index i = 0; i < box.pattern.ncol; i++)
        b[i] = 1;
    bl_status status = bl_linsol_solve(solver, false, 1, b);
    assert_int_equal(status, BL_NO_CONVERGENCE);
    assert_true(strlen(bl_context_error(ctx)->what) > 20 && strlen(bl_context_error(ctx)->advice) > 20);
    free(b);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

static void iterations__end_by_number_and_on_request(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {20}});
    bl_linsol *solver = factored(ctx, "petsc:preconditioner=jacobi,most=7", &box.pattern, box.values);
    double *b = random_vector(box.pattern.ncol, 61);
    refuse(solver, bl_linsol_solve(solver, false, 1, b), BL_NO_CONVERGENCE, "after 7 iterations", "most");
    bl_context_stop(ctx);
    assert_int_equal(bl_linsol_solve(solver, false, 1, b), BL_STOPPED);
    free(b);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

/* processes with different data: all of them get an error, none waits forever */
static void processes__with_different_numbers_are_refused(void **unused) {
    NEEDS_PETSC(unused);
    bl_context *ctx = test_context(NULL);
    bl_ranks ranks;
    assert_int_equal(bl_ranks_begin(ctx, &ranks), BL_OK);
    if (ranks.count == 1) {
        test_context_end(ctx);
        skip();
    }
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {5}});
    bl_linsol *solver = factored(ctx, "petsc", &box.pattern, box.values);
    double *x = random_vector(box.pattern.ncol, 1), *y = random_vector(box.pattern.ncol, 1);
    x[3] = ranks.rank == 1 ? nextafter(x[3], 2) : x[3];
    refuse(solver, bl_linsol_solve(solver, false, 1, x), BL_E_NUMERIC, "have different matrices or right-hand sides", "BIELA_ISA");
    assert_int_equal(bl_linsol_solve(solver, false, 1, y), BL_OK);
    box.values[2] *= ranks.rank == 0 ? 1 + 1e-15 : 1;
    refuse(solver, bl_linsol_factor(solver, box.values), BL_E_NUMERIC, "have different matrices or right-hand sides", "BIELA_ISA");
    box.values[0] = ranks.rank == 1 ? NAN : box.values[0]; /* one alone fails: it knows why, the others that it did */
    bl_status status = bl_linsol_factor(solver, box.values);
    refuse(solver, status, ranks.rank == 1 ? BL_NOT_FINITE : BL_E_NUMERIC, ranks.rank == 1 ? "" : "another process", "");
    free(x);
    free(y);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

static void build__without_petsc_says_how_to_get_one(void **unused) {
    (void)unused;
    if (bl_ranks_supported())
        skip();
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    bl_ranks ranks = {7, 7};
    assert_int_equal(bl_linsol_create(ctx, "petsc", &solver), BL_E_ABILITY);
    assert_null(solver);
    assert_string_equal(bl_context_error(ctx)->what, "this build has no PETSc");
    assert_non_null(strstr(bl_context_error(ctx)->advice, "-DBIELA_PETSC=ON"));
    assert_int_equal(bl_ranks_begin(ctx, &ranks), BL_E_ABILITY);
    assert_true(ranks.rank == 0 && ranks.count == 1);
    bool same = false;
    assert_true(bl_ranks_meet(3, 1, &same) && same);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method__gives_the_direct_solution),
        cmocka_unit_test(random_matrices__are_solved_transposed_too),
        cmocka_unit_test(solutions__are_the_same_bits_everywhere_and_every_time),
        cmocka_unit_test(tolerance__is_the_option_then_the_callers_accuracy_then_1e_10),
        cmocka_unit_test(right_hand_sides__of_any_size_are_taken),
        cmocka_unit_test(matrices__that_a_method_cannot_take_are_refused),
        cmocka_unit_test(body__that_nothing_holds_has_no_solution),
        cmocka_unit_test(iterations__end_by_number_and_on_request),
        cmocka_unit_test(processes__with_different_numbers_are_refused),
        cmocka_unit_test(build__without_petsc_says_how_to_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
