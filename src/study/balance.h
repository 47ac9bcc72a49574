/* balance: what a run can know of its own error. The energy balance at accepted states and the drift at samples are compared with what
 * the tolerance allows: a contradiction is a warning with the time it began, an answer that is worthless ends the run.
 * The factors and their reasons: docs/theory/balance.md. */
#ifndef BL_STUDY_BALANCE_H
#define BL_STUDY_BALANCE_H

#include "system/system.h"

struct bl_simulation;

/* How many times what N steps may do at their tolerance a balance may be off by. Two digits, each with a reason, and no more:
 * - The error norm is the largest of n components, each relative to itself or its scale; energy and momentum add them. With M <= n diag M
 *   that makes at most sqrt(n) of it, 10 for a hundred coordinates.
 * - Estimates are the leading terms of errors, and one step may be off by several of them: a digit. `compare` allows it too.
 * Errors of energy add up and do not grow: the exact motion keeps what the steps left, so N steps make N of them. */
#define BL_BALANCE_MANY 100.0

typedef struct bl_run_balance {
    bool energy;                      /* there is one */
    double tolerance;                 /* what the method promises; NaN: fixed steps */
    double kinetic, potential, work;  /* at the start */
    double moving;                    /* kinetic energy of velocities as large as their scales */
    double most_potential, most_work; /* largest changes so far */
    double length;                    /* smallest scale of a coordinate */
    double began;                     /* when the balance was last in order before it was not; NaN: it is */
    double start;                     /* of the run */
    double last;                      /* when it was last looked at */
    long looked;                      /* after so many steps */
    bool energy_warned, drift_warned;
    /* fields of first order on meshes with fixed steps, which have no energy: NULL where nothing is examined */
    double *z, *f;       /* [nz] states and their forces at the last look */
    double moved;        /* length of the last change */
    double from_t, from; /* since when changes grow against their rates, and what they were then */
    int growing;         /* looks in a row */
} bl_run_balance;

/* At the start of a run, after its energy_start. */
bl_status bl_balance_begin(struct bl_simulation *sim);
void bl_balance_end(struct bl_simulation *sim);
/* After an accepted step. BL_E_NUMERIC: what was reached is worthless. */
bl_status bl_balance_step(struct bl_simulation *sim);
/* The same of a sample's drift. */
bl_status bl_balance_drift(struct bl_simulation *sim, double t, double drift);

#endif
