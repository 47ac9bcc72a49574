/* Fixed-step methods in `compare`: one that converges is correct however inaccurate its first steps are, one that converges to something
 * else is wrong, and is reported only after its step was halved. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* a spatial linkage: revolute, spherical, spherical, revolute joint */
static const char rssr[] = "gravity: [0, 0, -9.81]\n"
                           "bodies: [{name: crank, rod: {from: [0,0,0], to: [0.2,0,0], axial: 0.001}, mass: 1},\n"
                           "         {name: coupler, rod: {from: [0.2,0,0], to: [1,0.3,0.6], axial: 0.002}, mass: 1.5},\n"
                           "         {name: rocker, rod: {from: [1,0.3,0], to: [1,0.3,0.6], axial: 0.001}, mass: 2}]\n"
                           "joints: [{name: A, type: revolute, bodies: [ground, crank], at: [0,0,0], axis: [0,0.3,1]},\n"
                           "         {name: B, type: spherical, bodies: [crank, coupler], at: [0.2,0,0]},\n"
                           "         {name: C, type: spherical, bodies: [coupler, rocker], at: [1,0.3,0.6]},\n"
                           "         {name: D, type: revolute, bodies: [ground, rocker], at: [1,0.3,0], axis: [0,1,0]}]\n"
                           "initial: {A.rate: 6}\n";

static bl_model *read_model(bl_context *ctx) {
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "rssr", rssr, strlen(rssr), NULL, 0, &model), BL_OK);
    return model;
}

static bl_status last(void *user, const bl_sample *sample) {
    memcpy(user, sample->variable, 2 * sizeof(double));
    return BL_OK;
}

static void end_of_run(const bl_run_options *options, double angle[2]) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx);
    if (bl_simulate(ctx, model, options, &(bl_sink){.user = angle, .sample = last}, 1, NULL) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* errors decrease by 2^3 if the step is halved: compared with an adaptive method at 1e-12 */
static void extended_formula__has_order_3_on_the_linkage(void **unused) {
    (void)unused;
    double exact[2], angle[2], before = NAN;
    end_of_run(&(bl_run_options){.until = 0.4, .tolerance = 1e-12}, exact);
    for (int n = 100; n <= 400; n *= 2) {
        end_of_run(&(bl_run_options){.until = 0.4, .integrator = "enbdf", .step = 0.4 / n}, angle);
        double error = fmax(fabs(angle[0] - exact[0]), fabs(angle[1] - exact[1])), order = log2(before / error);
        print_message("enbdf, %d steps: error %.2e, order %.2f\n", n, error, order);
        if (!isnan(before))
            assert_true(order > 2.7 && order < 3.3);
        before = error;
    }
}

static void compare(const char *formulation, const char *integrator, double tolerance, bl_agreement expected) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx);
    bl_compare_report report = {0};
    bl_compare_options options = {.until = 0.4,
                                  .tolerance = tolerance,
                                  .limit = 30,
                                  .all = true,
                                  .formulations_tried = &formulation,
                                  .nformulations_tried = 1,
                                  .integrators_tried = &integrator,
                                  .nintegrators_tried = 1};
    assert_int_equal(bl_compare(ctx, model, &options, &report), BL_OK);
    bool found = false;
    for (bl_index i = 0; i < report.nentry; i++) {
        const bl_compare_entry *e = &report.entry[i];
        if (strcmp(e->formulation, formulation) != 0 || strcmp(e->integrator, integrator) != 0)
            continue;
        found = true;
        print_message("%s, %s, %s: %d, off by %.2e of %.2e at %.3g s: %s\n", e->coordinates, e->formulation, e->integrator,
                      (int)e->agreement, e->trajectory, e->allowed, e->step, e->reason);
        assert_int_equal(e->agreement, expected);
        /* the first step is an eighth of the mean one of the reference, 0.4 s / 50 at least */
        assert_true(e->step > 0 && e->step <= 0.4 / 50 / 2);
    }
    assert_true(found);
    bl_compare_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void right_methods__agree(void **unused) {
    (void)unused;
    compare("ggl", "enbdf", 1e-4, BL_AGREED);
    compare("ggl", "enbdf", 1e-6, BL_AGREED);
    compare("lagrange", "rk4", 1e-4, BL_AGREED);
}

/* with penalties of 20 masses the joints are compliant whatever the step: it converges, but to another motion */
static void wrong_formulation__is_called_wrong_after_halving(void **unused) {
    (void)unused;
    compare("penalty:alpha=20", "rk4", 1e-4, BL_DISAGREED);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(extended_formula__has_order_3_on_the_linkage),
                                       cmocka_unit_test(right_methods__agree),
                                       cmocka_unit_test(wrong_formulation__is_called_wrong_after_halving)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
