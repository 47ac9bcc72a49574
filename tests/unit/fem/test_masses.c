/* Masses that nodes carry, on arms or not: frequencies of one element, energies of rigid motions, free fall, refusals. */
#include "support/failing.h"
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void near_to(const char *what, double value, double want, double error) {
    if (!(fabs(value - want) <= error))
        fail_msg("%s: %.15g, not %.15g", what, value, want);
}

/* a bar of one element with a mass at its end: omega^2 = (E A/L)/(rho A L/3 + m), lumped 1/2 instead of 1/3 */
static void bar__swings_with_its_mass(void **state) {
    (void)state;
    for (int lumped = 0; lumped < 2; lumped++) {
        char text[500];
        double omega[SOLID_MODES];
        snprintf(text, sizeof text,
                 "dimension: 1\nmaterials: {m: {type: elastic, E: 12, nu: 0, density: 3}}\n"
                 "bodies: [{name: b, mesh: {segment: {to: 2, n: 1}, element: segment2}, material: m, mass: %s}]\n"
                 "supports: [{set: left, all: 0}]\nmasses: [{set: right, mass: 5}]\n",
                 lumped ? "lumped" : "consistent");
        assert_int_equal(solid_frequencies(text, -1, omega, NULL), 1);
        near_to("omega", omega[0], sqrt(12.0 / 2 / (lumped ? 3 + 5 : 2 + 5)), 1e-14);
    }
}

static const struct {
    const char *name, *head, *element, *spin, *fall;
    int dim;
} shapes[] = {
    {"plane", "rectangle: {from: [1, 2], to: [3, 3], n: [2, 2]}", "quad4", "[=-2*y, =2*x]", "[0, -9]", 2},
    {"space", "box: {from: [1, 2, 0], to: [3, 3, 2], n: [2, 2, 2]}", "hexa8", "[=-2*y, =2*x, 0]", "[0, -9, 0]", 3},
};

/* 1 on the upper right edge, arm from the center of the right face: the mass 5 is at (3.5, 2, (1)), that of 7 on a node at (1, 3, (0)) */
static void body_text(char *text, size_t room, int k, int lumped, const char *more) {
    snprintf(text, room,
             "dimension: %d\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 3}}\n"
             "bodies: [{name: b, mesh: {%s, element: %s}, material: m%s, mass: %s}]\n"
             "masses: [{set: right, mass: 5, offset: %s}, {at: %s, mass: 7}]\nprobes: {p: {at: %s}, q: {at: %s}}\n%s",
             shapes[k].dim, shapes[k].head, shapes[k].element, shapes[k].dim == 2 ? ", plane: stress" : "",
             lumped ? "lumped" : "consistent", shapes[k].dim == 2 ? "[0.5, -0.5]" : "[0.5, -0.5, 0]",
             shapes[k].dim == 2 ? "[1, 3]" : "[1, 3, 0]", shapes[k].dim == 2 ? "[3, 2]" : "[3, 2, 2]",
             shapes[k].dim == 2 ? "[1, 2.5]" : "[1, 2.5, 1]", more);
}

/* turning about z with 2 rad/s: T = 2^2/2 (I + sum m r^2); bilinear elements represent it, so consistent masses are exact */
static void rigid_motions__have_the_energy_of_the_masses(void **state) {
    (void)state;
    const double volume[] = {2, 4};
    for (int k = 0; k < 2; k++) {
        char text[1000], more[200];
        snprintf(more, sizeof more, "initial: {b: {velocity: %s}}\n", shapes[k].spin);
        body_text(text, sizeof text, k, 0, more);
        solid_run run = {.options = {.until = 1e-3, .every = 1e-3, .integrator = "trapezoidal", .step = 1e-3}};
        solid_run_text(&run, text);
        double m = 3 * volume[k], I = m * (4.0 + 1.0) / 12 + m * (4 + 2.5 * 2.5); /* 2 x 1 about its center, which is at (2, 2.5) */
        near_to(shapes[k].name, run.kinetic[0], 2 * (I + 5 * (3.5 * 3.5 + 2 * 2) + 7 * (1 + 9)), 1e-12 * run.kinetic[0]);
        solid_run_end(&run);
    }
}

/* free: everything falls alike and nothing is deformed; with supports that fall as fast, too */
static void masses__fall_with_their_body(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int lumped = 0; lumped < 2; lumped++)
            for (int held = 0; held < 2; held++) {
                char text[1000], more[200];
                snprintf(more, sizeof more, "gravity: %s\n%s", shapes[k].fall, held ? "supports: [{set: left, x: 0, y: =-4.5*t^2}]\n" : "");
                body_text(text, sizeof text, k, lumped, more);
                solid_run run = {.options = {.until = 1, .every = 1, .integrator = "trapezoidal", .step = 0.1}};
                solid_run_text(&run, text);
                near_to("falls", solid_run_probe(&run, 1, 0, 1), 2 - 4.5, 1e-10);
                near_to("stays", solid_run_probe(&run, 1, 0, 0), 3, 1e-10);
                near_to("falls", solid_run_probe(&run, 1, 1, 1), 2.5 - 4.5, 1e-10);
                near_to("stored", run.potential[1], 0, 1e-10);
                solid_run_end(&run);
            }
}

/* the weight of a mass on an arm bends a cantilever as force and moment at its end do: w = P (L^3/3 + a L^2/2)/(E I), and shear */
static void weight_on_an_arm__bends_by_force_and_moment(void **state) {
    (void)state;
    solid_end l =
        solid_settle("dimension: 2\ngravity: [0, -10]\nmaterials: {m: {type: elastic, E: 1e6, nu: 0}}\n"
                     "bodies: [{name: b, mesh: {rectangle: {to: [20, 1], n: [20, 1]}, element: quad9}, material: m, plane: stress}]\n"
                     "supports: [{set: left, all: 0}]\nmasses: [{set: right, mass: 0.1, offset: [5, 0]}]\nprobes: {p: {at: [20, 0.5]}}\n",
                     NULL);
    double EI = 1e6 / 12, P = 1, L = 20, a = 5, shear = P * L / (1e6 / 2 * 5 / 6);
    near_to("deflection", l.x[0][1] - 0.5, -P * (L * L * L / 3 + a * L * L / 2) / EI - shear, shear / 4); /* its share is known to 5/6 */
}

typedef struct reactions {
    bl_index field, n;
    double largest, total;
} reactions;

static bl_status find_field(void *user, const bl_run_info *info) {
    reactions *r = user;
    for (bl_index k = 0; k < info->nfield; k++)
        if (strcmp(info->field[k].name, "reaction") == 0) {
            r->field = k;
            r->n = info->field[k].items;
            return BL_OK;
        }
    return BL_E_ARG;
}

static bl_status take_field(void *user, const bl_sample *s) {
    reactions *r = user;
    r->largest = r->total = 0;
    for (bl_index k = 0; k < 3 * r->n; k++) {
        r->largest = fmax(r->largest, fabs(s->field[r->field][k]));
        r->total += k % 3 == 1 ? s->field[r->field][k] : 0;
    }
    return BL_OK;
}

/* supports that fall with the body exert nothing; those that stand carry it, the masses on their own nodes too */
static void supports__feel_the_masses(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int falls = 0; falls < 2; falls++) {
            char text[1000], more[200];
            reactions r = {0};
            bl_sink sink = {.user = &r, .begin = find_field, .sample = take_field};
            snprintf(more, sizeof more, "gravity: %s\nsupports: [{set: left, all: 0, y: %s}]\n", shapes[k].fall, falls ? "=-4.5*t^2" : "0");
            body_text(text, sizeof text, k, 0, more);
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
            bl_run_options options = {.until = 1, .every = 1, .integrator = "trapezoidal", .step = 0.1};
            if (status == BL_OK)
                status = falls ? bl_simulate(ctx, model, &options, &sink, 1, NULL) : bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, NULL);
            if (status != BL_OK)
                fail_msg("%s", bl_context_error(ctx)->what);
            double weight = 9 * (3 * (k ? 4 : 2) + 5 + 7);
            if (falls)
                near_to("reactions", r.largest, 0, 1e-8 * weight); /* accelerations are found by iteration, to 1e-12 of the largest force */
            else
                near_to("carried", r.total, weight, 1e-9 * weight);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* ---- refusals, memory */

#define BODY                                                                                                                        \
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1, nu: 0.3, density: 1}, n: {type: neo_hookean, E: 1, nu: 0.3, density: 1},\n" \
    "            c: {type: conducting, conductivity: 1, density: 1}}\n"
#define MESH "mesh: {rectangle: {to: [2, 1], n: [2, 2]}, element: quad4}"
#define PLAIN BODY "bodies: [{name: b, " MESH ", material: m, plane: stress}]\n"

static void bad_masses__are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {PLAIN "masses: [{set: left}]", "a mass needs 'mass'"},
        {PLAIN "masses: [{mass: 1}]", "a mass needs 'set', 'node' or 'at'"},
        {PLAIN "masses: [{set: left, mass: -1}]", "mass"},
        {PLAIN "masses: [{set: up, mass: 1}]", "no set of nodes 'up'"},
        {PLAIN "masses: [{set: left, mass: 1, arm: [1, 0]}]", "arm"},
        {BODY "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [1, 2000]}, element: quad4}, material: m, plane: stress}]\n"
              "masses: [{set: left, mass: 1}]",
         "has 2001 nodes, but at most 2000 can carry a mass"},
        {PLAIN "masses: [{at: [0, 0], mass: 1, offset: [1, 0]}]", "are on one line or coincide"},
        {BODY "bodies: [{name: b, " MESH ", material: n, plane: strain, strain: left}]\nmasses: [{set: left, mass: 1, offset: [1, 0]}]",
         "only valid for small rotations"},
        {BODY "bodies: [{name: b, " MESH ", material: m, plane: axisymmetric}]\nmasses: [{set: left, mass: 1, offset: [1, 0]}]",
         "cannot be used in dimension 1 or for axisymmetric bodies"},
        {BODY "fields: [{name: u, " MESH ", material: c}]\nmasses: [{set: left, mass: 1}]", "only bodies can carry masses"},
        {"masses: [{set: left, mass: 1}]\nbodies: [{name: b, mass: 1}]", "'masses' can only be used in models with meshes"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        solid_run run = {.options = {.until = 1, .integrator = "newmark", .step = 0.1}};
        bl_status status = solid_run_try(&run, cases[k].text);
        if (status != BL_E_MODEL || !strstr(run.why, cases[k].says))
            fail_msg("status %d, '%s' does not say '%s':\n%s", (int)status, run.why, cases[k].says, cases[k].text);
        solid_run_end(&run);
    }
}

static bl_status whole_run(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 0.02}, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_memory__is_survived(void **state) {
    (void)state;
    static char text[] = PLAIN "supports: [{set: left, all: 0}]\nmasses: [{set: right, mass: 1, offset: [1, 0]}, {at: [1, 1], mass: 2}]\n"
                               "simulate: {integrator: hht:0.1, step: 0.01}\n";
    assert_true(test_failing_allocations(whole_run, text) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bar__swings_with_its_mass),    cmocka_unit_test(rigid_motions__have_the_energy_of_the_masses),
        cmocka_unit_test(masses__fall_with_their_body), cmocka_unit_test(weight_on_an_arm__bends_by_force_and_moment),
        cmocka_unit_test(supports__feel_the_masses),    cmocka_unit_test(bad_masses__are_refused_with_a_reason),
        cmocka_unit_test(failing_memory__is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
