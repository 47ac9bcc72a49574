/* Laws of forces and drivers with jumps or kinks, compared with closed forms: every adaptive integrator, every kind of coordinates,
 * formulations that provide a rate; the default, drivers. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/switching.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void mechanism(void **state) {
    (void)state;
    switching_adaptive_methods(CART, "partition");
}

/* ---- coordinates and formulations */

static void every_kind_of_coordinates(void **state) {
    (void)state;
    static const char *const coordinates[] = {"natural",          "mixed",   "reference", "reference:quaternion", "reference:matrix",
                                              "reference:angles", "relative"};
    static const char *const rates[] = {NULL,         "partition", "partition:index=2", "lagrange",   "baumgarte", "projection",
                                        "correction", "matrix_r",  "range_space",       "null_space", "index2"};
    switching list[SWITCHING_TASKS];
    char why[512];
    switching_tasks(list);
    const int chosen[] = {0, 3, 6, 9, 11};
    for (size_t c = 0; c < sizeof coordinates / sizeof *coordinates; c++)
        for (size_t f = 0; f < sizeof rates / sizeof *rates; f++)
            for (int k = 0; k < 5; k++) {
                bl_run_options o = {.coordinates = coordinates[c],
                                    .formulation = rates[f],
                                    .integrator = rates[f] ? "dop853" : NULL,
                                    .tolerance = 1e-9,
                                    .every = 1};
                double error = switching_error(DISC, &list[chosen[k]], o, why);
                if (strstr(why, "needs") || strstr(why, "refuse")) /* combinations that are impossible for other reasons */
                    continue;
                if (!(error < 2e-7))
                    fail_msg("%s, %s, x'' = %s: error %.3g %s", coordinates[c], rates[f] ? rates[f] : "default", list[chosen[k]].law, error,
                             why);
            }
}

/* ---- the default: power series by pieces; the energy balance */

static void default__is_series_by_pieces(void **state) {
    (void)state;
    switching list[SWITCHING_TASKS];
    switching_tasks(list);
    for (int k = 0; k < SWITCHING_TASKS; k++) {
        char text[1200], why[512];
        bl_run_summary summary = {0};
        switching_model(CART, &list[k], text, sizeof text);
        double x = switching_run(text, &(bl_run_options){.until = list[k].until}, &summary, why);
        if (!(fabs(x - list[k].exact) < 1e-7 * fmax(1, fabs(x))) || summary.steps > 60)
            fail_msg("x'' = %s: %.12g, not %.12g, after %ld steps %s", list[k].law, x, list[k].exact, summary.steps, why);
    }
}

/* work includes forces without potential, on both sides of a jump */
static void energy__is_balanced(void **state) {
    (void)state;
    switching list[SWITCHING_TASKS];
    switching_tasks(list);
    for (int k = 0; k < SWITCHING_TASKS; k++) {
        char text[1200], why[512];
        bl_run_summary summary = {0};
        switching_model(CART, &list[k], text, sizeof text);
        bl_run_options o = {.tolerance = 1e-10, .until = list[k].until};
        for (int m = 0; m < 2; m++) {
            o.integrator = m == 0 ? "dop853" : NULL; /* the default, series, has the work of its polynomials */
            double x = switching_run(text, &o, &summary, why);
            if (!(summary.largest_energy_error < 1e-7 * fmax(1, x * x)))
                fail_msg("x'' = %s, %s: energy error %.3g %s", list[k].law, m == 0 ? "dop853" : "default", summary.largest_energy_error,
                         why);
        }
    }
}

/* ---- drivers */

static void drivers__that_jump_are_named(void **state) {
    (void)state;
    const struct {
        const char *value, *word;
    } all[] = {{"t < 1 ? t : t + 1", "value"}, {"t < 1 ? t : 2*t - 1", "rate"}, {"abs(t - 1)", "rate"}};
    for (size_t i = 0; i < 3; i++) {
        char text[600], why[512];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                 "joints: [{name: s, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}, ]\n"
                 "drivers: [{variable: s.distance, value: \"=%s\"}]\n",
                 all[i].value);
        double x = switching_run(text, &(bl_run_options){.until = 2}, NULL, why);
        assert_true(isnan(x));
        if (!strstr(why, "s.distance") || !strstr(why, "t = 1") || !strstr(why, all[i].word))
            fail_msg("%s: %s", all[i].value, why);
    }
}

/* a kink in the rate is a jump of the force: allowed, and located */
static void driver__with_a_jump_in_acceleration_is_followed(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}, {name: d, mass: 1, center: [0, 0], inertia: 1}]\n"
        "joints: [{name: s, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]},\n"
        "         {name: r, type: prismatic, bodies: [c, d], at: [0, 0], axis: [1, 0]}]\n"
        "drivers: [{variable: s.distance, value: \"=t < 1 ? 0 : (t - 1)^2\"}]\n";
    static const char *const all[] = {NULL, "dopri45", "dop853", "radau"};
    for (size_t i = 0; i < 4; i++) {
        char why[512];
        bl_run_options o = {.integrator = all[i], .until = 3, .every = 3, .tolerance = 1e-9, .formulation = all[i] ? "partition" : NULL};
        double x = switching_run(text, &o, NULL, why);
        if (!(fabs(x - 4) < 1e-9))
            fail_msg("%s: %.12g %s", all[i] ? all[i] : "default", x, why);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanism),
        cmocka_unit_test(every_kind_of_coordinates),
        cmocka_unit_test(default__is_series_by_pieces),
        cmocka_unit_test(energy__is_balanced),
        cmocka_unit_test(drivers__that_jump_are_named),
        cmocka_unit_test(driver__with_a_jump_in_acceleration_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
