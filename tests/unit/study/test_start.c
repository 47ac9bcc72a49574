/* One start for every kind of coordinates: poses, velocities, variables and kinetic energy agree, and are those worked out by hand. */
#include "biela/biela.h"
#include "coords/coords.h"
#include "study/run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 48, VARIABLES = 64 };

typedef struct started {
    double kinetic;
    bl_index nbody, nvariable;
    bl_pose pose[BODIES];
    double variable[VARIABLES], rate[VARIABLES];
} started;

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "reference:view=tangent",
                                    "relative"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void start_in(const char *text, const char *coordinates, started *out) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0};
    memset(out, 0, sizeof *out);
    if (bl_model_read_text(ctx, "start.yaml", text, strlen(text), NULL, 0, &model) != BL_OK ||
        bl_run_prepare(ctx, model, coordinates, &sys, &state) != BL_OK)
        fail_msg("%s: %s\n%s", coordinates, bl_context_error(ctx)->what, text);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    bl_eval_at(&e, &state);
    assert_int_equal(bl_system_eval(sys, &e, BL_POSE | BL_VARIABLES | BL_ENERGY | BL_PHI), BL_OK);
    assert_true(bl_system_drift(sys, e.phi, NULL) < 1e-12);
    out->kinetic = e.kinetic;
    out->nbody = sys->nbody;
    out->nvariable = sys->nvariable;
    memcpy(out->pose, e.pose, (size_t)sys->nbody * sizeof *e.pose);
    memcpy(out->variable, e.variable, (size_t)sys->nvariable * sizeof(double));
    memcpy(out->rate, e.variable_rate, (size_t)sys->nvariable * sizeof(double));
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void near(double got, double want, double tolerance, const char *what) {
    if (!(fabs(got - want) <= tolerance * (1 + fabs(want))))
        fail_msg("%s: %.16g is not %.16g: off by %.2g", what, got, want, got - want);
}

/* all kinds against the first, to 1e-12 */
static started start_everywhere(const char *text) {
    started first, other;
    start_in(text, kinds[0], &first);
    for (int k = 1; k < KINDS; k++) {
        start_in(text, kinds[k], &other);
        near(other.kinetic, first.kinetic, 1e-12, kinds[k]);
        for (bl_index b = 1; b < first.nbody; b++) {
            const bl_pose *p = &first.pose[b], *q = &other.pose[b];
            double same = p->quaternion[0] * q->quaternion[0] < 0 ? -1 : 1;
            for (int c = 0; c < 3; c++) {
                near(q->position[c], p->position[c], 1e-12, kinds[k]);
                near(q->velocity[c], p->velocity[c], 1e-12, kinds[k]);
                near(q->angular_velocity[c], p->angular_velocity[c], 1e-12, kinds[k]);
            }
            for (int c = 0; c < 4; c++)
                near(same * q->quaternion[c], p->quaternion[c], 1e-12, kinds[k]);
        }
        for (bl_index v = 0; v < first.nvariable; v++) {
            near(other.variable[v], first.variable[v], 1e-12, kinds[k]);
            near(other.rate[v], first.rate[v], 1e-12, kinds[k]);
        }
    }
    return first;
}

/* ---- trees */

#define TWO_RODS(initial)                                         \
    "dimension: 2\n"                                              \
    "points: {O: [0, 0], A: [1, 0], B: [2, 0]}\n"                 \
    "bodies:\n"                                                   \
    "  - {name: a, rod: {from: O, to: A}, mass: 1}\n"             \
    "  - {name: b, rod: {from: A, to: B}, mass: 1}\n"             \
    "joints:\n"                                                   \
    "  - {name: p, type: revolute, bodies: [ground, a], at: O}\n" \
    "  - {name: r, type: revolute, bodies: [a, b], at: A}\n"      \
    "initial: " initial "\n"

/* turning as one: 1/2 (1/3 + 1 + 1 + 1/3) 25 = 100/3; the outer alone: 1/2 1/3 25 */
static void two_rods__move_as_one(void **unused) {
    (void)unused;
    near(start_everywhere(TWO_RODS("{p.rate: 5}")).kinetic, 100.0 / 3, 1e-13, "turning as one");
    near(start_everywhere(TWO_RODS("{r.rate: 5}")).kinetic, 25.0 / 6, 1e-13, "the outer alone");
    near(start_everywhere(TWO_RODS("{p.rate: 5, r.rate: -5}")).kinetic, 0.5 * 25 * (1.0 / 3 + 1), 1e-13, "the outer shifts");
    near(start_everywhere(TWO_RODS("{p.rate: {value: 5, guess: true}}")).kinetic, 100.0 / 3, 1e-13, "a guess without contradiction");
    /* both released, rates w and u - w: T = w^2 / 3 + u w / 6 + u^2 / 6 is least at w = -u/4 (docs/theory/start.md) */
    near(start_everywhere(TWO_RODS("{tip: {velocity: [0, 2]}}") "probes: {tip: {body: b, at: B}}\n").kinetic, 4 * 7.0 / 48, 1e-13,
         "a blow on the tip");
    started s = start_everywhere(TWO_RODS("{p.angle: 10, r.angle: -8, p.rate: 5}"));
    near(s.variable[0], 10, 1e-14, "turns");
    near(s.variable[1], -8, 1e-14, "turns");
    near(s.pose[2].position[0], cos(10) + 0.5 * cos(2), 1e-14, "where b is");
}

static const char *chain(int n, char *text, size_t room) {
    int used = snprintf(text, room, "dimension: 2\nbodies:\n");
    for (int i = 1; i <= n; i++)
        used += snprintf(text + used, room - (size_t)used, "  - {name: b%d, rod: {from: [%d, 0], to: [%d, 0]}, mass: 1}\n", i, i - 1, i);
    used += snprintf(text + used, room - (size_t)used, "joints:\n");
    for (int i = 1; i <= n; i++)
        used += i > 1 ? snprintf(text + used, room - (size_t)used, "  - {name: j%d, type: revolute, bodies: [b%d, b%d], at: [%d, 0]}\n", i,
                                 i - 1, i, i - 1)
                      : snprintf(text + used, room - (size_t)used, "  - {name: j1, type: revolute, bodies: [ground, b1], at: [0, 0]}\n");
    snprintf(text + used, room - (size_t)used, "initial: {j1.rate: 1}\n");
    return text;
}

/* 1/2 n^3 / 3; with more than 20 degrees of freedom `auto` takes relative coordinates, which changes nothing */
static void chains_of_20_and_21__start_alike(void **unused) {
    (void)unused;
    static char text[8192];
    for (int n = 20; n <= 21; n++)
        near(start_everywhere(chain(n, text, sizeof text)).kinetic, n * n * n / 6.0, 1e-13, "chain");
    near(21 * 21 * 21 / 6.0, 1543.5, 0, "by hand");
}

static double arm_energy(double w1, double w2) {
    /* rods of length 1, mass 1, absolute angular velocities w1, w2, w3 with w1 + w2 + w3 = 1 (velocity of the tip) */
    double w3 = 1 - w1 - w2, y1 = w1 / 2, y2 = w1 + w2 / 2, y3 = w1 + w2 + w3 / 2;
    return 0.5 * (y1 * y1 + y2 * y2 + y3 * y3 + (w1 * w1 + w2 * w2 + w3 * w3) / 12);
}

/* least value of a quadratic function of two numbers */
static double least(double (*f)(double, double)) {
    double f00 = f(0, 0), f10 = f(1, 0), f01 = f(0, 1), f11 = f(1, 1), f20 = f(2, 0), f02 = f(0, 2);
    double a = (f20 - 2 * f10 + f00) / 2, c = (f02 - 2 * f01 + f00) / 2, b = f11 - f10 - f01 + f00;
    double g = f10 - f00 - a, h = f01 - f00 - c, det = 4 * a * c - b * b;
    double x = (b * h - 2 * c * g) / det, y = (b * g - 2 * a * h) / det;
    return f(x, y);
}

static void a_point_given__moves_what_carries_it_with_least_energy(void **unused) {
    (void)unused;
    static char text[8192];
    chain(3, text, sizeof text);
    char *initial = strstr(text, "initial:");
    snprintf(initial, 400, "probes: {tip: {body: b3, at: [3, 0]}}\ninitial: {tip: {velocity: [0, 1]}}\n");
    near(start_everywhere(text).kinetic, least(arm_energy), 1e-12, "arm");
    /* a rod hangs on the second one: its hinge is not given, so it moves with its carrier */
    static char more[8192];
    char *joints = strstr(text, "joints:");
    snprintf(more, sizeof more,
             "%.*s  - {name: side, rod: {from: [2, 0], to: [2, 1]}, mass: 2}\n%.*s"
             "  - {name: s, type: revolute, bodies: [b2, side], at: [2, 0]}\n%s",
             (int)(joints - text), text, (int)(initial - joints), joints, initial);
    started s = start_everywhere(more);
    near(s.rate[3], 0, 1e-13, "side");
    near(s.pose[4].angular_velocity[2], s.pose[2].angular_velocity[2], 1e-13, "carried");
}

/* ---- loops */

/* a five-bar: two cranks and two couplers; what is not given moves with the least kinetic energy */
static const double P[5][2] = {{0, 0}, {0.3, 0.9}, {1.1, 1.6}, {1.9, 0.8}, {2, 0}};

/* of a bar whose ends move with va and vb */
static double bar_energy(const double *va, const double *vb, double mass) {
    double sum = 0;
    for (int k = 0; k < 2; k++)
        sum += va[k] * va[k] + va[k] * vb[k] + vb[k] * vb[k];
    return mass * sum / 6;
}

static double five_bar_energy(double w1, double w4) {
    double v1[2] = {-w1 * P[1][1], w1 * P[1][0]}, v3[2] = {-w4 * (P[3][1] - P[4][1]), w4 * (P[3][0] - P[4][0])}, v2[2], zero[2] = {0, 0};
    /* (v2 - v1) . (P2 - P1) = 0 and the same with 3 */
    double a = P[2][0] - P[1][0], b = P[2][1] - P[1][1], c = P[2][0] - P[3][0], d = P[2][1] - P[3][1];
    double r = a * v1[0] + b * v1[1], s = c * v3[0] + d * v3[1], det = a * d - b * c;
    v2[0] = (r * d - b * s) / det;
    v2[1] = (a * s - c * r) / det;
    return bar_energy(zero, v1, 1) + bar_energy(v1, v2, 2) + bar_energy(v2, v3, 3) + bar_energy(v3, zero, 0.5);
}

#define FIVE_BAR(dimension, axis)                                                     \
    dimension "bodies:\n"                                                             \
              "  - {name: a, rod: {from: P0, to: P1}, mass: 1}\n"                     \
              "  - {name: b, rod: {from: P1, to: P2}, mass: 2}\n"                     \
              "  - {name: c, rod: {from: P2, to: P3}, mass: 3}\n"                     \
              "  - {name: d, rod: {from: P3, to: P4}, mass: 0.5}\n"                   \
              "joints:\n"                                                             \
              "  - {name: j0, type: revolute, bodies: [ground, a], at: P0" axis "}\n" \
              "  - {name: j1, type: revolute, bodies: [a, b], at: P1" axis "}\n"      \
              "  - {name: j2, type: revolute, bodies: [b, c], at: P2" axis "}\n"      \
              "  - {name: j3, type: revolute, bodies: [c, d], at: P3" axis "}\n"      \
              "  - {name: j4, type: revolute, bodies: [ground, d], at: P4" axis "}\n"
#define FIVE_PLANE FIVE_BAR("dimension: 2\npoints: {P0: [0,0], P1: [0.3,0.9], P2: [1.1,1.6], P3: [1.9,0.8], P4: [2,0]}\n", "")
#define FIVE_SPACE FIVE_BAR("points: {P0: [0,0,0], P1: [0.3,0.9,0], P2: [1.1,1.6,0], P3: [1.9,0.8,0], P4: [2,0,0]}\n", ", axis: [0, 0, 1]")

static void five_bar__moves_with_the_least_energy(void **unused) {
    (void)unused;
    double f0 = five_bar_energy(2, 0), f1 = five_bar_energy(2, 1), f2 = five_bar_energy(2, 2), a = (f2 - 2 * f1 + f0) / 2, g = f1 - f0 - a;
    double best = f0 - g * g / (4 * a);
    near(start_everywhere(FIVE_PLANE "initial: {j0.rate: 2}\n").kinetic, best, 1e-12, "in the plane");
    near(start_everywhere(FIVE_SPACE "initial: {j0.rate: 2}\n").kinetic, best, 1e-12, "in space");
    started s = start_everywhere(FIVE_PLANE "initial: {j0.rate: 2, j4.rate: {value: 7, guess: true}}\n");
    near(s.kinetic, five_bar_energy(2, 7), 1e-12, "with a guess");
    start_everywhere(FIVE_PLANE "initial: {j0.angle: 0.5, j2.rate: 1}\n");
    start_everywhere(FIVE_SPACE "initial: {j0.angle: 0.5, j2.rate: 1, j4.angle: {value: 0.1, guess: true}}\n");
    start_everywhere(FIVE_SPACE "initial: {b: {velocity: [1, 0, 0]}}\n");
}

/* an arm carries the five-bar; its angle given, the five-bar keeps its shape */
static void loop_on_an_arm__is_carried(void **unused) {
    (void)unused;
    const char *text = "dimension: 2\n"
                       "bodies:\n"
                       "  - {name: arm, mass: 3, center: [0, 0], inertia: 1}\n"
                       "  - {name: a, rod: {from: [1, 0], to: [1.3, 0.9]}, mass: 1}\n"
                       "  - {name: b, rod: {from: [1.3, 0.9], to: [2.1, 1.6]}, mass: 2}\n"
                       "  - {name: c, rod: {from: [2.1, 1.6], to: [3, 0]}, mass: 3}\n"
                       "joints:\n"
                       "  - {name: shoulder, type: revolute, bodies: [ground, arm], at: [-1, 0]}\n"
                       "  - {name: j0, type: revolute, bodies: [arm, a], at: [1, 0]}\n"
                       "  - {name: j1, type: revolute, bodies: [a, b], at: [1.3, 0.9]}\n"
                       "  - {name: j2, type: revolute, bodies: [b, c], at: [2.1, 1.6]}\n"
                       "  - {name: j3, type: revolute, bodies: [arm, c], at: [3, 0]}\n"
                       "initial: {shoulder.angle: 8, shoulder.rate: 1}\n";
    started s = start_everywhere(text);
    near(s.variable[0], 8, 1e-14, "shoulder");
    near(s.rate[0], 1, 1e-13, "shoulder");
    for (int v = 1; v < 5; v++)
        near(s.variable[v], 0, 1e-14, "the loop keeps its shape");
}

/* ---- other entries of the initial state */

static void every_notation__gives_one_start(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        /* a gear: the second wheel follows, with its turns */
        "dimension: 2\nbodies:\n  - {name: a, disc: {center: [0, 0], radius: 1}, mass: 1}\n"
        "  - {name: b, disc: {center: [3, 0], radius: 2}, mass: 1}\n"
        "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
        "  - {name: B, type: revolute, bodies: [ground, b], at: [3, 0]}\n"
        "  - {name: g, type: gear, first: A.angle, second: B.angle, ratio: -0.5}\ninitial: {A.angle: 30, A.rate: 4}\n",
        /* a screw, and a slider on it */
        "bodies:\n  - {name: nut, box: {center: [0, 0, 0], size: [1, 1, 0.2]}, mass: 2}\n"
        "  - {name: side, box: {center: [1, 0, 0], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "joints:\n  - {name: s, type: screw, bodies: [ground, nut], at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.1}\n"
        "  - {name: p, type: prismatic, bodies: [nut, side], at: [1, 0, 0], axis: [1, 0, 1]}\n"
        "initial: {s.distance: 0.7, s.angle_rate: 3, p.rate: 2}\n",
        /* all that turns and slides, in a chain */
        "bodies:\n  - {name: a, box: {center: [0, 0, 1], size: [0.3, 0.2, 1]}, mass: 2}\n"
        "  - {name: b, box: {center: [0, 0, 2], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "  - {name: c, box: {center: [0.5, 0, 3], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "  - {name: d, box: {center: [0.5, 1, 3], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "  - {name: e, box: {center: [2.5, 1, 3], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "joints:\n  - {name: A, type: universal, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0], axis_b: [0, 1, 0]}\n"
        "  - {name: B, type: cylindrical, bodies: [a, b], at: [0, 0, 1.5], axis: [0, 0.2, 1]}\n"
        "  - {name: C, type: planar, bodies: [c, b], at: [0, 0, 2.5], axis: [0, 0, 1]}\n"
        "  - {name: D, type: spherical, bodies: [c, d], at: [0.5, 0.5, 3], angles: true}\n"
        "  - {name: E, type: point_on_line, bodies: [d, e], at: [1, 1, 3], axis: [1, 0, 0]}\n"
        "initial: {A.angle1: 0.4, A.angle2: -0.3, B.angle: 7, B.distance: 0.2, C.angle: 1, D.angle2: 0.3, D.angle1: 0.2, E.distance: 0.4,\n"
        "  A.angle1_rate: 1, B.angle_rate: 2, B.distance_rate: 0.3, C.angle_rate: 1, D.angle3_rate: 0.5, E.rate: 0.1}\n",
        /* a free body and one carried by it, with values given for both */
        "bodies:\n  - {name: a, box: {center: [0, 0, 1], size: [0.3, 0.2, 1]}, mass: 2}\n"
        "  - {name: b, box: {center: [0, 0, 2], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "joints:\n  - {name: j, type: spherical, bodies: [a, b], at: [0, 0, 1.5]}\n"
        "initial: {a: {position: [1, 2, 3], orientation: [0.3, 0.4, -2], angular_velocity: [1, 2, 3]}, b: {velocity: [0, 1, 0]}}\n",
        /* drivers count as given values */
        TWO_RODS("{r.rate: 1}") "drivers: [{variable: p.angle, value: =9 + 3*t}]\n",
        /* a joint drawn apart keeps its angle */
        "bodies:\n  - {name: a, box: {center: [0, 0, 1], size: [0.3, 0.2, 1]}, mass: 2}\n"
        "  - {name: b, box: {center: [0.1, 0, 2], size: [0.3, 0.2, 0.4]}, mass: 1}\n"
        "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0, 0.5], axis: [1, 0, 0]}\n"
        "  - {name: k, type: revolute, bodies: [a, b], at: [0, 0, 1.5], at_b: [0.1, 0, 1.6], axis: [0, 1, 0], axis_b: [0.1, 1, 0]}\n"
        "initial: {j.angle: 0.4, k.rate: 1}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        start_everywhere(texts[i]);
    started s = start_everywhere(texts[0]);
    near(s.variable[1], -15, 1e-14, "the second wheel");
    near(s.rate[1], -2, 1e-14, "its rate");
    s = start_everywhere(texts[1]);
    near(s.variable[0], 14 * 3.14159265358979323846, 1e-13, "turns of the screw");
    s = start_everywhere(texts[4]);
    near(s.variable[0], 9, 1e-14, "driven");
    near(s.rate[0], 3, 1e-14, "driven");
}

/* ---- what contradicts */

static bl_error refused_in(const char *text, const char *coordinates) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    assert_int_equal(bl_model_read_text(ctx, "start.yaml", text, strlen(text), NULL, 0, &model), BL_OK);
    if (bl_run_prepare(ctx, model, coordinates, &sys, &state) != BL_E_NUMERIC)
        fail_msg("%s: not refused\n%s", coordinates, text);
    bl_error error = *bl_context_error(ctx);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
    return error;
}

/* Two rods, and a third joint that would make two points or two directions of one of them one: refused everywhere in the same words. */
static void joints_that_would_collapse_a_body__are_named(void **unused) {
    (void)unused;
    static const struct {
        int dim;
        const char *joint;
    } third[] = {
        {2, "type: revolute, bodies: [a, b], at: [1, 0], at_b: [2, 0]"},
        {2, "type: fixed, bodies: [a, b], at: [1, 0], at_b: [2, 0]"},
        {2, "type: revolute, bodies: [ground, b], at: [0, 0], at_b: [1, 0]"},
        {3, "type: revolute, bodies: [a, b], at: [1, 0, 0], at_b: [2, 0, 0], axis: [0, 0, 1]"},
        {3, "type: revolute, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]"},
        {3, "type: fixed, bodies: [a, b], at: [1, 0, 0], at_b: [2, 0, 0]"},
        {3, "type: spherical, bodies: [a, b], at: [1, 0, 0], at_b: [2, 0, 0]"},
        {3, "type: cylindrical, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1], axis_b: [1, 0, 0.2]"},
        {3, "type: universal, bodies: [a, b], at: [1, 0, 0], at_b: [2, 0, 0], axis: [0, 0, 1]"},
        {3, "type: prismatic, bodies: [a, b], at: [1, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]"},
    };
    for (size_t i = 0; i < sizeof third / sizeof *third; i++) {
        char text[1024];
        bool space = third[i].dim == 3;
        const char *axis = space ? ", axis: [0, 0, 1]" : "", *axial = space ? ", axial: 0.01" : "", *z = space ? ", 0" : "";
        snprintf(text, sizeof text,
                 "dimension: %d\npoints: {O: [0, 0%s], A: [1, 0%s], B: [2, 0%s]}\nbodies:\n"
                 "  - {name: a, rod: {from: O, to: A%s}, mass: 1}\n  - {name: b, rod: {from: A, to: B%s}, mass: 1}\njoints:\n"
                 "  - {name: A, type: revolute, bodies: [ground, a], at: O%s}\n"
                 "  - {name: B, type: revolute, bodies: [a, b], at: A%s}\n  - {name: C, %s}\n",
                 third[i].dim, z, z, z, axial, axial, axis, axis, third[i].joint);
        bl_error first = refused_in(text, kinds[0]);
        assert_string_equal(first.part, "C");
        assert_non_null(strstr(first.what, "joint 'C' does not close (gap"));
        for (int k = 1; k < KINDS; k++) {
            bl_error other = refused_in(text, kinds[k]);
            assert_string_equal(first.what, other.what);
            assert_int_equal(first.line, other.line);
        }
    }
}

/* twice the same hinge, drawn apart by less than anybody sees: equations, not one point less */
static void a_joint_that_repeats_another__costs_nothing(void **unused) {
    (void)unused;
    start_everywhere(TWO_RODS("{p.rate: 5}"));
    near(start_everywhere("dimension: 2\nbodies:\n  - {name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}\n"
                          "  - {name: b, rod: {from: [1, 0], to: [2, 0]}, mass: 1}\njoints:\n"
                          "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                          "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0]}\n"
                          "  - {name: C, type: revolute, bodies: [b, a], at: [1, 0]}\ninitial: {A.rate: 5, B.rate: 0}\n")
             .kinetic,
         100.0 / 3, 1e-12, "twice the same hinge");
}

static void initial_that_is_no_map__is_refused(void **unused) {
    (void)unused;
    static const char *const bad[] = {"5", "fast", "[1, 2]", "\"x\"", "[[1]]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                 "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\ninitial: %s\n",
                 bad[i]);
        assert_int_equal(bl_model_read_text(ctx, "start.yaml", text, strlen(text), NULL, 0, &model), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, "initial must be a map"));
        assert_int_equal(bl_context_error(ctx)->line, 4);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static bl_status start_once(bl_context *ctx, void *text) {
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_status status = bl_model_read_text(ctx, "start.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_run_prepare(ctx, model, "relative", &sys, &state);
    if (sys) {
        bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
    }
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    static char text[] = FIVE_PLANE "initial: {j0.angle: 0.3, j0.rate: 1, j4.angle: {value: 0.1, guess: true}}\n";
    assert_true(test_failing_allocations(start_once, text) > 10);
    assert_true(test_failing_once(start_once, text) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_rods__move_as_one),
        cmocka_unit_test(chains_of_20_and_21__start_alike),
        cmocka_unit_test(a_point_given__moves_what_carries_it_with_least_energy),
        cmocka_unit_test(five_bar__moves_with_the_least_energy),
        cmocka_unit_test(loop_on_an_arm__is_carried),
        cmocka_unit_test(every_notation__gives_one_start),
        cmocka_unit_test(joints_that_would_collapse_a_body__are_named),
        cmocka_unit_test(a_joint_that_repeats_another__costs_nothing),
        cmocka_unit_test(initial_that_is_no_map__is_refused),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
