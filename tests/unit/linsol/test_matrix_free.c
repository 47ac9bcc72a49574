/* Conjugate gradients and MINRES on products of the caller's own, without a matrix. */
#include "linsol/linsol.h"
#include "support/boxes.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_linsol *made(bl_context *ctx, const char *spec, const bl_pattern *pattern) {
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_int_equal(bl_linsol_analyze(solver, pattern, NULL, BL_REFUSE, 1e-12), BL_OK);
    return solver;
}

static bl_linsol *factored(bl_context *ctx, const char *spec, const test_box *box) {
    bl_linsol *solver = made(ctx, spec, &box->pattern);
    assert_int_equal(bl_linsol_factor(solver, box->values), BL_OK);
    return solver;
}

static double *random_vector(bl_index n, test_random *random) {
    double *x = malloc((size_t)n * sizeof *x);
    for (bl_index i = 0; i < n; i++)
        x[i] = test_random_symmetric(random);
    return x;
}

static double norm(bl_index n, const double *x) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* |b - A x| / |b| */
static double residual(const test_box *box, const double *x, const double *b) {
    bl_index n = box->pattern.ncol;
    double *r = calloc((size_t)n, sizeof *r);
    bl_csc_multiply(&box->pattern, box->values, x, r);
    for (bl_index i = 0; i < n; i++)
        r[i] = b[i] - r[i];
    double share = norm(n, r) / norm(n, b);
    free(r);
    return share;
}

/* the solver's answer for random b; its true residual in *share where that is not NULL */
static double *answer(bl_linsol *solver, const test_box *box, uint64_t seed, double *share) {
    test_random random = {seed};
    bl_index n = box->pattern.ncol;
    double *b = random_vector(n, &random), *x = malloc((size_t)n * sizeof *x);
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    if (share)
        *share = residual(box, x, b);
    free(b);
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

typedef struct matrix_of {
    const bl_pattern *pattern;
    const double *values;
    long calls;
    double skew;
} matrix_of;

static bl_status multiply(void *user, const double *x, double *y) {
    matrix_of *op = user;
    op->calls++;
    memset(y, 0, (size_t)op->pattern->ncol * sizeof *y);
    bl_csc_multiply(op->pattern, op->values, x, y);
    y[0] += op->skew * x[1];
    return BL_OK;
}

static void product__of_the_caller_needs_no_matrix(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 3, .side = {5}, .elastic = true, .rollers = true});
    bl_index n = box.pattern.ncol, *ptr = malloc(2 * ((size_t)n + 1) * sizeof *ptr), *idx = ptr + n + 1,
             *none = calloc((size_t)n + 1, sizeof *none);
    double *diagonal = malloc((size_t)n * sizeof *diagonal);
    for (bl_index j = 0; j < n; j++) {
        ptr[j] = idx[j] = j;
        for (bl_index e = box.ptr[j]; e < box.ptr[j + 1]; e++)
            if (box.idx[e] == j)
                diagonal[j] = box.values[e];
    }
    ptr[n] = n;
    bl_pattern alone = {n, n, ptr, idx}, nothing = {n, n, none, none};
    static const char *const kinds[] = {"cg", "minres"};
    for (int k = 0; k < 6; k++) {
        char spec[64];
        snprintf(spec, sizeof spec, "%s:preconditioner=%s", kinds[k % 2], k < 2 ? "jacobi" : k < 4 ? "none" : "ic");
        matrix_of op = {&box.pattern, box.values, 0, 0};
        bl_linsol *with = factored(ctx, spec, &box), *without = NULL;
        assert_int_equal(bl_linsol_create(ctx, k < 2 || k >= 4 ? spec : kinds[k % 2], &without), BL_OK);
        without->product = multiply;
        without->product_user = &op;
        /* the diagonal; nothing; a matrix near A, here A itself */
        const bl_pattern *pattern = k < 2 ? &alone : k < 4 ? &nothing : &box.pattern;
        assert_int_equal(bl_linsol_analyze(without, pattern, NULL, BL_REFUSE, 0), BL_OK);
        assert_int_equal(bl_linsol_factor(without, k < 2 ? diagonal : k < 4 ? NULL : box.values), BL_OK);
        double share, *x = answer(with, &box, 71, NULL), *y = answer(without, &box, 71, &share);
        assert_true(share <= 30 * 1e-10);
        assert_true(apart(n, x, y) <= 4000 * 30 * 1e-10);
        assert_true(labs(with->stats.iterations - without->stats.iterations) <= 2); /* the same iteration, rounded otherwise */
        assert_true(op.calls >= without->stats.iterations);
        free(x);
        free(y);
        bl_linsol_destroy(with);
        bl_linsol_destroy(without);
    }
    free(ptr);
    free(none);
    free(diagonal);
    test_box_free(&box);
    test_context_end(ctx);
}

static void auto__takes_cg_for_products(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {8}, .elastic = true});
    matrix_of op = {&box.pattern, box.values, 0, 0};
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, "auto", &solver), BL_OK);
    solver->product = multiply;
    solver->product_user = &op;
    assert_int_equal(bl_linsol_analyze(solver, &box.pattern, NULL, BL_REFUSE, 0), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, box.values), BL_OK);
    assert_string_equal(solver->uses, "cg");
    double share;
    free(answer(solver, &box, 72, &share));
    assert_true(share <= 30 * 1e-10 && op.calls > 5);
    bl_linsol_destroy(solver);
    test_box_free(&box);
    test_context_end(ctx);
}

static void product__unsymmetric_or_for_a_direct_solver_is_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {6}});
    matrix_of op = {&box.pattern, box.values, 0, 0.5};
    bl_linsol *solver = NULL;
    assert_int_equal(bl_linsol_create(ctx, "cg", &solver), BL_OK);
    solver->product = multiply;
    solver->product_user = &op;
    assert_int_equal(bl_linsol_analyze(solver, &box.pattern, NULL, BL_REFUSE, 0), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, box.values), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "symmetric"));
    op.skew = NAN;
    assert_int_equal(bl_linsol_factor(solver, box.values), BL_NOT_FINITE);
    bl_linsol_destroy(solver);
    static const char *const kinds[] = {"klu", "ldl", "dense"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(bl_linsol_create(ctx, kinds[k], &solver), BL_OK);
        solver->product = multiply;
        assert_int_equal(bl_linsol_analyze(solver, &box.pattern, NULL, BL_REFUSE, 0), BL_E_ABILITY);
        assert_non_null(strstr(bl_context_error(ctx)->advice, "cg"));
        bl_linsol_destroy(solver);
    }
    test_box_free(&box);
    test_context_end(ctx);
}

static bl_status life_without_matrix(bl_context *ctx, void *user) {
    matrix_of *op = user;
    bl_linsol *solver = NULL;
    double x[128] = {1};
    bl_status status = bl_linsol_create(ctx, "minres:preconditioner=ic,ordering=amd", &solver);
    if (status == BL_OK) {
        solver->product = multiply;
        solver->product_user = op;
        status = bl_linsol_analyze(solver, op->pattern, NULL, BL_REFUSE, 0);
    }
    if (status == BL_OK)
        status = bl_linsol_factor(solver, op->values);
    if (status == BL_OK)
        status = bl_linsol_solve(solver, false, 1, x);
    bl_linsol_destroy(solver);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    test_box box = test_box_make(&(test_box_input){.dim = 2, .side = {4}, .elastic = true, .rollers = true});
    matrix_of op = {&box.pattern, box.values, 0, 0};
    assert_true(box.pattern.ncol <= 128);
    assert_true(test_failing_allocations(life_without_matrix, &op) > 5);
    assert_true(test_failing_once(life_without_matrix, &op) > 5);
    test_box_free(&box);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product__of_the_caller_needs_no_matrix),
        cmocka_unit_test(auto__takes_cg_for_products),
        cmocka_unit_test(product__unsymmetric_or_for_a_direct_solver_is_refused),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
