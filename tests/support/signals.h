/* Runs of models with signals: values of variables, rates, probes and signals by name at given times. */
#ifndef BL_TEST_SIGNALS_H
#define BL_TEST_SIGNALS_H

#include "biela/biela.h"

enum { TEST_SIGNAL_NAMES = 8, TEST_SIGNAL_TIMES = 64 };

typedef struct test_signal_run {
    /* asked */
    const char *text;
    const char *coordinates, *formulation, *integrator; /* NULL: the default */
    double tolerance, step;                             /* 0: the default */
    double until;                                       /* 0: the last time */
    const char *name[TEST_SIGNAL_NAMES];                /* NULL ends: variable, variable_rate, signal, "kinetic", "energy_error" */
    double at[TEST_SIGNAL_TIMES];
    int nat;
    const bl_inputs *inputs; /* over time; NULL: none */
    /* found */
    bl_status status;
    bl_run_summary summary;
    double value[TEST_SIGNAL_TIMES][TEST_SIGNAL_NAMES];
    int found; /* samples */
    double largest_energy_error;
    char message[512], advice[512], warning[512], stopped_by[64];
    char label[160];
} test_signal_run;

/* Returns the status; the context and the model are gone afterwards. */
bl_status test_signal_execute(test_signal_run *run);
/* The same; fails the test with the message unless the run succeeds (or ends at a stop expression). */
void test_signal_expect(test_signal_run *run);
/* Fails the test, with the label of the run, if value k at time i is off by more than tolerance. */
void test_signal_near(const test_signal_run *run, int i, int k, double want, double tolerance);

#endif
