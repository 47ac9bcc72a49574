/* The coordinates `sines` of docs/CONTRIBUTING.md: a thrown four-bar linkage with a spring on an angle moves as in
 * natural coordinates. Both runs are within some hundred tolerances of the motion. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <string.h>

static const char linkage[] = "dimension: 2\n"
                              "gravity: [0, -9.81]\n"
                              "points: {A: [0, 0], B: [0, 0.2], C: [0.4, 0.45], D: [0.5, 0]}\n"
                              "bodies:\n"
                              "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n"
                              "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                              "  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}\n"
                              "joints:\n"
                              "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                              "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                              "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                              "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
                              "forces: [{type: rotational_spring, variable: A.angle, stiffness: 2}]\n"
                              "probes: {C: {body: coupler, at: C}}\n"
                              "initial: {A.rate: 12}\n";

static bl_status keep_probe(void *user, const bl_sample *s) {
    memcpy(user, s->probe, 3 * sizeof(double));
    return BL_OK;
}

static void end_of(const char *coordinates, double C[3]) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = C, .sample = keep_probe};
    bl_run_options options = {.coordinates = coordinates, .until = 1, .tolerance = 1e-10};
    bl_status status = bl_model_read_text(ctx, "linkage", linkage, strlen(linkage), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void motion__is_that_of_natural_coordinates(void **unused) {
    (void)unused;
    double natural[3], sines[3];
    end_of("natural", natural);
    end_of("sines", sines);
    for (int k = 0; k < 2; k++)
        assert_true(fabs(natural[k] - sines[k]) < 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(motion__is_that_of_natural_coordinates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
