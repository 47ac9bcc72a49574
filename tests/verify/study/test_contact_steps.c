/* Contacts by time stepping in models, against facts known by hand, in all coordinates that allow it: impacts, friction, stacks, mechanisms
 * that rest on something, drivers, stops, forces, impacts between mechanisms. Speeds in the impulses of a step are found to a tolerance of
 * 1e-4 of g h, a share of 1e-4 of the weight: forces are exact to it. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run;

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:view=tangent", "relative"};
enum { FREE = 4, KINDS = 5 }; /* the first FREE allow free bodies */

static char text[20000];

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

static void go(const char *coordinates, const char *set, double step, double until, const double *at, bl_index nat) {
    bl_run_options options = {.coordinates = coordinates, .step = step, .until = until, .at = at, .nat = nat};
    contact_run_text(text, set, &options, &run);
    if (run.status != BL_OK)
        fail_msg("%s: %s", run.label, run.error.what);
    if (run.nwarning > 0)
        fail_msg("%s: warning: %s", run.label, run.warning);
}

static void go_until(const char *coordinates, double step, double until) {
    const double at[] = {until};
    go(coordinates, NULL, step, until, at, 1);
}

static const contact_sample *end(void) { return &run.sample[run.nsample - 1]; }

static void close_to(const char *what, double a, double b, double allowed) { contact_expect_close(&run, what, a, b, allowed); }

/* ---- C1: a ball from 1 m, free, or guided by a joint */

static double ball_error(const char *coordinates, double step) {
    static const double at[] = {1, 2, 3}, height[] = {0.4680044525, 0.2607417283, 0.0687074610}; /* spec C1 */
    double sum = 0;
    for (int variant = 0; variant < 8; variant++) {
        go(coordinates, NULL, 1 / round((1 + 0.11 * variant) / step), 3, at, 3);
        for (int k = 0; k < 3; k++)
            sum += fabs(contact_at(&run, at[k])->body[0].position[1] - 0.1 - height[k]) / 24;
        if (!(run.energy_error < 1e-10))
            fail_msg("%s: energy error %g", run.label, run.energy_error);
    }
    return sum;
}

/* errors jump with the places of impacts in a step: the mean over several steps */
static void ball__bounces_with_the_first_order(void **state) {
    (void)state;
    for (int guided = 0; guided < 2; guided++)
        for (int k = 0; k < (guided ? KINDS : FREE); k++) {
            write("dimension: 2\ngravity: [0, -9.81]\n"
                  "bodies: [{name: ball, disc: {center: [0, 1.1], radius: 0.1}, mass: 1}]\n"
                  "%s"
                  "contacts: [{name: floor, between: [ground, ball], restitution: 0.8,\n"
                  "  shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {sphere: {at: [0, 1.1], radius: 0.1}}]}]\n"
                  "simulate: {contact: stepping}\n",
                  guided ? "joints: [{name: j, type: prismatic, bodies: [ground, ball], at: [0, 1.1], axis: [0, 1]}]\n" : "");
            double coarse = ball_error(kinds[k], 1e-3), fine = ball_error(kinds[k], 1e-3 / 8);
            print_message("%s, %s: mean error %.2e, with an eighth of the step %.2e\n", kinds[k], guided ? "guided" : "free", coarse, fine);
            if (!(coarse < 0.002) || !(fine < coarse / 4))
                fail_msg("%s: errors %g and %g", run.label, coarse, fine);
        }
}

/* ---- C2: a block thrown up a slope, with all its corners */

static void block__stops_and_slides_back_or_stays(void **state) {
    (void)state;
    static const double at[] = {0.2, 1, 2};
    double a = 20 * acos(-1) / 180, h = 1e-4;
    write("dimension: 2\nparameters: {a: =20*pi/180, mu: 0.3}\ngravity: ['=-9.81*sin(a)', '=-9.81*cos(a)']\n"
          "bodies: [{name: block, box: {center: [0, 0.1], size: [0.4, 0.2]}, mass: 2}]\n"
          "contacts: [{name: slope, between: [ground, block], friction: =mu,\n"
          "  shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {box: {at: [0, 0.1], size: [0.4, 0.2]}}]}]\n"
          "initial: {block: {velocity: [2, 0]}}\nsimulate: {contact: stepping}\n");
    for (int k = 0; k < FREE; k++) {
        go(kinds[k], "mu=0.3", h, 2, at, 3);
        close_to("x at 0.2 s", contact_at(&run, 0.2)->body[0].position[0], 0.4 - G * (sin(a) + 0.3 * cos(a)) * 0.02, h);
        close_to("x at 2 s", end()->body[0].position[0], -0.4987475978, h);
        close_to("the state", end()->contact[0].state, 1, 0);
        close_to("the friction", end()->contact[0].force[1], 0.3 * 2 * G * cos(a), 1e-4 * 2 * G);
        go(kinds[k], "mu=0.4", h, 2, at, 3);
        close_to("x at 2 s", end()->body[0].position[0], 0.2839871791, h);
        close_to("x at 1 s", contact_at(&run, 1)->body[0].position[0], end()->body[0].position[0], 1e-9);
        close_to("the friction", end()->contact[0].force[1], 2 * G * sin(a), 1e-4 * 2 * G);
        close_to("the normal force", end()->contact[0].force[0], 2 * G * cos(a), 1e-4 * 2 * G);
        close_to("the state", end()->contact[0].state, 2, 0);
        close_to("the height", end()->body[0].position[1], 0.1, 1e-5);
        close_to("the work", end()->work, -2 * G * 0.4 * cos(a) * 0.2839871791, 2 * G * h);
    }
}

/* ---- C14: ten boxes on each other, in space */

static void stack__carries_its_weight_and_does_not_creep(void **state) {
    (void)state;
    static const double at[] = {0, 1, 10};
    write("gravity: [0, 0, -9.81]\n"
          "bodies: [{repeat: {count: 10, index: i, do: [{name: b$i, box: {center: [0, 0, '=0.05 + 0.1*i'], size: [0.1, 0.1, "
          "0.1]}, mass: 0.5}]}}]\n"
          "contacts:\n"
          "  - {name: c0, between: [ground, b0], friction: 0.5, shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}},\n"
          "     {box: {at: [0, 0, 0.05], size: [0.1, 0.1, 0.1]}}]}\n"
          "  - {repeat: {count: 9, index: i, do: [{name: c$(i+1), between: [b$i, b$(i+1)], friction: 0.5, shapes: [\n"
          "     {box: {at: [0, 0, '=0.05 + 0.1*i'], size: [0.1, 0.1, 0.1]}}, {box: {at: [0, 0, '=0.15 + 0.1*i'], size: [0.1, 0.1, "
          "0.1]}}]}]}}\n"
          "simulate: {contact: stepping}\n");
    for (int k = 0; k < FREE; k += 2) { /* with other coordinates the bits of these */
        go(kinds[k], NULL, 1e-3, 10, at, 3);
        double creep = 0;
        for (int i = 1; i <= 10; i++) {
            const double *x = contact_at(&run, 1)->body[i - 1].position, *y = end()->body[i - 1].position;
            creep = fmax(creep, fmax(hypot(y[0] - x[0], y[1] - x[1]), fabs(y[2] - x[2])));
            close_to("the normal force", end()->contact[i - 1].force[0], (11 - i) * 0.5 * G, 1e-4 * 10 * 0.5 * G);
        }
        print_message("%s: creep %.3g m in 9 s\n", kinds[k], creep);
        assert_true(creep < 1e-6);
        assert_true(run.energy_error < 1e-9);
    }
}

/* ---- mechanisms at rest on something */

static void rod__rests_on_its_tip(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const char *z = dim == 3 ? ", 0" : "";
        write("dimension: %d\ngravity: [0, -9.81%s]\n"
              "bodies: [{name: rod, rod: {from: [0, 1%s], to: [2, 1%s]}, mass: 3}]\n"
              "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 1%s]%s}]\n"
              "contacts: [{name: floor, between: [ground, rod], friction: 0.3, shapes: [{plane: {at: [0, 1%s], normal: [0, "
              "1%s]}}, {point: {at: [2, 1%s]}}]}]\n"
              "simulate: {contact: stepping}\n",
              dim, z, z, z, z, dim == 3 ? ", axis: [0, 0, 1]" : "", z, z, z);
        for (int k = 0; k < KINDS; k++) {
            go_until(kinds[k], 1e-3, 1);
            close_to("the hinge", end()->reaction[0].force[1], 3 * G / 2, 1e-4 * 3 * G);
            close_to("the hinge across", end()->reaction[0].force[0], 0, 1e-4 * 3 * G);
            close_to("the tip", end()->contact[0].force[0], 3 * G / 2, 1e-4 * 3 * G);
            close_to("the angle", end()->variable[0], 0, 1e-5);
            assert_true(run.drift < 1e-10 && run.energy_error < 1e-6);
        }
    }
}

/* Two rods on a cart lean against each other with their tips, in one mechanism: N cos = m g/2 sin; the hinges carry m g and N. */
static void frame__leans_on_itself(void **state) {
    (void)state;
    double a = 0.5, m = 2, N = m * G / 2 * tan(a);
    for (int dim = 2; dim <= 3; dim++) {
        const char *z = dim == 3 ? ", 0" : "", *axis = dim == 3 ? ", axis: [0, 0, 1]" : "";
        double s = sin(a), c = cos(a), r = 0.05;
        write("dimension: %d\ngravity: [0, -9.81%s]\n"
              "bodies:\n"
              "  - {name: cart, mass: 3, center: [0, 0%s], inertia: %s}\n"
              "  - {name: left, mass: %g, center: [%.17g, %.17g%s], inertia: %s}\n"
              "  - {name: right, mass: %g, center: [%.17g, %.17g%s], inertia: %s}\n"
              "joints:\n"
              "  - {name: track, type: prismatic, bodies: [ground, cart], at: [0, 0%s], axis: [1, 0%s]}\n"
              "  - {name: l, type: revolute, bodies: [cart, left], at: [%.17g, 0%s]%s}\n"
              "  - {name: r, type: revolute, bodies: [cart, right], at: [%.17g, 0%s]%s}\n"
              "contacts: [{name: tips, between: [left, right], friction: 0.2, shapes: [{sphere: {at: [%.17g, %.17g%s], radius: %g}},\n"
              "  {sphere: {at: [%.17g, %.17g%s], radius: %g}}]}]\n"
              "simulate: {contact: stepping}\n",
              dim, z, z, dim == 3 ? "[1, 1, 1]" : "1", m, -r - s / 2, c / 2, z, dim == 3 ? "[0.2, 0.2, 0.2]" : "0.2", m, r + s / 2, c / 2,
              z, dim == 3 ? "[0.2, 0.2, 0.2]" : "0.2", z, z, -r - s, z, axis, r + s, z, axis, -r, c, z, r, r, c, z, r);
        for (int k = 0; k < KINDS; k++) {
            go_until(kinds[k], 1e-3, 1);
            close_to("the tips", end()->contact[0].force[0], N, 1e-3 * m * G);
            close_to("the friction", end()->contact[0].force[1], 0, 1e-3 * m * G);
            close_to("the left hinge", end()->reaction[1].force[0], N, 1e-3 * m * G);
            close_to("the left hinge", end()->reaction[1].force[1], m * G, 1e-3 * m * G);
            close_to("the right hinge", end()->reaction[2].force[0], -N, 1e-3 * m * G);
            close_to("the cart", end()->variable[0], 0, 1e-6);
            close_to("the track", end()->reaction[0].force[1], (3 + 2 * m) * G, 1e-3 * m * G);
        }
    }
}

/* a block on a table that a driver accelerates: it sticks up to mu g, then slides */
static void block__is_carried_by_a_driven_table(void **state) {
    (void)state;
    for (int slides = 0; slides < 2; slides++) {
        double a = slides ? 5 : 1.5, rub = slides ? 0.3 * 2 * G : 2 * a;
        write("dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
              "  - {name: table, box: {center: [0, -0.1], size: [4, 0.2]}, mass: 5}\n"
              "  - {name: block, box: {center: [0, 0.1], size: [0.4, 0.2]}, mass: 2}\n"
              "joints: [{name: guide, type: prismatic, bodies: [ground, table], at: [0, -0.1], axis: [1, 0]}]\n"
              "drivers: [{name: motor, variable: guide.distance, value: '=0.5*%g*t^2'}]\n"
              "contacts: [{name: top, between: [table, block], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}},\n"
              "  {box: {at: [0, 0.1], size: [0.4, 0.2]}}]}]\nsimulate: {contact: stepping}\n",
              a);
        for (int k = 0; k < FREE; k++) {
            go_until(kinds[k], 1e-3, 1);
            close_to("the friction", end()->contact[0].force[1], rub, 1e-4 * 2 * G);
            close_to("the normal force", end()->contact[0].force[0], 2 * G, 1e-4 * 2 * G);
            close_to("the state", end()->contact[0].state, slides ? 1 : 2, 0);
            close_to("the driver", end()->driver[0], 5 * a + rub, 1e-4 * 2 * G);
            close_to("the joint", end()->reaction[0].force[1], 7 * G, 1e-4 * 2 * G);
            /* the block pushes with its weight and with friction at its foot: both give the joint the moment -0.2 m times the friction */
            close_to("the moment", end()->reaction[0].moment[2], slides ? end()->reaction[0].moment[2] : -0.2 * rub, 1e-4 * 2 * G);
            close_to("the speed", end()->body[1].velocity[0], rub / 2, 1e-4 * G);
            close_to("the block", end()->body[1].position[0], rub / 4, 1e-4 * G);
            assert_true(run.energy_error < 1e-9);
        }
    }
}

/* ---- stops */

static void rocker__rests_on_its_stop(void **state) {
    (void)state;
    write("include: " SCENES "/four_bar_stop.yaml\nsimulate: {contact: stepping}\n");
    for (int k = 0; k < KINDS; k++) {
        double h = 5e-4;
        go_until(kinds[k], h, 2); /* at rest on the stop: facts of the scene */
        double overlap = -end()->contact[0].gap;
        close_to("the moment of the stop", end()->contact[0].force[0], 3.1428417924, 1e-4 * 3.14 + 4 * fabs(overlap));
        if (!(overlap < 2e-4))
            fail_msg("%s: overlap %g rad", run.label, overlap);
        close_to("C.x", end()->probe[0][0], 0.3433974397, 2e-4);
        close_to("C.y", end()->probe[0][1], 0.3680701538, 2e-4);
        assert_true(run.drift < 1e-10);
    }
}

/* a slider between two elastic stops: it crosses 1 m between impacts, and keeps its energy */
static void slider__flies_between_its_stops(void **state) {
    (void)state;
    write("dimension: 2\ngravity: [0, 0]\nbodies: [{name: b, mass: 2, inertia: 1, center: [0, 0]}]\n"
          "joints: [{name: j, type: prismatic, bodies: [ground, b], at: [0, 0], axis: [1, 0], lower: -0.5, upper: 0.5, restitution: 1}]\n"
          "initial: {j.rate: 1.3}\nsimulate: {contact: stepping}\n");
    for (int k = 0; k < KINDS; k++) {
        double h = 1e-3, t = 5, path = 0.5 + 1.3 * t, place = fmod(path, 2);
        go_until(kinds[k], h, t);
        /* each impact is late by a step at most, and moves the slider by 2 v h */
        close_to("the place", end()->variable[0], (place < 1 ? place : 2 - place) - 0.5, 7 * 2 * 1.3 * h);
        close_to("the speed", fabs(end()->rate[0]), 1.3, 1e-12);
    }
}

/* ---- forces on free bodies */

static void spring__moves_a_free_body_with_the_second_order(void **state) {
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        const char *z = dim == 3 ? ", 0" : "";
        write("dimension: %d\ngravity: [0, 0%s]\nbodies: [{name: ball, %s: {center: [2, 0%s], radius: 0.1}, mass: 2}]\n"
              "forces: [{name: s, type: spring, body_b: ball, at: [0, 0%s], to: [2, 0%s], stiffness: 50, length: 1.5}]\n"
              "contacts: [{name: far, between: [ground, ball], shapes: [{plane: {at: [0, -1%s], normal: [0, 1%s]}}, "
              "{sphere: {at: [2, 0%s], radius: 0.1}}]}]\n"
              "simulate: {contact: stepping}\n",
              dim, z, dim == 2 ? "disc" : "sphere", z, z, z, z, z, z);
        for (int k = 0; k < FREE; k++) {
            double x = 1.5 + 0.5 * cos(15), error[2];
            for (int level = 0; level < 2; level++) {
                go_until(kinds[k], level ? 1e-3 : 2e-3, 3);
                error[level] = fabs(end()->body[0].position[0] - x);
            }
            if (!(error[1] < 1e-4) || !(error[0] / error[1] > 3.5) || !(run.energy_error < 25 * 1e-6 / 4 * 25))
                fail_msg("%s: errors %g and %g, energy %g", run.label, error[0], error[1], run.energy_error);
        }
    }
}

/* a constant force, which has no potential: pushing on a block at rest it does no work; pulling along the floor it does F s */
static void force__works_along_the_true_path(void **state) {
    (void)state;
    for (int along = 0; along < 2; along++) {
        write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: b, box: {center: [0, 0.1], size: [0.4, 0.2]}, mass: 2}]\n"
              "forces: [{name: f, type: force, body: b, at: [0, 0.1], force: %s}]\n"
              "contacts: [{name: floor, between: [ground, b], friction: 0.5, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
              "{box: {at: [0, 0.1], size: [0.4, 0.2]}}]}]\n"
              "simulate: {contact: stepping}\n",
              along ? "[30, 0]" : "[0, -20]");
        double s = along ? (30 - 0.5 * 2 * G) / 2 / 2 : 0;
        for (int k = 0; k < FREE; k++) {
            go_until(kinds[k], 1e-3, 1);
            close_to("the path", end()->body[0].position[0], s, 1e-4);
            close_to("the normal force", end()->contact[0].force[0], 2 * G + (along ? 0 : 20), 1e-4 * 2 * G);
            close_to("the work", end()->work, (30 - 0.5 * 2 * G) * s, 1e-3);
            assert_true(run.energy_error < 1e-9);
        }
    }
    write("dimension: 2\ngravity: [0, 0]\nbodies: [{name: rod, rod: {from: [0, 1], to: [2, 1]}, mass: 3}]\n"
          "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 1]}]\n"
          "forces: [{name: m, type: torque, body: rod, torque: -20}]\n"
          "contacts: [{name: floor, between: [ground, rod], shapes: [{plane: {at: [0, 1], normal: [0, 1]}}, {point: {at: [2, 1]}}]}]\n"
          "simulate: {contact: stepping}\n");
    for (int k = 0; k < KINDS; k++) {
        go_until(kinds[k], 1e-3, 1);
        close_to("the tip", end()->contact[0].force[0], 10, 1e-6);
        close_to("the hinge", end()->reaction[0].force[1], -10, 1e-6);
        close_to("the work", end()->work, 0, 1e-9);
        assert_true(run.energy_error < 1e-9);
    }
}

/* ---- impacts between mechanisms */

static void momenta(const contact_sample *s, double of[3]) {
    static const double mass[] = {0, 1, 0.5, 2, 0.7};
    double inertia[] = {0, 0.5 * 0.01, 0.5 * 0.25 / 12, 2 * 0.5 * 0.01, 0.7 * (0.25 + 0.0225) / 12};
    of[0] = of[1] = of[2] = 0;
    for (int b = 1; b <= 4; b++) {
        const bl_pose *p = &s->body[b - 1];
        of[0] += mass[b] * p->velocity[0];
        of[1] += mass[b] * p->velocity[1];
        of[2] += mass[b] * (p->position[0] * p->velocity[1] - p->position[1] * p->velocity[0]) + inertia[b] * p->angular_velocity[2];
    }
}

/* Momentum is that before. In coordinates in which it is linear in the velocities it is so to rounding, angular momentum to the second
 * order; in relative ones to the first, as the motion. */
static void mechanisms__exchange_momentum(void **state) {
    (void)state;
    static const double at[] = {0, 1};
    write("dimension: 2\ngravity: [0, 0]\nbodies:\n"
          "  - {name: a, disc: {center: [0, 0], radius: 0.1}, mass: 1}\n  - {name: b, rod: {from: [0, 0], to: [-0.5, 0]}, mass: 0.5}\n"
          "  - {name: c, disc: {center: [1, 0.05], radius: 0.1}, mass: 2}\n  - {name: d, rod: {from: [1, 0.05], to: [1.5, 0.2]}, "
          "mass: 0.7}\n"
          "joints:\n  - {name: j, type: revolute, bodies: [a, b], at: [0, 0]}\n  - {name: k, type: revolute, bodies: [c, d], "
          "at: [1, 0.05]}\n"
          "contacts: [{name: hit, between: [a, c], restitution: 0.5, friction: 0.4, shapes: [{sphere: {at: [0, 0], radius: 0.1}}, "
          "{sphere: {at: [1, 0.05], radius: 0.1}}]}]\n"
          "initial: {a: {velocity: [2, 0]}, b: {velocity: [2, 0]}}\nsimulate: {contact: stepping}\n");
    for (int k = 0; k < KINDS; k++) {
        double before[3], after[3], off[2], turn[2], lost[2];
        for (int level = 0; level < 2; level++) {
            go(kinds[k], NULL, level ? 5e-4 : 1e-3, 1, at, 2);
            momenta(&run.sample[0], before);
            momenta(end(), after);
            off[level] = hypot(after[0] - before[0], after[1] - before[1]);
            turn[level] = fabs(after[2] - before[2]);
            lost[level] = run.sample[0].kinetic - end()->kinetic;
        }
        print_message("%s: momentum off by %.2e and %.2e, angular %.2e and %.2e, energy lost %.6f and %.6f J\n", kinds[k], off[0], off[1],
                      turn[0], turn[1], lost[0], lost[1]);
        bool linear = k < FREE;
        assert_true(before[0] == 3 && lost[1] > 0.5 && fabs(lost[0] - lost[1]) < 2e-3);
        if (!(off[1] < (linear ? 1e-12 : 5e-4)) || !(turn[1] < (linear ? 1e-6 : 5e-4)))
            fail_msg("%s: momentum off by %g, angular by %g", run.label, off[1], turn[1]);
    }
}

/* ---- states beside bodies */

static void signals__run_beside_contacts(void **state) {
    (void)state;
    static const double at[] = {0.3, 1};
    const char *ball =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: ball, disc: {center: [0, 0.5], radius: 0.1}, mass: 1}]\n"
        "contacts: [{name: floor, between: [ground, ball], restitution: 0.6, shapes: [{plane: {at: [0, 0], normal: [0, 1]}},\n"
        "  {sphere: {at: [0, 0.5], radius: 0.1}}]}]\nsimulate: {contact: stepping}\n";
    for (int k = 0; k < FREE; k++) {
        double y[2], v[2];
        for (int with = 0; with < 2; with++) {
            write("%s%s", ball, with ? "equations: {states: [{name: z, rate: =-z, start: 1}]}\n" : "");
            go(kinds[k], NULL, 1e-3, 1, at, 2);
            y[with] = end()->body[0].position[1];
            v[with] = end()->body[0].velocity[1];
        }
        close_to("the height", y[1], y[0], 1e-12);
        close_to("the speed", v[1], v[0], 1e-12);
    }
    /* a controller holds a platform with a block on it: kp x = -(m + M) g at rest */
    write("dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
          "  - {name: platform, box: {center: [0, -0.1], size: [1, 0.2]}, mass: 5}\n"
          "  - {name: block, box: {center: [0, 0.1], size: [0.4, 0.2]}, mass: 2}\n"
          "joints: [{name: lift, type: prismatic, bodies: [ground, platform], at: [0, -0.1], axis: [0, 1]}]\n"
          "controllers: [{name: hold, type: pd, of: lift.distance, kp: 2000, kd: 200}]\n"
          "forces: [{name: push, type: force, body: platform, at: [0, -0.1], force: [0, =hold]}]\n"
          "contacts: [{name: top, between: [platform, block], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}},\n"
          "  {box: {at: [0, 0.1], size: [0.4, 0.2]}}]}]\nsimulate: {contact: stepping}\n");
    for (int k = 0; k < FREE; k++) {
        go_until(kinds[k], 1e-3, 3);
        close_to("the platform", end()->variable[0], -7 * G / 2000, 1e-6);
        close_to("the block", end()->body[1].position[1], 0.1 - 7 * G / 2000, 1e-4);
        close_to("the normal force", end()->contact[0].force[0], 2 * G, 1e-3 * G);
    }
}

/* ---- what runs say about themselves */

static void steps__have_a_size_without_one_given(void **state) {
    (void)state;
    write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: ball, disc: {center: [0, 0.5], radius: 0.1}, mass: 1}]\n"
          "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {sphere: {at: [0, "
          "0.5], radius: 0.1}}]}]\n"
          "simulate: {contact: stepping, until: 0.1}\n");
    go(NULL, NULL, 0, 0.1, NULL, 0);
    assert_true(fabs(run.summary.h_largest - 1e-3) < 1e-12); /* study_contact_step */
    assert_int_equal(run.summary.steps, 100);
}

static void refused(const char *part) {
    contact_run_text(text, NULL, &(bl_run_options){.until = 0.01}, &run);
    if (run.status != BL_E_MODEL && run.status != BL_E_ABILITY)
        fail_msg("%s: not refused", part);
    if (!strstr(run.error.what, part))
        fail_msg("'%s' does not say '%s'", run.error.what, part);
}

/* study_contact_overlap: up to a tenth of the size, here the radius, is removed; study_contact_handles: 500 bodies in space, six each */
static void starts__are_refused_or_mended(void **state) {
    (void)state;
    for (int deep = 0; deep < 2; deep++) {
        write("dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: ball, disc: {center: [0, %g], radius: 0.1}, mass: 1}]\n"
              "contacts: [{name: floor, between: [ground, ball], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
              "{sphere: {at: [0, %g], radius: 0.1}}]}]\n"
              "simulate: {contact: stepping}\n",
              deep ? 0.089 : 0.091, deep ? 0.089 : 0.091);
        if (deep) {
            refused("contact 'floor': 'ground' and 'ball' start inside each other by 0.011 m at (0, -0.0055, 0)");
            break;
        }
        go_until(NULL, 1e-3, 0.1);
        close_to("the height", end()->body[0].position[1], 0.1, 3e-5);
        close_to("the speed", end()->body[0].velocity[1], 0, 1e-12);
    }
    write("gravity: [0, 0, -9.81]\nbodies: [{repeat: {count: 501, index: i, do: [{name: b$i, sphere: {center: [=i, 0, 0], "
          "radius: 0.1}, mass: 1}]}}]\n"
          "joints: [{repeat: {count: 501, index: i, do: [{name: j$i, type: spherical, bodies: [ground, b$i], at: [=i, 0, 0.5]}]}}]\n"
          "contacts: [{name: floor, between: [ground, all], shapes: [{plane: {at: [0, 0, -1], normal: [0, 0, 1]}}]}]\n"
          "simulate: {contact: stepping}\n");
    refused("3006 velocities of mechanisms, more than the 3000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__bounces_with_the_first_order),
        cmocka_unit_test(block__stops_and_slides_back_or_stays),
        cmocka_unit_test(stack__carries_its_weight_and_does_not_creep),
        cmocka_unit_test(rod__rests_on_its_tip),
        cmocka_unit_test(frame__leans_on_itself),
        cmocka_unit_test(block__is_carried_by_a_driven_table),
        cmocka_unit_test(rocker__rests_on_its_stop),
        cmocka_unit_test(slider__flies_between_its_stops),
        cmocka_unit_test(spring__moves_a_free_body_with_the_second_order),
        cmocka_unit_test(force__works_along_the_true_path),
        cmocka_unit_test(mechanisms__exchange_momentum),
        cmocka_unit_test(signals__run_beside_contacts),
        cmocka_unit_test(steps__have_a_size_without_one_given),
        cmocka_unit_test(starts__are_refused_or_mended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
