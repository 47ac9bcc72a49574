/* Control loops with facts known by hand, at default settings in all coordinates, as a user would run them. Errors are compared with the
 * default tolerance, 1e-6, times the size of the quantity and 50 for the length of the run. */
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MASS                                                                   \
    "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"

static const char *const coordinates[] = {NULL, "natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 5 };
static const double error = 50e-6;

/* tau = R C = 0.2 s, 5 V from 0.5 s on: u = 5 (1 - e^{-s/tau}), s = t - 0.5; a mass under the force u: v = 5 (s - tau (1 - e^{-s/tau})) */
static void rc_filter__of_a_step(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS "parameters: {R: 1000, C: 2e-4}\nheld: {V: 0}\n"
                                            "states: [{name: u, start: 0, rate: '=(V - u)/(R*C)'}]\n"
                                            "events: [{at: 0.5, set: {V: 5}}]\n"
                                            "forces: [{type: force, body: c, at: [0, 0], force: [=u, 0]}]\n",
                               .coordinates = coordinates[c],
                               .name = {"u", "j.distance_rate"},
                               .at = {0.5, 0.7, 1, 2},
                               .nat = 4};
        test_signal_expect(&run);
        for (int i = 0; i < run.nat; i++) {
            double s = run.at[i] - 0.5, rest = 1 - exp(-s / 0.2);
            test_signal_near(&run, i, 0, 5 * rest, 5 * error);
            test_signal_near(&run, i, 1, 5 * (s - 0.2 * rest), 5 * error);
        }
    }
}

/* PI control of a speed: whatever the load, no error remains, and the torque is that of load and friction, 3 + 0.5 * 10 */
static void pi_control__leaves_no_error(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = "dimension: 2\nbodies: [{name: rotor, mass: 1, center: [0, 0], inertia: 0.8}]\n"
                                       "joints: [{name: shaft, type: revolute, bodies: [ground, rotor], at: [0, 0]}]\n"
                                       "held: {load: 0}\nevents: [{at: 1, set: {load: 3}}]\n"
                                       "states: [{name: I, start: 0, rate: '=10 - shaft.rate'}]\n"
                                       "controllers: [{name: torque, output: '=4*(10 - shaft.rate) + 6*I'}]\n"
                                       "forces: [{type: torque, body: rotor, torque: '=torque - load - 0.5*shaft.rate'}]\n",
                               .coordinates = coordinates[c],
                               .name = {"shaft.angle_rate", "torque"},
                               .at = {20},
                               .nat = 1};
        test_signal_expect(&run);
        test_signal_near(&run, 0, 0, 10, 10 * error);
        test_signal_near(&run, 0, 1, 8, 8 * error);
    }
}

/* On below 19, off above 21, between 10 (off) and 40 (on), time constant 100 s: on for 100 ln(21/19), off for 100 ln(11/9). */
static void a_thermostat__has_its_period(void **unused) {
    (void)unused;
    double on = 100 * log(21.0 / 19), period = on + 100 * log(11.0 / 9);
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS
                               "held: {on: 1, n: 0, first: 0, last: 0}\nstates: [{name: T, start: 19, rate: '=(30*on - (T - 10))/100'}]\n"
                               "events:\n"
                               "  - {when: 'T - 21', direction: up, set: {on: 0, n: =n + 1, last: =t, first: '=n == 0 ? t : first'}}\n"
                               "  - {when: 'T - 19', direction: down, set: {on: 1}}\n",
                               .coordinates = coordinates[c],
                               .name = {"n", "first", "last"},
                               .at = {1000},
                               .nat = 1};
        test_signal_expect(&run);
        test_signal_near(&run, 0, 0, floor((1000 - on) / period) + 1, 0);
        test_signal_near(&run, 0, 1, on, on * error);
        test_signal_near(&run, 0, 2, on + (run.value[0][0] - 1) * period, 1000 * error);
    }
}

/* An input that grows at the rate 1, sampled and held: a staircase. Forces are constant between samples, so all methods are exact. */
static void sample_and_hold__of_a_growing_input(void **unused) {
    (void)unused;
    const double T = 0.25;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS "inputs: {w: {value: 0, rate: 1}}\ncontrollers: [{name: u, every: 0.25, output: =w}]\n"
                                            "forces: [{type: force, body: c, at: [0, 0], force: [=u, 0]}]\n",
                               .coordinates = coordinates[c],
                               .name = {"u", "j.distance_rate", "j.distance"},
                               .at = {0.3, 1.1, 2},
                               .nat = 3};
        test_signal_expect(&run);
        for (int i = 0; i < run.nat; i++) {
            double v = 0, x = 0, t = run.at[i], held = 0;
            for (int k = 0; k * T < t; k++) {
                double h = fmin(T, t - k * T);
                held = k * T;
                x += v * h + held * h * h / 2;
                v += held * h;
            }
            test_signal_near(&run, i, 0, held, 1e-14);
            test_signal_near(&run, i, 1, v, 1e-12);
            test_signal_near(&run, i, 2, x, 1e-12);
        }
    }
}

/* z' = -k z(t - tau) oscillates forever at k tau = pi/2 with the period 4 tau; below it decays, above it grows. The roots of
 * s + k e^{-s tau} near i k: with k = (1 + d) pi/(2 tau) the growth is Re s = d (pi/2)^2 / (1 + (pi/2)^2) / tau + O(d^2). */
static void delayed_feedback__has_its_critical_gain(void **unused) {
    (void)unused;
    const double pi = acos(-1), tau = 0.5, square = pi * pi / 4;
    for (int c = 0; c < NCOORDINATES; c++)
        for (int d = -1; d <= 1; d++) {
            char text[1024];
            snprintf(text, sizeof text, MASS "states: [{name: z, start: 1, rate: '=-%.17g*delay(z, 0.5)'}]\n",
                     (1 + 0.01 * d) * pi / (2 * tau));
            test_signal_run run = {.text = text, .coordinates = coordinates[c], .name = {"z"}, .at = {20, 20.5, 60, 60.5}, .nat = 4};
            test_signal_expect(&run);
            /* two values a quarter of the period apart give the amplitude (nearly, for d != 0: the frequency differs by 0.3 %) */
            double early = hypot(run.value[0][0], run.value[1][0]), late = hypot(run.value[2][0], run.value[3][0]);
            double growth = log(late / early) / 40, want = 0.01 * d * square / (1 + square) / tau;
            if (!(fabs(growth - want) < (d == 0 ? 1e-6 : 0.02 * fabs(want))))
                fail_msg("%s: growth %.9g, expected %.9g", run.label, growth, want);
            if (d == 0) /* after whole periods the same value */
                assert_true(fabs(run.value[2][0] - run.value[0][0]) < 60 * error);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rc_filter__of_a_step), cmocka_unit_test(pi_control__leaves_no_error),
                                       cmocka_unit_test(a_thermostat__has_its_period),
                                       cmocka_unit_test(sample_and_hold__of_a_growing_input),
                                       cmocka_unit_test(delayed_feedback__has_its_critical_gain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
