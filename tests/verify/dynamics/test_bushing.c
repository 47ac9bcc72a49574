/* Bodies on bushings with motions in closed form, in all coordinates. The moment is linear in the rotation vector, so that a sphere turned
 * by 2.9 rad about any axis and released oscillates harmonically; a preload shifts the rest; dampers give the damped oscillator. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_run_options options = {.until = 2, .tolerance = 1e-10};

/* 2 kg, J = 0.3: K / J = 9; a point 1 m beside the center turns by 2.9 cos(3 t) about u */
static const double u[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};

static void check_swing(const test_ending *e, void *user) {
    double phi = 2.9 * cos(3 * e->t), w = -2.9 * 3 * sin(3 * e->t), along, side[3];
    const double x[3] = {1, 0, 0};
    (void)user;
    along = u[0];
    side[0] = 0, side[1] = u[2], side[2] = -u[1]; /* u x (1, 0, 0) */
    for (int k = 0; k < 3; k++) {
        double across = x[k] - along * u[k];
        test_close(e, "the point", e->probe[0][k], along * u[k] + across * cos(phi) + side[k] * sin(phi), 1e-7);
        test_close(e, "its velocity", e->probe_rate[0][k], w * (-across * sin(phi) + side[k] * cos(phi)), 1e-6);
    }
    test_close(e, "the energy", e->kinetic + e->potential, 2.7 * 2.9 * 2.9 / 2, 1e-7);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7);
}

static void spheres__swing_harmonically_through_166_degrees(void **unused) {
    (void)unused;
    char text[512];
    snprintf(text, sizeof text,
             "bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [0.3,0.3,0.3]}]\n"
             "forces: [{type: bushing, bodies: [ground, b], at: [0,0,0], axis: [1,2,0], stiffness: 20, rotational_stiffness: 2.7}]\n"
             "probes: {P: {body: b, at: [1,0,0]}}\ninitial: {b: {orientation: [%.17g,%.17g,%.17g]}}\n",
             2.9 * u[0], 2.9 * u[1], 2.9 * u[2]);
    test_every_way(text, &options, NULL, check_swing, NULL);
}

/* about the second axis of the frame, which has its own stiffness; both bodies move: reduced inertia J1 J2 / (J1 + J2) = 0.2 */
static void check_pair(const test_ending *e, void *user) {
    double phi = 2 * cos(sqrt(1.8 / 0.2) * e->t), on_a = -phi / 3, on_b = phi * 2 / 3; /* J_a = 2 J_b */
    (void)user;
    test_close(e, "a", e->probe[0][1], sin(on_a), 1e-7);
    test_close(e, "b", e->probe[1][1], sin(on_b), 1e-7);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7);
}

static void two_bodies__turn_against_each_other(void **unused) {
    (void)unused;
    /* about z: axis [0,0,1] is the first, so give it as the first axis */
    test_every_way("bodies: [{name: a, mass: 2, center: [0,0,0], inertia: [0.5,0.7,0.6]}, {name: b, mass: 3, center: [0,0,0], inertia: "
                   "[0.5,0.4,0.3]}]\n"
                   "forces: [{type: bushing, bodies: [a, b], at: [0,0,0], axis: [0,0,1], stiffness: [20,30,40], rotational_stiffness: "
                   "[1.8,5,6]}]\n"
                   "probes: {P: {body: a, at: [1,0,0]}, Q: {body: b, at: [1,0,0]}}\n"
                   "initial: {a: {orientation: [0,0,=-2/3]}, b: {orientation: [0,0,=4/3]}}\n",
                   &options, NULL, check_pair, NULL);
    test_every_way("dimension: 2\nbodies: [{name: a, mass: 2, center: [0,0], inertia: 0.6},\n"
                   " {name: b, mass: 3, center: [0,0], inertia: 0.3}]\n"
                   "forces: [{type: bushing, bodies: [a, b], at: [0,0], stiffness: [20,30], rotational_stiffness: 1.8}]\n"
                   "probes: {P: {body: a, at: [1,0]}, Q: {body: b, at: [1,0]}}\n"
                   "initial: {a: {orientation: =-2/3}, b: {orientation: =4/3}}\n",
                   &options, NULL, check_pair, NULL);
}

/* m x'' = p - k x - c x' along axes rotated by 30 degrees, start x = 0; m = 2, k = 50, c = 4; rest p/k, damping 1 1/s, frequency sqrt 24 */
static void check_damped(const test_ending *e, void *user) {
    double w = sqrt(24.0), decay = exp(-e->t), x = 0.1 * (1 - decay * (cos(w * e->t) + sin(w * e->t) / w));
    double c = cos(acos(-1) / 6), s = sin(acos(-1) / 6);
    (void)user;
    test_close(e, "x", e->probe[0][0], c * x, 1e-8);
    test_close(e, "y", e->probe[0][1], s * x, 1e-8);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-8);
}

static void preload_and_damper__give_the_damped_oscillator(void **unused) {
    (void)unused;
    test_every_way("bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [0.3,0.3,0.3]}]\n"
                   "forces: [{type: bushing, bodies: [ground, b], at: [0,0,0], axis: [=cos(30*deg),=sin(30*deg),0], stiffness: [50,70,90], "
                   "damping: [4,3,2], preload: [5,0,0], rotational_stiffness: 3, rotational_damping: 1}]\n"
                   "probes: {P: {body: b, at: [0,0,0]}}\n",
                   &options, NULL, check_damped, NULL);
    test_every_way("dimension: 2\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 0.3}]\n"
                   "forces: [{type: bushing, bodies: [ground, b], at: [0,0], axis: [=cos(30*deg),=sin(30*deg)], stiffness: [50,70], "
                   "damping: [4,3], preload: [5,0], rotational_stiffness: 3, rotational_damping: 1}]\n"
                   "probes: {P: {body: b, at: [0,0]}}\n",
                   &options, NULL, check_damped, NULL);
}

/* a moment of 6 N m about z and K = 3: the body comes to rest at 2 rad */
static void check_rest(const test_ending *e, void *user) {
    (void)user;
    test_close(e, "the angle", atan2(e->probe[0][1], e->probe[0][0]), 2, 1e-6);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
}

static void rotational_preload__turns_to_its_rest(void **unused) {
    (void)unused;
    test_every_way("bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [0.3,0.3,0.3]}]\n"
                   "forces: [{type: bushing, bodies: [ground, b], at: [0,0,0], axis: [0,0,1], stiffness: 50, damping: 5, "
                   "rotational_stiffness: [3,4,5], rotational_damping: 1.5, rotational_preload: [6,0,0]}]\n"
                   "probes: {P: {body: b, at: [1,0,0]}}\n",
                   &(bl_run_options){.until = 10, .tolerance = 1e-9}, NULL, check_rest, NULL);
}

/* ---- bad input */

#define BODY "bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [0.3,0.3,0.3]}]\nforces: ["
#define FLAT "dimension: 2\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 0.3}]\nforces: ["

static void wrong_bushings__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(BODY "{type: bushing, bodies: [b, b], at: ~[0,0,0]}]\n", "same body", "different bodies");
    test_refused(BODY "~{type: bushing, bodies: [ground, b]}]\n", "needs 'at'", NULL);
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], stiffness: ~-1}]\n", "must not be negative", NULL);
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], damping: [1, ~-1, 2]}]\n", "must not be negative", NULL);
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], stiffness: ~[1, 2]}]\n", "needs 3 numbers, or one, found 2",
                 "each axis");
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], preload: ~1}]\n", "needs 3 numbers, found 1", "each axis");
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], stiffness: ~[1, 2, 3, 4]}]\n", "up to 3 numbers, found 4", NULL);
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: [0,0,0], axis: [1,0,0], reference: ~[2,0,0]}]\n", "parallel to the axis",
                 NULL);
    test_refused(BODY "{type: bushing, bodies: [ground, b], at: ~[0,0]}]\n", "needs 3 components, found 2", NULL);
    test_refused(FLAT "{type: bushing, bodies: [ground, b], at: [0,0], reference: ~[1,0]}]\n", "only be used in spatial models", NULL);
    test_refused(FLAT "{type: bushing, bodies: [ground, b], at: [0,0], rotational_stiffness: ~[1, 2]}]\n", "needs 1 number, found 2",
                 "one rotation");
    test_refused(FLAT "{type: bushing, bodies: [ground, b], at: [0,0], stiffness: ~[1, 2, 3]}]\n", "needs 2 numbers, or one, found 3",
                 NULL);
    test_refused(BODY "{type: ~rubber_mount, bodies: [ground, b], at: [0,0,0]}]\n", "no force of type", "'bushing'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres__swing_harmonically_through_166_degrees), cmocka_unit_test(two_bodies__turn_against_each_other),
        cmocka_unit_test(preload_and_damper__give_the_damped_oscillator),  cmocka_unit_test(rotational_preload__turns_to_its_rest),
        cmocka_unit_test(wrong_bushings__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
