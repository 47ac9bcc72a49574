/* The simulation and the study `simulate`: samples, events, stop requests, sinks, failures. */
#include "support/motion.h"
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- events on hand-coded systems */

/* a point thrown with v: height v t - g t^2 / 2 passes c at t = (v - sqrt(v^2 - 2 g c)) / g */
static void event__is_found_at_its_time(void **state) {
    (void)state;
    const char *const integrator[] = {"rk4", "dopri45", "dop853", "abm"};
    for (int i = 0; i < 4; i++) {
        bl_context *ctx = test_context(NULL);
        test_points def = {
            .npoint = 1, .gravity = 10, .point = {{.mass = 2, .vx = 3, .vy = 4}}, .nevent = 1, .event_col = 1, .event_value = 0.5};
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.integrator = integrator[i], .t_end = 2, .step = 0.1});
        bl_status status = BL_OK;
        while (status == BL_OK && *motion.sim->state.t < 2)
            status = bl_simulation_advance(motion.sim);
        double expected = (4 - sqrt(16 - 2 * 10 * 0.5)) / 10;
        assert_int_equal(status, BL_EVENT);
        /* the motion is a parabola, which all dense outputs hold exactly */
        assert_float_equal(*motion.sim->state.t, expected, 1e-12);
        assert_true(motion.sim->state.q[1] >= 0.5);
        assert_float_equal(motion.sim->state.q[1], 0.5, 1e-11);
        /* going on finds the second passage */
        do
            status = bl_simulation_advance(motion.sim);
        while (status == BL_OK && *motion.sim->state.t < 2);
        assert_int_equal(status, BL_EVENT);
        assert_float_equal(*motion.sim->state.t, (4 + sqrt(16 - 2 * 10 * 0.5)) / 10, 1e-12);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* both passages of the highest region lie inside one step: only a search inside the step finds them */
static void event__inside_a_step_is_not_missed(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = {.npoint = 1, .gravity = 10, .point = {{.mass = 2, .vy = 4}}, .nevent = 1, .event_col = 1, .event_value = 0.7};
    test_motion motion;
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.integrator = "rk4", .t_end = 2, .step = 0.8});
    assert_int_equal(bl_simulation_advance(motion.sim), BL_EVENT);
    assert_float_equal(*motion.sim->state.t, (4 - sqrt(16 - 2 * 10 * 0.7)) / 10, 1e-12);
    test_motion_end(&motion);
    test_context_end(ctx);
}

/* a pendulum released at x = -1 with the event x + 1 = 0: leaving zero is no event, coming back after a period is close to one */
static void event__does_not_fire_where_it_starts(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    def.nevent = 1;
    def.event_col = 0;
    def.event_value = -1;
    test_motion motion;
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.t_end = 2});
    test_motion_run(&motion, 0, NULL, NULL);
    test_motion_end(&motion);
    test_context_end(ctx);
}

static void samples__are_refused_outside_the_last_step(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    test_motion motion;
    bl_sample sample;
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.t_end = 2});
    assert_int_equal(bl_simulation_sample(motion.sim, 0, &sample), BL_OK);
    assert_float_equal(sample.variable[0], -1, 1e-15);
    assert_float_equal(sample.energy_error, 0, 1e-14);
    assert_int_equal(bl_simulation_sample(motion.sim, 0.1, &sample), BL_E_ARG);
    assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
    assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
    assert_int_equal(bl_simulation_sample(motion.sim, 0, &sample), BL_E_ARG);
    assert_int_equal(bl_simulation_sample(motion.sim, NAN, &sample), BL_E_ARG);
    test_motion_end(&motion);
    test_context_end(ctx);
}

static void samples__do_not_disturb_the_motion(void **state) {
    (void)state;
    static const char *const formulation[] = {"lagrange", "partition"}, *const integrator[] = {"rk4", "dopri45", "dop853", "abm"};
    for (int f = 0; f < 2; f++)
        for (int k = 0; k < 4; k++) {
            bl_context *ctx = test_context(NULL);
            test_points def = test_pendulum();
            test_motion motion, twin;
            bl_simulation_setup setup = {.formulation = formulation[f], .integrator = integrator[k], .t_end = 2};
            test_motion_begin(&motion, ctx, &def, &setup);
            test_motion_begin(&twin, ctx, &def, &setup);
            test_motion_run(&motion, 0.01, NULL, NULL);
            test_motion_run(&twin, 0, NULL, NULL);
            assert_memory_equal(motion.sim->state.q, twin.sim->state.q, 2 * sizeof(double));
            test_motion_end(&twin);
            test_motion_end(&motion);
            test_context_end(ctx);
        }
}

/* ---- the study on a model text */

static const char pendulum_text[] = "model: pendulum\n"
                                    "dimension: 2\n"
                                    "gravity: [0, -9.81]\n"
                                    "bodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
                                    "joints: [{name: rod, type: rod, bodies: [ground, bob], at: [0, 0], to: [-1, 0]}]\n"
                                    "probes: {P: {body: bob, at: [-1, 0]}}\n"
                                    "simulate: {until: 2, tolerance: 1e-9, every: 0.5}\n";

typedef struct listener {
    bl_context *ctx;
    int begun, sampled, ended;
    double t[64], x[64], drift, energy;
    bl_run_summary summary;
    char stopped_by[64]; /* the text lives in the model */
    int fail_at;         /* sample that returns BL_E_FILE; 0: never */
    int stop_at;         /* sample that asks to stop */
    double reaction;
} listener;

static bl_status on_begin(void *user, const bl_run_info *info) {
    listener *l = user;
    l->begun++;
    assert_int_equal(info->nprobe, 1);
    assert_string_equal(info->probe[0], "P");
    assert_string_equal(info->body[0], "bob");
    assert_non_null(info->formulation);
    return BL_OK;
}

static bl_status on_sample(void *user, const bl_sample *sample) {
    listener *l = user;
    if (l->sampled < 64) {
        l->t[l->sampled] = sample->t;
        l->x[l->sampled] = sample->probe[0];
    }
    l->sampled++;
    l->drift = fmax(l->drift, sample->drift);
    l->energy = fmax(l->energy, fabs(sample->energy_error));
    l->reaction = hypot(sample->reaction[0].force[0], sample->reaction[0].force[1]);
    if (l->sampled == l->stop_at)
        bl_context_stop(l->ctx);
    return l->sampled == l->fail_at ? bl_fail(l->ctx, BL_E_FILE, NULL, "disk full") : BL_OK;
}

static bl_status on_end(void *user, const bl_run_summary *summary) {
    listener *l = user;
    l->ended++;
    l->summary = *summary;
    snprintf(l->stopped_by, sizeof l->stopped_by, "%s", summary->stopped_by ? summary->stopped_by : "");
    return BL_OK;
}

static bl_status simulate_text(bl_context *ctx, const char *text, const bl_run_options *options, listener *l) {
    bl_model *model = NULL;
    bl_run_summary summary = {.size = sizeof summary};
    l->ctx = ctx;
    bl_sink sink = {.user = l, .begin = on_begin, .sample = on_sample, .end = on_end};
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK) {
        status = bl_simulate(ctx, model, options, &sink, 1, &summary);
        if (l->ended)
            assert_memory_equal(&summary, &l->summary, sizeof summary);
    }
    bl_model_destroy(model);
    return status;
}

static void study__hands_out_complete_samples_at_the_asked_times(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    listener l = {0};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.formulation = "partition", .integrator = "dopri45"}, &l), BL_OK);
    assert_int_equal(l.begun, 1);
    assert_int_equal(l.ended, 1);
    assert_int_equal(l.sampled, 5);
    /* IFToMM A01 */
    const double x[] = {-1, -0.3910487916, 0.9862917511, NAN, -0.7935661953};
    for (int i = 0; i < 5; i++) {
        assert_float_equal(l.t[i], 0.5 * i, 1e-15);
        if (i != 3)
            assert_float_equal(l.x[i], x[i], 1e-7);
    }
    assert_true(l.energy < 1e-6);
    assert_true(l.drift < 1e-12);
    /* tension at t = 2: m (v^2 + g cos) = 3 m g times the height below the start, 0.6084839304 */
    assert_float_equal(l.reaction, 3 * 9.81 * 0.6084839304, 1e-5);
    assert_int_equal(l.summary.status, BL_OK);
    assert_true(l.summary.t == 2);
    assert_true(l.summary.steps > 10 && l.summary.evaluations > 6 * l.summary.steps - 1);
    const double at[] = {0.1, 0.7, 1.9};
    l = (listener){0};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.at = at, .nat = 3}, &l), BL_OK);
    assert_int_equal(l.sampled, 3);
    for (int i = 0; i < 3; i++)
        assert_true(l.t[i] == at[i]);
    l = (listener){0};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.every_step = true, .tolerance = 1e-4}, &l), BL_OK);
    assert_int_equal(l.sampled, l.summary.steps + 1);
    /* an interval that does not divide the span: the end is still there */
    l = (listener){0};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.every = 0.7}, &l), BL_OK);
    assert_int_equal(l.sampled, 4);
    assert_true(l.t[3] == 2);
    /* fixed steps without a step: until / 1000 */
    l = (listener){0};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.integrator = "rk4"}, &l), BL_OK);
    assert_int_equal(l.summary.steps, 1000);
    test_context_end(ctx);
}

static void study__ends_where_a_stop_expression_changes_sign(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    listener l = {0};
    char text[1024];
    snprintf(text, sizeof text, "%.*s, stop: \"P.x\"}\n", (int)(strlen(pendulum_text) - 2), pendulum_text);
    assert_int_equal(simulate_text(ctx, text, NULL, &l), BL_EVENT);
    assert_int_equal(l.summary.status, BL_EVENT);
    assert_string_equal(l.stopped_by, "P.x");
    assert_float_equal(l.summary.t, 2.3678419475762 / 4, 1e-8); /* a quarter period */
    assert_float_equal(l.t[l.sampled - 1], l.summary.t, 0);
    assert_float_equal(l.x[l.sampled - 1], 0, 1e-10);
    test_context_end(ctx);
}

static void study__stops_on_request_and_passes_on_what_sinks_say(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    listener l = {.stop_at = 2};
    assert_int_equal(simulate_text(ctx, pendulum_text, NULL, &l), BL_STOPPED);
    assert_int_equal(l.ended, 1);
    assert_true(l.summary.t < 1);
    assert_int_equal(l.sampled, 3); /* the state at the stop too */
    bl_context_resume(ctx);
    l = (listener){.fail_at = 3};
    assert_int_equal(simulate_text(ctx, pendulum_text, NULL, &l), BL_E_FILE);
    assert_string_equal(bl_context_error(ctx)->what, "disk full");
    assert_int_equal(l.sampled, 3);
    assert_int_equal(l.ended, 1);
    assert_int_equal(l.summary.status, BL_E_FILE);
    test_context_end(ctx);
}

/* a crank driven beyond the reach of its coupler */
static void study__keeps_what_was_computed_when_it_fails(void **state) {
    (void)state;
    static const char text[] = "dimension: 2\n"
                               "bodies:\n"
                               "  - {name: bob, rod: {from: [0, 0], to: [1, 0]}, mass: 1}\n"
                               "  - {name: arm, rod: {from: [1, 0], to: [2, 1]}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: a, type: revolute, bodies: [ground, bob], at: [0, 0]}\n"
                               "  - {name: b, type: revolute, bodies: [bob, arm], at: [1, 0]}\n"
                               "  - {name: c, type: point_on_line, bodies: [ground, arm], at: [2, 1], axis: [0, 1]}\n"
                               "probes: {P: {body: arm, at: [2, 1]}}\n"
                               "drivers: [{variable: a.angle, value: =t}]\n"
                               "initial: {a.rate: 1}\n"
                               "simulate: {until: 3, every: 0.1}\n";
    bl_context *ctx = test_context(NULL);
    listener l = {0};
    assert_int_equal(simulate_text(ctx, text, NULL, &l), BL_E_NUMERIC);
    const bl_error *error = bl_context_error(ctx);
    /* 2 - cos t = sqrt 2 */
    double reach = acos(2 - sqrt(2));
    assert_float_equal(l.summary.t, reach, 1e-2);
    assert_float_equal(error->time, reach, 1e-2);
    assert_true(error->part[0] != '\0' && error->equation[0] != '\0');
    assert_int_equal(l.sampled, 11); /* 0, 0.1, ... 0.9 and the last good one */
    assert_int_equal(l.ended, 1);
    assert_int_equal(l.summary.status, BL_E_NUMERIC);
    test_context_end(ctx);
}

static void study__refuses_nonsense_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    listener l = {0};
    const double late[] = {1, 3}, twice[] = {1, 1};
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.until = -1}, &l), BL_E_ARG);
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.step = NAN}, &l), BL_E_ARG);
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.at = late, .nat = 2}, &l), BL_E_ARG);
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.at = twice, .nat = 2}, &l), BL_E_ARG);
    assert_int_equal(simulate_text(ctx, pendulum_text, &(bl_run_options){.integrator = "rk5"}, &l), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "rk4"));
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)(strstr(pendulum_text, "simulate") - pendulum_text), pendulum_text);
    assert_int_equal(simulate_text(ctx, text, NULL, &l), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "until"));
    assert_int_equal(l.begun, 0);
    test_context_end(ctx);
}

static bl_status whole_study(bl_context *ctx, void *user) {
    (void)user;
    listener l = {0};
    return simulate_text(ctx, pendulum_text, &(bl_run_options){.until = 1, .tolerance = 1e-3, .every = 0.5}, &l);
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    test_failing_allocations(whole_study, NULL);
}

/* ---- tolerances */

static long steps_with(double scale, double tolerance, double absolute) {
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    def.scale = scale;
    test_motion motion;
    test_motion_begin(&motion, ctx, &def,
                      &(bl_simulation_setup){.formulation = "lagrange", .t_end = 1, .tolerance = tolerance, .absolute = absolute});
    test_motion_run(&motion, 1, NULL, NULL);
    long steps = motion.sim->integ->stats.steps;
    test_motion_end(&motion);
    test_context_end(ctx);
    return steps;
}

static void absolute__tolerance_stands_for_tolerance_times_scale(void **state) {
    (void)state;
    assert_int_equal(steps_with(1, 1e-6, 1e-9), steps_with(1e-3, 1e-6, 0));
    assert_int_equal(steps_with(1e-3, 1e-6, 1e-9), steps_with(1e-3, 1e-6, 0));
    assert_true(steps_with(1, 1e-6, 1e-9) > steps_with(1, 1e-6, 0));
}

static void absolute__tolerance_outlives_a_new_choice_of_the_formulation(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    test_motion motion;
    test_motion_begin(&motion, ctx, &def,
                      &(bl_simulation_setup){.formulation = "lagrange", .t_end = 1, .tolerance = 1e-6, .absolute = 3e-9});
    bl_formulation *form = motion.sim->form;
    for (int i = 0; i < 2; i++) {
        assert_float_equal(form->weight[0], 3e-3, 1e-15);
        assert_true(form->weight[form->ny - 1] == 0); /* the work is not watched */
        assert_int_equal(form->kind->setup(form, &motion.sim->state), BL_OK);
        motion.sim->restart_due = true;
        assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
    }
    test_motion_end(&motion);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absolute__tolerance_stands_for_tolerance_times_scale),
        cmocka_unit_test(absolute__tolerance_outlives_a_new_choice_of_the_formulation),
        cmocka_unit_test(event__is_found_at_its_time),
        cmocka_unit_test(event__inside_a_step_is_not_missed),
        cmocka_unit_test(event__does_not_fire_where_it_starts),
        cmocka_unit_test(samples__are_refused_outside_the_last_step),
        cmocka_unit_test(samples__do_not_disturb_the_motion),
        cmocka_unit_test(study__hands_out_complete_samples_at_the_asked_times),
        cmocka_unit_test(study__ends_where_a_stop_expression_changes_sign),
        cmocka_unit_test(study__stops_on_request_and_passes_on_what_sinks_say),
        cmocka_unit_test(study__keeps_what_was_computed_when_it_fails),
        cmocka_unit_test(study__refuses_nonsense_with_a_reason),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
