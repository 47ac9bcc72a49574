/* stiff_auto recognizes oscillations that only the stability properties of high orders keep alive, and nothing else. */
#include "support/stiff.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static test_stiff_result run(const test_stiff *problem, const char *spec, double tolerance) {
    bl_context *ctx = test_context(NULL);
    test_stiff_result r = test_stiff_run(ctx, problem, spec, tolerance);
    assert_int_equal(r.status, BL_OK);
    print_message("%-14s %-10s %.0e: error %.1e, %5ld steps, %4ld rejected, %4ld bounded, order %d at the end\n", problem->name, spec,
                  tolerance, r.error, r.steps, r.rejections, r.bounded, r.last);
    test_context_end(ctx);
    return r;
}

/* Weakly damped oscillations below the tolerance: their period is no reason for small steps. `share`: fraction of the steps of the same
 * formulas without recognition, and of BDF. */
static void stiff_oscillations__cost_far_fewer_steps(void **state) {
    (void)state;
    static const struct {
        const test_stiff *problem;
        double tolerance, share, share_bdf, growth;
    } cases[] = {{&test_b5, 1e-4, 0.25, 0.15, 2},           {&test_b5, 1e-6, 0.35, 0.2, 2},   {&test_pushed, 1e-5, 0.1, 0.1, 1},
                 {&test_pushed, 1e-6, 0.15, 0.15, 1},       {&test_beam, 1e-5, 0.25, 0.1, 0}, {&test_beam, 1e-6, 0.3, 0.15, 0},
                 {&test_stiff_pendulum, 1e-7, 0.6, 0.3, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_stiff_result with = run(cases[i].problem, "stiff_auto", cases[i].tolerance);
        test_stiff_result without = run(cases[i].problem, "mebdf_auto", cases[i].tolerance);
        test_stiff_result bdf = run(cases[i].problem, "bdf_auto", cases[i].tolerance);
        assert_true((double)with.steps < cases[i].share * (double)without.steps);
        assert_true((double)with.steps < cases[i].share_bdf * (double)bdf.steps);
        assert_true(with.bounded > 0 && with.bounded <= with.steps);
        if (cases[i].growth > 0)
            assert_true(with.error < cases[i].growth * cases[i].tolerance);
        assert_int_equal(without.bounded, 0);
    }
}

/* Stiff only because of the error estimate: forces that respond to the error of the predictor are detected before the step is taken. */
static void the_error_estimate__sees_stiff_springs(void **state) {
    (void)state;
    for (double tolerance = 1e-3; tolerance > 3e-6; tolerance *= 0.1) {
        test_stiff_result extended = run(&test_stiff_pendulum, "mebdf_auto", tolerance),
                          bdf = run(&test_stiff_pendulum, "bdf_auto", tolerance);
        assert_true(5 * extended.steps < bdf.steps);
        assert_true(extended.error < 100 * tolerance);
    }
    for (double tolerance = 1e-2; tolerance > 1e-11; tolerance *= 0.1) {
        test_stiff_result extended = run(&test_shaken, "mebdf_auto", tolerance);
        assert_true(extended.steps < 250);
        assert_true(extended.error < tolerance);
    }
}

static void dissipative_problems__are_solved_as_without(void **state) {
    (void)state;
    const test_stiff *const problem[] = {&test_hires, &test_robertson, &test_kaps};
    for (int p = 0; p < 3; p++)
        for (double tolerance = 1e-3; tolerance > 1e-10; tolerance *= 1e-2) {
            test_stiff_result with = run(problem[p], "stiff_auto", tolerance), without = run(problem[p], "mebdf_auto", tolerance);
            assert_int_equal(with.bounded, 0);
            assert_int_equal(with.steps, without.steps);
            assert_true(with.error == without.error);
        }
}

/* An oscillation that is the solution is followed with all orders. */
static void oscillations_to_be_seen__are_followed_as_without(void **state) {
    (void)state;
    for (double tolerance = 1e-2; tolerance > 1e-10; tolerance *= 1e-2) {
        test_stiff_result with = run(&test_swing, "stiff_auto", tolerance), without = run(&test_swing, "mebdf_auto", tolerance);
        assert_int_equal(with.steps, without.steps);
    }
}

/* ---- messages, and the return of high orders */

typedef struct words {
    int recognized, gone;
} words;

static void listen(void *user, bl_log_level level, const char *message) {
    words *heard = user;
    if (level != BL_LOG_INFO)
        return;
    heard->recognized += strstr(message, ": stiff oscillation of period") != NULL;
    heard->gone += strstr(message, "is gone") != NULL;
}

static void high_orders__return_when_the_oscillation_is_gone(void **state) {
    (void)state;
    words heard = {0};
    bl_context *ctx;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = listen, .log_user = &heard, .log_level = BL_LOG_INFO}, &ctx), BL_OK);
    test_stiff_result r = test_stiff_run(ctx, &test_pushed, "stiff_auto", 1e-8);
    print_message("recognized %d times, gone %d times; orders", heard.recognized, heard.gone);
    for (int order = 1; order <= 9; order++)
        print_message(" %ld", r.of_order[order]);
    print_message("\n");
    assert_int_equal(r.status, BL_OK);
    assert_true(heard.recognized >= 1 && heard.gone >= 1);
    assert_true(r.bounded > 0 && r.bounded < r.steps);
    assert_true(r.last >= 6);
    /* by then its period, 0.0063, is far shorter than a step */
    assert_true(r.steps < 4000);
    bl_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_oscillations__cost_far_fewer_steps),
        cmocka_unit_test(the_error_estimate__sees_stiff_springs),
        cmocka_unit_test(dissipative_problems__are_solved_as_without),
        cmocka_unit_test(oscillations_to_be_seen__are_followed_as_without),
        cmocka_unit_test(high_orders__return_when_the_oscillation_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
