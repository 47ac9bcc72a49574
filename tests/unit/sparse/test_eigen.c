/* Lanczos iteration by ARPACK: the tridiagonal matrix with its eigenvalues in closed form, a semidefinite metric, and what it refuses. */
#include "sparse/eigen.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* A = tridiag(-1, 2, -1) - sigma, B = 1, or 0 on some unknowns: solved by elimination without pivots, A being positive definite */
typedef struct chain {
    bl_index n;
    double sigma;
    bl_index massless; /* every so many unknowns; 0: none */
    long solves;
    bl_status fails; /* after so many solves */
    long fails_after;
} chain;

static bl_status solve(void *user, double *x) {
    chain *c = user;
    double *d = malloc((size_t)c->n * sizeof *d);
    c->solves++;
    if (c->fails_after && c->solves > c->fails_after) {
        free(d);
        return c->fails;
    }
    for (bl_index i = 0; i < c->n; i++) {
        bool massless = c->massless && i % c->massless == 1;
        d[i] = 2 - (massless ? 0 : c->sigma) - (i > 0 ? 1 / d[i - 1] : 0);
        x[i] += i > 0 ? x[i - 1] / d[i - 1] : 0;
    }
    for (bl_index i = c->n - 1; i >= 0; i--)
        x[i] = (x[i] + (i + 1 < c->n ? x[i + 1] : 0)) / d[i];
    free(d);
    return BL_OK;
}

static bl_status metric(void *user, const double *x, double *y) {
    const chain *c = user;
    for (bl_index i = 0; i < c->n; i++)
        y[i] = c->massless && i % c->massless == 1 ? 0 : x[i];
    return BL_OK;
}

static bl_status nearest(bl_context *ctx, chain *c, bl_index want, double *value, double *vector, bl_index *found) {
    bl_eigen ask = {.ctx = ctx, .n = c->n, .wanted = want, .sigma = c->sigma, .seed = 7, .user = c, .solve = solve, .metric = metric};
    return bl_eigen_nearest(&ask, value, vector, found);
}

static int ascending(const void *a, const void *b) {
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static bool absent(bl_context *ctx) {
    chain c = {.n = 50};
    double value[2], vector[100];
    bl_index found;
    bool is = nearest(ctx, &c, 2, value, vector, &found) == BL_E_ABILITY;
    bl_context_clear_error(ctx);
    return is;
}

static void chain__has_its_lowest_eigenvalues(void **unused) {
    (void)unused;
    enum { N = 2000, WANT = 12 };
    bl_context *ctx = test_context(NULL);
    if (absent(ctx)) {
        test_context_end(ctx);
        print_message("no ARPACK: skipped\n");
        skip();
    }
    double value[WANT], *vector = malloc((size_t)N * WANT * sizeof *vector);
    bl_index found;
    for (int k = 0; k < 2; k++) {
        chain c = {.n = N, .sigma = k ? -1e-6 : 0};
        assert_int_equal(nearest(ctx, &c, WANT, value, vector, &found), BL_OK);
        assert_int_equal(found, WANT);
        for (bl_index i = 0; i < WANT; i++) { /* the vector belongs to the value */
            double sum = 0, size = 0;
            for (bl_index j = 0; j < N; j++) {
                double *x = vector + (size_t)i * N, Ax = 2 * x[j] - (j > 0 ? x[j - 1] : 0) - (j + 1 < N ? x[j + 1] : 0);
                sum += (Ax - value[i] * x[j]) * (Ax - value[i] * x[j]);
                size += x[j] * x[j];
            }
            assert_near(size, 1, 1e-10);
            assert_true(sqrt(sum) < 1e-12);
        }
        qsort(value, WANT, sizeof *value, ascending);
        for (int i = 0; i < WANT; i++) {
            double s = 2 * sin((i + 1) * PI / 2 / (N + 1));
            assert_near(value[i], s * s, 1e-15 + 1e-9 * s * s); /* rounding of A over the eigenvalue of its inverse */
        }
    }
    free(vector);
    test_context_end(ctx);
}

/* every third unknown without mass: with it condensed by hand, a periodic chain remains; checked by the equation alone */
static void massless_unknowns__follow(void **unused) {
    (void)unused;
    enum { N = 300, WANT = 5 };
    bl_context *ctx = test_context(NULL);
    if (absent(ctx)) {
        test_context_end(ctx);
        skip();
    }
    chain c = {.n = N, .massless = 3};
    double value[WANT], *vector = malloc((size_t)N * WANT * sizeof *vector);
    bl_index found;
    assert_int_equal(nearest(ctx, &c, WANT, value, vector, &found), BL_OK);
    assert_int_equal(found, WANT);
    for (bl_index i = 0; i < WANT; i++)
        for (bl_index j = 0; j < N; j++) {
            double *x = vector + (size_t)i * N, Ax = 2 * x[j] - (j > 0 ? x[j - 1] : 0) - (j + 1 < N ? x[j + 1] : 0);
            assert_near(Ax, j % 3 == 1 ? 0 : value[i] * x[j], 1e-11);
        }
    free(vector);
    test_context_end(ctx);
}

static void refusals__and_failures_come_back(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    chain c = {.n = 60};
    double value[60], vector[60 * 60];
    bl_index found;
    bool missing = absent(ctx);
    c.solves = 0;
    assert_int_equal(nearest(ctx, &c, 60, value, vector, &found), missing ? BL_E_ABILITY : BL_E_ARG);
    assert_int_equal(nearest(ctx, &c, 0, value, vector, &found), missing ? BL_E_ABILITY : BL_E_ARG);
    if (!missing) {
        c.fails = BL_E_MEMORY;
        c.fails_after = 5;
        assert_int_equal(nearest(ctx, &c, 3, value, vector, &found), BL_E_MEMORY);
        bl_context_stop(ctx);
        c.fails_after = 0;
        assert_int_equal(nearest(ctx, &c, 3, value, vector, &found), BL_STOPPED);
    }
    test_context_end(ctx);
}

static bl_status life(bl_context *ctx, void *user) {
    (void)user;
    chain c = {.n = 60};
    double value[3], vector[180];
    bl_index found;
    bl_status status = nearest(ctx, &c, 3, value, vector, &found);
    if (status == BL_E_ABILITY)
        bl_context_clear_error(ctx);
    return status == BL_E_ABILITY ? BL_OK : status;
}

static void memory__comes_back_whatever_fails(void **unused) {
    (void)unused;
    test_failing_allocations(life, NULL);
    test_failing_once(life, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chain__has_its_lowest_eigenvalues), cmocka_unit_test(massless_unknowns__follow),
                                       cmocka_unit_test(refusals__and_failures_come_back),
                                       cmocka_unit_test(memory__comes_back_whatever_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
