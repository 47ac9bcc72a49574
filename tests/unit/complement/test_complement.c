/* Linear complementarity problems: Lemke's method and the enumeration against the definition, against each other and against answers that
 * are known: unique ones, several, none. */
#include "complement/complement.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { MOST = 30, ROUNDS = 300 };

static double product(bl_index n, const double *A, const double *z, bl_index i) {
    double sum = 0;
    for (bl_index j = 0; j < n; j++)
        sum += A[(size_t)n * (size_t)j + (size_t)i] * z[j];
    return sum;
}

static void assert_solves(bl_index n, const double *A, const double *b, const double *z, double within) {
    for (bl_index i = 0; i < n; i++) {
        double w = product(n, A, z, i) + b[i];
        assert_true(z[i] >= 0 && w >= -within);
        assert_true(fmin(z[i], w) <= within);
    }
}

/* B B^T / n + skew: every principal minor is positive; rank < n: semidefinite */
static void positive_matrix(test_random *random, bl_index n, bl_index rank, double skew, double *A) {
    double B[MOST][MOST];
    for (bl_index i = 0; i < n; i++)
        for (bl_index k = 0; k < rank; k++)
            B[i][k] = test_random_symmetric(random);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j <= i; j++) {
            double sum = 0, s = i == j ? 0 : skew * test_random_symmetric(random);
            for (bl_index k = 0; k < rank; k++)
                sum += B[i][k] * B[j][k];
            A[n * j + i] = sum + s;
            A[n * i + j] = sum - s;
        }
}

static bl_lcp_work workspace(bl_context *ctx, bl_index n) {
    bl_lcp_work work = {0};
    assert_int_equal(bl_lcp_work_create(ctx, n, &work), BL_OK);
    return work;
}

static void lemke__solves_positive_definite_problems_whose_solution_is_the_only_one(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, MOST);
    test_random random = {test_seed(21)};
    for (int round = 0; round < ROUNDS; round++) {
        bl_index n = 1 + test_random_below(&random, round % 10 ? 9 : MOST), count;
        double A[MOST * MOST], b[MOST], z[MOST], all[4 * MOST];
        positive_matrix(&random, n, n, 2, A);
        for (bl_index i = 0; i < n; i++) {
            A[n * i + i] += 0.01;
            b[i] = test_random_symmetric(&random);
        }
        assert_int_equal(bl_lcp_lemke(n, A, b, z, &work), BL_OK);
        assert_true(bl_lcp_residual(n, A, b, z, &work) < 1e-10);
        assert_solves(n, A, b, z, 1e-9);
        if (n > BL_LCP_ENUMERATED)
            continue;
        assert_int_equal(bl_lcp_enumerate(n, A, b, 4, all, &count, &work), BL_OK);
        assert_int_equal(count, 1);
        for (bl_index i = 0; i < n; i++)
            assert_true(fabs(all[i] - z[i]) <= 1e-8 * (1 + fabs(z[i])));
    }
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

/* redundant contacts: z is not unique, w = A z + b is */
static void lemke__solves_semidefinite_problems_that_have_a_solution(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, MOST);
    test_random random = {test_seed(22)};
    for (int round = 0; round < ROUNDS; round++) {
        bl_index n = 2 + test_random_below(&random, 14), rank = 1 + test_random_below(&random, n - 1);
        double A[MOST * MOST], b[MOST], z[MOST], known[MOST], w[MOST];
        positive_matrix(&random, n, rank, 0, A);
        for (bl_index i = 0; i < n; i++) {
            bool closed = test_random_below(&random, 2);
            known[i] = closed ? test_random_unit(&random) : 0;
            w[i] = closed ? 0 : test_random_unit(&random);
        }
        for (bl_index i = 0; i < n; i++)
            b[i] = w[i] - product(n, A, known, i);
        assert_int_equal(bl_lcp_lemke(n, A, b, z, &work), BL_OK);
        assert_solves(n, A, b, z, 1e-8);
        for (bl_index i = 0; i < n; i++)
            assert_true(fabs(product(n, A, z, i) + b[i] - w[i]) < 1e-7);
    }
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

/* masses from grams to tons: the same contact states */
static void lemke__does_not_depend_on_units(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, MOST);
    test_random random = {test_seed(23)};
    for (int round = 0; round < ROUNDS; round++) {
        bl_index n = 1 + test_random_below(&random, 12);
        double A[MOST * MOST], S[MOST * MOST], b[MOST], c[MOST], z[MOST], y[MOST], factor[MOST];
        positive_matrix(&random, n, n, 1, A);
        for (bl_index i = 0; i < n; i++) {
            A[n * i + i] += 0.1;
            b[i] = test_random_symmetric(&random);
            factor[i] = pow(10, 5 * test_random_symmetric(&random));
        }
        for (bl_index j = 0; j < n; j++) {
            c[j] = factor[j] * b[j] * 1e-4;
            for (bl_index i = 0; i < n; i++)
                S[n * j + i] = factor[i] * A[n * j + i] * factor[j];
        }
        assert_int_equal(bl_lcp_lemke(n, A, b, z, &work), BL_OK);
        assert_int_equal(bl_lcp_lemke(n, S, c, y, &work), BL_OK);
        for (bl_index i = 0; i < n; i++)
            assert_true(fabs(y[i] * factor[i] * 1e4 - z[i]) <= 1e-8 * (1 + fabs(z[i])));
    }
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

/* A rod slides on its tip at 45 degrees with friction mu: a = A N + b with A = 1 + 3 cos (cos - mu sin), in units of 1/m: negative beyond
 * mu = 5/3. Pressed on (b < 0) there is no force then, lifting (b > 0) there are two. */
static void problems_beyond_painleve__have_none_or_two_solutions(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, 2);
    const double mu[] = {1.5, 1.66, 1.68, 2.5};
    for (size_t k = 0; k < 4; k++) {
        double A = 1 + 1.5 * (1 - mu[k]), z, all[3];
        bl_index count;
        bool beyond = mu[k] > 5.0 / 3;
        assert_int_equal(bl_lcp_lemke(1, &A, (const double[]){-1}, &z, &work), beyond ? BL_SINGULAR : BL_OK);
        assert_int_equal(bl_lcp_enumerate(1, &A, (const double[]){-1}, 3, all, &count, &work), BL_OK);
        assert_int_equal(count, beyond ? 0 : 1);
        if (!beyond)
            assert_true(fabs(z * A - 1) < 1e-12 && fabs(all[0] - z) < 1e-12 * z);
        assert_int_equal(bl_lcp_enumerate(1, &A, (const double[]){1}, 3, all, &count, &work), BL_OK);
        assert_int_equal(count, beyond ? 2 : 1);
        assert_true(all[0] == 0);
        if (beyond)
            assert_true(fabs(all[1] * A + 1) < 1e-12);
        assert_int_equal(bl_lcp_lemke(1, &A, (const double[]){1}, &z, &work), BL_OK);
        assert_true(z == 0);
    }
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

/* [1 2 2; ...] of b = -1: three solutions with one contact closed each, and more; cyclic [1 2 0; 0 1 2; 2 0 1] has one, z = 1/3, on which
 * rules without lexicographic order can cycle */
static void enumeration__finds_all_solutions_of_symmetric_examples(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, 4);
    const double nonunique[9] = {1, 2, 2, 2, 1, 2, 2, 2, 1}, cyclic[9] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, b[3] = {-1, -1, -1};
    double z[30];
    bl_index count;
    assert_int_equal(bl_lcp_enumerate(3, nonunique, b, 10, z, &count, &work), BL_OK);
    assert_int_equal(count, 7); /* each alone 1, each pair 1/3, all 1/5 */
    for (bl_index k = 0; k < count; k++)
        assert_solves(3, nonunique, b, z + 3 * k, 1e-12);
    assert_int_equal(bl_lcp_enumerate(3, nonunique, b, 2, z, &count, &work), BL_OK);
    assert_int_equal(count, 2);
    assert_int_equal(bl_lcp_enumerate(3, cyclic, b, 10, z, &count, &work), BL_OK);
    assert_int_equal(count, 1);
    double lemke[3];
    assert_int_equal(bl_lcp_lemke(3, cyclic, b, lemke, &work), BL_OK);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(z[i] - 1.0 / 3) < 1e-14 && fabs(lemke[i] - 1.0 / 3) < 1e-14);
    /* a table on four feet: shares are not unique, the one of least norm is among them */
    double table[16], feet[64], down[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) /* 1 + x x' + y y' of the corners (+-1, +-1) */
            table[4 * j + i] = 1 + (i & 1 ? 1 : -1) * (j & 1 ? 1 : -1) + (i & 2 ? 1 : -1) * (j & 2 ? 1 : -1);
    assert_int_equal(bl_lcp_enumerate(4, table, down, 16, feet, &count, &work), BL_OK);
    bool even = false;
    for (bl_index k = 0; k < count; k++) {
        const double *f = feet + 4 * k;
        assert_true(fabs(f[0] + f[1] + f[2] + f[3] - 1) < 1e-12);
        even = even || (fabs(f[0] - 0.25) + fabs(f[1] - 0.25) + fabs(f[2] - 0.25) + fabs(f[3] - 0.25) < 1e-12);
    }
    assert_true(even);
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

/* any matrix: what Lemke's method accepts is a solution, and is among those of the enumeration or on a continuum with one of them */
static void lemke__accepts_only_solutions_of_any_matrix(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, 8);
    test_random random = {test_seed(24)};
    long solved = 0, none = 0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        bl_index n = 1 + test_random_below(&random, 8), count;
        double A[64], b[8], z[8], all[8 * 40];
        for (bl_index k = 0; k < n * n; k++)
            A[k] = test_random_below(&random, 3) ? test_random_symmetric(&random) : 0;
        for (bl_index k = 0; k < n; k++)
            b[k] = test_random_below(&random, 9) - 4; /* ties */
        bl_status status = bl_lcp_lemke(n, A, b, z, &work);
        assert_int_equal(bl_lcp_enumerate(n, A, b, 40, all, &count, &work), BL_OK);
        none += count == 0;
        if (status != BL_OK)
            continue;
        solved++;
        assert_true(count > 0);
        assert_true(bl_lcp_residual(n, A, b, z, &work) < 1e-6);
    }
    print_message("solved: %ld, insoluble: %ld of %d\n", solved, none, 10 * ROUNDS);
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

static void wrong_input__is_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_lcp_work work = workspace(ctx, 11);
    double A[121] = {0}, b[11] = {0}, z[22];
    bl_index count;
    assert_int_equal(bl_lcp_enumerate(11, A, b, 2, z, &count, &work), BL_E_ARG);
    A[0] = NAN;
    assert_int_equal(bl_lcp_lemke(2, A, b, z, &work), BL_NOT_FINITE);
    assert_int_equal(bl_lcp_enumerate(2, A, b, 2, z, &count, &work), BL_NOT_FINITE);
    A[0] = 0; /* nothing pushes: z = 0 */
    assert_int_equal(bl_lcp_lemke(2, A, b, z, &work), BL_OK);
    assert_true(z[0] == 0 && z[1] == 0);
    b[1] = -1; /* and here nothing can */
    assert_int_equal(bl_lcp_lemke(2, A, b, z, &work), BL_SINGULAR);
    bl_lcp_work_destroy(&work);
    test_context_end(ctx);
}

static bl_status create_and_destroy(bl_context *ctx, void *user) {
    (void)user;
    bl_lcp_work work = {0};
    bl_status status = bl_lcp_work_create(ctx, 5, &work);
    bl_lcp_work_destroy(&work);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    assert_int_equal(test_failing_allocations(create_and_destroy, NULL), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lemke__solves_positive_definite_problems_whose_solution_is_the_only_one),
        cmocka_unit_test(lemke__solves_semidefinite_problems_that_have_a_solution),
        cmocka_unit_test(lemke__does_not_depend_on_units),
        cmocka_unit_test(problems_beyond_painleve__have_none_or_two_solutions),
        cmocka_unit_test(enumeration__finds_all_solutions_of_symmetric_examples),
        cmocka_unit_test(lemke__accepts_only_solutions_of_any_matrix),
        cmocka_unit_test(wrong_input__is_refused),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
