/* Parts without connection to the ground conserve their momenta, whatever acts inside them: accurate runs get no warnings, coarse ones a
 * warning with a time; parts connected to the ground are not checked. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct outcome {
    bl_status status;
    double began; /* of a warning about momentum; NaN: none */
    char words[512];
} outcome;

static outcome run(const char *text, const bl_run_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    outcome o = {.began = NAN};
    if (bl_model_read_text(ctx, "momentum", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    o.status = bl_simulate(ctx, model, options, NULL, 0, NULL);
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    snprintf(o.words, sizeof o.words, "%s", o.status ? bl_context_error(ctx)->what : n > 0 ? warning[0].text : "");
    for (bl_index i = 0; i < n; i++)
        if (strstr(warning[i].text, "momentum") && isnan(o.began)) {
            o.began = warning[i].time;
            snprintf(o.words, sizeof o.words, "%s", warning[i].text);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

/* three bodies on crossed revolute joints, a spring inside, tumbling in space; more: further forces */
static const char *chain(const char *gravity, const char *more) {
    static char text[2048];
    snprintf(text, sizeof text,
             "gravity: %s\n"
             "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [0.02,0.03,0.04]}, {name: b, mass: 2, center: [1,0,0], inertia: "
             "[0.05,0.03,0.02]},\n"
             "         {name: c, mass: 1.5, center: [2,0.3,0], inertia: [0.02,0.06,0.05]}]\n"
             "joints: [{name: A, type: revolute, bodies: [a, b], at: [0.5,0,0], axis: [0,0,1]},\n"
             "         {name: B, type: revolute, bodies: [b, c], at: [1.5,0,0], axis: [0,1,0]}]\n"
             "forces: [{type: spring, body_a: a, body_b: c, at: [0,0,0], to: [2,0.3,0], stiffness: 20, length: 1.5}%s]\n"
             "initial: {A.rate: 4, B.rate: -3, a: {velocity: [0.3, 0.1, -0.2], angular_velocity: [1, 5, 2]}}\n",
             gravity, more);
    return text;
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:angles", "relative"};

static void free_chain__keeps_its_momenta(void **unused) {
    (void)unused;
    static const char *const integrators[] = {NULL, "dopri45", "dop853", "abm", "rk4", "genalpha"};
    for (int c = 0; c < 5; c++)
        for (int i = 0; i < 6; i++)
            for (int g = 0; g < 2; g++) {
                bl_run_options options = {.coordinates = coordinates[c], .integrator = integrators[i], .until = 1};
                outcome o = run(chain(g ? "[0, 0, -9.81]" : "[0, 0, 0]", ""), &options);
                if (o.status != BL_OK || !isnan(o.began))
                    fail_msg("%s, %s: %g, %s", coordinates[c], integrators[i] ? integrators[i] : "auto", o.began, o.words);
            }
}

/* Steps of a sixth of a revolution of the fastest body: with velocities of joints or angles the Runge-Kutta method does not conserve
 * momentum. (In natural coordinates, where momentum is linear and angular momentum bilinear, less than a tenth is lost: fixed steps
 * guarantee nothing.) */
static void coarse_steps__lose_it_and_say_so(void **unused) {
    (void)unused;
    static const struct {
        const char *coordinates;
        double step;
    } cases[] = {{"reference", 0.2}, {"reference", 0.3}, {"reference:angles", 0.3}, {"relative", 0.2}};
    for (int c = 0; c < 4; c++) {
        bl_run_options options = {.coordinates = cases[c].coordinates, .integrator = "rk4", .step = cases[c].step, .until = 6};
        outcome o = run(chain("[0, 0, 0]", ""), &options);
        if (!(o.began >= 0 && o.began < 6) || !strstr(o.words, "'a'"))
            fail_msg("%s: nothing said, %s", cases[c].coordinates, o.words);
    }
}

/* A force without a reaction partner, a spring or a joint to the ground: momenta change, without warnings. */
static void what_touches_the_ground__is_not_judged(void **unused) {
    (void)unused;
    static const char *const more[] = {", {type: force, body: b, force: [30, 0, 10]}", ", {type: torque, body: c, torque: [0, 3, 0]}",
                                       ", {type: spring, body_a: b, at: [1,0,0], to: [1,2,0], stiffness: 50, length: 1}"};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 5; c += 2) {
            outcome o = run(chain("[0, 0, 0]", more[k]), &(bl_run_options){.coordinates = coordinates[c], .until = 1});
            if (o.status != BL_OK || !isnan(o.began))
                fail_msg("%s, %s: %s", more[k], coordinates[c], o.words);
        }
    /* with a partner it is internal again: conserved, and no warning */
    outcome o =
        run(chain("[0, 0, 0]",
                  ", {type: force, body: b, against: c, force: [3, 0, 1]}, {type: torque, body: a, against: c, torque: [0, 0.3, 0]}"),
            &(bl_run_options){.until = 1});
    if (o.status != BL_OK || !isnan(o.began))
        fail_msg("%s", o.words);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_chain__keeps_its_momenta), cmocka_unit_test(coarse_steps__lose_it_and_say_so),
                                       cmocka_unit_test(what_touches_the_ground__is_not_judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
