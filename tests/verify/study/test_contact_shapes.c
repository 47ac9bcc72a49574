/* Surfaces that end: balls that roll off boxes and cylinders, stacks, capsules, a Geneva drive, a ratchet, dominoes, against closed
 * solutions and in several coordinates; shapes that are refused. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;
static contact_run run;
static const char *const coordinates[] = {"natural", "reference", "relative"};

/* forces of corners on corners, and impacts of a row of bodies, are not unique, which is a warning */
static void expect_run(void) {
    if (run.status != BL_OK)
        fail_msg("%s: %s", run.label, run.error.what);
    if (run.nwarning > 0 && !strstr(run.warning, "undetermined") && !strstr(run.warning, "several solutions"))
        fail_msg("%s: warning: %s", run.label, run.warning);
    contact_expect_close(&run, "energy", run.energy_error, 0, 1e-7);
}

static const contact_sample *run_text(const char *text, const char *kind, double until) {
    double at[] = {until};
    bl_run_options options = {.size = sizeof options, .coordinates = kind, .tolerance = 1e-9, .at = at, .nat = 1};
    contact_run_text(text, NULL, &options, &run);
    expect_run();
    return contact_at(&run, until);
}

static const contact_sample *run_scene(const char *scene, const char *kind, const double *at, bl_index n, double tolerance) {
    bl_run_options options = {.size = sizeof options, .coordinates = kind, .tolerance = tolerance, .at = at, .nat = n};
    contact_run_scene(scene, NULL, &options, &run);
    expect_run();
    return contact_at(&run, at[n - 1]);
}

/* ---- a ball slides off an edge */

#define OFF(dim, gravity, point, inertia, shapes, speed)                                                                          \
    "model: m\ndimension: " dim "\ngravity: " gravity "\nbodies:\n  - {name: ball, center: " point ", mass: 1, inertia: " inertia \
    "}\ncontacts:\n  - {between: [ground, ball], shapes: " shapes "}\nprobes: {C: {body: ball, at: " point "}}\ninitial: {ball: " \
    "{velocity: " speed "}}\nsimulate: {until: 2}\n"

/* Without friction a ball with the speed v0 turns about the edge until g r cos(angle) = v^2, and flies with the speed v cos(angle). */
static void ball__turns_about_the_edge_and_flies(void **unused) {
    (void)unused;
    static const char *const text[] = {
        OFF("2", "[0, -9.81]", "[-0.3, 0.6]", "0.004", "[{box: {at: [0, 0], size: [1, 1]}}, {sphere: {at: [-0.3, 0.6], radius: 0.1}}]",
            "[0.5, 0]"),
        OFF("2", "[0, -9.81]", "[-0.3, 0.6]", "0.004",
            "[{polyline: {points: [[-1, 0.5], [0, 0.5], [0.5, 0.5], [0.5, 0]]}}, {sphere: {at: [-0.3, 0.6], radius: 0.1}}]", "[0.5, 0]"),
        OFF("3", "[0, 0, -9.81]", "[-0.3, 0.1, 0.6]", "[0.004, 0.004, 0.004]",
            "[{box: {at: [0, 0, 0], size: [1, 1, 1]}}, {sphere: {at: [-0.3, 0.1, 0.6], radius: 0.1}}]", "[0.5, 0, 0]"),
        OFF("3", "[0, 0, -9.81]", "[-0.3, 0, 0.6]", "[0.004, 0.004, 0.004]",
            "[{cylinder: {from: [0, 0, -0.5], to: [0, 0, 0.5], radius: 0.5}}, {sphere: {at: [-0.3, 0, 0.6], radius: 0.1}}]", "[0.5, 0, 0]"),
        OFF("3", "[0, 0, -9.81]", "[-0.3, 0, 0.6]", "[0.004, 0.004, 0.004]",
            "[{capsule: {from: [-1, 0, 0.48], to: [0.5, 0, 0.48], radius: 0.02}}, {sphere: {at: [-0.3, 0, 0.6], radius: 0.1}}]",
            "[0.5, 0, 0]")};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        for (int c = 0; c < 3; c++) {
            double r = k == 4 ? 0.12 : 0.1, cosine = (0.25 + 2 * G * r) / (3 * G * r), v = sqrt(G * r * cosine);
            const contact_sample *end = run_text(text[k], coordinates[c], 2);
            contact_expect_close(&run, "speed", end->probe_rate[0][0], v * cosine, 1e-7);
            contact_expect_close(&run, "energy", end->kinetic + end->potential, run.start, 1e-7);
        }
}

/* The same on boxes, cylinders, capsules and convex polylines that yield, from the depth W / k: nearly as on rigid ones, with no loss of
 * energy where faces, edges and rims take over from each other. */
#define YIELDS(dim, gravity, point, inertia, shapes, speed)                                                                          \
    "model: m\ndimension: " dim "\ngravity: " gravity "\nbodies:\n  - {name: ball, center: " point ", mass: 1, inertia: " inertia    \
    "}\ncontacts:\n  - {between: [ground, ball], law: hunt_crossley, stiffness: 1e6, exponent: 1, shapes: " shapes "}\nprobes: {C: " \
    "{body: ball, at: " point "}}\ninitial: {ball: {velocity: " speed "}}\nsimulate: {until: 2}\n"

static void ball__leaves_shapes_that_yield(void **unused) {
    (void)unused;
    static const char *const text[] = {
        YIELDS("2", "[0, -9.81]", "[-0.3, 0.59999019]", "0.004",
               "[{box: {at: [0, 0], size: [1, 1]}}, {sphere: {at: [-0.3, 0.59999019], radius: 0.1}}]", "[0.5, 0]"),
        YIELDS("2", "[0, -9.81]", "[-0.3, 0.59999019]", "0.004",
               "[{polyline: {points: [[-1, 0.5], [0.5, 0.5], [0.5, -1]], closed: true}}, {sphere: {at: [-0.3, 0.59999019], radius: 0.1}}]",
               "[0.5, 0]"),
        YIELDS("3", "[0, 0, -9.81]", "[-0.3, 0.1, 0.59999019]", "[0.004, 0.004, 0.004]",
               "[{box: {at: [0, 0, 0], size: [1, 1, 1]}}, {sphere: {at: [-0.3, 0.1, 0.59999019], radius: 0.1}}]", "[0.5, 0, 0]"),
        YIELDS("3", "[0, 0, -9.81]", "[-0.3, 0, 0.59999019]", "[0.004, 0.004, 0.004]",
               "[{cylinder: {from: [0, 0, -0.5], to: [0, 0, 0.5], radius: 0.5}}, {sphere: {at: [-0.3, 0, 0.59999019], radius: 0.1}}]",
               "[0.5, 0, 0]"),
        YIELDS("3", "[0, 0, -9.81]", "[-0.3, 0, 0.59999019]", "[0.004, 0.004, 0.004]",
               "[{capsule: {from: [-1, 0, 0.48], to: [0.5, 0, 0.48], radius: 0.02}}, {sphere: {at: [-0.3, 0, 0.59999019], radius: 0.1}}]",
               "[0.5, 0, 0]")};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        for (int c = 0; c < 2; c++) {
            double r = k == 4 ? 0.12 : 0.1, cosine = (0.25 + 2 * G * r) / (3 * G * r), v = sqrt(G * r * cosine);
            const contact_sample *end = run_text(text[k], coordinates[c], 2);
            contact_expect_close(&run, "speed", end->probe_rate[0][0], v * cosine, 2e-3); /* of the order of sqrt(W / (k r)) */
            contact_expect_close(&run, "energy", end->kinetic + end->potential, run.start, 1e-7);
        }
}

/* ---- rest */

#define STACK                                                                                                                    \
    "model: m\ndimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0.5], B: [0, 1.5]}\nbodies:\n"                                 \
    "  - {name: a, center: A, mass: 1, inertia: 0.17}\n  - {name: b, center: B, mass: 1, inertia: 0.17}\ncontacts:\n"            \
    "  - {between: [ground, a], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {box: {at: A, size: [1, 1]}}], friction: 0.5}\n" \
    "  - {between: [a, b], shapes: [{box: {at: A, size: [1, 1]}}, {box: {at: B, size: [1, 1]}}], friction: 0.5}\n"               \
    "probes: {A: {body: a, at: A}, B: {body: b, at: B}}\ninitial: {b: {velocity: [%s, 0]}}\nsimulate: {until: 1}\n"

/* Corners lie on corners, where rounding decides which faces they meet: the upper box neither falls nor jams, in either direction. */
static void boxes__of_one_size_stand_on_each_other_and_slide(void **unused) {
    (void)unused;
    static const char *const speed[] = {"0", "0.2", "-0.2"};
    char text[1024];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) {
            snprintf(text, sizeof text, STACK, speed[k]);
            const contact_sample *end = run_text(text, coordinates[c], 1);
            double v = k == 0 ? 0 : k == 1 ? 0.2 : -0.2;
            contact_expect_close(&run, "height", end->probe[1][1], 1.5, 1e-8);
            contact_expect_close(&run, "way", end->probe[1][0], v * fabs(v) / (2 * 0.5 * G), 1e-8);
            contact_expect_close(&run, "lower box", end->probe[0][0], 0, 1e-8);
        }
}

/* ---- edges in space */

#define CROSSED                                                                                                                        \
    "model: m\ngravity: [0, 0, -9.81]\nbodies:\n  - {name: bar, center: [0, 0, 1], mass: 1, inertia: [0.34, 0.01, 0.34]}\ncontacts:\n" \
    "  - {between: [ground, bar], shapes: [{capsule: {from: [-1, 0, 0], to: [1, 0, 0], radius: 0.1}}, "                                \
    "{capsule: {from: [0, -1, 1], to: [0, 1, 1], radius: 0.1}}], restitution: 0.5}\nprobes: {C: {body: bar, at: [0, 0, 1]}}\n"         \
    "simulate: {until: 0.8}\n"

static void capsules__meet_crosswise(void **unused) {
    (void)unused;
    double first = sqrt(2 * 0.8 / G), v = 0.5 * G * first, t = 0.8 - first;
    for (int c = 0; c < 3; c++) {
        const contact_sample *end = run_text(CROSSED, coordinates[c], 0.8);
        contact_expect_close(&run, "height", end->probe[0][2], 0.2 + v * t - 0.5 * G * t * t, 1e-8);
    }
}

/* ---- scenes */

static void cross__follows_the_pin_of_a_geneva_drive(void **unused) {
    (void)unused;
    static const double at[] = {0.06, 0.1, 0.15, 0.2, 0.25, 0.28, 1, 1.1, 1.2, 2};
    const double pi = acos(-1), d = 0.1, r = d / sqrt(2), clear = 2e-5;
    run_scene("geneva_drive", NULL, at, 10, 1e-8);
    for (int k = 0; k < 10; k++) {
        double t = fmod(at[k], 1), a = 2 * pi * t - pi / 3, across = d - r * cos(a), s = hypot(across, r * sin(a));
        double turned = -pi / 2 * floor(at[k]) - pi / 4 - atan2(r * sin(a), across) + asin(clear / s);
        const contact_sample *now = contact_at(&run, at[k]);
        if (t > 0)
            contact_expect_close(&run, "angle of the cross", now->variable[1], turned, 1e-7);
        else /* within the play of the pin between the strokes */
            contact_expect_close(&run, "angle of the cross", now->variable[1], -pi / 2 * at[k], 4e-4);
    }
}

static void wheel__rests_on_a_tooth_of_the_ratchet(void **unused) {
    (void)unused;
    static const double at[] = {0.5, 2};
    for (int c = 0; c < 3; c++) {
        const contact_sample *end = run_scene("ratchet", coordinates[c], at, 2, 1e-8);
        double between = end->variable[0] - contact_at(&run, 0.5)->variable[0];
        contact_expect_close(&run, "angle between two rests", between, 5 * acos(-1) / 4, 1e-7);
    }
}

static void dominoes__fall_alike_in_all_coordinates(void **unused) {
    (void)unused;
    static const double at[] = {0.5}, end[4][2] = {{0.0280116764, 0.0120861667},
                                                   {0.0512100861, 0.0113540604},
                                                   {0.0766887761, 0.0113787265},
                                                   {0.1032027673, 0.004}};
    for (int c = 0; c < 3; c++) {
        const contact_sample *now = run_scene("dominoes", coordinates[c], at, 1, 1e-8);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 2; i++)
                contact_expect_close(&run, "position", now->body[k].position[i], end[k][i], 2e-8);
    }
}

/* ---- refusals */

#define REFUSED(dim, a, b)                                                                                                              \
    "model: m\ndimension: " dim "\nbodies:\n  - {name: p, center: [0, 3], mass: 1, inertia: 1}\ncontacts:\n  - {between: [ground, p], " \
    "shapes: [" a ", " b "]}\nsimulate: {until: 1}\n"
#define REFUSED_IN_SPACE(a, b)                                                                                                 \
    "model: m\nbodies:\n  - {name: p, center: [0, 0, 3], mass: 1, inertia: [1, 1, 1]}\ncontacts:\n  - {between: [ground, p], " \
    "shapes: [" a ", " b "]}\nsimulate: {until: 1}\n"
#define BALL "{sphere: {at: [0, 3], radius: 0.1}}"

static void shapes__that_cannot_touch_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {REFUSED("2", "{polyline: {points: [[0, 0], [1, 0], [1, 0]]}}", BALL), "points 2 and 3 of a polyline are the same"},
        {REFUSED("2", "{polyline: {points: [[0, 0], [1, 0], [0.5, 0]]}}", BALL), "turns back on itself at point 2"},
        {REFUSED("2", "{polyline: {points: [[0, 0], [1, 1], [1, 0], [0, 1]], closed: true}}", BALL), "crosses itself after points 1 and 3"},
        {REFUSED("2", "{polyline: {points: [[0, 0], [1, 0]], side: up}}", BALL), "must be 'left' or 'right', found 'up'"},
        {REFUSED("2", "{polyline: {points: [[0, 0], [1, 0]], closed: true}}", BALL), "list of 3 points or more"},
        {REFUSED("2", "{point: {at: [0, 0]}}", "{point: {at: [0, 3]}}"), "point and point cannot touch each other in the plane"},
        {REFUSED("2", "{hole: {at: [0, 3], radius: 0.1}}", BALL), "has no room for one of 0.1 m"},
        {REFUSED("2", "{box: {at: [0, 3], size: [1, 1]}}", "{box: {at: [0.3, 3.2], size: [1, 1]}}"), "starts inside by"},
        {REFUSED_IN_SPACE("{polyline: {points: [[0, 0, 0], [1, 0, 0]]}}", "{sphere: {at: [0, 0, 3], radius: 1}}"),
         "only be used in planar"},
    };
    bl_run_options options = {.size = sizeof options};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        contact_run_text(cases[k].text, NULL, &options, &run);
        if (run.status != BL_E_MODEL || !strstr(run.error.what, cases[k].says))
            fail_msg("'%s' instead of '%s'", run.error.what, cases[k].says);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__turns_about_the_edge_and_flies),
        cmocka_unit_test(ball__leaves_shapes_that_yield),
        cmocka_unit_test(boxes__of_one_size_stand_on_each_other_and_slide),
        cmocka_unit_test(capsules__meet_crosswise),
        cmocka_unit_test(cross__follows_the_pin_of_a_geneva_drive),
        cmocka_unit_test(wheel__rests_on_a_tooth_of_the_ratchet),
        cmocka_unit_test(dominoes__fall_alike_in_all_coordinates),
        cmocka_unit_test(shapes__that_cannot_touch_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
