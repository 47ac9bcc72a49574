/* The study `compare`: combinations that agree, answers that are wrong and are caught, refusals with a reason, what redundant constraints
 * leave undetermined. */
#include "biela/biela.h"
#include "formulation/formulation.h"
#include "integrate/integrate.h"
#include "study/compare_private.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_model *read_scene(bl_context *ctx, const char *name) {
    char path[512];
    bl_model *model;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, name);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    return model;
}

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "test", text, strlen(text), NULL, 0, &model), BL_OK);
    return model;
}

static const bl_compare_entry *find(const bl_compare_report *report, const char *formulation, const char *integrator) {
    for (bl_index i = 0; i < report->nentry; i++) {
        const bl_compare_entry *e = &report->entry[i];
        if ((!formulation || strcmp(e->formulation, formulation) == 0) && (!integrator || strcmp(e->integrator, integrator) == 0))
            return e;
    }
    return NULL;
}

/* none disagrees; those not compared have a reason */
static void expect_agreement(const bl_compare_report *report) {
    for (bl_index i = 0; i < report->nentry; i++) {
        const bl_compare_entry *e = &report->entry[i];
        if (e->agreement == BL_DISAGREED || e->agreement == BL_AGREEMENT_FAILED)
            print_error("%s, %s, %s: %s\n", e->coordinates, e->formulation, e->integrator, e->reason);
        assert_int_not_equal(e->agreement, BL_DISAGREED);
        assert_int_not_equal(e->agreement, BL_AGREEMENT_FAILED);
        assert_true((e->agreement == BL_AGREED) == (e->reason[0] == '\0'));
        if (e->agreement == BL_AGREED)
            assert_true(e->trajectory <= e->allowed && e->steps > 0 && !(e->reactions > e->allowed_reactions));
        /* fixed steps may be off by their own estimate, others may not */
        assert_true(e->allowed >= report->allowed && e->allowed <= 1e-2 && (e->step > 0 || e->allowed == report->allowed));
    }
    assert_int_equal(report->disagreed + report->failed, 0);
    assert_int_equal(report->agreed + report->skipped + report->refused + report->failed, report->nentry);
}

static void mechanism__every_axis_agrees(void **state) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, *state);
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 0.5, .tolerance = 1e-4, .limit = 60};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    expect_agreement(&report);
    /* every kind was tried, whatever the lists hold today */
    for (size_t i = 0; i < bl_formulation_kind_count; i++)
        assert_non_null(find(&report, bl_formulation_kinds[i]->kind.name, NULL));
    for (size_t i = 0; i < bl_integrator_kind_count; i++)
        assert_non_null(find(&report, NULL, bl_integrator_kinds[i]->kind.name));
    assert_true(report.agreed > 25);
    assert_non_null(report.check);
    assert_true(report.sensitivity >= 1 && report.allowed >= 10 * report.tolerance && report.allowed <= 1e-2);
    assert_true(report.allowed_reactions >= 10 * report.tolerance);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void coarse_step__is_a_disagreement(void **unused) {
    (void)unused;
    static const char *const tried[] = {"trapezoidal", "dop853"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "pendulum");
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 1,
                                  .tolerance = 1e-4,
                                  .step = 0.1,
                                  .limit = 60,
                                  .integrators_tried = tried,
                                  .nintegrators_tried = 2,
                                  .formulation = "lagrange"};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    const bl_compare_entry *wrong = find(&report, "lagrange", "trapezoidal"), *right = find(&report, "lagrange", "dop853");
    assert_int_equal(wrong->agreement, BL_DISAGREED);
    assert_true(wrong->trajectory > report.allowed && wrong->step == 0.1);
    assert_non_null(strstr(wrong->reason, "the motion differs by"));
    assert_int_equal(right->agreement, BL_AGREED);
    assert_int_equal(report.disagreed, 1);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void refusals__have_the_words_of_the_library(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"plain", "index3"}, *const integrators[] = {"dopri45", "newmark", "nothing"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "pendulum");
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 0.2,
                                  .tolerance = 1e-3,
                                  .limit = 60,
                                  .all = true,
                                  .formulations_tried = formulations,
                                  .nformulations_tried = 2,
                                  .integrators_tried = integrators,
                                  .nintegrators_tried = 3};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    assert_int_equal(report.nentry, 4 * 3 * 3); /* coordinates; partition is the middle; so is dopri45 */
    assert_non_null(strstr(find(&report, "plain", "dopri45")->reason, "needs a system without constraints"));
    assert_non_null(strstr(find(&report, "index3", "dopri45")->reason, "integrator dopri45 needs the rate"));
    assert_non_null(strstr(find(&report, "partition", "newmark")->reason, "needs the equations of motion themselves"));
    assert_non_null(strstr(find(&report, "partition", "nothing")->reason, "there is no integrator 'nothing'"));
    assert_int_equal(find(&report, "plain", "dopri45")->agreement, BL_REFUSED);
    assert_int_equal(find(&report, "index3", "newmark")->agreement, BL_AGREED);
    bl_compare_report_destroy(ctx, &report);
    /* as the middle an unknown word is a mistake of the call */
    options = (bl_compare_options){.until = 0.2, .integrator = "nothing"};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "there is no integrator 'nothing'"));
    bl_compare_report_destroy(ctx, &report);
    options = (bl_compare_options){.until = 0.2, .limit = -1};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_E_ARG);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void limit__skips_what_would_take_too_long(void **unused) {
    (void)unused;
    static const char *const tried[] = {"bdf:1"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "pendulum");
    bl_compare_report report = {0};
    /* order 1 over 85 periods: 1e7 steps leave an error of 1 % */
    bl_compare_options options = {.until = 200, .tolerance = 1e-6, .limit = 0.5, .integrators_tried = tried, .nintegrators_tried = 1};
    options.formulations_tried = (const char *const[]){"lagrange"};
    options.nformulations_tried = 1;
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    const bl_compare_entry *e = find(&report, NULL, "bdf:1");
    assert_int_equal(e->agreement, BL_SKIPPED);
    assert_non_null(strstr(e->reason, "exceeded its time limit of 0.5 s"));
    bl_compare_report_destroy(ctx, &report);
    options.limit = 1e-9;
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_E_NUMERIC);
    assert_non_null(strstr(bl_context_error(ctx)->what, "the reference run"));
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void sensitive_motion__is_not_judged(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "double_pendulum");
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 60, .tolerance = 1e-2, .limit = 60}; /* chaotic: 60 s lose all digits of 1e-4 */
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_E_NUMERIC);
    assert_non_null(strstr(bl_context_error(ctx)->what, "two runs at tolerance"));
    assert_int_equal(report.nentry, 0);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- models without bodies, events */

static void expect_text_agrees(const char *text, double until, bl_index least) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, text);
    bl_compare_report report = {0};
    assert_int_equal(bl_compare(ctx, model, &(bl_compare_options){.tolerance = 1e-4, .limit = 60}, &report), BL_OK);
    expect_agreement(&report);
    assert_true(report.agreed >= least);
    assert_true(fabs(report.until - until) < 1e-4 * until);
    assert_int_equal(report.joints_undetermined + report.joints_partial, 0);
    if (report.joints == 0)
        assert_true(isnan(report.allowed_reactions) && isnan(report.entry[0].reactions));
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void equations_and_matrices__agree_without_reactions(void **unused) {
    (void)unused;
    expect_text_agrees("equations:\n  states: [{name: x, start: 1, acceleration: =-x}, {name: y, start: 0, rate: =x - y}]\n"
                       "simulate: {until: 2}\n",
                       2, 15);
    expect_text_agrees("matrices: {M: [[2, 0], [0, 1]], K: [[6, -2], [-2, 4]], initial: {positions: [1, 0]}}\nsimulate: {until: 2}\n", 2,
                       25);
}

/* a quarter of the period of scenes/pendulum.yaml: K(1/2) / sqrt(g) */
static void event__ends_all_at_the_same_time(void **unused) {
    (void)unused;
    expect_text_agrees(
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}], carry: [{point: [-1, 0]}]}]\n"
        "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0]}]\n"
        "probes: {P: {body: bob, at: [-1, 0]}}\nsimulate: {until: 1, stop: P.x}\n",
        0.5919604869, 25);
}

/* ---- reactions that are not determined */

static const char three_cranks[] = "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                                   "  - {name: a, rod: {from: [0, 0], to: [0, 1]}, mass: 1}\n"
                                   "  - {name: b, rod: {from: [1, 0], to: [1, 1]}, mass: 1}\n"
                                   "  - {name: c, rod: {from: [2, 0], to: [2, 1]}, mass: 1}\n"
                                   "  - {name: beam, rod: {from: [0, 1], to: [2, 1]}, mass: 1}\n"
                                   "joints:\n"
                                   "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                   "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                                   "  - {name: C, type: revolute, bodies: [ground, c], at: [2, 0]}\n"
                                   "  - {name: A1, type: revolute, bodies: [a, beam], at: [0, 1]}\n"
                                   "  - {name: B1, type: revolute, bodies: [b, beam], at: [1, 1]}\n"
                                   "  - {name: C1, type: revolute, bodies: [c, beam], at: [2, 1]}\n"
                                   "initial: {A.rate: 1}\nsimulate: {until: 0.5}\n";

/* Three parallel rods carry a beam: pulled at the middle one and pushed at the others along the rods, nothing moves. So each of the six
 * hinges has one direction that is not determined, along its crank; across it the forces are. */
static void third_crank__leaves_forces_along_the_cranks_out(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, three_cranks);
    double time[] = {0};
    bl_measure m;
    bl_record r = {.n = 1};
    bl_measure_layout(ctx, model, time, 1, 1, &m);
    assert_int_equal(bl_record_create(ctx, &m, &r), BL_OK);
    static const double center[4][2] = {{0, 0.5}, {1, 0.5}, {2, 0.5}, {1, 1}};
    for (int i = 0; i < 4; i++) {
        r.row[7 * i] = center[i][0];
        r.row[7 * i + 1] = center[i][1];
        r.row[7 * i + 3] = 1;
    }
    for (int j = 0; j < 6; j++)
        r.row[m.width - 6 * (6 - j)] = 1; /* some force */
    assert_int_equal(bl_measure_scales(&m, &r, NULL), BL_OK);
    assert_int_equal(bl_measure_determined(&m, &r), BL_OK);
    assert_int_equal(m.partial, 6);
    assert_int_equal(m.undetermined, 0);
    for (int j = 0; j < 6; j++) {
        assert_int_equal(m.left_out[j], 1);
        assert_true(fabs(fabs(m.direction[36 * j + 1]) - 1) < 1e-12);
    }
    /* moved along the crank: the same; across: not */
    bl_record other = {.n = 1};
    bl_difference d;
    assert_int_equal(bl_record_create(ctx, &m, &other), BL_OK);
    memcpy(other.row, r.row, (size_t)m.width * sizeof(double));
    other.row[m.width - 36 + 1] = 5;
    bl_record_compare(&m, &r, &other, &d);
    assert_true(d.reactions < 1e-12 && d.trajectory == 0);
    other.row[m.width - 36] = 1.5;
    bl_record_compare(&m, &r, &other, &d);
    assert_true(fabs(d.reactions - 0.5) < 1e-12);
    assert_string_equal(d.worst_joint, "A");
    bl_record_destroy(ctx, &r);
    bl_record_destroy(ctx, &other);
    bl_measure_destroy(&m);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void redundant_mechanism__agrees_in_what_is_determined(void **unused) {
    (void)unused;
    static const char *const tried[] = {"dop853", "genalpha", "ndf_auto"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, three_cranks);
    bl_compare_report report = {0};
    bl_compare_options options = {.tolerance = 1e-4, .limit = 60, .integrators_tried = tried, .nintegrators_tried = 3};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    expect_agreement(&report);
    assert_int_equal(report.joints_partial, 6);
    assert_false(isnan(report.allowed_reactions));
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- the end */

typedef struct stopper {
    bl_context *ctx;
    bl_index after;
} stopper;

static void stop_after(void *user, bl_index done, bl_index total, const char *combination) {
    stopper *s = user;
    assert_non_null(combination);
    if (total > 0 && done == s->after)
        bl_context_stop(s->ctx);
}

static void stop_request__keeps_what_was_compared(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "pendulum");
    bl_compare_report report = {0};
    stopper s = {ctx, 2};
    bl_compare_options options = {.until = 0.5, .tolerance = 1e-4, .limit = 60, .progress = stop_after, .progress_user = &s};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_STOPPED);
    assert_int_equal(report.nentry, 2);
    expect_agreement(&report);
    bl_compare_report_destroy(ctx, &report);
    /* before anything: nothing is there, nothing leaks */
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_STOPPED);
    assert_int_equal(report.nentry, 0);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* The word `all` varies its axis and no other: coordinates in all forms with the default formulation of each, or the given one. */
static void all__varies_one_axis(void **unused) {
    (void)unused;
    static const char *const forms[] = {"natural",          "natural:switching", "mixed",   "mixed:switching", "reference",
                                        "reference:matrix", "reference:angles",  "relative"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "double_pendulum");
    bl_compare_report report = {0};
    for (int given = 0; given < 2; given++) {
        bl_compare_options options = {.coordinates = "all", .formulation = given ? "lagrange" : NULL, .until = 0.2, .tolerance = 1e-5};
        assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
        assert_int_equal(report.nentry, 8);
        assert_int_equal(report.agreed, 8);
        for (int i = 0; i < 8; i++) {
            assert_string_equal(report.entry[i].coordinates, forms[i]);
            if (given || i == 0 || i == 7) /* without a given formulation the others choose their own */
                assert_string_equal(report.entry[i].formulation, given ? "lagrange" : i == 7 ? "direct" : "partition");
            assert_string_equal(report.entry[i].integrator, "dopri45");
        }
        bl_compare_report_destroy(ctx, &report);
    }
    bl_compare_options options = {.formulation = "all", .until = 0.2, .tolerance = 1e-5};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    assert_int_equal(report.nentry, bl_formulation_kind_count);
    for (bl_index i = 0; i < report.nentry; i++)
        assert_string_equal(report.entry[i].coordinates, "natural");
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* Two motions with the same configurations: the largest speed is 5 m/s over an extent of 3 m, the largest turning 4 rad/s. */
static void velocities__are_measured_by_the_largest(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, "bodies: [{name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n");
    double time[2] = {0, 1};
    for (int off = 0; off < 3; off++) {
        bl_measure measure;
        bl_record record[2] = {{0}, {0}};
        bl_difference d;
        bl_measure_layout(ctx, model, time, 2, 1, &measure);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(bl_record_create(ctx, &measure, &record[r]), BL_OK);
            for (int k = 0; k < 2; k++) {
                bl_pose pose = {.position = {3 * k, 0, 0}, .quaternion = {1}, .velocity = {3, 4 * k, 0}, .angular_velocity = {0, 0, 4 * k}};
                pose.velocity[2] = r && off == 1 ? 0.12 : 0; /* of 4 rad/s x 3 m */
                pose.angular_velocity[0] = r && off == 2 ? 0.2 : 0;
                bl_record_take(&measure, &(bl_sample){.t = time[k], .body = &pose}, &record[r]);
            }
        }
        assert_int_equal(bl_measure_scales(&measure, &record[0], NULL), BL_OK);
        bl_record_compare(&measure, &record[0], &record[1], &d);
        assert_float_equal(d.trajectory, off == 0 ? 0 : off == 1 ? 0.01 : 0.05, 1e-12);
        bl_record_destroy(ctx, &record[0]);
        bl_record_destroy(ctx, &record[1]);
        bl_measure_destroy(&measure);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status all_coordinates(bl_context *ctx, void *user) {
    bl_compare_report report = {0};
    bl_compare_options options = {.coordinates = "all", .until = 0.05, .tolerance = 1e-2, .limit = 60};
    bl_status status = bl_compare(ctx, user, &options, &report);
    assert_true(status != BL_OK || report.agreed == 8);
    bl_compare_report_destroy(ctx, &report);
    return status;
}

static bl_status small_comparison(bl_context *ctx, void *user) {
    static const char *const formulations[] = {"lagrange"}, *const integrators[] = {"rk4"}, *const coordinates[] = {"natural"};
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 0.05,
                                  .tolerance = 1e-2,
                                  .limit = 60,
                                  .coordinates_tried = coordinates,
                                  .ncoordinates_tried = 1,
                                  .formulations_tried = formulations,
                                  .nformulations_tried = 1,
                                  .integrators_tried = integrators,
                                  .nintegrators_tried = 1};
    bl_status status = bl_compare(ctx, user, &options, &report);
    assert_true(status != BL_OK || report.agreed == 3);
    bl_compare_report_destroy(ctx, &report);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bar, rod: {from: [0,0], to: [1,0]}, mass: 3}]\n"
                                     "joints: [{name: j, type: revolute, bodies: [ground, bar], at: [0,0]}]\n");
    assert_true(test_failing_allocations(small_comparison, model) > 100);
    assert_true(test_failing_once(small_comparison, model) > 100);
    assert_true(test_failing_once(all_coordinates, model) > 100);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"pendulum__every_axis_agrees", mechanism__every_axis_agrees, NULL, NULL, "pendulum"},
        {"four_bar__every_axis_agrees", mechanism__every_axis_agrees, NULL, NULL, "four_bar"},
        {"slider_crank__every_axis_agrees", mechanism__every_axis_agrees, NULL, NULL, "slider_crank"},
        cmocka_unit_test(coarse_step__is_a_disagreement),
        cmocka_unit_test(refusals__have_the_words_of_the_library),
        cmocka_unit_test(limit__skips_what_would_take_too_long),
        cmocka_unit_test(sensitive_motion__is_not_judged),
        cmocka_unit_test(equations_and_matrices__agree_without_reactions),
        cmocka_unit_test(event__ends_all_at_the_same_time),
        cmocka_unit_test(third_crank__leaves_forces_along_the_cranks_out),
        cmocka_unit_test(redundant_mechanism__agrees_in_what_is_determined),
        cmocka_unit_test(stop_request__keeps_what_was_compared),
        cmocka_unit_test(all__varies_one_axis),
        cmocka_unit_test(velocities__are_measured_by_the_largest),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
