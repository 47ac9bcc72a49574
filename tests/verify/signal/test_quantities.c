/* `quantities`: values in samples, by programs and without influence on the motion; names and laws that are refused. */
#include "biela/biela.h"
#include "biela/kinematics.h"
#include "biela/stepper.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PENDULUM                                                                                                               \
    "dimension: 2\ngravity: [0, -9.81]\nparameters: {k: 3}\nbodies: [{name: bob, rod: {from: [0, 0], to: [1, 0]}, mass: 2}]\n" \
    "joints: [{name: A, type: revolute, bodies: [ground, bob], at: [0, 0]}]\nprobes: {tip: {body: bob, at: [1, 0]}}\n"
#define SIGNALS "states: [{name: z, start: 1, rate: =-z}]\ncontrollers: [{name: out, output: =2*z + A.angle}]\n"
#define QUANTITIES                                                                                                           \
    "quantities:\n  length: {value: \"=hypot(tip.x, tip.y)\", unit: m}\n  speed: \"=hypot(tip.vx, tip.vy) - abs(A.rate)\"\n" \
    "  sum: =z + out + k*t\n  constant: 7\n  parameter: =2*k\n"

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model;
    if (bl_model_read_text(ctx, "quantities", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

typedef struct seen {
    char name[12][32], unit[12][8];
    bl_index n;
    long samples;
    double worst, angle[16];
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    seen *s = user;
    s->n = info->nsignal;
    assert_true(s->n <= 12);
    for (bl_index i = 0; i < s->n; i++) {
        snprintf(s->name[i], sizeof s->name[i], "%s", info->signal[i]);
        snprintf(s->unit[i], sizeof s->unit[i], "%s", info->signal_unit[i]);
    }
    return BL_OK;
}

/* z, out, then the quantities, each against what the sample says otherwise */
static bl_status compare(void *user, const bl_sample *sample) {
    seen *s = user;
    const double *q = sample->signal;
    double exact[] = {q[0], q[1], 1, 0, q[0] + q[1] + 3 * sample->t, 7, 6};
    assert_true(fabs(q[1] - 2 * q[0] - sample->variable[0]) < 1e-12);
    for (int i = 2; i < 7; i++)
        s->worst = fmax(s->worst, fabs(q[i] - exact[i]));
    s->samples++;
    return BL_OK;
}

static void quantities__are_shown_beside_signals(void **state) {
    (void)state;
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    for (int k = 0; k < 3; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, PENDULUM SIGNALS QUANTITIES);
        seen s = {.n = 0};
        bl_sink sink = {.user = &s, .begin = begin, .sample = compare};
        /* constraints hold between steps to the tolerance, times speeds of up to 5 */
        assert_int_equal(
            bl_simulate(ctx, model, &(bl_run_options){.until = 1, .tolerance = 1e-9, .coordinates = coordinates[k]}, &sink, 1, NULL),
            BL_OK);
        assert_int_equal(s.n, 7);
        assert_string_equal(s.name[2], "length");
        assert_string_equal(s.unit[2], "m");
        assert_string_equal(s.name[6], "parameter");
        if (!(s.samples > 100 && s.worst < 1e-8))
            fail_msg("%s: %ld samples, %.3g", coordinates[k], s.samples, s.worst);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static bl_status angles(void *user, const bl_sample *sample) {
    seen *s = user;
    if (s->samples < 16)
        s->angle[s->samples++] = sample->variable[0];
    return BL_OK;
}

static void quantities__do_not_change_the_motion(void **state) {
    (void)state;
    seen s[2] = {{.n = 0}, {.n = 0}};
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, k ? PENDULUM "quantities: {length: \"=hypot(tip.x, tip.y)\"}\n" : PENDULUM);
        bl_sink sink = {.user = &s[k], .sample = angles};
        assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 1, .every = 0.1}, &sink, 1, NULL), BL_OK);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    assert_true(s[0].samples == s[1].samples && s[0].samples > 5);
    assert_memory_equal(s[0].angle, s[1].angle, sizeof s[0].angle);
}

/* a sink that wants nothing but signals, and a program that reads a quantity by its name */
static bl_status alone(void *user, const bl_sample *sample) {
    assert_true(fabs(sample->signal[0] - 1) < 1e-8);
    ++*(long *)user;
    return BL_OK;
}

static void quantities__can_be_read_alone(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, PENDULUM "quantities: {length: \"=hypot(tip.x, tip.y)\"}\n");
    long samples = 0;
    bl_sink sink = {.user = &samples, .sample = alone, .want = BL_WANT_SIGNALS};
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 0.5}, &sink, 1, NULL), BL_OK);
    assert_true(samples > 100);
    bl_stepper *stepper;
    bl_index output;
    double value = 0;
    assert_int_equal(bl_stepper_create(ctx, model, &(bl_run_options){.until = 1}, &stepper), BL_OK);
    assert_int_equal(bl_stepper_output(stepper, "length", &output), BL_OK);
    assert_int_equal(bl_stepper_reach(stepper, 0.3), BL_OK);
    assert_int_equal(bl_stepper_read(stepper, 1, &output, &value), BL_OK);
    assert_true(fabs(value - 1) < 1e-8);
    bl_stepper_destroy(stepper);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void kinematics__shows_quantities(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model =
        read_text(ctx, PENDULUM "drivers: [{variable: A.angle, value: =t}]\nquantities: {length: \"=hypot(tip.x, tip.y)\"}\n");
    long samples = 0;
    bl_sink sink = {.user = &samples, .sample = alone, .want = BL_WANT_SIGNALS};
    assert_int_equal(bl_kinematics_study(ctx, model, NULL, &(bl_run_options){.until = 0.5}, &sink, 1, NULL, NULL), BL_OK);
    assert_true(samples > 100);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void mistakes__are_named(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {PENDULUM "quantities: {a: =tip.z}\n", "'tip.z'"},
        {PENDULUM "quantities: {a: =nothing}\n", "'nothing'"},
        {PENDULUM "quantities: {k: 1}\n", "'k' cannot be the name of a quantity: it is already the name of a parameter"},
        {PENDULUM SIGNALS "quantities: {z: 1}\n", "it is already the name of a state"},
        {PENDULUM "quantities: [{name: a, value: 1}, {name: a, value: 2}]\n", "two"},
        {PENDULUM "quantities: {a: {unit: m}}\n", "value"},
        {PENDULUM "quantities: {a: {value: 1, units: m}}\n", "units"},
        {PENDULUM "quantities: {a: \"=delay(tip.x, 0.1)\"}\n", "quantity 'a' uses a function with a memory"},
        {PENDULUM "quantities: {a: 1, b: =2*a}\n", "'a'"},
        {"equations: {states: [{name: y, start: 1, rate: =-y}]}\nquantities: {a: =y}\n",
         "'quantities' can only be used in models with bodies"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_status status = bl_model_read_text(ctx, "mistake", cases[k].text, strlen(cases[k].text), NULL, 0, &model);
        if (status != BL_E_MODEL || !strstr(bl_context_error(ctx)->what, cases[k].message))
            fail_msg("case %d: status %d, '%s'", (int)k, (int)status, bl_context_error(ctx)->what);
        test_context_end(ctx);
    }
}

static bl_status small_run(bl_context *ctx, void *user) {
    (void)user;
    static const char text[] = PENDULUM "quantities: {length: \"=hypot(tip.x, tip.y)\", constant: 7}\n";
    bl_model *model = NULL;
    long samples = 0;
    bl_sink sink = {.user = &samples, .sample = alone, .want = BL_WANT_SIGNALS};
    bl_status status = bl_model_read_text(ctx, "small", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 0.02, .every = 0.01}, &sink, 1, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    assert_true(test_failing_allocations(small_run, NULL) > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantities__are_shown_beside_signals),
        cmocka_unit_test(quantities__do_not_change_the_motion),
        cmocka_unit_test(quantities__can_be_read_alone),
        cmocka_unit_test(kinematics__shows_quantities),
        cmocka_unit_test(mistakes__are_named),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
