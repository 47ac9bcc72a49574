/* Variants of a model: what they change, what they leave alone, what they refuse. */
#include "model/variant.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <string.h>

static const char text[] = "model: varied\ndimension: 2\nparameters: {l: 0.5, m: 2, n: 1, half: '=l/2'}\n"
                           "bodies: [{name: rod, rod: {from: [0, 0], to: ['=l', 0]}, mass: =m}]\n"
                           "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                           "drivers: [{variable: A.angle, value: '=t'}]\n"
                           "probes: {tip: {body: rod, at: ['=half', 0]}}\n";

static bl_model *read(bl_context *ctx) {
    bl_model *model;
    bl_override m = {"m", 3};
    assert_int_equal(bl_model_read_text(ctx, "varied", text, strlen(text), &m, 1, &model), BL_OK);
    return model;
}

static void drivers__are_released_and_added(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read(ctx), *free_one, *held, *twice;
    bl_index angle = bl_model_variable(model, "A.angle");
    double value = 0.25;
    assert_int_equal(bl_model_vary(model->ctx, model, &(bl_variant_ask){.release = true}, &free_one), BL_OK);
    assert_int_equal(free_one->ndriver, 0);
    assert_int_equal(model->ndriver, 1);
    assert_int_equal(
        bl_model_vary(model->ctx, model, &(bl_variant_ask){.hold = &angle, .value = &value, .nhold = 1, .release = true}, &held), BL_OK);
    assert_int_equal(held->ndriver, 1);
    double got;
    assert_true(bl_tape_constant(held->law[held->driver[0].law].tape, 0, &got));
    assert_near(got, 0.25, 0);
    assert_int_equal(bl_model_vary(model->ctx, model, &(bl_variant_ask){.hold = &angle, .value = &value, .nhold = 1}, &twice), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "variable 'A.angle' cannot be held"));
    bl_model_unvary(free_one);
    bl_model_unvary(held);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void values__reach_everything_that_depends_on_them(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read(ctx), *other;
    assert_int_equal(bl_model_revalue(model->ctx, model, &(bl_override){"l", 0.8}, 1, &other), BL_OK);
    assert_near(other->body[1].center[0], 0.4, 1e-15);
    assert_near(other->body[1].mass, 3, 0); /* as given from outside */
    assert_near(other->parameter[bl_model_parameter(other, "half")].value, 0.4, 1e-15);
    assert_near(model->body[1].center[0], 0.25, 1e-15);
    bl_model_destroy(other);
    assert_int_equal(bl_model_revalue(model->ctx, model, &(bl_override){"length", 0.8}, 1, &other), BL_E_ARG);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void counts__cannot_change(void **unused) {
    (void)unused;
    static const char chain[] =
        "model: chain\ndimension: 2\nparameters: {N: 2}\n"
        "bodies: [{repeat: {count: =N, index: i, do: [{name: rod$i, rod: {from: [=i, 0], to: [=i+1, 0]}, mass: 1}]}}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model, *other;
    bl_status status = bl_model_read_text(ctx, "chain", chain, strlen(chain), NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(bl_model_revalue(model->ctx, model, &(bl_override){"N", 3}, 1, &other), BL_E_ABILITY);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drivers__are_released_and_added),
        cmocka_unit_test(values__reach_everything_that_depends_on_them),
        cmocka_unit_test(counts__cannot_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
