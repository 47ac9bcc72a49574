/* A motor on a rotor of inertia J under a load moment L: J w' = T (u - w/w0) - L, w = w_end (1 - e^{-t/tau}), tau = J w0 / T, w_end =
 * w0 (u - L/T). Its work is the kinetic energy and that of the load. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

typedef struct drive {
    double J, T, speed, level, load;
} drive;

static void check(const test_ending *e, void *user) {
    const drive *d = user;
    double tau = d->J * d->speed / d->T, end = d->speed * (d->level - d->load / d->T), t = e->t;
    double w = end * (1 - exp(-t / tau)), a = end * (t - tau * (1 - exp(-t / tau)));
    test_close(e, "the rate", e->rate[0], w, 1e-7 * fabs(end));
    test_close(e, "the variable", e->variable[0], a, 1e-7 * (1 + fabs(a)));
    test_close(e, "the work", e->work, d->J * w * w / 2, 1e-6 * (1 + d->J * w * w / 2));
    test_close(e, "the energy error", e->energy_error, 0, 1e-6 * (1 + d->J * w * w));
    test_no_warning(e);
}

static void motors__run_up_to_their_line(void **unused) {
    (void)unused;
    static const drive drives[] = {{0.01, 0.5, 300, 1, 0}, {0.01, 0.5, 300, -0.4, 0.1}, {2, 30, 1.5, 0.7, 4}};
    for (size_t i = 0; i < sizeof drives / sizeof *drives; i++) {
        drive d = drives[i];
        char text[512];
        bool slides = d.J > 1;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: a, mass: %g, center: [0, 0], inertia: %g}]\n"
                 "joints: [{name: j, type: %s, bodies: [ground, a], at: [0, 0]%s}]\n"
                 "forces: [{type: motor, variable: j.%s, stall: %g, speed: %g, level: %g}, {type: %s %g%s}]\n",
                 d.J, d.J, slides ? "prismatic" : "revolute", slides ? ", axis: [1, 0]" : "", slides ? "distance" : "angle", d.T, d.speed,
                 d.level, slides ? "force, body: a, at: [0, 0], force: [" : "torque, body: a, torque:", -d.load, slides ? ", 0]" : "");
        test_every_way(text, &(bl_run_options){.until = 5, .tolerance = 1e-9}, NULL, check, &d);
    }
}

static void wrong_motors__are_refused(void **unused) {
    (void)unused;
#define MOTOR(parameters)                                                      \
    "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\nforces: [~{type: motor, variable: j.angle" parameters "}]\n"
    test_refused(MOTOR(", stall: 1"), "needs 'speed'", NULL);
    test_refused("dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}]\n"
                 "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                 "forces: [{type: motor, variable: j.angle, stall: 1, speed: ~0}]\n",
                 "speed", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motors__run_up_to_their_line),
        cmocka_unit_test(wrong_motors__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
