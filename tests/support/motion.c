#include "support/motion.h"

#include "support/testing.h"

#include <math.h>

void test_motion_begin(test_motion *motion, bl_context *ctx, const test_points *def, const bl_simulation_setup *setup) {
    *motion = (test_motion){.ctx = ctx};
    assert_int_equal(test_points_create(ctx, def, &motion->sys, &motion->start), BL_OK);
    bl_status status = bl_simulation_create(motion->sys, &motion->start, setup, &motion->sim);
    if (status != BL_OK)
        print_error("%s\n", bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
}

void test_motion_end(test_motion *motion) {
    bl_simulation_destroy(motion->sim);
    bl_state_destroy(motion->sys, &motion->start);
    bl_system_destroy(motion->sys);
}

void test_motion_run(test_motion *motion, double every, void (*visit)(void *user, const bl_sample *sample), void *user) {
    bl_simulation *sim = motion->sim;
    double until = sim->integ->control.t_end;
    long next = every > 0 ? (long)floor(*sim->state.t / every) + 1 : 1;
    while (*sim->state.t < until) {
        bl_status status = bl_simulation_advance(sim);
        if (status != BL_OK) {
            const bl_error *error = bl_context_error(motion->ctx);
            print_error("t = %g: %s (%s, %s)\n", *sim->state.t, error->what, error->part, error->equation);
        }
        assert_int_equal(status, BL_OK);
        for (; every > 0; next++) {
            double t = (double)next * every;
            if (fabs(t - until) < 1e-9 * every)
                t = until;
            if (t > *sim->state.t)
                break;
            bl_sample sample;
            assert_int_equal(bl_simulation_sample(sim, t, &sample), BL_OK);
            if (visit)
                visit(user, &sample);
        }
    }
}
