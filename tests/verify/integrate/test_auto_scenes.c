/* Adaptive implicit methods on constrained systems: published motions by stabilized index 2 and index 3, with errors that follow the
 * tolerance. */
#include "support/scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* largest error, in units of the columns' scales */
static double error_of(const char *scene, const scene_case *reference, const char *formulation, const char *integrator, double tolerance,
                       bl_run_summary *summary) {
    scene_result result;
    scene_settings settings = {.formulation = formulation, .integrator = integrator, .tolerance = tolerance};
    scene_run(scene, reference, &settings, &result);
    double error = 0;
    for (bl_index r = 0; r < reference->nrow; r++)
        for (bl_index k = 0; k < reference->ncolumn; k++) {
            bl_index at = r * reference->ncolumn + k;
            error = fmax(error, fabs(result.value[at] - reference->value[at]) / reference->scale[k]);
        }
    *summary = result.summary;
    /* positions satisfy the constraints at the ends of steps; between them the interpolation is as accurate as the steps */
    assert_true(result.largest_drift < 10 * tolerance);
    print_message("%-14s %-7s %-11s %.0e: error %.1e, %5ld steps, %4ld rejected, %6ld evaluations, drift %.0e\n", scene, formulation,
                  integrator, tolerance, error, summary->steps, summary->rejections, summary->evaluations, result.largest_drift);
    scene_result_free(&result);
    return error;
}

/* Every step may have an error of the tolerance, and the motions neither damp nor amplify much: steps x tolerance, times 10 for rates in
 * units of angles. With index 3 velocities are not controlled: one order less, 100. */
static void constrained_motions__follow_their_references(void **state) {
    (void)state;
    const char *const scenes[] = {"pendulum", "slider_crank", "car_axis"}, *const formulations[] = {"ggl", "index3"};
    const char *const integrators[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto"};
    for (int s = 0; s < 3; s++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[s], &cases);
        for (int f = 0; f < 2; f++)
            for (int i = 0; i < 4; i++) {
                bl_run_summary loose = {0}, strict = {0};
                double coarse = error_of(scenes[s], &cases[0], formulations[f], integrators[i], 1e-6, &loose);
                double fine = error_of(scenes[s], &cases[0], formulations[f], integrators[i], 1e-8, &strict);
                double factor = f == 0 ? 10 : 100;
                assert_true(coarse < factor * (double)loose.steps * 1e-6);
                assert_true(fine < factor * (double)strict.steps * 1e-8);
                assert_true(fine < (f == 0 ? 0.2 : 0.5) * coarse);
            }
        scene_cases_free(cases, n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(constrained_motions__follow_their_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
