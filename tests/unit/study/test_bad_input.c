/* Bad input ends with a reason: what, where, what to do; and what was computed before a failure has been handed out. */
#include "biela/function.h"
#include "integrate/integrate.h"
#include "model/model.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char linear[] = "matrices: {M: {diagonal: [2, 1]}, K: [[6, -2], [-2, 4]], initial: {positions: [1, 0]}}\n"
                             "simulate: {until: 0.03, step: 0.01}\n";
static const char pendulum[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
                               "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0]}]\n"
                               "simulate: {until: 0.03, step: 0.01}\n";

typedef struct seen {
    int samples;
    double t, value;
    char warning[512];
} seen;

static bl_status take(void *user, const bl_sample *sample) {
    seen *s = user;
    s->samples++;
    s->t = sample->t;
    s->value = sample->variable ? sample->variable[0] : NAN;
    return BL_OK;
}

static void keep_warning(void *user, bl_log_level level, const char *text) {
    seen *s = user;
    if (level == BL_LOG_WARNING)
        snprintf(s->warning, sizeof s->warning, "%s", text);
}

/* runs a model; *error and *found are what came of it */
static bl_status run(const char *text, const bl_run_options *options, bl_error *error, seen *found, bl_run_summary *summary) {
    *found = (seen){0};
    bl_context *ctx = NULL;
    assert_int_equal(bl_context_create(&(bl_context_options){.log = keep_warning, .log_user = found}, &ctx), BL_OK);
    bl_model *model;
    bl_run_summary own = {0};
    bl_sink sink = {.user = found, .sample = take};
    bl_status status = bl_model_read_text(ctx, "model.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, summary ? summary : &own);
    *error = *bl_context_error(ctx);
    bl_model_destroy(model);
    test_context_end(ctx);
    return status;
}

/* ---- parameters */

static void parameters__out_of_their_range_are_refused_with_the_range(void **unused) {
    (void)unused;
    static const struct {
        const char *spec, *what, *advice; /* parts of the message */
    } bad[] = {{"bdf:7", "k must be an integer from 1 to 6, found 7", ""},
               {"bdf:0", "k must be an integer from 1 to 6, found 0", ""},
               {"bdf:2.5", "integer", ""},
               {"ndf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"ebdf:9", "k must be an integer from 1 to 8, found 9", ""},
               {"mebdf:9", "k must be an integer from 1 to 8, found 9", ""},
               {"ebndf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"enbdf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"endf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"mebndf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"menbdf:5", "k must be an integer from 1 to 4, found 5", ""},
               {"mendf:0", "k must be an integer from 1 to 4, found 0", ""},
               {"bdf_alpha:nan", "nan", ""},
               {"genalpha:1.5", "between 0 and 1", ""},
               {"genalpha:-0.1", "between 0 and 1", ""},
               {"hht:-1", "between 0 and 0.5", "positive here"},
               {"hht:0.6", "between 0 and 0.5", ""},
               {"wbz:0.5", "between -1 and 0", "negative here"},
               {"wilson:0.5", "at", "Newmark"},
               {"newmark:beta=-1", "beta = -1", ""},
               {"newmark:gamma=0", "gamma = 0", ""},
               {"edmc1:-1", "between 0 and 1", ""},
               {"edmc2:-1", "", ""},
               {"ndf_auto:6", "1 to 5", ""},
               {"bdf_auto:6", "1 to 5", ""},
               {"mebdf_auto:10", "", ""},
               {"abm:20", "1 to 12", ""},
               {"radau:7", "5, 9 or 13", "order 0"},
               {"bdf:2,start=exact", "known solution", "start=exact"},
               {"bdf:2,start=early", "trapezoidal|ramp", ""},
               {"bdf:2,iterations=0", "iterations", ""},
               {"bdf:2,newton_tolerance=-1", "newton_tolerance", ""},
               {"multistep", "needs a", ""},
               {"multistep:a=1;x,b=0;1", "x", ""},
               {"multistep:a=1;-1,b=0;0;1", "", ""},
               {"rk4:1", "no options", ""},
               {"bdf:k=2,k=3", "k", ""},
               {"bdf:2,color=red", "color", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bl_error e;
        seen found;
        bl_status status = run(linear, &(bl_run_options){.integrator = bad[i].spec}, &e, &found, NULL);
        if ((status != BL_E_ARG && status != BL_E_ABILITY) || !strstr(e.what, bad[i].what) || !strstr(e.advice, bad[i].advice))
            fail_msg("%s: %s, '%s', '%s'", bad[i].spec, bl_status_text(status), e.what, e.advice);
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(bad[i].spec, ":"), bad[i].spec);
        if (!strstr(e.what, name))
            fail_msg("%s: '%s' does not say who refuses", bad[i].spec, e.what);
        assert_int_equal(found.samples, 0);
    }
}

/* for any value of a parameter the run succeeds or ends with a reason */
static void parameters__of_any_value_end_with_a_reason(void **unused) {
    (void)unused;
    static const char *const value[] = {"nan", "inf", "-1", "0", "0.5", "1e300", "-1e300", "1e-300", "3", "x", "1;2", "", "1/0;0/0"};
    int refused = 0;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        bl_index n = kind->kind.params ? bl_param_count(kind->kind.params) : 0;
        for (bl_index p = 0; p < n; p++)
            for (size_t v = 0; v < sizeof value / sizeof *value; v++) {
                char spec[160];
                bl_error e;
                seen found;
                snprintf(spec, sizeof spec, "%s:%s%s=%s", kind->kind.name,
                         kind == &bl_integrator_multistep && p > 1 ? "a=1/2;-2;3/2,b=0;0;1," : "", kind->kind.params[p].name, value[v]);
                bl_status status = run(linear, &(bl_run_options){.integrator = spec}, &e, &found, NULL);
                if (status != BL_OK && status != BL_E_ARG && status != BL_E_ABILITY && status != BL_E_NUMERIC)
                    fail_msg("%s: %s", spec, bl_status_text(status));
                if (status != BL_OK && (!e.what[0] || e.status != status))
                    fail_msg("%s: refused without words", spec);
                if (status == BL_OK && !isfinite(found.value))
                    fail_msg("%s: runs and ends at %g", spec, found.value);
                refused += status == BL_E_ARG;
            }
    }
    assert_true(refused > 500);
}

static void parameters__that_make_a_method_unstable_warn_and_run(void **unused) {
    (void)unused;
    bl_error e;
    seen found;
    assert_int_equal(run(linear, &(bl_run_options){.integrator = "bdf_alpha:-0.6"}, &e, &found, NULL), BL_OK);
    assert_non_null(strstr(found.warning, "alpha = -0.6 is below -0.5"));
    assert_true(found.t == 0.03 && fabs(found.value - 1) < 0.01);
    assert_int_equal(run(linear, &(bl_run_options){.integrator = "bdf_alpha:-0.5"}, &e, &found, NULL), BL_OK);
    assert_string_equal(found.warning, "");
}

/* ---- combinations */

static void combinations__that_cannot_be_done_name_those_that_can(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *integrator, *formulation, *advice;
    } bad[] = {{pendulum, "dopri45", "plain", "lagrange"}, {pendulum, "dopri45", "ggl", "partition"},
               {pendulum, "rk4", "index3", "lagrange"},    {pendulum, "newmark", "partition", "index3"},
               {pendulum, "hht", "lagrange", "ggl"},       {pendulum, "bdf:2", "plain", "ggl"},
               {pendulum, "edmc2", "index3", "genalpha"},  {pendulum, "radau", "ggl", ""}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bl_error e;
        seen found;
        bl_status status =
            run(bad[i].text, &(bl_run_options){.integrator = bad[i].integrator, .formulation = bad[i].formulation}, &e, &found, NULL);
        if (status != BL_E_ABILITY || !e.advice[0] || !strstr(e.advice, bad[i].advice))
            fail_msg("%s, %s: %s, '%s', '%s'", bad[i].integrator, bad[i].formulation, bl_status_text(status), e.what, e.advice);
    }
}

static void words_in_a_model__are_blamed_where_they_stand(void **unused) {
    (void)unused;
    static const struct {
        const char *settings, *what;
        int column;
        bl_run_options options;
        bl_status status;
    } bad[] = {{"integrator: bdf:7", "k must be an integer from 1 to 6, found 7", 34, {0}, BL_E_MODEL},
               {"integrator: bfd", "bfd", 34, {0}, BL_E_MODEL},
               {"formulation: plane", "plane", 35, {0}, BL_E_MODEL},
               {"linsol: umfpack", "umfpack", 30, {0}, BL_E_MODEL},
               {"formulation: partition, integrator: hht", "hht", 58, {0}, BL_E_MODEL},
               {"formulation: partition", "hht", 0, {.integrator = "hht"}, BL_E_ABILITY},
               {"integrator: hht", "hht", 0, {.formulation = "partition"}, BL_E_ABILITY},
               {"integrator: bdf:7", "k must be an integer from 1 to 6, found 8", 0, {.integrator = "bdf:8"}, BL_E_ARG}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        bl_error e;
        seen found;
        snprintf(text, sizeof text, "%.*ssimulate: {until: 1, %s}\n", (int)(strstr(pendulum, "simulate") - pendulum), pendulum,
                 bad[i].settings);
        bl_status status = run(text, &bad[i].options, &e, &found, NULL);
        if (status != bad[i].status || !strstr(e.what, bad[i].what) || e.column != bad[i].column || e.line != (bad[i].column ? 5 : 0))
            fail_msg("%s: %s, '%s' at %d:%d", bad[i].settings, bl_status_text(status), e.what, e.line, e.column);
    }
}

/* ---- numbers */

static void numbers__of_a_run_must_make_sense(void **unused) {
    (void)unused;
    static const struct {
        bl_run_options options;
        const char *what;
    } bad[] = {{{.tolerance = -1}, "tolerance"},
               {{.tolerance = NAN}, "tolerance"},
               {{.tolerance = 1e-17}, "rounding"},
               {{.step = -1}, "step"},
               {{.step = NAN}, "step"},
               {{.step = INFINITY}, "step"},
               {{.step = 1e-30}, "too small to advance the time"},
               {{.until = -1}, "until"},
               {{.until = NAN}, "until"},
               {{.until = INFINITY}, "until"},
               {{.absolute = -1}, "absolute"},
               {{.every = NAN}, "every"}};
    static const char *const method[] = {"dopri45", "bdf:2", "newmark", "ndf_auto"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t m = 0; m < 4; m++) {
            bl_error e;
            seen found;
            bl_run_options options = bad[i].options;
            options.integrator = method[m];
            bl_status status = run(linear, &options, &e, &found, NULL);
            if (status != BL_E_ARG || !strstr(e.what, bad[i].what))
                fail_msg("%s: %s, '%s'", bad[i].what, bl_status_text(status), e.what);
        }
    bl_error e;
    seen found;
    assert_int_equal(run("matrices: {K: [[1]]}\n", NULL, &e, &found, NULL), BL_E_ARG);
    assert_true(strstr(e.what, "end time") && strstr(e.advice, "until"));
}

/* ---- failures during a run */

/* What ends at t = 0.5 for every method, or near it: the samples before are kept, the last good state too, and the message names the
 * equation. */
static void failures__keep_what_was_computed_and_name_the_equation(void **unused) {
    (void)unused;
    static const struct {
        const char *name, *text, *blamed;
        double t; /* of the failure; 0: near the start */
        bool explicit_too;
    } bad[] = {
        {"not a number after 0.5",
         "equations:\n  states:\n    - {name: x, start: 1, rate: =-x}\n    - {name: depth, start: 1, rate: =-sqrt(0.5 - t)}\n"
         "simulate: {until: 1, every: 0.125, step: 0.01}\n",
         "depth", 0.5, true},
        {"grows beyond bounds",
         "equations:\n  states:\n    - {name: x, start: 2, rate: =x^2}\nsimulate: {until: 1, every: 0.125, step: 0.0005}\n", NULL, 0.5,
         true},
        {"no solution after 0.5",
         "equations:\n  states:\n    - {name: x, start: 1, rate: =-x}\n    - {name: depth, start: 0.7, algebraic: =depth^2 + t - 0.5}\n"
         "simulate: {until: 1, every: 0.125, step: 0.01}\n",
         "depth", 0.5, false},
        {"singular",
         "equations:\n  states:\n    - {name: x, start: 1, rate: =-x}\n    - {name: depth, start: 0, algebraic: =x - 1 + 0*depth}\n"
         "simulate: {until: 1, every: 0.125, step: 0.01}\n",
         NULL, 0, false},
        {"Newton goes to and fro",
         "equations:\n  states:\n    - {name: x, start: 1, rate: =-x}\n"
         "    - {name: depth, start: 1, algebraic: \"=t < 0.5 ? depth - 1 : depth - (depth > 0 ? -1 : 1)\"}\n"
         "simulate: {until: 1, every: 0.125, step: 0.01}\n",
         "depth", 0.5, false},
        {"a force that is not a number",
         "dimension: 2\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
         "joints: [{name: bobs_pivot, type: revolute, bodies: [ground, bob], at: [0, 0]}]\n"
         "forces: [{name: pull, type: force, body: bob, force: [=sqrt(0.5 - t), -1]}]\nsimulate: {until: 1, every: 0.125, step: 0.01}\n",
         "bob", 0.5, true},
        {"a force that is not a number on the second arm of a tree",
         "coordinates: relative\nbodies: [{name: a, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1},"
         " {name: c, rod: {from: [0, 5, 0], to: [1, 5, 0]}, mass: 1}]\n"
         "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]},"
         " {name: second, type: revolute, bodies: [ground, c], at: [0, 5, 0], axis: [0, 0, 1]}]\n"
         "forces: [{name: pull, type: force, body: c, at: [1, 5, 0], force: [0, =sqrt(0.5 - t), 0]}]\n"
         "simulate: {until: 1, every: 0.125, step: 0.01}\n",
         "second", 0.5, true}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (size_t k = 0; k < bl_integrator_kind_count; k++) {
            const bl_integrator_kind *kind = bl_integrator_kinds[k];
            if (strncmp(bad[i].text, "coordinates: relative", 21) == 0 && !(kind->kind.needs & BL_CAN_RATE))
                continue; /* stages of trees do not report which force it was */
            bl_error e;
            seen found;
            bl_run_summary summary = {0};
            bl_run_options options = {.integrator = kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name,
                                      .tolerance = 1e-8};
            bl_status status = run(bad[i].text, &options, &e, &found, &summary);
            const char *name = kind->kind.name;
            if (status == BL_E_ABILITY) {
                if (!e.advice[0] || ((kind->kind.needs & BL_CAN_RATE) && bad[i].explicit_too))
                    fail_msg("%s, %s: '%s', '%s'", bad[i].name, name, e.what, e.advice);
                continue;
            }
            if (status != BL_E_NUMERIC || summary.status != status)
                fail_msg("%s, %s: %s, reached %g", bad[i].name, name, bl_status_text(status), summary.t);
            if (!e.what[0] || !(fabs(e.time - bad[i].t) < 0.02) || !(fabs(summary.t - bad[i].t) < 0.02))
                fail_msg("%s, %s: '%s' blames t = %g, reached %g", bad[i].name, name, e.what, e.time, summary.t);
            if (!e.advice[0])
                fail_msg("%s, %s: '%s' has no advice", bad[i].name, name, e.what);
            if (bad[i].blamed && !strstr(e.what, bad[i].blamed) && !strstr(e.part, bad[i].blamed) && !strstr(e.equation, bad[i].blamed))
                fail_msg("%s, %s: '%s' (%s; %s) does not name %s", bad[i].name, name, e.what, e.part, e.equation, bad[i].blamed);
            /* moreau computes no rates at the ends of its steps: of the last one they may be infinite, and the last sample is that of the
             * output time before */
            double before = kind == &bl_integrator_moreau ? 0.125 : 0;
            if (found.samples < (bad[i].t > 0 ? 4 : 1) ||
                !(fabs(found.t - summary.t) < 1e-6 + before)) /* 0, 0.125, 0.25, 0.375, and the last good state */
                fail_msg("%s, %s: %d samples, the last at %g of %g", bad[i].name, name, found.samples, found.t, summary.t);
        }
}

/* a user's function that refuses, gives up or answers NaN: tests/unit/study/test_integrate_function.c has one method of each engine */
static int bad_after(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)q, (void)v, (void)z, (void)f;
    Q[0] = t > 0.5 ? *(double *)user : -q[0];
    return t > 0.5 && !*(double *)user ? 1 : 0;
}

static int last_time(void *user, double t, const double *q, const double *v, const double *z) {
    (void)q, (void)v, (void)z;
    *(double *)user = t;
    return 0;
}

static void functions__that_answer_no_number_stop_every_method_there(void **unused) {
    (void)unused;
    double answers[] = {NAN, INFINITY, 0};
    static const char *const names[] = {"angle"};
    for (size_t k = 0; k < bl_integrator_kind_count; k++)
        for (int a = 0; a < 3; a++) {
            const bl_integrator_kind *kind = bl_integrator_kinds[k];
            bl_context *ctx = test_context(NULL);
            bl_function fn = {.user = &answers[a], .nq = 1, .force = bad_after, .name = names};
            bl_integrate_options options = {.integrator =
                                                kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name,
                                            .until = 1,
                                            .step = 0.01,
                                            .tolerance = 1e-7};
            bl_run_summary summary = {0};
            double last = NAN;
            bl_status status = bl_integrate(ctx, &fn, &options, (const double[]){1}, NULL, NULL, last_time, &last, &summary);
            const bl_error *e = bl_context_error(ctx);
            if (status == BL_E_ABILITY)
                assert_true(e->advice[0]); /* edmc2 wants linear systems */
            else if (status != BL_E_NUMERIC || !(summary.t > 0.4 && summary.t <= 0.51) || last != summary.t || !e->advice[0])
                fail_msg("%s: %s, reached %g, last visit %g: '%s', '%s'", kind->kind.name, bl_status_text(status), summary.t, last, e->what,
                         e->advice);
            test_context_end(ctx);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters__out_of_their_range_are_refused_with_the_range),
        cmocka_unit_test(parameters__of_any_value_end_with_a_reason),
        cmocka_unit_test(parameters__that_make_a_method_unstable_warn_and_run),
        cmocka_unit_test(combinations__that_cannot_be_done_name_those_that_can),
        cmocka_unit_test(words_in_a_model__are_blamed_where_they_stand),
        cmocka_unit_test(numbers__of_a_run_must_make_sense),
        cmocka_unit_test(failures__keep_what_was_computed_and_name_the_equation),
        cmocka_unit_test(functions__that_answer_no_number_stop_every_method_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
