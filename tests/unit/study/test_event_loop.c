/* The loop of events on hand-coded systems: jumps of the state, directions, times known in advance, two samples at an event. */
#include "support/motion.h"
#include "support/testing.h"

#include "biela/biela.h"
#include "study/event_roots.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"rk4",   "bs23",         "dopri45", "dop853",           "abm",        "ndf_auto", "mebdf_auto",
                                      "radau", "rosenbrock23", "trbdf2",  "trapezoidal_auto", "stiff_auto", "bdf:2",    "trapezoidal"};
enum { METHODS = sizeof methods / sizeof *methods };

static bool fixed_step(const char *name) { return !strcmp(name, "rk4") || !strncmp(name, "bdf", 3) || !strcmp(name, "trapezoidal"); }

/* ---- a ball that bounces: the located state lies behind the floor, the event must not fire again there */

static const double REBOUND = 0.9;

static bl_status bounce(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    (void)sys;
    (void)e;
    assert_int_equal(event, 0);
    assert_true(state->v[1] < 0);
    state->v[1] *= -REBOUND;
    return BL_OK;
}

/* height and velocity at t of a ball thrown up with v from the floor, *count: bounces */
static void bouncing(double t, double v, double g, int *count, double *y, double *rate) {
    *count = 0;
    for (double left = t;; left -= 2 * v / g, v *= REBOUND, ++*count)
        if (left < 2 * v / g) {
            *y = v * left - 0.5 * g * left * left;
            *rate = v - g * left;
            return;
        }
}

static void ball__bounces_as_often_as_it_must(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        bl_context *ctx = test_context(NULL);
        test_points def = {.npoint = 1, .gravity = 10, .point = {{.mass = 2, .vx = 3, .vy = 4}}, .nevent = 1, .event_col = 1};
        test_motion motion = {.ctx = ctx};
        assert_int_equal(test_points_create(ctx, &def, &motion.sys, &motion.start), BL_OK);
        bl_system_kind kind = *motion.sys->kind;
        const bl_event_def floor = {.what = BL_EVENT_SWITCH, .direction = -1, .scale = 1};
        kind.jump = bounce;
        motion.sys->kind = &kind;
        motion.sys->event = &floor;
        bl_simulation_setup setup = {.integrator = methods[i], .t_end = 5, .step = fixed_step(methods[i]) ? 0.05 : 0, .tolerance = 1e-9};
        if (bl_simulation_create(motion.sys, &motion.start, &setup, &motion.sim) != BL_OK)
            fail_msg("%s: %s", setup.integrator, bl_context_error(ctx)->what);
        int bounces = 0;
        while (*motion.sim->state.t < 5) {
            double vy = motion.sim->state.v[1];
            assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
            bounces += motion.sim->cross_due;
            if (motion.sim->cross_due) { /* two samples */
                bl_sample before, behind;
                double t = *motion.sim->state.t;
                assert_int_equal(bl_simulation_sample(motion.sim, t, &before), BL_OK);
                assert_int_equal(before.side, -1);
                vy = before.variable_rate[1];
                assert_true(fabs(before.energy_error) < 1e-4);
                assert_int_equal(bl_simulation_cross(motion.sim), BL_OK);
                assert_int_equal(bl_simulation_sample(motion.sim, t, &behind), BL_OK);
                assert_int_equal(behind.side, 1);
                assert_float_equal(behind.variable_rate[1], -REBOUND * vy, 1e-12);
                assert_true(fabs(behind.energy_error) < 1e-4);            /* work took the loss */
                assert_int_equal(bl_simulation_cross(motion.sim), BL_OK); /* once */
                assert_float_equal(motion.sim->state.v[1], -REBOUND * vy, 1e-12);
            }
        }
        int expected;
        double y, rate;
        bouncing(5, 4, 10, &expected, &y, &rate);
        /* parabolas: exact for all but low orders */
        double allowed = fixed_step(methods[i]) ? (strcmp(methods[i], "rk4") ? 0.02 : 1e-9) : 1e-6;
        if (bounces != expected || !(fabs(motion.sim->state.q[1] - y) < allowed))
            fail_msg("%s: %d bounces, %d expected; y = %.12g, expected %.12g", methods[i], bounces, expected, motion.sim->state.q[1], y);
        motion.sys->kind = &kind;
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

/* ---- directions */

static void event__counts_in_its_direction(void **state) {
    (void)state;
    const char *const integrator[] = {"dopri45", "rk4", "abm"};
    double up = (4 - sqrt(16 - 2 * 10 * 0.5)) / 10, down = (4 + sqrt(16 - 2 * 10 * 0.5)) / 10;
    for (int i = 0; i < 3; i++)
        for (int8_t direction = -1; direction <= 1; direction++) {
            bl_context *ctx = test_context(NULL);
            test_points def = {
                .npoint = 1, .gravity = 10, .point = {{.mass = 2, .vy = 4}}, .nevent = 1, .event_col = 1, .event_value = 0.5};
            test_motion motion = {.ctx = ctx};
            const bl_event_def event = {.what = BL_EVENT_STOP, .direction = direction, .scale = 1};
            assert_int_equal(test_points_create(ctx, &def, &motion.sys, &motion.start), BL_OK);
            motion.sys->event = &event;
            bl_simulation_setup setup = {.integrator = integrator[i], .t_end = 2, .step = 0.1};
            if (bl_simulation_create(motion.sys, &motion.start, &setup, &motion.sim) != BL_OK)
                fail_msg("%s: %s", setup.integrator, bl_context_error(ctx)->what);
            bl_status status = BL_OK;
            while (status == BL_OK && *motion.sim->state.t < 2)
                status = bl_simulation_advance(motion.sim);
            assert_int_equal(status, BL_EVENT);
            assert_float_equal(*motion.sim->state.t, direction < 0 ? down : up, 1e-12);
            test_motion_end(&motion);
            test_context_end(ctx);
        }
}

static bl_status wave(void *user, double x, double *value) {
    (void)user;
    value[0] = cos(4 * x); /* -1 at -1: down at pi/8 - ... */
    value[1] = x - 0.3;
    return BL_OK;
}

/* cos(4 x) is negative at -1, rises through zero at -3 pi/8 + pi/4 = -pi/8 and falls at pi/8 */
static void roots__are_those_of_a_direction(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_event_roots *roots;
    double start[2], x;
    bl_index which;
    assert_int_equal(bl_event_roots_create(ctx, 2, &roots), BL_OK);
    wave(NULL, -1, start);
    const struct {
        signed char direction[2];
        double x;
        bl_index which;
    } expected[] = {{{0, 0}, -acos(-1) / 8, 0}, {{1, 0}, -acos(-1) / 8, 0}, {{-1, 0}, 0.3, 1}, {{-1, -1}, acos(-1) / 8, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_int_equal(bl_event_roots_first(roots, wave, NULL, start, expected[i].direction, 0, &x, &which), BL_OK);
        assert_int_equal(which, expected[i].which);
        assert_float_equal(x, expected[i].x, 1e-13);
    }
    bl_event_roots_destroy(roots);
    test_context_end(ctx);
}

/* ---- times known in advance: steps end there to the bit, whatever the method */

static bl_status every_third(const bl_system *sys, const bl_state *state, double *t) {
    (void)sys;
    *t = (floor(*state->t * 3 + 1e-9) + 1) / 3.0;
    return BL_OK;
}

static bl_status kick(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    (void)sys;
    (void)e;
    assert_int_equal(event, -1);
    state->v[0] += 1;
    return BL_OK;
}

static void times__are_met_exactly(void **state) {
    (void)state;
    for (int i = 0; i < METHODS; i++) {
        bl_context *ctx = test_context(NULL);
        test_points def = {.npoint = 1, .gravity = 10, .point = {{.mass = 2, .vx = 3, .vy = 4}}};
        test_motion motion = {.ctx = ctx};
        assert_int_equal(test_points_create(ctx, &def, &motion.sys, &motion.start), BL_OK);
        bl_system_kind kind = *motion.sys->kind;
        kind.next_time = every_third;
        kind.jump = kick;
        motion.sys->kind = &kind;
        bl_simulation_setup setup = {.integrator = methods[i], .t_end = 2, .step = fixed_step(methods[i]) ? 0.05 : 0, .tolerance = 1e-9};
        if (bl_simulation_create(motion.sys, &motion.start, &setup, &motion.sim) != BL_OK)
            fail_msg("%s: %s", setup.integrator, bl_context_error(ctx)->what);
        int met = 0;
        while (*motion.sim->state.t < 2) {
            assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
            if (motion.sim->cross_due)
                assert_true(*motion.sim->state.t == ++met / 3.0);
        }
        assert_int_equal(met, 6);
        /* x' = 3, 4, ..., 8, a third of a second each */
        assert_float_equal(motion.sim->state.q[0], (3 + 4 + 5 + 6 + 7 + 8) / 3.0, 1e-9);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball__bounces_as_often_as_it_must),
        cmocka_unit_test(event__counts_in_its_direction),
        cmocka_unit_test(roots__are_those_of_a_direction),
        cmocka_unit_test(times__are_met_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
