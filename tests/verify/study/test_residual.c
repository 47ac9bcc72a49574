/* The motion between steps satisfies the equations: fixed steps over a pole end the run, wherever it is inside them; steps that do not
 * resolve the motion are reported; motions that are resolved, however steep, get no warnings. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLIDER                                                          \
    "bodies: [{name: b, mass: 1, center: [0,0,0], inertia: [1,1,1]}]\n" \
    "joints: [{name: p, type: prismatic, bodies: [ground, b], at: [0,0,0], axis: [1,0,0]}]\n"

typedef struct outcome {
    bl_status status;
    double began;      /* of the first warning; NaN: none */
    double error_time; /* the reported time of failure */
    double rate;       /* last one of the first variable */
    char words[512];
} outcome;

static bl_status see(void *user, const bl_sample *sample) {
    ((outcome *)user)->rate = sample->variable_rate[0];
    return BL_OK;
}

static outcome run(const char *text, const bl_run_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    outcome o = {.began = NAN, .error_time = NAN};
    if (bl_model_read_text(ctx, "residual", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_sink sink = {.user = &o, .sample = see};
    o.status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    if (o.status != BL_OK) {
        snprintf(o.words, sizeof o.words, "%s", bl_context_error(ctx)->what);
        o.error_time = bl_context_error(ctx)->time;
    } else if (n > 0) {
        snprintf(o.words, sizeof o.words, "%s", warning[0].text);
        o.began = warning[0].time;
    }
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

/* Energy does not detect most of these: a step over a pole changes velocity and work consistently, and T - W stays small. Steps have the
 * pole at their ends, in their middle and in between. */
static void pole__ends_fixed_steps(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"rk4",     "newmark", "genalpha", "hht",   "trapezoidal", "bdf:2",
                                              "houbolt", "wilson",  "central",  "dimcd", "wbz",         "park"};
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    static const char *const laws[] = {"=1/(t-0.2)", "=0.001/(t-0.2)", "=-3/(t-0.2)^3", "=tan(t*pi/0.4)"};
    static const double steps[] = {0.001, 0.0013, 0.004 / 3, 0.0023, 0.011, 0.03};
    int k = 0; /* every method is combined with every law, step and kind of coordinates, but not all of them together */
    for (int i = 0; i < 12; i++)
        for (int l = 0; l < 4; l++)
            for (int s = 0; s < 6; s++, k++) {
                char text[1024];
                const char *coords = coordinates[k % 3];
                snprintf(text, sizeof text, SLIDER "forces: [{type: force, body: b, force: [\"%s\", 0, 0]}]\n", laws[l]);
                outcome o =
                    run(text, &(bl_run_options){.coordinates = coords, .integrator = integrators[i], .step = steps[s], .until = 0.6});
                if (o.status != BL_E_NUMERIC || !(fabs(o.error_time - 0.2) <= 2 * steps[s] + 0.01))
                    fail_msg("%s, %s, %s, %g: %d at %.9g: %s", integrators[i], laws[l], coords, steps[s], o.status, o.error_time, o.words);
            }
}

/* no bodies, no energy: first-order equations, by methods of all kinds */
static void pole_of_an_equation__ends_the_run(void **unused) {
    (void)unused;
    static const char text[] = "equations:\n  states: [{name: x, rate: \"=1/(t-0.2)\", start: 0}, {name: w, rate: \"=0.1*w\", start: 1}]\n";
    static const char *const integrators[] = {NULL, "dopri45", "dop853", "abm", "ndf_auto", "radau", "rk4", "trapezoidal", "bdf:2"};
    for (int i = 0; i < 9; i++) {
        outcome o = run(text, &(bl_run_options){.integrator = integrators[i], .until = 1});
        if (o.status != BL_E_NUMERIC || !(fabs(o.error_time - 0.2) <= 0.01))
            fail_msg("%s: %d at %.9g: %s", integrators[i] ? integrators[i] : "auto", o.status, o.error_time, o.words);
    }
}

/* ((t - 0.2)^2)^(-1/4) has an integral, 2 (sqrt 0.2 + sqrt 0.4) at 0.6; so has a peak of 10 ms: the run must not end there. */
static void steep_forces__with_an_integral_go_on(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"rk4", "newmark", "genalpha", "trapezoidal"};
    for (int i = 0; i < 4; i++) {
        static const char root[] = SLIDER "forces: [{type: force, body: b, force: [\"=((t-0.2)^2)^(-0.25)\", 0, 0]}]\n";
        static const char peak[] = SLIDER "forces: [{type: force, body: b, force: [\"=1/(1 + ((t-0.2)/0.01)^2)\", 0, 0]}]\n";
        outcome o = run(root, &(bl_run_options){.integrator = integrators[i], .step = 0.0007, .until = 0.6});
        if (o.status != BL_OK || !(fabs(o.rate - 2 * (sqrt(0.2) + sqrt(0.4))) < 0.1))
            fail_msg("%s: %.9g, %s", integrators[i], o.rate, o.words);
        o = run(peak, &(bl_run_options){.integrator = integrators[i], .step = 0.001, .until = 0.6});
        if (o.status != BL_OK || !isnan(o.began) || !(fabs(o.rate - 0.01 * (atan(20) + atan(40))) < 1e-4))
            fail_msg("%s: %.9g, %s", integrators[i], o.rate, o.words);
    }
}

/* an oscillator of 100 rad/s by steps of 1/200 and of 0.95 of its period */
static void steps__that_do_not_resolve_the_motion_say_so(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"newmark", "trapezoidal", "genalpha"}; /* stable for any step */
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    static const char text[] = SLIDER "forces: [{type: rotational_spring, variable: p.distance, stiffness: 1e4}]\n"
                                      "initial: {p.rate: 1}\n";
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            bl_run_options options = {.coordinates = coordinates[c], .integrator = integrators[i], .step = 0.0003, .until = 0.3};
            outcome o = run(text, &options);
            if (o.status != BL_OK || !isnan(o.began))
                fail_msg("%s, %s: %s", integrators[i], coordinates[c], o.words);
            options.step = 0.06;
            options.until = 6;
            o = run(text, &options);
            if (o.status == BL_OK && !(strstr(o.words, "do not resolve") && o.began < 1))
                fail_msg("%s, %s: nothing said, %s", integrators[i], coordinates[c], o.words);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(pole__ends_fixed_steps), cmocka_unit_test(pole_of_an_equation__ends_the_run),
                                       cmocka_unit_test(steep_forces__with_an_integral_go_on),
                                       cmocka_unit_test(steps__that_do_not_resolve_the_motion_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
