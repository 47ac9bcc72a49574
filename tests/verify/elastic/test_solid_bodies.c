/* Meshed bodies in mechanisms against models of meshes alone, statics by hand, conservation laws and a published motion. */
#include "coords/coords.h"
#include "model/model.h"
#include "support/every_way.h"
#include "support/solid_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.15g, expected %.15g, off by %.3g of %.3g", what, a, b, fabs(a - b), tolerance);
}

/* ---- statics */

#define BEAM "mesh: {rectangle: {to: [10, 1], n: [10, 1]}, element: quad8}, material: steel, plane: stress"
#define BLOCK "mesh: {box: {to: [6, 1, 1], n: [4, 1, 1]}, element: hexa20}, material: steel"
#define STEEL "materials: {steel: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 1}}\n"

/* A clamped rod as a body of a mechanism, clamped at an interface, and as a mesh with supports: the same nodes, elements and load. */
static void cantilevers__bend_as_meshes_with_supports(void **unused) {
    (void)unused;
    solid_end alone = solid_settle("dimension: 2\n" STEEL "bodies: [{name: rod, " BEAM ", strain: green}]\n"
                                   "supports: [{set: left, all: 0}]\nloads: [{at: [10, 0.5], force: [0.2, 0.5]}]\n"
                                   "probes: {tip: {at: [10, 0.5]}, inner: {at: [3.3, 0.2]}}\n",
                                   NULL);
    solid_end body = solid_settle("dimension: 2\n" STEEL "bodies: [{name: rod, " BEAM ", interfaces: [{name: root, set: left}]}]\n"
                                  "joints: [{name: clamp, type: fixed, bodies: [ground, rod.root], at: [0, 0]}]\n"
                                  "forces: [{type: force, body: rod, at: [10, 0.5], force: [0.2, 0.5]}]\n"
                                  "probes: {tip: {body: rod, at: [10, 0.5]}, inner: {body: rod, at: [3.3, 0.2]}}\n",
                                  NULL);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 2; k++)
            expect("the plane", body.x[p][k], alone.x[p][k], 1e-11);
    assert_true(body.x[0][1] > 2); /* by far not linear */
    alone = solid_settle("dimension: 3\n" STEEL "bodies: [{name: rod, " BLOCK ", strain: green}]\n"
                         "supports: [{set: left, all: 0}]\nloads: [{at: [6, 0, 0], force: [0.2, 0.5, 0.7]}]\n"
                         "probes: {tip: {at: [6, 1, 1]}, inner: {at: [3.3, 0.2, 0.7]}}\n",
                         NULL);
    body = solid_settle(STEEL "bodies: [{name: rod, " BLOCK ", interfaces: [{name: root, set: left, at: [0, 3, 1]}]}]\n"
                              "joints: [{name: clamp, type: fixed, bodies: [ground, rod.root], at: [0, 0, 0]}]\n"
                              "forces: [{type: force, body: rod, at: [6, 0, 0], force: [0.2, 0.5, 0.7]}]\n"
                              "probes: {tip: {body: rod, at: [6, 1, 1]}, inner: {body: rod, at: [3.3, 0.2, 0.7]}}\n",
                        NULL);
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 3; k++)
            expect("space", body.x[p][k], alone.x[p][k], 1e-11);
}

/* Loads on faces and in the volume, as in models of meshes. */
static void loads_on_meshes__act_as_in_meshes_alone(void **unused) {
    (void)unused;
#define LOADS \
    "loads: [{set: right, traction: [0, 0.3]}, {set: top, normal: -0.02}, {body_force: [0, -0.01]}, {set: bottom, force: [0.01, 0]}]\n"
    solid_end alone = solid_settle("dimension: 2\n" STEEL "bodies: [{name: rod, " BEAM
                                   ", strain: green}]\nsupports: [{set: left, all: 0}]\n" LOADS "probes: {tip: {at: [10, 0.5]}}\n",
                                   NULL);
    solid_end body = solid_settle("dimension: 2\n" STEEL "bodies: [{name: rod, " BEAM ", interfaces: [{name: root, set: left}]}]\n"
                                  "joints: [{name: clamp, type: fixed, bodies: [ground, rod.root], at: [0, 0]}]\n" LOADS
                                  "probes: {tip: {body: rod, at: [10, 0.5]}}\n",
                                  NULL);
    for (int k = 0; k < 2; k++)
        expect("tip", body.x[0][k], alone.x[0][k], 1e-11);
}

/* ---- rigid motions */

/* at the start of a run, turned by a large angle: stored energy relative to that of a strain of 1 */
static double strain_energy(const char *text) {
    test_ending end;
    test_one_way(text, &(bl_run_options){.until = 1e-9, .formulation = "lagrange", .integrator = "dopri45"}, NULL, &end, NULL);
    return end.potential;
}

/* E V times the square of a strain from rounding; of laws that take the difference of invariants, times their rounding */
static double rounding_of(const char *law) { return 2e6 * (strcmp(law, "st_venant_kirchhoff") == 0 ? 1e-28 : 1e-15); }

static void rigid_rotations__store_no_energy(void **unused) {
    (void)unused;
    static const struct {
        const char *element, *law;
    } plane[] = {{"triangle3", "st_venant_kirchhoff"},
                 {"triangle6", "neo_hookean"},
                 {"quad4", "neo_hookean"},
                 {"quad8", "st_venant_kirchhoff"},
                 {"quad9", "hencky"}},
      space[] = {{"tetra4", "neo_hookean"},
                 {"tetra10", "st_venant_kirchhoff"},
                 {"hexa8", "hencky"},
                 {"hexa20", "st_venant_kirchhoff"},
                 {"wedge15", "neo_hookean"}};
    char text[1024];
    for (size_t i = 0; i < 5; i++)
        for (int average = 0; average < 2; average++) {
            snprintf(
                text, sizeof text,
                "dimension: 2\nmaterials: {m: {type: %s, E: 1e6, nu: 0.3, density: 1}}\n"
                "bodies: [{name: b, mesh: {rectangle: {from: [1, 0], to: [3, 1], n: [2, 2]}, element: %s, distort: [0.2, 1]}, material: m,"
                " plane: strain, interfaces: [{name: left, set: left, kind: %s}]}]\ninitial: {b: {orientation: 2.1}}\n",
                plane[i].law, plane[i].element, average ? "average" : "rigid");
            expect(plane[i].element, strain_energy(text), 0, rounding_of(plane[i].law));
            snprintf(text, sizeof text,
                     "materials: {m: {type: %s, E: 1e6, nu: 0.3, density: 1}}\n"
                     "bodies: [{name: b, mesh: {box: {from: [1, 0, 0], to: [3, 1, 1], n: [2, 2, 2]}, element: %s, distort: [0.2, 1]},"
                     " material: m,"
                     " interfaces: [{name: left, set: left, kind: %s}]}]\ninitial: {b: {orientation: [1.1, -0.8, 0.5]}}\n",
                     space[i].law, space[i].element, average ? "average" : "rigid");
            expect(space[i].element, strain_energy(text), 0, rounding_of(space[i].law));
        }
}

/* ---- momentum */

/* A free plate of two quad4 with lumped mass (each element gives a quarter of its mass to a node), soft, spinning: it stretches and swings.
 * Its momenta from the probes at its six nodes. */
static const double share[6] = {0.25, 0.5, 0.25, 0.25, 0.5, 0.25};

typedef struct momenta {
    double spin, p[2];
    double worst_spin, worst_p, stretch;
    bool begun;
} momenta;

static void take_momenta(const bl_sample *s, const test_ending *run, void *user) {
    momenta *m = user;
    double spin = 0, p[2] = {0, 0};
    (void)run;
    for (int i = 0; i < 6; i++) {
        const double *r = s->probe + 3 * i, *v = s->probe_rate + 3 * i;
        spin += share[i] * (r[0] * v[1] - r[1] * v[0]);
        for (int k = 0; k < 2; k++)
            p[k] += share[i] * v[k];
    }
    if (!m->begun) {
        m->spin = spin;
        memcpy(m->p, p, sizeof p);
        m->begun = true;
    }
    m->worst_spin = fmax(m->worst_spin, fabs(spin - m->spin));
    for (int k = 0; k < 2; k++)
        m->worst_p = fmax(m->worst_p, fabs(p[k] - m->p[k]));
    m->stretch = fmax(m->stretch, fabs(hypot(s->probe[6] - s->probe[0], s->probe[7] - s->probe[1]) - 2));
}

static void free_bodies__keep_their_momenta(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"energy_momentum", "dop853"};
    for (int i = 0; i < 2; i++) {
        momenta m = {0};
        test_ending end;
        test_one_way(
            "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 40, nu: 0.3, density: 1}}\n"
            "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4}, material: m, plane: stress, mass: lumped,"
            " interfaces: []}, {name: other, mass: 1, center: [9, 9], inertia: 1}]\n"
            "initial: {b: {velocity: [1, -2], angular_velocity: 3}}\n"
            "probes: {a: {body: b, at: [0, 0]}, b1: {body: b, at: [1, 0]}, c: {body: b, at: [2, 0]},"
            " d: {body: b, at: [0, 1]}, e: {body: b, at: [1, 1]}, f: {body: b, at: [2, 1]}}\n",
            &(bl_run_options){.until = 2, .every = 0.1, .step = i == 0 ? 0.02 : 0, .tolerance = 1e-11, .integrator = integrators[i]},
            take_momenta, &end, &m);
        expect("momentum", m.worst_p, 0, 1e-10);
        expect("angular momentum", m.worst_spin, 0, i == 0 ? 1e-10 : 1e-9);
        expect("energy", end.energy_error, 0, i == 0 ? 1e-9 : 1e-8);
        assert_true(m.stretch > 0.05);
        expect("mass center", end.body[0].position[0], 1 + end.t, 1e-9);
        expect("velocity of the mass center", end.body[0].velocity[1], -2, 1e-9);
    }
}

/* ---- reactions and joints */

/* A bent plate hangs on a node, on a point inside an element, on a rigid or an averaging interface, and rests on a roll at its end: forces
 * and moments by statics. */
static void reactions__balance_weight_and_loads(void **unused) {
    (void)unused;
    static const struct {
        const char *body, *at, *interface;
        double x;
    } hinge[] = {{"rod", "[0, 0.5]", "", 0},
                 {"rod", "[0.4, 0.3]", "", 0.4},
                 {"rod.left", "[0.2, 0.9]", "{name: left, set: left}, ", 0.2},
                 {"rod.left", "[0.2, 0.9]", "{name: left, set: left, kind: average, at: [0.1, 0.1]}, ", 0.2}};
    for (size_t i = 0; i < sizeof hinge / sizeof *hinge; i++) {
        char text[1400];
        test_ending end;
        snprintf(
            text, sizeof text,
            "dimension: 2\ngravity: [0, -1]\nmaterials: {steel: {type: st_venant_kirchhoff, E: 500, nu: 0.3, density: 0.1}}\n"
            "bodies: [{name: rod, mesh: {rectangle: {to: [4, 1], n: [4, 2]}, element: quad8}, material: steel, plane: stress,"
            " interfaces: [%s{name: end, set: right}]}]\n"
            "joints: [{name: pin, type: revolute, bodies: [ground, %s], at: %s},"
            " {name: roll, type: point_on_line, bodies: [ground, rod.end], at: [4, 0.5], axis: [1, 0]}]\n"
            "forces: [{type: force, body: rod, at: [2, 1], force: [0.05, -0.2]}]\n"
            "initial: {equilibrium: true}\nprobes: {P: {body: rod, at: [2, 1]}, Q: {body: rod.end, at: [4, 0.5]}, H: {body: %s, at: %s}}\n",
            hinge[i].interface, hinge[i].body, hinge[i].at, hinge[i].body, hinge[i].at);
        test_one_way(text, &(bl_run_options){.until = 1e-6, .formulation = "lagrange", .integrator = "dopri45"}, NULL, &end, NULL);
        const double *P = end.probe[0], *Q = end.probe[1], *H = end.probe[2], *C = end.body[0].position;
        double up = ((C[0] - H[0]) * 0.4 + (P[0] - H[0]) * 0.2 + (P[1] - H[1]) * 0.05) / (Q[0] - H[0]); /* about the pin */
        expect("height of the end", Q[1], 0.5, 1e-9);
        expect("pin, x", end.reaction[0].force[0], -0.05, 1e-7);
        expect("pin, y", end.reaction[0].force[1], 0.6 - up, 1e-7);
        expect("pin, moment", end.reaction[0].moment[2], 0, 1e-7);
        expect("roll, x", end.reaction[1].force[0], 0, 1e-7);
        expect("roll, y", end.reaction[1].force[1], up, 1e-7);
        expect("the hinge stays", H[0], hinge[i].x, 1e-9);
    }
}

/* In space: a clamped block, by a rigid and by an averaging interface, and by one whose frame is elsewhere. */
static void reactions_of_a_clamp__are_force_and_moment(void **unused) {
    (void)unused;
    static const char *const interface[] = {"", ", kind: average", ", at: [0, 3, 1]", ", kind: average, at: [-1, 0, 2]"};
    const double F[3] = {0.2, 0.5, 0.7};
    for (size_t i = 0; i < sizeof interface / sizeof *interface; i++) {
        char text[800];
        test_ending end;
        snprintf(text, sizeof text,
                 STEEL "bodies: [{name: rod, " BLOCK ", interfaces: [{name: root, set: left%s}]}]\n"
                       "joints: [{name: clamp, type: fixed, bodies: [ground, rod.root], at: [0, 0, 0]}]\n"
                       "forces: [{type: force, body: rod, at: [6, 0, 0], force: [0.2, 0.5, 0.7]}]\n"
                       "initial: {equilibrium: true}\nprobes: {tip: {body: rod, at: [6, 0, 0]}}\n",
                 interface[i]);
        test_one_way(text, &(bl_run_options){.until = 1e-6, .formulation = "lagrange", .integrator = "dopri45"}, NULL, &end, NULL);
        for (int k = 0; k < 3; k++) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            expect("force", end.reaction[0].force[k], -F[k], 1e-7);
            expect("moment", end.reaction[0].moment[k], end.probe[0][b] * F[a] - end.probe[0][a] * F[b], 1e-6);
        }
    }
}

/* ---- motion */

/* A soft pendulum of a mesh behind a rigid one, with a rigid one behind it, in all kinds of coordinates. */
typedef struct reference {
    double x[3];
    bool begun;
} reference;

static void check_tip(const test_ending *e, void *user) {
    reference *r = user;
    double reaction = hypot(e->reaction[1].force[0], e->reaction[1].force[1]);
    if (!r->begun)
        *r = (reference){{e->probe[0][0], e->probe[0][1], reaction}, true};
    test_close(e, "the tip, x", e->probe[0][0], r->x[0], 1e-6);
    test_close(e, "the tip, y", e->probe[0][1], r->x[1], 1e-6);
    test_close(e, "the energy error", e->energy_error, 0, 1e-6);
    test_close(e, "the reaction", reaction, r->x[2], 1e-3);
}

static void rigid_bodies_beside_meshes__have_any_coordinates(void **unused) {
    (void)unused;
    reference r = {0};
    test_every_way("dimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {type: neo_hookean, E: 4000, nu: 0.3, density: 2}}\n"
                   "bodies: [{name: a, mass: 1, rod: {from: [0, 0], to: [1, 0]}},"
                   " {name: b, mesh: {rectangle: {from: [1, -0.1], to: [2, 0.1], n: [4, 1]}, element: quad4}, material: m, plane: stress,"
                   " interfaces: [{name: left, set: left, at: [1, 0]}, {name: right, set: right, at: [2, 0]}]},"
                   " {name: c, mass: 1, rod: {from: [2, 0], to: [3, 0]}}]\n"
                   "joints: [{type: revolute, bodies: [ground, a], at: [0, 0]}, {type: revolute, bodies: [a, b.left], at: [1, 0]},"
                   " {type: revolute, bodies: [b.right, c], at: [2, 0]}]\n"
                   "probes: {tip: {body: c, at: [3, 0]}}\n",
                   &(bl_run_options){.until = 0.4, .tolerance = 1e-9, .integrator = "dop853"}, NULL, check_tip, &r);
}

/* A bar of one element that stretches along x, nu = 0: its free end is a mass m = rho A L / 3 (consistent) on a spring k = E A / L with a
 * damper c = a m + b k. After a short push, at small amplitude, in closed form. */
static void damping__is_that_of_mass_and_stiffness(void **unused) {
    (void)unused;
    static const double by[2][2] = {{0.4, 0}, {0, 0.01}};
    for (int i = 0; i < 2; i++) {
        char text[900];
        test_ending end;
        double k = 300, mass = 1, c = by[i][0] * mass + by[i][1] * k, w = sqrt(k / mass - c * c / (4 * mass * mass)), t = 1.5, v = 1e-4;
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 300, nu: 0, density: 3}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, plane: strain,"
                 " damping: {mass: %g, stiffness: %g}, interfaces: [{name: l, set: left}, {name: r, set: right}]}]\n"
                 "joints: [{type: fixed, bodies: [ground, b.l], at: [0, 0]}, {name: s, type: prismatic, bodies: [ground, b.r], at: [1, 0],"
                 " axis: [1, 0]}]\nforces: [{type: force, body: b.r, at: [1, 0], force: [\"=if(t < 1e-4, %.17g, 0)\", 0]}]\n"
                 "probes: {P: {body: b.r, at: [1, 0]}}\n",
                 by[i][0], by[i][1], v * mass / 1e-4);
        test_one_way(text, &(bl_run_options){.until = t, .tolerance = 1e-11, .formulation = "lagrange", .integrator = "dop853"}, NULL, &end,
                     NULL);
        double late = t - 5e-5; /* the push is short */
        expect("damped oscillation", end.probe[0][0] - 1, v / w * exp(-c / (2 * mass) * late) * sin(w * late), 2e-4 * v / w);
        expect("energy", end.energy_error, 0, 1e-6 * v * v);
    }
}

/* A stiff damped body that spins freely stretches by rho w^2 L^2 / E = 1e-6, and then loses nothing: damping is by strain rates. */
static void rigid_rotations__are_not_damped(void **unused) {
    (void)unused;
    test_ending end;
    test_one_way("dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, plane: strain,"
                 " damping: {stiffness: 1e-4}, interfaces: [{name: l, set: left}]}]\ninitial: {b: {angular_velocity: 1}}\n",
                 &(bl_run_options){.until = 3, .tolerance = 1e-9, .formulation = "lagrange", .integrator = "dop853"}, NULL, &end, NULL);
    expect("rotation", end.body[0].angular_velocity[2], 1, 3e-6);
    expect("angle", 2 * atan2(end.body[0].quaternion[3], end.body[0].quaternion[0]), 3, 1e-5);
}

/* Slider-crank with an elastic rod: a planar rod by Reissner's theory with EA = 2e5, GA = 8e4, EI = 20, rho A = 0.5; references by beam
 * elements of degree 2 and 3, extrapolated. Deflections are compared with the largest of them. */
static void elastic_slider_crank__follows_beam_theory(void **unused) {
    (void)unused;
    static const double slider[4] = {0.48984, 0.40005, 0.48989, 0.60001}, bend[4] = {1.7906e-3, -2.170e-4, -1.364e-3, -3.289e-4};
    for (int k = 0; k < 4; k++) {
        test_ending end;
        FILE *file = fopen(SCENES "/slider_crank_meshed.yaml", "r");
        char text[4096] = "";
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        test_one_way(text,
                     &(bl_run_options){.until = 3.14159265358979323846 / 80 * (k + 1),
                                       .step = 3.14159265358979323846 / 80 / 500,
                                       .formulation = "index3",
                                       .integrator = "genalpha"},
                     NULL, &end, NULL);
        const double *A = end.probe[0], *M = end.probe[1], *B = end.probe[2];
        double length = hypot(B[0] - A[0], B[1] - A[1]);
        double off = ((B[0] - A[0]) * (M[1] - A[1]) - (B[1] - A[1]) * (M[0] - A[0])) / length;
        expect("slider", B[0], slider[k], 2e-5);
        expect("deflection", off, bend[k], 0.01 * bend[0]);
    }
}

/* Two rods of EA = 1e5, GA = 4e4, EI = 10, rho A = 1, hinged to each other and to the ground, fall from rest: hinge and tip of the same
 * theory, to 1e-4. */
static void elastic_double_pendulum__follows_beam_theory(void **unused) {
    (void)unused;
    static const double by_theory[4][4] = {{0.93230, -0.36121, 1.92922, -0.28220},
                                           {0.43569, -0.90024, 1.30466, -1.39499},
                                           {-0.09334, -0.99588, -0.74280, -1.75614},
                                           {-0.92935, -0.36968, -1.67410, -1.03708}};
    for (int k = 1; k < 4; k += 2) {
        test_ending end;
        test_one_way(
            "dimension: 2\ngravity: [0, -9.81]\nparameters: {h: =sqrt(12e-4), b: 0.01}\n"
            "materials: {m: {type: st_venant_kirchhoff, E: =1e5/(b*h), nu: =1/24, density: =1/(b*h)}}\nbodies:\n"
            "  - {name: one, mesh: {rectangle: {from: [0, =-h/2], to: [1, =h/2], n: [16, 1]}, element: quad8}, material: m,"
            " plane: stress, thickness: =b, interfaces: [{name: l, set: left}, {name: r, set: right}]}\n"
            "  - {name: two, mesh: {rectangle: {from: [1, =-h/2], to: [2, =h/2], n: [16, 1]}, element: quad8}, material: m,"
            " plane: stress, thickness: =b, interfaces: [{name: l, set: left}]}\n"
            "joints: [{type: revolute, bodies: [ground, one.l], at: [0, 0]}, {type: revolute, bodies: [one.r, two.l], at: [1, 0]}]\n"
            "probes: {hinge: {body: one.r, at: [1, 0]}, tip: {body: two, at: [2, 0]}}\n",
            &(bl_run_options){.until = 0.25 * (k + 1), .step = 1e-3, .formulation = "index3", .integrator = "genalpha"}, NULL, &end, NULL);
        for (int i = 0; i < 4; i++)
            expect("double pendulum", end.probe[i / 2][i % 2], by_theory[k][i], 3e-4);
    }
}

/* ---- derivatives */

/* Tangents of a disturbed, moving configuration against central differences of the forces, and the forces against those of the energy. */
static void check_derivatives(const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_eval e = {0}, f = {0};
    test_random random = {test_seed(7)};
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_coords_build(ctx, model, "natural", &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &f), BL_OK);
    for (bl_index j = 0; j < sys->nq; j++) {
        state.q[j] += 0.03 * test_random_symmetric(&random);
        state.v[j] = test_random_symmetric(&random);
    }
    bl_eval_at(&e, &state);
    assert_int_equal(bl_system_eval(sys, &e, BL_KC | BL_Q), BL_OK);
    double h = 1e-6, most = 0, worst = 0, gap = 0, force = 0;
    for (int rate = 0; rate < 2; rate++)
        for (bl_index j = 0; j < sys->nv; j++) {
            double *x = rate ? state.v : state.q, keep = x[j], difference[400] = {0}, energy[2];
            assert_true(sys->nv <= 400);
            for (int side = 0; side < 2; side++) {
                x[j] = keep + (side ? h : -h);
                bl_eval_at(&f, &state);
                assert_int_equal(bl_system_eval(sys, &f, BL_Q | BL_ENERGY), BL_OK);
                energy[side] = f.potential;
                for (bl_index i = 0; i < sys->nv; i++)
                    difference[i] -= (side ? 1 : -1) * f.Q[i] / (2 * h);
            }
            x[j] = keep;
            const bl_pattern *pattern = rate ? &sys->pat_C : &sys->pat_K;
            const double *value = rate ? e.C : e.K;
            for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++) {
                most = fmax(most, fabs(value[k]));
                worst = fmax(worst, fabs(value[k] - difference[pattern->idx[k]]));
                difference[pattern->idx[k]] = 0;
            }
            for (bl_index i = 0; i < sys->nv; i++) /* outside the pattern nothing depends */
                worst = fmax(worst, fabs(difference[i]));
            force = fmax(force, fabs(e.Q[j]));
            if (!rate && model->solid[0].damping_mass == 0 && model->solid[0].damping_stiffness == 0)
                gap = fmax(gap, fabs((energy[1] - energy[0]) / (2 * h) + e.Q[j]));
        }
    expect("tangents", worst, 0, 1e-7 * most);
    expect("forces", gap, 0, 1e-7 * force);
    bl_eval_destroy(sys, &e);
    bl_eval_destroy(sys, &f);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void tangents__are_derivatives_of_the_forces(void **unused) {
    (void)unused;
    static const char *const damping[] = {"", "damping: {mass: 0.3, stiffness: 0.01}, "};
    static const char *const push[] = {"", "forces: [{type: force, body: b, at: [0.7, 0.3], force: [1, 2]}]\n"};
    static const char *const push3[] = {"", "forces: [{type: force, body: b, at: [0.7, 0.3, 0.2], force: [1, 2, 3]}]\n"};
    char text[900];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [1, -2]\nmaterials: {m: {type: st_venant_kirchhoff, E: 400, nu: 0.3, density: 1}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad8}, material: m, plane: stress, %s"
                 "interfaces: [{name: l, set: left}, {name: r, set: right, kind: average}]}]\nloads: [{set: top, traction: [1, 3]}]\n"
                 "joints: [{type: revolute, bodies: [ground, b.l], at: [0, 0.5]}]\n%s",
                 damping[i], push[i]);
        check_derivatives(text);
        snprintf(text, sizeof text,
                 "gravity: [1, -2, 3]\nmaterials: {m: {type: st_venant_kirchhoff, E: 400, nu: 0.3, density: 1}}\n"
                 "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: hexa8}, material: m, mass: lumped, %s"
                 "interfaces: [{name: l, set: left, at: [0, 2, 1]}, {name: r, set: right, kind: average}]}]\n"
                 "joints: [{type: spherical, bodies: [ground, b.r], at: [2, 0.5, 0]}]\n"
                 "%s",
                 damping[i], push3[i]);
        check_derivatives(text);
    }
}

/* ---- mass */

static void mass_properties__are_those_of_the_shape(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const char *const text =
        "materials: {m: {type: st_venant_kirchhoff, E: 1, nu: 0.3, density: 5}}\n"
        "bodies: [{name: b, mesh: {box: {from: [1, 2, 3], to: [3, 3, 6], n: [2, 2, 2]}, element: hexa20, distort: [0.1, 3]},"
        " material: m, interfaces: [{name: f, set: left}]}]\n";
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    const bl_body *b = &model->body[1];
    expect("mass", b->mass, 30, 1e-12);
    for (int k = 0; k < 3; k++) {
        static const double center[3] = {2, 2.5, 4.5}, inertia[3] = {30 * (1 + 9) / 12.0, 30 * (4 + 9) / 12.0, 30 * (4 + 1) / 12.0};
        expect("center", b->center[k], center[k], 1e-13);
        for (int j = 0; j < 3; j++)
            expect("inertia", b->inertia[j][k], j == k ? inertia[k] : 0, 1e-11);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status build_and_free(bl_context *ctx, void *user) {
    static const char *const text =
        "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1, nu: 0.3, density: 5}}\n"
        "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4}, plane: stress,"
        " material: m, interfaces: [{name: f, set: left}, {name: g, set: right, kind: average}]}]\n"
        "loads: [{set: top, traction: [\"=x\", 1]}]\njoints: [{type: revolute, bodies: [ground, b], at: [1.2, 0.3]}]\n";
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_eval e = {0};
    (void)user;
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_coords_build(ctx, model, "natural", &sys);
    if (status == BL_OK)
        status = bl_eval_create(sys, BL_ALL, &e);
    if (sys)
        bl_eval_destroy(sys, &e);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    return status;
}

static void every_failed_allocation__is_reported(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(build_and_free, NULL) > 10);
    assert_true(test_failing_once(build_and_free, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers__bend_as_meshes_with_supports),
        cmocka_unit_test(loads_on_meshes__act_as_in_meshes_alone),
        cmocka_unit_test(rigid_rotations__store_no_energy),
        cmocka_unit_test(free_bodies__keep_their_momenta),
        cmocka_unit_test(reactions__balance_weight_and_loads),
        cmocka_unit_test(reactions_of_a_clamp__are_force_and_moment),
        cmocka_unit_test(rigid_bodies_beside_meshes__have_any_coordinates),
        cmocka_unit_test(damping__is_that_of_mass_and_stiffness),
        cmocka_unit_test(rigid_rotations__are_not_damped),
        cmocka_unit_test(elastic_slider_crank__follows_beam_theory),
        cmocka_unit_test(elastic_double_pendulum__follows_beam_theory),
        cmocka_unit_test(tangents__are_derivatives_of_the_forces),
        cmocka_unit_test(mass_properties__are_those_of_the_shape),
        cmocka_unit_test(every_failed_allocation__is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
