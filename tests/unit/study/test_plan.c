/* Default coordinates: those whose cost grows with the cube of the number of loops must not be taken for many loops. */
#include "study/plan.h"
#include "support/testing.h"

#include <string.h>

/* a chain of hinges in space; every link carries a loop of two hinges, a ball and a universal joint */
static const char CHAIN[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {n: 10}\n"
    "bodies:\n"
    "  - repeat: {count: =n, do: [\n"
    "      {name: l$i, box: {center: [=i+0.5, 0, 0], size: [1, 0.1, 0.1]}, mass: 1},\n"
    "      {name: a$i, box: {center: [=i+0.22, 0, -0.15], size: [0.05, 0.05, 0.3]}, mass: 0.2},\n"
    "      {name: b$i, rod: {from: [=i+0.25, 0.05, -0.3], to: [=i+0.7, -0.1, -0.4], axial: 1e-3}, mass: 0.2},\n"
    "      {name: c$i, box: {center: [=i+0.75, 0, -0.2], size: [0.05, 0.05, 0.4]}, mass: 0.2}]}\n"
    "joints:\n"
    "  - {name: h0, type: revolute, bodies: [ground, l0], at: [0, 0, 0], axis: [0, 1, 1]}\n"
    "  - repeat: {count: =n-1, from: 1, do: [{name: h$i, type: revolute, bodies: [l$(i-1), l$i], at: [=i, 0, 0],\n"
    "                                         axis: [0, 1, \"=2*mod(i, 2) - 1\"]}]}\n"
    "  - repeat: {count: =n, do: [\n"
    "      {name: p$i, type: revolute, bodies: [l$i, a$i], at: [=i+0.2, 0, 0], axis: [0, 1, 0]},\n"
    "      {name: q$i, type: spherical, bodies: [a$i, b$i], at: [=i+0.25, 0.05, -0.3]},\n"
    "      {name: r$i, type: universal, bodies: [b$i, c$i], at: [=i+0.7, -0.1, -0.4], axis: [0, 1, 0], axis_b: [1, 0, 0]},\n"
    "      {name: s$i, type: revolute, bodies: [l$i, c$i], at: [=i+0.8, 0, 0], axis: [0.2, 1, 0]}]}\n";

static void expect_coordinates(int n, const char *expected) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    const bl_override size = {"n", n};
    const bl_run_options options = {.tolerance = 1e-6};
    const char *coordinates = NULL;
    assert_int_equal(bl_model_read_text(ctx, "chain", CHAIN, strlen(CHAIN), &size, 1, &model), BL_OK);
    assert_int_equal(bl_plan_coordinates(ctx, model, &options, &coordinates), BL_OK);
    assert_string_equal(coordinates, expected);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* measured, a run of 0.6 s: 10 loops 0.02 s by relative and 0.05 s by natural coordinates; 62 loops 0.63 s and 0.25 s */
static void few_loops_on_a_chain__go_by_relative_coordinates_and_many_by_natural_ones(void **unused) {
    (void)unused;
    expect_coordinates(10, "relative");
    expect_coordinates(60, "natural");
    expect_coordinates(240, "natural");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_loops_on_a_chain__go_by_relative_coordinates_and_many_by_natural_ones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
