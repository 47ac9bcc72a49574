/* Properties of runs of a mechanism with an error in one dimension, with and without a closure. */
#ifndef BL_TEST_CLOSURE_CASES_H
#define BL_TEST_CLOSURE_CASES_H

#include "biela/biela.h"
#include "support/overconstrained.h"

typedef struct test_fall {
    bl_status status;
    double P[3], drift, misfit, energy_error;
    int named;      /* joints that warnings call redundant but for an amount */
    char text[384]; /* the last of these */
    char part[96], error[1024];
    int others; /* other warnings */
    bl_index dof;
} test_fall;

/* Falls until the end of the mechanism's time. closure 0: none; formulation, integrator may be NULL. */
void test_fall_run(const char *model, const char *coordinates, const char *formulation, const char *integrator, double closure,
                   double until, test_fall *fall);
/* The closure that fits an error of `off` (m or rad) of a mechanism. */
double test_closure_for(const test_overconstrained *mechanism, double off);
/* Asserts that the mechanism with this error moves or reports what locks it, and moves with the matching closure. */
void test_closure_case(const test_overconstrained *mechanism, double off, const char *coordinates);

#endif
