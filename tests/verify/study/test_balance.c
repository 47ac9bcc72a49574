/* A run whose own balances contradict its tolerance reports it, with the time it began; one whose result is worthless ends. Correct runs
 * get no warnings. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a spindle at 1000 rad/s, a nut guided twice: two redundant rows */
#define JACK(pitch)                                                                                                \
    "gravity: [0, 0, -9.81]\nbodies: [{name: s, cylinder: {from: [0,0,0], to: [0,0,1], radius: 0.05}, mass: 1},\n" \
    " {name: n, box: {center: [0,0,0.5], size: [0.2,0.2,0.1]}, mass: 20}]\n"                                       \
    "joints: [{name: h, type: revolute, bodies: [ground, s], at: [0,0,0], axis: [0,0,1]},\n"                       \
    " {name: p, type: prismatic, bodies: [ground, n], at: [0,0,0.5], axis: [0,0,1]},\n"                            \
    " {name: k, type: screw, bodies: [s, n], at: [0,0,0.5], axis: [0,0,1], pitch: " pitch "}]\ninitial: {h.rate: 1000}\n"
#define DISC                                                                  \
    "bodies: [{name: d, mass: 1, inertia: [1, 1, 1.5], center: [0, 0, 0]}]\n" \
    "joints: [{name: h, type: revolute, bodies: [ground, d], at: [0, 0, 0], axis: [0, 0, 1]}]\ninitial: {h.rate: 1000}\n"
#define SLIDER                                                          \
    "bodies: [{name: b, mass: 1, center: [0,0,0], inertia: [1,1,1]}]\n" \
    "joints: [{name: p, type: prismatic, bodies: [ground, b], at: [0,0,0], axis: [1,0,0]}]\n"

typedef struct outcome {
    bl_status status;
    bl_run_summary summary;
    double began;      /* of the energy warning; NaN: none */
    double error_time; /* the reported time of failure */
    char error[512];
    double angle; /* last value of the first variable */
    double kinetic;
    bool penalty; /* a penalty was reported as too small */
} outcome;

static bl_status see(void *user, const bl_sample *sample) {
    outcome *o = user;
    o->angle = sample->variable[0];
    o->kinetic = sample->kinetic;
    return BL_OK;
}

static outcome run(const char *text, const bl_run_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    outcome o = {.began = NAN};
    if (bl_model_read_text(ctx, "balance", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_sink sink = {.user = &o, .sample = see};
    o.status = bl_simulate(ctx, model, options, &sink, 1, &o.summary);
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    for (bl_index i = 0; i < n; i++)
        if (strstr(warning[i].text, "energy balance") && isnan(o.began))
            o.began = warning[i].time;
        else if (strstr(warning[i].text, "larger alpha"))
            o.penalty = true;
    snprintf(o.error, sizeof o.error, "%s", bl_context_error(ctx)->what);
    o.error_time = bl_context_error(ctx)->time;
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

/* 1 N s / (t - 0.2 s): the speed is infinite at 0.2 s, with any method */
static void pole__ends_the_run(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"series", "dopri45", "dop853", "abm", "ndf_auto"};
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    static const char *const laws[] = {"=1/(t-0.2)", "=0.001/(t-0.2)", "=1/(t-0.2)^3", "=tan(t*pi/0.4)"};
    for (int l = 0; l < 4; l++)
        for (int c = 0; c < 3; c++)
            for (int i = c == 0 ? 0 : 1; i < 5; i++) {
                char text[1024];
                snprintf(text, sizeof text, SLIDER "forces: [{type: force, body: b, force: [\"%s\", 0, 0]}]\n", laws[l]);
                outcome o = run(text, &(bl_run_options){.coordinates = coordinates[c], .integrator = integrators[i], .until = 1});
                if (o.status != BL_E_NUMERIC || !(fabs(o.summary.t - 0.2) < 0.05) || !(fabs(o.error_time - 0.2) < 0.01))
                    fail_msg("%s, %s, %s: %d at %.9g, %.9g: %s", laws[l], coordinates[c], integrators[i], o.status, o.summary.t,
                             o.error_time, o.error);
            }
}

/* quaternions at 1000 rad/s with a tolerance of 1e-3: the energy grows without bound */
static void growing_energy__ends_the_run(void **unused) {
    (void)unused;
    outcome o = run(DISC, &(bl_run_options){.coordinates = "reference", .integrator = "dopri45", .tolerance = 1e-3, .until = 10});
    assert_int_equal(o.status, BL_E_NUMERIC);
    assert_non_null(strstr(o.error, "energy balance"));
    assert_true(o.began > 0 && o.began < o.summary.t && o.summary.t < 5);
    assert_true(o.kinetic < 3 * 750e3); /* it ends before the numbers overflow */
    /* explicit steps far beyond their limit */
    static const char spring[] = SLIDER "forces: [{type: rotational_spring, variable: p.distance, stiffness: 1e6}]\ninitial: {p.rate: 1}\n";
    o = run(spring, &(bl_run_options){.integrator = "rk4", .step = 0.01, .until = 10});
    assert_int_equal(o.status, BL_E_NUMERIC);
    assert_non_null(strstr(o.error, "gained"));
    o = run(spring, &(bl_run_options){.integrator = "rk4", .step = 1e-3, .until = 1});
    assert_int_equal(o.status, BL_OK);
}

/* Numerical damping is not an error of fixed steps; sensible tolerances cause no warnings. */
static void right_runs__are_left_in_peace(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "reference", "reference:angles", "relative"};
    static const char *const integrators[] = {"dopri45", "dop853", "abm"};
    static const char *const formulations[] = {"partition", "lagrange", "projection", "baumgarte", "penalty", "auglag", "null_space"};
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++)
            for (int f = 0; f < 7; f++) {
                outcome o =
                    run(JACK("0.01"),
                        &(bl_run_options){
                            .coordinates = coordinates[c], .integrator = integrators[i], .formulation = formulations[f], .until = 0.05});
                if (o.status != BL_OK || !isnan(o.began))
                    fail_msg("%s, %s, %s: %d, %g: %s", coordinates[c], integrators[i], formulations[f], o.status, o.began, o.error);
            }
    outcome o = run(SLIDER "forces: [{type: rotational_spring, variable: p.distance, stiffness: 1e4}]\ninitial: {p.rate: 1}\n",
                    &(bl_run_options){.integrator = "houbolt", .step = 0.01, .until = 2});
    assert_int_equal(o.status, BL_OK);
    assert_true(o.kinetic < 0.1 && isnan(o.began));
}

/* angle = 1000 t + (m g h / (I + m h^2)) t^2 / 2 with h = pitch / 2 pi. Off the constraints, redundant rows are independent: penalties on
 * them would hold the screw. The method's own error at 1e-6 is 0.02 rad of 643 (lagrange, baumgarte). */
static void penalties__let_a_redundant_screw_turn(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:angles", "relative"};
    static const char *const formulations[] = {"penalty", "auglag", "penalty:alpha=1e7", "auglag:project=stage", "auglag:project=step"};
    double h = 0.01 / (2 * acos(-1)), inertia = 0.5 * 0.05 * 0.05, t = 0.6;
    double exact = 1000 * t + 0.5 * t * t * 20 * 9.81 * h / (inertia + 20 * h * h);
    for (int c = 0; c < 5; c++)
        for (int f = 0; f < 5; f++) {
            outcome o =
                run(JACK("0.01"),
                    &(bl_run_options){.coordinates = coordinates[c], .formulation = formulations[f], .integrator = "dopri45", .until = t});
            if (o.status != BL_OK || !(fabs(o.angle - exact) < 0.1))
                fail_msg("%s, %s: %.6g instead of %.6g: %s", coordinates[c], formulations[f], o.angle, exact, o.error);
        }
}

/* a penalty of alpha masses transmits a load with an error of 1 / alpha at best: reported if that is above the tolerance, and only then */
static void penalties__that_cannot_hold_the_tolerance_say_so(void **unused) {
    (void)unused;
    static const struct {
        const char *formulation;
        double tolerance;
        const char *integrator;
        bool said;
    } cases[] = {{"penalty:alpha=1e5", 1e-6, "dopri45", true},
                 {"penalty:alpha=1e5", 1e-4, "dopri45", false},
                 {"penalty", 1e-9, "dop853", false},
                 {"auglag:alpha=10,iterations=3", 1e-6, "dopri45", true},
                 {"auglag:alpha=1e3", 1e-6, "dopri45", false},
                 {"penalty:alpha=1e3", 1e-6, "rk4", false},
                 {"penalty:1e7,rows=raw", 1e-6, "dopri45", true},
                 {"penalty:1e9,rows=raw", 1e-6, "dopri45", false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        outcome o = run(JACK("0.01"), &(bl_run_options){.formulation = cases[k].formulation,
                                                        .integrator = cases[k].integrator,
                                                        .tolerance = cases[k].tolerance,
                                                        .coordinates = "relative",
                                                        .until = 0.001});
        if (o.status != BL_OK || o.penalty != cases[k].said)
            fail_msg("%s at %g: %s", cases[k].formulation, cases[k].tolerance, o.penalty ? "said" : "not said");
    }
}

/* a spring whose damper acts beyond 3 m only, far from the model configuration: its loss is counted all the same */
static void dampers_of_one_piece__are_counted(void **unused) {
    (void)unused;
    outcome o = run(SLIDER "forces: [{type: rotational_spring, variable: p.distance, stiffness: 4, torque: \"=x > 3 ? -2*xd : 0\"}]\n"
                           "initial: {p.distance: 5}\n",
                    &(bl_run_options){.until = 4, .tolerance = 1e-9});
    assert_int_equal(o.status, BL_OK);
    assert_true(isnan(o.began));
    assert_true(o.summary.largest_energy_error < 1e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dampers_of_one_piece__are_counted),     cmocka_unit_test(pole__ends_the_run),
        cmocka_unit_test(growing_energy__ends_the_run),          cmocka_unit_test(right_runs__are_left_in_peace),
        cmocka_unit_test(penalties__let_a_redundant_screw_turn), cmocka_unit_test(penalties__that_cannot_hold_the_tolerance_say_so)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
