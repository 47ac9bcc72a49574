/* Equilibria of meshes compared with exact, published and independently recomputed numbers (energies by complex step: no stress formula was
 * used). Digits given are those of the recomputation; a unit of the last one is allowed. */
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void near_to(const char *what, double value, double want, double error) {
    if (!(fabs(value - want) <= error))
        fail_msg("%s: %.9g, not %.9g", what, value, want);
}

/* ---- large deformations */

static void hyperelastic_cantilever__bends_as_recomputed(void **state) {
    (void)state;
    static const struct {
        const char *element, *material, *plane, *bbar;
        int nx, ny;
        double want[2], error;
    } cases[] = {
        {"quad4", "nearly_incompressible, E: 1000, nu: 0.4999999999999", "stress", "false", 20, 2, {-0.16566598, -1.66424039}, 1e-8},
        {"quad9", "nearly_incompressible, E: 1000, nu: 0.4999999999999", "stress", "false", 10, 1, {-0.22134201, -1.91761630}, 1e-8},
        {"quad9", "nearly_incompressible, E: 1000, nu: 0.4999999999999", "stress", "false", 20, 2, {-0.22342364, -1.92833128}, 1e-8},
        {"quad4", "neo_hookean, E: 1000, nu: 0.25", "strain", "false", 20, 2, {-0.15842819, -1.62679959}, 1e-8},
        {"quad9", "neo_hookean, E: 1000, nu: 0.25", "strain", "false", 20, 2, {-0.19906237, -1.82075284}, 1e-8},
        {"quad4", "nearly_incompressible, E: 1000, nu: 0.25", "strain", "true", 20, 2, {-0.21042835, -1.87153596}, 1e-8},
        {"quad4", "neo_hookean, E: 1000, nu: 0.4999", "strain", "false", 20, 2, {NAN, -0.019481}, 1e-6}, /* the mesh locks */
        {"quad4", "nearly_incompressible, E: 1000, nu: 0.4999", "strain", "true", 20, 2, {-0.153201, -1.595977}, 1e-6},
        {"quad9", "nearly_incompressible, E: 1000, nu: 0.4999", "strain", "true", 10, 1, {-0.127902, -1.466974}, 1e-6},
        {"quad9", "nearly_incompressible, E: 1000, nu: 0.4999", "strain", "true", 20, 2, {-0.126835, -1.457978}, 1e-6},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000], what[200];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: %s}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [10, 1], n: [%d, %d]}, element: %s}, material: m,\n"
                 "          plane: %s, strain: left, bbar: %s}]\n"
                 "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, =-0.5*t]}]\nprobes: {tip: {at: [10, 0.5]}}\n",
                 cases[k].material, cases[k].nx, cases[k].ny, cases[k].element, cases[k].plane, cases[k].bbar);
        solid_end l = solid_settle(text, &(bl_equilibrium_options){.until = 1, .any = true});
        snprintf(what, sizeof what, "%s %d, %s, bbar %s", cases[k].element, cases[k].nx, cases[k].material, cases[k].bbar);
        if (!isnan(cases[k].want[0]))
            near_to(what, l.x[0][0] - 10, cases[k].want[0], cases[k].error);
        near_to(what, l.x[0][1] - 0.5, cases[k].want[1], cases[k].error);
    }
}

static void cook__bends_as_recomputed(void **state) {
    (void)state;
    static const struct {
        const char *element;
        int n;
        double want[3]; /* u_y, u_x of the corner (48, 60), u_y at (48, 52) */
    } cases[] = {{"quad4", 8, {6.618591, -5.395908, 6.669581}}, {"quad9", 4, {6.873176, -5.746694, 6.930748}}};
    const double mu = 80.1938, kappa = 400889.8;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: nearly_incompressible, E: %.17g, nu: %.17g}}\n"
                 "bodies: [{name: b, mesh: {quadrilateral: {a: [0, 0], b: [48, 44], c: [48, 60], d: [0, 44], n: [%d, %d]}, element: %s},\n"
                 "          material: m, plane: strain, strain: left, bbar: true}]\n"
                 "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, =6.25*t]}]\n"
                 "probes: {corner: {at: [48, 60]}, middle: {at: [48, 52]}}\n",
                 9 * kappa * mu / (3 * kappa + mu), (3 * kappa - 2 * mu) / (2 * (3 * kappa + mu)), cases[k].n, cases[k].n,
                 cases[k].element);
        solid_end l = solid_settle(text, &(bl_equilibrium_options){.until = 1, .any = true});
        near_to(cases[k].element, l.x[0][1] - 60, cases[k].want[0], 1e-6);
        near_to(cases[k].element, l.x[0][0] - 48, cases[k].want[1], 1e-6);
        near_to(cases[k].element, l.x[1][1] - 52, cases[k].want[2], 1e-6);
    }
}

/* ---- small deformations */

/* plane strain, inner pressure 1: u(a), u(b) of Lame */
static void thick_cylinder__has_the_displacements_of_lame(void **state) {
    (void)state;
    solid_end l = solid_settle(
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1, nu: 0.3}}\n"
        "bodies: [{name: b, mesh: {quarter_ring: {inner: 1, outer: 2, n: [12, 12]}, element: quad9}, material: m, plane: strain}]\n"
        "supports: [{set: left, x: 0}, {set: bottom, y: 0}]\nloads: [{set: inner, normal: -1}]\n"
        "probes: {a: {at: [1, 0]}, b: {at: [0, 2]}}\n",
        NULL);
    near_to("inner", l.x[0][0] - 1, 1.906666667, 5e-6); /* fourth order: 2.6e-6 with 12 elements */
    near_to("outer", l.x[1][1] - 2, 1.213333333, 2e-6);
}

/* the same axisymmetric, and fixed along the axis: one row of elements */
static void thick_cylinder__is_the_same_about_its_axis(void **state) {
    (void)state;
    solid_end l =
        solid_settle("dimension: 2\nmaterials: {m: {type: elastic, E: 1, nu: 0.3}}\n"
                     "bodies: [{name: b, mesh: {rectangle: {from: [1, 0], to: [2, 0.1], n: [40, 1]}, element: quad8}, material: m,\n"
                     "          plane: axisymmetric}]\n"
                     "supports: [{set: top, y: 0}, {set: bottom, y: 0}]\nloads: [{set: left, normal: -1}]\n"
                     "probes: {a: {at: [1, 0]}, b: {at: [2, 0]}}\n",
                     NULL);
    near_to("inner", l.x[0][0] - 1, 1.906666667, 1e-6);
    near_to("outer", l.x[1][0] - 2, 1.213333333, 1e-6);
}

/* Cook's membrane, linear: 23.967 in plane stress, 21.522 in plane strain (finest recomputation); from below */
static void cook__bends_as_published(void **state) {
    (void)state;
    static const struct {
        const char *plane;
        double want;
    } cases[] = {{"stress", 23.967}, {"strain", 21.522}};
    for (int k = 0; k < 2; k++) {
        char text[800];
        snprintf(
            text, sizeof text,
            "dimension: 2\nmaterials: {m: {type: elastic, E: 1, nu: 0.33333333333333331}}\n"
            "bodies: [{name: b, mesh: {quadrilateral: {a: [0, 0], b: [48, 44], c: [48, 60], d: [0, 44], n: [16, 16]}, element: quad9},\n"
            "          material: m, plane: %s}]\n"
            "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, 0.0625]}]\nprobes: {p: {at: [48, 52]}}\n",
            cases[k].plane);
        solid_end l = solid_settle(text, NULL);
        near_to(cases[k].plane, l.x[0][1] - 52, cases[k].want, 2e-3 * cases[k].want);
        assert_true(l.x[0][1] - 52 < cases[k].want);
    }
}

/* ---- heat */

static void blocked_and_free_bodies__answer_heat(void **state) {
    (void)state;
    /* free in space: no stress, all lengths grow by alpha dT */
    solid_end l =
        solid_settle("dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3, reference_temperature: 20}}\n"
                     "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 2, 2]}, element: hexa8, distort: [0.2, 5]}, material: m}]\n"
                     "supports: [{set: left, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]\n"
                     "loads: [{temperature: 70}]\nprobes: {p: {at: [2, 1, 1]}}\n",
                     NULL);
    near_to("x", l.x[0][0], 2 * 1.05, 1e-12);
    near_to("z", l.x[0][2], 1.05, 1e-12);
    /* fixed along x: (1 + nu) alpha dT in the other directions */
    l = solid_settle("dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3}}\n"
                     "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 2, 2]}, element: hexa20}, material: m}]\n"
                     "supports: [{set: left, x: 0}, {set: right, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]\n"
                     "loads: [{temperature: 50}]\nprobes: {p: {at: [2, 1, 1]}}\n",
                     NULL);
    near_to("y", l.x[0][1], 1 + 1.3 * 0.05, 1e-12);
    /* linear in x, quadratic elements, free: u_x = alpha (x^2 - y^2 - z^2)/2 with the supports in the planes of symmetry */
    l = solid_settle("dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3}}\n"
                     "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: hexa27}, material: m}]\n"
                     "supports: [{node: 1, all: 0}, {set: bottom, y: 0}, {set: back, z: 0}]\n"
                     "loads: [{temperature: =10*x}]\nprobes: {p: {at: [2, 1, 1]}}\n",
                     NULL);
    near_to("bent", l.x[0][0] - 2, 1e-2 * (4 - 1 - 1) / 2, 1e-12);
    near_to("bent, y", l.x[0][1] - 1, 1e-2 * 2, 1e-12);
}

/* ---- plasticity */

/* a bar in tension: strain = s/E + (s - sy)/H beyond yield, and back down elastically */
static void bar__yields_hardens_and_unloads(void **state) {
    (void)state;
    static const char *const elements[] = {"hexa8", "tetra10", "wedge15"};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 3\nmaterials: {m: {type: plastic, E: 2e5, nu: 0.3, yield: 250, hardening: 1e4}}\n"
                 "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [2, 1, 1]}, element: %s}, material: m}]\n"
                 "supports: [{set: left, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]\n"
                 "loads: [{set: right, traction: [\"=t <= 1 ? 400*t : 400*(2-t)\", 0, 0]}]\nprobes: {p: {at: [2, 1, 1]}}\n",
                 elements[k]);
        double plastic = (400 - 250) / 1e4, strain = 400 / 2e5 + plastic;
        solid_end up = solid_settle(text, &(bl_equilibrium_options){.until = 1, .increments = 8, .any = true});
        near_to(elements[k], up.x[0][0] - 2, 2 * strain, 1e-10);
        near_to(elements[k], up.x[0][1] - 1, -0.3 * 400 / 2e5 - 0.5 * plastic, 1e-10);
        solid_end down = solid_settle(text, &(bl_equilibrium_options){.until = 2, .increments = 8, .any = true});
        near_to(elements[k], down.x[0][0] - 2, 2 * plastic, 1e-10);
    }
}

/* thick cylinder, perfectly plastic, plane strain (a = 0.1, b = 0.2): elastic at p = 0.1 GPa; then radial elements of another program */
static void thick_cylinder__yields_as_recomputed(void **state) {
    (void)state;
    static const struct {
        double pressure, want, error;
    } cases[] = {{0.10e9, 5.777778e-5, 2e-5}, {0.14e9, 8.7288e-5, 2e-3}, {0.16e9, 1.11645e-4, 2e-3}, {0.18e9, 1.54027e-4, 2e-3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        snprintf(
            text, sizeof text,
            "dimension: 2\nmaterials: {m: {type: plastic, E: 210e9, nu: 0.3, yield: 0.24e9}}\n"
            "bodies: [{name: b, mesh: {rectangle: {from: [0.1, 0], to: [0.2, 0.005], n: [20, 1]}, element: quad8}, points: 2,\n"
            "          material: m,"
            "          plane: axisymmetric}]\n"
            "supports: [{set: top, y: 0}, {set: bottom, y: 0}]\nloads: [{set: left, normal: \"=-%g*t\"}]\nprobes: {b: {at: [0.2, 0]}}\n",
            cases[k].pressure);
        solid_end l = solid_settle(text, &(bl_equilibrium_options){.until = 1, .increments = 16, .any = true});
        near_to("u(b)", l.x[0][0] - 0.2, cases[k].want, cases[k].error * cases[k].want);
    }
}

/* Tangents other than the consistent one take hundreds of iterations, but lead to the same result, except for the effect of increments of
 * other lengths: small, since the load grows nearly in proportion. */
static void plastic_tangents__lead_to_one_place(void **state) {
    (void)state;
    static const char *const tangent[] = {"consistent", "continuum", "elastic"};
    solid_end end[3];
    for (int k = 0; k < 3; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: plastic, E: 1000, nu: 0.3, yield: 5, hardening: 100, tangent: %s}}\n"
                 "bodies: [{name: b, mesh: {rectangle: {to: [1.5, 1], n: [2, 1]}, element: triangle6}, material: m, plane: strain}]\n"
                 "supports: [{set: left, all: 0}]\nloads: [{set: all, body_force: [=4*(1 + t), =3*(1 + 0.2*t)]}]\n"
                 "probes: {p: {at: [1.5, 1]}}\n",
                 tangent[k]);
        end[k] = solid_settle(text, &(bl_equilibrium_options){.until = 0.2, .increments = 2, .iterations = 2000, .any = true});
    }
    for (int k = 1; k < 3; k++)
        for (int c = 0; c < 2; c++)
            if (!(fabs(end[k].x[0][c] - end[0].x[0][c]) <= 1e-2 * hypot(end[0].x[0][0] - 1.5, end[0].x[0][1] - 1)))
                fail_msg("tangent %s: %.9g in place of %.9g", tangent[k], end[k].x[0][c], end[0].x[0][c]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plastic_tangents__lead_to_one_place),
        cmocka_unit_test(hyperelastic_cantilever__bends_as_recomputed),
        cmocka_unit_test(cook__bends_as_recomputed),
        cmocka_unit_test(thick_cylinder__has_the_displacements_of_lame),
        cmocka_unit_test(thick_cylinder__is_the_same_about_its_axis),
        cmocka_unit_test(cook__bends_as_published),
        cmocka_unit_test(blocked_and_free_bodies__answer_heat),
        cmocka_unit_test(bar__yields_hardens_and_unloads),
        cmocka_unit_test(thick_cylinder__yields_as_recomputed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
