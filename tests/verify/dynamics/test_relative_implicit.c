/* Relative coordinates under implicit methods, which need their tangents: the same motion as natural coordinates by an explicit method. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BODIES = 16 };

typedef struct seen {
    bl_index nbody;
    double position[MOST_BODIES][3];
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    seen *run = user;
    run->nbody = info->nbody;
    return info->nbody <= MOST_BODIES ? BL_OK : BL_E_ARG;
}

static bl_status look(void *user, const bl_sample *s) {
    seen *run = user; /* the last one stays */
    for (bl_index i = 0; i < run->nbody; i++)
        memcpy(run->position[i], s->body[i].position, sizeof run->position[i]);
    return BL_OK;
}

static void solve(const char *scene, const bl_run_options *options, seen *run) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    memset(run, 0, sizeof *run);
    bl_sink sink = {.user = run, .begin = begin, .sample = look};
    if (bl_simulate(ctx, model, options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s, %s, %s: %s", scene, options->formulation, options->integrator, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void relative__implicit_methods_move_as_natural_coordinates(void **unused) {
    (void)unused;
    static const struct {
        const char *formulation, *integrator;
        double tolerance, step, limit;
    } way[] = {{"index3", "hht", 0, 5e-4, 1e-4}, {"ggl", "ndf_auto", 1e-8, 0, 1e-5}, {"plain", "radau", 1e-8, 0, 1e-6}};
    static const struct {
        const char *name;
        double until;
        int ways; /* plain: only without loops */
    } scene[] = {{"bricard", 0.5, 2}, {"slider_crank", 0.25, 2}, {"five_bar_pendulum", 0.5, 3}};
    for (size_t s = 0; s < sizeof scene / sizeof *scene; s++) {
        seen natural;
        bl_run_options options = {
            .coordinates = "natural", .formulation = "partition", .integrator = "dopri45", .tolerance = 1e-10, .until = scene[s].until};
        solve(scene[s].name, &options, &natural);
        for (int w = 0; w < scene[s].ways; w++) {
            seen now;
            double off = 0;
            options = (bl_run_options){.coordinates = "relative",
                                       .formulation = way[w].formulation,
                                       .integrator = way[w].integrator,
                                       .tolerance = way[w].tolerance,
                                       .step = way[w].step,
                                       .until = scene[s].until};
            solve(scene[s].name, &options, &now);
            assert_int_equal(now.nbody, natural.nbody);
            for (bl_index i = 0; i < now.nbody; i++)
                for (int c = 0; c < 3; c++)
                    off = fmax(off, fabs(now.position[i][c] - natural.position[i][c]));
            print_message("%s, %s, %s: %.1e\n", scene[s].name, way[w].formulation, way[w].integrator, off);
            if (!(off < way[w].limit))
                fail_msg("%s, %s, %s: off by %g", scene[s].name, way[w].formulation, way[w].integrator, off);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(relative__implicit_methods_move_as_natural_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
