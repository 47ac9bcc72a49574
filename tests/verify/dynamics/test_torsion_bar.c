/* Torsion bars in closed form: frequencies from modulus and dimensions, k = G pi (D^4 - d^4) / (32 L); two discs against each other; a
 * damped one; a bar between two arms that does nothing while both move together. */
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

typedef struct bar {
    double k, c, J1, J2, start, rest; /* J2 = 0: the other end is fixed */
} bar;

/* twist x from `start`: J x'' = -k (x - rest) - c x', J the reduced inertia */
static void check(const test_ending *e, void *user) {
    const bar *b = user;
    double J = b->J2 > 0 ? b->J1 * b->J2 / (b->J1 + b->J2) : b->J1, decay = b->c / (2 * J), w = sqrt(b->k / J - decay * decay), t = e->t;
    double x = b->rest + (b->start - b->rest) * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
    double twist = b->J2 > 0 ? e->variable[0] - e->variable[1] : e->variable[0];
    test_close(e, "the twist", twist, x, 1e-7 * fabs(b->start));
    if (b->J2 > 0) /* the common rotation is uniform */
        test_close(e, "the angular momentum", b->J1 * e->rate[0] + b->J2 * e->rate[1], 0, 1e-7 * b->J1 * w * fabs(b->start));
    test_no_warning(e);
    test_close(e, "the energy error", e->energy_error, 0, 1e-7 * b->k * b->start * b->start);
    if (b->J2 == 0 && b->c == 0) {
        assert_int_equal(e->nspring, 1);
        test_close(e, "the angle of the spring", e->spring_length[0], x, 1e-7 * fabs(b->start));
        test_close(e, "its moment", e->spring_tension[0], b->k * (x - b->rest), 1e-6 * b->k * fabs(b->start));
    }
}

static void run(const char *law, bar b, bool two, int dim) {
    char text[1024];
    if (dim == 3)
        snprintf(text, sizeof text,
                 "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [%.17g,1,1]},\n"
                 " {name: b, mass: 1, center: [1,0,0], inertia: [%.17g,1,1]}]\n"
                 "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [1,0,0]},\n"
                 " {name: B, type: revolute, bodies: [ground, b], at: [1,0,0], axis: [1,0,0]}]\n"
                 "forces: [{type: torsion_bar, first: A.angle, %s%s}]\ninitial: {A.angle: %.17g}\n",
                 b.J1, b.J2 > 0 ? b.J2 : 1, two ? "second: B.angle, " : "", law, b.start);
    else
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies: [{name: a, mass: 1, center: [0,0], inertia: %.17g},\n"
                 " {name: b, mass: 1, center: [1,0], inertia: %.17g}]\n"
                 "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0]}, {name: B, type: revolute, bodies: [ground, b], at: "
                 "[1,0]}]\n"
                 "forces: [{type: torsion_bar, first: A.angle, %s%s}]\ninitial: {A.angle: %.17g}\n",
                 b.J1, b.J2 > 0 ? b.J2 : 1, two ? "second: B.angle, " : "", law, b.start);
    test_every_way(text, &(bl_run_options){.until = 3, .tolerance = 1e-10}, NULL, check, &b);
}

static void bars__oscillate_as_their_dimensions_say(void **unused) {
    (void)unused;
    double solid = 8e10 * pi * pow(0.004, 4) / 32 / 0.8, tube = 8e10 * pi * (pow(0.005, 4) - pow(0.004, 4)) / 32 / 0.8;
    for (int dim = 2; dim <= 3; dim++) {
        run("shear_modulus: 8e10, length: 0.8, diameter: 0.004", (bar){.k = solid, .J1 = 0.5, .start = 7.5}, false,
            dim); /* over a revolution */
        run("shear_modulus: 8e10, length: 0.8, diameter: 0.005, inner_diameter: 0.004", (bar){.k = tube, .J1 = 0.5, .start = 0.3}, false,
            dim);
        run("shear_modulus: 8e10, length: 0.8, torsion_constant: 2e-11", (bar){.k = 2, .J1 = 0.5, .start = 0.3}, false, dim);
        run("stiffness: 3, angle: 0.4", (bar){.k = 3, .J1 = 0.5, .start = 0.9, .rest = 0.4}, false, dim);
        run("stiffness: 3", (bar){.k = 3, .J1 = 0.5, .J2 = 0.2, .start = 0.9}, true, dim);
        run("stiffness: 3, damping: 0.1", (bar){.k = 3, .c = 0.1, .J1 = 0.5, .J2 = 0.2, .start = 0.9}, true, dim);
    }
}

/* two equal arms under equal moments: the bar between them is not twisted */
static void check_together(const test_ending *e, void *user) {
    (void)user;
    for (int k = 0; k < 2; k++)
        test_close(e, "the angle", e->variable[k], 0.5 * 2 / 0.5 * e->t * e->t, 1e-9);
    test_close(e, "the potential", e->potential, 0, 1e-12);
}

static void bars_between_two_arms__resist_only_their_difference(void **unused) {
    (void)unused;
    test_every_way(
        "dimension: 2\nbodies: [{name: a, mass: 1, center: [0,0], inertia: 0.5}, {name: b, mass: 1, center: [1,0], inertia: 0.5}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0]}, {name: B, type: revolute, bodies: [ground, b], at: "
        "[1,0]}]\n"
        "forces: [{type: torsion_bar, first: A.angle, second: B.angle, stiffness: 100, damping: 3},\n"
        " {type: torque, body: a, torque: 2}, {type: torque, body: b, torque: 2}]\n",
        &(bl_run_options){.until = 1, .tolerance = 1e-10}, NULL, check_together, NULL);
}

/* ---- bad input */

#define ARMS                                                                                                                     \
    "dimension: 2\nbodies: [{name: a, mass: 1, center: [0,0], inertia: 0.5}, {name: b, mass: 1, center: [1,0], inertia: 0.5}]\n" \
    "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0]}, {name: B, type: prismatic, bodies: [ground, b], at: "   \
    "[1,0], axis: [1,0]}]\nforces: ["

static void wrong_bars__are_refused_at_their_place(void **unused) {
    (void)unused;
    test_refused(ARMS "{type: torsion_bar, first: ~B.distance, stiffness: 1}]\n", "first must be an angle", NULL);
    test_refused(ARMS "{type: torsion_bar, first: A.angle, second: ~A.angle, stiffness: 1}]\n", "same variable", "leave out");
    test_refused(ARMS "~{type: torsion_bar, stiffness: 1}]\n", "needs 'first'", NULL);
    test_refused(ARMS "~{type: torsion_bar, first: A.angle}]\n", "stiffness is missing", "diameter");
    test_refused(ARMS "~{type: torsion_bar, first: A.angle, diameter: 1, length: 1}]\n", "shear_modulus is missing", NULL);
    test_refused(ARMS "~{type: torsion_bar, first: A.angle, shear_modulus: 1, diameter: 1}]\n", "length is missing", NULL);
    test_refused(ARMS "~{type: torsion_bar, first: A.angle, shear_modulus: 1, length: 1}]\n", "diameter is missing", "torsion_constant");
    test_refused(ARMS "{type: torsion_bar, first: A.angle, stiffness: ~3, length: 1}]\n", "as well as the bar", "either");
    test_refused(ARMS "{type: torsion_bar, first: A.angle, stiffness: ~-3}]\n", "must be positive", NULL);
    test_refused(ARMS "{type: torsion_bar, first: A.angle, shear_modulus: 1, length: ~0, diameter: 1}]\n", "length must be positive", NULL);
    test_refused(ARMS "{type: torsion_bar, first: A.angle, shear_modulus: 1, length: 1, diameter: 1, inner_diameter: ~1}]\n", "not smaller",
                 "solid bar");
    test_refused(ARMS "{type: torsion_bar, first: A.angle, shear_modulus: 1, length: 1, diameter: 1, torsion_constant: ~1}]\n",
                 "as well as", "one of them");
    test_refused(ARMS "{type: torsion_bar, first: A.angle, stiffness: 1, damping: ~-1}]\n", "must not be negative", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars__oscillate_as_their_dimensions_say),
        cmocka_unit_test(bars_between_two_arms__resist_only_their_difference),
        cmocka_unit_test(wrong_bars__are_refused_at_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
