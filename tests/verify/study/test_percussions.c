/* Percussions: velocities and impulses in all joints of a four-bar linkage struck at its coupler point (two independent computations), of a
 * free rod (closed), of a hanging rod at its center of percussion, where the hinge feels nothing (Huygens 1673). */
#include "biela/samples.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};

static const char four_bar[] = "dimension: 2\ngravity: [0, -9.81]\n"
                               "parameters: {crank: 0.2, coupler: 0.5, rocker: 0.4, base: 0.5, d2: =base^2 + crank^2, "
                               "along: =(coupler^2 - rocker^2 + d2)/(2*d2), across: =sqrt(coupler^2/d2 - along^2)}\n"
                               "points: {A: [0, 0], B: [0, =crank], C: [=along*base + across*crank, =crank - along*crank + across*base], "
                               "D: [=base, 0]}\n"
                               "bodies:\n"
                               "  - {name: crank, rod: {from: A, to: B}, mass: 0.5}\n"
                               "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                               "  - {name: rocker, rod: {from: C, to: D}, mass: 0.8}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                               "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                               "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                               "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
                               "probes: {C: {body: coupler, at: C}}\n"
                               "events: [{at: 0, percussion: {body: coupler, at: C, impulse: [1, 0]}}]\n";

static const char hanging[] = "dimension: 2\ngravity: [0, -9.81]\nheld: {P: 3}\n"
                              "bodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 2}]\n"
                              "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                              "events: [{at: 0.25, percussion: {body: rod, at: [0, =-2/3], impulse: [=P, 0]}}]\n";

typedef struct kept {
    bl_context *ctx;
    bl_samples *samples;
    const bl_sample_arrays *a;
} kept;

static void run(kept *k, const char *text, const char *how, double until) {
    bl_model *model;
    bl_sink sink = {0};
    bl_run_options options = {.until = until, .every = until, .tolerance = 1e-10, .coordinates = how};
    *k = (kept){.ctx = test_context(NULL)};
    if (bl_model_read_text(k->ctx, "model", text, strlen(text), NULL, 0, &model) != BL_OK ||
        bl_samples_create(k->ctx, 0, &k->samples, &sink) != BL_OK || bl_simulate(k->ctx, model, &options, &sink, 1, NULL) != BL_OK)
        fail_msg("%s: %s", how, bl_context_error(k->ctx)->what);
    k->a = bl_samples_arrays(k->samples);
    bl_model_destroy(model);
}

static void end(kept *k) {
    bl_samples_destroy(k->samples);
    test_context_end(k->ctx);
}

static void near(const char *how, const char *what, double found, double expected, double most) {
    if (!(fabs(found - expected) <= most))
        fail_msg("%s: %s is %.12g, not %.12g", how, what, found, expected);
}

static const bl_event_mark *percussion_of(const kept *k) {
    for (long i = 0; bl_samples_event(k->samples, i); i++)
        if (bl_samples_event(k->samples, i)->nimpulse > 0)
            return bl_samples_event(k->samples, i);
    fail_msg("there is no percussion among the events");
    return NULL;
}

static void percussion__moves_a_linkage_and_loads_its_joints(void **state) {
    static const double wanted[4][2] = {
        {0.0580281033, -0.1865665294}, {-0.1160562066, -0.1865665294}, {0.2023551175, -0.2207841409}, {0.0643809275, 0.2481582301}};
    (void)state;
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        const char *how = coordinates[i];
        kept k;
        run(&k, four_bar, how, 1e-5);
        near(how, "rate of the crank", k.a->variable_rate[0], -3.4816861976, 6e-11);
        near(how, "velocity of C along x", k.a->probe_rate[0], 0.6668401123, 6e-11);
        near(how, "velocity of C along y", k.a->probe_rate[1], 0.0684352229, 6e-11);
        const bl_event_mark *mark = percussion_of(&k);
        assert_int_equal(mark->nimpulse, 4);
        assert_true(mark->strike->impulse[0] == 1 && mark->strike->impulse[1] == 0 && isnan(mark->strike->speed[0]));
        near(how, "energy before", mark->strike->kinetic[0], 0, 1e-12);
        near(how, "energy after", mark->strike->kinetic[1], 0.5 * 0.6668401123, 6e-11); /* P . (u+ + u-) / 2 */
        near(how, "energy given", mark->strike->lost, -0.5 * 0.6668401123, 6e-11);
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 2; c++)
                near(how, "impulse in a joint", mark->impulse[j].force[c], wanted[j][c], 6e-11);
        end(&k);
    }
}

static void percussion__at_its_center_leaves_the_hinge_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        const char *how = coordinates[i];
        kept k;
        run(&k, hanging, how, 0.2500001);
        const bl_event_mark *mark = percussion_of(&k);
        near(how, "time", mark->t, 0.25, 1e-12);
        near(how, "impulse in the hinge", hypot(mark->impulse[0].force[0], mark->impulse[0].force[1]), 0, 1e-12);
        near(how, "rate after it", k.a->variable_rate[k.a->samples - 1], 3, 1e-6); /* P 2/3 / (m l^2 / 3) */
        end(&k);
    }
}

/* A rod hangs from A and leans on a stop: a blow of 3 N s against the stop at its end has no effect on the motion. The hinge feels two
 * impulses at one instant, that of the blow alone, P (1 - 3/2), and that of the stop, whose moment 3 N s * 1 m turns the rod back without
 * a force of its own: m l/2 * 3 P / (m l) = 3/2 P. */
static void percussion__and_the_impact_that_follows_have_their_own_impulses(void **state) {
    static const char text[] = "dimension: 2\ngravity: [0, 0]\n"
                               "bodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 2}]\n"
                               "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], upper: 0}]\n"
                               "events: [{at: 0.25, percussion: {body: rod, at: [0, -1], impulse: [3, 0]}}]\n";
    (void)state;
    for (size_t i = 0; i < sizeof coordinates / sizeof *coordinates; i++) {
        const char *how = coordinates[i];
        const bl_event_mark *mark[2] = {NULL, NULL};
        int n = 0;
        kept k;
        run(&k, text, how, 0.3);
        for (long e = 0; bl_samples_event(k.samples, e); e++)
            if (bl_samples_event(k.samples, e)->strike && n < 2)
                mark[n++] = bl_samples_event(k.samples, e);
        assert_int_equal(n, 2);
        near(how, "time of the impact", mark[1]->t, 0.25, 1e-12);
        near(how, "hinge, blow", mark[0]->impulse[0].force[0], 3 * 0.5, 1e-9);
        near(how, "hinge, stop", mark[1]->impulse[0].force[0], -3 * 1.5, 1e-9);
        near(how, "impulse of the stop", mark[1]->strike->impulse[0], 3, 1e-9);
        near(how, "speed of the gap", mark[1]->strike->speed[0], -3 / (2.0 / 3), 1e-9);
        near(how, "energy of the blow", mark[0]->strike->lost, -0.5 * 3 * 4.5, 1e-9);
        near(how, "energy lost", mark[1]->strike->lost, 0.5 * 3 * 4.5, 1e-9);
        near(how, "energy after both", mark[1]->strike->kinetic[1], 0, 1e-12);
        end(&k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(percussion__moves_a_linkage_and_loads_its_joints),
        cmocka_unit_test(percussion__at_its_center_leaves_the_hinge_alone),
        cmocka_unit_test(percussion__and_the_impact_that_follows_have_their_own_impulses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
