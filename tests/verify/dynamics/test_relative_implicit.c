/* Relative coordinates with implicit methods, which need their tangents: the same motion as natural coordinates with an explicit method. */
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
    seen *run = user; /* the last one remains */
    for (bl_index i = 0; i < run->nbody; i++)
        memcpy(run->position[i], s->body[i].position, sizeof run->position[i]);
    return BL_OK;
}

static bl_run_summary solve(const char *scene, const bl_run_options *options, seen *run) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    if (strchr(scene, '\n'))
        assert_int_equal(bl_model_read_text(ctx, "text", scene, strlen(scene), NULL, 0, &model), BL_OK);
    else
        assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    memset(run, 0, sizeof *run);
    bl_sink sink = {.user = run, .begin = begin, .sample = look};
    bl_run_summary summary = {0};
    if (bl_simulate(ctx, model, options, &sink, 1, &summary) != BL_OK)
        fail_msg("%s, %s, %s: %s", scene, options->formulation, options->integrator, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return summary;
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

static const char *const free_body = "model: free\n"
                                     "bodies:\n  - {name: b, mass: 1, center: [0, 0, 0], inertia: [1, 2, 3]}\n"
                                     "initial:\n  b: {velocity: [0.1, 0.2, 0.3], angular_velocity: [1.7, 0, 1]}\n";

/* M(q) a = Q and a = M(q)^-1 Q are one equation: Radau's error estimate is the same for both, and so are its steps except for the history
 * of its tangents (the free body provides no M^-1 x: M is factored). If the mass matrix of an old tangent entered the estimate, that would
 * be of first order, and steps would be a hundred thousand times as many. */
static void moving_mass__radau_takes_no_more_steps_than_without_it(void **unused) {
    (void)unused;
    const struct {
        const char *name, *coordinates, *without;
        double until;
    } scene[] = {{"pendulum", "relative", "direct", 1},
                 {"double_pendulum", "relative", "direct", 1},
                 {"five_bar_pendulum", "relative", "direct", 0.5},
                 {"w3_chain", "relative", "direct", 1},
                 {"w4_chain", "relative", "direct", 0.5},
                 {"tether", "relative", "direct", 0.2},
                 {"heavy_top", "relative", "direct", 0.05},
                 {free_body, "reference:angles", "lagrange", 3}};
    for (size_t s = 0; s < sizeof scene / sizeof *scene; s++) {
        seen now, other;
        double off = 0;
        bl_run_options options = {
            .coordinates = scene[s].coordinates, .formulation = "plain", .integrator = "radau", .tolerance = 1e-8, .until = scene[s].until};
        bl_run_summary plain = solve(scene[s].name, &options, &now);
        options.formulation = scene[s].without;
        bl_run_summary without = solve(scene[s].name, &options, &other);
        for (bl_index i = 0; i < now.nbody; i++)
            for (int c = 0; c < 3; c++)
                off = fmax(off, fabs(now.position[i][c] - other.position[i][c]));
        print_message("%s: %ld steps, %ld tangents; %s: %ld steps, %ld tangents; %.1e apart\n", scene[s].name, plain.steps, plain.tangents,
                      scene[s].without, without.steps, without.tangents, off);
        assert_true(plain.steps <= 2 * without.steps);
        assert_true(off < 1e-6);
    }
}

/* Newton's iteration with kept tangents is not slowed by the change of the mass matrix since then: one tangent is sufficient for a short
 * motion. */
static void moving_mass__tangents_are_kept(void **unused) {
    (void)unused;
    seen now;
    bl_run_options options = {.coordinates = "relative", .formulation = "plain", .integrator = "genalpha", .step = 5e-4, .until = 0.5};
    bl_run_summary summary = solve("w4_chain", &options, &now);
    print_message("w4_chain: %ld steps, %ld iterations, %ld tangents\n", summary.steps, summary.newton_iterations, summary.tangents);
    assert_true(summary.tangents <= summary.steps / 100); /* one in nearly every step if it were */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relative__implicit_methods_move_as_natural_coordinates),
        cmocka_unit_test(moving_mass__radau_takes_no_more_steps_than_without_it),
        cmocka_unit_test(moving_mass__tangents_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
