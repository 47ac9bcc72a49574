/* Control, states and events against closed solutions, in all coordinates and with every class of integrator. Numbers marked * are roots of
 * the closed solution or matrix exponentials, computed independently; the others follow from the formula in the comment. */
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 4 };

/* methods with the tolerance, or step, and the error relative to the size of the solution that is expected of them */
typedef struct method {
    const char *integrator;
    double tolerance, step, error;
} method;
static const method methods[] = {
    {NULL, 1e-11, 0, 1e-9},          {"series", 1e-11, 0, 1e-9},    {"dop853", 1e-11, 0, 1e-9},     {"dopri45", 1e-11, 0, 1e-9},
    {"abm", 1e-11, 0, 1e-8},         {"radau", 1e-11, 0, 1e-9},     {"stiff_auto", 1e-10, 0, 1e-7}, {"ndf_auto", 1e-10, 0, 3e-7},
    {"mebdf_auto", 1e-10, 0, 1e-7},  {"rk4", 0, 5e-4, 1e-7},        {"bs23", 1e-8, 0, 1e-6},        {"trbdf2", 1e-7, 0, 1e-4},
    {"rosenbrock23", 1e-7, 0, 1e-4}, {"genalpha:1", 0, 1e-3, 1e-4}, {"newmark", 0, 1e-3, 1e-4},
};
enum { NMETHOD = sizeof methods / sizeof *methods };

#define MASS                                                                   \
    "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"

static bool tries(int c, int m) {
    if (TEST_SANITIZED && c != m % NCOORDINATES)
        return false;
    bool series = methods[m].integrator && strcmp(methods[m].integrator, "series") == 0;
    return !series || c < 2; /* the others have no power series */
}

/* want[time][name]; size, rough: of the solution, and of the error of methods of second order relative to their table */
static void compare(test_signal_run *run, const double *want, double size, double rough) {
    int nname = 0, tried = 0;
    while (run->name[nname])
        nname++;
    for (int c = 0; c < NCOORDINATES; c++)
        for (int m = 0; m < NMETHOD; m++) {
            if (!tries(c, m))
                continue;
            run->coordinates = coordinates[c];
            run->integrator = methods[m].integrator;
            run->tolerance = methods[m].tolerance;
            run->step = methods[m].step;
            test_signal_expect(run);
            for (int i = 0; i < run->nat; i++)
                for (int k = 0; k < nname; k++)
                    test_signal_near(run, i, k, want[i * nname + k], (methods[m].error >= 1e-4 ? rough : size) * methods[m].error);
            tried++;
        }
    assert_int_equal(tried, TEST_SANITIZED ? NMETHOD : NCOORDINATES * NMETHOD - 2);
}

/* x'' = 100 (1 - x) - 4 x': x = 1 - e^{-2 t} (cos w t + 2/w sin w t), w^2 = 96 */
static void K1__pd_control_of_a_mass(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS "controllers: [{name: pd, type: pd, of: j.distance, target: 1, kp: 100, kd: 4}]\n"
                                        "forces: [{type: force, body: c, at: [0, 0], force: [=pd, 0]}]\n",
                           .name = {"j.distance"},
                           .at = {0.1, 0.5, 1},
                           .nat = 3};
    static const double table[] = {0.4050337674, 1.0055444518, 1.1360920476};
    double want[3];
    for (int i = 0; i < 3; i++) {
        double w = sqrt(96), t = run.at[i];
        want[i] = 1 - exp(-2 * t) * (cos(w * t) + 2 / w * sin(w * t));
        assert_true(fabs(want[i] - table[i]) < 1e-10);
    }
    compare(&run, want, 10, 10);
}

/* the overshoot, located by an event: pi / w and e^{-2 pi / w} */
static void K1__overshoot(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS "held: {most: 0, when: 0}\n"
                                            "controllers: [{name: pd, type: pd, of: j.distance, target: 1, kp: 100, kd: 4}]\n"
                                            "forces: [{type: force, body: c, at: [0, 0], force: [=pd, 0]}]\n"
                                            "events: [{when: j.rate, direction: down, set: {most: '=max(most, j.distance)',\n"
                                            "  when: '=when == 0 ? t : when'}}]\n",
                               .coordinates = coordinates[c],
                               .tolerance = 1e-11,
                               .name = {"most", "when"},
                               .at = {1},
                               .nat = 1};
        test_signal_expect(&run);
        test_signal_near(&run, 0, 0, 1.5266205993, 1e-9);
        test_signal_near(&run, 0, 1, 0.3206374575, 1e-9);
    }
}

/* PID with a load of 5 N: * matrix exponential of (x, v, integral) */
static void K2__pid_control_of_a_loaded_mass(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS "controllers: [{name: pid, type: pid, of: j.distance, target: 1, kp: 100, ki: 50, kd: 10}]\n"
                                        "forces: [{type: force, body: c, at: [0, 0], force: [=pid + 5, 0]}]\n",
                           .name = {"j.distance"},
                           .at = {0.5, 1, 3},
                           .nat = 3};
    static const double want[] = {1.1818950209, 1.0671263581, 1.0228039748};
    compare(&run, want, 10, 10);
    test_signal_run integral = run;
    integral.name[1] = "pid.integral";
    integral.coordinates = "natural";
    integral.integrator = NULL;
    integral.tolerance = 1e-12;
    integral.step = 0;
    test_signal_expect(&integral);
    test_signal_near(&integral, 2, 1, -0.0566642326, 1e-9);
}

/* x_{k+1} = A x_k with A = exp of free flight under the held force: * after 20 samples */
static void K3__sampled_pd(void **unused) {
    (void)unused;
    static const struct {
        double T, x, v;
    } cases[] = {{0.05, -0.0314281403, 0.4070742492}, {0.15, -0.4484385336, 1.8225823971}, {0.17, -0.2821626182, -39.8775081186}};
    for (int i = 0; i < 3; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 MASS "parameters: {T: %.17g}\ncontrollers: [{name: pd, every: =T, output: '=-100*j.distance - 8*j.rate'}]\n"
                      "forces: [{type: force, body: c, at: [0, 0], force: [=pd, 0]}]\ninitial: {j.distance: 1}\n",
                 cases[i].T);
        for (int c = 0; c < NCOORDINATES; c++)
            for (int m = 0; m < NMETHOD; m++) {
                test_signal_run run = {.text = text,
                                       .coordinates = coordinates[c],
                                       .integrator = methods[m].integrator,
                                       .tolerance = methods[m].tolerance,
                                       .step = methods[m].step,
                                       .name = {"j.distance", "j.distance_rate"},
                                       .at = {20 * cases[i].T},
                                       .nat = 1};
                if (!tries(c, m) || methods[m].error >= 1e-7) /* others have an error at each of the restarts */
                    continue;
                test_signal_expect(&run);
                test_signal_near(&run, 0, 0, cases[i].x, 1e-8 * (1 + fabs(cases[i].x)));
                test_signal_near(&run, 0, 1, cases[i].v, 1e-8 * (1 + fabs(cases[i].v)));
            }
    }
}

/* x' = -x(t - 1), x = 1 before: polynomials of degree k on [k - 1, k], by the method of steps in exact fractions:
 * x(t) = sum_k (-1)^k (t - k + 1)^k / k!, k <= t + 1 */
static double method_of_steps(double t) {
    double sum = 0, factorial = 1;
    for (int k = 0; k <= t + 1; k++) {
        factorial *= k > 0 ? k : 1;
        sum += (k % 2 ? -1 : 1) * pow(t - k + 1, k) / factorial;
    }
    return sum;
}

static void K4__state_with_a_delay(void **unused) {
    (void)unused;
    test_signal_run run = {
        .text = MASS "states: [{name: s, start: 1, rate: '=-delay(s, 1)'}]\n", .name = {"s"}, .at = {0.7, 2, 3, 4.3, 5, 8, 20.1}, .nat = 7};
    static const double table[] = {-0.5, -1.0 / 6, 0.1583333333, -0.0045386905};
    static const int at[] = {1, 2, 4, 5};
    double want[7];
    for (int i = 0; i < 7; i++)
        want[i] = method_of_steps(run.at[i]);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(want[at[i]] - table[i]) < 1e-10);
    for (int c = 0; c < NCOORDINATES; c++)
        for (int m = 0; m < NMETHOD; m++) {
            if (!tries(c, m) || methods[m].error > 1e-5)
                continue;
            run.coordinates = coordinates[c];
            run.integrator = methods[m].integrator;
            run.tolerance = methods[m].tolerance;
            run.step = methods[m].step;
            test_signal_expect(&run);
            for (int i = 0; i < 7; i++)
                test_signal_near(&run, i, 0, want[i], fmax(methods[m].error, 1e-9));
        }
}

/* x'' = -100 x(t - T) - 8 x'(t - T) oscillates at 11.7044964858 rad/s where T = 0.0642952946: the amplitude repeats; below it decays */
static void K4__critical_delay(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++)
        for (int k = 0; k < 3; k++) {
            static const double factor[] = {0.98, 1, 1.02};
            char text[600];
            double period = 2 * 3.14159265358979323846 / 11.7044964858, first = 20, amplitude[2];
            snprintf(text, sizeof text,
                     MASS "forces: [{type: force, body: c, at: [0, 0], force: ['=-delay(100*j.distance + 8*j.rate, %.17g)', 0]}]\n"
                          "initial: {j.distance: 1}\n",
                     factor[k] * 0.0642952946);
            test_signal_run run = {.text = text,
                                   .coordinates = coordinates[c],
                                   .tolerance = 1e-10,
                                   .name = {"j.distance", "j.distance_rate"},
                                   .at = {first, first + 5 * period},
                                   .nat = 2};
            test_signal_expect(&run);
            for (int i = 0; i < 2; i++)
                amplitude[i] = hypot(run.value[i][0], run.value[i][1] / 11.7044964858);
            if (k == 1) {
                test_signal_near(&run, 1, 0, run.value[0][0], 1e-6);
                test_signal_near(&run, 1, 1, run.value[0][1], 1e-5);
            } else {
                assert_true(k == 0 ? amplitude[1] < 0.95 * amplitude[0] : amplitude[1] > 1.05 * amplitude[0]);
            }
            assert_true(run.largest_energy_error < 1e-6);
        }
}

/* a delayed sampled value: the steps of the controller arrive later, exactly */
static void delays__of_values_that_jump(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS "held: {n: 0}\nevents: [{every: 0.3, set: {n: =n + 1}}]\n"
                                            "forces: [{type: force, body: c, at: [0, 0], force: ['=delay(n, 0.7)', 0]}]\n",
                               .coordinates = coordinates[c],
                               .tolerance = 1e-10,
                               .name = {"j.distance", "j.distance_rate"},
                               .at = {0.5, 1.5, 2.9},
                               .nat = 3};
        test_signal_expect(&run);
        for (int i = 0; i < 3; i++) { /* 1 from the start on (n = 1 after the first event, at t = 0), one more at 0.7 + 0.3 k, k >= 1 */
            double t = run.at[i], x = t * t / 2, v = t;
            for (int k = 1; 0.7 + 0.3 * k < t; k++) {
                x += (t - 0.7 - 0.3 * k) * (t - 0.7 - 0.3 * k) / 2;
                v += t - 0.7 - 0.3 * k;
            }
            test_signal_near(&run, i, 0, x, 1e-9);
            test_signal_near(&run, i, 1, v, 1e-9);
        }
    }
}

/* inverted pendulum on a cart with state feedback, nonlinear: * integrated with 30 digits in minimal coordinates */
static void K5__feedback_of_an_inverted_pendulum(void **unused) {
    (void)unused;
    test_signal_run run = {
        .text = "dimension: 2\ngravity: [0, -9.81]\n"
                "bodies: [{name: cart, mass: 1, center: [0, 0], inertia: 1}, {name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 0.3}]\n"
                "joints:\n"
                "  - {name: rail, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
                "  - {name: hinge, type: revolute, bodies: [cart, rod], at: [0, 0]}\n" /* counterclockwise: minus theta */
                "controllers:\n"
                "  - {name: u, type: feedback, gains: {rail.distance: -3.1622776602, hinge.angle: 47.3942507760,\n"
                "     rail.rate: -4.8304642639, hinge.rate: 11.9010048676}}\n"
                "forces: [{type: force, body: cart, at: [0, 0], force: [=u, 0]}]\n"
                "initial: {hinge.angle: -0.2}\n",
        .name = {"rail.distance", "hinge.angle", "rail.distance_rate", "hinge.angle_rate"},
        .at = {1, 3},
        .nat = 2};
    for (int c = 0; c < NCOORDINATES; c++)
        for (int m = 0; m < NMETHOD; m++) {
            if (!tries(c, m))
                continue;
            run.coordinates = coordinates[c];
            run.integrator = methods[m].integrator;
            run.tolerance = methods[m].tolerance;
            run.step = methods[m].step;
            test_signal_expect(&run);
            double off = 20 * methods[m].error + 2e-10;
            test_signal_near(&run, 0, 0, 0.4477767205, off);
            test_signal_near(&run, 0, 1, 0.0690170290, off);
            test_signal_near(&run, 0, 2, 0.0007387663, 5 * off);
            test_signal_near(&run, 0, 3, -0.0693526796, 5 * off);
            test_signal_near(&run, 1, 0, 0.0495161018, off);
            test_signal_near(&run, 1, 1, -0.0138418718, off);
        }
}

/* x'' = -sign(x + x' |x'| / 2) from 1 at rest: one switch at t = 1, the origin at t = 2; then it would switch for ever */
static void K6__time_optimal_switching(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = MASS "forces: [{type: force, body: c, at: [0, 0],\n"
                                            "  force: ['=-sign(j.distance + j.rate*abs(j.rate)/2)', 0]}]\ninitial: {j.distance: 1}\n",
                               .coordinates = coordinates[c],
                               .tolerance = 1e-10,
                               .until = 2.5,
                               .name = {"j.distance", "j.distance_rate"},
                               .at = {1, 1.5, 2, 2.5},
                               .nat = 4};
        bl_status status = test_signal_execute(&run);
        test_signal_near(&run, 0, 0, 0.5, 1e-9);
        test_signal_near(&run, 1, 0, 0.125, 1e-9);
        test_signal_near(&run, 1, 1, -0.5, 1e-9);
        test_signal_near(&run, 2, 0, 0, 1e-8);
        test_signal_near(&run, 2, 1, 0, 1e-7);
        if (status == BL_OK) { /* it stays at the origin with a blend of both branches, which is reported */
            assert_non_null(strstr(run.warning, "pushes the motion back from both sides"));
            test_signal_near(&run, 3, 0, 0, 1e-6);
        } else {
            assert_int_equal(status, BL_E_NUMERIC);
            assert_non_null(strstr(run.message, "switches "));
            assert_non_null(strstr(run.message, "time does not advance"));
            if (!(run.summary.t > 2 - 1e-6 && run.summary.t < 2.5))
                fail_msg("%s: ends at t = %.12g: %s", run.label, run.summary.t, run.message);
        }
    }
}

/* s' = +-1, reversed at +-d: a triangle of period 4 d */
static void K6__hysteresis(void **unused) {
    (void)unused;
    for (int c = 0; c < NCOORDINATES; c++)
        for (int m = 0; m < NMETHOD; m++) {
            test_signal_run run = {.text =
                                       MASS "parameters: {d: 0.25}\nstates: [{name: s, start: 0, rate: '=1 - 2*hysteresis(s, -d, d)'}]\n",
                                   .coordinates = coordinates[c],
                                   .integrator = methods[m].integrator,
                                   .tolerance = methods[m].tolerance,
                                   .step = methods[m].step > 0 ? 0.03 : 0,
                                   .name = {"s"},
                                   .at = {0.125, 0.25, 0.5, 0.75, 1, 2.125, 2.875, 10.25},
                                   .nat = 8};
            static const double want[] = {0.125, 0.25, 0, -0.25, 0, 0.125, -0.125, 0.25};
            if (!tries(c, m))
                continue;
            test_signal_expect(&run);
            for (int i = 0; i < 8; i++)
                test_signal_near(&run, i, 0, want[i], 1e-10);
        }
}

/* x'' + 4 x = u with u = t, 2 - t, 0 on [0, 1], [1, 2], then: piecewise x = u/4 + a cos 2 s + b sin 2 s */
static void K8__table_with_kinks(void **unused) {
    (void)unused;
    double x = 0, v = 0, want[3];
    for (int k = 0; k < 3; k++) {
        double u = k == 1 ? 1 : 0, slope = k == 0 ? 1 : k == 1 ? -1 : 0, a = x - u / 4, b = (v - slope / 4) / 2;
        x = (u + slope) / 4 + a * cos(2) + b * sin(2);
        v = slope / 4 + 2 * (b * cos(2) - a * sin(2));
        want[k] = x;
    }
    static const double table[] = {0.1363378216, 0.3219246686, -0.2679358649};
    for (int k = 0; k < 3; k++)
        assert_true(fabs(want[k] - table[k]) < 1e-10);
    /* as events that change the rate of a ramp: a state that follows held slopes */
    test_signal_run run = {.text = MASS "held: {slope: 1}\nstates: [{name: u, start: 0, rate: =slope}]\n"
                                        "forces: [{type: force, body: c, at: [0, 0], force: ['=u - 4*j.distance', 0]}]\n"
                                        "events: [{at: 1, set: {slope: -1}}, {at: 2, set: {slope: 0}}]\n",
                           .name = {"j.distance"},
                           .at = {1, 2, 3},
                           .nat = 3};
    compare(&run, want, 10, 10);
}

/* motor: * matrix exponential of (rate, current) */
static void K9__motor(void **unused) {
    (void)unused;
    test_signal_run run = {.text = "dimension: 2\nparameters: {R: 1, L: 0.01, k: 0.1, J: 0.01, b: 0.001}\ninputs: {V: 12}\n"
                                   "states: [{name: i, start: 0, rate: '=(V - R*i - k*shaft.rate)/L'}]\n"
                                   "bodies: [{name: rotor, mass: 1, center: [0, 0], inertia: =J}]\n"
                                   "joints: [{name: shaft, type: revolute, bodies: [ground, rotor], at: [0, 0]}]\n"
                                   "forces: [{type: torque, body: rotor, torque: '=k*i - b*shaft.rate'}]\n",
                           .name = {"shaft.angle_rate", "i"},
                           .at = {0.05, 1},
                           .nat = 2};
    static const double want[] = {4.7331520066, 11.5580366575, 72.7758067629, 4.7632274936};
    compare(&run, want, 100, 1000);
    test_signal_run end = run;
    end.coordinates = "relative";
    end.integrator = NULL;
    end.tolerance = 1e-11;
    end.step = 0;
    end.at[0] = 100;
    end.nat = 1;
    test_signal_expect(&end);
    test_signal_near(&end, 0, 0, 109.090909090909, 1e-7);
    test_signal_near(&end, 0, 1, 1.090909090909, 1e-7);
    assert_true(end.largest_energy_error < 1e-5); /* of some 7 kJ */
}

/* A body and a second-order equation, equal oscillators k = 4 coupled by c = 2: x, y = (cos 2 t +- cos sqrt(8) t) / 2. The sum of what the
 * coupling does to both, z' = pull (x' - y'), is minus its energy: z = 1 - (x - y)^2 from x - y = 1. */
static void equations__beside_bodies(void **unused) {
    (void)unused;
    test_signal_run run = {.text = MASS "parameters: {k: 4, c: 2}\n"
                                        "equations:\n"
                                        "  expressions: {pull: {value: '=c*(y - j.distance)'}}\n"
                                        "  states:\n"
                                        "    - {name: y, start: 0, mass: 2, force: '=2*(-k*y - pull)'}\n"
                                        "    - {name: z, start: 0, rate: '=pull*(j.rate - y_rate)'}\n"
                                        "forces: [{type: force, body: c, at: [0, 0], force: ['=pull - k*j.distance', 0]}]\n"
                                        "initial: {j.distance: 1}\n",
                           .name = {"j.distance", "y", "y.rate", "z"},
                           .at = {0.4, 2.5, 5},
                           .nat = 3};
    double want[3 * 4], w = sqrt(8);
    for (int i = 0; i < 3; i++) {
        double t = run.at[i], x = (cos(2 * t) + cos(w * t)) / 2, y = (cos(2 * t) - cos(w * t)) / 2;
        const double row[] = {x, y, (-2 * sin(2 * t) + w * sin(w * t)) / 2, 1 - (x - y) * (x - y)};
        memcpy(&want[4 * i], row, sizeof row);
    }
    compare(&run, want, 10, 100);
}

/* delays that the model may have, but not this run, which ends earlier: the value of the start acts all the time, x = t^2 / 2 */
static void a_run_shorter_than_a_delay__is_warned_of(void **unused) {
    (void)unused;
    static const char *const controller[] = {"{name: a, output: '=delay(j.distance, 5)'}",
                                             "{name: a, every: 0.1, delay: 5, output: =j.distance}"};
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 MASS "controllers: [%s]\nforces: [{type: force, body: c, at: [0, 0], force: [=1 + a, 0]}]\nsimulate: {until: 10}\n",
                 controller[i]);
        test_signal_run run = {.text = text, .name = {"j.distance"}, .at = {1}, .nat = 1, .tolerance = 1e-10};
        test_signal_expect(&run);
        assert_non_null(strstr(run.warning, "a delay of 5 s is longer than the run of 1 s"));
        test_signal_near(&run, 0, 0, 0.5, 1e-9);
        run.at[0] = 6;
        test_signal_expect(&run);
        assert_string_equal(run.warning, "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(K1__pd_control_of_a_mass),
        cmocka_unit_test(K1__overshoot),
        cmocka_unit_test(K2__pid_control_of_a_loaded_mass),
        cmocka_unit_test(K3__sampled_pd),
        cmocka_unit_test(K4__state_with_a_delay),
        cmocka_unit_test(K4__critical_delay),
        cmocka_unit_test(delays__of_values_that_jump),
        cmocka_unit_test(K5__feedback_of_an_inverted_pendulum),
        cmocka_unit_test(K6__time_optimal_switching),
        cmocka_unit_test(K6__hysteresis),
        cmocka_unit_test(K8__table_with_kinks),
        cmocka_unit_test(K9__motor),
        cmocka_unit_test(equations__beside_bodies),
        cmocka_unit_test(a_run_shorter_than_a_delay__is_warned_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
