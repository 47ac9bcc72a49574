/* Methods of second order compared with published tables and the steps of a reference implementation. */
#include "support/handmade.h"
#include "support/stepping.h"
#include "support/testing.h"

#include <math.h>

#include "second_order.inc"

static void load(double t, double *F) {
    F[0] = sin(3 * t);
    F[1] = 0.5;
}

static const test_linear two_masses = {
    .n = 2, .M = {2.0, 0.3, 0.3, 1.0}, .C = {0.22, -0.025, -0.025, 0.13}, .K = {60, -20, -20, 40}, .load = load};

/* Step h = 0.05. The systems are linear with condition < 100: rounding stays below 1e-13 over 40 steps. */
static void every_method__takes_the_reference_steps(void **state) {
    (void)state;
    const double q0[] = {0.1, -0.05}, v0[] = {0, 0.3};
    for (int promise = 0; promise < 2; promise++)
        for (size_t k = 0; k < sizeof reference_runs / sizeof *reference_runs; k++) {
            bool only_linear = reference_runs[k].spec[0] == 'e';
            if (only_linear && !promise)
                continue;
            bl_context *ctx = test_context(NULL);
            test_stepping s;
            bl_function function = test_linear_function(&two_masses, promise);
            test_stepping_begin(ctx, &function, "plain", reference_runs[k].spec, 2, 0.05, q0, v0, NULL, &s);
            int row = 0;
            double worst = 0;
            for (int step = 1; step <= 40; step++) {
                assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
                if (step != (int)reference_runs[k].row[row][0])
                    continue;
                for (int i = 0; i < 4; i++)
                    worst = fmax(worst, fabs(s.integ->y[i] - reference_runs[k].row[row][1 + i]));
                row++;
            }
            assert_int_equal(row, 5);
            print_message("%s%s: worst %.2e\n", reference_runs[k].spec, promise ? ", one factorization" : "", worst);
            assert_true(worst < 1e-12);
            test_stepping_end(&s);
            test_context_end(ctx);
        }
}

static void bathe_load(double t, double *F) {
    (void)t;
    F[0] = 0;
    F[1] = 10;
}

/* one unit of the third printed digit */
static double last_digit(double x) { return x == 0 ? 0.005 : pow(10, floor(log10(fabs(x))) - 2); }

static void bathes_tables__are_reproduced(void **state) {
    (void)state;
    static const test_linear bathe = {.n = 2, .M = {2, 0, 0, 1}, .K = {6, -2, -2, 4}, .load = bathe_load};
    const double rest[2] = {0, 0};
    for (size_t k = 0; k < sizeof bathe_runs / sizeof *bathe_runs; k++) {
        bl_context *ctx = test_context(NULL);
        test_stepping s;
        bl_function function = test_linear_function(&bathe, true);
        test_stepping_begin(ctx, &function, "plain", bathe_runs[k].spec, 100, 0.28, rest, rest, NULL, &s);
        for (int n = 0; n < BATHE_STEPS; n++) {
            assert_int_equal(bl_integrator_step(s.integ, NULL), BL_OK);
            for (int i = 0; i < 2; i++) {
                double printed = bathe_runs[k].printed[i][n];
                assert_near(s.integ->y[i], bathe_runs[k].full[n][i], 1e-12);
                assert_near(s.integ->y[i], printed, last_digit(printed));
            }
        }
        test_stepping_end(&s);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method__takes_the_reference_steps),
        cmocka_unit_test(bathes_tables__are_reproduced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
