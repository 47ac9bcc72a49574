/* Runs a hand-coded system and visits chosen times. */
#ifndef BL_TEST_MOTION_H
#define BL_TEST_MOTION_H

#include "study/simulation.h"
#include "support/points.h"

typedef struct test_motion {
    bl_context *ctx;
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
} test_motion;

/* Asserts that everything can be made. */
void test_motion_begin(test_motion *motion, bl_context *ctx, const test_points *def, const bl_simulation_setup *setup);
void test_motion_end(test_motion *motion);

/* Advances to the end; visit(user, sample) at every multiple of `every` and at the end. Asserts success. */
void test_motion_run(test_motion *motion, double every, void (*visit)(void *user, const bl_sample *sample), void *user);

#endif
