/* The studies of displacements and rates: their memory, their refusals, and stopping on request. */
#include "base/base.h"
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLIDER                                                                                                                    \
    "model: s\ndimension: 2\npoints: {A: [0, 0], B: [0.1, 0.17], C: [0.57, 0]}\nbodies:\n"                                        \
    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"                        \
    "  - {name: slider, mass: 1, center: C, inertia: 0.01}\njoints:\n"                                                            \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n" \
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"                                                               \
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\nprobes: {C: {body: slider, at: C}}\n"
#define DRIVEN SLIDER "drivers: [{variable: A.angle, value: =2*t}]\n"

static bl_model *model_of(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "test", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* ---- memory */

static bl_status nothing(void *user, const bl_sample *sample) {
    (void)user;
    (void)sample;
    return BL_OK;
}

static bl_status move_body(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "test", DRIVEN, strlen(DRIVEN), NULL, 0, &model);
    bl_move_report report = {0};
    bl_sink sink = {.sample = nothing};
    const bl_move_target *target = user;
    if (status == BL_OK) {
        status = bl_move(ctx, model, &(bl_move_options){.target = target, .ntarget = 1, .samples = 2}, &sink, 1, &report, NULL);
        if (status == BL_E_NUMERIC) { /* as it should: ended by nothing but the mechanism */
            status = BL_OK;
            bl_context_clear_error(ctx);
        }
        bl_move_report_destroy(ctx, &report);
    }
    bl_model_destroy(model);
    return status;
}

static bl_status rates_body(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_rates_report report = {0};
    bl_status status = bl_model_read_text(ctx, "test", DRIVEN, strlen(DRIVEN), NULL, 0, &model);
    const char *output = "guide.distance";
    (void)user;
    if (status == BL_OK)
        status = bl_rates(ctx, model, &(bl_rates_options){.output = &output, .noutput = 1}, &report);
    bl_rates_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__end_in_order(void **state) {
    (void)state;
    bl_move_target there = {"A.angle", 0.3}, beyond = {"C.x", 0.8};
    assert_true(test_failing_allocations(move_body, &there) > 50);
    assert_true(test_failing_once(move_body, &there) > 50);
    assert_true(test_failing_allocations(move_body, &beyond) > 50);
    assert_true(test_failing_allocations(rates_body, NULL) > 50);
    assert_true(test_failing_once(rates_body, NULL) > 50);
}

/* ---- bad calls */

static void bad_calls__are_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = model_of(ctx, SLIDER);
    bl_rates_report rates = {0};
    bl_move_target target = {"A.angle", 1}, nameless = {NULL, 1}, endless = {"A.angle", INFINITY};
    assert_int_equal(bl_move(ctx, NULL, &(bl_move_options){0}, NULL, 0, NULL, NULL), BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, NULL, NULL, 0, NULL, NULL), BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.ntarget = 1}, NULL, 0, NULL, NULL), BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1, .samples = -1}, NULL, 0, NULL, NULL),
                     BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.target = &nameless, .ntarget = 1}, NULL, 0, NULL, NULL), BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.target = &endless, .ntarget = 1}, NULL, 0, NULL, NULL), BL_E_ARG);
    assert_int_equal(
        bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1, .coordinates = "natrual"}, &(bl_sink){0}, 1, NULL, NULL),
        BL_E_ARG);
    assert_int_equal(bl_rates(ctx, model, NULL, NULL), BL_E_ARG);
    assert_int_equal(bl_rates(ctx, model, &(bl_rates_options){.ninput = 1}, &rates), BL_E_ARG);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){0}, NULL, 0, NULL, NULL), BL_OK); /* nowhere */
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* 2 N + 1 bodies in the plane, three coordinates each; the limit is 600 */
static void large_mechanism__is_refused_with_another_study(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_move_target target = {"A0.angle", 1};
    assert_int_equal(bl_model_read(ctx, SCENES "/n_four_bar.yaml", &(bl_override){"N", 100}, 1, &model), BL_OK);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1}, NULL, 0, NULL, NULL), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "its 201 bodies have 603 coordinates, the limit is 600"));
    assert_non_null(strstr(bl_context_error(ctx)->advice, "biela kinematics"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void stop_request__keeps_the_configuration(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = model_of(ctx, SLIDER);
    bl_move_report report = {0};
    bl_move_target target = {"A.angle", 1000};
    bl_context_stop(ctx);
    assert_int_equal(bl_move(ctx, model, &(bl_move_options){.target = &target, .ntarget = 1}, NULL, 0, &report, NULL), BL_STOPPED);
    assert_int_equal(report.end, BL_MOVE_NONE);
    bl_move_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void ends__have_names(void **state) {
    (void)state;
    assert_string_equal(bl_move_end_text(BL_MOVE_DEAD_POINT), "dead point");
    assert_string_equal(bl_move_end_text(BL_MOVE_NONE), "none");
    assert_string_equal(bl_move_end_text((bl_move_end)99), "none");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocations__end_in_order),
        cmocka_unit_test(bad_calls__are_refused),
        cmocka_unit_test(large_mechanism__is_refused_with_another_study),
        cmocka_unit_test(stop_request__keeps_the_configuration),
        cmocka_unit_test(ends__have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
