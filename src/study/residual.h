/* residual: whether the motion between steps satisfies the equations. The derivative of the dense output is compared with the rate that the
 * formulation gives there, at a few steps: those where the mean rate changed as never before, and a thinned set of the others.
 * The factors and their reasons: docs/theory/balance.md. */
#ifndef BL_STUDY_RESIDUAL_H
#define BL_STUDY_RESIDUAL_H

#include "system/system.h"

struct bl_simulation;
struct bl_formulation;

typedef struct bl_residual {
    const struct bl_formulation *form; /* whose y the arrays belong to, and after so many new choices of coordinates */
    long repartitions;
    bl_index ny, room;
    double *y;       /* [ny] at the end of the last step; the others behind it: */
    double *slope;   /* mean rate over that step */
    double *most;    /* largest size of each component so far */
    double *weight;  /* its typical size; 0: not looked at */
    double *work[7]; /* scratch */
    double t;        /* of y; NaN: unknown */
    bool sloped;     /* the slope is known */
    long steps, looked, looks, searched;
    long rates;    /* spent on looks */
    double passed; /* largest change of a slope that turned out to be in order */
    double seen;   /* ... that was looked at */
    int alert;     /* steps still to be looked at */
    bool warned;
} bl_residual;

/* At the start of a run, and when y gets another meaning. */
bl_status bl_residual_begin(struct bl_simulation *sim);
void bl_residual_destroy(struct bl_simulation *sim);
/* After an accepted step. BL_E_NUMERIC: it led over a pole, what was reached is worthless. Allocates when y gets longer. */
bl_status bl_residual_step(struct bl_simulation *sim);

#endif
