/* The study `kinematics`: what it hands to the sinks, what it keeps after a failure, what it refuses and how, and its memory. */
#include "support/driven.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- a sink that checks samples */

typedef struct watcher {
    bl_run_info info;
    long samples, progress;
    double first, last, quaternion[4], jump, A, B, probe_error;
    long stop_after; /* 0: never */
    bl_context *ctx;
    bool ended;
    double largest_drift;
} watcher;

static bl_status begin(void *user, const bl_run_info *info) {
    ((watcher *)user)->info = *info;
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *s) {
    watcher *w = user;
    if (w->samples == 0)
        w->first = s->t;
    else
        for (int i = 0; i < 4; i++)
            w->jump = fmax(w->jump, fabs(s->body[0].quaternion[i] - w->quaternion[i]));
    memcpy(w->quaternion, s->body[0].quaternion, sizeof w->quaternion);
    w->last = s->t;
    w->samples++;
    w->A = s->variable[0];
    w->B = s->variable[1];
    w->largest_drift = fmax(w->largest_drift, s->drift);
    assert_null(s->reaction);
    assert_true(isnan(s->kinetic));
    assert_non_null(s->acceleration);
    if (w->info.nprobe == 1) { /* end of the crank: (0, 0.2) turned by 2 pi t */
        double c = 2 * pi * s->t, r = 0.2, wv = 2 * pi;
        const double exact[9] = {-r * sin(c),           r * cos(c), 0, -r * wv * cos(c), -r * wv * sin(c), 0, r * wv * wv * sin(c),
                                 -r * wv * wv * cos(c), 0};
        for (int i = 0; i < 3; i++) {
            w->probe_error = fmax(w->probe_error, fabs(s->probe[i] - exact[i]));
            w->probe_error = fmax(w->probe_error, fabs(s->probe_rate[i] - exact[3 + i]));
            w->probe_error = fmax(w->probe_error, fabs(s->probe_acceleration[i] - exact[6 + i]));
        }
    }
    if (w->stop_after && w->samples == w->stop_after)
        bl_context_stop(w->ctx);
    return BL_OK;
}

static void progress(void *user, double t, double until, double wall) {
    (void)t, (void)until, (void)wall;
    ((watcher *)user)->progress++;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    (void)summary;
    ((watcher *)user)->ended = true;
    return BL_OK;
}

static bl_sink sink_of(watcher *w) { return (bl_sink){.user = w, .begin = begin, .sample = take_sample, .progress = progress, .end = end}; }

#define FOUR_BAR                                                                                                                        \
    "model: four-bar\ndimension: 2\npoints: {A: [0,0], B: [0,0.2], C: [0.41,0.48], D: [0.5,0]}\nbodies:\n"                              \
    "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"                        \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}\njoints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"    \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\nprobes: {P: {body: crank, at: B}}\n"

static const char driven[] = FOUR_BAR "drivers: [{variable: A.angle, value: =2*pi*t}]\nsimulate: {until: 3}\n";

static void study__hands_out_all_rates_and_counts_turns(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, driven);
    watcher w = {.ctx = ctx};
    bl_sink sink = sink_of(&w);
    bl_run_summary summary = {0};
    bl_kinematics_summary count = {0};
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, NULL, &sink, 1, &summary, &count), BL_OK);
    assert_int_equal(w.samples, 201); /* until 3 by the model, 200 intervals by default */
    assert_true(w.first == 0 && w.last == 3 && summary.t == 3 && w.ended);
    assert_true(w.info.accelerations && !w.info.reactions);
    assert_true(w.A == 6 * pi); /* the driver's own number */
    assert_true(fabs(w.B + 6 * pi) < 1e-12);
    assert_true(w.jump < 0.1);           /* quaternions do not change their sign: half of 6 pi / 200 */
    assert_true(w.quaternion[0] < -0.9); /* three turns */
    assert_true(w.probe_error < 1e-12);
    assert_true(w.largest_drift < 1e-14 && summary.largest_drift == w.largest_drift);
    assert_int_equal(count.ngroup, 2);
    assert_int_equal(count.nclosed, 2);
    assert_int_equal(summary.steps, count.positions);
    assert_true(isnan(summary.largest_energy_error));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void output_times__are_those_of_the_call(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, driven);
    const double at[] = {0.25, 7.125, 9};
    watcher w = {.ctx = ctx};
    bl_sink sink = sink_of(&w);
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, &(bl_run_options){.until = 9, .at = at, .nat = 3}, &sink, 1, NULL, NULL), BL_OK);
    assert_int_equal(w.samples, 3);
    assert_true(w.first == 0.25 && w.last == 9);
    assert_true(fabs(w.B + 18 * pi) < 1e-11); /* turns between the outputs count */
    watcher v = {.ctx = ctx};
    sink = sink_of(&v);
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, &(bl_run_options){.until = 1, .every = 0.3}, &sink, 1, NULL, NULL), BL_OK);
    assert_int_equal(v.samples, 5);
    assert_true(v.last == 1);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void stop_request__ends_with_what_was_computed(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, driven);
    watcher w = {.ctx = ctx, .stop_after = 7};
    bl_sink sink = sink_of(&w);
    bl_run_summary summary = {0};
    bl_kinematics_study(ctx, model, NULL, NULL, &sink, 1, &summary, NULL);
    assert_int_equal(summary.status, BL_STOPPED);
    assert_int_equal(w.samples, 7);
    assert_true(w.ended);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* a motion of 1e9 turns would take minutes */
static void stop_request__ends_a_long_motion(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, FOUR_BAR "drivers: [{variable: A.angle, value: =2*pi*t}]\n");
    bl_kinematics *k = driven_begin(ctx, model, NULL, true);
    driven_at(ctx, k, 1, BL_POSITIONS);
    bl_context_stop(ctx);
    assert_int_equal(bl_kinematics_at(k, 1e9, BL_POSITIONS), BL_STOPPED);
    double out[3];
    bl_kinematics_variable(k, bl_model_variable(model, "A.angle"), out);
    assert_true(out[0] == 2 * pi); /* it stays where it was */
    bl_kinematics_destroy(k);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the crank angle grows beyond what the stretched dyad allows */
static void failure__keeps_what_was_computed_and_the_last_configuration(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(
        ctx,
        "model: x\ndimension: 2\npoints: {A: [0,0], B: [0.3,0], C: [0.7,0.3], D: [0.9,0]}\nbodies:\n"
        "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
        "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
        "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
        "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\ndrivers: [{variable: A.angle, value: =t^2}]\n");
    double reach = 0.5 + hypot(0.2, 0.3), exact = sqrt(acos((0.3 * 0.3 + 0.9 * 0.9 - reach * reach) / (2 * 0.3 * 0.9)));
    watcher w = {.ctx = ctx};
    bl_sink sink = sink_of(&w);
    bl_run_summary summary = {0};
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, &(bl_run_options){.until = 3, .every = 0.1}, &sink, 1, &summary, NULL),
                     BL_E_NUMERIC);
    assert_int_equal(w.samples, (long)floor(exact / 0.1) + 2); /* those before, and the last good configuration */
    assert_true(fabs(w.last - exact) < 1e-12 && fabs(summary.t - exact) < 1e-12);
    assert_true(w.ended && w.largest_drift < 1e-12);
    const bl_error *error = bl_context_error(ctx);
    assert_true(fabs(error->time - exact) < 1e-12);
    assert_string_equal(error->part, "C");
    assert_non_null(strstr(error->what, "dyad RRR {coupler, rocker} cannot close at t = "));
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- refusals */

static bl_status refused(bl_context *ctx, const char *text, const char *solver) {
    bl_model *model = driven_text(ctx, text);
    bl_kinematics *k = NULL;
    bl_status status = bl_kinematics_create(ctx, model, &(bl_kinematics_options){.solver = solver}, &k);
    bl_kinematics_destroy(k);
    bl_model_destroy(model);
    return status;
}

static void wrong_requests__are_refused_with_a_reason(void **state) {
    (void)state;
    const struct {
        const char *text, *solver;
        bl_status status;
        const char *what, *advice;
    } cases[] = {
        {driven, "grups", BL_E_ARG, "unknown kinematics solver 'grups'", "groups"},
        {FOUR_BAR, NULL, BL_E_ABILITY, "the drivers do not determine the motion", "add drivers"},
        {FOUR_BAR "drivers: [{variable: A.angle, value: =t}, {variable: D.angle, value: =t}]\n", NULL, BL_E_ABILITY, "do not determine",
         ""},
        {FOUR_BAR "drivers: [{variable: A.angle, value: =0/(t-t)}]\n", NULL, BL_E_NUMERIC, "", ""},
        {FOUR_BAR "drivers: [{variable: A.angle, value: =0/(t-t)}]\n", "whole", BL_E_NUMERIC, "", ""},
        {"model: x\ndimension: 2\nbodies:\n  - {name: crank, rod: {from: [0, 0], to: [0.5, 0]}, mass: 1}\n"
         "  - {name: one, rod: {from: [0.5, 0], to: [0.7, 0.2]}, mass: 1}\n"
         "  - {name: two, rod: {from: [0.7, 0.2], to: [0.9, 0]}, mass: 1}\n"
         "joints:\n  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
         "  - {name: B, type: revolute, bodies: [crank, one], at: [0.5, 0]}\n"
         "  - {name: C, type: revolute, bodies: [one, two], at: [0.7, 0.2]}\n"
         "  - {name: D, type: revolute, bodies: [ground, two], at: [0.9, 0]}\ndrivers: [{variable: A.angle, value: =2+t}]\n",
         NULL, BL_E_NUMERIC, "the joints prevent it", "reached"}, /* beyond reach from the start */
        {"model: e\nequations: {states: [{name: y, start: 1, rate: =-y}]}\n", NULL, BL_E_ABILITY, "needs bodies", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bl_context *ctx = test_context(NULL);
        bl_status status = refused(ctx, cases[i].text, cases[i].solver);
        const bl_error *error = bl_context_error(ctx);
        print_message("%s | %s\n", error->what, error->advice);
        if (status != cases[i].status || !strstr(error->what, cases[i].what) || !strstr(error->advice, cases[i].advice))
            fail_msg("case %d: %d, %s (%s)", (int)i, (int)status, error->what, error->advice);
        test_context_end(ctx);
    }
}

static void driver_that_is_no_number__is_reported_with_its_time(void **state) {
    (void)state;
    for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = driven_text(ctx, FOUR_BAR "drivers: [{variable: A.angle, value: =sqrt(1-t)}]\n");
        bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], false);
        driven_at(ctx, k, 0.5, BL_POSITIONS);
        assert_int_equal(bl_kinematics_at(k, 2, BL_POSITIONS), BL_E_NUMERIC);
        const bl_error *error = bl_context_error(ctx);
        print_message("%s\n", error->what);
        assert_true(fabs(error->time - 1) < 1e-9);
        assert_non_null(strstr(error->what, "the driver of A.angle is not a finite number"));
        assert_string_equal(error->part, "A");
        driven_at(ctx, k, 0.5, BL_POSITIONS);
        assert_int_equal(bl_kinematics_at(k, NAN, BL_POSITIONS), BL_E_ARG);
        bl_kinematics_destroy(k);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void nothing_that_says_how_long__is_usage(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = driven_text(ctx, FOUR_BAR "drivers: [{variable: A.angle, value: =t}]\n");
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, NULL, NULL, 0, NULL, NULL), BL_E_ARG);
    const double at[] = {2, 1};
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, &(bl_run_options){.until = 3, .at = at, .nat = 2}, NULL, 0, NULL, NULL),
                     BL_E_ARG);
    assert_int_equal(bl_kinematics_study(ctx, NULL, NULL, NULL, NULL, 0, NULL, NULL), BL_E_ARG);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- memory */

static void moving__takes_no_memory(void **state) {
    (void)state;
    static const char *const name[] = {"four_bar", "dyads", "three_rrr", "pins", "stewart", "bricard", "rssr"};
    for (size_t m = 0; m < sizeof name / sizeof *name; m++)
        for (int solver = 0; solver < DRIVEN_SOLVERS; solver++) {
            test_allocator allocator = {0};
            bl_context *ctx = test_context(&allocator);
            bl_model *model = driven_model(ctx, name[m]);
            bl_kinematics *k = driven_begin(ctx, model, driven_solver[solver], solver == 1);
            long before = allocator.calls;
            for (int i = 0; i <= 60; i++)
                driven_at(ctx, k, 0.03 * i, i % 3);
            assert_int_equal(allocator.calls, before);
            bl_kinematics_destroy(k);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

static bl_status run_all(bl_context *ctx, void *user) {
    const char *const *names = user;
    bl_model *model = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/verify/kinematics/models/%s.yaml", TESTS, names[0]);
    bl_status status = bl_model_read(ctx, path, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_kinematics_study(ctx, model, &(bl_kinematics_options){.solver = names[1]},
                                     &(bl_run_options){.until = 0.2, .every = 0.1}, NULL, 0, NULL, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    const char *cases[][2] = {{"four_bar", "groups"}, {"three_rrr", "whole"}, {"rssr", "newton"}, {"three_cranks", "groups"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_failing_allocations(run_all, cases[i]);
        if (i < 2)
            test_failing_once(run_all, cases[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(study__hands_out_all_rates_and_counts_turns),
        cmocka_unit_test(output_times__are_those_of_the_call),
        cmocka_unit_test(stop_request__ends_with_what_was_computed),
        cmocka_unit_test(stop_request__ends_a_long_motion),
        cmocka_unit_test(failure__keeps_what_was_computed_and_the_last_configuration),
        cmocka_unit_test(wrong_requests__are_refused_with_a_reason),
        cmocka_unit_test(driver_that_is_no_number__is_reported_with_its_time),
        cmocka_unit_test(nothing_that_says_how_long__is_usage),
        cmocka_unit_test(moving__takes_no_memory),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
