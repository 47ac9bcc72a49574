/* residual: checks whether the motion between steps satisfies the equations. In a few steps the derivative of the dense output is compared
 * with the rate of the formulation: where the mean rate changed more than ever before, and in a small selection of the others. The
 * thresholds and their reasons: docs/theory/balance.md. */
#ifndef BL_STUDY_RESIDUAL_H
#define BL_STUDY_RESIDUAL_H

#include "system/system.h"

struct bl_simulation;
struct bl_formulation;

typedef struct bl_residual {
    const struct bl_formulation *form; /* whose y the arrays belong to, after so many repartitions */
    long repartitions;
    bl_index ny, room;
    double *y;                             /* [ny] at the end of the last step; the others follow in the same block: */
    double *slope;                         /* mean rate over that step */
    double *most;                          /* largest size of each component so far */
    double *weight;                        /* its typical size; 0: not checked */
    double *work[7];                       /* scratch */
    double t;                              /* of y; NaN: unknown */
    bool sloped;                           /* the slope is known */
    long steps, checked, checks, searched; /* steps so far; the last one checked; number of checks; of searches for a pole */
    long rates;                            /* evaluations used by checks */
    double passed;                         /* largest change of a slope that passed the check */
    double seen;                           /* ... that was checked */
    int alert;                             /* steps to be checked after one that failed */
    bool warned;
} bl_residual;

/* At the start of a run, and when the meaning of y changes. */
bl_status bl_residual_begin(struct bl_simulation *sim);
void bl_residual_destroy(struct bl_simulation *sim);
/* After an accepted step. BL_E_NUMERIC: it crossed a pole, and the state after it is meaningless. Allocates when y gets longer. */
bl_status bl_residual_step(struct bl_simulation *sim);

#endif
