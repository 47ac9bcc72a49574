/* From a model to its frequency response, in all coordinates: quarter car and four-bar linkage of the table of studies, and a mechanism
 * driven for a long time by a small harmonic torque. */
#include "biela/biela.h"
#include "support/testing.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};

static const char car[] = "model: Quarter car\n"
                          "dimension: 2\n"
                          "gravity: [0, 0]\n"
                          "points: {W: [0, 0.3], B: [0, 0.8]}\n"
                          "bodies:\n"
                          "  - {name: wheel, mass: 40, center: W, inertia: 1}\n"
                          "  - {name: body, mass: 300, center: B, inertia: 10}\n"
                          "joints:\n"
                          "  - {name: jw, type: prismatic, bodies: [ground, wheel], at: W, axis: [0, 1]}\n"
                          "  - {name: jb, type: prismatic, bodies: [wheel, body], at: B, axis: [0, 1]}\n"
                          "forces:\n"
                          "  - {type: spring, bodies: [ground, wheel], at: [0, 0], to: W, stiffness: 1.8e5, length: 0.3}\n"
                          "  - {type: spring, bodies: [wheel, body], at: W, to: B, stiffness: 2e4, damping: 1500, length: 0.5}\n";

/* the response of every output to every input at w; H[noutput][ninput] */
static void respond(bl_context *ctx, const bl_model *model, const char *coordinates, const char *const *input, bl_index ninput,
                    const char *const *output, bl_index noutput, bl_index nomega, const double *omega, double complex *H) {
    bl_modes_options options = {
        .coordinates = coordinates, .linear = true, .input = input, .ninput = ninput, .output = output, .noutput = noutput};
    bl_modes_report report = {0};
    if (bl_modes(ctx, model, &options, NULL, 0, &report) != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(ctx)->what);
    assert_non_null(report.linear);
    assert_int_equal(bl_linear_response(ctx, report.linear, nomega, omega, (double *)H), BL_OK);
    bl_modes_report_destroy(ctx, &report);
}

static void assert_close(const char *kind, double complex found, double complex expected, double tolerance) {
    if (!(cabs(found - expected) <= tolerance * cabs(expected)))
        fail_msg("%s: %.15g %+.15g i, expected %.15g %+.15g i", kind, creal(found), cimag(found), creal(expected), cimag(expected));
}

/* a force on the wheel: (m s^2 + q + kt, -q; -q, M s^2 + q) (wheel, body) = (1, 0), q = k + c s */
static void quarter_car__has_its_response_in_all_coordinates(void **state) {
    static const char *const input[] = {"jw.force"}, *const output[] = {"body.y", "wheel.y"};
    const double omega[] = {0, 1, 7.5894939890, 30, 66.9168675534, 400};
    bl_model *model;
    assert_int_equal(bl_model_read_text(*state, "car", car, strlen(car), NULL, 0, &model), BL_OK);
    for (int kind = 0; kind < 4; kind++) {
        double complex H[6][2];
        respond(*state, model, kinds[kind], input, 1, output, 2, 6, omega, H[0]);
        for (int k = 0; k < 6; k++) {
            double complex s = I * omega[k], q = 2e4 + 1500 * s;
            double complex det = (300 * s * s + q) * (40 * s * s + q + 1.8e5) - q * q;
            assert_close(kinds[kind], H[k][0], q / det, 1e-9);
            assert_close(kinds[kind], H[k][1], (300 * s * s + q) / det, 1e-9);
        }
    }
    bl_model_destroy(model);
}

/* the four-bar linkage: one degree of freedom about the hanging position; digits of the table */
static void four_bar__has_the_response_of_its_table(void **state) {
    static const char *const input[] = {"A.torque"}, *const output[] = {"C.x", "C.y"};
    const double omega[] = {0, 5, 10.0018346993 * (1 + 1e-3), 100};
    bl_model *model;
    assert_int_equal(bl_model_read(*state, SCENES "/four_bar.yaml", NULL, 0, &model), BL_OK);
    for (int kind = 0; kind < 4; kind++) {
        double complex H[4][2];
        respond(*state, model, kinds[kind], input, 1, output, 2, 4, omega, H[0]);
        for (int k = 0; k < 4; k++) {
            double angle = 43.69698036 / (10.0018346993 * 10.0018346993 - omega[k] * omega[k]); /* of the crank */
            double tolerance = 1e-8 + 1e-9 * 100 / fabs(10.0018346993 * 10.0018346993 - omega[k] * omega[k]);
            assert_close(kinds[kind], H[k][0], 0.03092946069 * angle, tolerance);
            assert_close(kinds[kind], H[k][1], 0.03915660955 * angle, tolerance);
        }
    }
    bl_model_destroy(model);
}

/* ---- compared with the motion itself */

/* amplitude and phase of a variable over full periods at the end of a run, by Fourier sums */
typedef struct fourier {
    double omega, from;
    double complex sum;
    long n;
} fourier;

static bl_status take(void *user, const bl_sample *sample) {
    fourier *f = user;
    if (sample->t < f->from - 1e-9 || f->n == 32) /* one period without its end */
        return BL_OK;
    f->sum += sample->variable[0] * cexp(-I * f->omega * sample->t);
    f->n++;
    return BL_OK;
}

/* a pendulum with a spring and a damper at its joint, about its equilibrium under gravity; torque e sin(w t) */
static void long_run__settles_to_the_response(void **state) {
    static const char text[] = "model: Bent arm\n"
                               "dimension: 2\n"
                               "gravity: [0, -9.81]\n"
                               "parameters: {e: 0, w: 4}\n"
                               "bodies: [{name: arm, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                               "joints: [{name: j, type: revolute, bodies: [ground, arm], at: [0, 0]}]\n"
                               "forces:\n"
                               "  - {type: rotational_spring, variable: j.angle, stiffness: 12, damping: 1}\n"
                               "  - {type: torque, body: arm, torque: =e*sin(w*t)}\n"
                               "measure: [j.angle]\n"
                               "initial: {j.angle: -0.39}\n";
    static const char *const input[] = {"j.torque"}, *const output[] = {"j.angle"};
    const double w = 4, period = 2 * 3.14159265358979323846 / w;
    bl_model *model;
    double complex H;
    assert_int_equal(bl_model_read_text(*state, "arm", text, strlen(text), NULL, 0, &model), BL_OK);
    respond(*state, model, "natural", input, 1, output, 1, 1, &w, &H);
    bl_model_destroy(model);
    const double e = 1e-3;
    assert_int_equal(bl_model_read_text(*state, "arm", text, strlen(text), &(bl_override){"e", e}, 1, &model), BL_OK);
    fourier f = {.omega = w, .from = 19 * period};
    bl_sink sink = {.user = &f, .sample = take};
    /* damping 1 / (2 I) = 1.5 1/s: transients have decayed to e^-40 after 19 periods */
    bl_run_options run = {.until = 20 * period, .every = period / 32, .tolerance = 1e-11, .coordinates = "natural"};
    if (bl_simulate(*state, model, &run, &sink, 1, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(*state)->what);
    bl_model_destroy(model);
    /* sin = Im e^(i w t): the sum over a period is n/2 times amplitude times -i */
    double complex found = f.sum * 2 / 32 * I / e;
    print_message("response %.9g %+.9g i, run %.9g %+.9g i (%ld samples)\n", creal(H), cimag(H), creal(found), cimag(found), f.n);
    assert_close("run", found, H, 1e-5); /* terms of third order: (e |H|)^2 = 1e-8; samples by dense output */
}

static int begin(void **state) { return (*state = test_context(NULL)) ? 0 : -1; }
static int end(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(quarter_car__has_its_response_in_all_coordinates),
                                       TEST(four_bar__has_the_response_of_its_table), TEST(long_run__settles_to_the_response)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
