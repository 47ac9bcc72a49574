/* drivers: finds and reports laws of time that a mechanism cannot follow. Value, rate and second rate of a driver must be finite at all
 * times; where the rate jumps, the mechanism receives an impulse. */
#ifndef BL_STUDY_DRIVERS_H
#define BL_STUDY_DRIVERS_H

#include "model/model.h"

/* a pole that the law of a driver seems to approach */
typedef struct bl_driver_course {
    double t, lead; /* time of the last check; rate / second rate there */
    double pole;    /* estimated time of the pole */
    double far;     /* time to the pole when it was first estimated */
    int seen;       /* consecutive estimates that agree */
} bl_driver_course;

typedef struct bl_driver_watch {
    bl_context *ctx;
    const bl_model *model;
    double *in, *work;        /* scratch for the largest law */
    bl_driver_course *course; /* [ndriver] */
    void *block;
} bl_driver_watch;

/* *watch is zeroed by the call; destroy also after failure. */
bl_status bl_driver_watch_create(bl_context *ctx, const bl_model *model, bl_driver_watch *watch);
void bl_driver_watch_destroy(bl_driver_watch *watch);
/* BL_E_NUMERIC with driver and time when value, rate or second rate of one is not finite at t. */
bl_status bl_drivers_finite(const bl_driver_watch *watch, double t);
/* After a step to t: BL_E_NUMERIC with driver and time where a law has a pole before t_end, so near that it determines the steps. */
bl_status bl_drivers_follow(bl_driver_watch *watch, double t, double t_end);
/* After a run failed numerically at t: where a driver caused the failure, replaces the error by one that names the driver. */
void bl_drivers_explain(const bl_driver_watch *watch, double t);

#endif
