/* Momenta of elastic bodies: at the start those of rigid bodies of the same mass, in free motion constant, whatever deforms and whatever
 * acts inside. With `energy_momentum` momenta and energy of meshed bodies are constant for steps of any size. */
#include "support/momenta.h"
#include "support/testing.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.15g, expected %.15g, off by %.3g of %.3g", what, a, b, fabs(a - b), tolerance);
}

#define PLANE "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 40, nu: 0.3, density: 1}}\nbodies:\n"
#define SPACE "materials: {m: {type: st_venant_kirchhoff, E: 40, nu: 0.3, density: 1}}\nbodies:\n"

/* ---- at the start */

/* A box of 2 x 1 x 3 from (0, 0, 0) with density 1, in the plane 2 x 1, moving with v and w = 3 about its mass center. */
static const double v[3] = {1, -2, 0.5}, w[3] = {0.7, -1.1, 3};

static void check_start(double t, const test_momenta *now, void *user) {
    int dim = *(int *)user;
    double mass = dim == 3 ? 6 : 2;
    const double inertia[3] = {mass * (1 + 9) / 12, mass * (4 + 9) / 12, mass * (4 + 1) / 12}, center[3] = {1, 0.5, dim == 3 ? 1.5 : 0};
    if (t > 0)
        return;
    expect("mass", now->mass, mass, 1e-13 * mass);
    for (int k = 0; k < 3; k++) {
        expect("center", now->center[k], center[k], 1e-13);
        expect("momentum", now->p[k], dim == 2 && k == 2 ? 0 : mass * v[k], 1e-12 * mass);
        expect("angular momentum", now->spin[k], dim == 2 && k < 2 ? 0 : inertia[k] * w[k], 1e-11 * inertia[k]);
    }
}

static void meshes_at_the_start__have_the_momenta_of_rigid_bodies(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"rigid", "average"}, *const coordinates[] = {"natural", "reference", "relative"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 3; k++) /* the third: by shapes in a frame at an interface, whose velocity is given */
            for (int c = 0; c < 3; c++) {
                char text[900];
                const char *mesh = dim == 2 ? "mesh: {rectangle: {to: [2, 1], n: [2, 2]}, element: quad8}, plane: stress"
                                            : "mesh: {box: {to: [2, 1, 3], n: [2, 1, 1]}, element: hexa20}";
                if (k < 2)
                    snprintf(text, sizeof text,
                             "%s  - {name: b, %s, material: m, interfaces: [{name: l, set: left, kind: %s}, {name: r, set: right}]}\n"
                             "initial: {b: {velocity: %s, angular_velocity: %s}}\n",
                             dim == 2 ? PLANE : SPACE, mesh, kinds[k], dim == 2 ? "[1, -2]" : "[1, -2, 0.5]",
                             dim == 2 ? "3" : "[0.7, -1.1, 3]");
                else
                    snprintf(text, sizeof text,
                             "dimension: %d\nmaterials: {m: {type: elastic, E: 40, nu: 0.3, density: 1}}\nbodies:\n"
                             "  - {name: b, %s, material: m, coordinates: floating, modes: 3, interfaces: [{name: l, set: left}]}\n"
                             "initial: {b.l: {velocity: %s, angular_velocity: %s}}\n",
                             dim, mesh, dim == 2 ? "[1, -5]" : "[1, -5, -0.6]", dim == 2 ? "3" : "[0.7, -1.1, 3]");
                test_momenta_run(text,
                                 &(test_course){.coordinates = coordinates[c],
                                                .formulation = "lagrange",
                                                .integrator = "dopri45",
                                                .until = 1e-9,
                                                .tolerance = 1e-6},
                                 check_start, &dim);
            }
}

/* ---- constant in free motion */

typedef struct constants {
    test_momenta first;
    bool begun;
    double p, spin, energy; /* largest changes */
    double stored, most;    /* largest change of the potential energy; sum of the magnitudes */
} constants;

static void compare(double t, const test_momenta *now, void *user) {
    constants *c = user;
    (void)t;
    if (!c->begun)
        *c = (constants){.first = *now, .begun = true};
    double dp[3], ds[3];
    for (int k = 0; k < 3; k++) {
        dp[k] = now->p[k] - c->first.p[k];
        ds[k] = now->spin[k] - c->first.spin[k];
    }
    c->p = fmax(c->p, norm3(dp));
    c->spin = fmax(c->spin, norm3(ds));
    c->energy = fmax(c->energy, fabs(now->energy - c->first.energy));
    c->stored = fmax(c->stored, fabs(now->potential - c->first.potential));
    c->most = fmax(c->most, now->size_spin);
}

static void check_constants(const char *text, const test_course *course, double tolerance) {
    constants c = {.begun = false};
    test_momenta_run(text, course, compare, &c);
    print_message("%s, %s: momenta %.1e of %.3g, %.1e of %.3g, energy %.1e of %.3g\n", course->coordinates, course->integrator, c.p,
                  c.first.size, c.spin, c.most, c.energy, c.first.kinetic);
    char what[160];
    snprintf(what, sizeof what, "%s, %s, momentum", course->coordinates, course->integrator);
    expect(what, c.p, 0, tolerance * c.first.size);
    snprintf(what, sizeof what, "%s, %s, angular momentum", course->coordinates, course->integrator);
    expect(what, c.spin, 0, tolerance * c.most);
    snprintf(what, sizeof what, "%s, %s, energy", course->coordinates, course->integrator);
    expect(what, c.energy, 0, tolerance * c.first.kinetic);
    if (!(c.stored > 0.01 * c.first.kinetic)) /* it does deform */
        fail_msg("%.3g of %.3g J were exchanged at most\n%s", c.stored, c.first.kinetic, text);
}

/* A soft body spins fast, with a rigid one on a hinge at an interface and a spring between the two: it stretches by a third and swings. */
static void hinged_pair(char *text, size_t room, int dim, const char *kind, const char *more) {
    if (dim == 2)
        snprintf(text, room,
                 PLANE "  - {name: b, mesh: {rectangle: {to: [2, 1], n: [3, 2]}, element: quad8}, material: m, plane: stress%s,"
                       " interfaces: [{name: r, set: right, kind: %s}]}\n  - {name: c, mass: 1, center: [3, 0.5], inertia: 0.3}\n"
                       "joints: [{type: revolute, bodies: [b.r, c], at: [2.3, 0.5]}]\n"
                       "forces: [{type: spring, bodies: [b, c], at: [0.4, 0.3], to: [3, 1], stiffness: 2, length: 2}]\n"
                       "initial: {b: {velocity: [1, -2], angular_velocity: 3}}\n",
                 more, kind);
    else
        snprintf(text, room,
                 SPACE "  - {name: b, mesh: {box: {to: [2, 1, 0.7], n: [2, 1, 1]}, element: hexa20}, material: m%s,"
                       " interfaces: [{name: r, set: right, kind: %s}]}\n"
                       "  - {name: c, mass: 1, center: [3, 0.5, 0.4], inertia: [0.3, 0.2, 0.4]}\n"
                       "joints: [{type: revolute, bodies: [b.r, c], at: [2.3, 0.5, 0.2], axis: [0.2, 1, 0.3]}]\n"
                       "forces: [{type: spring, bodies: [b, c], at: [0.4, 0.3, 0.2], to: [3, 1, 0], stiffness: 2, length: 2}]\n"
                       "initial: {b: {velocity: [1, -2, 0.5], angular_velocity: [0.5, 1, 2.5]}}\n",
                 more, kind);
}

static void energy_and_momenta_of_meshes__are_kept_by_steps_of_any_size(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"rigid", "average"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++)
            for (int s = 0; s < 2; s++) { /* 1/20 and a tenth of a revolution; the fastest vibrations are ten times as fast */
                char text[1200];
                hinged_pair(text, sizeof text, dim, kinds[k], "");
                check_constants(text,
                                &(test_course){.coordinates = "natural",
                                               .formulation = "index3",
                                               .integrator = "energy_momentum",
                                               .step = s ? 0.2 : 0.1,
                                               .by_matrix = true,
                                               .until = 4},
                                1e-10);
            }
}

static void accurate_motions__keep_them_too(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"series", "dop853"}, *const kinds[] = {"rigid", "average"};
    for (int dim = 2; dim <= 3; dim++)
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < 2; i++) {
                char text[1200];
                hinged_pair(text, sizeof text, dim, kinds[k], "");
                check_constants(text,
                                &(test_course){.coordinates = "natural",
                                               .formulation = i ? "lagrange" : "partition",
                                               .integrator = integrators[i],
                                               .until = 1,
                                               .tolerance = 1e-11},
                                1e-9);
            }
    static const char *const models[] = {
        /* beams by rotations and by directors with a bend, hinged to a rigid body */
        "dimension: 2\nbodies:\n  - {name: b, beam: {along: [[0, 0], [1, 0], [1, 1]], elements: 2, degree: 2%s},"
        " stiffness: {EA: 200, GA: 100, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 0.02}}\n"
        "  - {name: c, mass: 0.5, center: [1.4, 1.2], inertia: 0.1}\njoints: [{type: revolute, bodies: [b.to, c], at: [1, 1]}]\n"
        "initial: {b.from: {velocity: [1, -2], angular_velocity: 4}}\n",
        /* shapes in a floating frame, vibrating strongly */
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1500, nu: 0.3, density: 1}}\nbodies:\n"
        "  - {name: b, mesh: {rectangle: {to: [2, 0.5], n: [6, 2]}, element: quad8}, material: m, plane: stress,"
        " coordinates: floating, modes: 4%s, interfaces: [{name: l, set: left}, {name: r, set: right}]}\n"
        "  - {name: c, mass: 1, center: [3, 0.5], inertia: 0.3}\njoints: [{type: revolute, bodies: [b.r, c], at: [2, 0.25]}]\n"
        "forces: [{type: spring, bodies: [b.l, c], at: [0, 0.25], to: [3, 0.5], stiffness: 6, length: 1}]\n"
        "initial: {b.l: {velocity: [1, -2], angular_velocity: 2}}\n",
        "materials: {m: {type: elastic, E: 1500, nu: 0.3, density: 1}}\nbodies:\n"
        "  - {name: b, mesh: {box: {to: [2, 0.5, 0.3], n: [4, 1, 1]}, element: hexa20}, material: m,"
        " coordinates: floating, modes: 4%s, interfaces: [{name: l, set: left}, {name: r, set: right}]}\n"
        "  - {name: c, mass: 1, center: [3, 0.5, 0.2], inertia: [0.3, 0.2, 0.4]}\n"
        "joints: [{type: spherical, bodies: [b.r, c], at: [2, 0.25, 0.1]}]\n"
        "forces: [{type: spring, bodies: [b.l, c], at: [0, 0.25, 0], to: [3, 0.5, 0.4], stiffness: 6, length: 1}]\n"
        "initial: {b.l: {velocity: [1, -2, 0.5], angular_velocity: [0.5, 1, 2]}}\n"};
    static const struct {
        int model;
        const char *more;
    } cases[] = {{0, ""}, {0, ", interpolation: directors"}, {1, ""}, {1, ", stiffening: linear"}, {2, ""}};
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int c = 0; c < 3; c++) {
            char text[1400];
            snprintf(text, sizeof text, models[cases[i].model], cases[i].more);
            check_constants(
                text,
                &(test_course){
                    .coordinates = coordinates[c], .formulation = "lagrange", .integrator = "dop853", .until = 0.7, .tolerance = 1e-11},
                1e-9);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(meshes_at_the_start__have_the_momenta_of_rigid_bodies),
                                       cmocka_unit_test(energy_and_momenta_of_meshes__are_kept_by_steps_of_any_size),
                                       cmocka_unit_test(accurate_motions__keep_them_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
