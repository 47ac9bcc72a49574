/* rosenbrock23, trbdf2 and trapezoidal_auto on stiff equations and constrained motions: the steps of an independent program, errors that
 * follow the tolerance, work compared with ndf_auto and an explicit method. */
#include "support/scene.h"
#include "support/stiff.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* Steps and rejections of tests/reference/ode23s.py. It has exact Jacobians; the difference to those here is 1e-8. */
static void rosenbrock23__takes_the_steps_of_ode23s(void **state) {
    (void)state;
    static const struct {
        const test_stiff *problem;
        double tolerance;
        long steps, rejected;
    } list[] = {{&test_robertson, 1e-2, 35, 0},     {&test_robertson, 1e-3, 71, 0},     {&test_robertson, 1e-4, 175, 0},
                {&test_robertson, 1e-5, 475, 0},    {&test_van_der_pol, 1e-2, 203, 57}, {&test_van_der_pol, 1e-3, 499, 11},
                {&test_van_der_pol, 1e-4, 1324, 8}, {&test_van_der_pol, 1e-5, 3462, 8}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        test_stiff_result r = test_stiff_run(ctx, list[i].problem, "rosenbrock23", list[i].tolerance);
        assert_int_equal(r.status, BL_OK);
        assert_int_equal(r.steps, list[i].steps);
        assert_int_equal(r.rejections, list[i].rejected);
    }
    test_context_end(ctx);
}

/* Every step may have an error of the tolerance, and the problems damp errors or keep them unchanged: steps x tolerance. The steps of a
 * method of order 2 are h^3 ~ tolerance: 10^(1/3) times as many per digit, rosenbrock23 up to 10^(1/2) where its order is reduced. */
static void stiff_problems__are_solved_as_accurately_as_asked(void **state) {
    (void)state;
    const test_stiff *const problem[] = {&test_hires, &test_robertson, &test_van_der_pol, &test_kaps};
    static const char *const spec[] = {"rosenbrock23", "trbdf2", "trapezoidal_auto"};
    bl_context *ctx = test_context(NULL);
    for (int p = 0; p < 4; p++)
        for (int s = 0; s < 3; s++) {
            long before = 0;
            for (double tolerance = 1e-2; tolerance > 0.5e-6; tolerance *= 1e-2) {
                test_stiff_result r = test_stiff_run(ctx, problem[p], spec[s], tolerance);
                print_message("%-12s %-16s %.0e: error %.1e, %4ld steps, %3ld rejected, %5ld evaluations, %4ld tangents, %4ld factors\n",
                              problem[p]->name, spec[s], tolerance, r.error, r.steps, r.rejections, r.evaluations, r.tangents, r.factors);
                assert_int_equal(r.status, BL_OK);
                assert_true(r.error < tolerance * (double)r.steps);
                /* two digits; not if h_max limited the first */
                if (before > 30)
                    assert_true((double)r.steps < (s == 0 ? 11 : 6) * (double)before);
                before = r.steps;
            }
        }
    test_context_end(ctx);
}

/* At 1e-3 one-step methods of order 2 need about as many steps as ndf_auto, which uses order 5 later: at 1e-6 it is better. Stability
 * limits dopri45 on HIRES to steps of 3.3 / 105, over 322 s. */
static void work__is_that_of_low_order_methods(void **state) {
    (void)state;
    const test_stiff *const problem[] = {&test_hires, &test_robertson, &test_van_der_pol};
    bl_context *ctx = test_context(NULL);
    for (int p = 0; p < 3; p++) {
        test_stiff_result rough = test_stiff_run(ctx, problem[p], "trbdf2", 1e-3),
                          rough_ndf = test_stiff_run(ctx, problem[p], "ndf_auto", 1e-3);
        test_stiff_result fine = test_stiff_run(ctx, problem[p], "trbdf2", 1e-6),
                          fine_ndf = test_stiff_run(ctx, problem[p], "ndf_auto", 1e-6);
        assert_true((double)rough.steps < 1.1 * (double)rough_ndf.steps);
        assert_true(fine.steps > fine_ndf.steps);
        assert_true(rough.tangents < rough.steps / 5); /* they are kept */
    }
    test_stiff_result rough = test_stiff_run(ctx, &test_hires, "trbdf2", 1e-3),
                      explicit_one = test_stiff_run(ctx, &test_hires, "dopri45", 1e-3);
    assert_true(explicit_one.steps > 8000 && explicit_one.evaluations > 50 * rough.evaluations);
    test_context_end(ctx);
}

/* ---- constrained motions: positions of published references, in units of the columns' scales */

static double error_of(const char *scene, const scene_case *reference, const char *formulation, const char *integrator, double tolerance,
                       long *steps) {
    scene_result result;
    scene_settings settings = {.formulation = formulation, .integrator = integrator, .tolerance = tolerance};
    scene_run(scene, reference, &settings, &result);
    double error = 0;
    for (bl_index r = 0; r < reference->nrow; r++)
        for (bl_index k = 0; k < reference->ncolumn; k++) {
            bl_index at = r * reference->ncolumn + k;
            error = fmax(error, fabs(result.value[at] - reference->value[at]) / reference->scale[k]);
        }
    *steps = result.summary.steps;
    assert_true(result.largest_drift < 10 * tolerance);
    print_message("%-14s %-9s %-16s %.0e: error %.1e, %5ld steps, %4ld rejected, %6ld evaluations, %4ld tangents\n", scene, formulation,
                  integrator, tolerance, error, *steps, result.summary.rejections, result.summary.evaluations, result.summary.tangents);
    scene_result_free(&result);
    return error;
}

/* steps x tolerance, times 10 for rates in units of angles; with index 3 velocities are not controlled: 100 */
static void constrained_motions__follow_their_references(void **state) {
    (void)state;
    static const char *const scenes[] = {"pendulum", "slider_crank", "car_axis"};
    static const char *const method[][2] = {
        {"ggl", "trbdf2"}, {"index3", "trbdf2"}, {"lagrange", "trbdf2"}, {"partition", "rosenbrock23"}, {"lagrange", "trapezoidal_auto"}};
    for (int s = 0; s < 3; s++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[s], &cases);
        for (size_t w = 0; w < sizeof method / sizeof *method; w++) {
            double factor = w == 1 ? 100 : 10;
            long loose, strict;
            double coarse = error_of(scenes[s], &cases[0], method[w][0], method[w][1], 1e-4, &loose);
            double fine = error_of(scenes[s], &cases[0], method[w][0], method[w][1], 1e-6, &strict);
            assert_true(coarse < factor * (double)loose * 1e-4);
            assert_true(fine < factor * (double)strict * 1e-6);
            assert_true(fine < (w == 1 ? 0.5 : 0.2) * coarse);
        }
        scene_cases_free(cases, n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rosenbrock23__takes_the_steps_of_ode23s),
        cmocka_unit_test(stiff_problems__are_solved_as_accurately_as_asked),
        cmocka_unit_test(work__is_that_of_low_order_methods),
        cmocka_unit_test(constrained_motions__follow_their_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
