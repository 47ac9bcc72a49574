/* Contacts that come to rest or begin to part, where the error of a method is as large as their motion: at coarse tolerances, by methods
 * that start with a low order after each event, with forces that are zero. No event repeats without an end. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run;

static void go(const char *scene, const char *coordinates, const char *formulation, const char *integrator, double tolerance,
               double until) {
    const double at[] = {until};
    contact_run_scene(scene, NULL,
                      &(bl_run_options){.coordinates = coordinates,
                                        .formulation = formulation,
                                        .integrator = integrator,
                                        .tolerance = tolerance,
                                        .until = until,
                                        .at = at,
                                        .nat = 1},
                      &run);
    if (run.status != BL_OK)
        fail_msg("%s, %s, tolerance %g: %s", run.label, integrator ? integrator : "default", tolerance, run.error.what);
}

/* Restarts belong to what happens: impacts, contacts that close, open, slide or stick, at so many different times. */
static void expect_few_restarts(int others) {
    int times = 0;
    for (int k = 0; k < run.nevent; k++)
        times += k == 0 || run.event[k] > run.event[k - 1];
    if (run.summary.restarts > times + others)
        fail_msg("%s: %ld restarts, events at %d times", run.label, run.summary.restarts, times);
}

/* Without a rebound a block rocks infinitely often in a finite time, then it lies flat. */
static void block__comes_to_rest_at_all_tolerances(void **state) {
    (void)state;
    static const char *const kinds[] = {"natural", "reference", "relative"};
    for (int k = 0; k < 3; k++)
        for (double tolerance = 1e-2; tolerance > 2e-7; tolerance /= 3) {
            go("rocking_block", kinds[k], NULL, NULL, tolerance, 8);
            const contact_sample *s = contact_at(&run, 8);
            contact_expect_close(&run, "the height", s->body[0].position[1], 0.8, 10 * tolerance);
            contact_expect_close(&run, "the angle", s->body[0].quaternion[3], -sin(0.1 / 2),
                                 10 * tolerance); /* from the start at 0.1 rad */
            contact_expect_close(&run, "the kinetic energy", s->kinetic, 0, 1e-12);
            expect_few_restarts(10);
        }
}

/* Multistep methods begin with order 1 after an impact: their first steps know gaps to the tolerance only, flights may be lower. */
static void slider__bounces_by_multistep_methods(void **state) {
    (void)state;
    static const char *const kinds[] = {"natural", "reference", "relative"}, *const methods[] = {"ndf_auto", "mebdf_auto", "abm"};
    go("clearance_slider_crank", "natural", NULL, "dop853", 1e-11, 0.03);
    const double x = contact_at(&run, 0.03)->probe[0][0], y = contact_at(&run, 0.03)->probe[0][1];
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++)
            for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 10) {
                go("clearance_slider_crank", kinds[k], NULL, methods[m], tolerance, 0.03);
                const contact_sample *s = contact_at(&run, 0.03);
                contact_expect_close(&run, "x of the slider", s->probe[0][0], x, 10 * tolerance);
                contact_expect_close(&run, "y of the slider", s->probe[0][1], y, 10 * tolerance);
            }
}

static void linkage__rests_on_its_stop_without_events(void **state) {
    (void)state;
    for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 10) {
        go("four_bar_stop", "reference", "index3", "ndf_auto", tolerance, 2);
        expect_few_restarts(5);
    }
}

/* A box slides into a smooth wall and stands there: friction at its foot is zero, and so is the force of the wall. */
static void box__rests_in_a_corner(void **state) {
    (void)state;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    uint64_t seed = test_seed(23);
    test_random r = {seed};
    for (int k = 0; k < 60; k++) {
        char text[1200];
        double w = 0.2 + 0.4 * test_random_unit(&r), h = 0.2 + 0.4 * test_random_unit(&r), wall = 0.5 + test_random_unit(&r);
        double speed = 2 + 2 * test_random_unit(&r), at[] = {1.5}, mu = 0.3;
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, center: [0, %.17g], mass: 1, inertia: %.17g}]\ncontacts:\n"
                 "  - {name: floor, between: [ground, b], friction: %g, static: 0.36, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
                 "{box: {at: [0, %.17g], size: [%.17g, %.17g]}}]}\n"
                 "  - {name: wall, between: [ground, b], shapes: [{plane: {at: [%.17g, 0], normal: [-1, 0]}}, "
                 "{box: {at: [0, %.17g], size: [%.17g, %.17g]}}]}\ninitial: {b: {velocity: [%.17g, 0]}}\n",
                 h / 2, (w * w + h * h) / 12, mu, h / 2, w, h, wall, h / 2, w, h, speed);
        contact_run_text(text, NULL, &(bl_run_options){.coordinates = kinds[k % 4], .tolerance = 1e-8, .until = 1.5, .at = at, .nat = 1},
                         &run);
        contact_expect(&run, 1e-6);
        const contact_sample *s = contact_at(&run, 1.5);
        double alone = speed * speed / (2 * mu * G); /* the way to its halt without a wall */
        contact_expect_close(&run, "x", s->body[0].position[0], fmin(alone, wall - w / 2), 1e-7);
        contact_expect_close(&run, "the kinetic energy", s->kinetic, 0, 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block__comes_to_rest_at_all_tolerances),
        cmocka_unit_test(slider__bounces_by_multistep_methods),
        cmocka_unit_test(linkage__rests_on_its_stop_without_events),
        cmocka_unit_test(box__rests_in_a_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
