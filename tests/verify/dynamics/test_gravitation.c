/* Kepler's ellipses. Two bodies under gravitation move about their common center with the period 2 pi sqrt(a^3 / (G (m1 + m2))). Started at
 * the greatest distance r with the relative speed s: a = 1 / (2 / r - s^2 / (G (m1 + m2))), eccentricity r / a - 1, energy
 * -G m1 m2 / (2 a). A satellite of the ground the same with mu. */
#include "support/every_way.h"
#include "support/force_action.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct orbit {
    double mu, m1, m2, r, s, nearest, farthest;
    bool two;
} orbit;

static double half_axis(const orbit *o) { return 1 / (2 / o->r - o->s * o->s / o->mu); }

static void distance(const bl_sample *s, const test_ending *run, void *user) {
    orbit *o = user;
    const double *p = s->probe, *q = o->two ? s->probe + 3 : NULL;
    double d = hypot(p[0] - (q ? q[0] : 0), p[1] - (q ? q[1] : 0));
    o->nearest = fmin(o->nearest, d);
    o->farthest = fmax(o->farthest, d);
    test_close(run, "the length of the span", s->spring_length[0], d, 1e-9 * d);
    test_close(run, "its tension", s->spring_tension[0], o->mu * o->m1 * (o->two ? o->m2 / (o->m1 + o->m2) : 1) / (d * d), 1e-7 / (d * d));
}

static void check(const test_ending *e, void *user) {
    orbit *o = user;
    double a = half_axis(o), eccentricity = o->r / a - 1, reduced = o->two ? o->m1 * o->m2 / (o->m1 + o->m2) : o->m1;
    double x = e->probe[0][0] - (o->two ? e->probe[1][0] : 0), y = e->probe[0][1] - (o->two ? e->probe[1][1] : 0);
    test_close(e, "x after two periods", x, o->r, 1e-6);
    test_close(e, "y after two periods", y, 0, 1e-6);
    test_close(e, "the energy", e->kinetic + e->potential, -o->mu * reduced / (2 * a), 1e-8);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-8);
    /* 201 samples: one of them is at the pericenter of the first period, half a period after the start */
    test_close(e, "the eccentricity", (o->farthest - o->nearest) / (o->farthest + o->nearest), eccentricity, 1e-7);
    o->nearest = INFINITY;
    o->farthest = 0;
}

static void orbits__return_after_keplers_period(void **unused) {
    (void)unused;
    orbit o = {.mu = 1, .m1 = 1.5, .r = 1, .s = 0.8, .nearest = INFINITY};
    double a = half_axis(&o);
    bl_run_options options = {.tolerance = 1e-10, .until = 2 * 2 * pi * sqrt(a * a * a), .every = 2 * pi * sqrt(a * a * a) / 100};
    test_every_way("dimension: 2\nbodies: [{name: planet, mass: 1.5, center: [1, 0], inertia: 1}]\n"
                   "forces: [{type: gravitation, bodies: [ground, planet], mu: 1}]\nprobes: {P: {body: planet}}\n"
                   "initial: {P: {velocity: [0, 0.8]}}\n",
                   &options, distance, check, &o);
    o = (orbit){.mu = 0.5 * (1.5 + 2.5), .m1 = 1.5, .m2 = 2.5, .r = 2, .s = 0.6, .nearest = INFINITY, .two = true};
    a = half_axis(&o);
    options.until = 2 * 2 * pi * sqrt(a * a * a / o.mu);
    options.every = options.until / 200;
    test_every_way(
        "bodies: [{name: a, mass: 1.5, center: [2, 0, 0], inertia: [1,1,1]}, {name: b, mass: 2.5, center: [0,0,0], inertia: [1,1,1]}]\n"
        "forces: [{type: gravitation, bodies: [a, b], constant: 0.5}]\nprobes: {P: {body: a}, Q: {body: b}}\n"
        "initial: {P: {velocity: [0, =0.6*2.5/4, 0]}, Q: {velocity: [0, =-0.6*1.5/4, 0]}}\n",
        &options, distance, check, &o);
}

/* SI: a geostationary orbit of 42164.17 km about mu = 3.986004418e14 has the period of a sidereal day, 86164.1 s */
static void geostationary_satellites__take_a_sidereal_day(void **unused) {
    (void)unused;
    test_ending e;
    test_one_way("dimension: 2\nbodies: [{name: s, mass: 1000, center: [42164172, 0], inertia: 1000}]\n"
                 "forces: [{type: gravitation, bodies: [ground, s], mu: 3.986004418e14}]\nprobes: {P: {body: s}}\n"
                 "initial: {P: {velocity: [0, \"=sqrt(3.986004418e14/42164172)\"]}}\n",
                 &(bl_run_options){.until = 86164.1, .tolerance = 1e-10}, NULL, &e, NULL);
    test_close(&e, "x", e.probe[0][0] / 42164172, 1, 1e-6);
    test_close(&e, "y", e.probe[0][1] / 42164172, 0, 1e-5); /* the day is given to 0.1 s: 7e-6 rad */
}

/* force against potential, action and reaction, derivatives at random states */
static void gravitation__has_its_potential(void **unused) {
    (void)unused;
    test_random random = {test_seed(41)};
    for (int c = 0; c < 100; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        test_force_state s;
        test_action a;
        bl_record r;
        const char *text =
            c % 2
                ? "bodies: [{name: a, mass: 2, center: [2,0,0], inertia: [1,1,1]}, {name: b, mass: 3, center: [0,0,0], inertia: [1,1,1]}, "
                  "{name: c, mass: 0}]\nforces: [{type: gravitation, bodies: [a, b], at: [2.3,0.1,0], to: [0.2,0,0.7], constant: 0.7}]\n"
                : "dimension: 2\nbodies: [{name: a, mass: 2, center: [2,0], inertia: 1}, {name: b, mass: 3, center: [0,0], inertia: 1}, "
                  "{name: c, mass: 0}]\nforces: [{type: gravitation, bodies: [a, b], constant: 0.7}]\n";
        assert_int_equal(bl_model_read_text(ctx, "g", text, strlen(text), NULL, 0, &model), BL_OK);
        test_force_state_random(model, &random, &s);
        for (int k = 0; k < 2; k++) /* apart */
            s.pose[1].p[k] += 3;
        assert_int_equal(bl_force_record(ctx, model, &model->force[0], NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &a);
        test_balanced(&a, 10);
        test_force_gradient(&r, &s, 1e-7);
        test_force_jacobian(&r, &s);
        assert_near(a.potential * a.potential / test_norm(a.force[1]), 0.7 * 2 * 3, 1e-12);
        bl_tape_destroy(r.tape);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- bad input */

#define TWO "bodies: [{name: a, mass: 1, center: [1,0,0], inertia: [1,1,1]}, {name: b, mass: 0}]\nforces: ["

static void wrong_gravitations__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(TWO "{type: gravitation, bodies: [a, ~a], constant: 1}]\n", "two different bodies", NULL);
    test_refused(TWO "~{type: gravitation, mu: 1}]\n", "two different bodies", NULL);
    test_refused(TWO "{type: gravitation, bodies: [a, ~ground], mu: 1}]\n", "second body is ground", "ground first");
    test_refused(TWO "{type: gravitation, bodies: [~ground, a]}]\n", "ground, which has no mass", "mu");
    test_refused(TWO "{type: gravitation, bodies: [ground, a], mu: ~1, constant: 2}]\n", "as well as", "one of them");
    test_refused(TWO "{type: gravitation, bodies: [a, ~b], constant: 1}]\n", "without mass", "mass");
    test_refused(TWO "{type: gravitation, bodies: [ground, a], at: [1,0,0], to: ~[1,0,0], mu: 1}]\n", "coincide", "apart");
    test_refused(TWO "{type: gravitation, bodies: [ground, a], mu: ~-1}]\n", "must be positive", NULL);
    test_refused(TWO "{type: gravitation, bodies: [a, b], constant: ~0}]\n", "must be positive", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbits__return_after_keplers_period),
        cmocka_unit_test(geostationary_satellites__take_a_sidereal_day),
        cmocka_unit_test(gravitation__has_its_potential),
        cmocka_unit_test(wrong_gravitations__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
