/* Screws and gears whose masses, inertias and ratios differ by six decades, by formulations with compliant rows. All accelerations are
 * constant and known by hand: a screw of pitch p moves its mass m by h = p / 2 pi per radian, so its inertia is J + m h^2; a gear of ratio
 * r moves J2 by r, so it is J1 + r^2 J2. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:angles", "relative"};
static const char *const formulations[] = {"penalty", "auglag", "auglag:project=stage"};
enum { COORDINATES = 5, FORMULATIONS = 3 };

typedef struct seen {
    double variable[4], rate[4];
    bl_index n;
} seen;

static bl_status begin(void *user, const bl_run_info *info) {
    ((seen *)user)->n = info->nvariable < 4 ? info->nvariable : 4;
    return BL_OK;
}

static bl_status see(void *user, const bl_sample *sample) {
    seen *s = user;
    memcpy(s->variable, sample->variable, (size_t)s->n * sizeof(double));
    memcpy(s->rate, sample->variable_rate, (size_t)s->n * sizeof(double));
    return BL_OK;
}

/* the first variable at the end is `exact`, within the relative error `within`, in all coordinates with all formulations, without a
 * warning */
static void expect(const char *text, double until, double tolerance, double exact, double within) {
    for (int c = 0; c < COORDINATES; c++)
        for (int f = 0; f < FORMULATIONS; f++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            seen s = {0};
            if (bl_model_read_text(ctx, "coupling", text, strlen(text), NULL, 0, &model) != BL_OK)
                fail_msg("%s", bl_context_error(ctx)->what);
            bl_run_options options = {.coordinates = coordinates[c],
                                      .formulation = formulations[f],
                                      .integrator = "dopri45",
                                      .tolerance = tolerance,
                                      .until = until};
            bl_status status = bl_simulate(ctx, model, &options, &(bl_sink){.user = &s, .begin = begin, .sample = see}, 1, NULL);
            const bl_warning *warning;
            bl_index more, n = bl_context_warnings(ctx, &warning, &more);
            if (status != BL_OK || n > 0 || !(fabs(s.variable[0] - exact) <= within * fabs(exact)))
                fail_msg("%s, %s: %.12g, not %.12g: %s\n%s", coordinates[c], formulations[f], s.variable[0], exact,
                         status  ? bl_context_error(ctx)->what
                         : n > 0 ? warning[0].text
                                 : "wrong",
                         text);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* a nut of mass m that falls on a spindle of inertia J; guided twice: two redundant rows */
static void screw_jack(double m, double J, double pitch, double speed, double until, double tolerance, double within) {
    char text[1024];
    snprintf(text, sizeof text,
             "gravity: [0, 0, -9.81]\n"
             "bodies: [{name: s, mass: 1, center: [0,0,0.5], inertia: [%.17g, %.17g, %.17g]}, {name: n, mass: %.17g, center: [0,0,0.5], "
             "inertia: [1, 1, 1]}]\n"
             "joints: [{name: h, type: revolute, bodies: [ground, s], at: [0,0,0], axis: [0,0,1]},\n"
             " {name: p, type: prismatic, bodies: [ground, n], at: [0,0,0.5], axis: [0,0,1]},\n"
             " {name: k, type: screw, bodies: [s, n], at: [0,0,0.5], axis: [0,0,1], pitch: %.17g}]\ninitial: {h.rate: %.17g}\n",
             J, J, J, m, pitch, speed);
    double h = pitch / (2 * acos(-1)), a = m * 9.81 * h / (J + m * h * h);
    expect(text, until, tolerance, speed * until + 0.5 * a * until * until, within);
}

/* a tolerance of 1e-8 over about ten to a hundred steps, up to the angle times 1e3 in a step of pitch */
static void screws__of_six_decades_turn_as_their_inertia_says(void **unused) {
    (void)unused;
    static const double mass[] = {1e-3, 1, 1e3}, inertia[] = {1e-3, 1, 1e3}, pitch[] = {1e-3, 1};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = (i + j) % 2; k < 2; k += 2)
                screw_jack(mass[i], inertia[j], pitch[k], 1, 0.5, 1e-8, 1e-5);
}

static void gears__of_six_decades_turn_as_their_inertia_says(void **unused) {
    (void)unused;
    static const double inertia[] = {1e-3, 1, 1e3}, ratio[] = {1e-3, -1, 1e3};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = (i + j) % 2; k < 3; k += 2) {
                char text[1024];
                double J1 = inertia[i], J2 = inertia[j], r = ratio[k], J = J1 + r * r * J2;
                snprintf(text, sizeof text,
                         "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [%.17g, %.17g, %.17g]}, {name: b, mass: 1, center: "
                         "[1,0,0], inertia: [%.17g, %.17g, %.17g]}]\n"
                         "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
                         " {name: A2, type: revolute, bodies: [ground, a], at: [0,0,1], axis: [0,0,1]},\n"
                         " {name: B, type: revolute, bodies: [ground, b], at: [1,0,0], axis: [0,0,1]},\n"
                         " {name: G, type: gear, first: A.angle, second: B.angle, ratio: %.17g}]\n"
                         "forces: [{type: torque, body: a, torque: [0, 0, %.17g]}]\n",
                         J1, J1, J1, J2, J2, J2, r, J / fmax(1, fabs(r)));
                expect(text, 1, 1e-8, 0.5 / fmax(1, fabs(r)), 1e-5); /* the faster one rotates by half a radian */
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(screws__of_six_decades_turn_as_their_inertia_says),
                                       cmocka_unit_test(gears__of_six_decades_turn_as_their_inertia_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
