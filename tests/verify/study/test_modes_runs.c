/* Modes compared with runs of small amplitude: random closed mechanisms with springs and dampers oscillate according to their
 * eigenvalues. */
#include "biela/biela.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double AMPLITUDE = 1e-5; /* nonlinear terms are smaller by the same factor again */

typedef struct seen {
    bl_index variable;
    double t[64], value[64];
    int n;
} seen;

static bl_status look(void *user, const bl_sample *sample) {
    seen *s = user;
    if (s->n < 64) {
        s->t[s->n] = sample->t;
        s->value[s->n++] = sample->variable[s->variable];
    }
    return BL_OK;
}

/* two uprights of different lengths and a coupler, all random; closed, one degree of freedom */
static void write(test_random *random, double start, bool begin, char *text, size_t size) {
    test_random same = *random;
    double a = 0.3 + 0.3 * test_random_unit(&same), c = 0.4 + 0.3 * test_random_unit(&same), base = 0.8 + 0.4 * test_random_unit(&same);
    double ta = 1.2 + 0.6 * test_random_unit(&same), tc = 1.2 + 0.6 * test_random_unit(&same), k = 30 + 30 * test_random_unit(&same);
    double d = 0.2 * test_random_unit(&same), m = 0.5 + test_random_unit(&same);
    int n = snprintf(
        text, size,
        "model: linkage\ndimension: 2\ngravity: [0, -9.81]\n"
        "points: {A: [0, 0], B: [%.9f, %.9f], C: [%.9f, %.9f], D: [%.9f, 0]}\n"
        "bodies:\n  - {name: a, rod: {from: A, to: B}, mass: %.6f}\n  - {name: b, rod: {from: B, to: C}, mass: 1}\n"
        "  - {name: c, rod: {from: C, to: D}, mass: 0.7}\n"
        "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: A}\n  - {name: B, type: revolute, bodies: [a, b], at: B}\n"
        "  - {name: C, type: revolute, bodies: [b, c], at: C}\n  - {name: D, type: revolute, bodies: [ground, c], at: D}\n"
        "forces:\n  - {type: rotational_spring, variable: A.angle, stiffness: %.6f, damping: %.6f}\n"
        "  - {type: rotational_spring, variable: D.angle, stiffness: 5}\n",
        a * cos(ta), a * sin(ta), base + c * cos(tc), c * sin(tc), base, m, k, d);
    if (begin)
        snprintf(text + n, size - (size_t)n, "initial: {A.angle: %.17g, A.rate: 0}\n", start);
}

static bl_model *read(bl_context *ctx, const char *text) {
    bl_model *model;
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    return model;
}

static void small_swings__follow_their_eigenvalue(void **unused) {
    (void)unused;
    test_random random = {test_seed(1903)};
    for (int round = 0; round < 6; round++) {
        char text[2048];
        bl_context *ctx = test_context(NULL);
        write(&random, 0, false, text, sizeof text);
        bl_model *model = read(ctx, text);
        bl_modes_report report = {0};
        if (bl_modes(ctx, model, NULL, NULL, 0, &report) != BL_OK)
            fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
        assert_int_equal(report.nmode, 1);
        double re = report.mode[0].re, im = report.mode[0].im, rest = report.value[0];
        assert_true(im > 0);
        bl_modes_report_destroy(ctx, &report);
        bl_model_destroy(model);
        write(&random, rest + AMPLITUDE, true, text, sizeof text);
        model = read(ctx, text);
        seen s = {0};
        bl_sink sink = {.user = &s, .sample = look};
        double until = 3 * 6.283185307179586 / im;
        bl_run_options options = {.until = until, .every = until / 40, .tolerance = 1e-12};
        if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_true(s.n > 40);
        for (int i = 0; i < s.n; i++) {
            double t = s.t[i], expected = AMPLITUDE * exp(re * t) * (cos(im * t) - re / im * sin(im * t));
            assert_near(s.value[i] - rest, expected, 1e-4 * AMPLITUDE);
        }
        bl_model_destroy(model);
        test_context_end(ctx);
        for (int i = 0; i < 8; i++)
            (void)test_random_unit(&random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_swings__follow_their_eigenvalue)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
