/* The long cases of the scenes: many loops through singular configurations, ten seconds of a stiff governor, meshes over their full
 * time. */
#include "model/model.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>

static void follows_reference(void **state) {
    const char *scene = *state;
    scene_case *cases;
    bl_index n = scene_cases_read(scene, &cases), ran = 0;
    for (bl_index i = 0; i < n; i++) {
        if (!cases[i].is_long)
            continue;
        scene_settings settings = {.formulation = "partition", .tolerance = 1e-10};
        scene_result result;
        scene_run(scene, &cases[i], &settings, &result);
        scene_expect(scene, &cases[i], &settings, &result);
        scene_result_free(&result);
        ran++;
    }
    scene_cases_free(cases, n);
    assert_true(ran > 0);
}

/* by its own settings; without an end time, to its equilibrium */
static void run_mesh(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    if (!scene_has_meshes(model))
        return;
    bl_run_summary summary = {0};
    bl_status status = isnan(model->settings.until) ? bl_equilibrium(ctx, model, NULL, NULL, 0, NULL, NULL)
                                                    : bl_simulate(ctx, model, NULL, NULL, 0, &summary);
    if (status != BL_OK && status != BL_EVENT)
        fail_msg("%s: %s", name, bl_context_error(ctx)->what);
    print_message("%s, %d components of nodes: %ld steps, %.2f s\n", name, (int)scene_mesh_size(model), summary.steps,
                  summary.wall_seconds);
    ++*(long *)user;
}

static void meshes__run_to_their_end(void **state) {
    (void)state;
    long scenes = 0;
    scene_each(run_mesh, &scenes);
    assert_true(scenes > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"n_four_bar__forty_loops_follow_the_parallelogram_branch", follows_reference, NULL, NULL, "n_four_bar"},
        {"flyball_governor__ten_seconds_follow_the_reference", follows_reference, NULL, NULL, "flyball_governor"},
        cmocka_unit_test(meshes__run_to_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
