/* What single joint kinds promise beyond the conformance test: handedness, references, roughly assembled models, refusals. */
#include "support/handmade.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bl_value *set_vector(bl_joint_def *def, const char *name, double x, double y, double z) {
    bl_value *value = &def->value[test_param(def->kind->kind.params, name)];
    *value = (bl_value){.given = true, .vector = {x, y, z}, .place = {"model.yaml", 7, 1 + (int)(value - def->value)}};
    return value;
}

static bl_value *set_number(bl_joint_def *def, const char *name, double number) {
    bl_value *value = &def->value[test_param(def->kind->kind.params, name)];
    *value = (bl_value){.given = true, .number = number, .place = {"model.yaml", 7, 1 + (int)(value - def->value)}};
    return value;
}

static bl_joint_def joint_of(const bl_joint_kind *kind) {
    return (bl_joint_def){.name = "hinge", .kind = kind, .body = {1, 2}, .place = {"model.yaml", 6, 3}};
}

static const bl_prim *find(const bl_joint_parts *parts, bl_prim_what what) {
    for (bl_index i = 0; i < parts->nprim; i++)
        if (parts->prim[i].what == what)
            return &parts->prim[i];
    fail_msg("primitive %d is missing", (int)what);
    return parts->prim; /* not reached */
}

static double angle_between(const bl_prim *prim) {
    double x[3];
    test_cross(prim->a.s, prim->b.s, x);
    return atan2(test_dot(x, prim->c.s), test_dot(prim->a.s, prim->b.s)) - prim->zero;
}

static void screw__advances_by_its_pitch_in_one_turn(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {1};
    test_model made;
    test_model_init(&made, ctx, 3, &random);
    bl_joint_def def = joint_of(&bl_joint_screw);
    set_vector(&def, "at", 0, 0, 0);
    set_vector(&def, "axis", 0, 1, 0);
    set_number(&def, "pitch", 0.25);
    bl_joint_parts made_of;
    assert_int_equal(bl_joint_make(&made.model, &def, &made_of), BL_OK);
    const bl_prim *relation = find(&made_of, BL_LINEAR);
    assert_int_equal(relation->var[0], 0); /* angle */
    assert_int_equal(relation->var[1], 1); /* distance */
    assert_near(relation->coef[0] * 2 * pi + relation->coef[1] * 0.25, relation->value, 1e-15);
    test_context_end(ctx);
}

static void revolute__reads_the_angle_between_given_references(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {2};
    for (int dim = 2; dim <= 3; dim++) {
        test_model made;
        test_model_init(&made, ctx, dim, &random);
        bl_joint_def def = joint_of(&bl_joint_revolute);
        bl_joint_parts made_of;
        set_vector(&def, "at", 1, 2, 0);
        if (dim == 3)
            set_vector(&def, "axis", 0, 0, -1);
        set_vector(&def, "reference", 1, 0, dim == 3 ? 0.7 : 0); /* the part along the axis does not count */
        assert_int_equal(bl_joint_make(&made.model, &def, &made_of), BL_OK);
        assert_near(angle_between(find(&made_of, BL_ANGLE)), 0, 1e-15);
        set_vector(&def, "reference_b", 0, 1, 0);
        assert_int_equal(bl_joint_make(&made.model, &def, &made_of), BL_OK);
        assert_near(angle_between(find(&made_of, BL_ANGLE)), dim == 3 ? -pi / 2 : pi / 2, 1e-15);
        set_vector(&def, "reference", 0, 0, 0)->given = false;
        assert_int_equal(bl_joint_make(&made.model, &def, &made_of), BL_OK);
        assert_near(angle_between(find(&made_of, BL_ANGLE)), 0, 1e-15);
    }
    test_context_end(ctx);
}

/* The second body gets marks where it is drawn; its frame is perpendicular to its own axis and reads zero. */
static void rough_models__put_marks_where_the_second_body_is(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(3)};
    for (int c = 0; c < 100; c++) {
        test_model made;
        test_model_init(&made, ctx, 3, &random);
        bl_joint_def def = joint_of(&bl_joint_cylindrical);
        double axis[3], axis_b[3], at[3], at_b[3];
        test_random_direction(&random, 3, axis);
        do
            test_random_direction(&random, 3, axis_b);
        while (test_dot(axis, axis_b) < -0.85);
        test_random_vector(&random, 3, 1, at);
        test_random_vector(&random, 3, 1, at_b);
        set_vector(&def, "at", at[0], at[1], at[2]);
        set_vector(&def, "at_b", at_b[0], at_b[1], at_b[2]);
        set_vector(&def, "axis", 3 * axis[0], 3 * axis[1], 3 * axis[2]);
        set_vector(&def, "axis_b", axis_b[0], axis_b[1], axis_b[2]);
        bl_joint_parts made_of;
        assert_int_equal(bl_joint_make(&made.model, &def, &made_of), BL_OK);
        const bl_prim *same = find(&made_of, BL_SAME), *travel = find(&made_of, BL_TRAVEL), *angle = find(&made_of, BL_ANGLE);
        for (int k = 0; k < 3; k++) {
            assert_near(same->a.s[k], axis[k], 1e-15);
            assert_near(same->b.s[k], axis_b[k], 1e-15);
            assert_near(travel->a.s[k] + made.body[1].center[k], at[k], 1e-15);
            assert_near(travel->b.s[k] + made.body[2].center[k], at_b[k], 1e-15);
        }
        assert_near(test_norm(angle->b.s), 1, 1e-14);
        assert_near(test_dot(angle->a.s, axis), 0, 1e-14);
        assert_near(test_dot(angle->b.s, axis_b), 0, 1e-14);
        /* the shortest turn of the second body onto the first axis makes the angle zero */
        double turn[3], R[3][3], moved[3];
        test_cross(axis_b, axis, turn);
        double sine = test_norm(turn);
        for (int k = 0; k < 3; k++)
            turn[k] /= sine;
        test_turn(turn, atan2(sine, test_dot(axis, axis_b)), R);
        test_apply(R, angle->b.s, moved);
        for (int k = 0; k < 3; k++)
            assert_near(moved[k], angle->a.s[k], 1e-13);
    }
    test_context_end(ctx);
}

static void refused(bl_context *ctx, const bl_model *model, const bl_joint_def *def, const char *param, const char *words) {
    bl_joint_parts made_of;
    bl_context_clear_error(ctx);
    assert_int_equal(bl_joint_make(model, def, &made_of), BL_E_MODEL);
    const bl_error *error = bl_context_error(ctx);
    if (!strstr(error->what, words))
        fail_msg("'%s' should say '%s'", error->what, words);
    assert_non_null(strstr(error->what, def->name));
    assert_string_equal(error->part, def->name);
    assert_string_equal(error->file, "model.yaml");
    assert_int_equal(error->line, 7);
    assert_int_equal(error->column, 1 + test_param(def->kind->kind.params, param));
    assert_true(error->advice[0] != '\0');
}

static void bad_geometry__is_refused_with_place_and_advice(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {4};
    test_model made;
    test_model_init(&made, ctx, 3, &random);

    bl_joint_def hinge = joint_of(&bl_joint_revolute);
    set_vector(&hinge, "at", 0, 0, 0);
    set_vector(&hinge, "axis", 0, 0, 1);
    set_vector(&hinge, "reference", 0, 0, -1);
    refused(ctx, &made.model, &hinge, "reference", "parallel to the axis");
    set_vector(&hinge, "reference", 1, 0, 0);
    set_vector(&hinge, "axis_b", 0, 0.1, -1);
    refused(ctx, &made.model, &hinge, "axis_b", "opposite");
    set_vector(&hinge, "axis_b", 0, 0, 0);
    refused(ctx, &made.model, &hinge, "axis_b", "length zero");

    bl_joint_def cardan = joint_of(&bl_joint_universal);
    set_vector(&cardan, "at", 0, 0, 0);
    set_vector(&cardan, "axis", 0, 0, 1);
    set_vector(&cardan, "axis_b", 1, 0, 0.01);
    refused(ctx, &made.model, &cardan, "axis_b", "perpendicular");

    bl_joint_def rod = joint_of(&bl_joint_rod);
    set_vector(&rod, "at", 1, 2, 3);
    set_vector(&rod, "to", 1, 2, 3);
    refused(ctx, &made.model, &rod, "to", "coincide");
    set_vector(&rod, "to", 1, 2, 4);
    set_number(&rod, "length", 0);
    refused(ctx, &made.model, &rod, "length", "not positive");
    set_number(&rod, "length", NAN);
    refused(ctx, &made.model, &rod, "length", "not positive");

    bl_joint_def gear = joint_of(&bl_joint_gear);
    set_number(&gear, "first", 0)->ref = 2;
    set_number(&gear, "second", 0)->ref = 2;
    set_number(&gear, "ratio", 1);
    refused(ctx, &made.model, &gear, "second", "same variable");
    test_context_end(ctx);
}

/* Components rounded to four digits are still a cross. */
static void universal__accepts_rounded_arms(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {5};
    test_model made;
    test_model_init(&made, ctx, 3, &random);
    bl_joint_def cardan = joint_of(&bl_joint_universal);
    set_vector(&cardan, "at", 0, 0, 0);
    set_vector(&cardan, "axis", 0.5774, 0.5774, 0.5774);
    set_vector(&cardan, "axis_b", 0.7071, -0.7072, 0);
    bl_joint_parts made_of;
    assert_int_equal(bl_joint_make(&made.model, &cardan, &made_of), BL_OK);
    assert_near(find(&made_of, BL_DOT)->value, 0, 0);
    test_context_end(ctx);
}

static void rod__keeps_the_length_given(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {6};
    test_model made;
    test_model_init(&made, ctx, 2, &random);
    bl_joint_def rod = joint_of(&bl_joint_rod);
    bl_joint_parts made_of;
    set_vector(&rod, "at", 0, 0, 0);
    set_vector(&rod, "to", 3, 4, 0);
    assert_int_equal(bl_joint_make(&made.model, &rod, &made_of), BL_OK);
    assert_int_equal(made_of.nprim, 2);
    assert_near(find(&made_of, BL_DISTANCE)->value, 5, 1e-15);
    set_number(&rod, "length", 5.5);
    assert_int_equal(bl_joint_make(&made.model, &rod, &made_of), BL_OK);
    assert_near(find(&made_of, BL_DISTANCE)->value, 5.5, 0);
    set_number(&rod, "free", 1);
    assert_int_equal(bl_joint_make(&made.model, &rod, &made_of), BL_OK);
    assert_int_equal(made_of.nprim, 1);
    assert_int_equal(made_of.prim[0].var[0], 0);
    test_context_end(ctx);
}

static void gear__makes_second_ratio_times_first_plus_offset(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {7};
    test_model made;
    test_model_init(&made, ctx, 3, &random);
    bl_joint_def gear = joint_of(&bl_joint_gear);
    bl_joint_parts made_of;
    double ratio = -1.7, offset = 0.4, x = 0.9;
    set_number(&gear, "first", 0)->ref = 3;
    set_number(&gear, "second", 0)->ref = 5;
    set_number(&gear, "ratio", ratio);
    set_number(&gear, "offset", offset);
    assert_int_equal(bl_joint_make(&made.model, &gear, &made_of), BL_OK);
    assert_int_equal(made_of.nprim, 1);
    const bl_prim *relation = find(&made_of, BL_LINEAR);
    double variable[8] = {[3] = x, [5] = ratio * x + offset}, sum = -relation->value;
    for (int k = 0; k < 3; k++)
        sum += relation->var[k] >= 0 ? relation->coef[k] * variable[relation->var[k]] : 0;
    assert_near(sum, 0, 1e-14);
    assert_true(made_of.picture.relation && made_of.picture.ratio == ratio);
    assert_true(made_of.picture.variable[0] == 3 && made_of.picture.variable[1] == 5);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(screw__advances_by_its_pitch_in_one_turn),
        cmocka_unit_test(revolute__reads_the_angle_between_given_references),
        cmocka_unit_test(rough_models__put_marks_where_the_second_body_is),
        cmocka_unit_test(bad_geometry__is_refused_with_place_and_advice),
        cmocka_unit_test(universal__accepts_rounded_arms),
        cmocka_unit_test(rod__keeps_the_length_given),
        cmocka_unit_test(gear__makes_second_ratio_times_first_plus_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
