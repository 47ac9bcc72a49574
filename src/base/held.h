/* held: numbers that stand still while everything else moves: forces of actuators, parameters that laws read. They are built into a system
 * by a list (coords.h), so that the model stays as it was read; derivatives by them are exact (BL_U in system.h). */
#ifndef BL_HELD_H
#define BL_HELD_H

#include "biela/context.h"

typedef enum bl_held_what {
    BL_HELD_VARIABLE, /* a force on variable `ref` of the model, in its direction of growth */
    BL_HELD_FORCE,    /* the magnitude of force element `ref` along its direction; of springs, what pushes their ends apart */
    BL_HELD_PARAMETER /* parameter `ref` of the model in laws of forces */
} bl_held_what;

typedef struct bl_held {
    bl_held_what what;
    bl_index ref;
    bool replaces; /* FORCE: what the element's own law says does not act */
    double value;  /* where nobody says another one */
    /* the number follows a curve of time instead, for runs that repeat what another study found; NULL: the value */
    double (*at)(const void *curve, double t);
    const void *curve;
} bl_held;

static inline double bl_held_now(const bl_held *held, double t) { return held->at ? held->at(held->curve, t) : held->value; }

#endif
