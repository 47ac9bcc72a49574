/* Cams, relations and points on curves against closed solutions, in all coordinates. An eccentric disc of radius R, eccentricity e, has
 * followers in line with its bearing at the heights, with the angle a of the disc,
 *
 *     knife edge  e cos a + sqrt(R^2 - e^2 sin^2 a)       roller  the same with R + r       flat  R + e cos a
 *
 * Kinetic and potential energy of disc and follower are then functions of the angle and its rate. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double R = 0.04, E = 0.012, ROLLER = 0.01, J = 0.001, MASS = 0.3, G = 9.81, RATE = 30;
typedef enum kind { KNIFE, WITH_ROLLER, FLAT } kind;

/* height and its derivative by the angle */
static double height(kind k, double a, double *slope) {
    double L = k == WITH_ROLLER ? R + ROLLER : R, root = sqrt(L * L - E * E * sin(a) * sin(a));
    *slope = -E * sin(a) - (k == FLAT ? 0 : E * E * sin(a) * cos(a) / root);
    return E * cos(a) + (k == FLAT ? R : root);
}

static void eccentric(char *text, size_t room, kind k, int dim) {
    static const char *const follower[] = {"", "roller: 0.01, ", NULL};
    double slope, top = height(k, 0, &slope);
    const char *z = dim == 3 ? ", 0" : "";
    snprintf(text, room,
             "dimension: %d\ngravity: [0, -9.81%s]\nparameters: {R: 0.04, e: 0.012}\nbodies:\n"
             "  - {name: disc, mass: 0.8, center: [0, 0%s], inertia: %s}\n  - {name: rod, mass: 0.3, center: [0, %.17g%s], inertia: %s}\n"
             "joints:\n  - {name: shaft, type: revolute, bodies: [ground, disc], at: [0, 0%s]%s}\n"
             "  - {name: guide, type: prismatic, bodies: [ground, rod], at: [0, %.17g%s], axis: [0, 1%s]}\n"
             "  - {name: cam, type: cam, bodies: [disc, rod], center: [0, 0%s], base: =R, %s%s%s\n"
             "     lift: '=e*cos(x) + sqrt(R^2 - e^2*sin(x)^2) - R', at: [0, %.17g%s], reference: [0, 1%s]}\ninitial: {shaft.rate: 30}\n",
             dim, z, z, dim == 3 ? "[0.001, 0.001, 0.001]" : "0.001", top, z, dim == 3 ? "[0.001, 0.001, 0.001]" : "0.001", z,
             dim == 3 ? ", axis: [0, 0, 1]" : "", top, z, z, z, k == FLAT ? "face: [0, 1" : follower[k], k == FLAT ? z : "",
             k == FLAT ? "]," : "", top, z, z);
}

typedef struct contact_case {
    kind what;
} contact_case;

static void check_contact(const bl_sample *s, const test_ending *run, void *user) {
    const contact_case *c = user;
    double slope, first, top = height(c->what, 0, &first), lift = height(c->what, s->variable[0], &slope) - top;
    test_close(run, "the lift", s->variable[1], lift, 1e-10);
    test_close(run, "its rate", s->variable_rate[1], slope * s->variable_rate[0], 1e-8);
    double energy =
        (J * s->variable_rate[0] * s->variable_rate[0] + MASS * s->variable_rate[1] * s->variable_rate[1]) / 2 + MASS * G * lift;
    test_close(run, "the energy", energy, J * RATE * RATE / 2, 1e-8);
    /* the follower presses on the cam along the normal: power of the contact force on both bodies is zero, and the guide takes the side */
    const double *f = s->reaction[2].force;
    test_close(run, "the side force", f[0] + s->reaction[1].force[0], 0, 1e-8);
}

static void check_ending(const test_ending *e, void *user) {
    (void)user;
    test_no_warning(e);
    test_close(e, "the drift", e->drift, 0, 1e-9);
    test_close(e, "the energy error", e->energy_error, 0, 1e-8);
}

static void eccentric_discs__lift_their_followers(void **unused) {
    (void)unused;
    for (int dim = 2; dim <= 3; dim++)
        for (kind k = KNIFE; k <= FLAT; k++) {
            char text[2048];
            eccentric(text, sizeof text, k, dim);
            test_every_way(text, &(bl_run_options){.until = 0.5, .tolerance = 1e-10, .every = 0.05}, check_contact, check_ending,
                           &(contact_case){k});
        }
}

/* y = f(x) between a rotor and a slider: one degree of freedom, energy (J + m f'^2) x'^2 / 2 + m g f; the forces of the relation on its
 * variables have opposite powers */
typedef struct function_case {
    const char *function;
    double (*f)(double x, double *slope);
} function_case;

static double wave(double x, double *slope) {
    *slope = 0.05 * sin(x);
    return 0.05 * (1 - cos(x));
}

static double spiral(double x, double *slope) { /* by a table: the parabola x^2 / 200 */
    *slope = x / 100;
    return x * x / 200;
}

static void check_relation(const bl_sample *s, const test_ending *run, void *user) {
    const function_case *c = user;
    double slope, y = c->f(s->variable[0], &slope), x_rate = s->variable_rate[0];
    test_close(run, "the output", s->variable[1], y, 1e-10);
    test_close(run, "its rate", s->variable_rate[1], slope * x_rate, 1e-8);
    double energy = (0.01 * x_rate * x_rate + 0.5 * slope * slope * x_rate * x_rate) / 2 + 0.5 * G * y;
    test_close(run, "the energy", energy, 0.01 * 20 * 20 / 2, 1e-8);
    double power = s->relation_first[2] * x_rate + s->relation_force[2] * s->variable_rate[1];
    test_close(run, "the power of the relation", power, 0, 1e-8 * (1 + fabs(s->relation_force[2] * s->variable_rate[1])));
}

static void relations__follow_their_function(void **unused) {
    (void)unused;
    static const function_case cases[] = {{"'=0.05*(1-cos(x))'", wave}, {"[[0, 0], [2, 0.02], [5, 0.125], [9, 0.405], [30, 4.5]]", spiral}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: cam, mass: 1, center: [0, 0], inertia: 0.01}\n"
                 "  - {name: valve, mass: 0.5, center: [0, 0.1], inertia: 0.001}\njoints:\n"
                 "  - {name: shaft, type: revolute, bodies: [ground, cam], at: [0, 0]}\n"
                 "  - {name: guide, type: prismatic, bodies: [ground, valve], at: [0, 0.1], axis: [0, 1]}\n"
                 "  - {name: lift, type: relation, input: shaft.angle, output: guide.distance, function: %s}\ninitial: {shaft.rate: 20}\n",
                 cases[i].function);
        test_every_way(text, &(bl_run_options){.until = 0.4, .tolerance = 1e-10, .every = 0.05}, check_relation, check_ending,
                       (void *)&cases[i]);
    }
}

/* a bead on a straight track slides with g sin 30 degrees, in a plane that is tilted about the track or not */
static void check_incline(const test_ending *e, void *user) {
    const double *u = user;
    double s = G * 0.5 * e->t * e->t / 2;
    for (int k = 0; k < 3; k++)
        test_close(e, "the position", e->probe[0][k], s * u[k], 1e-9);
    test_close(e, "the force of the track", sqrt(pow(e->reaction[0].force[0], 2) + pow(e->reaction[0].force[1], 2)), 2 * G * sqrt(0.75),
               1e-7);
    check_ending(e, NULL);
}

static void straight_curves__are_inclined_planes(void **unused) {
    (void)unused;
    double u[3] = {sqrt(0.75), -0.5, 0};
    for (int dim = 2; dim <= 3; dim++) {
        char text[1024];
        const char *z = dim == 3 ? ", 0" : "";
        snprintf(text, sizeof text,
                 "dimension: %d\ngravity: [0, -9.81%s]\nbodies: [{name: bead, mass: 2, center: [0, 0%s], inertia: %s}]\n"
                 "joints: [{name: track, type: point_on_curve, bodies: [ground, bead], at: [0, 0%s],\n"
                 "  points: [[%.17g, %.17g], [0, 0], [%.17g, %.17g], [%.17g, %.17g]]}]\nprobes: {P: {body: bead, at: [0, 0%s]}}\n",
                 dim, z, z, dim == 3 ? "[0.1, 0.1, 0.1]" : "0.1", z, -u[0], -u[1], 2 * u[0], 2 * u[1], 3 * u[0], 3 * u[1], z);
        test_every_way(text, &(bl_run_options){.until = 0.8, .tolerance = 1e-10}, NULL, check_incline, u); /* beyond the last point, too */
    }
}

#define CAM(parameters)                                                                                                        \
    "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}, {name: b, mass: 1, center: [0, 2], inertia: 1}]\n" \
    "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"                                                \
    "  - {name: B, type: prismatic, bodies: [ground, b], at: [0, 2], axis: [0, 1]}\n  - {name: C, " parameters "}\n"
#define CONTACT "type: cam, bodies: [a, b], center: [0, 0], at: [0, 2], "

static void wrong_cams__are_refused(void **unused) {
    (void)unused;
    test_refused(CAM(CONTACT "base: 1, lift: ~[{over: 3, rise: 0.1}, {over: 3, rise: -0.1}]"), "covers 343.775 of 360 degrees", "2*pi");
    test_refused(CAM(CONTACT "base: 1, lift: ~[{over: =pi, rise: 0.1}, {over: =pi}]"), "differs from that at 0", "full revolution");
    test_refused(CAM(CONTACT "base: 1, lift: ~'=0.1*x'"), "differs from that at 0", NULL);
    test_refused(CAM(CONTACT "base: 0.1, lift: ~'=-0.2*cos(x)'"), "radius of the cam is", "increase base");
    test_refused(CAM(CONTACT "base: 1, lift: '=0.2*cos(3*x)', roller: ~0.9"), "too large", "smaller roller");
    test_refused(CAM(CONTACT "base: 1, lift: ~'=0.2*cos(3*x)', face: [0, 1]"), "hollow", "roller");
    test_refused(CAM(CONTACT "base: 1, lift: 0, roller: 0.1, face: ~[0, 1]"), "roller and face", NULL);
    test_refused(CAM(CONTACT "base: 1, lift: ~{table: [[0, 0], [3, 1], [6.283185307179586, 0]]}"), "does not repeat", "periodic");
    test_refused(CAM(CONTACT "base: ~-1, lift: 0"), "base", NULL);
}

#define RELATION(function) CAM("type: relation, input: A.angle, output: B.distance, function: " function)

static void wrong_functions__are_refused(void **unused) {
    (void)unused;
    test_refused(RELATION("~'=abs(x)'"), "must be smooth", "segments");
    test_refused(RELATION("'=sin(~y)'"), "y", NULL);
    test_refused(RELATION("[{over: 1, rise: 0.1, motion: ~cycloid}]"), "no motion 'cycloid'", "cycloidal");
    test_refused(RELATION("[{over: ~0, rise: 0.1}]"), "over", NULL);
    test_refused(RELATION("[{~up: 1, over: 1}]"), "up", NULL);
    test_refused(RELATION("[[0, 0], ~[0, 1]]"), "must increase", NULL);
    test_refused(RELATION("~[[0, 0]]"), "at least 2 rows", NULL);
    test_refused(RELATION("{table: ~[[0, 0], [1, 0], [2, 0]], periodic: true}"), "at least 4 rows", NULL);
    test_refused(RELATION("~[]"), "is empty", "expression");
    test_refused(CAM("type: relation, input: A.angle, output: ~A.angle, function: 0"), "same variable", "driver");
    test_refused(CAM("type: point_on_curve, bodies: [a, b], at: [0, 2], points: [[0, 0], ~[0, 0], [1, 1]]"), "are the same", NULL);
    test_refused(CAM("type: point_on_curve, bodies: [a, b], at: [0, 2], points: ~[[0, 0], [1, 0], [0, 0]]"), "three different points",
                 NULL);
    test_refused(CAM("type: point_on_curve, bodies: [a, b], at: [0, 2], points: ~3"), "list of at least two points", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eccentric_discs__lift_their_followers), cmocka_unit_test(relations__follow_their_function),
        cmocka_unit_test(straight_curves__are_inclined_planes),  cmocka_unit_test(wrong_cams__are_refused),
        cmocka_unit_test(wrong_functions__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
