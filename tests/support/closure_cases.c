/* See closure_cases.h. */
#include "support/closure_cases.h"

#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_status begin(void *user, const bl_run_info *info) {
    ((test_fall *)user)->dof = info->dof;
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    memcpy(((test_fall *)user)->P, sample->probe, 3 * sizeof(double));
    return BL_OK;
}

void test_fall_run(const char *text, const char *coordinates, const char *formulation, const char *integrator, double closure, double until,
                   test_fall *fall) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_run_summary summary = {0};
    const bl_warning *warning;
    memset(fall, 0, sizeof *fall);
    if (bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    bl_run_options options = {.coordinates = coordinates,
                              .formulation = formulation,
                              .integrator = integrator,
                              .closure = closure,
                              .until = until,
                              .tolerance = 1e-9,
                              .every = until / 4};
    bl_sink sink = {.user = fall, .begin = begin, .sample = take};
    fall->status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
    if (fall->status != BL_OK)
        snprintf(fall->error, sizeof fall->error, "%s; %s", bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
    fall->drift = summary.largest_drift;
    fall->misfit = summary.largest_misfit;
    fall->energy_error = summary.largest_energy_error;
    bl_index n = bl_context_warnings(ctx, &warning, NULL);
    for (bl_index i = 0; i < n; i++) {
        if (strstr(warning[i].text, "is redundant but for")) {
            fall->named++;
            snprintf(fall->text, sizeof fall->text, "%s", warning[i].text);
            snprintf(fall->part, sizeof fall->part, "%s", warning[i].part);
        } else {
            fall->others++;
            snprintf(fall->error, sizeof fall->error, "warning: %s", warning[i].text);
        }
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static double apart(const double *a, const double *b) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

double test_closure_for(const test_overconstrained *mechanism, double off) {
    return fmin(fmax(pow(10, ceil(log10(off / mechanism->size) - 1e-9)), 1e-12), 1e-3);
}

/* How far the error of a dimension may move P, beyond the tolerances of two runs: rows that are kept may be up to 5 times smaller than
 * those dropped, lever arms multiply it by a few, and it grows with time. */
static double allowed(double off) { return 1e-7 + 50 * off; }
/* J, of some 40 J: where rows are exchanged, velocities jump by the same fraction */
static double allowed_energy(double off) { return 1e-5 + 100 * 40 * off; }

void test_closure_case(const test_overconstrained *mechanism, double off, const char *coordinates) {
    static char text[TEST_OVERCONSTRAINED_TEXT];
    test_fall exact, plain, with_closure;
    test_overconstrained_write(mechanism, 0, text);
    test_fall_run(text, coordinates, NULL, NULL, 0, mechanism->until, &exact);
    if (exact.status != BL_OK || exact.named || exact.others)
        fail_msg("%s, %s, exact: %s%s", mechanism->name, coordinates, exact.error, exact.text);
    test_overconstrained_write(mechanism, off, text);
    test_fall_run(text, coordinates, NULL, NULL, 0, mechanism->until, &plain);
    bool moves = plain.status == BL_OK && plain.dof == exact.dof && apart(plain.P, exact.P) < allowed(off) && !plain.others;
    if (!moves && !plain.named)
        fail_msg("%s, %s, off by %g: neither moves as it should (%g m apart) nor reports what locks it: %s", mechanism->name, coordinates,
                 off, apart(plain.P, exact.P), plain.error);
    if (!moves) {
        double amount = 0;
        const char *number = strstr(plain.text, "but for ");
        assert_true(number && sscanf(number, "but for %lf", &amount) == 1);
        if (!strstr(plain.part, mechanism->last) || !(amount > off / 30 && amount < 30 * off))
            fail_msg("%s, %s, off by %g: %s", mechanism->name, coordinates, off, plain.text);
    }
    if (!moves && !strstr(plain.text, "closure:")) /* too large for an error of rounded dimensions */
        return;
    double closure = test_closure_for(mechanism, off);
    test_fall_run(text, coordinates, NULL, NULL, closure, mechanism->until, &with_closure);
    double difference = apart(with_closure.P, exact.P);
    if (with_closure.status != BL_OK || with_closure.named || with_closure.others || !(difference < allowed(off)) ||
        with_closure.dof != exact.dof)
        fail_msg("%s, %s, off by %g, closure %g: %d degrees of freedom, %g m apart, %s%s", mechanism->name, coordinates, off, closure,
                 (int)with_closure.dof, difference, with_closure.error, with_closure.text);
    if (!(with_closure.drift < 1e-8) || !(with_closure.misfit < 1e-8 + 30 * off) || !(with_closure.energy_error < allowed_energy(off)))
        fail_msg("%s, %s, off by %g, closure %g: drift %g, misfit %g, energy error %g J", mechanism->name, coordinates, off, closure,
                 with_closure.drift, with_closure.misfit, with_closure.energy_error);
}
