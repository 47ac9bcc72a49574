/* Motions x'' = law with jumps and kinks, in time and in the state, whose end is known: as equations, as a cart, as a disc. */
#ifndef BL_TEST_SWITCHING_H
#define BL_TEST_SWITCHING_H

#include "biela/biela.h"

#include <stddef.h>

typedef struct switching {
    const char *law; /* x'' = law of x, v, t */
    double start, until, exact;
} switching;

enum { SWITCHING_TASKS = 12 };
void switching_tasks(switching list[SWITCHING_TASKS]);

/* equations of second and first order; a body in a guide, one on a hinge */
typedef enum switching_as { SECOND, FIRST, CART, DISC } switching_as;
void switching_model(switching_as as, const switching *t, char *text, size_t n);

/* The first variable at the end; NaN, and why, when the run failed. summary may be NULL. */
double switching_run(const char *text, const bl_run_options *options, bl_run_summary *summary, char why[512]);
/* Difference from the known value, relative to values above 1. */
double switching_error(switching_as as, const switching *t, bl_run_options options, char why[512]);

/* Every adaptive integrator at 1e-6, 1e-9 and 1e-12: its error may be ten times that on a smooth oscillator over the same time. */
extern const char *const switching_adaptive[];
extern const int switching_adaptive_count;
void switching_adaptive_methods(switching_as as, const char *formulation);

#endif
