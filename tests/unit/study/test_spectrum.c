/* Eigenvalues of y'' = S y + D y' against equations whose roots are known, zeros and motions without mass included. */
#include "study/spectrum.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static void expect(const bl_spectrum *s, bl_index k, double re, double im, double tolerance) {
    assert_near(s->re[k], re, tolerance);
    assert_near(s->im[k], im, tolerance);
}

/* |lambda^2 y - S y - lambda D y| by the vectors themselves */
static void expect_vectors(const bl_spectrum *s, const double *S, const double *D, double tolerance) {
    size_t f = (size_t)s->f;
    for (size_t k = 0; k < (size_t)s->count; k++) {
        double a = s->re[k], b = s->im[k], size = 0;
        const double *x = s->y_re + k * f, *y = s->y_im + k * f;
        for (size_t i = 0; i < f; i++)
            size = fmax(size, hypot(x[i], y[i]));
        for (size_t i = 0; i < f; i++) {
            double re = (a * a - b * b) * x[i] - 2 * a * b * y[i], im = (a * a - b * b) * y[i] + 2 * a * b * x[i];
            for (size_t j = 0; j < f; j++) {
                re -= S[j * f + i] * x[j] + D[j * f + i] * (a * x[j] - b * y[j]);
                im -= S[j * f + i] * y[j] + D[j * f + i] * (a * y[j] + b * x[j]);
            }
            assert_true(hypot(re, im) <= tolerance * size * (1 + a * a + b * b));
        }
    }
}

static void one_mass__has_its_roots(void **unused) {
    (void)unused;
    static const double damping[] = {0, 0.4, 3, 12, -0.4};
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i < 5; i++) {
        double S = -25, D = -damping[i], inside = 25 - D * D / 4;
        bl_spectrum s;
        assert_int_equal(bl_spectrum_find(ctx, 1, &S, &D, NULL, NULL, &s), BL_OK);
        assert_int_equal(s.nrigid, 0);
        if (inside > 0) {
            assert_int_equal(s.count, 1);
            expect(&s, 0, D / 2, sqrt(inside), 1e-13);
        } else {
            assert_int_equal(s.count, 2);
            expect(&s, 0, D / 2 + sqrt(-inside), 0, 1e-12);
            expect(&s, 1, D / 2 - sqrt(-inside), 0, 1e-12);
        }
        if (damping[i] == 0)
            assert_true(s.re[0] == 0);
        expect_vectors(&s, &S, &D, 1e-12);
        bl_spectrum_free_all(ctx, &s);
    }
    test_context_end(ctx);
}

/* a chain of two masses that nothing holds, its damper between them, then one of them rubbing on the ground too */
static void free_chains__keep_exact_zeros(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_spectrum s;
    const double S[] = {-100, 100, 100, -100}, D[] = {-1, 1, 1, -1}, rubs[] = {-3, 1, 1, -1};
    assert_int_equal(bl_spectrum_find(ctx, 2, S, D, NULL, NULL, &s), BL_OK);
    assert_int_equal(s.nrigid, 1);
    assert_int_equal(s.nzero, 2);
    assert_int_equal(s.count, 1);
    expect(&s, 0, -1, sqrt(199), 1e-12);
    assert_near(fabs(s.rigid[0]), sqrt(0.5), 1e-12);
    assert_near(s.rigid[0], s.rigid[1], 1e-12);
    expect_vectors(&s, S, D, 1e-12);
    bl_spectrum_free_all(ctx, &s);
    assert_int_equal(bl_spectrum_find(ctx, 2, S, rubs, NULL, NULL, &s), BL_OK); /* it may be anywhere, but comes to rest */
    assert_int_equal(s.nrigid, 1);
    assert_int_equal(s.nzero, 1);
    assert_int_equal(s.count, 2);
    double sum = 0;
    for (bl_index k = 0; k < s.count; k++)
        sum += s.re[k] * (s.im[k] != 0 ? 2 : 1);
    assert_near(sum, -4, 1e-12); /* trace of the damping */
    expect_vectors(&s, S, rubs, 1e-12);
    bl_spectrum_free_all(ctx, &s);
    test_context_end(ctx);
}

static void flutter_and_divergence__come_out_of_one_solution(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_spectrum s;
    const double zero[4] = {0}, flutter[] = {-2, -3, 1, -2}, divergence[] = {4, 0, 0, -9}; /* mu = -2 +- sqrt(3) i; 4, -9 */
    assert_int_equal(bl_spectrum_find(ctx, 2, flutter, zero, NULL, NULL, &s), BL_OK);
    assert_int_equal(s.count, 2);
    double a = sqrt((sqrt(7) - 2) / 2), b = sqrt((sqrt(7) + 2) / 2);
    expect(&s, 0, a, b, 1e-13);
    expect(&s, 1, -a, b, 1e-13);
    expect_vectors(&s, flutter, zero, 1e-12);
    bl_spectrum_free_all(ctx, &s);
    assert_int_equal(bl_spectrum_find(ctx, 2, divergence, zero, NULL, NULL, &s), BL_OK);
    assert_int_equal(s.count, 3);
    expect(&s, 0, 2, 0, 1e-13);
    expect(&s, 1, -2, 0, 1e-13);
    expect(&s, 2, 0, 3, 1e-13);
    bl_spectrum_free_all(ctx, &s);
    test_context_end(ctx);
}

/* mass - spring - node without mass - damper: lambda (m c lambda^2 + m k lambda + k c) = 0 */
static void massless_node__leaves_three_roots(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_spectrum s;
    const double K[] = {100, -100, -100, 100}, C[] = {0, 0, 0, 20};
    assert_int_equal(bl_spectrum_massless(ctx, 2, 1, K, C, &s), BL_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.nzero, 1);
    assert_int_equal(s.nrigid, 1);
    expect(&s, 0, -2.5, sqrt(93.75), 1e-11);
    bl_spectrum_free_all(ctx, &s);
    test_context_end(ctx);
}

static void random_matrices__have_vectors_that_fit(void **unused) {
    (void)unused;
    test_random random = {test_seed(4711)};
    bl_context *ctx = test_context(NULL);
    for (int round = 0; round < 30; round++) {
        bl_index f = 1 + test_random_below(&random, 8);
        double S[64], D[64], trace = 0, sum = 0;
        for (bl_index i = 0; i < f * f; i++) {
            S[i] = 10 * test_random_symmetric(&random);
            D[i] = round % 3 ? test_random_symmetric(&random) : 0;
        }
        for (bl_index i = 0; i < f; i++)
            trace += D[i * (f + 1)];
        bl_spectrum s;
        assert_int_equal(bl_spectrum_find(ctx, f, S, D, NULL, NULL, &s), BL_OK);
        bl_index states = s.nzero;
        for (bl_index k = 0; k < s.count; k++) {
            sum += s.re[k] * (s.im[k] != 0 ? 2 : 1);
            states += s.im[k] != 0 ? 2 : 1;
            assert_true(s.im[k] >= 0 && s.residual[k] < 1e-11);
        }
        assert_int_equal(states, 2 * f);
        assert_near(sum, trace, 1e-10);
        expect_vectors(&s, S, D, 1e-9);
        bl_spectrum_free_all(ctx, &s);
    }
    test_context_end(ctx);
}

static bl_status body(bl_context *ctx, void *user) {
    (void)user;
    bl_spectrum s, m = {0};
    const double S[] = {-100, 100, 100, -100}, D[] = {-1, 1, 1, -1}, C[] = {0, 0, 0, 20};
    bl_status status = bl_spectrum_find(ctx, 2, S, D, NULL, NULL, &s);
    if (status == BL_OK)
        status = bl_spectrum_massless(ctx, 2, 1, S, C, &m);
    bl_spectrum_free_all(ctx, &s);
    bl_spectrum_free_all(ctx, &m);
    return status;
}

static void missing_memory__is_an_error(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(body, NULL) > 0);
    assert_true(test_failing_once(body, NULL) > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_mass__has_its_roots),
        cmocka_unit_test(free_chains__keep_exact_zeros),
        cmocka_unit_test(flutter_and_divergence__come_out_of_one_solution),
        cmocka_unit_test(massless_node__leaves_three_roots),
        cmocka_unit_test(random_matrices__have_vectors_that_fit),
        cmocka_unit_test(missing_memory__is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
