/* Elements with one point: nothing moves without force but what is rigid, linear fields are kept, bending is near that of all points. */
#include "fem/fem.h"
#include "support/solid_run.h"

#include "biela/modes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ELASTIC "materials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
#define LARGE "materials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 1}}\n"
#define PLATE(more)                                                                                                                      \
    "bodies: [{name: b, mesh: {rectangle: {to: [8, 1], n: [32, 4]}, element: quad4, distort: [0.2, 3]}, material: m, plane: strain" more \
    "}]\n"
#define BLOCK(more) \
    "bodies: [{name: b, mesh: {box: {to: [8, 1, 1], n: [24, 4, 4]}, element: hexa8, distort: [0.2, 3]}, material: m" more "}]\n"
#define HELD2 "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, 1e-4]}]\nprobes: {p: {at: [8, 1]}}\n"
#define HELD3 "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, 1e-4, 0]}]\nprobes: {p: {at: [8, 1, 1]}}\n"

static double tip(const char *text) { return solid_settle(text, NULL).x[0][1] - 1; }

static void bending__is_near_that_of_all_points(void **state) {
    (void)state;
    double plate = tip("dimension: 2\n" ELASTIC PLATE("") HELD2), one = tip("dimension: 2\n" ELASTIC PLATE(", points: 1") HELD2);
    double block = tip("dimension: 3\n" ELASTIC BLOCK("") HELD3), single = tip("dimension: 3\n" ELASTIC BLOCK(", points: 1") HELD3);
    assert_true(one > plate && one < 1.25 * plate); /* less stiff: all points lock in bending, by some 10 % on these meshes */
    assert_true(single > block && single < 1.25 * block);
}

/* large strains are computed element by element, linear ones for eight elements at a time */
static void both_algorithms__agree_where_strains_are_small(void **state) {
    (void)state;
    double many = tip("dimension: 2\n" ELASTIC PLATE(", points: 1") HELD2);
    double each = tip("dimension: 2\n" LARGE PLATE(", points: 1, strain: green") HELD2);
    assert_true(many > 0 && fabs(each - many) <= 1e-3 * many);
    many = tip("dimension: 3\n" ELASTIC BLOCK(", points: 1") HELD3);
    each = tip("dimension: 3\n" LARGE BLOCK(", points: 1, strain: green") HELD3);
    assert_true(many > 0 && fabs(each - many) <= 1e-3 * many);
}

static bl_index motions_left(const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_modes_report modes = {0};
    assert_int_equal(bl_model_read_text(ctx, "free", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_modes_options options = {.count = 8, .at = BL_MODES_AT_START, .anyway = true};
    assert_int_equal(bl_modes(ctx, model, &options, NULL, 0, &modes), BL_OK);
    bl_index rigid = modes.nrigid;
    bl_modes_report_destroy(ctx, &modes);
    bl_model_destroy(model);
    test_context_end(ctx);
    return rigid;
}

static void only_rigid_motions__are_free(void **state) {
    (void)state;
    assert_int_equal(motions_left("dimension: 2\n" ELASTIC PLATE(", points: 1")), 3);
    assert_int_equal(motions_left("dimension: 3\n" ELASTIC "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [3, 2, 2]}, element: hexa8, "
                                  "distort: [0.2, 3]}, material: m, points: 1}]\n"),
                     6);
    /* without control the patterns are free too */
    assert_true(motions_left("dimension: 2\n" ELASTIC PLATE(", points: 1, hourglass: 0")) > 3);
}

static void linear_fields__are_kept(void **state) {
    (void)state;
    solid_end end = solid_settle(
        "dimension: 3\n" ELASTIC BLOCK(", points: 1") "supports: [{set: left, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]\n"
                                                      "loads: [{set: right, traction: [10, 0, 0]}]\nprobes: {p: {at: [8, 1, 1]}}\n",
        NULL);
    assert_true(fabs(end.x[0][0] - 8 * 1.01) <= 1e-10);
    assert_true(fabs(end.x[0][1] - (1 - 0.003)) <= 1e-10);
    assert_true(fabs(end.x[0][2] - (1 - 0.003)) <= 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bending__is_near_that_of_all_points),
        cmocka_unit_test(both_algorithms__agree_where_strains_are_small),
        cmocka_unit_test(only_rigid_motions__are_free),
        cmocka_unit_test(linear_fields__are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
