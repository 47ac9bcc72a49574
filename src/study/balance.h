/* balance: error checks during a run. The energy balance at accepted states and the drift at samples are compared with what the tolerance
 * allows: a violation is a warning with the time it began; a result that has become meaningless ends the run.
 * The factors and their reasons: docs/theory/balance.md. */
#ifndef BL_STUDY_BALANCE_H
#define BL_STUDY_BALANCE_H

#include "system/system.h"

struct bl_simulation;

/* study_balance_many (study_limits.h), the largest balance error allowed as a multiple of the error of N steps that each meet the
 * tolerance, is two factors of 10:
 * - The error norm is the largest of n components, each relative to itself or its scale; energy and momentum add them. With M <= n diag M
 *   the sum is at most sqrt(n) times the norm, 10 for a hundred coordinates.
 * - Estimates are leading terms of errors, and the error of a step may be several times its estimate: 10. `compare` allows this too.
 * Errors of energy add up but do not grow: the exact motion conserves the energy left by the steps, so N steps make N errors. */

typedef struct bl_run_balance {
    bool energy;                      /* the energy balance is checked */
    double tolerance;                 /* of the method; NaN: fixed steps */
    double kinetic, potential, work;  /* at the start */
    double moving;                    /* kinetic energy of velocities as large as their scales */
    double most_potential, most_work; /* largest changes so far */
    double length;                    /* smallest scale of a coordinate */
    double began;                     /* last time at which the balance held before it was violated; NaN: it holds */
    double start;                     /* of the run */
    double last;                      /* time of the last check */
    long checked;                     /* number of steps at the last check */
    bool energy_warned, drift_warned;
    /* first-order fields on meshes with fixed steps, which have no energy; NULL where they are not checked */
    double *z, *f;       /* [nz] states and right-hand sides at the last check */
    double moved;        /* length of the last change */
    double from_t, from; /* when changes began to grow against their rates, and their length then */
    int growing;         /* consecutive checks with growth */
} bl_run_balance;

/* At the start of a run, after its energy_start. */
bl_status bl_balance_begin(struct bl_simulation *sim);
void bl_balance_end(struct bl_simulation *sim);
/* After an accepted step. BL_E_NUMERIC: the result has become meaningless. */
bl_status bl_balance_step(struct bl_simulation *sim);
/* The same for the drift of a sample. */
bl_status bl_balance_drift(struct bl_simulation *sim, double t, double drift);

#endif
