/* Automatic choice of coordinates: open trees with many degrees of freedom get relative coordinates, everything else, where bodies share
 * coordinates, natural ones; a tree moves in the same way in both. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct seen {
    char coordinates[32], formulation[32];
    double tip[3];
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    seen *s = user;
    snprintf(s->coordinates, sizeof s->coordinates, "%s", info->coordinates);
    snprintf(s->formulation, sizeof s->formulation, "%s", info->formulation);
    return BL_OK;
}

static bl_status look(void *user, const bl_sample *sample) {
    memcpy(((seen *)user)->tip, sample->probe, 3 * sizeof(double));
    return BL_OK;
}

static seen run(const char *scene, double n, const bl_run_options *options) {
    char file[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    seen s = {.tip = {0}};
    bl_sink sink = {.user = &s, .begin = begin, .sample = look};
    bl_override set = {"n", n};
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, file, &set, n > 0, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return s;
}

static void long_open_chain__goes_by_its_joints(void **state) {
    (void)state;
    bl_run_options options = {.until = 0.5, .tolerance = 1e-9};
    seen chosen = run("w3_chain", 24, &options);
    assert_string_equal(chosen.coordinates, "relative");
    assert_string_equal(chosen.formulation, "direct");
    options.coordinates = "natural";
    seen natural = run("w3_chain", 24, &options);
    assert_string_equal(natural.coordinates, "natural");
    for (int k = 0; k < 3; k++) /* 24 m long; errors of both grow along the chain */
        assert_float_equal(chosen.tip[k], natural.tip[k], 24 * 1e-6);
    options.coordinates = "auto";
    assert_string_equal(run("w3_chain", 24, &options).coordinates, "relative");
}

static void loops_and_methods_with_matrices__stay_natural(void **state) {
    (void)state;
    bl_run_options options = {.until = 0.01};
    assert_string_equal(run("n_four_bar", 0, &options).coordinates, "natural");
    assert_string_equal(run("spatial_slider_crank", 0, &options).coordinates, "natural");
    options.formulation = "lagrange";
    assert_string_equal(run("w3_chain", 24, &options).coordinates, "natural");
    options.formulation = NULL;
    options.integrator = "ndf_auto";
    assert_string_equal(run("w3_chain", 24, &options).coordinates, "natural");
}

/* a chain of bodies on revolute joints; additions close it, drive it, or request something that a tree does not have */
static const char *chosen_with(const char *more) {
    static seen s;
    char text[2048];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_sink sink = {.user = &s, .begin = begin};
    snprintf(text, sizeof text,
             "model: chain\ngravity: [0, 0, -9.81]\npoints:\n"
             "  - repeat: {count: 26, index: i, do: [{name: P$i, at: [=i, 0, 0]}]}\n"
             "bodies:\n  - repeat: {count: 25, index: i, from: 1, "
             "do: [{name: b$i, mass: 1, center: [=i-0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}]}\n"
             "joints:\n  - {name: j1, type: revolute, bodies: [ground, b1], at: P0, axis: [0, 1, 0]}\n"
             "  - repeat: {count: 24, index: i, from: 2, "
             "do: [{name: j$i, type: revolute, bodies: [b$(i-1), b$i], at: P$(i-1), axis: [0, 1, 0]}]}\n%s",
             more);
    if (bl_model_read_text(ctx, "chain", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s: %s", more, bl_context_error(ctx)->what);
    bl_run_options options = {.until = 0.01};
    if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s: %s", more, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return s.coordinates;
}

static void wishes_against_a_tree__are_heard(void **state) {
    (void)state;
    assert_string_equal(chosen_with(""), "relative");
    assert_string_equal(chosen_with("independent: [j3.angle]\n"), "relative");
    assert_string_equal(chosen_with("drivers:\n  - {variable: j1.angle, value: =0.1*t}\n"), "natural");
    assert_string_equal(chosen_with("  - {name: end, type: rod, bodies: [ground, b25], at: [30, 0, 5], to: P25}\n"), "natural");
    assert_string_equal(chosen_with("independent: [P3.y]\n"), "natural");
    assert_string_equal(chosen_with("coordinates: mixed\n"), "mixed");
}

/* a spatial tree of revolute joints that are not parallel, with some loops: in relative and in natural coordinates */
static void tree_with_loops_in_space__goes_by_its_joints(void **state) {
    (void)state;
    static const char text[] =
        "model: loops\ngravity: [0, 0, -9.81]\npoints:\n"
        "  - repeat: {count: 41, index: i, do: [{name: P$i, at: [=i, =0.3*sin(i), =0.4*cos(2*i)]}]}\n"
        "bodies:\n  - repeat: {count: 40, index: i, from: 1, do: [{name: b$i, mass: 1, center: P$i, inertia: [0.1, 0.2, 0.15]}]}\n"
        "joints:\n  - {name: j1, type: spherical, bodies: [ground, b1], at: P0}\n"
        "  - repeat: {count: 39, index: i, from: 2, "
        "do: [{name: j$i, type: revolute, bodies: [b$(i-1), b$i], at: P$(i-1), axis: [=sin(i), =cos(i), =sin(3*i)]}]}\n"
        "  - repeat: {count: 5, index: i, from: 1, "
        "do: [{name: r$i, type: rod, bodies: [b$(7*i-6), b$(7*i)], at: P$(7*i-6), to: P$(7*i)}]}\n"
        "probes: {tip: {body: b40, at: P40}}\n";
    seen s[2];
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_sink sink = {.user = &s[k], .begin = begin, .sample = look};
        bl_run_options options = {.coordinates = k ? "natural" : NULL, .until = 0.5, .tolerance = 1e-6};
        if (bl_model_read_text(ctx, "loops", text, strlen(text), NULL, 0, &model) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    assert_string_equal(s[0].coordinates, "relative");
    assert_string_equal(s[1].coordinates, "natural");
    for (int k = 0; k < 3; k++) /* 40 m long; errors grow along the chain */
        assert_float_equal(s[0].tip[k], s[1].tip[k], 40 * 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_open_chain__goes_by_its_joints),
        cmocka_unit_test(loops_and_methods_with_matrices__stay_natural),
        cmocka_unit_test(wishes_against_a_tree__are_heard),
        cmocka_unit_test(tree_with_loops_in_space__goes_by_its_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
