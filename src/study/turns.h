/* turns: whole turns of angles that positions show only up to a turn (bl_system.angle), over steps of any length.
 *
 * The history of a state holds a value of each angle, less than half a turn from the true one, and the nearest turn is taken. After a step
 * in which an angle may have turned far the rates are integrated over it: what they say is expected, at its end and at every time in it. */
#ifndef BL_STUDY_TURNS_H
#define BL_STUDY_TURNS_H

#include "system/system.h"

struct bl_simulation;

typedef struct bl_turns {
    bl_index n;     /* angles; 0: nothing is done */
    double bound;   /* of the rates at the end of the last step */
    bool looked;    /* the history has the angles there, `rate` the rates */
    double *rate;   /* [n] */
    double *value;  /* [n] where the last step began */
    double *over;   /* [n] how far they turned in it */
    double *node;   /* [nodes][n] rates at Chebyshev points of it */
    double *sum;    /* [n][nodes + 1] integral of the rates from its start: coefficients on [-1, 1] */
    double *cosine; /* of multiples of the angle between points */
    int degree;     /* of the rates; 0: no angle turned far, the history serves within the step too */
    bool warned;
    void *block;
} bl_turns;

bl_status bl_turns_create(struct bl_simulation *sim);
void bl_turns_destroy(struct bl_simulation *sim);
/* At the state where a method starts: its history takes the angles there. */
bl_status bl_turns_begin(struct bl_simulation *sim);
/* After a step, the state at its end: its history takes the angles there. */
bl_status bl_turns_follow(struct bl_simulation *sim);
/* The history of the start of the last step becomes what is expected at a time in it. */
void bl_turns_expect(const struct bl_simulation *sim, double t, unsigned char *history);

#endif
