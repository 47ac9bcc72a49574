/* Belts, racks and planetary gears: accelerations from a torque are constant and known by hand. A relation c . x = const between variables
 * of inertias J under torques T has the multiplier m = -(c . T/J) / (c . c/J), accelerations (T + c m) / J and the forces c m on its
 * variables, which do no work. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct relation {
    int n;
    double c[3], J[3], T[3];
    int joint; /* number of the relation among the joints */
    double until;
} relation;

static void check(const test_ending *e, void *user) {
    const relation *r = user;
    double above = 0, below = 0;
    for (int k = 0; k < r->n; k++) {
        above += r->c[k] * r->T[k] / r->J[k];
        below += r->c[k] * r->c[k] / r->J[k];
    }
    double m = -above / below, t = r->until, drawn = 0;
    for (int k = 0; k < r->n; k++) {
        double a = (r->T[k] + r->c[k] * m) / r->J[k];
        test_close(e, "a variable", e->variable[k], a * t * t / 2, 1e-9 * (1 + fabs(a)));
        test_close(e, "a rate", e->rate[k], a * t, 1e-9 * (1 + fabs(a)));
        drawn += r->J[k] * e->rate[k] * e->rate[k] / 2;
    }
    test_close(e, "the kinetic energy", e->kinetic, drawn, 1e-9 * (1 + drawn));
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-9 * (1 + drawn));
    test_close(e, "the force on the second variable", e->relation_force[r->joint], r->c[1] * m, 1e-8 * (1 + fabs(m)));
}

/* m, J: of two discs; the second may be a rack */
static void two_discs__follow_their_belt(void **unused) {
    (void)unused;
    static const double radius[][2] = {{0.1, 0.25}, {0.3, 0.04}};
    for (int k = 0; k < 4; k++) {
        const double *r = radius[k / 2], ratio = (k % 2 ? -1 : 1) * r[0] / r[1];
        char text[1024];
        for (int by_ratio = 0; by_ratio < 2; by_ratio++) {
            char how[96];
            if (by_ratio)
                snprintf(how, sizeof how, "ratio: %.17g", ratio);
            else
                snprintf(how, sizeof how, "radius: %g, radius_b: %g, crossed: %s", r[0], r[1], k % 2 ? "true" : "false");
            snprintf(text, sizeof text,
                     "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [2, 2, 3]},\n"
                     " {name: b, mass: 1, center: [1,0,0], inertia: [5, 5, 7]}]\n"
                     "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
                     " {name: B, type: revolute, bodies: [ground, b], at: [1,0,0], axis: [0,0,1]},\n"
                     " {name: G, type: belt, first: A.angle, second: B.angle, %s}]\n"
                     "forces: [{type: torque, body: a, torque: [0, 0, 4]}, {type: torque, body: b, torque: [0, 0, -1]}]\n",
                     how);
            relation r2 = {.n = 2, .c = {-ratio, 1}, .J = {3, 7}, .T = {4, -1}, .joint = 2, .until = 0.7};
            test_every_way(text, &(bl_run_options){.until = 0.7, .tolerance = 1e-10}, NULL, check, &r2);
        }
    }
}

static void a_rack__moves_by_the_radius_per_radian(void **unused) {
    (void)unused;
    for (int dim = 2; dim <= 3; dim++)
        for (int reverse = 0; reverse < 2; reverse++) {
            char text[1024];
            snprintf(text, sizeof text,
                     dim == 3 ? "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [2, 2, 3]}, {name: b, mass: 8, center: [0,-0.2,0], "
                                "inertia: [5, 5, 7]}]\n"
                                "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
                                " {name: B, type: prismatic, bodies: [ground, b], at: [0,-0.2,0], axis: [1,0,0]},\n"
                                " {name: G, type: rack_and_pinion, pinion: A.angle, rack: B.distance, radius: 0.2, reverse: %s}]\n"
                                "forces: [{type: torque, body: a, torque: [0, 0, 4]}, {type: force, body: b, force: [3, 0, 0]}]\n"
                              : "dimension: 2\nbodies: [{name: a, mass: 1, center: [0,0], inertia: 3},\n"
                                " {name: b, mass: 8, center: [0,-0.2], inertia: 7}]\n"
                                "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0]},\n"
                                " {name: B, type: prismatic, bodies: [ground, b], at: [0,-0.2], axis: [1,0]},\n"
                                " {name: G, type: rack_and_pinion, pinion: A.angle, rack: B.distance, radius: 0.2, reverse: %s}]\n"
                                "forces: [{type: torque, body: a, torque: 4}, {type: force, body: b, force: [3, 0]}]\n",
                     reverse ? "true" : "false");
            relation r = {.n = 2, .c = {reverse ? 0.2 : -0.2, 1}, .J = {3, 8}, .T = {4, 3}, .joint = 2, .until = 0.7};
            test_every_way(text, &(bl_run_options){.until = 0.7, .tolerance = 1e-10}, NULL, check, &r);
        }
}

#define SHAFTS                                                                                                                         \
    "dimension: 2\nbodies: [{name: s, mass: 1, center: [0,0], inertia: 0.5}, {name: r, mass: 1, center: [0,0], inertia: 2},\n"         \
    " {name: c, mass: 1, center: [0,0], inertia: 1.5}]\n"                                                                              \
    "joints: [{name: S, type: revolute, bodies: [ground, s], at: [0,0]}, {name: R, type: revolute, bodies: [ground, r], at: [0,0]},\n" \
    " {name: C, type: revolute, bodies: [ground, c], at: [0,0]},\n"

/* three free shafts; teeth 20 and 60, and a differential */
static void planetary_gears__share_torques_as_willis_says(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double z[2] = {20, k ? 20 : 60}, i = z[0] / z[1];
        char text[1024];
        snprintf(text, sizeof text,
                 SHAFTS " {name: G, type: planetary_gear, sun: S.angle, ring: R.angle, carrier: C.angle, teeth: [%g, %g]}]\n"
                        "forces: [{type: torque, body: s, torque: 3}, {type: torque, body: c, torque: -1}]\n",
                 z[0], z[1]);
        relation r = {.n = 3, .c = {i, 1, -1 - i}, .J = {0.5, 2, 1.5}, .T = {3, 0, -1}, .joint = 3, .until = 0.7};
        test_every_way(text, &(bl_run_options){.until = 0.7, .tolerance = 1e-10}, NULL, check, &r);
    }
}

/* the three uses of one set of gears with 24 and 72 teeth: which member is held, and the ratio of the other two */
static void check_ratio(const test_ending *e, void *user) {
    const double *want = user; /* rates of sun, ring, carrier */
    for (int k = 0; k < 3; k++)
        test_close(e, "a rate", e->rate[k], want[k], 1e-11);
}

static void planetary_gears__have_three_ratios(void **unused) {
    (void)unused;
    const double ratio[3][3] = {{1, 0, 0.25}, {0, 1, 0.75}, {1, -1.0 / 3, 0}};
    const char *const drive[3] = {"{variable: S.angle, value: =t}, {variable: R.angle, value: 0}",
                                  "{variable: R.angle, value: =t}, {variable: S.angle, value: 0}",
                                  "{variable: S.angle, value: =t}, {variable: C.angle, value: 0}"};
    for (int k = 0; k < 3; k++) {
        char text[1024];
        double want[3];
        memcpy(want, ratio[k], sizeof want);
        snprintf(text, sizeof text,
                 SHAFTS
                 " {name: G, type: planetary_gear, sun: S.angle, ring: R.angle, carrier: C.angle, teeth: [24, 72]}]\ndrivers: [%s]\n",
                 drive[k]);
        test_every_way(text, &(bl_run_options){.until = 20, .tolerance = 1e-10}, NULL, check_ratio, want); /* several revolutions */
    }
}

/* ---- bad input */

#define TWO                                                                                                                    \
    "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}, {name: b, mass: 1, center: [1,0,0], inertia: [1,1,1]},\n" \
    " {name: d, mass: 1, center: [2,0,0], inertia: [1,1,1]}]\n"                                                                \
    "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"                                   \
    " {name: B, type: revolute, bodies: [ground, b], at: [1,0,0], axis: [0,0,1]},\n"                                           \
    " {name: P, type: prismatic, bodies: [ground, d], at: [2,0,0], axis: [1,0,0]},\n"                                          \
    " {name: C, type: revolute, bodies: [a, ground], at: [0,0,0], axis: [0,0,1]},\n"                                           \
    " {name: T, type: revolute, bodies: [ground, d], at: [2,0,0], axis: [0,1,0]},\n"

static void wrong_transmissions__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(TWO " {type: belt, first: A.angle, second: ~P.distance, ratio: 1}]\n", "second must be an angle", "joint.angle");
    test_refused(TWO " {type: rack_and_pinion, pinion: A.angle, rack: ~B.angle, radius: 1}]\n", "rack must be a distance",
                 "joint.distance");
    test_refused(TWO " {type: belt, first: A.angle, second: ~A.angle, ratio: 1}]\n", "first and second are the same variable", "driver");
    test_refused(TWO " ~{type: belt, first: A.angle, second: B.angle}]\n", "radius of a pulley is missing", "ratio");
    test_refused(TWO " ~{type: belt, first: A.angle, second: B.angle, radius: 2}]\n", "radius_b of a pulley is missing", "ratio");
    test_refused(TWO " {type: belt, first: A.angle, second: B.angle, radius: ~-2, radius_b: 1}]\n", "radius must be positive", NULL);
    test_refused(TWO " {type: belt, first: A.angle, second: B.angle, radius: 2, ratio: ~3}]\n", "as well as", "either");
    test_refused(TWO " {type: belt, first: A.angle, second: B.angle, ratio: ~0}]\n", "must not be zero", NULL);
    test_refused(TWO " {type: rack_and_pinion, pinion: A.angle, rack: P.distance, radius: ~0}]\n", "radius must be positive", NULL);
    test_refused(TWO " ~{type: rack_and_pinion, pinion: A.angle, rack: P.distance}]\n", "radius is missing", "ratio");
    test_refused(TWO " {type: rack_and_pinion, pinion: A.angle, rack: P.distance, radius: 1, ratio: ~2}]\n", "as well as", "either");
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: ~A.angle, teeth: [1, 2]}]\n",
                 "sun and carrier are the same variable", NULL);
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: ~C.angle, teeth: [1, 2]}]\n", "another body",
                 "housing");
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: ~T.angle, teeth: [1, 2]}]\n", "different directions",
                 "same axis");
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: T.angle, teeth: ~[1]}]\n", "needs 2 numbers, found 1",
                 "[z_s, z_r]");
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: T.angle, teeth: [1, ~-2]}]\n", "must be positive",
                 NULL);
    test_refused(TWO " ~{type: planetary_gear, sun: A.angle, ring: B.angle, carrier: T.angle}]\n", "teeth is missing", "ratio");
    test_refused(TWO " {type: planetary_gear, sun: A.angle, ring: B.angle, carrier: T.angle, ratio: ~1}]\n", "no effect", "fixed");
    test_refused(TWO " ~{type: planetary_gear, sun: A.angle, ring: B.angle, teeth: [1, 2]}]\n", "needs 'carrier'", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_discs__follow_their_belt),
        cmocka_unit_test(a_rack__moves_by_the_radius_per_radian),
        cmocka_unit_test(planetary_gears__share_torques_as_willis_says),
        cmocka_unit_test(planetary_gears__have_three_ratios),
        cmocka_unit_test(wrong_transmissions__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
