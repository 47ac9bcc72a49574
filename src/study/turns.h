/* turns: counts full revolutions of angles that positions determine only up to a revolution (bl_system.angle), over steps of any length.
 *
 * The history of a state holds a value of each angle within half a revolution of the true one, and the nearest one is chosen. After a step
 * in which an angle may have rotated far, its rate is integrated to predict the angle at the end of the step and at every time in it. */
#ifndef BL_STUDY_TURNS_H
#define BL_STUDY_TURNS_H

#include "system/system.h"

struct bl_simulation;

typedef struct bl_turns {
    bl_index n;     /* angles; 0: nothing is done */
    double bound;   /* of the rates at the end of the last step */
    bool known;     /* the history has the angles there, `rate` the rates */
    double *rate;   /* [n] */
    double *value;  /* [n] angles at the start of the last step */
    double *over;   /* [n] rotation during the step */
    double *node;   /* [nodes][n] rates at its Chebyshev points */
    double *sum;    /* [n][nodes + 1] integral of the rates from its start: coefficients on [-1, 1] */
    double *cosine; /* of multiples of the angle between points */
    int degree;     /* of the rates; 0: no angle rotated far, the history is valid within the step too */
    bool warned;
    void *block;
} bl_turns;

bl_status bl_turns_create(struct bl_simulation *sim);
void bl_turns_destroy(struct bl_simulation *sim);
/* At the state where a method starts: stores the angles in its history. */
bl_status bl_turns_begin(struct bl_simulation *sim);
/* After a step: stores the angles at its end in the history of the state. */
bl_status bl_turns_follow(struct bl_simulation *sim);
/* Replaces the angles in a history of the start of the last step by those predicted at a time in it. */
void bl_turns_expect(const struct bl_simulation *sim, double t, unsigned char *history);

#endif
