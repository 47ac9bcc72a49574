/* Messages of a run about its start and its drivers: laws that cannot be followed, motions without mass, singular configurations; in every
 * kind of coordinates and by every face of the formulations. */
#include "model/model.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
static const bl_run_options settings[] = {{.tolerance = 1e-6}, {.formulation = "lagrange"}, {.integrator = "ndf_auto"}};

static bl_status run(bl_context *ctx, const char *text, const bl_run_options *options) {
    bl_model *model;
    if (bl_model_read_text(ctx, "m.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s: %s", text, bl_context_error(ctx)->what);
    bl_status status = bl_simulate(ctx, model, options, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void expect(const char *what, const char *text, const char *wanted) {
    if (!strstr(text, wanted))
        fail_msg("%s: '%s' says nothing of '%s'", what, text, wanted);
}

/* ---- drivers */

static void write_driven_rod(const char *law, char *text, size_t room) {
    snprintf(text, room,
             "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
             "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
             "drivers: [{name: motor, variable: J.angle, value: \"=%s\"}]\nsimulate: {until: 1}\n",
             law);
}

static void driver__that_cannot_be_followed_is_named(void **state) {
    (void)state;
    static const struct {
        const char *law, *what;
        double t;
    } cases[] = {{"sqrt(t)", "rate is infinite", 0},
                 {"t^0.5", "rate is infinite", 0},
                 {"1/t", "value is infinite", 0},
                 {"log(t)", "value is infinite", 0},
                 {"sqrt(t-0.5)", "value is not a number", 0},
                 {"t^1.5", "second rate", 0},
                 {"asin(2*t)", "value is not a number", 0.5},
                 {"sqrt(0.5-t)", "value is not a number", 0.5}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t c = 0; c < 4; c++) {
            char text[600];
            write_driven_rod(cases[i].law, text, sizeof text);
            bl_run_options options = {.coordinates = kinds[c]};
            assert_int_equal(run(ctx, text, &options), BL_E_NUMERIC);
            const bl_error *e = bl_context_error(ctx);
            expect(cases[i].law, e->what, cases[i].what);
            expect(cases[i].law, e->what, "driver of J.angle ('motor')");
            expect(cases[i].law, e->what, cases[i].law);
            assert_int_equal(e->line, 5);
            assert_true(fabs(e->time - cases[i].t) < 1e-6 && e->advice[0]);
        }
    test_context_end(ctx);
}

/* The rod would turn ever faster: steps follow the pole alone, and the run ends with it, not after millions of turns. Poles that are
 * smoothed out, or behind the end, are none. */
static void driver__that_runs_away_is_named(void **state) {
    (void)state;
    static const struct {
        const char *law;
        bool pole;
    } cases[] = {{"1/(t-0.5)", true},   {"tan(pi*t)", true}, {"1/(0.5-t)^2", true}, {"1/sqrt((t-0.5)^2+1e-4)", false},
                 {"1/(1.01-t)", false}, {"exp(4*t)", false}, {"sin(30*t)", false}};
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t c = 0; c < 4; c++) {
            char text[600];
            write_driven_rod(cases[i].law, text, sizeof text);
            bl_status status = run(ctx, text, &(bl_run_options){.coordinates = kinds[c], .tolerance = 1e-5});
            const bl_error *e = bl_context_error(ctx);
            if (status != (cases[i].pole ? BL_E_NUMERIC : BL_OK))
                fail_msg("%s, %s: %d, %s", cases[i].law, kinds[c], (int)status, e->what);
            if (!cases[i].pole)
                continue;
            expect(cases[i].law, e->what, "driver of J.angle ('motor'): its value tends to infinity at t = 0.5:");
            assert_int_equal(e->line, 5);
            assert_true(e->time > 0.4 && e->time < 0.5 && e->advice[0]);
        }
    test_context_end(ctx);
}

/* ---- motions without mass */

static void rod__without_axial_inertia_is_named_where_it_matters(void **state) {
    (void)state;
    static const char rod[] = "gravity: [0, 0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}]\n"
                              "joints: [{name: J, type: spherical, bodies: [ground, a], at: [0, 0, 0]}]\nsimulate: {until: 0.1}\n";
    static const char couple[] = "bodies:\n- {name: a, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}\n"
                                 "- {name: b, rod: {from: [1, 0, 0], to: [2, 0, 0]}, mass: 1}\njoints:\n"
                                 "- {name: J, type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
                                 "- {name: K, type: universal, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}\n"
                                 "simulate: {until: 0.1}\n";
    static const char point[] = "bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [0, 0, 0]}]\n"
                                "joints: [{name: J, type: spherical, bodies: [ground, a], at: [0, 0, 1]}]\nsimulate: {until: 0.1}\n";
    bl_context *ctx = test_context(NULL);
    for (size_t c = 0; c < 4; c++)
        for (size_t w = 0; w < 3; w++) {
            bl_run_options options = settings[w];
            options.coordinates = kinds[c];
            const bl_error *e = bl_context_error(ctx);
            if (c < 2) { /* a rod on a ball needs no axis of its own there */
                assert_int_equal(run(ctx, rod, &options), BL_OK);
                assert_int_equal(run(ctx, point, &options), BL_OK);
            } else {
                assert_int_equal(run(ctx, rod, &options), BL_E_MODEL);
                expect(kinds[c], e->what, "body 'a' can turn about (1 0 0) without moving any mass");
                expect(kinds[c], e->advice, "axial");
                assert_int_equal(e->line, 2);
                assert_int_equal(run(ctx, point, &options), BL_E_MODEL);
                expect(kinds[c], e->what, "body 'a'");
                expect(kinds[c], e->advice, "inertia");
            }
            assert_int_equal(run(ctx, couple, &options), BL_E_MODEL); /* the cross determines the attitude of both bodies */
            expect(kinds[c], e->what, "can turn about (1 0 0) without moving any mass");
            expect(kinds[c], e->advice, "axial");
        }
    test_context_end(ctx);
}

/* ---- singular starts */

static const char flat[] =
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n- {name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}\n"
    "- {name: b, rod: {from: [1, 0], to: [3, 0]}, mass: 1}\n- {name: c, rod: {from: [2, 0], to: [3, 0]}, mass: 1}\n"
    "joints:\n- {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "- {name: B, type: revolute, bodies: [a, b], at: [1, 0]}\n- {name: C, type: revolute, bodies: [b, c], at: [3, 0]}\n"
    "- {name: D, type: revolute, bodies: [ground, c], at: [2, 0]}\nsimulate: {until: 0.01}\n";

static void flat_parallelogram__is_explained(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (size_t c = 0; c < 4; c++) {
        const bl_warning *warning;
        bl_run_options options = {.coordinates = kinds[c]};
        assert_int_equal(run(ctx, flat, &options), BL_OK);
        assert_true(bl_context_warnings(ctx, &warning, NULL) >= 1);
        expect(kinds[c], warning->text, "starting configuration is singular: 2 degrees of freedom here, 1 nearby");
        expect(kinds[c], warning->text, "'D' are redundant with A, B and C");
        expect(kinds[c], warning->text, "more than one branch");
        assert_string_equal(warning->part, "D");
        options.singular = "refuse";
        assert_int_equal(run(ctx, flat, &options), BL_E_NUMERIC);
        expect(kinds[c], bl_context_error(ctx)->what, "starting configuration is singular");
        assert_string_equal(bl_context_error(ctx)->part, "D");
        assert_true(bl_context_error(ctx)->time == 0 && bl_context_error(ctx)->advice[0]);
    }
    test_context_end(ctx);
}

/* redundant everywhere is not singular: a third crank */
static void redundant_mechanisms__start_without_a_word(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\nbodies:\n- {name: a, rod: {from: [0, 0], to: [0, 1]}, mass: 1}\n"
        "- {name: b, rod: {from: [1, 0], to: [1, 1]}, mass: 1}\n- {name: c, rod: {from: [2, 0], to: [2, 1]}, mass: 1}\n"
        "- {name: d, rod: {from: [0, 1], to: [2, 1]}, mass: 1}\njoints:\n"
        "- {type: revolute, bodies: [ground, a], at: [0, 0]}\n- {type: revolute, bodies: [ground, b], at: [1, 0]}\n"
        "- {type: revolute, bodies: [ground, c], at: [2, 0]}\n- {type: revolute, bodies: [a, d], at: [0, 1]}\n"
        "- {type: revolute, bodies: [b, d], at: [1, 1]}\n- {type: revolute, bodies: [c, d], at: [2, 1]}\n"
        "simulate: {until: 0.1, singular: refuse}\n";
    bl_context *ctx = test_context(NULL);
    for (size_t c = 0; c < 4; c++) {
        const bl_warning *warning;
        bl_run_options options = {.coordinates = kinds[c]};
        assert_int_equal(run(ctx, text, &options), BL_OK);
        assert_int_equal(bl_context_warnings(ctx, &warning, NULL), 0);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driver__that_cannot_be_followed_is_named),
        cmocka_unit_test(driver__that_runs_away_is_named),
        cmocka_unit_test(rod__without_axial_inertia_is_named_where_it_matters),
        cmocka_unit_test(flat_parallelogram__is_explained),
        cmocka_unit_test(redundant_mechanisms__start_without_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
