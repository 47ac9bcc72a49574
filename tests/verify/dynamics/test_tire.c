/* Tires in closed form, in all coordinates: a wheel that bounces, comes to rest, stands on a shaking road, is braked and driven at given
 * slips, runs at a slip angle, slides with a locked wheel and creeps to rest, rolls down a slope, slides without friction over waves; the
 * steady turn of the single-track (bicycle) model, r = v delta / (L + K v^2). */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double g = 9.81;

/* ---- load */

/* dropped from h = 0.2 m above the road: free fall, half an oscillation on the spring, and back */
static void check_bounce(const test_ending *e, void *user) {
    int up = *(int *)user;
    test_no_warning(e);
    test_close(e, "the height", e->probe[0][up], 0.5, 1e-7);
    test_close(e, "the speed", e->probe_rate[0][up], 0, 1e-5);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
    test_close(e, "the work", e->work, 0, 1e-6); /* the spring has a potential */
}

static void wheels__bounce_back_to_their_height(void **unused) {
    (void)unused;
    double v = sqrt(2 * g * 0.2), w = sqrt(20000.0 / 20), until = 2 * v / g + 2 / w * (acos(-1) - atan(v * w / g));
    bl_run_options options = {.until = 3 * until, .tolerance = 1e-10};
    int up = 1;
    test_every_way("dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [0,0.5], inertia: 1}]\n"
                   "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000}]\nprobes: {P: {body: w}}\n",
                   &options, NULL, check_bounce, &up);
    up = 2;
    test_every_way("gravity: [0,0,-9.81]\nbodies: [{name: w, mass: 20, center: [0,0,0.5], inertia: [1,1,1]}]\n"
                   "forces: [{type: tire, body: w, axis: [0,1,0], radius: 0.3, stiffness: 20000}]\nprobes: {P: {body: w}}\n",
                   &options, NULL, check_bounce, &up);
}

static void check_rest(const test_ending *e, void *user) {
    (void)user;
    test_close(e, "the height", e->probe[0][1], 0.3 - 20 * g / 20000, 1e-8);
    test_close(e, "the speed", e->probe_rate[0][1], 0, 1e-7);
    /* 44 J go into the damper; its work is a quadrature beside the motion, which is exact to more digits */
    test_close(e, "the energy error", e->energy_error, 0, 2e-3);
}

static void wheels__rest_at_load_over_stiffness(void **unused) {
    (void)unused;
    test_every_way("dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [0,0.5], inertia: 1}]\n"
                   "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, damping: 400}]\nprobes: {P: {body: w}}\n",
                   &(bl_run_options){.until = 4, .tolerance = 1e-9}, NULL, check_rest, NULL);
}

/* m z'' = k (h - z), h = A sin(W t), from rest: A w^2 / (w^2 - W^2) (sin(W t) - W / w sin(w t)) about the rest */
static void check_shaken(const test_ending *e, void *user) {
    double w = sqrt(1000.0), W = 12, A = 0.002, t = e->t;
    (void)user;
    test_close(e, "the height", e->probe[0][1] - (0.3 - 20 * g / 20000), A * w * w / (w * w - W * W) * (sin(W * t) - W / w * sin(w * t)),
               1e-8);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7);
}

static void shaking_roads__drive_the_oscillator(void **unused) {
    (void)unused;
    test_every_way("dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [0,=0.3-20*9.81/20000], inertia: 1}]\n"
                   "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, road: =0.002*sin(12*t)}]\nprobes: {P: {body: w}}\n",
                   &(bl_run_options){.until = 2, .tolerance = 1e-10}, NULL, check_shaken, NULL);
}

/* ---- slip: the axle moves at 10 m/s, the wheel rotates by a driver; the force of the axle's driver is that of the slip */

typedef struct rolling {
    double share, alpha;
} rolling;

static void check_slip(const bl_sample *s, const test_ending *run, void *user) {
    const rolling *w = user;
    /* load 20000 x 0.05 = 1000 N */
    test_close(run, "the force of the driver", s->driver_force[0], -1000 * w->share, 1e-5);
}

static void check_nothing(const test_ending *e, void *user) { (void)e, (void)user; }

static double magic(double B, double C, double D, double E, double x) { return D * sin(C * atan(B * x - E * (B * x - atan(B * x)))); }

static void driven_wheels__have_the_force_of_their_slip(void **unused) {
    (void)unused;
    static const double slip[] = {-1, -0.3, -0.02, 0, 0.05, 1.5};
    for (int k = 0; k < 6; k++)
        for (int law = 0; law < 2; law++) {
            double kappa = slip[k], x = 12 * kappa / 0.9; /* stiffness 12000 N at 1000 N, friction 0.9 */
            rolling w = {.share = law ? magic(11, 1.6, 0.9, -0.5, kappa) : 0.9 * x / pow(1 + x * x * x * x, 0.25)};
            char text[1024];
            snprintf(text, sizeof text,
                     "dimension: 2\nbodies: [{name: axle, mass: 1, center: [0,0.25], inertia: 1},\n"
                     " {name: w, mass: 20, center: [0,0.25], inertia: 1}]\n"
                     "joints: [{name: rail, type: prismatic, bodies: [ground, axle], at: [0,0.25], axis: [1,0]},\n"
                     " {name: hub, type: revolute, bodies: [axle, w], at: [0,0.25]}]\n"
                     "drivers: [{variable: rail.distance, value: =10*t}, {variable: hub.angle, value: =-10/0.25*(1+%.17g)*t}]\n"
                     "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, friction: 0.9, %s}]\n",
                     kappa, law ? "model: magic, longitudinal: [11, 1.6, -0.5]" : "load: 1000, slip_stiffness: 12000");
            test_every_way(text, &(bl_run_options){.until = 0.2, .tolerance = 1e-9}, check_slip, check_nothing, &w);
        }
}

/* the axle moves at the angle alpha to the wheel, which rolls freely: its side force pulls the axle back by F sin(alpha) */
static void check_angle(const bl_sample *s, const test_ending *run, void *user) {
    const rolling *w = user;
    test_close(run, "the force of the driver", s->driver_force[0], 1000 * w->share * sin(w->alpha), 1e-5);
}

static void wheels_at_an_angle__have_the_side_force_of_their_slip(void **unused) {
    (void)unused;
    static const double angle[] = {0.01, 0.1, 0.4};
    for (int k = 0; k < 3; k++)
        for (int law = 0; law < 2; law++) {
            double alpha = angle[k], x = 15 * tan(alpha) / 0.8;
            rolling w = {.alpha = alpha, .share = law ? magic(9, 1.3, 0.8, -1, alpha) : 0.8 * x / pow(1 + x * x * x * x, 0.25)};
            char text[1024];
            snprintf(
                text, sizeof text,
                "bodies: [{name: axle, mass: 1, center: [0,0,0.25], inertia: [1,1,1]}, {name: w, mass: 20, center: [0,0,0.25], inertia: "
                "[1,1,1]}]\n"
                "joints: [{name: rail, type: prismatic, bodies: [ground, axle], at: [0,0,0.25], axis: [%.17g,%.17g,0]},\n"
                " {name: hub, type: revolute, bodies: [axle, w], at: [0,0,0.25], axis: [0,1,0]}]\n"
                "drivers: [{variable: rail.distance, value: =10*t}, {variable: hub.angle, value: =10*%.17g/0.25*t}]\n"
                "forces: [{type: tire, body: w, axis: [0,1,0], radius: 0.3, stiffness: 20000, friction: 0.8, %s}]\n",
                cos(alpha), sin(alpha), cos(alpha),
                law ? "model: magic, lateral: [9, 1.3, -1]" : "load: 1000, slip_stiffness: [12000, 15000]");
            test_every_way(text, &(bl_run_options){.until = 0.2, .tolerance = 1e-9}, check_angle, check_nothing, &w);
        }
}

/* ---- braking */

#define SLED                                                                                    \
    "dimension: 2\nbodies: [{name: s, mass: 100, center: [0,0.25], inertia: 1}]\n"              \
    "joints: [{name: rail, type: prismatic, bodies: [ground, s], at: [0,0.25], axis: [1,0]}]\n" \
    "forces: [{type: tire, body: s, radius: 0.3, stiffness: 20000, load: 1000, friction: 0.8, "

static void check_sliding(const test_ending *e, void *user) { /* 1000 N x 0.8 / 100 kg */
    (void)user;
    test_close(e, "the speed", e->rate[0], 10 - 8 * e->t, 1e-5);
    test_close(e, "the energy error", e->energy_error, 0, 1e-4);
}

static void check_creep(const test_ending *e, void *user) { /* C v / e: 50 1/s, the force at most 0.025 of the limit */
    (void)user;
    test_close(e, "the speed", e->rate[0], 0.005 * exp(-50 * e->t), 1e-5 * 0.005);
}

static void check_stopped(const test_ending *e, void *user) { /* from 10 m/s, at rest after 1.25 s and some time constants of 2e-4 s */
    (void)user;
    test_no_warning(e);
    test_close(e, "the speed", e->rate[0], 0, 1e-9);
    test_close(e, "the way", e->variable[0], 100.0 / 16, 1e-3);
    test_close(e, "the energy error", e->energy_error, 0, 1e-4 * 5000);
}

static void locked_wheels__slide_and_come_to_rest(void **unused) {
    (void)unused;
    test_every_way(SLED "slip_stiffness: 50000}]\ninitial: {rail.rate: 10}\n", &(bl_run_options){.until = 1, .tolerance = 1e-9}, NULL,
                   check_sliding, NULL);
    test_every_way(SLED "slip_stiffness: 500}]\ninitial: {rail.rate: 0.005}\n", &(bl_run_options){.until = 0.1, .tolerance = 1e-9}, NULL,
                   check_creep, NULL);
    test_every_way(SLED "slip_stiffness: 50000}]\ninitial: {rail.rate: 10}\n", &(bl_run_options){.until = 3, .tolerance = 1e-6}, NULL,
                   check_stopped, NULL);
}

/* ---- roads */

/* a disc on a slope of 0.2: a = g sin / (1 + J / (m r^2)), r the loaded radius; slip is some 1e-5 */
static void check_slope(const test_ending *e, void *user) {
    double slope = 0.2, sine = slope / sqrt(1 + slope * slope), cosine = 1 / sqrt(1 + slope * slope);
    double r = 0.3 - 20 * g * cosine / 1e6, a = g * sine / (1 + 0.9 / (20 * r * r)), way = a * e->t * e->t / 2;
    (void)user;
    test_no_warning(e);
    test_close(e, "x", e->probe[0][0], 0.3 * sine + way * cosine, 2e-4);
    test_close(e, "y", e->probe[0][1], 0.3 * cosine - way * sine, 3e-4);
    test_close(e, "the rotation", e->body[0].angular_velocity[2], -a * e->t / r, 2e-4 * a * e->t / r);
    test_close(e, "the energy error", e->energy_error, 0, 1e-5);
}

static void discs__roll_down_a_slope(void **unused) {
    (void)unused;
    char text[1024];
    double slope = 0.2, s = sqrt(1 + slope * slope), r = 0.3 - 20 * g / s / 1e6;
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [%.17g,%.17g], inertia: 0.9}]\n"
             "forces: [{type: tire, body: w, radius: 0.3, stiffness: 1e6, damping: 1000, load: 200, slip_stiffness: 1e6, road: =-0.2*x}]\n"
             "probes: {P: {body: w}}\n",
             r * slope / s, r / s);
    test_every_way(text, &(bl_run_options){.until = 1, .tolerance = 1e-8}, NULL, check_slope, NULL);
}

/* the same road as an inclined plane */
static void check_same(const test_ending *e, void *user) {
    double *first = user;
    if (isnan(first[0]))
        memcpy(first, e->probe[0], sizeof e->probe[0]);
    for (int k = 0; k < 2; k++)
        test_close(e, "the position", e->probe[0][k], first[k], 1e-6);
}

static void slopes__are_inclined_planes(void **unused) {
    (void)unused;
    double first[3] = {NAN, 0, 0};
    test_every_way(
        "dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [0.06,0.28], inertia: 0.9}]\n"
        "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, damping: 300, load: 200, slip_stiffness: 5000, road: =-0.2*x}]\n"
        "probes: {P: {body: w}}\n",
        &(bl_run_options){.until = 1, .tolerance = 1e-9}, NULL, check_same, first);
    test_every_way(
        "dimension: 2\ngravity: [0,-9.81]\nbodies: [{name: w, mass: 20, center: [0.06,0.28], inertia: 0.9}]\n"
        "forces: [{type: tire, body: w, radius: 0.3, stiffness: 20000, damping: 300, load: 200, slip_stiffness: 5000, normal: [0.2,1]}]\n"
        "probes: {P: {body: w}}\n",
        &(bl_run_options){.until = 1, .tolerance = 1e-9}, NULL, check_same, first);
}

/* without friction nothing is lost on waves, as the load has a potential on every road */
static void check_waves(const test_ending *e, void *user) {
    (void)user;
    test_no_warning(e);
    test_close(e, "the work", e->work, 0, 1e-6);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
    assert_true(e->probe[0][0] > 5);
}

static void waves__take_no_energy(void **unused) {
    (void)unused;
    test_every_way("gravity: [0,0,-9.81]\nbodies: [{name: w, mass: 20, center: [0,0,0.31], inertia: [1,1,1]}]\n"
                   "forces: [{type: tire, body: w, axis: [0.1,1,0.05], radius: 0.3, stiffness: 20000, road: =0.03*sin(3*x)}]\n"
                   "probes: {P: {body: w}}\ninitial: {w: {velocity: [4,0,0], angular_velocity: [0.2,3,0.3]}}\n",
                   &(bl_run_options){.until = 1.5, .tolerance = 1e-10}, NULL, check_waves, NULL);
}

/* ---- the single-track model, seen from above */

typedef struct car {
    double v, steer, m, J, a, b, Cf, Cr;
} car;

static void check_turn(const test_ending *e, void *user) {
    const car *c = user;
    double L = c->a + c->b, K = c->m / L * (c->b / c->Cf - c->a / c->Cr), r = c->v * c->steer / (L + K * c->v * c->v);
    test_no_warning(e);
    test_close(e, "the yaw rate", e->body[0].angular_velocity[2] / r, 1, 1e-6);
    /* the slip angle of the body: b / R - m a v^2 / (L R C_r) */
    double beta = r / c->v * (c->b - c->m * c->a * c->v * c->v / (L * c->Cr)),
           angle = 2 * atan2(e->body[0].quaternion[3], e->body[0].quaternion[0]);
    double across = -e->probe_rate[0][0] * sin(angle) + e->probe_rate[0][1] * cos(angle);
    test_close(e, "the slip angle", across / c->v / c->steer, beta / c->steer, 1e-6);
}

static void cars__turn_as_the_single_track_model_says(void **unused) {
    (void)unused;
    static const double speed[] = {5, 20, 40};
    for (int k = 0; k < 3; k++) {
        car c = {.v = speed[k], .steer = 2e-5, .m = 1500, .J = 2500, .a = 1.2, .b = 1.6, .Cf = 80000, .Cr = 95000};
        char text[1024];
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: car, mass: 1500, center: [0,0], inertia: 2500}]\n"
                 "forces: [{type: tire, body: car, at: [1.2,0], axis: [%.17g,%.17g], load: 8000, slip_stiffness: 80000},\n"
                 " {type: tire, body: car, at: [-1.6,0], axis: [0,1], load: 6500, slip_stiffness: 95000}]\n"
                 "probes: {P: {body: car}}\ninitial: {car: {velocity: [%.17g,0]}}\n",
                 -sin(c.steer), cos(c.steer), c.v);
        test_every_way(text, &(bl_run_options){.until = 8, .tolerance = 1e-9}, NULL, check_turn, &c);
    }
}

/* ---- bad input */

#define WHEEL "bodies: [{name: w, mass: 20, center: [0,0,0.3], inertia: [1,1,1]}]\nforces: ["
#define FLAT "dimension: 2\nbodies: [{name: w, mass: 20, center: [0,0.3], inertia: 1}]\nforces: ["

static void wrong_tires__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(WHEEL "~{type: tire, axis: [0,1,0], radius: 0.3, stiffness: 1}]\n", "needs 'body'", NULL);
    test_refused(WHEEL "{type: tire, body: ~ground, axis: [0,1,0], radius: 0.3, stiffness: 1}]\n", "ground, which does not roll", NULL);
    test_refused(WHEEL "~{type: tire, body: w, radius: 0.3, stiffness: 1}]\n", "axis is missing", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: ~[0,0,0], radius: 0.3, stiffness: 1}]\n", "zero vector", NULL);
    test_refused(WHEEL "~{type: tire, body: w, axis: [0,1,0], stiffness: 1}]\n", "radius is missing", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: ~0, stiffness: 1}]\n", "radius must be positive", NULL);
    test_refused(WHEEL "~{type: tire, body: w, axis: [0,1,0], radius: 1}]\n", "stiffness is missing", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: ~-1}]\n", "must be positive", NULL);
    test_refused(WHEEL "~{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, slip_stiffness: [1, 2]}]\n", "load is missing",
                 "at rest");
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, load: 1, slip_stiffness: ~[1]}]\n", "needs 2 numbers",
                 NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, model: ~pacejka}]\n", "must be one of linear|magic",
                 NULL);
    test_refused(WHEEL "~{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, model: magic}]\n", "lateral is missing", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, model: magic, lateral: ~[1, 2]}]\n",
                 "needs 3 numbers", "B, C and E");
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, lateral: ~[1, 2, 3]}]\n", "belongs to the magic",
                 "magic");
    test_refused(
        WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, model: magic, lateral: [1,2,3], slip_stiffness: ~[1, 2]}]\n",
        "belongs to the linear", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, friction: ~[1, 2, 3]}]\n", "one or two numbers",
                 NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, friction: [1, ~0]}]\n", "must be positive", NULL);
    test_refused(WHEEL "{type: tire, body: w, axis: [0,1,0], radius: 1, stiffness: 1, road: =~xd}]\n", "cannot use x or xd", NULL);
    test_refused(FLAT "{type: tire, body: w, axis: [0,1], radius: ~1, load: 1}]\n", "no meaning in a view from above", NULL);
    test_refused(FLAT "~{type: tire, body: w, axis: [0,1]}]\n", "load is missing", "view from above");
    test_refused(FLAT "{type: tire, body: w, axis: ~[0,1,0], load: 1}]\n", "needs 2 components, found 3", NULL);
    test_refused(FLAT "{type: ~tyre, body: w}]\n", "no force of type", "'tire'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wheels__bounce_back_to_their_height),
        cmocka_unit_test(wheels__rest_at_load_over_stiffness),
        cmocka_unit_test(shaking_roads__drive_the_oscillator),
        cmocka_unit_test(driven_wheels__have_the_force_of_their_slip),
        cmocka_unit_test(wheels_at_an_angle__have_the_side_force_of_their_slip),
        cmocka_unit_test(locked_wheels__slide_and_come_to_rest),
        cmocka_unit_test(discs__roll_down_a_slope),
        cmocka_unit_test(slopes__are_inclined_planes),
        cmocka_unit_test(waves__take_no_energy),
        cmocka_unit_test(cars__turn_as_the_single_track_model_says),
        cmocka_unit_test(wrong_tires__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
