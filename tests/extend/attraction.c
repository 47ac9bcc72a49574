/* The force `attraction` of docs/CONTRIBUTING.md on a free body: Kepler's ellipse. With k = m = 1, from (1, 0) at the speed s of the
 * apocenter the semi-major axis is a = 1 / (2 - s^2), the period 2 pi a^1.5. Full periods lead back to the start, in every kind of
 * coordinates; the potential belongs to the force where energy stays. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct orbit {
    double end[2], energy_error;
} orbit;

static bl_status sample(void *user, const bl_sample *s) {
    orbit *o = user;
    o->end[0] = s->probe[0];
    o->end[1] = s->probe[1];
    o->energy_error = fmax(o->energy_error, fabs(s->energy_error));
    return BL_OK;
}

static void full_periods__lead_back_to_the_start(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
    static const char text[] = "model: orbit\n"
                               "dimension: 2\n"
                               "bodies: [{name: planet, mass: 1, center: [1, 0], inertia: 1}]\n"
                               "forces: [{name: sun, type: attraction, bodies: [ground, planet], at: [0, 0], to: [1, 0], strength: 1}]\n"
                               "probes: {P: {body: planet, at: [1, 0]}}\n"
                               "initial: {P: {velocity: [0, 0.8]}}\n";
    const double axis = 1 / (2 - 0.8 * 0.8), pi = acos(-1);
    for (int i = 0; i < 4; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        orbit o = {0};
        bl_sink sink = {.user = &o, .sample = sample};
        bl_run_options options = {.coordinates = coordinates[i], .until = 2 * 2 * pi * pow(axis, 1.5), .tolerance = 1e-10};
        bl_status status = bl_model_read_text(ctx, "orbit", text, strlen(text), NULL, 0, &model);
        if (status == BL_OK)
            status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
        if (status != BL_OK)
            fail_msg("%s: %s", coordinates[i], bl_context_error(ctx)->what);
        /* two turns of some 100 steps in all, each off by the tolerance; errors in the period grow along the orbit */
        assert_true(hypot(o.end[0] - 1, o.end[1]) < 1e-7);
        assert_true(o.energy_error < 1e-8);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(full_periods__lead_back_to_the_start)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
