/* The work of forces without potential and of drivers over long steps of power series: as accurate as the motion. Each model has its
 * balance in closed form. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* x = cos 2t by a force that is a law: no potential, kinetic energy = work */
static const char spring_by_law[] = "model: spring by law\ndimension: 2\n"
                                    "bodies: [{name: d, mass: 1, center: [1, 0], inertia: 1}]\n"
                                    "joints: [{name: s, type: prismatic, bodies: [ground, d], at: [1, 0], axis: [1, 0]}]\n"
                                    "forces: [{type: force, body: d, at: [1, 0], force: ['=-4*s.distance', 0]}]\n"
                                    "initial: {s.distance: 1}\nsimulate: {until: 40}\n";
/* x = sin 3t prescribed: the driver provides the kinetic energy */
static const char driven[] = "model: driven\ndimension: 2\n"
                             "bodies: [{name: d, mass: 1, center: [1, 0], inertia: 1}]\n"
                             "joints: [{name: s, type: prismatic, bodies: [ground, d], at: [1, 0], axis: [1, 0]}]\n"
                             "drivers: [{variable: s.distance, value: '=sin(3*t)'}]\nsimulate: {until: 20}\n";
/* the same spring as matrices, its force a load in time: x = cos 2t */
static const char loaded[] = "model: loaded\nmatrices: {size: 1, names: u, M: 1, load: '=-4*cos(2*t)', initial: {positions: 1}}\n"
                             "simulate: {until: 40}\n";

static double balance(const char *text, double tolerance, long *steps) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_run_summary summary = {0};
    bl_run_options options = {.integrator = "series", .tolerance = tolerance};
    assert_int_equal(bl_model_read_text(ctx, "test", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, &summary), BL_OK);
    *steps = summary.steps;
    bl_model_destroy(model);
    test_context_end(ctx);
    return summary.largest_energy_error;
}

static void work__is_as_exact_as_the_motion(void **state) {
    (void)state;
    const char *const text[] = {spring_by_law, driven, loaded};
    const double energy[] = {2, 4.5, 2}; /* largest during the motion */
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-3) {
            long steps;
            double error = balance(text[i], tolerance, &steps);
            /* errors of steps accumulate at worst; positions, rates and forces each have theirs */
            double bound = 10 * tolerance * energy[i] * (double)steps;
            print_message("model %d, tolerance %.0e: %ld steps, balance off by %.2e J (at most %.1e)\n", (int)i, tolerance, steps, error,
                          bound);
            assert_true(error <= bound);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(work__is_as_exact_as_the_motion)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
