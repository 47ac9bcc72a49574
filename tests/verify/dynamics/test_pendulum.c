/* The simple pendulum (IFToMM benchmark A01) through both formulations and both integrators.
 * Exact: x = sin phi, y = -cos phi, phi = -2 asin(cd(sqrt(g) t | 1/2) / sqrt 2). */
#include "support/motion.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>

static const double reference[][3] = {{0.5, -0.3910487916, -0.9203699488},
                                      {1, 0.9862917511, -0.1650108531},
                                      {2, -0.7935661953, -0.6084839304},
                                      {5, -0.9423054350, -0.3347543384},
                                      {10, -0.2750874626, -0.9614192051}};
enum { NREFERENCE = 5 };

typedef struct record {
    double error, drift, velocity_drift, energy, last_x, last_y;
    int nhit;
} record;

static void visit(void *user, const bl_sample *sample) {
    record *seen = user;
    seen->drift = fmax(seen->drift, sample->drift);
    seen->velocity_drift = fmax(seen->velocity_drift, sample->velocity_drift);
    seen->energy = fmax(seen->energy, fabs(sample->energy_error));
    seen->last_x = sample->variable[0];
    seen->last_y = sample->variable[1];
    for (int i = 0; i < NREFERENCE; i++)
        if (fabs(sample->t - reference[i][0]) < 1e-9) {
            double dx = sample->variable[0] - reference[i][1], dy = sample->variable[1] - reference[i][2];
            seen->error = fmax(seen->error, hypot(dx, dy));
            seen->nhit++;
        }
}

static record simulate(const bl_simulation_setup *setup, bl_run_summary *summary) {
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    test_motion motion;
    record seen = {0};
    test_motion_begin(&motion, ctx, &def, setup);
    test_motion_run(&motion, 0.5, visit, &seen);
    if (summary)
        bl_simulation_summary(motion.sim, summary);
    test_motion_end(&motion);
    test_context_end(ctx);
    return seen;
}

static const char *const formulations[] = {"lagrange", "partition:2", "partition:3,independent", "partition:3,full"};
enum { NFORMULATION = 4 };

/* tolerance 1e-10 per step, about 1300 steps; the pendulum neither damps nor amplifies errors by more than t: 1e-10 x steps is generous */
static void pendulum__reaches_the_published_positions(void **state) {
    (void)state;
    for (int i = 0; i < NFORMULATION; i++) {
        bl_run_summary summary = {0};
        record seen = simulate(&(bl_simulation_setup){.formulation = formulations[i], .t_end = 10, .tolerance = 1e-10}, &summary);
        assert_int_equal(seen.nhit, NREFERENCE);
        assert_true(seen.error < 1e-7);
        assert_true(seen.energy < 1e-7);
    }
}

/* RK4 over the complete path: halving h divides the error at t = 2 by 16 */
static void whole_path__has_order_4_with_rk4(void **state) {
    (void)state;
    for (int i = 0; i < NFORMULATION; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            record seen = simulate(
                &(bl_simulation_setup){
                    .formulation = formulations[i], .integrator = "rk4", .t_end = 2, .step = k ? 0.005 : 0.01, .projection_tolerance = -1},
                NULL);
            error[k] = seen.error;
        }
        double order = log2(error[0] / error[1]);
        assert_true(order > 3.7 && order < 5.3);
    }
}

/* dopri45 with a huge tolerance takes fixed steps. The turning points make the coefficient of h^5 large and that of h^6 larger, so that the
 * order with coarse steps is above 5; the steps are as small as the ten digits of the reference allow. */
static void whole_path__has_order_5_with_dopri45(void **state) {
    (void)state;
    for (int i = 0; i < NFORMULATION; i++) {
        double error[2];
        for (int k = 0; k < 2; k++) {
            double h = k ? 0.0125 : 0.025;
            record seen = simulate(
                &(bl_simulation_setup){
                    .formulation = formulations[i], .t_end = 2, .step = h, .h_max = h, .tolerance = 1e6, .projection_tolerance = -1},
                NULL);
            error[k] = seen.error;
        }
        double order = log2(error[0] / error[1]);
        assert_true(order > 4.5 && order < 7);
    }
}

/* Index 1 enforces only the second derivative: its drift grows with time like a discretization error; index 3 closes to rounding. */
static void drift__grows_with_index_1_and_stays_at_rounding_with_index_3(void **state) {
    (void)state;
    bl_simulation_setup setup = {.formulation = "lagrange", .integrator = "rk4", .t_end = 2, .step = 0.01, .projection_tolerance = -1};
    record early = simulate(&setup, NULL);
    setup.t_end = 10;
    record late = simulate(&setup, NULL);
    assert_true(late.drift > 2 * early.drift);
    assert_true(late.drift > 1e-8);
    setup.formulation = "partition:2";
    record second = simulate(&setup, NULL);
    assert_true(second.drift > 1e-13 && second.drift < late.drift);
    assert_true(second.velocity_drift < 1e-13);
    setup.formulation = "partition";
    record third = simulate(&setup, NULL);
    assert_true(third.drift < 1e-14);
    assert_true(third.velocity_drift < 1e-13);
}

static void projection__holds_the_drift_below_its_tolerance(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        bl_run_summary summary = {0};
        bl_simulation_setup setup = {
            .formulation = formulations[i], .integrator = "rk4", .t_end = 10, .step = 0.02, .projection_tolerance = 1e-7};
        record seen = simulate(&setup, &summary);
        assert_true(summary.projections > 5);
        assert_true(summary.projections < summary.steps);
        /* one step may exceed the tolerance by the drift of one step before it is projected */
        assert_true(seen.drift < 5e-7);
        setup.projection_tolerance = -1;
        record free_run = simulate(&setup, NULL);
        assert_true(free_run.drift > 10 * seen.drift);
        assert_true(free_run.energy > seen.energy);
    }
}

/* the swing passes x' = 0 and y' = 0: no single coordinate is independent all the time */
static void partition__exchanges_coordinates_and_stays_right(void **state) {
    (void)state;
    for (int i = 2; i < NFORMULATION; i++) {
        bl_run_summary summary = {0};
        record seen = simulate(&(bl_simulation_setup){.formulation = formulations[i], .t_end = 10, .tolerance = 1e-10}, &summary);
        /* 8.4 half swings, each passes the lowest point (x independent) and a turning point (y independent) */
        assert_in_range(summary.repartitions, 14, 20);
        assert_int_equal(summary.restarts, i == 2 ? summary.repartitions : 0);
        assert_true(seen.error < 1e-7);
    }
}

/* A pendulum that rotates fully: phi'' = -g sin phi from the lowest point with speed v0. Energy gives the speed at the top, v^2 = v0^2 - 4
 * g; after full revolutions the positions repeat, so the time of n revolutions measures the period. */
static void pendulum_turning_over__keeps_energy_and_period(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    def.point[1] = (test_point){.x = 0, .y = -1, .vx = 8, .mass = 1};
    /* period 4 K(m) / v0 x ... : T = (4 / v0) K(m), m = 4 g / v0^2, K by the arithmetic-geometric mean */
    double m = 4 * 9.81 / 64, a = 1, b = sqrt(1 - m);
    for (int i = 0; i < 8; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2 * acos(-1.0) / (8 * a);
    test_motion motion;
    record seen = {0};
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.t_end = 5 * period, .tolerance = 1e-10});
    test_motion_run(&motion, 5 * period, visit, &seen);
    assert_true(motion.sim->form->stats.repartitions >= 4 * 5 - 1);
    assert_float_equal(seen.last_x, 0, 1e-7);
    assert_float_equal(seen.last_y, -1, 1e-12);
    assert_true(seen.energy < 1e-7);
    test_motion_end(&motion);
    test_context_end(ctx);
}

/* The angle as a requested independent coordinate: never exchanged, massless column. */
static void wanted_independent_angle__is_taken_and_kept(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_points def = test_pendulum();
    def.point[1] = (test_point){.x = 0, .y = -1, .vx = 8, .mass = 1};
    def.nangle = 1;
    def.angle_rate[0] = 8;
    test_add_row(&def, (test_row){.what = ROW_ANGLE, .a = 0, .b = 1, .angle = 0});
    def.independent[0] = 2;
    def.nindependent = 1;
    test_motion motion;
    record seen = {0};
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.t_end = 5, .tolerance = 1e-9});
    test_motion_run(&motion, 0.5, visit, &seen);
    assert_int_equal(motion.sim->form->stats.repartitions, 0);
    assert_true(motion.sim->state.q[2] > 20); /* counts revolutions */
    assert_true(seen.energy < 1e-6);
    test_motion_end(&motion);
    /* the augmented matrix has the massless column too */
    record other = {0};
    test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = "lagrange", .t_end = 5, .tolerance = 1e-9});
    test_motion_run(&motion, 0.5, visit, &other);
    assert_float_equal(other.last_x, seen.last_x, 1e-6);
    assert_float_equal(other.last_y, seen.last_y, 1e-6);
    test_motion_end(&motion);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum__reaches_the_published_positions),
        cmocka_unit_test(whole_path__has_order_4_with_rk4),
        cmocka_unit_test(whole_path__has_order_5_with_dopri45),
        cmocka_unit_test(drift__grows_with_index_1_and_stays_at_rounding_with_index_3),
        cmocka_unit_test(projection__holds_the_drift_below_its_tolerance),
        cmocka_unit_test(partition__exchanges_coordinates_and_stays_right),
        cmocka_unit_test(pendulum_turning_over__keeps_energy_and_period),
        cmocka_unit_test(wanted_independent_angle__is_taken_and_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
