/* Motions of meshes compared with published and independently recomputed numbers: chapter 7 and chapter 1 of the source of the integrators,
 * and closed forms. Digits are those of the recomputation (from energies by complex step, or a second implementation); a unit of the last
 * one is allowed. */
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- solids */

static void hyperelastic_cantilever__follows_the_recomputed_motion(void **state) {
    (void)state;
    const double at[] = {5, 10, 15, 20}, want[] = {-1.97168787, -3.08054526, -0.73431301, -0.55010424};
    solid_run run = {.options = {.at = at, .nat = 4}};
    solid_run_text(&run,
                   "dimension: 2\n"
                   "materials: {rubber: {type: nearly_incompressible, E: 1000, nu: 0.499999999999, density: 1}}\n"
                   "bodies: [{name: beam, mesh: {rectangle: {to: [10, 1], n: [20, 2]}, element: quad4}, material: rubber, plane: stress,\n"
                   "          strain: left}]\n"
                   "supports: [{set: left, all: 0}]\n"
                   "loads: [{set: right, traction: [0, -0.5]}]\n"
                   "probes: {tip: {at: [10, 0.5]}}\n"
                   "simulate: {until: 20, integrator: trapezoidal, step: 0.04}\n");
    for (int k = 0; k < 4; k++)
        if (fabs(solid_run_probe(&run, k, 0, 1) - 0.5 - want[k]) > 1e-8)
            fail_msg("t = %g: %.9f, not %.9f", at[k], solid_run_probe(&run, k, 0, 1) - 0.5, want[k]);
    solid_run_end(&run);
}

/* largest deflection: 1.91 times that at rest; with a tenth of the steps slightly more */
static void hyperelastic_cantilever__swings_as_deep_as_recomputed(void **state) {
    (void)state;
    static const struct { double step, want; } cases[] = {{0.04, -3.17410}, {0.4, -3.19821}};
    for (int k = 0; k < 2; k++) {
        solid_run run = {.options = {.step = cases[k].step, .every = cases[k].step}};
        solid_run_text(
            &run, "dimension: 2\n"
                  "materials: {rubber: {type: nearly_incompressible, E: 1000, nu: 0.499999999999, density: 1}}\n"
                  "bodies: [{name: beam, mesh: {rectangle: {to: [10, 1], n: [20, 2]}, element: quad4}, material: rubber, plane: stress,\n"
                  "          strain: left}]\n"
                  "supports: [{set: left, all: 0}]\n"
                  "loads: [{set: right, traction: [0, -0.5]}]\n"
                  "probes: {tip: {at: [10, 0.5]}}\n"
                  "simulate: {until: 20, integrator: trapezoidal}\n");
        double lowest = 0;
        for (long i = 0; i < run.samples; i++)
            lowest = fmin(lowest, solid_run_probe(&run, i, 0, 1) - 0.5);
        if (fabs(lowest - cases[k].want) > 5.1e-6) /* half a unit of the last digit */
            fail_msg("step %g: lowest %.7f, not %.5f", cases[k].step, lowest, cases[k].want);
        solid_run_end(&run);
    }
}

static void neo_hookean_square__follows_the_recomputed_motion(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        double step, want[2];
    } cases[] = {{"hht:0", 0.005, {-0.35626742, 0.05101222}},
                 {"hht:0", 0.0005, {-0.38037077, 0.05505581}},
                 {"hht:0.3", 0.005, {-0.33306661, 0.05752618}}};
    const double end = 0.5;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        solid_run run = {.options = {.at = &end, .nat = 1, .until = end, .integrator = cases[k].integrator, .step = cases[k].step}};
        solid_run_text(
            &run,
            "dimension: 2\n"
            "materials: {m: {type: neo_hookean, E: 1000, nu: 0.25, density: 1}}\n"
            "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, plane: strain, strain: left}]\n"
            "supports: [{set: left, x: 0}, {set: bottom, y: 0}]\n"
            "initial: {b: {displacement: [=-x/8, =y/2]}}\n"
            "probes: {corner: {at: [1, 1]}}\n");
        for (int c = 0; c < 2; c++)
            if (fabs(solid_run_probe(&run, 0, 0, c) - 1 - cases[k].want[c]) > 1e-8)
                fail_msg("%s, %g: %.9f, not %.9f", cases[k].integrator, cases[k].step, solid_run_probe(&run, 0, 0, c) - 1,
                         cases[k].want[c]);
        solid_run_end(&run);
    }
}

static void elastic_block__follows_the_recomputed_motion(void **state) {
    (void)state;
    static const struct {
        const char *integrator;
        int steps;
        double want;
    } cases[] = {{"trapezoidal", 200, -0.262746}, {"trapezoidal", 1000, -0.281775}, {"hht:0.3", 2000, -0.263937}};
    const double end = 0.5;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        solid_run run = {.options = {.at = &end, .nat = 1, .until = end, .integrator = cases[k].integrator, .step = end / cases[k].steps}};
        solid_run_text(&run, "dimension: 2\n"
                             "materials: {m: {type: elastic, E: 1000, nu: 0.25, density: 1}}\n"
                             "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [5, 5]}, element: quad4}, material: m, plane: strain}]\n"
                             "supports: [{set: left, x: 0}, {set: bottom, y: 0}]\n"
                             "initial: {b: {displacement: [=-x/8, =y/2]}}\n"
                             "probes: {top: {at: [0, 1]}}\n");
        if (fabs(solid_run_probe(&run, 0, 0, 1) - 1 - cases[k].want) > 1.1e-6)
            fail_msg("%s, %d steps: %.7f, not %.7f", cases[k].integrator, cases[k].steps, solid_run_probe(&run, 0, 0, 1) - 1,
                     cases[k].want);
        solid_run_end(&run);
    }
}

/* A ring that oscillates radially and moves along its axis: the hoop strain is in the forces between two configurations, too. */
static void energy_momentum__keeps_the_energy_of_a_ring(void **state) {
    (void)state;
    solid_run run = {.options = {.integrator = "energy_momentum"}};
    solid_run_text(&run, "dimension: 2\n"
                         "materials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 1}}\n"
                         "bodies: [{name: b, mesh: {rectangle: {from: [1, 0], to: [1.5, 1], n: [1, 2]}, element: quad8}, material: m,\n"
                         "          plane: axisymmetric, strain: green}]\n"
                         "initial: {b: {velocity: [=6*x*(1 + y), =2 + x]}}\nsimulate: {until: 0.2, step: 0.02, every: 0.02}\n");
    double start = run.kinetic[0] + run.potential[0], most = 0, stored = 0;
    for (long k = 0; k < run.samples; k++) {
        most = fmax(most, fabs(run.kinetic[k] + run.potential[k] - start));
        stored = fmax(stored, run.potential[k]);
    }
    assert_true(stored > 0.5 * start); /* the hoop strain has most of it */
    if (!(most < 1e-12 * start * (double)run.samples))
        fail_msg("energy changes by %.3g of %.3g", most, start);
    solid_run_end(&run);
}

/* energy and both momenta of a free body, to rounding times the number of steps, where the trapezoidal rule loses a sixth */
static void energy_momentum__keeps_the_energy_of_a_flying_beam(void **state) {
    (void)state;
    const char *text =
        "dimension: 2\n"
        "materials: {m: {type: st_venant_kirchhoff, E: 1000, nu: 0.3, density: 1}}\n"
        "bodies: [{name: b, mesh: {rectangle: {to: [5, 0.5], n: [10, 1]}, element: quad8}, material: m, plane: strain, strain: green}]\n"
        "initial: {b: {velocity: [=-4*(y-0.2)+1, =4*(x-2)*(1+x/5)]}}\n"
        "simulate: {until: 4, step: 0.05, every: 0.05}\n";
    solid_run run = {.options = {.integrator = "energy_momentum"}};
    solid_run_text(&run, text);
    double start = run.kinetic[0] + run.potential[0], most = 0, stored = 0;
    for (long k = 0; k < run.samples; k++) {
        most = fmax(most, fabs(run.kinetic[k] + run.potential[k] - start));
        stored = fmax(stored, run.potential[k]);
    }
    assert_true(stored > 0.05 * start); /* it does bend */
    if (!(most < 1e-12 * start * (double)run.samples))
        fail_msg("energy changes by %.3g of %.3g", most, start);
    solid_run_end(&run);
    run.options.integrator = "trapezoidal";
    solid_run_text(&run, text);
    assert_true(fabs(run.kinetic[run.samples - 1] + run.potential[run.samples - 1] - start) > 1e-3 * start);
    solid_run_end(&run);
}

/* ---- waves and diffusion in one dimension: L = 8, linear elements, consistent mass */

static void wave_text(char *text, size_t room, const char *equation, int n, const char *shape) {
    snprintf(text, room,
             "dimension: 1\n"
             "materials: {m: {type: conducting, conductivity: 1, density: 1}}\n"
             "fields: [{name: u, mesh: {segment: {to: 8, n: %d}, element: segment2}, material: m, equation: %s}]\n"
             "supports: [{set: left, value: 0}, {set: right, value: 0}]\n"
             "initial: {u: {value: \"=%s\"}}\n"
             "probes:\n",
             n, equation, shape);
    for (int k = 0; k <= n; k++) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "  p%d: {node: %d}\n", k, k + 1);
    }
}

/* d'Alembert: half the pulse in each direction */
static double pulse_at(double x, double t) {
    double value = 0;
    for (int side = -1; side <= 1; side += 2) {
        double from = x + side * t;
        value += from > 3 - 1e-9 && from < 5 + 1e-9 ? 0.5 : 0;
    }
    return value;
}

static void newmark__solves_the_pulse_exactly_at_courant_number_one(void **state) {
    (void)state;
    static char text[40000];
    const double end = 2;
    wave_text(text, sizeof text, "wave", 400, "x >= 3 and x <= 5 ? 1 : 0");
    solid_run run = {
        .options = {.at = &end, .nat = 1, .until = end, .integrator = "newmark:beta=0.16666666666666666,gamma=0.5", .step = 0.02}};
    solid_run_text(&run, text);
    for (int k = 0; k <= 400; k++)
        if (fabs(solid_run_probe(&run, 0, k, 0) - pulse_at(0.02 * k, 2)) > 1e-12)
            fail_msg("x = %g: %.15g, not %g", 0.02 * k, solid_run_probe(&run, 0, k, 0), pulse_at(0.02 * k, 2));
    solid_run_end(&run);
}

static void pulse__has_the_published_total_variations(void **state) {
    (void)state;
    static char text[40000];
    static const struct {
        const char *integrator;
        double want;
    } cases[] = {{"trapezoidal", 13.16}, {"hht:0.05", 3.89}, {"hht:0.3", 2.64}, {"bdf_alpha:-0.35", 2.63}, {"bdf_alpha:-0.5", 13.16}};
    const double end = 2;
    wave_text(text, sizeof text, "wave", 400, "x >= 3 and x <= 5 ? 1 : 0");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        solid_run run = {.options = {.at = &end, .nat = 1, .until = end, .integrator = cases[c].integrator, .step = 16.0 / 1400}};
        solid_run_text(&run, text);
        double variation = 0;
        for (int k = 1; k <= 400; k++)
            variation += fabs(solid_run_probe(&run, 0, k, 0) - solid_run_probe(&run, 0, k - 1, 0));
        if (fabs(variation - cases[c].want) > 0.01)
            fail_msg("%s: total variation %.4f, not %.2f", cases[c].integrator, variation, cases[c].want);
        solid_run_end(&run);
    }
}

/* steps of ode15s with its default tolerances, as published */
static void diffusion__takes_the_published_steps(void **state) {
    (void)state;
    static char text[80000];
    static const struct {
        const char *equation, *shape;
        int n;
        long steps;
    } cases[] = {{"diffusion", "sin(3.14159265358979324*x/8)", 1000, 16},
                 {"diffusion", "x <= 6 ? x/6 : (8 - x)/2", 100, 58},
                 {"diffusion", "x >= 3 and x <= 5 ? 1 : 0", 100, 142}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        wave_text(text, sizeof text, cases[c].equation, cases[c].n, cases[c].shape);
        solid_run run = {.options = {.until = 16, .integrator = "ndf_auto", .tolerance = 1e-3, .absolute = 1e-6}};
        solid_run_text(&run, text);
        if (run.summary.steps != cases[c].steps)
            fail_msg("%s of %s: %ld steps, not %ld", cases[c].equation, cases[c].shape, run.summary.steps, cases[c].steps);
        solid_run_end(&run);
    }
}

/* ---- stationary fields */

static void stationary__fields_have_their_closed_forms(void **state) {
    (void)state;
    static const struct {
        const char *material, *more, *element;
        int n;
        double at, want, error;
    } cases[] = {
        /* nodal values of linear elements: (r^i - 1)/(r^n - 1), r = (1 + a)/(1 - a), a = v h/(2 k) */
        {"conductivity: 1", ", convection: [12]", "segment2", 10, 0.9, 0.249999284744, 1e-12},
        {"conductivity: 1, conductivity_1: 1", "", "segment3", 32, 0.5, 0.58113883008419, 1e-9}, /* sqrt(1 + 3 x) - 1 */
        {"conductivity: 1", ", absorption: 9", "segment3", 64, 0.5, 0.212548017471, 1e-9},       /* sinh 1.5 / sinh 3 */
    };
    const double start = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "dimension: 1\nmaterials: {m: {type: conducting, density: 1, %s}}\n"
                 "fields: [{name: u, mesh: {segment: {to: 1, n: %d}, element: %s}, material: m, equation: stationary%s}]\n"
                 "supports: [{set: left, value: 0}, {set: right, value: 1}]\nprobes: {a: {at: [%g]}}\n",
                 cases[c].material, cases[c].n, cases[c].element, cases[c].more, cases[c].at);
        solid_run run = {.options = {.until = 1, .at = &start, .nat = 1}};
        solid_run_text(&run, text);
        if (fabs(solid_run_probe(&run, 0, 0, 0) - cases[c].want) > cases[c].error)
            fail_msg("%s%s: %.12f, not %.12f", cases[c].material, cases[c].more, solid_run_probe(&run, 0, 0, 0), cases[c].want);
        solid_run_end(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hyperelastic_cantilever__follows_the_recomputed_motion),
        cmocka_unit_test(hyperelastic_cantilever__swings_as_deep_as_recomputed),
        cmocka_unit_test(neo_hookean_square__follows_the_recomputed_motion),
        cmocka_unit_test(elastic_block__follows_the_recomputed_motion),
        cmocka_unit_test(energy_momentum__keeps_the_energy_of_a_flying_beam),
        cmocka_unit_test(energy_momentum__keeps_the_energy_of_a_ring),
        cmocka_unit_test(newmark__solves_the_pulse_exactly_at_courant_number_one),
        cmocka_unit_test(pulse__has_the_published_total_variations),
        cmocka_unit_test(diffusion__takes_the_published_steps),
        cmocka_unit_test(stationary__fields_have_their_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
