/* Adaptive implicit methods complete runs of mechanisms at every tolerance down to 1e-12, in every kind of coordinates; equations of second
 * order take as many steps as the same equations of first order. The same over all scenes: tests/long/test_hold.c. */
#include "integrate/integrate.h"
#include "study/run.h"
#include "study/simulation.h"
#include "support/hold.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"ndf_auto", "mebdf_auto", "stiff_auto", NULL};
static const double tolerances[] = {1e-4, 1e-6, 1e-9, 1e-12, 0};

static void mechanisms__are_followed_at_every_tolerance(void **state) {
    (void)state;
    static const hold_case cases[] = {{NULL, hold_bennett, 0.4, false}, {NULL, hold_jack, 0.05, false}, {NULL, hold_gimbals, 0.02, false}};
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "relative"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof coordinates / sizeof *coordinates; k++)
            test_implicit_holds(&cases[i], coordinates[k], methods, tolerances);
}

/* beyond t = 1.2253 two of the kept equations are dependent, and others must be kept */
static void redundant_equations__are_chosen_anew(void **state) {
    (void)state;
    static const hold_case bennett = {NULL, hold_bennett, 1.5, false};
    test_implicit_holds(&bennett, "relative", methods, tolerances);
}

static void scenes__are_followed_at_the_smallest_tolerance(void **state) {
    (void)state;
    static const hold_case cases[] = {
        {"andrews", NULL, 0.003, false},       {"slider_crank", NULL, 0.1, false},      {"quick_return", NULL, 0.1, false},
        {"double_pendulum", NULL, 0.2, false}, {"flyball_governor", NULL, 0.02, false}, {"spatial_slider_crank", NULL, 0.05, false},
        {"heavy_top", NULL, 0.01, false},      {"vehicle", NULL, 0.05, false},          {"car_axis", NULL, 0.1, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        test_implicit_holds(&cases[i], "natural", methods, (const double[]){1e-6, 1e-12, 0});
}

/* ---- orders of equations */

static long steps_of(const char *text, double until, const char *integrator, double tolerance) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
    assert_int_equal(bl_model_read_text(ctx, "model", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare(ctx, model, NULL, &sys, &start), BL_OK);
    bl_simulation_setup setup = {.formulation = "plain", .integrator = integrator, .t_end = until, .tolerance = tolerance};
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    bl_status status = BL_OK;
    while (status == BL_OK && *sim->state.t < until)
        status = bl_simulation_advance(sim);
    if (status != BL_OK)
        fail_msg("%s, %g: %s", integrator, tolerance, bl_context_error(ctx)->what);
    long steps = sim->integ->stats.steps + sim->integ->stats.rejections;
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
    return steps;
}

static bool is_low(const char *integrator) { return strcmp(integrator, "rosenbrock23") == 0 || strcmp(integrator, "trbdf2") == 0; }

/* The same law as one equation of second order and as two of first order. Radau at fixed orders: when it changes its order depends on the
 * contraction of single steps, and a change of the start by 1e-9 changes the number of steps by 40 %, in either form. */
static void expect_equal_steps(const char *start, const char *law_second, const char *law_first, double until) {
    static const char *const all[] = {"ndf_auto", "bdf_auto", "mebdf_auto", "stiff_auto", "radau:9", "radau:13", "rosenbrock23", "trbdf2"};
    char second[400], first[400];
    snprintf(second, sizeof second, "equations: {states: [{name: x, %s, acceleration: \"=%s\"}]}\n", start, law_second);
    double x, v;
    assert_int_equal(sscanf(start, "start: %lf, rate_start: %lf", &x, &v), 2);
    snprintf(first, sizeof first, "equations: {states: [{name: x, start: %g, rate: =v}, {name: v, start: %g, rate: \"=%s\"}]}\n", x, v,
             law_first);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (double tolerance = 1e-3; tolerance > (is_low(all[i]) ? 1e-7 : 1e-13); tolerance *= 1e-3) {
            long as_second = steps_of(second, until, all[i], tolerance), as_first = steps_of(first, until, all[i], tolerance);
            print_message("%-10s %.0e: %ld attempts, as first order %ld\n", all[i], tolerance, as_second, as_first);
            /* the choices of step and order differ by the error of the iteration */
            assert_true((double)as_second <= 1.2 * (double)as_first + 20);
        }
}

static void relaxation_oscillators__take_as_many_steps_as_their_first_order_form(void **state) {
    (void)state;
    expect_equal_steps("start: 2, rate_start: 0", "1000*(1 - x^2)*x_rate - x", "1000*(1 - x^2)*v - x", 2000); /* van der Pol */
    expect_equal_steps("start: 2, rate_start: 0", "((1 - x^2)*x_rate - x)/1e-6", "((1 - x^2)*v - x)/1e-6", 2);
    expect_equal_steps("start: 0, rate_start: 2", "100*(1 - x_rate^2/3)*x_rate - x", "100*(1 - v^2/3)*v - x", 300); /* Rayleigh */
}

/* ---- order of radau */

/* between order 5 and order 13 there are two waiting periods of ten steps and the steps in which the step size grows */
static void radau__raises_its_order_on_linear_equations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double until;
    } cases[] = {
        {"equations: {states: [{name: a, start: 1, rate: =-1000*a + 999*b}, {name: b, start: 1, rate: =-b + c}, {name: c, start: 0, "
         "rate: =-d}, {name: d, start: 1, rate: =c}]}\n",
         100},
        {"matrices: {size: 3, M: {diagonal: 1}, K: {tridiagonal: {lower: -100, diagonal: 201}}, initial: {positions: 1, velocities: 0}}\n",
         20},
        {"equations: {states: [{name: x, start: 1, acceleration: \"=-x - 1e-3*x^3\"}]}\n", 200}, /* nearly linear */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
            long found = steps_of(cases[i].text, cases[i].until, "radau", tolerance);
            long highest = steps_of(cases[i].text, cases[i].until, "radau:13", tolerance);
            print_message("%zu, %.0e: %ld attempts, order 13 %ld\n", i, tolerance, found, highest);
            assert_true((double)found <= 1.1 * (double)highest + 40);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mechanisms__are_followed_at_every_tolerance),
        cmocka_unit_test(redundant_equations__are_chosen_anew),
        cmocka_unit_test(scenes__are_followed_at_the_smallest_tolerance),
        cmocka_unit_test(relaxation_oscillators__take_as_many_steps_as_their_first_order_form),
        cmocka_unit_test(radau__raises_its_order_on_linear_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
