/* A controller that samples a million times in a run of 1000 s: every sample is the end of a step, at offset + k T to the last bit. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 1000000 };
static const double PERIOD = 0.001, OFFSET = 0.0003;

/* PD control of a mass; the double pole at -10 is far slower than the samples: at the end x = 1 */
static const char text[] = "dimension: 2\n"
                           "held: {n: 0}\n"
                           "bodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                           "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                           "controllers: [{name: pd, every: 0.001, offset: 0.0003, output: '=100*(1 - j.distance) - 20*j.rate'}]\n"
                           "forces: [{type: force, body: c, at: [0, 0], force: [=pd, 0]}]\n"
                           "events: [{every: 0.001, offset: 0.0003, set: {n: =n + 1}}]\n";

typedef struct clock_run {
    long ends;   /* steps that ended at a sample */
    double x, n; /* at the end */
} clock_run;

static bl_status note_step(void *user, const bl_step *step) {
    clock_run *c = user;
    if (step->t == OFFSET + (double)c->ends * PERIOD)
        c->ends++;
    return BL_OK;
}

static bl_status note_sample(void *user, const bl_sample *sample) {
    clock_run *c = user;
    c->x = sample->variable[0];
    c->n = sample->signal[0];
    return BL_OK;
}

static void a_million_samples__do_not_drift(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "clock", text, strlen(text), NULL, 0, &model), BL_OK);
    for (int i = 0; i < 4; i++) {
        clock_run c = {.ends = 0};
        bl_sink sink = {.user = &c, .step = note_step, .sample = note_sample, .want = BL_WANT_VARIABLES | BL_WANT_SIGNALS};
        double until = SAMPLES * PERIOD, last = until - 0.0002;
        bl_run_options o = {.until = until, .at = &last, .nat = 1, .coordinates = coordinates[i]};
        assert_int_equal(bl_simulate(ctx, model, &o, &sink, 1, NULL), BL_OK);
        if (c.ends != SAMPLES || c.n != SAMPLES)
            fail_msg("%s: %ld of %d samples end a step, %.0f were counted", coordinates[i], c.ends, SAMPLES, c.n);
        assert_true(fabs(c.x - 1) < 1e-12);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_samples__do_not_drift)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
