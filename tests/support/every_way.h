/* Models as text, run in every kind of coordinates by two formulations; models that must be refused. */
#ifndef BL_TEST_EVERY_WAY_H
#define BL_TEST_EVERY_WAY_H

#include "biela/biela.h"

enum { TEST_MOST_VALUES = 24 };

/* The last sample of a run, and the largest errors of all its samples. */
typedef struct test_ending {
    const char *coordinates, *formulation;
    char label[96]; /* of the run, for messages */
    double t, variable[TEST_MOST_VALUES], rate[TEST_MOST_VALUES], probe[TEST_MOST_VALUES][3], probe_rate[TEST_MOST_VALUES][3];
    double relation_force[TEST_MOST_VALUES]; /* of the joints */
    bl_wrench reaction[TEST_MOST_VALUES];
    bl_pose body[TEST_MOST_VALUES];
    double spring_length[TEST_MOST_VALUES], spring_tension[TEST_MOST_VALUES];
    double kinetic, potential, work;
    double energy_error, drift; /* largest */
    bl_index nvariable, nprobe, njoint, nbody, nspring;
    bl_run_summary summary;
    bl_index warnings;
    char warning[512]; /* the first */
} test_ending;

typedef void (*test_ending_check)(const test_ending *ending, void *user);
/* Also called for every sample, if not NULL. */
typedef void (*test_sample_check)(const bl_sample *sample, const test_ending *run, void *user);

/* natural, mixed, reference (two orientations) and relative coordinates, each with `partition` and `lagrange`. Fails the
 * test if a run fails. options may be NULL; its coordinates and formulation are replaced. */
void test_every_way(const char *text, const bl_run_options *options, test_sample_check sample, test_ending_check check, void *user);
/* One run. */
void test_one_way(const char *text, const bl_run_options *options, test_sample_check sample, test_ending *ending, void *user);

/* Reads and simulates a text that must be refused (BL_E_MODEL) at the place marked '~' (none: anywhere) with these words in the message
 * and, unless NULL, in the advice. */
void test_refused(const char *text, const char *what, const char *advice);

/* The run gave no warning, or the test fails with it. */
void test_no_warning(const test_ending *run);
/* |a - b| <= tolerance, or the test fails with the label */
void test_close(const test_ending *run, const char *what, double a, double b, double tolerance);

#endif
