/* Power series of models of meshes alone: the motions of another method, energy with the work of loads and damping, what has no series. */
#include "support/solid_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LAW "materials: {m: {type: st_venant_kirchhoff, E: 3000, nu: 0.3, density: 2}}\n"
#define SMALL "materials: {m: {type: elastic, E: 3000, nu: 0.3, density: 2}}\n"
#define PLATE(more) \
    "bodies: [{name: b, mesh: {rectangle: {to: [2, 0.4], n: [3, 1]}, element: quad8, distort: [0.1, 2]}, material: m" more "}]\n"
#define LOADS                                                                                                                 \
    "loads: [{set: right, traction: [0, \"=8*sin(5*t)\"]}, {set: top, traction: [\"=exp(-t)\", 0]}, {body_force: [0, -3]}]\n" \
    "probes: {P: {at: [2, 0.4]}, M: {at: [1.2, 0.1]}}\n"
#define HELD "supports: [{set: left, all: 0}]\n"

static const char *const texts[] = {
    /* large displacements: plane stress, damped; plane strain, lumped; stretched by its supports */
    "dimension: 2\n" LAW PLATE(", plane: stress, strain: green, damping: {mass: 0.2, stiffness: 0.001}") HELD LOADS,
    "dimension: 2\n" LAW PLATE(", plane: strain, strain: green, mass: lumped, thickness: 0.3") HELD LOADS,
    "dimension: 2\n" LAW PLATE(", plane: stress, strain: green") "supports: [{set: left, x: -0.1, y: 0}]\n" LOADS,
    /* small ones, by the matrix */
    "dimension: 2\n" SMALL PLATE(", plane: stress, damping: {mass: 0.2, stiffness: 0.001}") HELD LOADS,
    /* space; one integration point */
    "dimension: 3\n" LAW
    "bodies: [{name: b, mesh: {box: {to: [2, 0.4, 0.5], n: [3, 1, 1]}, element: hexa20}, material: m, strain: green}]\n" HELD
    "loads: [{set: right, traction: [0, \"=8*sin(5*t)\", 3]}]\nprobes: {P: {at: [2, 0.4, 0.5]}, M: {at: [1.2, 0.1, 0.2]}}\n",
    "dimension: 3\n" LAW
    "bodies: [{name: b, mesh: {box: {to: [2, 0.4, 0.5], n: [4, 2, 2]}, element: hexa8}, material: m, strain: green, points: 1}]\n" HELD
    "loads: [{set: right, traction: [0, \"=8*sin(5*t)\", 3]}]\nprobes: {P: {at: [2, 0.4, 0.5]}, M: {at: [1.2, 0.1, 0.2]}}\n"};
enum { MODELS = sizeof texts / sizeof *texts };

static void motions__are_those_of_dop853(void **unused) {
    (void)unused;
    static const double at[] = {0.4};
    for (int i = 0; i < MODELS; i++) {
        solid_run series = {.options = {.integrator = "series", .tolerance = 1e-12, .until = 0.4, .at = at, .nat = 1}}, other = series;
        other.options.integrator = "dop853";
        solid_run_text(&series, texts[i]);
        solid_run_text(&other, texts[i]);
        for (int p = 0; p < 2; p++)
            for (int k = 0; k < 3; k++) {
                double a = solid_run_probe(&series, 0, p, k), b = solid_run_probe(&other, 0, p, k);
                if (!(fabs(a - b) <= 1e-10))
                    fail_msg("model %d: probe %d, component %d: %.15g, dop853 %.15g", i, p, k, a, b);
            }
        print_message("model %d: %ld steps, dop853 %ld, balance %.1e of %.3g J\n", i, series.summary.steps, other.summary.steps,
                      series.error[0], series.kinetic[0] + series.potential[0]);
        if (!(fabs(series.error[0]) <= 1e-12 * (double)series.summary.steps * (1 + series.kinetic[0] + series.potential[0])))
            fail_msg("model %d: balance %.3g J", i, series.error[0]);
        solid_run_end(&series);
        solid_run_end(&other);
    }
}

/* formulations that drift in general do not here: there are no constraints */
static void all_formulations__give_the_same(void **unused) {
    (void)unused;
    static const double at[] = {0.2};
    static const char *const formulations[] = {"plain", "partition", "lagrange", "index2"};
    double x[2] = {0, 0};
    for (int f = 0; f < 4; f++) {
        solid_run run = {
            .options = {.integrator = "series", .formulation = formulations[f], .tolerance = 1e-11, .until = 0.2, .at = at, .nat = 1}};
        solid_run_text(&run, texts[0]);
        for (int k = 0; k < 2; k++) {
            double value = solid_run_probe(&run, 0, 0, k);
            if (f > 0 && !(fabs(value - x[k]) <= 1e-10))
                fail_msg("%s: component %d: %.15g, plain %.15g", formulations[f], k, value, x[k]);
            x[k] = f > 0 ? x[k] : value;
        }
        solid_run_end(&run);
    }
}

static void refuse(const char *text, const char *why) {
    solid_run run = {.options = {.integrator = "series", .until = 0.1}};
    bl_status status = solid_run_try(&run, text);
    if (status != BL_E_ABILITY || !strstr(run.why, why))
        fail_msg("status %d: %s\n%s", status, run.why, text);
    solid_run_end(&run);
}

static void what_has_no_series__is_refused_with_the_reason(void **unused) {
    (void)unused;
    refuse("dimension: 2\nmaterials: {m: {type: neo_hookean, E: 1, nu: 0.3, density: 1}}\n" PLATE(", plane: strain, strain: left") HELD,
           "forces of b");
    refuse("dimension: 1\n" LAW "bodies: [{name: b, mesh: {segment: {to: 2, n: 3}, element: segment2}, material: m, strain: green}]\n" HELD,
           "forces of b");
    refuse("dimension: 2\n" LAW PLATE(", plane: axisymmetric, strain: green") "supports: [{set: left, x: 0}]\n", "forces of b");
    refuse("dimension: 2\n" LAW PLATE(", plane: stress, strain: green") HELD "loads: [{set: right, pressure: 1}]\n", "follow");
    refuse("dimension: 2\n" LAW PLATE(", plane: stress, strain: green") HELD "loads: [{set: right, traction: [0, \"=x*t\"]}]\n",
           "position");
    refuse("dimension: 2\n" LAW PLATE(", plane: stress, strain: green") HELD "loads: [{set: right, traction: [0, \"=abs(sin(t))\"]}]\n",
           "analytic");
    refuse("dimension: 2\n" LAW PLATE(", plane: stress, strain: green") "supports: [{set: left, x: \"=0.01*sin(t)\", y: 0}]\n",
           "supports move");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(motions__are_those_of_dop853), cmocka_unit_test(all_formulations__give_the_same),
                                       cmocka_unit_test(what_has_no_series__is_refused_with_the_reason)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
