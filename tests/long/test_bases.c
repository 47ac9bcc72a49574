/* Larger scenes follow their references with matrix_r, range_space and null_space, whose matrices are full. */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const formulations[] = {"matrix_r", "range_space", "null_space"};

static void follows_reference(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases);
    for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
        scene_settings settings = {.formulation = formulations[f], .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[0], &settings, &result);
        scene_expect(scene, &cases[0], &settings, &result);
        scene_result_free(&result);
    }
    scene_cases_free(cases, n);
}

int main(void) {
    static const char *const scenes[] = {
        "double_pendulum", "spatial_slider_crank", "heavy_top", "five_bar_pendulum", "flyball_governor", "vehicle", "tether"};
    enum { COUNT = sizeof scenes / sizeof *scenes };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = scenes[i], .test_func = follows_reference, .initial_state = (void *)(uintptr_t)scenes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
