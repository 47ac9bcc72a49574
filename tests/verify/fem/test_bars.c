/* Bars and cables compared with closed forms: trusses, snap-through, a cable under its weight, vibrations of a string, motions without
 * energy, heat along wires. */
#include "biela/modes.h"
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void near_to(const char *what, double value, double want, double error) {
    if (!(fabs(value - want) <= error))
        fail_msg("%s: %.15g, not %.15g (%.3g allowed)", what, value, want, error);
}

/* ---- trusses of small strains */

/* three bars from a node to a ceiling, the outer ones inclined by 60 degrees: u = P L/(E A (1 + 2 cos^3)) under a vertical load, for any
 * Poisson's ratio; horizontally u = P L/(2 E A sin^2 cos) */
static void three_bars__share_the_load(void **state) {
    (void)state;
    const double a = pi / 3, L = 1.5, E = 2e5, A = 3, P = 700, wide = L * tan(a), c = cos(a), s = sin(a);
    char text[1200];
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {m: {type: elastic, E: %.17g, nu: 0.3}}\n"
             "bodies: [{name: b, mesh: {nodes: [[-%.17g, %.17g], [0, %.17g], [%.17g, %.17g], [0, 0]], element: segment2,\n"
             "          elements: [[1, 4], [4, 2], [4, 3]], sets: {ceiling: 'y > 1'}}, material: m, area: %g}]\n"
             "supports: [{set: ceiling, all: 0}]\nloads: [{node: 4, force: [%g, %g]}]\nprobes: {p: {node: 4}}\n",
             E, wide, L, L, wide, L, A, P, -2 * P);
    solid_end end = solid_settle(text, NULL);
    near_to("down", end.x[0][1], -2 * P * L / (E * A * (1 + 2 * c * c * c)), 1e-15);
    near_to("sideways", end.x[0][0], P * L / (2 * E * A * s * s * c), 1e-15);
}

/* The same without hardening, with the middle bar yielding: it carries its yield stress, the others the rest. Two areas: sections. */
static void three_bars__bear_more_when_one_flows(void **state) {
    (void)state;
    const double a = pi / 4, L = 1, E = 1000, A = 2, side = 0.5, yield = 10, c = cos(a);
    const double first = yield * A + 2 * yield * c * c * c * side; /* the middle one begins to yield */
    const double P = 1.1 * first, u = (P - yield * A) * L / (2 * E * side * c * c * c);
    char text[1200];
    assert_true(u * c * c / L * E < yield); /* the others do not yield yet */
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {m: {type: plastic, E: %g, nu: 0.3, yield: %g}}\n"
             "bodies: [{name: b, mesh: {nodes: [[-1, 1], [0, 1], [1, 1], [0, 0]], element: segment2,\n"
             "          elements: [[1, 4], [2, 4], [3, 4]], sets: {ceiling: 'y > 0.5', middle: 'x^2 < 0.01'}},\n"
             "          material: m, area: %g, sections: [{set: middle, material: m, area: %g}]}]\n"
             "supports: [{set: ceiling, all: 0}]\nloads: [{node: 4, force: [0, '=-%.17g*t']}]\nprobes: {p: {node: 4}}\n",
             E, yield, side, A, P);
    solid_end end = solid_settle(text, &(bl_equilibrium_options){.until = 1, .any = true});
    near_to("down", end.x[0][1], -u, 1e-9 * u); /* tolerance 1e-10 of forces, of which the outer ones carry a fifth */
}

/* a tripod in space, legs (+-1, 0, 1) and (0, 1, 1) from the top: K by hand */
static void tripod__moves_as_by_hand(void **state) {
    (void)state;
    const char *text = "dimension: 3\nmaterials: {m: {type: elastic, E: 1000}}\n"
                       "bodies: [{name: b, mesh: {nodes: [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]], element: segment2,\n"
                       "          elements: [[1, 4], [2, 4], [3, 4]], sets: {floor: 'z < 0.5'}}, material: m, area: 2}]\n"
                       "supports: [{set: floor, all: 0}]\nloads: [{node: 4, force: [3, 4, 5]}]\nprobes: {p: {node: 4}}\n";
    solid_end end = solid_settle(text, NULL);
    /* k/2 [[2, 0, 0], [0, 1, -1], [0, -1, 3]], k = E A / sqrt 2 */
    const double k = 2000 / sqrt(2);
    near_to("x", end.x[0][0], 3 / k, 1e-15);
    near_to("y", end.x[0][1], 2 / k * (3 * 4 + 5) / 2, 1e-15);
    near_to("z", end.x[0][2] - 1, 2 / k * (4 + 5) / 2, 1e-15);
}

/* two bars in line: a linear truss has no lateral stiffness */
static void mechanism__is_refused_with_its_motion(void **state) {
    (void)state;
    const char *text = "dimension: 3\nmaterials: {m: {type: elastic, E: 1000}}\n"
                       "bodies: [{name: b, mesh: {segment: {to: [2, 0, 0], n: 2}, element: segment2}, material: m, area: 2}]\n"
                       "supports: [{set: left, all: 0}, {set: right, all: 0}, {node: 2, z: 0}]\nloads: [{node: 2, force: [1, 1, 0]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_equilibrium(ctx, model, NULL, NULL, 0, NULL, NULL), BL_E_NUMERIC);
    if (!strstr(bl_context_error(ctx)->what, "1 motion without stiffness: b, node 2, y"))
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- large strains */

/* Two inclined bars (von Mises) with Green's strain: P = E A / L^3 w (2 h - w)(h - w), with the extremes +- 2/(3 sqrt 3) E A (h/L)^3; the
 * path passes both of them */
static void inclined_bars__snap_through(void **state) {
    (void)state;
    const double h = 0.5, EA = 2000, L = hypot(1, h), P = 100, limit = 2 / (3 * sqrt(3)) * EA * pow(h / L, 3);
    const char *text = "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3}}\n"
                       "bodies: [{name: b, mesh: {nodes: [[-1, 0], [0, 0.5], [1, 0]], elements: [[1, 2], [2, 3]], element: segment2},\n"
                       "          material: m, area: 2, strain: green}]\n"
                       "supports: [{node: 1, all: 0}, {node: 3, all: 0}]\nloads: [{node: 2, force: [0, =-t]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_equilibrium_summary found = {0};
    assert_int_equal(bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_equilibrium_options options = {.until = P, .arc_length = true};
    assert_int_equal(bl_equilibrium(ctx, model, &options, NULL, 0, NULL, &found), BL_OK);
    assert_int_equal(found.npoint, 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(found.point[k].what, BL_LIMIT_POINT);
        near_to("limit load", found.point[k].t, k ? -limit : limit, 1e-7 * limit); /* at an extreme, errors of the position enter squared */
    }
    bl_model_destroy(model);
    test_context_end(ctx);
    char probed[1000];
    snprintf(probed, sizeof probed, "%sprobes: {p: {node: 2}}\n", text);
    double w = h - solid_settle(probed, &options).x[0][1];
    assert_true(w > 2 * h);
    near_to("load beyond", EA / (L * L * L) * w * (2 * h - w) * (h - w), P, 1e-8 * P);
}

/* a straight cable without stress under a transverse load: P = E A (v/L)^3, from a start that is not straight */
static void straight_cable__bears_by_the_cube(void **state) {
    (void)state;
    const char *text = "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3}}\n"
                       "bodies: [{name: b, mesh: {segment: {from: [-1, 0], to: [1, 0], n: 2}, element: segment2}, material: m,\n"
                       "          area: 2, strain: green}]\n"
                       "supports: [{set: left, all: 0}, {set: right, all: 0}]\nloads: [{node: 2, force: [0, -10]}]\n"
                       "initial: {b: {displacement: [0, '=-0.1*(1 - x^2)']}}\nprobes: {p: {node: 2}}\n";
    near_to("sag", solid_settle(text, NULL).x[0][1], -cbrt(10.0 / 2000), 1e-10);
}

/* stretch of a bar of St. Venant and Kirchhoff under a force, N = E A s (s^2 - 1)/2, by Newton's method */
static double stretch_under(double share) {
    double s = 1 + share;
    for (int k = 0; k < 50; k++)
        s -= (s * (s * s - 1) / 2 - share) / ((3 * s * s - 1) / 2);
    return s;
}

/* half a cable of length 2 half, weight w per length, with the horizontal force H: span and sag by Simpson's rule */
static void half_cable(double half, double w, double EA, double H, double *span, double *sag) {
    enum { N = 600 };
    *span = *sag = 0;
    for (int k = 0; k <= N; k++) {
        double V = w * half * k / N, T = hypot(H, V), weight = (k == 0 || k == N ? 1 : k % 2 ? 4 : 2) * half / (3 * N);
        double by = stretch_under(T / EA) * weight / T;
        *span += by * H;
        *sag += by * V;
    }
}

static void cable__hangs_in_an_elastic_catenary(void **state) {
    (void)state;
    const double EA = 1000, w = 10, half = 5, span = 4.5;
    double low = 1, high = 500, got = 0, sag = 0;
    for (int k = 0; k < 60; k++) {
        double H = (low + high) / 2;
        half_cable(half, w, EA, H, &got, &sag);
        *(got < span ? &low : &high) = H;
    }
    double error[3];
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -10]\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e6, nu: 0.3, density: 1000}}\n"
                 "bodies: [{name: b, mesh: {segment: {to: [10, 0], n: %d}, element: segment2}, material: m, area: 1e-3,\n"
                 "          strain: green}]\n"
                 "supports: [{set: left, all: 0}, {set: right, x: -1, y: 0}]\nprobes: {mid: {at: [5, 0]}}\n"
                 "initial: {b: {displacement: ['=-0.1*x', '=-0.04*x*(10 - x)']}}\n",
                 20 << k);
        solid_end end = solid_settle(text, NULL);
        near_to("middle", end.x[0][0], 4.5, 1e-8);
        error[k] = end.x[0][1] + sag;
    }
    /* a polygon of n chords: errors in even powers of h, eliminated one after another */
    near_to("order", log2(fabs(error[0] / error[1])), 2, 0.02);
    double first[2] = {error[1] + (error[1] - error[0]) / 3, error[2] + (error[2] - error[1]) / 3};
    near_to("order of what is left", log2(fabs(first[0] / first[1])), 4, 0.1);
    near_to("sag", first[1] + (first[1] - first[0]) / 15, 0, 5e-9); /* of sixth order: about 1/64 of the last difference, 1e-7 */
}

/* linear elements under a tension N of the reference, length h: omega^2 = N/(rho A h^2) 6 (1 - c)/(2 + c), c = cos(k pi/n), twice in space;
 * along the string the same with the slope of the force */
static void string__vibrates_by_its_tension(void **state) {
    (void)state;
    enum { N = 10 };
    const double E = 1000, s = 1.02, length = 3, h = length / N, green = (s * s - 1) / 2;
    const char *text = "dimension: 3\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 2}}\n"
                       "bodies: [{name: b, mesh: {segment: {to: [1, 2, 2], n: 10}, element: segment2}, material: m, area: 3,\n"
                       "          strain: green}]\n"
                       "supports: [{set: left, all: 0}, {set: right, x: 0.02, y: 0.04, z: 0.04}]\n"
                       "initial: {b: {displacement: [=0.02*x, =0.02*y, =0.02*z]}}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_modes_report report = {0};
    assert_int_equal(bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_modes(ctx, model, &(bl_modes_options){.count = -1}, NULL, 0, &report), BL_OK);
    assert_int_equal(report.nmode, 3 * (N - 1));
    for (int k = 1; k < N; k++) {
        double c = cos(k * pi / N), shape = 6 * (1 - c) / (2 + c) / (2 * h * h);
        const double want[2] = {E * green * shape, E * (green + s * s) * shape}; /* across, along */
        int count[2] = {0};
        for (bl_index m = 0; m < report.nmode; m++)
            for (int along = 0; along < 2; along++)
                count[along] += fabs(report.mode[m].eigenvalue - want[along]) <= 1e-9 * want[along];
        assert_int_equal(count[0], 2);
        assert_int_equal(count[1], 1);
    }
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* Cooled by dT between fixed ends: N = -E A alpha dT with small strains, for any Poisson's ratio. The reaction moves a spring: a bar in
 * line with constant temperature. */
static void cooled_bar__pulls_by_its_contraction(void **state) {
    (void)state;
    const char *text = "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, expansion: 1e-3}, cold: {type: elastic, E: 500}}\n"
                       "bodies: [{name: b, mesh: {nodes: [[0, 0], [3, 4], [6, 8]], elements: [[1, 2], [3, 2]], element: segment2,\n"
                       "          sets: {second: 'x > 2'}}, material: m, area: 2, sections: [{set: second, material: cold, area: 2}]}]\n"
                       "supports: [{node: 1, all: 0}, {node: 3, all: 0}, {node: 2, y: '=4/3*(-10e-3*5*2/3*3/5)'}]\n"
                       "loads: [{temperature: -10}]\nprobes: {p: {node: 2}}\n";
    /* two springs k and k/2, the first shortened by 10e-3 of 5: u = -2/3 of that, along (3, 4)/5 */
    near_to("pulled", solid_settle(text, NULL).x[0][0] - 3, -10e-3 * 5 * 2 / 3 * 3 / 5, 1e-13);
}

/* ---- motion */

/* a free, spinning triangle of bars: energy-momentum forces conserve its energy to rounding over 300 steps of large motions */
static void thrown_triangle__keeps_its_energy(void **state) {
    (void)state;
    const char *text = "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1000, density: 1}}\n"
                       "bodies: [{name: b, mesh: {nodes: [[0, 0], [1, 0], [0, 1]], elements: [[1, 2], [2, 3], [3, 1]],\n"
                       "          element: segment2}, material: m, area: 1, strain: green, scale: 1}]\n"
                       "initial: {b: {velocity: ['=1 - 8*y + 3*x', '=2 + 8*x - y']}}\nprobes: {p: {node: 1}, q: {node: 2}, r: {node: 3}}\n";
    solid_run run = {.options = {.integrator = "energy_momentum", .until = 3, .step = 0.01, .every = 0.1}};
    solid_run_text(&run, text);
    double start = run.kinetic[0] + run.potential[0], most = 0, potential = 0;
    for (long k = 0; k < run.samples; k++) {
        most = fmax(most, fabs(run.kinetic[k] + run.potential[k] - start));
        potential = fmax(potential, run.potential[k]);
    }
    assert_true(potential > 0.01 * start);     /* the conserved energy is not zero */
    near_to("energy", most, 0, 1e-10 * start); /* 300 steps, Newton to 1e-12 */
    solid_run_end(&run);
}

/* ---- heat */

/* along a wire around a corner, with fixed temperatures at both ends: linear in the length; wires that meet share the flow */
static void heat__flows_along_wires(void **state) {
    (void)state;
    const char *text =
        "dimension: 3\nmaterials: {m: {type: conducting, conductivity: 2}}\n"
        "fields: [{name: u, mesh: {nodes: [[0, 0, 0], [3, 4, 0], [3, 4, 2], [4, 4, 0]], elements: [[1, 2], [2, 3], [4, 2]],\n"
        "          element: segment2}, material: m, area: 0.5}]\n"
        "supports: [{node: 1, value: 10}, {node: 3, value: 0}, {node: 4, value: 0}]\nprobes: {p: {node: 2}}\n";
    near_to("where they meet", solid_settle(text, NULL).x[0][0], 10 / 5.0 / (1 / 5.0 + 1 / 2.0 + 1), 1e-13);
}

/* ---- refusals */

static void refusals__say_why(void **state) {
    (void)state;
    static const struct {
        const char *body, *more, *why;
    } cases[] = {
        {"", "", "they need 'area'"},
        {", area: 1, plane: stress", "", "'plane' cannot be used"},
        {", thickness: 1", "", "give 'area' instead of 'thickness'"},
        {", area: 1, bbar: true", "", "bbar cannot be used with bars"},
        {", area: -1", "", "area"},
        {", area: 1, strain: green", "", "use strain linear"},
        {", area: 1, strain: left, sections: [{set: all, material: rubber}]", "loads: [{set: right, pressure: 1}]\n", "no face"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bool rubber = strstr(cases[k].body, "rubber");
        snprintf(text, sizeof text,
                 "dimension: 2\nmaterials: {m: {type: elastic, E: 1}, rubber: {type: neo_hookean, E: 1}}\n"
                 "bodies: [{name: b, mesh: {segment: {to: [1, 1], n: 2}, element: segment2}, material: %s%s}]\n%s",
                 rubber ? "rubber" : "m", cases[k].body, cases[k].more);
        bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
        if (status != BL_E_MODEL || !strstr(bl_context_error(ctx)->what, cases[k].why))
            fail_msg("%s: %s", cases[k].body, bl_context_error(ctx)->what);
        assert_true(bl_context_error(ctx)->line > 0);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_bars__share_the_load),
        cmocka_unit_test(three_bars__bear_more_when_one_flows),
        cmocka_unit_test(tripod__moves_as_by_hand),
        cmocka_unit_test(mechanism__is_refused_with_its_motion),
        cmocka_unit_test(inclined_bars__snap_through),
        cmocka_unit_test(straight_cable__bears_by_the_cube),
        cmocka_unit_test(cable__hangs_in_an_elastic_catenary),
        cmocka_unit_test(string__vibrates_by_its_tension),
        cmocka_unit_test(cooled_bar__pulls_by_its_contraction),
        cmocka_unit_test(thrown_triangle__keeps_its_energy),
        cmocka_unit_test(heat__flows_along_wires),
        cmocka_unit_test(refusals__say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
