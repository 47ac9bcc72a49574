/* mebdf_auto: its stages are the published formulas, its error constants the published ones, and it needs fewer steps. */
#include "integrate/mebdf_auto.h"

#include "integrate/method_coefficients.h"
#include "support/stiff.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static void decay(double t, const double *y, double *rate, void *user) {
    (void)t;
    rate[0] = *(double *)user * y[0];
}

/* One step of the formulas on y' = lambda y in closed form, from the previous values: past[0] = y_n, past[1] = y_{n-1}, ... */
static double step_in_closed_form(int k, double z, const double *past) {
    bl_formula f;
    bl_formula_extended(k, false, false, true, &f);
    long double first = 0, second = 0, third = 0;
    for (int j = 0; j < k; j++) /* p1 begins with y_{n-1} of the formula, which BDF does not use */
        first -= f.p1[j + 1] * past[k - 1 - j];
    first /= f.p1[k + 1] - z;
    for (int j = 0; j < k; j++)
        second -= f.p2[j + 1] * (j == k - 1 ? first : (long double)past[k - 2 - j]);
    second /= f.p2[k + 1] - z;
    for (int j = 0; j < k; j++)
        third -= f.a[j] * past[k - 1 - j];
    third += z * (f.g_ahead * second + f.g_first * first);
    return (double)(third / (f.a[k] - f.g * z));
}

/* y_{n-back} of the polynomial before t */
static double value_behind(const bl_integrator *integ, int back) {
    const bl_backward *backward = integ->own;
    double sum = integ->y[0], binomial = 1;
    for (int m = 1; m <= back; m++) {
        binomial = binomial * (back - m + 1) / m;
        sum += (m % 2 ? -binomial : binomial) * backward->dif[m][0];
    }
    return sum;
}

static void steps__are_the_published_formulas(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double lambda = -1, y0 = 1;
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 1, 1e-12, decay, &lambda, &ode), BL_OK);
    bl_step_control control = {.t_end = 20, .tolerance = 1e-11};
    assert_int_equal(bl_integrator_create(ctx, "mebdf_auto:9", &ode.form, &control, &integ), BL_OK);
    assert_int_equal(bl_integrator_start(integ, 0, &y0), BL_OK);
    const bl_backward *backward = integ->own;
    int seen[BL_BACKWARD_ORDER + 1] = {0};
    while (integ->t < 20) {
        double past[BL_BACKWARD_ORDER], before = backward->h;
        int order = backward->order;
        for (int back = 0; back < order; back++)
            past[back] = value_behind(integ, back);
        bool same = !backward->order_changed && integ->h_next == before;
        assert_int_equal(bl_integrator_step(integ, NULL), BL_OK);
        if (!same || backward->h != before || order < 2)
            continue;
        double expected = step_in_closed_form(order - 1, lambda * before, past);
        /* differences of degree 8 contain 2^8 rounding errors of y */
        assert_true(fabs(integ->y[0] - expected) < 1e-13 * fabs(past[0]));
        seen[order]++;
    }
    for (int order = 2; order <= 9; order++)
        assert_true(seen[order] > 0);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

/* E. Alberdi Celaya's thesis on integrators for semidiscretized finite elements, chapter 5: constants of MEBDF1 to 4 on y' = lambda y. */
static void error_constants__are_the_published_ones(void **state) {
    (void)state;
    const double published[] = {0.6666667, 0.1489533, 0.0597433, 0.0306230};
    bl_context *ctx = test_context(NULL);
    test_ode ode;
    double lambda = -1;
    bl_integrator *integ;
    assert_int_equal(test_ode_create(ctx, 1, 1, decay, &lambda, &ode), BL_OK);
    assert_int_equal(bl_integrator_create(ctx, "mebdf_auto", &ode.form, &(bl_step_control){.t_end = 1, .tolerance = 1e-6}, &integ), BL_OK);
    const bl_backward *backward = integ->own;
    for (int k = 1; k <= 4; k++)
        assert_true(fabs(backward->error_constant[k + 1] - published[k - 1]) < 6e-8);
    for (int order = 3; order <= 9; order++)
        assert_true(backward->error_constant[order] < backward->error_constant[order - 1]);
    bl_integrator_destroy(integ);
    test_ode_destroy(&ode);
    test_context_end(ctx);
}

static void stiff_problems__are_solved_as_accurately_as_asked(void **state) {
    (void)state;
    const test_stiff *const problem[] = {&test_hires, &test_robertson, &test_van_der_pol, &test_kaps};
    /* largest growth of a small local error: jumps of van der Pol's oscillator shift the phase */
    const double growth[] = {50, 50, 500, 5};
    const char *const spec[] = {"ndf_auto", "bdf_auto", "mebdf_auto"};
    bl_context *ctx = test_context(NULL);
    for (int p = 0; p < 4; p++)
        for (int s = 0; s < 3; s++)
            for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
                test_stiff_result r = test_stiff_run(ctx, problem[p], spec[s], tolerance);
                print_message("%-12s %-10s %.0e: error %.1e, %4ld steps, %3ld rejected, %5ld evaluations, %3ld tangents, %3ld factors\n",
                              problem[p]->name, spec[s], tolerance, r.error, r.steps, r.rejections, r.evaluations, r.tangents, r.factors);
                assert_int_equal(r.status, BL_OK);
                assert_true(r.error < growth[p] * tolerance);
            }
    test_context_end(ctx);
}

/* number of steps a method needs for this error: interpolated in logarithms over several tolerances */
static double steps_for(bl_context *ctx, const test_stiff *problem, const char *spec, double error) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    for (double tolerance = error; tolerance > 0.9e-3 * error; tolerance *= pow(10, -0.25)) {
        test_stiff_result r = test_stiff_run(ctx, problem, spec, tolerance);
        double x = log(r.error / error), y = log((double)r.steps);
        if (fabs(x) > log(30))
            continue;
        n++;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    assert_true(n >= 3);
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    return exp((sy - slope * sx) / n);
}

/* Orders up to 8 with smaller constants: the advantage grows with accuracy. A third of the steps at 1e-9, three fourths at 1e-5. */
static void mebdf_auto__takes_clearly_fewer_steps_than_bdf_auto(void **state) {
    (void)state;
    const test_stiff *const problem[] = {&test_hires, &test_robertson, &test_van_der_pol};
    const double error[] = {1e-5, 1e-7, 1e-9}, most[] = {0.85, 0.65, 0.45};
    bl_context *ctx = test_context(NULL);
    for (int p = 0; p < 3; p++)
        for (int e = 0; e < 3; e++) {
            double extended = steps_for(ctx, problem[p], "mebdf_auto", error[e]), bdf = steps_for(ctx, problem[p], "bdf_auto", error[e]);
            print_message("%-12s error %.0e: %.0f steps, bdf_auto %.0f\n", problem[p]->name, error[e], extended, bdf);
            assert_true(extended < most[e] * bdf);
        }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps__are_the_published_formulas),
        cmocka_unit_test(error_constants__are_the_published_ones),
        cmocka_unit_test(stiff_problems__are_solved_as_accurately_as_asked),
        cmocka_unit_test(mebdf_auto__takes_clearly_fewer_steps_than_bdf_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
