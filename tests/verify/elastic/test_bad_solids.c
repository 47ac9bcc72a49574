/* Meshed bodies of mechanisms that cannot be, and what they cannot carry: refused at the place, with advice. */
#include "support/every_way.h"
#include "support/testing.h"

#define STEEL "materials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 1}, e: {type: elastic, E: 1, nu: 0.3, density: 1}}\n"
#define PLATE "mesh: {rectangle: {to: [4, 1], n: [4, 1]}, element: quad4, sets: {lone: \"x < 0.1 and y < 0.1\"}}, plane: stress"
#define BOX "mesh: {box: {to: [4, 1, 1], n: [4, 1, 1]}, element: hexa8, sets: {edge: \"x < 0.1 and y < 0.1\"}}"
#define PLANE(rest) "dimension: 2\n" STEEL "bodies: [{name: b, " PLATE ", " rest
#define SPACE(rest) STEEL "bodies: [{name: b, " BOX ", " rest

static void bodies_that_cannot_be__are_named(void **unused) {
    (void)unused;
    test_refused("dimension: 2\n" STEEL "bodies: [{name: b, " PLATE ", material: ~e, interfaces: []}]\n", "b has small strains",
                 "use the material st_venant_kirchhoff");
    test_refused("dimension: 2\n" STEEL "bodies: [{name: b, " PLATE ", material: ~m, strain: linear, interfaces: []}]\n",
                 "the law is a function of Green's strain", NULL);
    test_refused(
        "dimension: 2\nmaterials: {p: {type: multiplicative_plastic, E: 100, nu: 0.3, yield: 1, density: 1}}\nbodies: [{name: b, " PLATE
        ", material: ~p, strain: logarithmic, interfaces: []}]\n",
        "", NULL);
    test_refused("dimension: 2\nmaterials: {p: {type: st_venant_kirchhoff, E: 100, nu: 0.3}}\nbodies: [~{name: b, " PLATE
                 ", material: p, interfaces: []}]\n",
                 "b has no mass: the material 'p' has no density", "add `density`");
    test_refused(
        "dimension: 2\n" STEEL "bodies: [~{name: b, mesh: {nodes: [[0, 0], [1, 0], [1, 1], [3, 0], [4, 0], [4, 1]], elements: [[1, 2, 3],"
        " [4, 5, 6]], element: triangle3}, plane: stress, material: m, interfaces: []}]\n",
        "the mesh of b consists of 2 parts that are not connected: node 1 at (0, 0, 0) and node 4 at (3, 0, 0)", "merge coinciding nodes");
    test_refused(PLANE("material: m, interfaces: []}]\nsupports: ~[{set: left, all: 0}]\n"),
                 "'supports' can only be used in models of meshes alone", "connect an interface to ground by a joint");
    test_refused(PLANE("material: m, interfaces: []}]\nfields: ~[{name: t}]\n"), "'fields' can only be used", NULL);
    test_refused(PLANE("material: m, interfaces: []}]\nloads: [~{set: right, pressure: 1}]\n"),
                 "'pressure', which follows the deformed face", "loads that can");
    test_refused(PLANE("material: m, interfaces: []}]\nloads: [{set: right, traction: [=~t, 0]}]\n"), "cannot depend on time",
                 "use `forces`");
}

static void interfaces_that_cannot_be__are_named(void **unused) {
    (void)unused;
    test_refused(PLANE("material: m, interfaces: [{name: i, set: ~wrong}]}]\n"), "the mesh of b has no set of nodes 'wrong'", NULL);
    test_refused(PLANE("material: m, interfaces: [{name: i, set: ~lone}]}]\n"),
                 "interface 'i': its 1 node is one point, but a frame in the plane", "joints that need only a point");
    test_refused(SPACE("material: m, interfaces: [{name: i, set: ~edge}]}]\n"),
                 "interface 'i': its 2 nodes lie on a line, but a frame in space", "choose a larger set");
    test_refused(SPACE("material: m, interfaces: [{name: i, set: ~edge, kind: average}]}]\n"), "lie on a line", NULL);
    test_refused(PLANE("material: m, interfaces: [{name: i, set: left}, {name: j, set: ~top}]}]\n"), "belongs to the interface 'b.i', too",
                 NULL);
    test_refused(PLANE("material: m, interfaces: [{name: i, set: left}, {name: ~i, set: right}]}]\n"), "there is already a body 'b.i'",
                 NULL);
    test_refused(PLANE("material: m, interfaces: [{name: i, set: left, kind: ~soft}]}]\n"), "kind: unknown value 'soft'", NULL);
}

static void marks_that_a_mesh_cannot_carry__are_named(void **unused) {
    (void)unused;
    test_refused(PLANE("material: m}]\njoints: [~{type: revolute, bodies: [ground, b], at: [4.5, 0.5]}]\n"),
                 "the point (4.5, 0.5, 0) is outside the mesh of 'b'; its nearest element, 4, is 0.5 away", "make an interface");
    test_refused(PLANE("material: m}]\njoints: [~{type: prismatic, bodies: [ground, b], at: [4, 0.5], axis: [1, 0]}]\n"),
                 "needs a direction of the body 'b'", "make an interface");
    test_refused(SPACE("material: m}]\njoints: [~{type: revolute, bodies: [ground, b], at: [4, 0.5, 0.5], axis: [1, 0, 0]}]\n"),
                 "needs a direction of the body 'b'", "make an interface");
    test_refused(PLANE("material: m}]\njoints: [~{name: j, type: revolute, bodies: [ground, b], at: [4, 0.5]}]\n"
                       "drivers: [{variable: j.angle, value: =t}]\n"),
                 "needs a direction of the body 'b'", "make an interface");
    test_refused(PLANE("material: m, interfaces: []}]\nforces: [~{type: force, body: b, at: [4, 2], force: [1, 0]}]\n"),
                 "is outside the mesh of 'b'", NULL);
    test_refused(PLANE("material: m, interfaces: []}]\nforces: [~{type: torque, body: b, torque: 1}]\n"),
                 "needs a direction of the body 'b'", NULL);
    test_refused(PLANE("material: m, interfaces: []}]\nprobes: {~p: {body: b, at: [4, 2]}}\n"), "is outside the mesh of 'b'", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_cannot_be__are_named),
        cmocka_unit_test(interfaces_that_cannot_be__are_named),
        cmocka_unit_test(marks_that_a_mesh_cannot_carry__are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
