/* Words that people bring from elsewhere are answered with the word that is meant; numbers with units with what to write. */
#include "model/model.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

static const char *advice_of(bl_context *ctx, const char *text) {
    bl_model *model;
    bl_status status = bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model);
    if (status != BL_E_MODEL)
        fail_msg("status %d for: %s", status, text);
    return bl_context_error(ctx)->advice;
}

typedef struct pair {
    const char *word, *meant;
} pair;

/* text has one %s for the word; the advice must have the meaning in quotes */
static void expect(const char *format, const pair *pairs, size_t n) {
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < n; i++) {
        char text[1000], wanted[80];
        snprintf(text, sizeof text, format, pairs[i].word);
        snprintf(wanted, sizeof wanted, "'%s'", pairs[i].meant);
        const char *advice = advice_of(ctx, text);
        if (!strstr(advice, wanted))
            fail_msg("%s: wanted %s, advice '%s' after '%s'", pairs[i].word, wanted, advice, bl_context_error(ctx)->what);
    }
    test_context_end(ctx);
}
#define EXPECT(format, pairs) expect(format, pairs, sizeof pairs / sizeof *pairs)
#define BODY "dimension: 2\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
#define JOINT "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"

static void joints__are_found_by_their_other_names(void **state) {
    (void)state;
    static const pair types[] = {{"hinge", "revolute"},       {"pin", "revolute"},         {"Pivot", "revolute"},
                                 {"slider", "prismatic"},     {"sliding", "prismatic"},    {"ball", "spherical"},
                                 {"ball_joint", "spherical"}, {"ball-joint", "spherical"}, {"socket", "spherical"},
                                 {"weld", "fixed"},           {"rigid", "fixed"},          {"cardan", "universal"},
                                 {"helical", "screw"},        {"cylinder", "cylindrical"}, {"link", "rod"},
                                 {"revolut", "revolute"}};
    EXPECT(BODY "joints: [{name: J, type: %s, bodies: [ground, a], at: [0, 0]}]\n", types);
    static const pair bodies[] = {{"world", "ground"}, {"base", "ground"},  {"fixed", "ground"},
                                  {"frame", "ground"}, {"earth", "ground"}, {"Ground", "ground"}};
    EXPECT(BODY "joints: [{name: J, type: revolute, bodies: [%s, a], at: [0, 0]}]\n", bodies);
    static const pair places[] = {{"position", "at"}, {"location", "at"}, {"anchor", "at"}, {"point", "at"}};
    EXPECT(BODY "joints: [{name: J, type: revolute, bodies: [ground, a], %s: [0, 0]}]\n", places);
    static const pair between[] = {{"connects", "bodies"}, {"body", "bodies"}, {"links", "bodies"}, {"between", "bodies"}};
    EXPECT(BODY "joints: [{name: J, type: revolute, %s: [ground, a], at: [0, 0]}]\n", between);
}

static void sections_and_settings__are_found_by_their_other_names(void **state) {
    (void)state;
    static const pair top[] = {{"motors", "drivers"},
                               {"motor", "drivers"},
                               {"actuators", "drivers"},
                               {"links", "bodies"},
                               {"constraints", "joints"},
                               {"loads", "forces"},
                               {"springs", "forces"},
                               {"g", "gravity"},
                               {"params", "parameters"},
                               {"title", "model"},
                               {"until", "simulate"},
                               {"duration", "simulate"},
                               {"initial_conditions", "initial"}};
    EXPECT(BODY JOINT "%s: 3\n", top);
    static const pair simulate[] = {{"duration", "until"},    {"time", "until"},     {"end", "until"},     {"t_end", "until"},
                                    {"tol", "tolerance"},     {"rtol", "tolerance"}, {"atol", "absolute"}, {"dt", "step"},
                                    {"method", "integrator"}, {"interval", "every"}};
    EXPECT(BODY JOINT "simulate: {until: 1, %s: 1}\n", simulate);
    static const pair driver[] = {{"joint", "variable"}, {"motor", "variable"}};
    EXPECT(BODY JOINT "drivers: [{%s: J.angle, value: 3}]\n", driver);
    static const pair value[] = {{"speed", "value"}, {"law", "value"}, {"function", "value"}};
    EXPECT(BODY JOINT "drivers: [{variable: J.angle, %s: 3}]\n", value);
    static const pair variable[] = {{"J", "J.angle"}, {"J.theta", "J.angle"}, {"J.position", "J.angle"}, {"J.angel", "J.angle"}};
    EXPECT(BODY JOINT "drivers: [{variable: %s, value: 3}]\n", variable);
    static const pair rate[] = {{"J.speed", "J.rate"}, {"J.omega", "J.rate"}, {"J.velocity", "J.rate"}};
    EXPECT(BODY JOINT "initial: {%s: 3}\n", rate);
}

static void bodies_and_forces__are_found_by_their_other_names(void **state) {
    (void)state;
    static const pair body[] = {{"weight", "mass"}, {"com", "center"}, {"centre", "center"}, {"moment_of_inertia", "inertia"},
                                {"id", "name"},     {"bar", "rod"},    {"circle", "disc"}};
    EXPECT("dimension: 2\nbodies: [{%s: 1}]\n", body);
    static const pair force[] = {{"servo", "motor"}, {"actuator", "torque"}, {"damper", "spring"}, {"torsion_spring", "rotational_spring"},
                                 {"load", "force"},  {"moment", "torque"}};
    EXPECT(BODY JOINT "forces: [{type: %s}]\n", force);
    static const pair friction[] = {{"mu", "coefficient"}, {"friction_coefficient", "coefficient"}};
    EXPECT(BODY JOINT "forces: [{type: joint_friction, joint: J, radius: 1, %s: 0.1}]\n", friction);
    static const pair spring[] = {{"k", "stiffness"}, {"c", "damping"}, {"rest_length", "length"}, {"l0", "length"}};
    EXPECT(BODY JOINT "forces: [{type: spring, bodies: [ground, a], at: [2, 0], to: [1, 0], %s: 1}]\n", spring);
}

static void numbers__with_units_are_answered_with_what_to_write(void **state) {
    (void)state;
    static const pair numbers[] = {
        {"30 deg", "=30*deg"}, {"30deg", "=30*deg"}, {"90\xc2\xb0", "=90*deg"},   {"45 degrees", "=45*deg"},  {"10 mm", "=10*mm"},
        {"10 rpm", "=10*rpm"}, {"10 cm", "=10/100"}, {"-1.5e3 mm", "=-1.5e3*mm"}, {"5 m", "write 5:"},        {"3 kg", "write 3:"},
        {"'1,5'", "1.5"},      {"1,5", "1.5"},       {"1_000", "write 1000"},     {"2*pi", "begin with '='"}, {"=30 deg", "'*'"},
        {"=2pi", "'*'"},       {"7 furlong", "SI"}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[600];
        snprintf(text, sizeof text, BODY JOINT "initial: {J.angle: %s}\n", numbers[i].word);
        const char *advice = advice_of(ctx, text);
        if (!strstr(advice, numbers[i].meant))
            fail_msg("%s: wanted %s, advice '%s'", numbers[i].word, numbers[i].meant, advice);
    }
    test_context_end(ctx);
}

/* a word that is far from everything gets no nearest word that would mislead */
static void strange_words__get_no_nearest_word(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    assert_string_equal(advice_of(ctx, BODY JOINT "initial: {QQ: 3}\n"), "known names: 'J.angle', 'J.angle_rate', 'J.rate', 'a', 'ground'");
    assert_string_equal(advice_of(ctx, BODY JOINT "zzzzzz: 3\n"), "");
    test_context_end(ctx);
}

/* ---- limits of tolerances and steps, in the file and as options */

static void settings__that_cannot_be_meant_are_refused_with_their_position(void **state) {
    (void)state;
    static const struct {
        const char *setting, *what;
    } bad[] = {{"tolerance: 1e9", "between 1e-14 and 0.1"},
               {"tolerance: 1e-15", "between 1e-14 and 0.1"},
               {"tolerance: 0", "positive"},
               {"tolerance: -1", "positive"},
               {"tolerance: .nan", "finite"},
               {"absolute: 1e30", "too large to control the error"},
               {"absolute: 0", "positive"},
               {"step: 100", "longer than the time"},
               {"step: 1e-20", "too small to advance the time"},
               {"step: -1", "positive"},
               {"every: 1e-20", "outputs"},
               {"every: 0", "positive"}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[600];
        snprintf(text, sizeof text, BODY JOINT "simulate: {until: 1, %s}\n", bad[i].setting);
        advice_of(ctx, text);
        const bl_error *e = bl_context_error(ctx);
        if (!strstr(e->what, bad[i].what) || e->line != 4 || e->column < 23)
            fail_msg("%s: %d:%d %s", bad[i].setting, e->line, e->column, e->what);
    }
    bl_model *model;
    static const char text[] = BODY JOINT "simulate: {until: 1, step: 0.01}\n";
    assert_int_equal(bl_model_read_text(ctx, "m", text, strlen(text), NULL, 0, &model), BL_OK);
    const struct {
        bl_run_options options;
        const char *what;
    } asked[] = {{{.tolerance = 1e9}, "between"},
                 {{.tolerance = 1e-15}, "between"},
                 {{.absolute = 1e30}, "too large to control the error"},
                 {{.step = 1e-20}, "too small to advance the time"},
                 {{.until = 1, .step = 2}, "longer"},
                 {{.every = 1e-20}, "outputs"}};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_int_equal(bl_simulate(ctx, model, &asked[i].options, NULL, 0, NULL), BL_E_ARG);
        if (!strstr(bl_context_error(ctx)->what, asked[i].what))
            fail_msg("%zu: %s", i, bl_context_error(ctx)->what);
    }
    bl_run_options shorter = {.until = 0.001}; /* than the step of the model: cut, not refused */
    assert_int_equal(bl_simulate(ctx, model, &shorter, NULL, 0, NULL), BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints__are_found_by_their_other_names),
        cmocka_unit_test(sections_and_settings__are_found_by_their_other_names),
        cmocka_unit_test(bodies_and_forces__are_found_by_their_other_names),
        cmocka_unit_test(numbers__with_units_are_answered_with_what_to_write),
        cmocka_unit_test(strange_words__get_no_nearest_word),
        cmocka_unit_test(settings__that_cannot_be_meant_are_refused_with_their_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
