/* Steps and events of runs as sinks get them: against the counters of the summary, the methods' orders, times known in closed form. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000 };

typedef struct journal {
    bl_context *ctx;
    bl_step step[MOST];
    long nstep;
    struct entry {
        double t;
        bl_event_kind kind;
        char text[400], part[96];
    } event[MOST];
    long nevent;
    long stop_at; /* after so many steps a stop is requested; 0: never */
    bool fails;
} journal;

static bl_status take_step(void *user, const bl_step *step) {
    journal *l = user;
    assert_true(l->nstep < MOST);
    l->step[l->nstep++] = *step;
    if (l->nstep == l->stop_at)
        bl_context_stop(l->ctx);
    return BL_OK;
}

static bl_status take_event(void *user, const bl_event_mark *mark) {
    journal *l = user;
    assert_true(l->nevent < MOST);
    struct entry *e = &l->event[l->nevent++];
    e->t = mark->t;
    e->kind = mark->kind;
    snprintf(e->text, sizeof e->text, "%s", mark->text);
    snprintf(e->part, sizeof e->part, "%s", mark->part);
    return l->fails ? BL_E_FILE : BL_OK;
}

static long count(const journal *l, bl_event_kind kind) {
    long n = 0;
    for (long i = 0; i < l->nevent; i++)
        n += l->event[i].kind == kind;
    return n;
}

/* text NULL: a scene */
static bl_status run(const char *scene, const char *text, const bl_run_options *options, journal *l, bl_run_summary *summary) {
    bl_model *model;
    char path[512];
    l->ctx = test_context(NULL);
    l->nstep = l->nevent = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    bl_status status =
        text ? bl_model_read_text(l->ctx, "model", text, strlen(text), NULL, 0, &model) : bl_model_read(l->ctx, path, NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(l->ctx)->what);
    bl_sink sink = {.user = l, .step = take_step, .event = take_event};
    status = bl_simulate(l->ctx, model, options, &sink, 1, summary);
    bl_model_destroy(model);
    return status;
}

static void check_steps(const journal *l, const bl_run_summary *summary, double until) {
    double t = 0, smallest = INFINITY, largest = 0;
    assert_int_equal(l->nstep, summary->steps);
    for (long n = 0; n < l->nstep; n++) {
        assert_true(l->step[n].size > 0);
        assert_true(fabs(l->step[n].t - l->step[n].size - t) <= 4e-16 * (1 + t)); /* one after the other */
        t = l->step[n].t;
        smallest = fmin(smallest, l->step[n].size);
        largest = fmax(largest, l->step[n].size);
    }
    assert_true(t == until);
    assert_true(fabs(smallest - summary->h_smallest) <= 4e-16 * (1 + until));
    assert_true(fabs(largest - summary->h_largest) <= 4e-16 * (1 + until));
}

static void journal__steps_follow_one_another_with_the_method_s_order(void **state) {
    static const struct {
        const char *scene, *formulation, *integrator;
        double step;
        int least, most; /* order */
        bool estimates;
    } cases[] = {
        {"pendulum", NULL, "dopri45", 0, 5, 5, true},      {"pendulum", NULL, "rk4", 0.01, 4, 4, false},
        {"pendulum", NULL, "dop853", 0, 8, 8, true},       {"pendulum", NULL, "abm", 0, 2, 13, true},
        {"bricard", NULL, "series", 0, 8, 40, true},       {"pendulum", "index3", "genalpha", 0.01, 2, 2, false},
        {"pendulum", "ggl", "ndf_auto", 0, 1, 5, true},    {"pendulum", "index3", "newmark:gamma=0.6,beta=0.31", 0.01, 1, 1, false},
        {"pendulum", "lagrange", "radau", 0, 5, 13, true}, {"pendulum", "ggl", "bdf:3", 0.01, 3, 3, false}};
    (void)state;
    journal *l = calloc(1, sizeof *l);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_run_summary summary = {0};
        bl_run_options options = {.coordinates = "natural",
                                  .formulation = cases[k].formulation,
                                  .integrator = cases[k].integrator,
                                  .step = cases[k].step,
                                  .until = 1};
        bl_status status = run(cases[k].scene, NULL, &options, l, &summary);
        if (status != BL_OK)
            fail_msg("%s: %s", cases[k].integrator, bl_context_error(l->ctx)->what);
        check_steps(l, &summary, 1);
        for (long n = 0; n < l->nstep; n++) {
            const bl_step *s = &l->step[n];
            if (s->order < cases[k].least || s->order > cases[k].most)
                fail_msg("%s has order %d in step %ld", cases[k].integrator, s->order, n);
            assert_true(cases[k].estimates ? s->error >= 0 && s->error <= 1 : isnan(s->error));
        }
        test_context_end(l->ctx);
    }
    free(l);
}

static void journal__other_coordinates_are_reported(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    assert_int_equal(run("bricard", NULL, &(bl_run_options){.until = 10}, l, &summary), BL_OK);
    assert_true(summary.repartitions > 0);
    assert_int_equal(count(l, BL_HAPPENED_REPARTITION), summary.repartitions);
    for (long i = 1; i < l->nevent; i++)
        assert_true(l->event[i].t > l->event[i - 1].t);
    test_context_end(l->ctx);
    free(l);
}

/* every time another formulation takes over there is an event, and none is handed back that was not taken */
static void journal__formulations_that_pass_singular_configurations_are_reported(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    bl_run_options options = {.coordinates = "natural", .formulation = "lagrange", .integrator = "dopri45"};
    assert_int_equal(run("change_point_four_bar", NULL, &options, l, &summary), BL_OK);
    long taken = 0, back = 0;
    for (long i = 0; i < l->nevent; i++)
        if (l->event[i].kind == BL_HAPPENED_HANDOVER) {
            taken += strstr(l->event[i].text, "takes over") != NULL;
            back += strstr(l->event[i].text, "resumes after") != NULL;
            assert_true(back <= taken);
        }
    assert_true(summary.handovers > 0);
    assert_int_equal(taken, summary.handovers);
    assert_true(back >= taken - 1);
    test_context_end(l->ctx);
    free(l);
}

static void journal__methods_that_alternate_are_reported(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    assert_int_equal(run("beam_ode", NULL, &(bl_run_options){.until = 1}, l, &summary), BL_OK);
    assert_true(summary.method_changes > 0);
    assert_int_equal(count(l, BL_HAPPENED_METHOD), summary.method_changes);
    test_context_end(l->ctx);
    free(l);
}

/* x'' = -10 sign(x) from x = 0.1: crosses at sqrt(0.02), then every 2 sqrt(0.02) */
static const char crossing[] = "gravity: [0, 0, 0]\n"
                               "bodies: [{name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}]\n"
                               "forces: [{name: back, type: rotational_spring, variable: j.distance, torque: \"=-10*sign(x)\"}]\n"
                               "initial: {j.distance: 0.1}\n";

static void journal__events_are_reported_where_they_are(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    double quarter = sqrt(0.02);
    long expected = (long)floor((3 / quarter + 1) / 2), n = 0;
    assert_int_equal(run(NULL, crossing, &(bl_run_options){.until = 3, .tolerance = 1e-9}, l, &summary), BL_OK);
    assert_int_equal(count(l, BL_HAPPENED_EVENT), expected);
    for (long i = 0; i < l->nevent; i++)
        if (l->event[i].kind == BL_HAPPENED_EVENT) {
            assert_true(fabs(l->event[i].t - (2 * (double)n++ + 1) * quarter) < 1e-6); /* errors of 1e-9 add up over 3 / quarter pieces */
            assert_non_null(strstr(l->event[i].text, "back"));
        }
    assert_int_equal(count(l, BL_HAPPENED_RESTART), 0); /* they are those of the events */
    test_context_end(l->ctx);
    free(l);
}

static void journal__too_many_are_counted(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    long expected = (long)floor((100 / sqrt(0.02) + 1) / 2);
    char text[64];
    assert_int_equal(run(NULL, crossing, &(bl_run_options){.until = 100, .tolerance = 1e-9}, l, &summary), BL_OK);
    assert_int_equal(count(l, BL_HAPPENED_EVENT), BL_MOST_EVENTS);
    const struct entry *last = &l->event[l->nevent - 1];
    snprintf(text, sizeof text, "%ld of kind event", expected - BL_MOST_EVENTS);
    assert_int_equal(last->kind, BL_HAPPENED_WARNING);
    assert_non_null(strstr(last->text, text));
    test_context_end(l->ctx);
    free(l);
}

static void journal__the_reason_of_an_early_end_is_reported(void **state) {
    static const char stops[] = "simulate: {stop: \"j.distance\"}\n";
    static const char breaks[] = "gravity: [0, 0, 0]\n"
                                 "bodies: [{name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
                                 "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}]\n"
                                 "forces: [{name: f, type: rotational_spring, variable: j.distance, torque: \"=sqrt(1 - t)\"}]\n";
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    char text[1024];
    snprintf(text, sizeof text, "%s%s", crossing, stops);
    assert_int_equal(run(NULL, text, &(bl_run_options){.until = 3}, l, &summary), BL_EVENT);
    const struct entry *last = &l->event[l->nevent - 1];
    assert_int_equal(last->kind, BL_HAPPENED_STOP);
    assert_non_null(strstr(last->text, "j.distance"));
    assert_true(last->t == summary.t && l->step[l->nstep - 1].t == summary.t);
    test_context_end(l->ctx);

    assert_int_equal(run(NULL, breaks, &(bl_run_options){.until = 3}, l, &summary), BL_E_NUMERIC);
    last = &l->event[l->nevent - 1];
    assert_int_equal(last->kind, BL_HAPPENED_STOP);
    assert_string_equal(last->text, bl_context_error(l->ctx)->what);
    assert_true(fabs(last->t - 1) < 0.1);
    test_context_end(l->ctx);

    l->stop_at = 5;
    assert_int_equal(run("pendulum", NULL, &(bl_run_options){.until = 10, .integrator = "dopri45"}, l, &summary), BL_STOPPED);
    assert_int_equal(l->nstep, 5);
    last = &l->event[l->nevent - 1];
    assert_int_equal(last->kind, BL_HAPPENED_STOP);
    assert_true(last->t == l->step[4].t);
    test_context_end(l->ctx);
    free(l);
}

static void journal__a_sink_that_fails_ends_the_run(void **state) {
    (void)state;
    journal *l = calloc(1, sizeof *l);
    bl_run_summary summary = {0};
    l->fails = true;
    assert_int_equal(run(NULL, crossing, &(bl_run_options){.until = 3}, l, &summary), BL_E_FILE);
    assert_true(summary.t < 0.3);
    test_context_end(l->ctx);
    free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(journal__steps_follow_one_another_with_the_method_s_order),
        cmocka_unit_test(journal__other_coordinates_are_reported),
        cmocka_unit_test(journal__formulations_that_pass_singular_configurations_are_reported),
        cmocka_unit_test(journal__methods_that_alternate_are_reported),
        cmocka_unit_test(journal__events_are_reported_where_they_are),
        cmocka_unit_test(journal__too_many_are_counted),
        cmocka_unit_test(journal__the_reason_of_an_early_end_is_reported),
        cmocka_unit_test(journal__a_sink_that_fails_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
