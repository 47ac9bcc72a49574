/* Events of the integrator `series`, whose steps are long: a pendulum released from the horizontal, phi = -2 asin(cd(w t | 1/2) / sqrt 2),
 * w^2 = g / L, stops at positions whose times are elliptic integrals. */
#include "biela/biela.h"
#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* F(asin s | 1/2), by Simpson's rule in long double: the integrand is smooth, s <= 1 / sqrt 2 */
static long double elliptic(long double s) {
    enum { N = 2000 };
    long double top = asinl(s), h = top / N, sum = 0;
    for (int i = 0; i <= N; i++) {
        long double x = sinl(i * h), f = 1 / sqrtl(1 - x * x / 2);
        sum += f * (i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
    }
    return sum * h / 3;
}

static const long double QUARTER = 1.85407467730137191843385034719526L; /* K(1/2), in 1 / w */

/* the time of the first stop; *by: which of the two */
static double stop_at(const char *integrator, double tolerance, const char *stops, char *by, long *steps) {
    char text[1024];
    snprintf(text, sizeof text,
             "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
             "joints: [{name: rod, type: rod, bodies: [ground, bob], at: [0, 0], to: [-1, 0]}]\n"
             "probes: {P: {body: bob, at: [-1, 0]}}\nsimulate: {until: 2, tolerance: 1e-9, stop: %s}\n",
             stops);
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_run_summary summary = {0};
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_status status = bl_simulate(ctx, model, &(bl_run_options){.integrator = integrator, .tolerance = tolerance}, NULL, 0, &summary);
    if (status != BL_EVENT && status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    snprintf(by, 64, "%s", summary.stopped_by ? summary.stopped_by : "");
    *steps = summary.steps;
    bl_model_destroy(model);
    test_context_end(ctx);
    return summary.t;
}

static void first_passage__is_exact_to_rounding(void **state) {
    (void)state;
    char by[64];
    long steps;
    double want = (double)(QUARTER / sqrtl(9.81L));
    double t = stop_at("series", 1e-14, "P.x", by, &steps);
    print_message("%ld steps: %.17g, off by %.1e\n", steps, t, t / want - 1);
    assert_string_equal(by, "P.x");
    assert_true(fabs(t / want - 1) < 1e-14);
}

/* y = -1 + d is passed twice, around the lowest point, at w t = K -+ F(asin sqrt d | 1/2); the function is negative by only d. Rounding of
 * y, 2e-16, is 2e-16 / |y'| of time. */
static void pairs_of_crossings_within_a_step__are_not_missed(void **state) {
    (void)state;
    static const char *const integrator[] = {"series", "series:order=40"};
    for (int k = 0; k < 2; k++)
        for (double d = 1e-1; d > 1e-12; d *= 0.1) {
            char by[64], stop[64];
            long steps;
            snprintf(stop, sizeof stop, "P.y + 1 - %.17g", d);
            double want = (double)((QUARTER - elliptic(sqrtl(d))) / sqrtl(9.81L)), slope = sqrt(2 * 9.81 * (1 - d)) * sqrt(d * (2 - d));
            double t = stop_at(integrator[k], 1e-14, stop, by, &steps);
            print_message("%s, d = %.0e: %ld steps, %.17g, off by %.1e\n", integrator[k], d, steps, t, t - want);
            assert_true(by[0]);
            assert_true(fabs(t - want) < 2e-15 + 2e-15 / slope);
        }
}

/* Two stops 1e-6 s apart, listed in either order: the bob passes x = 0 at its fastest. */
static void two_events_close_together__come_in_their_order(void **state) {
    (void)state;
    static const char *const stops[] = {"[P.x, P.x - 4.4e-6]", "[P.x - 4.4e-6, P.x]", "[P.x + 4.4e-6, P.x]", "[P.x, P.x + 4.4e-6]"};
    double want = (double)(QUARTER / sqrtl(9.81L));
    for (int k = 0; k < 4; k++) {
        char by[64];
        long steps;
        double t = stop_at("series", 1e-14, stops[k], by, &steps), before = k < 2 ? 0 : 4.4e-6 / sqrt(2 * 9.81);
        assert_string_equal(by, k < 2 ? "P.x" : "P.x + 4.4e-6");
        assert_true(fabs(t - want + before) < 1e-14);
    }
}

/* functions that never vanish, or only touch zero, do not end the run */
static void no_event__ends_no_run(void **state) {
    (void)state;
    static const char *const stops[] = {"P.y + 1.0001", "P.y + 1 + 1e-12", "P.x - 1.0001", "P.x^2 + P.y^2 - 2"};
    for (int k = 0; k < 4; k++) {
        char by[64];
        long steps;
        assert_true(stop_at("series", 1e-13, stops[k], by, &steps) == 2);
        assert_string_equal(by, "");
    }
}

/* An event function that is far from 0, near it and smooth: searching for its roots allocates no memory. */
static void looking_for_events__allocates_nothing(void **state) {
    (void)state;
    static const char text[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bob, points: [{mass: 1, at: [-1, 0]}]}]\n"
                               "joints: [{name: rod, type: rod, bodies: [ground, bob], at: [0, 0], to: [-1, 0]}]\n"
                               "probes: {P: {body: bob, at: [-1, 0]}}\nsimulate: {until: 8, stop: [P.y + 1 + 1e-9, abs(P.x) - 1.1]}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start = {0};
    bl_simulation *sim;
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_run_prepare(ctx, model, "natural", &sys, &start), BL_OK);
    bl_simulation_setup setup = {.formulation = "partition", .integrator = "series", .t_end = 8, .tolerance = 1e-10};
    assert_int_equal(bl_simulation_create(sys, &start, &setup, &sim), BL_OK);
    assert_non_null(sim->roots);
    long quiet = 0;
    while (*sim->state.t < 8) {
        long chosen = sim->form->stats.repartitions + sim->form->stats.factors;
        size_t before = bl_context_memory(ctx).calls;
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
        if (sim->form->stats.repartitions + sim->form->stats.factors != chosen)
            continue;
        assert_int_equal(bl_context_memory(ctx).calls, before);
        quiet++;
    }
    assert_true(quiet > 10);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &start);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_passage__is_exact_to_rounding),
        cmocka_unit_test(pairs_of_crossings_within_a_step__are_not_missed),
        cmocka_unit_test(two_events_close_together__come_in_their_order),
        cmocka_unit_test(no_event__ends_no_run),
        cmocka_unit_test(looking_for_events__allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
