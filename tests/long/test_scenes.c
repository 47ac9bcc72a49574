/* The long cases of the scenes: many loops through singular positions, ten
 * seconds of a stiff governor. */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void follows_reference(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases), ran = 0;
    for (bl_index i = 0; i < n; i++) {
        if (!cases[i].is_long)
            continue;
        scene_way way = {.formulation = "partition", .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[i], &way, &result);
        scene_expect(scene, &cases[i], &way, &result);
        scene_result_free(&result);
        ran++;
    }
    scene_cases_free(cases, n);
    assert_true(ran > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"n_four_bar__forty_loops_follow_the_parallelogram_branch", follows_reference, NULL, NULL, "n_four_bar"},
        {"flyball_governor__ten_seconds_follow_the_reference", follows_reference, NULL, NULL, "flyball_governor"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
