/* Units do not matter: lengths times s, masses times m and times times sqrt(s) give the same angles in the same field of gravity, in every
 * kind of coordinates, for mechanisms of a nanometer and of a thousand kilometers (Buckingham 1914: no number of the equations changes). */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a body whose points lie off its axes by 5e-5 of its size, and a slider-crank with such an offset */
static const char pendulum[] = "dimension: 2\ngravity: [0, -9.81]\nparameters: {s: %g, m: %g, e: 5e-5}\n"
                               "bodies:\n  - {name: a, mass: =m, center: ['=0.5*s', '=e*s'], inertia: '=m*s*s/12'}\n"
                               "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                               "probes: {p: {body: a, at: ['=s', '=e*s']}}\n";
static const char crank[] = "dimension: 2\ngravity: [0, -9.81]\nparameters: {s: %g, m: %g, e: 5e-5}\n"
                            "bodies:\n  - {name: a, mass: =m, center: ['=0.5*s', '=e*s'], inertia: '=m*s*s/12'}\n"
                            "  - {name: rod, mass: '=2*m', center: ['=2*s', 0], inertia: '=m*s*s'}\n"
                            "  - {name: block, mass: '=3*m', center: ['=3*s', 0], inertia: '=m*s*s'}\n"
                            "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                            "  - {name: k, type: revolute, bodies: [a, rod], at: ['=s', '=e*s']}\n"
                            "  - {name: l, type: revolute, bodies: [rod, block], at: ['=3*s', 0]}\n"
                            "  - {name: way, type: prismatic, bodies: [ground, block], at: ['=3*s', 0], axis: [1, 0]}\n"
                            "initial: {j.angle: 1}\n";

static bl_status keep_angle(void *user, const bl_sample *sample) {
    *(double *)user = sample->variable[0];
    return BL_OK;
}

static double angle(const char *text, double s, double m, const char *coordinates, const char *formulation) {
    char model_text[1024];
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    double end = NAN;
    bl_sink sink = {.user = &end, .sample = keep_angle, .want = BL_WANT_VARIABLES};
    bl_run_options options = {
        .coordinates = coordinates, .formulation = formulation, .until = sqrt(s), .every = sqrt(s), .tolerance = 1e-9};
    snprintf(model_text, sizeof model_text, text, s, m);
    assert_int_equal(bl_model_read_text(ctx, "units", model_text, strlen(model_text), NULL, 0, &model), BL_OK);
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    if (status != BL_OK)
        print_message("%s %s, %g m, %g kg: %s\n", coordinates, formulation ? formulation : "", s, m, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    return end;
}

static void angles__are_the_same_in_all_units_of_length(void **unused) {
    (void)unused;
    static const char *const texts[] = {pendulum, crank}, *const coordinates[] = {"natural", "mixed", "reference", "relative"};
    static const double sizes[] = {1e-9, 1e-6, 1e-3, 1e3};
    double worst = 0;
    for (int k = 0; k < 2; k++) {
        double want = angle(texts[k], 1, 1, "relative", NULL);
        for (int c = 0; c < 4; c++)
            for (int i = 0; i < 4; i++)
                worst = fmax(worst, fabs(angle(texts[k], sizes[i], 1, coordinates[c], NULL) - want));
    }
    print_message("largest difference of an angle: %.2g\n", worst);
    assert_true(worst < 1e-7); /* a hundred tolerances; the offset of 5e-5 changes angles by as much */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(angles__are_the_same_in_all_units_of_length)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
