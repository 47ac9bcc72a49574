/* held: inputs u that are constant or follow a prescribed curve: actuator forces, parameters in laws. A system is built with a list of
 * them (coords.h), so that the model stays unchanged; derivatives with respect to them are exact (BL_U in system.h). */
#ifndef BL_HELD_H
#define BL_HELD_H

#include "biela/context.h"

typedef enum bl_held_what {
    BL_HELD_VARIABLE,  /* a force on variable `ref` of the model, positive in the direction in which it increases */
    BL_HELD_FORCE,     /* the magnitude of force element `ref` along its direction; for springs, positive when it pushes the ends apart */
    BL_HELD_PARAMETER, /* parameter `ref` of the model in laws of forces */
    BL_HELD_SIGNAL     /* signal `ref` of the model in laws: an input, a held number or a state */
} bl_held_what;

typedef struct bl_held {
    bl_held_what what;
    bl_index ref;
    bool replaces; /* FORCE: acts instead of the element's own law */
    bool varies;   /* SIGNAL: it may change during a step, at a rate that the caller knows */
    double value;  /* default value */
    /* curve over time instead of the constant value, for runs that reproduce the result of another study; NULL: constant */
    double (*at)(const void *curve, double t);
    const void *curve;
} bl_held;

static inline double bl_held_now(const bl_held *held, double t) { return held->at ? held->at(held->curve, t) : held->value; }

#endif
