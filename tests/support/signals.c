#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct collector {
    test_signal_run *run;
    const bl_run_info *info;
    int index[TEST_SIGNAL_NAMES], kind[TEST_SIGNAL_NAMES];
} collector;

enum { NOWHERE, VARIABLE, RATE, SIGNAL, KINETIC, ENERGY_ERROR };

static bool find(const char *name, const char *suffix, bl_index n, const char *const *names, int *index) {
    char full[128];
    for (bl_index i = 0; i < n; i++) {
        snprintf(full, sizeof full, "%s%s", names[i], suffix);
        if (strcmp(full, name) == 0) {
            *index = (int)i;
            return true;
        }
    }
    return false;
}

static bl_status begin(void *user, const bl_run_info *info) {
    collector *c = user;
    c->info = info;
    for (int k = 0; k < TEST_SIGNAL_NAMES && c->run->name[k]; k++) {
        const char *name = c->run->name[k];
        c->kind[k] = find(name, "", info->nvariable, info->variable, &c->index[k])        ? VARIABLE
                     : find(name, "_rate", info->nvariable, info->variable, &c->index[k]) ? RATE
                     : find(name, "", info->nsignal, info->signal, &c->index[k])          ? SIGNAL
                     : strcmp(name, "kinetic") == 0                                       ? KINETIC
                     : strcmp(name, "energy_error") == 0                                  ? ENERGY_ERROR
                                                                                          : NOWHERE;
        if (c->kind[k] == NOWHERE)
            fail_msg("%s: nothing is called %s", c->run->label, name);
    }
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    collector *c = user;
    test_signal_run *run = c->run;
    if (isfinite(sample->energy_error))
        run->largest_energy_error = fmax(run->largest_energy_error, fabs(sample->energy_error));
    for (int k = 0; k < TEST_SIGNAL_NAMES && run->name[k] && run->found < TEST_SIGNAL_TIMES; k++)
        run->value[run->found][k] = c->kind[k] == VARIABLE       ? sample->variable[c->index[k]]
                                    : c->kind[k] == RATE         ? sample->variable_rate[c->index[k]]
                                    : c->kind[k] == SIGNAL       ? sample->signal[c->index[k]]
                                    : c->kind[k] == ENERGY_ERROR ? sample->energy_error
                                                                 : sample->kinetic;
    run->found++;
    return BL_OK;
}

bl_status test_signal_execute(test_signal_run *run) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    collector c = {.run = run};
    bl_run_options o = {.coordinates = run->coordinates,
                        .formulation = run->formulation,
                        .integrator = run->integrator,
                        .tolerance = run->tolerance,
                        .step = run->step,
                        .at = run->at,
                        .nat = run->nat,
                        .inputs = run->inputs,
                        .until = run->until > 0 ? run->until : run->at[run->nat - 1]};
    bl_sink sink = {.user = &c, .begin = begin, .sample = take};
    snprintf(run->label, sizeof run->label, "%.24s %s %s %s", run->text, run->coordinates ? run->coordinates : "-",
             run->formulation ? run->formulation : "-", run->integrator ? run->integrator : "-");
    for (char *s = run->label; *s; s++)
        *s = *s == '\n' ? ' ' : *s;
    run->found = 0;
    run->largest_energy_error = 0;
    run->message[0] = run->advice[0] = run->warning[0] = '\0';
    run->status = bl_model_read_text(ctx, "signals", run->text, strlen(run->text), NULL, 0, &model);
    if (run->status == BL_OK)
        run->status = bl_simulate(ctx, model, &o, &sink, 1, &run->summary);
    if (run->status != BL_OK) {
        snprintf(run->message, sizeof run->message, "%s", bl_context_error(ctx)->what);
        snprintf(run->advice, sizeof run->advice, "%s", bl_context_error(ctx)->advice);
    }
    const bl_warning *warnings;
    bl_index n = bl_context_warnings(ctx, &warnings, NULL);
    if (n > 0)
        snprintf(run->warning, sizeof run->warning, "%s", warnings[n - 1].text);
    snprintf(run->stopped_by, sizeof run->stopped_by, "%s", run->status == BL_EVENT ? run->summary.stopped_by : "");
    run->summary.stopped_by = NULL; /* of the model */
    bl_model_destroy(model);
    test_context_end(ctx);
    return run->status;
}

void test_signal_expect(test_signal_run *run) {
    bl_status status = test_signal_execute(run);
    if (status != BL_OK && status != BL_EVENT)
        fail_msg("%s: %s (%s)", run->label, run->message, run->advice);
}

void test_signal_near(const test_signal_run *run, int i, int k, double want, double tolerance) {
    double got = i < run->found ? run->value[i][k] : NAN;
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %s at t = %g is %.12g, expected %.12g, off by %.2g > %.2g", run->label, run->name[k], run->at[i], got, want,
                 got - want, tolerance);
}
