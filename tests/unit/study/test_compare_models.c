/* Several models in `compare`: differences known by hand, names, undetermined reactions, failures. */
#include "biela/biela.h"
#include "biela/compare.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

typedef struct comparison {
    bl_context *ctx;
    bl_model *model[MOST];
    bl_index n;
    bl_compare_models_report report;
    bl_status status;
} comparison;

static void add_text(comparison *c, const char *name, const char *text) {
    if (bl_model_read_text(c->ctx, name, text, strlen(text), NULL, 0, &c->model[c->n++]) != BL_OK)
        fail_msg("%s: %s", name, bl_context_error(c->ctx)->what);
}

static void compare(comparison *c, const bl_compare_models_options *options) {
    c->report.size = sizeof c->report;
    c->status = bl_compare_models(c->ctx, (const bl_model *const *)c->model, c->n, options, &c->report);
}

static void end(comparison *c) {
    bl_compare_models_report_destroy(c->ctx, &c->report);
    for (bl_index k = 0; k < c->n; k++)
        bl_model_destroy(c->model[k]);
    test_context_end(c->ctx);
}

/* part NULL: any */
static const bl_compared *find(const comparison *c, bl_index model, bl_compared_kind kind, const char *name, const char *part) {
    const bl_compare_models_entry *e = &c->report.entry[model];
    for (bl_index i = 0; i < e->ncompared; i++)
        if (e->compared[i].kind == kind && strcmp(e->compared[i].name, name) == 0 && (!part || strcmp(e->compared[i].part, part) == 0))
            return &e->compared[i];
    fail_msg("%s is not compared", name);
    return NULL;
}

static void expect(const char *what, double value, double exact, double tolerance) {
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

/* ---- differences known by hand */

/* a body of mass m driven along x by s t, seen by a probe, with the quantity x^2 */
#define CART(m, s, more)                                                                                         \
    "dimension: 2\ngravity: [0, -10]\nbodies: [{name: cart, mass: " m ", center: [0, 0], inertia: 1}" more "]\n" \
    "joints: [{name: track, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}]\n"               \
    "drivers: [{variable: track.distance, value: =" s "*t}]\nprobes: {tip: {body: cart, at: [0, 0.5]}}\n"        \
    "quantities: {square: {value: =tip.x^2, unit: m^2}, other: =3*track.distance_rate}\nsimulate: {until: 2}\n"

static void differences__are_those_known_by_hand(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "slow", CART("2", "1", ""));
    add_text(&c, "fast", CART("3", "1.01", ""));
    compare(&c, &(bl_compare_models_options){.agree = 0.03, .agree_reactions = 0.4});
    assert_int_equal(c.status, BL_OK);
    assert_true(c.report.nentry == 2 && c.report.agreed + c.report.disagreed == 1);
    expect("until", c.report.until, 2, 0);
    const bl_compared *q = find(&c, 1, BL_COMPARED_LENGTH, "track.distance", NULL);
    expect("distance", q->difference, 0.02, 1e-9);
    expect("relative", q->relative, 0.01, 1e-9);
    expect("time", q->time, 2, 0);
    q = find(&c, 1, BL_COMPARED_LENGTH, "tip", NULL);
    expect("probe", q->difference, 0.02, 1e-9);
    expect("its scale is the way, not the height", q->scale, 2, 1e-9);
    expect("cart", find(&c, 1, BL_COMPARED_LENGTH, "cart", "position")->difference, 0.02, 1e-9);
    expect("turning", find(&c, 1, BL_COMPARED_ANGLE, "cart", "orientation")->difference, 0, 1e-12);
    q = find(&c, 1, BL_COMPARED_SIGNAL, "square", NULL);
    expect("square", q->difference, 1.01 * 1.01 * 4 - 4, 1e-8);
    assert_string_equal(q->unit, "m^2");
    expect("rate", find(&c, 1, BL_COMPARED_SIGNAL, "other", NULL)->difference, 0.03, 1e-8);
    q = find(&c, 1, BL_COMPARED_FORCE, "track", NULL);
    expect("weight", q->difference, 10, 1e-7);
    expect("share of the weight", q->relative, 0.5, 1e-8);
    /* the forces decide: half of the weight is more than 0.4 */
    assert_int_equal(c.report.entry[1].agreement, BL_DISAGREED);
    assert_non_null(strstr(c.report.entry[1].reason, "track, force differs by 50%"));
    end(&c);
}

static void agreement__is_decided_by_what_is_asked(void **state) {
    (void)state;
    static const struct {
        double agree;
        bl_agreement expected;
    } cases[] = {{0.0202, BL_AGREED}, {0.02, BL_DISAGREED}, {0, BL_DISAGREED}}; /* the square differs by 2.01 %; 0: 1 % */
    for (int k = 0; k < 3; k++) {
        comparison c = {.ctx = test_context(NULL)};
        add_text(&c, "slow", CART("2", "1", ""));
        add_text(&c, "fast", CART("3", "1.01", ""));
        compare(&c, &(bl_compare_models_options){.agree = cases[k].agree}); /* weights are shown only */
        assert_int_equal(c.status, BL_OK);
        assert_int_equal(c.report.entry[1].agreement, cases[k].expected);
        end(&c);
    }
}

static void names_without_partner__are_listed(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    add_text(&c, "two", CART("2", "1", ", {name: extra, mass: 1, center: [5, 0], inertia: 1}"));
    compare(&c, NULL);
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.agreed, 1);
    assert_int_equal(c.report.entry[1].nonly_reference, 0);
    assert_int_equal(c.report.entry[1].nonly_here, 1);
    assert_string_equal(c.report.entry[1].only_here[0], "extra");
    end(&c);
}

static void models_without_common_names__are_refused(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    add_text(&c, "two", "dimension: 2\nbodies: [{name: b, mass: 1, center: [0, 0], inertia: 1}]\nsimulate: {until: 1}\n");
    compare(&c, NULL);
    assert_int_equal(c.status, BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(c.ctx)->what, "no variable, probe, rigid body, signal or joint of the same name"));
    end(&c);
}

static void comparison__ends_with_the_shortest_run(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    add_text(&c, "two", CART("2", "1", "") "events: [{when: track.distance - 1.005, stop: true}]\n");
    compare(&c, &(bl_compare_models_options){.samples = 100});
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.agreed, 1);
    expect("until", c.report.until, 1, 1e-12); /* the last common time before the event */
    end(&c);
}

static void models_that_fail__are_reported(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    add_text(&c, "two", CART("2", "1", "") "closure: 0\n");
    add_text(&c, "three",
             "dimension: 2\nbodies: [{name: cart, mass: 0, center: [0, 0], inertia: 1}]\n"
             "forces: [{type: force, body: cart, at: [0, 0], force: [1, 0]}]\nsimulate: {until: 2}\n");
    compare(&c, NULL);
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.agreed, 1);
    assert_int_equal(c.report.failed, 1);
    assert_int_equal(c.report.entry[2].agreement, BL_AGREEMENT_FAILED);
    assert_true(c.report.entry[2].reason[0] != '\0');
    end(&c);
}

/* A door of 3 kg on two balls: how they share its weight is not determined, the forces across the hinge line are. At the start they are
 * 3 (2 rad/s)^2 0.5 m / 2 = 3 N each for its turning, and 30 N 0.5 m / 1 m = 15 N from its weight: 18 N at the upper ball. */
static void undetermined_reactions__are_left_out(void **state) {
    (void)state;
    static const char *const door = "dimension: 3\ngravity: [0, 0, -10]\ncoordinates: %s\n"
                                    "bodies: [{name: door, mass: 3, center: [0.5, 0, 1], inertia: [1, 1, 1]}]\njoints:\n"
                                    "  - {name: low, type: spherical, bodies: [ground, door], at: [0, 0, 0.5]}\n"
                                    "  - {name: high, type: spherical, bodies: [ground, door], at: [0, 0, 1.5]}\n"
                                    "initial: {door: {angular_velocity: [0, 0, 2]}}\nsimulate: {until: 1}\n";
    comparison c = {.ctx = test_context(NULL)};
    char text[2][800];
    for (int k = 0; k < 2; k++) {
        snprintf(text[k], sizeof text[k], door, k ? "reference" : "natural");
        add_text(&c, k ? "reference" : "natural", text[k]);
    }
    compare(&c, &(bl_compare_models_options){.agree_reactions = 1e-4});
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.entry[0].undetermined, 2);
    assert_int_equal(c.report.entry[1].agreement, BL_AGREED);
    const bl_compared *high = find(&c, 1, BL_COMPARED_FORCE, "high", NULL);
    assert_true(high->scale >= 18 - 1e-9); /* a share of the weight may be in it */
    expect("force of the upper ball", high->difference, 0, 1e-4 * 18);
    end(&c);
}

/* ---- arguments, memory */

static void arguments__are_checked(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    compare(&c, NULL);
    assert_int_equal(c.status, BL_E_ARG); /* one model alone */
    bl_compare_models_report_destroy(c.ctx, &c.report);
    add_text(&c, "two", CART("2", "1", ""));
    compare(&c, &(bl_compare_models_options){.agree = -1});
    assert_int_equal(c.status, BL_E_ARG);
    bl_compare_models_report_destroy(c.ctx, &c.report);
    compare(&c, &(bl_compare_models_options){.run = &(bl_run_options){.integrator = "nonsense"}});
    assert_int_equal(c.status, BL_E_ARG);
    end(&c);
}

static bl_status small_comparison(bl_context *ctx, void *user) {
    bl_compare_models_report report = {.size = sizeof report};
    bl_status status =
        bl_compare_models(ctx, user, 2, &(bl_compare_models_options){.run = &(bl_run_options){.until = 0.1}, .samples = 3}, &report);
    bl_compare_models_report_destroy(ctx, &report);
    if (status == BL_E_ARG)
        print_message("%s\n", bl_context_error(ctx)->what);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_text(&c, "one", CART("2", "1", ""));
    add_text(&c, "two", CART("2", "1", ", {name: extra, mass: 1, center: [5, 0], inertia: 1}"));
    assert_true(test_failing_allocations(small_comparison, c.model) > 100);
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences__are_those_known_by_hand),      cmocka_unit_test(agreement__is_decided_by_what_is_asked),
        cmocka_unit_test(names_without_partner__are_listed),         cmocka_unit_test(models_without_common_names__are_refused),
        cmocka_unit_test(comparison__ends_with_the_shortest_run),    cmocka_unit_test(models_that_fail__are_reported),
        cmocka_unit_test(undetermined_reactions__are_left_out),      cmocka_unit_test(arguments__are_checked),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
