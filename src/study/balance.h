/* balance: what a run can know of its own error. The energy balance at accepted states and the drift at samples are compared with what
 * the tolerance allows: a contradiction is a warning with the time it began, an answer that is worthless ends the run.
 * The factors and their reasons: docs/theory/balance.md. */
#ifndef BL_STUDY_BALANCE_H
#define BL_STUDY_BALANCE_H

#include "system/system.h"

struct bl_simulation;

typedef struct bl_balance {
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
} bl_balance;

/* At the start of a run, after its energy_start. */
bl_status bl_balance_begin(struct bl_simulation *sim);
/* After an accepted step. BL_E_NUMERIC: what was reached is worthless. */
bl_status bl_balance_step(struct bl_simulation *sim);
/* The same of a sample's drift. */
bl_status bl_balance_drift(struct bl_simulation *sim, double t, double drift);

#endif
