/* Mechanisms with the methods of high order: the references of the scenes (sources there) with both formulations. The run loop replaces
 * guesses of positions by assembled ones, exchanges coordinates and projects between steps; a multistep method must not be affected. */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void follows_reference(void **state) {
    const char *scene = *state;
    static const char *const formulations[] = {"lagrange", "partition", "partition:2"}, *const integrators[] = {"dopri45", "dop853", "abm",
                                                                                                                "series"};
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases);
    for (bl_index i = 0; i < n; i++)
        for (int f = 0; f < 3 && !cases[i].is_long; f++) {
            long evaluations[4] = {0};
            for (int k = 0; k < 4; k++) {
                /* with index 2 coordinates are exchanged more often, and a multistep method restarts */
                scene_settings settings = {
                    .formulation = formulations[f], .integrator = integrators[k], .tolerance = f == 2 ? 1e-11 : 1e-10};
                scene_result result;
                scene_run(scene, &cases[i], &settings, &result);
                if (k > 0)
                    scene_expect(scene, &cases[i], &settings, &result);
                evaluations[k] = (long)result.summary.evaluations;
                print_message("%s, %s, %s, %s: %ld steps, %ld rejected, %ld restarts, %ld evaluations, error / allowed %.2g\n", scene,
                              cases[i].name, formulations[f], integrators[k], (long)result.summary.steps, (long)result.summary.rejections,
                              (long)result.summary.restarts, evaluations[k], result.worst);
                scene_result_free(&result);
            }
            /* at 1e-10 higher orders need far fewer evaluations, including those for output */
            assert_true(evaluations[1] < 0.75 * (double)evaluations[0]);
            assert_true(evaluations[2] < 0.75 * (double)evaluations[0]);
        }
    scene_cases_free(cases, n);
}

int main(void) {
    static char *const scenes[] = {"bricard", "pendulum", "double_pendulum", "spatial_slider_crank", "andrews", "five_bar_pendulum"};
    struct CMUnitTest tests[sizeof scenes / sizeof scenes[0]];
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
        tests[i] = (struct CMUnitTest){.name = scenes[i], .test_func = follows_reference, .initial_state = scenes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
