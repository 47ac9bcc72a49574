/* Heated bodies, and bodies under pressure that follows their faces, compared with closed forms. */
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void near_to(const char *what, double value, double want, double error) {
    if (!(fabs(value - want) <= error))
        fail_msg("%s: %.12g, not %.12g (%+.3g)", what, value, want, value - want);
}

/* ---- temperature */

typedef struct stresses { /* of all elements, at their centers */
    bl_index field, elements, components;
    double least[6], most[6];
} stresses;

static bl_status find_field(void *user, const bl_run_info *info) {
    stresses *s = user;
    s->field = -1;
    for (bl_index k = 0; k < info->nfield; k++)
        if (strcmp(info->field[k].name, "element_stress") == 0) {
            s->field = k;
            s->elements = info->field[k].items;
            s->components = info->field[k].components;
        }
    return s->field >= 0 ? BL_OK : BL_E_ARG;
}

static bl_status take_field(void *user, const bl_sample *sample) {
    stresses *s = user;
    for (bl_index c = 0; c < s->components; c++) {
        s->least[c] = INFINITY;
        s->most[c] = -INFINITY;
        for (bl_index e = 0; e < s->elements; e++) {
            double value = sample->field[s->field][e * s->components + c];
            s->least[c] = fmin(s->least[c], value);
            s->most[c] = fmax(s->most[c], value);
        }
    }
    return BL_OK;
}

static stresses stresses_of(const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    stresses s = {0};
    bl_sink sink = {.user = &s, .begin = find_field, .sample = take_field};
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_equilibrium(ctx, model, NULL, &sink, 1, NULL, NULL);
    if (status != BL_OK)
        fail_msg("%s (line %d)\n%s", bl_context_error(ctx)->what, bl_context_error(ctx)->line, text);
    bl_model_destroy(model);
    test_context_end(ctx);
    return s;
}

enum { PLANE = 1, QUADRATIC = 2 };
static const struct {
    const char *element;
    unsigned is;
} elements[] = {{"triangle3", PLANE},
                {"quad4", PLANE},
                {"triangle6", PLANE | QUADRATIC},
                {"quad8", PLANE | QUADRATIC},
                {"quad9", PLANE | QUADRATIC},
                {"tetra4", 0},
                {"hexa8", 0},
                {"wedge6", 0},
                {"tetra10", QUADRATIC},
                {"hexa20", QUADRATIC},
                {"hexa27", QUADRATIC},
                {"wedge15", QUADRATIC}};

static const double E = 1000, nu = 0.3, alpha = 1e-3;

static void warm_text(char *text, size_t room, int k, const char *distort, const char *supports, const char *temperature) {
    bool plane = elements[k].is & PLANE;
    snprintf(text, room,
             "dimension: %d\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3, reference_temperature: 20}}\n"
             "bodies: [{name: b, mesh: {%s, element: %s%s}, material: m%s}]\nsupports: %s\nloads: [{temperature: %s}]\n",
             plane ? 2 : 3, plane ? "rectangle: {to: [2, 1], n: [3, 2]}" : "box: {to: [2, 1, 1], n: [3, 2, 2]}", elements[k].element,
             distort, plane ? ", plane: stress" : "", supports, temperature);
}

/* statically determinate supports: no stress, if the elements contain the field of displacements. Rounding: of E alpha dT. */
static void free_bodies__feel_no_heat(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        for (int linear = 0; linear < (elements[k].is & QUADRATIC ? 2 : 1); linear++) {
            char text[1000];
            const char *supports = elements[k].is & PLANE ? "[{at: [0, 0], all: 0}, {at: [2, 0], y: 0}]"
                                                          : "[{at: [0, 0, 0], all: 0}, {at: [2, 0, 0], y: 0, z: 0}, {at: [0, 1, 0], z: 0}]";
            warm_text(text, sizeof text, (int)k, linear ? "" : ", distort: [0.2, 5]", supports, linear ? "=20 + 50*x" : "70");
            stresses s = stresses_of(text);
            for (bl_index c = 0; c < s.components; c++)
                if (!(fmax(fabs(s.least[c]), fabs(s.most[c])) < 1e-12 * E * alpha * (linear ? 100 : 50) * 20))
                    fail_msg("%s, %s: stress %d from %.3g to %.3g", elements[k].element, linear ? "linear" : "uniform", (int)c, s.least[c],
                             s.most[c]);
        }
}

/* one direction blocked: -E alpha dT; three of them: -E alpha dT/(1 - 2 nu), in plane stress two: -E alpha dT/(1 - nu) */
static void blocked_bodies__have_the_stresses_of_heat(void **state) {
    (void)state;
    const double full = -E * alpha * 50;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        for (int all = 0; all < 2; all++) {
            char text[1000];
            bool plane = elements[k].is & PLANE;
            const char *supports[2][2] = {
                {"[{set: left, x: 0}, {set: right, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]",
                 "[{set: left, x: 0}, {set: right, x: 0}, {set: bottom, y: 0}, {set: top, y: 0}, {set: back, z: 0}, {set: front, z: 0}]"},
                {"[{set: left, x: 0}, {set: right, x: 0}, {set: bottom, y: 0}]",
                 "[{set: left, x: 0}, {set: right, x: 0}, {set: bottom, y: 0}, {set: top, y: 0}]"}};
            warm_text(text, sizeof text, (int)k, ", distort: [0.2, 5]", supports[plane][all], "70");
            stresses s = stresses_of(text);
            double want = !all ? full : plane ? full / (1 - nu) : full / (1 - 2 * nu);
            near_to(elements[k].element, s.least[0], want, 1e-11 * fabs(want));
            near_to(elements[k].element, s.most[0], want, 1e-11 * fabs(want));
            near_to(elements[k].element, s.most[1], all ? want : 0, 1e-11 * fabs(want));
        }
}

/* ---- pressure on deformed faces; incompressible neo-Hookean walls, a = 1, b = 2 (nearly incompressible: volume changes are p/kappa) */

static const double mu = 100, kappa = 1e7;

static void rubber(char *text, size_t room, int dim, const char *mesh, const char *plane, const char *supports, double pressure,
                   const char *probes) {
    snprintf(text, room,
             "dimension: %d\nmaterials: {m: {type: nearly_incompressible, E: %.17g, nu: %.17g}}\n"
             "bodies: [{name: b, mesh: {%s}, material: m%s, strain: left, bbar: true}]\n"
             "supports: %s\nloads: [{set: inner, pressure: \"=%.17g*t\"}]\nprobes: {%s}\n",
             dim, 9 * kappa * mu / (3 * kappa + mu), (3 * kappa - 2 * mu) / (2 * (3 * kappa + mu)), mesh, plane, supports, pressure,
             probes);
}

/* p = mu (ln(la/lb) + (1/lb^2 - 1/la^2)/2), lb^2 b^2 = b^2 + (la^2 - 1) a^2 (for example Ogden 1984) */
static void cylinder__swells_as_it_must_and_stays_round(void **state) {
    (void)state;
    char text[1500];
    const double la = 1.5, lb = sqrt(4 + la * la - 1) / 2, p = mu * (log(la / lb) + (1 / (lb * lb) - 1 / (la * la)) / 2);
    rubber(text, sizeof text, 2, "quarter_ring: {inner: 1, outer: 2, n: [6, 6]}, element: quad9", ", plane: strain",
           "[{set: left, x: 0}, {set: bottom, y: 0}]", p,
           "a: {at: [1, 0]}, b: {at: [2, 0]}, c: {node: 27}, d: {node: 79}, e: {node: 157}, f: {at: [0, 2]}");
    solid_end l = solid_settle(text, &(bl_equilibrium_options){.until = 1, .increments = 4, .any = true});
    /* fourth order in six elements through the wall and of 15 degrees; volumes change by p/kappa = 1e-5 at most */
    near_to("inner radius", l.x[0][0], la, 2e-4);
    near_to("outer radius", l.x[1][0], 2 * lb, 2e-4);
    /* nodes 27, 79, 157 of rows of 13: inner ones at 15, 45 and 90 degrees */
    for (int k = 2; k < 5; k++)
        near_to("round", hypot(l.x[k][0], l.x[k][1]), l.x[0][0], 1e-12);
    near_to("round", l.x[5][1], l.x[1][0], 1e-12);
}

/* p = mu/2 (4/lb + 1/lb^4 - 4/la - 1/la^4), lb^3 b^3 = b^3 + (la^3 - 1) a^3 (Green and Zerna 1954). An eighth of a cubed sphere keeps the
 * symmetries of the cube, to rounding. */
static void sphere__swells_as_it_must_and_keeps_its_symmetry(void **state) {
    (void)state;
    static const struct {
        const char *name, *mesh;
        int dim;
        double error;
    } cases[] = {{"space", "sphere_octant: {inner: 1, outer: 2, n: [2, 2]}, element: hexa27", 3, 1e-3},
                 {"about an axis", "quarter_ring: {inner: 1, outer: 2, n: [6, 6]}, element: quad9", 2, 2e-4}};
    const double la = 1.3, lb = cbrt(8 + la * la * la - 1) / 2;
    const double p = mu / 2 * (4 / lb + 1 / pow(lb, 4) - 4 / la - 1 / pow(la, 4));
    for (int c = 0; c < 2; c++) {
        char text[1500];
        bool space = cases[c].dim == 3;
        rubber(text, sizeof text, cases[c].dim, cases[c].mesh, space ? "" : ", plane: axisymmetric",
               space ? "[{set: left, x: 0}, {set: bottom, y: 0}, {set: back, z: 0}]" : "[{set: left, x: 0}, {set: bottom, y: 0}]", p,
               space ? "a: {at: [1, 0, 0]}, b: {at: [2, 0, 0]}, c: {at: [0, 2, 0]}, d: {at: [0, 0, 2]}, e: {at: [0.7071067811865, "
                       "0.7071067811865, 0]}, f: {at: [0, 0.7071067811865, 0.7071067811865]}"
                     : "a: {at: [1, 0]}, b: {at: [2, 0]}");
        solid_end l = solid_settle(text, &(bl_equilibrium_options){.until = 1, .increments = 4, .any = true});
        near_to(cases[c].name, l.x[0][0], la, cases[c].error);
        near_to(cases[c].name, l.x[1][0], 2 * lb, cases[c].error);
        if (!space)
            continue;
        near_to("x and y", l.x[2][1], l.x[1][0], 1e-11);
        near_to("x and z", l.x[3][2], l.x[1][0], 1e-11);
        near_to("between x and y", l.x[4][0], l.x[4][1], 1e-11);
        near_to("between y and z", l.x[5][1], l.x[4][0], 1e-11);
        near_to("between y and z", l.x[5][2], l.x[4][0], 1e-11);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_bodies__feel_no_heat),
        cmocka_unit_test(blocked_bodies__have_the_stresses_of_heat),
        cmocka_unit_test(cylinder__swells_as_it_must_and_stays_round),
        cmocka_unit_test(sphere__swells_as_it_must_and_keeps_its_symmetry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
