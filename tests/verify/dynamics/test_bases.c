/* Scenes follow their references with matrix_r, range_space and null_space: index 1 with projection, tolerance 1e-10. */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const formulations[] = {"matrix_r", "matrix_r:basis=qr", "matrix_r:basis=svd", "range_space", "null_space"};

static void follows_reference(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases);
    for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
        scene_settings settings = {.formulation = formulations[f], .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[0], &settings, &result);
        scene_expect(scene, &cases[0], &settings, &result);
        assert_true(result.summary.projections > 0);
        scene_result_free(&result);
    }
    scene_cases_free(cases, n);
}

int main(void) {
    static const char *const scenes[] = {"pendulum", "four_bar", "slider_crank", "bricard", "andrews"};
    enum { COUNT = sizeof scenes / sizeof *scenes };
    struct CMUnitTest tests[COUNT];
    for (int i = 0; i < COUNT; i++)
        tests[i] = (struct CMUnitTest){.name = scenes[i], .test_func = follows_reference, .initial_state = (void *)(uintptr_t)scenes[i]};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
