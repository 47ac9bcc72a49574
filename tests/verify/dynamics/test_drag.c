/* Bodies in a fluid, in closed form. From rest under g with quadratic drag v = vt tanh(g t / vt), vt^2 = 2 m g / (rho c A); thrown upward
 * v = vt tan(atan(v0 / vt) - g t / vt) to the top, through v = 0, and down again; carried by a wind; with linear drag exponentially. The
 * smoothing speed e changes forces by the share e^2 / (2 v^2): with e = 1e-3 and speeds of some m/s below 1e-7. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

/* m = 2, rho = 1.2, c = 0.5, A = 0.4: k = 0.12 kg/m, vt = sqrt(2 * 9.81 / 0.12) */
static const double m = 2, k = 0.12, g = 9.81;

static void check_fall(const test_ending *e, void *user) {
    double vt = sqrt(m * g / k), t = e->t;
    (void)user;
    test_no_warning(e);
    test_close(e, "the speed", e->probe_rate[0][1], -vt * tanh(g * t / vt), 1e-7);
    test_close(e, "the height", e->probe[0][1], -vt * vt / g * log(cosh(g * t / vt)), 1e-6);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
}

static void check_terminal(const test_ending *e, void *user) { /* k sqrt(v^2 + e^2) v = m g */
    double vt = sqrt(m * g / k), s = 1e-3, v = sqrt((sqrt(s * s * s * s + 4 * vt * vt * vt * vt) - s * s) / 2);
    (void)user;
    test_close(e, "the terminal speed", -e->probe_rate[0][1], v, 1e-8);
}

#define FALL2                                                                                      \
    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 1}]\n" \
    "forces: [{type: drag, body: b, density: 1.2, coefficient: 0.5, area: 0.4}]\nprobes: {P: {body: b, at: [0,0]}}\n"
#define FALL3                                                                                   \
    "gravity: [0, -9.81, 0]\nbodies: [{name: b, mass: 2, center: [0,0,0], inertia: [1,1,1]}]\n" \
    "forces: [{type: drag, body: b, density: 1.2, coefficient: 0.5, area: 0.4}]\nprobes: {P: {body: b, at: [0,0,0]}}\n"

static void falling_bodies__reach_their_terminal_speed(void **unused) {
    (void)unused;
    test_every_way(FALL2, &(bl_run_options){.until = 2, .tolerance = 1e-10}, NULL, check_fall, NULL);
    test_every_way(FALL3, &(bl_run_options){.until = 2, .tolerance = 1e-10}, NULL, check_fall, NULL);
    test_every_way(FALL3, &(bl_run_options){.until = 40, .tolerance = 1e-10}, NULL, check_terminal, NULL);
}

static void check_throw(const test_ending *e, void *user) {
    double vt = sqrt(m * g / k), up = vt / g * atan(15 / vt), top = vt * vt / (2 * g) * log(1 + 225 / (vt * vt)), t = e->t - up;
    (void)user;
    test_close(e, "the speed", e->probe_rate[0][1], -vt * tanh(g * t / vt), 1e-6);
    test_close(e, "the height", e->probe[0][1], top - vt * vt / g * log(cosh(g * t / vt)), 1e-6);
}

static void thrown_bodies__pass_through_rest(void **unused) {
    (void)unused;
    test_every_way(FALL2 "initial: {P: {velocity: [0, 15]}}\n", &(bl_run_options){.until = 2.5, .tolerance = 1e-9}, NULL, check_throw,
                   NULL);
}

/* relative speed u = v - w: u' = -k / m u |u| */
static void check_wind(const test_ending *e, void *user) {
    double w = 8, u = -w / (1 + k / m * w * e->t);
    (void)user;
    test_close(e, "x'", e->probe_rate[0][0], (w + u) * 0.6, 1e-7);
    test_close(e, "y'", e->probe_rate[0][1], (w + u) * 0.8, 1e-7);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7);
}

static void check_rising_wind(const test_ending *e, void *user) { /* w = 3 t: u' = -3 + k/m u^2 */
    double u = -sqrt(3 * m / k) * tanh(sqrt(3 * k / m) * e->t);
    (void)user;
    test_close(e, "x'", e->probe_rate[0][0], u + 3 * e->t, 1e-7);
}

static void wind__carries_bodies(void **unused) {
    (void)unused;
    test_every_way(
        "bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [1,1,1]}]\n"
        "forces: [{type: drag, body: b, density: 1.2, coefficient: 0.5, area: 0.4, wind: [4.8, 6.4, 0]}]\nprobes: {P: {body: b}}\n",
        &(bl_run_options){.until = 3, .tolerance = 1e-10}, NULL, check_wind, NULL);
    test_every_way("dimension: 2\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 1}]\n"
                   "forces: [{type: drag, body: b, density: 1.2, coefficient: 0.5, area: 0.4, wind: [=3*t, 0]}]\nprobes: {P: {body: b}}\n",
                   &(bl_run_options){.until = 3, .tolerance = 1e-10}, NULL, check_rising_wind, NULL);
}

static void check_linear(const test_ending *e, void *user) {
    (void)user;
    test_close(e, "the speed", e->probe_rate[0][0], 5 * exp(-1.5 * e->t), 1e-9);
    test_close(e, "the way", e->probe[0][0], 5 / 1.5 * (1 - exp(-1.5 * e->t)), 1e-9);
}

/* a disc with drag 0.5 m from its center: J w' = -c r^2 w */
static void check_spin(const test_ending *e, void *user) {
    (void)user;
    test_close(e, "the rate", e->rate[0], 4 * exp(-3 * 0.25 / 2 * e->t), 1e-9);
}

static void linear_drag__decays_exponentially(void **unused) {
    (void)unused;
    test_every_way("dimension: 2\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 1}]\n"
                   "forces: [{type: drag, body: b, viscous: 3}]\nprobes: {P: {body: b}}\ninitial: {P: {velocity: [5, 0]}}\n",
                   &(bl_run_options){.until = 1, .tolerance = 1e-11}, NULL, check_linear, NULL);
    test_every_way("dimension: 2\nbodies: [{name: b, mass: 2, center: [0,0], inertia: 2}]\n"
                   "joints: [{name: j, type: revolute, bodies: [ground, b], at: [0,0]}]\n"
                   "forces: [{type: drag, body: b, at: [0.3,0.4], viscous: 3}]\ninitial: {j.rate: 4}\n",
                   &(bl_run_options){.until = 1, .tolerance = 1e-11}, NULL, check_spin, NULL);
}

/* ---- bad input */

#define BODY "bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [1,1,1]}]\nforces: ["

static void wrong_drags__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(BODY "~{type: drag, coefficient: 1, area: 1}]\n", "needs 'body'", NULL);
    test_refused(BODY "{type: drag, body: ~ground, coefficient: 1, area: 1}]\n", "ground, which does not move", NULL);
    test_refused(BODY "{type: drag, body: ~b}]\n", "neither coefficient and area nor viscous", "laws");
    test_refused(BODY "{type: drag, body: b, area: ~1}]\n", "area is given without coefficient", "both");
    test_refused(BODY "{type: drag, body: b, coefficient: ~1}]\n", "coefficient is given without area", "both");
    test_refused(BODY "{type: drag, body: b, coefficient: ~-1, area: 1}]\n", "must not be negative", NULL);
    test_refused(BODY "{type: drag, body: b, coefficient: 1, area: ~-1}]\n", "must not be negative", NULL);
    test_refused(BODY "{type: drag, body: b, viscous: 1, velocity: ~0}]\n", "velocity must be positive", NULL);
    test_refused(BODY "{type: drag, body: b, viscous: 1, wind: ~[1, 2]}]\n", "needs 3 components, found 2", NULL);
    test_refused(BODY "{type: drag, body: b, viscous: 1, ~cd: 2}]\n", "unknown key 'cd'", "'coefficient'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(falling_bodies__reach_their_terminal_speed),
        cmocka_unit_test(thrown_bodies__pass_through_rest),
        cmocka_unit_test(wind__carries_bodies),
        cmocka_unit_test(linear_drag__decays_exponentially),
        cmocka_unit_test(wrong_drags__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
