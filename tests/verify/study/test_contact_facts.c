/* Contacts, stops and percussions in small models of which one fact is known by hand, in all coordinates, some also by time stepping:
 * rebounds of rough discs, a ladder that leaves its wall, wheels on ramps and rollers, boxes that tip, wedges, corners, belts, beads,
 * moving platforms, balls that roll by friction on a table that turns. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81;
static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
enum { KINDS = 4, STEPPED = 3 }; /* free bodies are not stepped in relative coordinates */
static contact_run run;
static char text[4000];

#if defined(__GNUC__)
__attribute__((format(printf, 1, 2)))
#endif
static void
write(const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(n > 0 && n < (int)sizeof text);
}

/* until at[nat - 1]; no warnings, and the energy balanced */
static void go(int kind, const double *at, bl_index nat) {
    contact_run_text(text, NULL,
                     &(bl_run_options){.coordinates = kinds[kind], .tolerance = 1e-10, .until = at[nat - 1], .at = at, .nat = nat}, &run);
    contact_expect(&run, 1e-7);
}

static void step(int kind, double h, const double *at, bl_index nat) {
    char full[sizeof text + 40];
    snprintf(full, sizeof full, "%ssimulate: {contact: stepping}\n", text);
    contact_run_text(full, NULL, &(bl_run_options){.coordinates = kinds[kind], .step = h, .until = at[nat - 1], .at = at, .nat = nat},
                     &run);
    if (run.status != BL_OK)
        fail_msg("%s: %s", run.label, run.error.what);
}

static void near(const char *what, double found, double wanted, double allowed) {
    contact_expect_close(&run, what, found, wanted, allowed);
}

static double event(const char *part) {
    for (int i = 0; i < run.nevent; i++)
        if (strstr(run.what[i], part))
            return run.event[i];
    fail_msg("%s: no event '%s'", run.label, part);
    return NAN;
}

static double integral(double (*f)(double, const double *), const double *c, double a, double b) { /* Gauss, three points in each part */
    enum { PARTS = 20000 };
    double h = (b - a) / PARTS, x = sqrt(0.15) * h, sum = 0;
    for (int i = 0; i < PARTS; i++) {
        double m = a + (i + 0.5) * h;
        sum += 5 * f(m - x, c) + 8 * f(m, c) + 5 * f(m + x, c);
    }
    return sum * h / 18;
}

static double elliptic(double m) { /* complete, of the first kind */
    double a = 1, b = sqrt(1 - m);
    for (int i = 0; i < 40; i++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return PI / 2 / a;
}

/* ---- impacts */

/* A disc falls on a slope: it sticks if its tangential speed / 3 is less than mu times its normal one in the compression, and then keeps
 * 2/3 of it, with the spin of rolling; else friction takes mu in the compression and again in the expansion, until it rolls. */
static void disc__rebounds_from_a_slope(void **state) {
    (void)state;
    static const double cases[][2] = {{0.8, 0.6}, {0.05, 0.6}, {0.8, 0}, {0.05, 0}, {0.11, 0.5}}, at[] = {0.2};
    const double a = 0.4, v0 = 3, R = 0.1, m = 2, s = sin(a), c = cos(a);
    for (int i = 0; i < 5; i++) {
        double mu = cases[i][0], e = cases[i][1], vn = v0 * c, vt = v0 * s, y = R * c + 0.3;
        write("dimension: 2\ngravity: [0, 0]\nbodies: [{name: b, disc: {center: [%.17g, %.17g], radius: 0.1}, mass: 2}]\n"
              "contacts: [{name: hill, between: [ground, b], restitution: %g, friction: %g, shapes: [{plane: {at: [0, 0], normal: [%.17g, "
              "%.17g]}}, {sphere: {at: [%.17g, %.17g], radius: 0.1}}]}]\ninitial: {b: {velocity: [0, -3]}}\n",
              -R * s, y, e, mu, -s, c, -R * s, y);
        double rub = vt / 3 <= mu * vn ? vt / 3 : fmin(mu * vn * (1 + e), vt / 3), along = vt - rub,
               off = e * vn; /* down the slope; away */
        for (int k = 0; k < KINDS; k++) {
            go(k, at, 1);
            const bl_pose *p = &contact_at(&run, 0.2)->body[0];
            near("the impact", run.struck[0], 0.1, 1e-12);
            near("the impulse", run.strike[0].impulse[0], m * (1 + e) * vn, 1e-9);
            near("vx", p->velocity[0], -along * c - off * s, 1e-9);
            near("vy", p->velocity[1], -along * s + off * c, 1e-9);
            near("the spin", p->angular_velocity[2], 2 * rub / R, 1e-8);
        }
        for (int k = 0; k < STEPPED; k++) { /* inside by v h at most, where the lever is shorter by as much */
            step(k, 1e-4, at, 1);
            const bl_pose *p = &contact_at(&run, 0.2)->body[0];
            near("vx", p->velocity[0], -along * c - off * s, 1e-3);
            near("vy", p->velocity[1], -along * s + off * c, 1e-3);
        }
    }
}

/* the same on a slope that yields by a millimeter, whose friction changes its sign within 1e-5 m/s: stiff, and not a matter of rounding */
static void disc__rebounds_from_a_stiff_slope(void **state) {
    (void)state;
    static const double at[] = {0.2}, tolerance[] = {1e-6, 1e-8};
    const double a = 0.4, R = 0.1, s = sin(a), c = cos(a), y = R * c + 0.3, velocity[] = {1e-4, 1e-5};
    for (int i = 0; i < 2; i++) {
        write(
            "dimension: 2\ngravity: [0, 0]\nbodies: [{name: b, disc: {center: [%.17g, %.17g], radius: 0.1}, mass: 2}]\n"
            "contacts: [{name: hill, between: [ground, b], law: hunt_crossley, stiffness: 2.84e7, exponent: 1, damping: 0.3528, friction: "
            "0.8, velocity: %g, shapes: [{plane: {at: [0, 0], normal: [%.17g, %.17g]}}, {sphere: {at: [%.17g, %.17g], radius: 0.1}}]}]\n"
            "initial: {b: {velocity: [0, -3]}}\n",
            -R * s, y, velocity[i], -s, c, -R * s, y);
        for (int k = 0; k < KINDS; k++) {
            bl_run_options options = {.coordinates = kinds[k], .tolerance = tolerance[i], .until = 0.2, .at = at, .nat = 1};
            contact_run_text(text, NULL, &options, &run);
            if (run.status != BL_OK)
                fail_msg("%s: %s", run.label, run.error.what);
            const bl_pose *p = &contact_at(&run, 0.2)->body[0];
            near("the speed along it", -(p->velocity[0] * c + p->velocity[1] * s), 2 * s, 1e-3);
            near("the spin", p->angular_velocity[2], 2 * s / R, 1e-2);
        }
    }
}

/* a wheel rolls along a floor to a ramp: its angular momentum about the new contact is kept, v' = v (cos a + 1/2) / (3/2) */
static void wheel__rolls_up_a_ramp(void **state) {
    (void)state;
    const double R = 0.25, a = 0.5, v = 3, meets = (R * cos(a) - R) / sin(a), hit = (meets + 1) / v, up = v * (cos(a) + 0.5) / 1.5,
                 slow = G * sin(a) / 1.5, at[] = {hit + 0.1, hit + up / slow};
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: w, disc: {center: [-1, 0.25], radius: 0.25}, mass: 2}]\ncontacts:\n"
          "  - {name: floor, between: [ground, w], friction: 2, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [-1, 0.25], "
          "radius: 0.25}}]}\n"
          "  - {name: ramp, between: [ground, w], friction: 2, shapes: [{plane: {at: [0, 0], normal: [%.17g, %.17g]}}, {disc: {at: [-1, "
          "0.25], radius: 0.25}}]}\ninitial: {w: {velocity: [3, 0], angular_velocity: -12}}\n",
          -sin(a), cos(a));
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 2) : step(k - KINDS, 1e-4, at, 2);
        const bl_pose *p = &contact_at(&run, at[0])->body[0], *top = &contact_at(&run, at[1])->body[0];
        double allowed = k < KINDS ? 1e-9 : 5e-3;
        near("the speed", hypot(p->velocity[0], p->velocity[1]), up - 0.1 * slow, allowed);
        near("the height", top->position[1] - R, up * up / 2 / slow * sin(a), allowed);
        near("the speed at the top", hypot(top->velocity[0], top->velocity[1]), 0, allowed);
    }
}

/* equal rods in line, hinged: a blow P at the end A across them gives the ends 7 P / 2 m, -P / m, P / 2 m */
static void rods__share_a_blow(void **state) {
    (void)state;
    static const double at[] = {1e-9};
    write("dimension: 2\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 2}, {name: b, rod: {from: [1, 0], to: [2, 0]}, mass: "
          "2}]\n"
          "joints: [{name: h, type: revolute, bodies: [a, b], at: [1, 0]}]\n"
          "probes: {A: {body: a, at: [0, 0]}, B: {body: a, at: [1, 0]}, C: {body: b, at: [2, 0]}}\n"
          "events: [{at: 0, percussion: {body: a, at: [0, 0], impulse: [0, 4]}}]\n");
    for (int k = 0; k < KINDS; k++) {
        go(k, at, 1);
        const contact_sample *s = contact_at(&run, at[0]);
        near("A", s->probe_rate[0][1], 7, 1e-6);
        near("B", s->probe_rate[1][1], -2, 1e-6);
        near("C", s->probe_rate[2][1], 1, 1e-6);
        near("the energy", run.strike[0].kinetic[1], 0.5 * 4 * 7, 1e-10);
    }
}

/* a ball that spins meets a rough wall in space: it leaves rolling, with 5/7 of its speed along it and 2/7 of R w */
static void ball__leaves_a_rough_wall_rolling(void **state) {
    (void)state;
    static const double at[] = {0.4};
    const double vx = 5. / 7 + 2. / 7 * 0.4, vy = 10. / 7 - 2. / 7 * 0.3;
    write("gravity: [0, 0, 0]\nbodies: [{name: b, sphere: {center: [0, 0, 0.6], radius: 0.1}, mass: 1}]\n"
          "contacts: [{name: c, between: [ground, b], friction: 3, restitution: 0.9, shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, "
          "1]}}, "
          "{sphere: {at: [0, 0, 0.6], radius: 0.1}}]}]\ninitial: {b: {velocity: [1, 2, -3], angular_velocity: [3, 4, 5]}}\n");
    for (int k = 0; k < KINDS; k++) {
        go(k, at, 1);
        const bl_pose *p = &contact_at(&run, 0.4)->body[0];
        near("vx", p->velocity[0], vx, 1e-9);
        near("vy", p->velocity[1], vy, 1e-9);
        near("vz", p->velocity[2], 2.7, 1e-9);
        near("wx", p->angular_velocity[0], -vy / 0.1, 1e-7);
        near("wy", p->angular_velocity[1], vx / 0.1, 1e-7);
        near("wz", p->angular_velocity[2], 5, 1e-7);
    }
}

/* on a platform that accelerates upward the ball falls with g + a; it comes to rest after t1 + 2 v e / ((1 - e)(g + a)) */
static void ball__comes_to_rest_on_a_rising_platform(void **state) {
    (void)state;
    const double e = 0.5, pull = G + 2, v = sqrt(0.25 + 2 * pull), first = (v - 0.5) / pull, rest = first + 2 * v * e / pull / (1 - e);
    const double end = rest + 0.3, at[] = {end};
    write(
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: p, mass: 5, inertia: 1, center: [0, 0]}, {name: b, disc: {center: [0.3, 1.1], "
        "radius: 0.1}, mass: 1}]\njoints: [{name: j, type: prismatic, bodies: [ground, p], at: [0, 0], axis: [0, 1]}]\n"
        "drivers: [{name: m, variable: j.distance, value: =0.5*t+t^2}]\n"
        "contacts: [{name: c, between: [p, b], restitution: 0.5, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [0.3, 1.1], "
        "radius: 0.1}}]}]\ninitial: {b: {velocity: [0, 0]}}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        const contact_sample *s = contact_at(&run, end);
        double allowed = k < KINDS ? 1e-8 : 2e-3;
        near("the force", s->contact[0].force[0], pull, allowed);
        near("the height", s->body[1].position[1], 0.1 + 0.5 * end + end * end, allowed);
        near("the driver", s->driver[0], 6 * pull, allowed);
        if (k >= KINDS)
            continue;
        near("the first impact", run.event[0], first, 1e-10);
        const char *said = NULL;
        for (int i = 0; i < run.nevent; i++)
            said = strstr(run.what[i], "rest at t = ") ? strstr(run.what[i], "rest at t = ") : said;
        assert_non_null(said);
        near("the rest", strtod(said + 12, NULL), rest, 1e-9);
    }
}

/* ---- what lifts off, slips or tips */

static double of_ladder(double u, const double *c) { /* dt of u, with th = th0 - u^2 */
    return u > 0 ? 2 * u / sqrt(3 * G / c[0] * (sin(c[1]) - sin(c[1] - u * u))) : 2 / sqrt(3 * G / c[0] * cos(c[1]));
}

/* on a smooth floor a ladder leaves its smooth wall when its top has come down by a third */
static void ladder__leaves_the_wall(void **state) {
    (void)state;
    const double L = 2, th = 1.1, last = asin(2. / 3 * sin(th)), c[] = {L, th}, t = integral(of_ladder, c, 0, sqrt(th - last));
    const double w = sqrt(G / L * sin(th)), at[] = {t + 0.05};
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: r, rod: {from: [0, %.17g], to: [%.17g, 0]}, mass: 3}]\ncontacts:\n"
          "  - {name: wall, between: [ground, r], shapes: [{plane: {at: [0, 0], normal: [1, 0]}}, {point: {at: [0, %.17g]}}]}\n"
          "  - {name: floor, between: [ground, r], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: [%.17g, 0]}}]}\n",
          L * sin(th), L * cos(th), L * sin(th), L * cos(th));
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        if (k < KINDS)
            near("the time", event("wall' opens"), t, 1e-7);
        near("the speed", contact_at(&run, at[0])->body[0].velocity[0], L / 2 * sin(last) * w, k < KINDS ? 1e-8 : 1e-4);
    }
}

static double of_dome(double u, const double *c) { return c[0] / sqrt(c[1] * c[1] + 2 * G * c[0] * (1 - cos(u))); }

/* from the top of a smooth dome a ball with the speed v leaves where cos = 2/3 + v^2 / (3 g R) */
static void ball__leaves_a_dome(void **state) {
    (void)state;
    const double R = 1.2, v = 0.5, leaves = acos(2. / 3 + v * v / (3 * G * R)), c[] = {R, v}, t = integral(of_dome, c, 0, leaves),
                 at[] = {t};
    write(
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, mass: 2, inertia: 0.02, center: [0, 1.2]}]\n"
        "contacts: [{name: c, between: [ground, b], shapes: [{sphere: {at: [0, 0], radius: 1}}, {sphere: {at: [0, 1.2], radius: 0.2}}]}]\n"
        "initial: {b: {velocity: [0.5, 0]}}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        near("x", contact_at(&run, t)->body[0].position[0], R * sin(leaves), k < KINDS ? 1e-8 : 1e-4);
        near("y", contact_at(&run, t)->body[0].position[1], R * cos(leaves), k < KINDS ? 1e-8 : 1e-4);
    }
    const double later[] = {t + 0.1};
    for (int k = 0; k < KINDS; k++) {
        go(k, later, 1);
        near("the time", event("opens"), t, 1e-7);
    }
}

/* On a table whose acceleration grows with j t a rough box tips at g b / (h j); before that, work and energy of the driver are polynomials,
 * which a power series has exactly. */
static void box__tips_on_a_table(void **state) {
    (void)state;
    static const double at[] = {1, 1.3};
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: t, mass: 5, inertia: 1, center: [0, 0]}, {name: k, box: {center: [0, 0.3], "
          "size: "
          "[0.2, 0.6]}, mass: 2}]\njoints: [{name: j, type: prismatic, bodies: [ground, t], at: [0, 0], axis: [1, 0]}]\n"
          "drivers: [{name: m, variable: j.distance, value: =0.5*t^3}]\n"
          "contacts: [{name: c, between: [t, k], friction: 1.5, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {box: {at: [0, 0.3], size: "
          "[0.2, 0.6]}}]}]\n");
    for (int k = 0; k < KINDS; k++) {
        go(k, at, 2);
        near("the time", event("opens"), G * 0.2 / 0.6 / 3, 1e-9);
        near("the work", contact_at(&run, 1)->work, 0.5 * 7 * 1.5 * 1.5, 1e-9);
        contact_run_text(text, NULL, &(bl_run_options){.coordinates = kinds[k], .until = 1.3, .at = at, .nat = 2}, &run);
        contact_expect(&run, 1e-5); /* also at the tolerance of 1e-6, of 22 J */
    }
}

/* pulled at its center by 5 t N a disc rolls until a third of that is mu0 m g, then slips */
static void disc__rolls_and_slips(void **state) {
    (void)state;
    const double t = 3 * 0.3 * 2 * G / 5, at[] = {t + 1};
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: d, disc: {center: [0, 0.2], radius: 0.2}, mass: 2}]\n"
          "forces: [{type: force, body: d, at: [0, 0.2], force: [=5*t, 0]}]\n"
          "contacts: [{name: c, between: [ground, d], friction: 0.25, static: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: "
          "{at: "
          "[0, 0.2], radius: 0.2}}]}]\n");
    for (int k = 0; k < KINDS; k++) {
        go(k, at, 1);
        const bl_pose *p = &contact_at(&run, t + 1)->body[0];
        double v = 5 * t * t / 6;
        for (int i = 0; i < run.nevent; i++)
            if (strstr(run.what[i], "slides"))
                near("the slip", run.event[i], t, 1e-8);
        near("the speed", p->velocity[0], v + 5 * ((t + 1) * (t + 1) - t * t) / 4 - 0.25 * G, 1e-8);
        near("the spin", -p->angular_velocity[2], v / 0.2 + 0.25 * 2 * G * 0.2 / 0.04, 1e-7);
    }
}

/* A belt runs at 1 m/s, brakes by 5 m/s^2 after 1 s and stands: a block is carried on, and slides out. */
static void block__on_a_belt_that_stops(void **state) {
    (void)state;
    static const double at[] = {0.2, 0.7, 1.1, 2};
    const double b = 0.3 * G;
    write(
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: belt, mass: 5, inertia: 1, center: [0, 0]}, {name: k, box: {center: [0, 0.1], "
        "size: [0.4, 0.2]}, mass: 2}]\njoints: [{name: j, type: prismatic, bodies: [ground, belt], at: [0, 0], axis: [1, 0]}]\n"
        "drivers: [{name: m, variable: j.distance, value: \"=t - 2.5*(ramp(t-1)^2 - ramp(t-1.2)^2)\"}]\n"
        "contacts: [{name: top, between: [belt, k], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {box: {at: [0, 0.1], "
        "size: "
        "[0.4, 0.2]}}]}]\ninitial: {k: {velocity: [0, 0]}}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 4) : step(k - KINDS, 1e-3, at, 4);
        double allowed = k < KINDS ? 1e-9 : 1e-6;
        near("the speed", contact_at(&run, 0.2)->body[1].velocity[0], 0.2 * b, allowed);
        near("the driver", contact_at(&run, 0.2)->driver[0], 0.3 * 2 * G, 1e3 * allowed);
        near("the speed", contact_at(&run, 0.7)->body[1].velocity[0], 1, allowed);
        near("the speed", contact_at(&run, 1.1)->body[1].velocity[0], 1 - 0.1 * b, allowed);
        near("the path", contact_at(&run, 2)->body[1].position[0], 1, allowed); /* 1/2b + (1 - 1/b) + 1/2b */
    }
}

/* ---- forces between bodies that move */

/* A block slides down a wedge that may slide: along x  m (a + r c) = N s - mu N c, M a = mu N c - N s,
 * along y  m r s = m g - N c - mu N s */
static void block__slides_down_a_free_wedge(void **state) {
    (void)state;
    static const double at[] = {0.5};
    const double M = 4, m = 1.5, s = sin(0.5), c = cos(0.5);
    for (int rough = 0; rough < 2; rough++) {
        double mu = 0.2 * rough, p = s - mu * c, q = c + mu * s;
        /* a = -N p / M, r = (g - N q / m) / s; m a + m r c = N p */
        double N = m * G * c / s / (p + m * p / M + q * c / s), a = -N * p / M, r = (G - N * q / m) / s;
        write("dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: w, mass: 4, inertia: 1, center: [0, -1]}\n"
              "  - {name: b, mass: 1.5, inertia: 0.01, center: [%.17g, %.17g]}\n"
              "joints: [{name: j, type: prismatic, bodies: [ground, w], at: [0, -1], axis: [1, 0]}]\n"
              "contacts: [{name: c, between: [w, b], friction: %g, shapes: [{plane: {at: [0, 0], normal: [%.17g, %.17g]}}, {box: {at: "
              "[%.17g, "
              "%.17g], size: [0.4, 0.2], angle: -0.5}}]}]\ninitial: {b: {velocity: [0, 0]}}\n",
              0.1 * s, 0.1 * c, mu, s, c, 0.1 * s, 0.1 * c);
        for (int k = 0; k < KINDS + STEPPED; k++) {
            k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
            const contact_sample *e = contact_at(&run, 0.5);
            double allowed = k < KINDS ? 1e-9 : 1e-6, force = 0;
            for (int i = 0; i < (k < KINDS ? 4 : 1); i++)
                force += e->contact[i].force[0];
            near("the wedge", e->body[0].velocity[0], a / 2, allowed);
            near("the block along x", e->body[1].velocity[0], (a + r * c) / 2, allowed);
            near("the block along y", e->body[1].velocity[1], -r * s / 2, allowed);
            near("the force", force, N, k < KINDS ? 1e-9 : 1e-3);
        }
    }
}

/* a plank of 4 kg, pulled by 3 N, on two rollers of 2 kg: a (4 + 2 (3/8) 2) = 3 */
static void plank__runs_on_rollers(void **state) {
    (void)state;
    static const double at[] = {1};
    const double a = 3 / 5.5;
    write("dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: a, disc: {center: [-0.5, 0.1], radius: 0.1}, mass: 2}\n"
          "  - {name: b, disc: {center: [0.5, 0.1], radius: 0.1}, mass: 2}\n  - {name: p, box: {center: [0, 0.25], size: [3, 0.1]}, mass: "
          "4}\n"
          "forces: [{type: force, body: p, at: [0, 0.2], force: [3, 0]}]\ncontacts:\n"
          "  - {name: fa, between: [ground, a], friction: 0.5, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [-0.5, 0.1], "
          "radius: "
          "0.1}}]}\n  - {name: fb, between: [ground, b], friction: 0.5, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [0.5, "
          "0.1], "
          "radius: 0.1}}]}\n  - {name: ta, between: [p, a], friction: 0.5, shapes: [{box: {at: [0, 0.25], size: [3, 0.1]}}, {disc: {at: "
          "[-0.5, "
          "0.1], radius: 0.1}}]}\n  - {name: tb, between: [p, b], friction: 0.5, shapes: [{box: {at: [0, 0.25], size: [3, 0.1]}}, {disc: "
          "{at: "
          "[0.5, 0.1], radius: 0.1}}]}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        const contact_sample *s = contact_at(&run, 1);
        double allowed = k < KINDS ? 1e-8 : 1e-4;
        near("the plank", s->body[2].velocity[0], a, allowed);
        near("a roller", s->body[0].velocity[0], a / 2, allowed);
        near("its spin", -s->body[1].angular_velocity[2], a / 0.2, 10 * allowed);
    }
}

/* a bead goes out on a rod that turns, r0 cosh(w t), and rests on the stop at its end with m w^2 L */
static void bead__is_thrown_to_the_end(void **state) {
    (void)state;
    const double w = 4, L = 0.8, t = acosh(8) / w, at[] = {t + 0.5};
    write("dimension: 2\nbodies: [{name: rod, mass: 1, inertia: 1, center: [0, 0]}, {name: bead, mass: 0.5, inertia: 0.001, center: [0.1, "
          "0]}]\n"
          "joints: [{name: j, type: revolute, bodies: [ground, rod], at: [0, 0]}, {name: s, type: prismatic, bodies: [rod, bead], at: "
          "[0.1, 0], "
          "axis: [1, 0], upper: 0.7}]\ndrivers: [{name: m, variable: j.angle, value: =4*t}]\ninitial: {s.rate: 0}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        near("the force", contact_at(&run, at[0])->contact[0].force[0], 0.5 * w * w * L, k < KINDS ? 1e-8 : 3e-3);
        if (k >= KINDS)
            continue;
        near("the time", run.struck[0], t, 1e-9);
        near("the speed", -run.strike[0].speed[0], w * sqrt(L * L - 0.01), 1e-8);
    }
}

/* a disc rolls to and fro in a hollow like a pendulum of 3/2 of the length R - r */
static void disc__rolls_in_a_hollow(void **state) {
    (void)state;
    const double l = 0.8, a = 1, x = l * sin(a), y = -l * cos(a), quarter = sqrt(1.5 * l / G) * elliptic(sin(a / 2) * sin(a / 2));
    const double at[] = {quarter, 4 * quarter};
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: d, disc: {center: [%.17g, %.17g], radius: 0.2}, mass: 2}]\n"
          "contacts: [{name: c, between: [ground, d], friction: 0.9, shapes: [{hole: {at: [0, 0], radius: 1}}, {disc: {at: [%.17g, "
          "%.17g], "
          "radius: 0.2}}]}]\n",
          x, y, x, y);
    for (int k = 0; k < KINDS; k++) {
        go(k, at, 2);
        const bl_pose *low = &contact_at(&run, at[0])->body[0], *end = &contact_at(&run, at[1])->body[0];
        near("x below", low->position[0], 0, 1e-8);
        near("the speed below", -low->velocity[0], sqrt(2 * G * l * (1 - cos(a)) / 1.5), 1e-8);
        near("x", end->position[0], x, 1e-8);
        near("y", end->position[1], y, 1e-8);
    }
}

/* ---- balls that roll by friction */

/* thrown with side spin a ball slides in a parabola, against its first direction, for 2 u / (7 mu g), then rolls straight on */
static void ball__is_thrown_with_side_spin(void **state) {
    (void)state;
    static const double at[] = {2};
    const double mu = 0.2, R = 0.1, v[] = {2, 0.5}, u[] = {v[0] + 1, v[1] + 1.5}, fast = hypot(u[0], u[1]), t = 2 * fast / (7 * mu * G);
    write("gravity: [0, 0, -9.81]\nbodies: [{name: b, sphere: {center: [0, 0, 0.1], radius: 0.1}, mass: 1.5}]\n"
          "contacts: [{name: c, between: [ground, b], friction: 0.2, shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}, {sphere: {at: "
          "[0, 0, "
          "0.1], radius: 0.1}}]}]\ninitial: {b: {velocity: [2, 0.5, 0], angular_velocity: [15, -10, 4]}}\n");
    for (int k = 0; k < KINDS + STEPPED; k++) {
        k < KINDS ? go(k, at, 1) : step(k - KINDS, 1e-3, at, 1);
        const bl_pose *p = &contact_at(&run, 2)->body[0];
        double allowed = k < KINDS ? 1e-7 : 1e-5;
        for (int i = 0; i < 2; i++) {
            double brake = mu * G * u[i] / fast, end = v[i] - brake * t;
            near("the speed", p->velocity[i], end, allowed);
            near("the place", p->position[i], v[i] * t - brake * t * t / 2 + end * (2 - t), allowed);
            near("the spin", p->angular_velocity[1 - i], (i ? -1 : 1) * end / R, 10 * allowed);
        }
        near("the spin about the vertical", p->angular_velocity[2], 4, 10 * allowed);
        if (k < KINDS)
            near("the end of sliding", event("sticks"), t, 1e-7);
    }
}

/* On a rough table that turns at W, tilted by a, a ball circles at 2 W / 7 and drifts level: v' = i k v + 5/7 g sin a. */
static void ball__drifts_on_a_tilted_turntable(void **state) {
    (void)state;
    static const double at[] = {3};
    for (int tilted = 0; tilted < 2; tilted++) {
        double a = 0.1 * tilted, k = 6. / 7;
        double complex drift = I * (5. / 7 * G * sin(a)) / k, z = 1 + drift * 3 + (0.5 * I - drift) * (cexp(I * k * 3) - 1) / (I * k);
        write("gravity: [%.17g, 0, %.17g]\nbodies: [{name: t, mass: 5, inertia: [1, 1, 2], center: [0, 0, -0.1]}, {name: b, sphere: "
              "{center: "
              "[1, 0, 0.1], radius: 0.1}, mass: 1}]\njoints: [{name: j, type: revolute, bodies: [ground, t], at: [0, 0, 0], axis: [0, 0, "
              "1]}]\n"
              "drivers: [{name: m, variable: j.angle, value: =3*t}]\n"
              "contacts: [{name: c, between: [t, b], friction: 5, shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}, {sphere: {at: [1, "
              "0, "
              "0.1], radius: 0.1}}]}]\ninitial: {b: {velocity: [0, 0.5, 0], angular_velocity: [25, 0, 0]}}\n",
              G * sin(a), -G * cos(a));
        for (int n = 0; n < KINDS + STEPPED; n++) {
            n < KINDS ? go(n, at, 1) : step(n - KINDS, 1e-3, at, 1);
            const bl_pose *p = &contact_at(&run, 3)->body[1];
            near("x", p->position[0], creal(z), n < KINDS ? 1e-7 : 2e-3);
            near("y", p->position[1], cimag(z), n < KINDS ? 1e-7 : 2e-3);
        }
    }
}

/* ---- what is held by many forces: balls in grooves and corners stay, with forces within Coulomb's law that carry them */

static void expect_held(const double *at, double height, int axis, int contacts, double mu) {
    for (int s = 0; s < 2; s++) {
        const contact_sample *k = contact_at(&run, at[s]);
        double sum = 0;
        for (int i = 0; i < contacts; i++) {
            const bl_contact_sample *c = &k->contact[i];
            sum += c->total[axis];
            if (!(hypot(c->force[1], c->force[2]) <= mu * c->force[0] * (1 + 1e-9)))
                fail_msg("%s: friction %g of %g", run.label, hypot(c->force[1], c->force[2]), c->force[0]);
        }
        near("the forces", sum, 2 * G, 1e-7);
        near("the height", k->body[0].position[axis], height, 1e-10);
    }
    if (run.nwarning > 0 && !strstr(run.warning, "undetermined"))
        fail_msg("%s: %s", run.label, run.warning);
    assert_true(run.energy_error < 1e-8);
}

static void balls__rest_in_grooves_and_corners(void **state) {
    (void)state;
    static const double friction[] = {0.1, 0.4, 0.9, 3}, at[] = {0.5, 1};
    for (int m = 0; m < 4; m++)
        for (int drop = 0; drop < 2; drop++)
            for (int k = 0; k < KINDS; k++) {
                bl_run_options options = {.coordinates = kinds[k], .until = 1, .at = at, .nat = 2};
                double mu = friction[m], a = 0.6, y = 0.1 / cos(a) + 0.05 * drop, z = 0.3 * sqrt(3) + 0.2 * drop;
                write(
                    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, disc: {center: [0, %.17g], radius: 0.1}, mass: 2}]\ncontacts:\n"
                    "  - {name: l, between: [ground, b], friction: %g, shapes: [{plane: {at: [0, 0], normal: [%.17g, %.17g]}}, {disc: "
                    "{at: [0, "
                    "%.17g], radius: 0.1}}]}\n  - {name: r, between: [ground, b], friction: %g, shapes: [{plane: {at: [0, 0], normal: "
                    "[%.17g, "
                    "%.17g]}}, {disc: {at: [0, %.17g], radius: 0.1}}]}\n",
                    y, mu, sin(a), cos(a), y, mu, -sin(a), cos(a), y);
                contact_run_text(text, NULL, &options, &run);
                assert_int_equal(run.status, BL_OK);
                expect_held(at, 0.1 / cos(a), 1, 2, mu);
                char planes[3][300];
                for (int i = 0; i < 3; i++)
                    snprintf(planes[i], sizeof planes[i],
                             "  - {name: p%d, between: [ground, b], friction: %g, shapes: [{plane: {at: [0, 0, 0], normal: [%.17g, %.17g, "
                             "%.17g]}}, {sphere: {at: [0, 0, %.17g], radius: 0.3}}]}\n",
                             i, mu, sqrt(2. / 3) * cos(2 * PI * i / 3), sqrt(2. / 3) * sin(2 * PI * i / 3), sqrt(1. / 3), z);
                write("gravity: [0, 0, -9.81]\nbodies: [{name: b, sphere: {center: [0, 0, %.17g], radius: 0.3}, mass: "
                      "2}]\ncontacts:\n%s%s%s",
                      z, planes[0], planes[1], planes[2]);
                contact_run_text(text, NULL, &options, &run);
                if (run.status != BL_OK)
                    fail_msg("%s, mu %g: %s", run.label, mu, run.error.what);
                expect_held(at, 0.3 * sqrt(3), 2, 3, mu);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disc__rebounds_from_a_slope),
        cmocka_unit_test(disc__rebounds_from_a_stiff_slope),
        cmocka_unit_test(wheel__rolls_up_a_ramp),
        cmocka_unit_test(rods__share_a_blow),
        cmocka_unit_test(ball__leaves_a_rough_wall_rolling),
        cmocka_unit_test(ball__comes_to_rest_on_a_rising_platform),
        cmocka_unit_test(ladder__leaves_the_wall),
        cmocka_unit_test(ball__leaves_a_dome),
        cmocka_unit_test(box__tips_on_a_table),
        cmocka_unit_test(disc__rolls_and_slips),
        cmocka_unit_test(block__on_a_belt_that_stops),
        cmocka_unit_test(block__slides_down_a_free_wedge),
        cmocka_unit_test(plank__runs_on_rollers),
        cmocka_unit_test(bead__is_thrown_to_the_end),
        cmocka_unit_test(disc__rolls_in_a_hollow),
        cmocka_unit_test(ball__is_thrown_with_side_spin),
        cmocka_unit_test(ball__drifts_on_a_tilted_turntable),
        cmocka_unit_test(balls__rest_in_grooves_and_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
