/* The constant velocity joint between two shafts in bearings at an angle beta: equal angles and rates to rounding, where a universal joint
 * has tan(out) = tan(in) cos(beta) (its first arm in the plane of the shafts at the start), so that its rate fluctuates between cos(beta)
 * and 1 / cos(beta). Inertias add; the moment between the shafts is along the sum of their directions, T / cos(beta / 2). */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double deg = 0.017453292519943296;

typedef struct shafts {
    double beta, worst_angle, worst_rate, low, high;
    bool universal;
} shafts;

/* in along x, out at beta in the plane xy, both in bearings */
static void write(char *text, size_t size, double beta, bool universal, const char *more) {
    double c = cos(beta), s = sin(beta);
    char joint[256];
    if (universal)
        snprintf(joint, sizeof joint, "{name: J, type: universal, bodies: [a, b], at: [0,0,0], axis: [0,0,1], axis_b: [%.17g, %.17g, 0]}",
                 -s, c);
    else
        snprintf(joint, sizeof joint,
                 "{name: J, type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: [1,0,0], axis_b: [%.17g, %.17g, 0]}", c, s);
    snprintf(text, size,
             "bodies: [{name: a, mass: 1, center: [-0.5,0,0], inertia: [0.02,0.1,0.1]},\n"
             " {name: b, mass: 1, center: [%.17g,%.17g,0], inertia: [0.03,0.1,0.1], axes: [[%.17g,%.17g,0],[%.17g,%.17g,0]]}]\n"
             "joints: [{name: in, type: revolute, bodies: [ground, a], at: [-0.5,0,0], axis: [1,0,0]},\n"
             " {name: out, type: revolute, bodies: [ground, b], at: [%.17g,%.17g,0], axis: [%.17g,%.17g,0]}, %s]\n%s",
             c / 2, s / 2, c, s, -s, c, c / 2, s / 2, c, s, joint, more);
}

static void follow(const bl_sample *s, const test_ending *run, void *user) {
    shafts *f = user;
    double in = s->variable[0], out = s->variable[1], rate = s->variable_rate[1] / s->variable_rate[0];
    (void)run;
    f->low = fmin(f->low, rate);
    f->high = fmax(f->high, rate);
    if (f->universal) { /* tan(out) = tan(in) cos(beta) */
        double c = cos(f->beta), want = c / (cos(in) * cos(in) + c * c * sin(in) * sin(in));
        f->worst_angle = fmax(f->worst_angle, fabs(sin(out) * cos(in) - cos(out) * sin(in) * c));
        f->worst_rate = fmax(f->worst_rate, fabs(rate / want - 1));
    } else {
        f->worst_angle = fmax(f->worst_angle, fabs(out - in));
        f->worst_rate = fmax(f->worst_rate, fabs(rate - 1));
    }
}

/* how well positions and velocities satisfy the constraints: by partition to rounding, by multipliers to the tolerance of projection */
static double closure(const test_ending *e) { return strcmp(e->formulation, "partition") == 0 ? 1e-12 : 1e-8; }

/* the input is driven, so that all is given by the constraints */
static void check_driven(const test_ending *e, void *user) {
    shafts *f = user;
    test_close(e, "the largest difference of the angles", f->worst_angle, 0, closure(e));
    test_close(e, "the largest difference of the rates", f->worst_rate, 0, (f->universal ? 2 : 1) * closure(e));
    if (!f->universal)
        test_close(e, "the fluctuation", f->high - f->low, 0, 2 * closure(e));
    else { /* samples are 1/100 of a revolution apart and meet the extremes within their curvature */
        test_close(e, "the lowest ratio", f->low, cos(f->beta), 2e-3);
        test_close(e, "the highest ratio", f->high, 1 / cos(f->beta), 2e-3);
    }
    f->worst_angle = f->worst_rate = f->high = 0;
    f->low = INFINITY;
}

static void rates__are_equal_at_every_angle(void **unused) {
    (void)unused;
    static const double angle[] = {0, 10, 30, 60};
    for (int k = 0; k < 4; k++) {
        char text[2048];
        shafts f = {.beta = angle[k] * deg, .low = INFINITY};
        write(text, sizeof text, f.beta, false, "drivers: [{variable: in.angle, value: \"=2*t+0.3*sin(3*t)\"}]\n");
        test_every_way(text, &(bl_run_options){.until = 12, .tolerance = 1e-9}, follow, check_driven, &f);
    }
    char text[2048];
    shafts f = {.beta = 30 * deg, .low = INFINITY, .universal = true};
    write(text, sizeof text, f.beta, true, "drivers: [{variable: in.angle, value: =t}]\n");
    test_every_way(text, &(bl_run_options){.until = 12.6, .tolerance = 1e-9}, follow, check_driven, &f);
}

/* (Ja + Jb) w' = T */
static void check_free(const test_ending *e, void *user) {
    double beta = ((shafts *)user)->beta, a = (0.5 + 0.2) / 0.05, t = e->t;
    test_close(e, "the angle of the output", e->variable[1], a * t * t / 2, 1e-8 * a * t * t);
    test_close(e, "the rate of the output", e->rate[1], a * t, 1e-8 * a * t);
    test_close(e, "the energy error", e->energy_error, 0, 1e-8 * e->kinetic);
    /* moment on the second shaft: along the sum of the shafts, with 0.03 a - 0.2 about the shaft */
    double T = 0.03 * a - 0.2, c = cos(beta), s = sin(beta), factor = T / (1 + c);
    const double want[3] = {factor * (1 + c), factor * s, 0};
    for (int k = 0; k < 3; k++)
        test_close(e, "the moment of the joint", e->reaction[2].moment[k], want[k], 1e-7);
}

static void inertias__add_and_the_moment_bisects(void **unused) {
    (void)unused;
    char text[2048], more[256];
    shafts f = {.beta = 40 * deg};
    snprintf(more, sizeof more, "forces: [{type: torque, body: a, torque: [0.5,0,0]}, {type: torque, body: b, torque: [%.17g,%.17g,0]}]\n",
             0.2 * cos(f.beta), 0.2 * sin(f.beta));
    write(text, sizeof text, f.beta, false, more);
    test_every_way(text, &(bl_run_options){.until = 1, .tolerance = 1e-10}, NULL, check_free, &f);
}

/* angle2 between the second shaft and the plane across angle1's axis, which rotates with the first: sin(angle2) = -sin(beta) sin(in) */
static void check_angles(const bl_sample *s, const test_ending *run, void *user) {
    double beta = ((shafts *)user)->beta, in = s->variable[0];
    test_close(run, "angle2", s->variable[3], asin(-sin(beta) * sin(in)), 10 * closure(run));
    test_close(run, "angle1", s->variable[2], atan2(sin(beta) * cos(in), cos(beta)), 10 * closure(run));
}

static void ignore(const test_ending *e, void *user) { (void)e, (void)user; }

static void bending_angles__are_those_of_the_shafts(void **unused) {
    (void)unused;
    shafts f = {.beta = 25 * deg};
    char text[2048];
    double c = cos(f.beta), s = sin(f.beta);
    snprintf(text, sizeof text,
             "bodies: [{name: a, mass: 1, center: [-0.5,0,0], inertia: [0.02,0.1,0.1]}, {name: b, mass: 1, center: [0.5,0.1,0], inertia: "
             "[0.1,0.1,0.1]}]\n"
             "joints: [{name: in, type: revolute, bodies: [ground, a], at: [-0.5,0,0], axis: [1,0,0]},\n"
             " {name: out, type: revolute, bodies: [ground, b], at: [0,0,0], axis: [%.17g,%.17g,0]},\n"
             " {name: J, type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: [1,0,0], axis_b: [%.17g,%.17g,0], angles: true, "
             "reference: [0,0,1]}]\n"
             "drivers: [{variable: in.angle, value: =t}]\nmeasure: [J.angle1]\n",
             c, s, c, s);
    test_every_way(text, &(bl_run_options){.until = 9, .tolerance = 1e-9}, check_angles, ignore, &f);
}

/* two given angles determine the third: tan(angle3 / 2) = -tan(angle1 / 2) tan(angle2 / 2); a given rate keeps that of angle2 */
static void check_start(const bl_sample *s, const test_ending *run, void *user) {
    bool *seen = user;
    if (s->t > 0)
        return;
    *seen = true;
    const double want[3] = {0.3, 0.2, -2 * atan(tan(0.15) * tan(0.1))};
    for (int k = 0; k < 3; k++)
        test_close(run, "an angle", s->variable[1 + k], want[k], 1e-10);
    test_close(run, "the rate of angle1", s->variable_rate[1], 0.7, 1e-10);
    test_close(run, "the rate of angle2", s->variable_rate[2], 0, 1e-10);
}

static void check_kept(const test_ending *e, void *user) {
    assert_true(*(bool *)user);
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
}

static void given_bending_angles__are_met(void **unused) {
    (void)unused;
    bool seen = false;
    test_every_way("bodies: [{name: a, mass: 1, center: [-0.5,0,0], inertia: [0.02,0.1,0.1]},\n"
                   " {name: b, mass: 1, center: [0.5,0,0], inertia: [0.02,0.1,0.1]}]\n"
                   "joints: [{name: in, type: revolute, bodies: [ground, a], at: [-0.5,0,0], axis: [1,0,0]},\n"
                   " {name: cv, type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: [1,0,0], angles: true, reference: [0,0,1]}]\n"
                   "initial: {cv.angle1: 0.3, cv.angle2: 0.2, in.rate: 5, cv.angle1_rate: 0.7}\n",
                   &(bl_run_options){.until = 1, .tolerance = 1e-8}, check_start, check_kept, &seen);
}

/* ---- bad input */

#define PAIR "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}, {name: b, mass: 1, center: [1,0,0], inertia: [1,1,1]}]\n"

static void wrong_joints__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(PAIR "joints: [~{type: constant_velocity, bodies: [a, b], at: [0,0,0]}]\n", "needs 'axis'", NULL);
    test_refused(PAIR "joints: [~{type: constant_velocity, bodies: [a, b], axis: [1,0,0]}]\n", "needs 'at'", NULL);
    test_refused(PAIR "joints: [{type: constant_velocity, bodies: [a, ~a], at: [0,0,0], axis: [1,0,0]}]\n", "with itself", NULL);
    test_refused(PAIR "joints: [{type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: ~[0,0,0]}]\n", "zero vector", NULL);
    test_refused(PAIR "joints: [{type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: [1,0,0], axis_b: ~[-1,0.1,0]}]\n", "opposite",
                 "reverse");
    test_refused(PAIR "joints: [{type: constant_velocity, bodies: [a, b], at: [0,0,0], axis: [1,0,0], reference: ~[1,0,0]}]\n",
                 "parallel to the axis", NULL);
    test_refused("dimension: 2\nbodies: [{name: a, mass: 0}]\njoints: [{type: ~constant_velocity, bodies: [ground, a], at: [0,0]}]\n",
                 "only be used in spatial models", NULL);
    test_refused(PAIR "joints: [{type: ~homokinetic, bodies: [a, b], at: [0,0,0]}]\n", "no joint of type", "'constant_velocity'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates__are_equal_at_every_angle),          cmocka_unit_test(inertias__add_and_the_moment_bisects),
        cmocka_unit_test(bending_angles__are_those_of_the_shafts),  cmocka_unit_test(given_bending_angles__are_met),
        cmocka_unit_test(wrong_joints__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
