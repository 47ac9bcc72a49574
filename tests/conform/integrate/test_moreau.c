/* The method of time stepping without contacts, as an integrator: its order in all coordinates, drift at rounding, energy of a spring. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

static contact_run run, exact;

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:view=tangent", "reference:angles", "relative"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* the largest difference of variables and poses at the end */
static double difference(const contact_run *a, const contact_run *b, int nvariable, int nbody) {
    const contact_sample *x = &a->sample[a->nsample - 1], *y = &b->sample[b->nsample - 1];
    double most = 0;
    for (int k = 0; k < nvariable; k++)
        most = fmax(most, fmax(fabs(x->variable[k] - y->variable[k]), fabs(x->rate[k] - y->rate[k])));
    for (int k = 0; k < nbody; k++)
        for (int i = 0; i < 3; i++)
            most = fmax(most, fabs(x->body[k].position[i] - y->body[k].position[i]));
    return most;
}

static void converges(const char *scene, double until, double step, int nvariable, int nbody) {
    const double at[] = {until};
    contact_run_scene(scene, NULL, &(bl_run_options){.until = until, .at = at, .nat = 1, .tolerance = 1e-11}, &exact);
    contact_expect(&exact, 1e-6);
    for (int k = 0; k < KINDS; k++) {
        double error[3];
        for (int level = 0; level < 3; level++) {
            bl_run_options options = {
                .coordinates = kinds[k], .integrator = "moreau", .step = step / (1 << level), .until = until, .at = at, .nat = 1};
            contact_run_scene(scene, NULL, &options, &run);
            if (run.status != BL_OK)
                fail_msg("%s: %s", run.label, run.error.what);
            if (!(run.drift < 1e-9))
                fail_msg("%s: drift %g", run.label, run.drift);
            error[level] = difference(&run, &exact, nvariable, nbody);
        }
        double order = log2(error[1] / error[2]);
        print_message("%s, %s: errors %.2e %.2e %.2e, order %.2f\n", scene, kinds[k], error[0], error[1], error[2], order);
        if (!(order > 1.8) || !(log2(error[0] / error[1]) > 1.6))
            fail_msg("%s: order %.2f", run.label, order);
    }
}

static void mechanisms__converge_with_the_second_order(void **state) {
    (void)state;
    converges("pendulum", 1, 2e-3, 1, 1);
    converges("double_pendulum", 0.5, 2e-3, 2, 2);
    converges("four_bar", 0.5, 2.5e-4, 3, 3);
    converges("spatial_slider_crank", 0.5, 2e-3, 1, 2);
}

/* A spring: half steps of positions around a step of velocities conserve (v^2 + w^2 (1 - w^2 h^2 / 4) x^2) / 2, so that the energy
 * swings by w^2 h^2 / 4 of itself at most, over 160 periods as over one. */
static void springs__keep_their_energy(void **state) {
    (void)state;
    static const char text[] = "dimension: 2\ngravity: [0, 0]\nbodies: [{name: b, mass: 2, inertia: 1, center: [1.5, 0]}]\n"
                               "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0]}]\n"
                               "forces: [{name: s, type: spring, body_b: b, at: [0, 0], to: [1.5, 0], stiffness: 200, length: 1}]\n"
                               "simulate: {until: 100, step: 0.01, integrator: moreau}\n";
    double w = 10, h = 0.01, energy = 0.5 * 200 * 0.25;
    for (int k = 0; k < KINDS; k++) {
        contact_run_text(text, NULL, &(bl_run_options){.coordinates = kinds[k], .every = 0.05}, &run);
        if (run.status != BL_OK)
            fail_msg("%s: %s", run.label, run.error.what);
        if (!(run.energy_error < 1.01 * w * w * h * h / 4 * energy / (1 - w * w * h * h / 4)))
            fail_msg("%s: energy off by %g", run.label, run.energy_error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mechanisms__converge_with_the_second_order),
                                       cmocka_unit_test(springs__keep_their_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
