/* actuators: force, power and energy of the actuators or drivers of a mechanism, over the samples of a study. */
#ifndef BL_STUDY_ACTUATORS_H
#define BL_STUDY_ACTUATORS_H

#include "base/base.h"
#include "biela/biela.h"
#include "model/model.h"

enum { BL_QUADRATURE_POINTS = 4 };

typedef struct bl_actuators {
    bl_context *ctx;
    bl_index n;
    double *force, *power, *energy; /* [n] at the last sample */
    double *past;                   /* [points][n] powers at t[], the newest last */
    double *fixed;                  /* [n] energy up to the first of these points */
    double t[BL_QUADRATURE_POINTS];
    int points;
    const bl_index *variable; /* [n] of drivers: the variable each one moves; NULL: powers are given */
    void *block;
} bl_actuators;

bl_status bl_actuators_create(bl_context *ctx, bl_index n, bl_actuators *a);
void bl_actuators_destroy(bl_actuators *a);
/* Adds a sample: its time and the powers in a->power. Energy grows by the integral of the cubic through the last four samples. A repeated
 * time, or `side` 1, restarts the quadrature after a jump. After a power that is NaN, energy stays NaN. */
void bl_actuators_take(bl_actuators *a, double t, int side);

/* Drivers as actuators of a run: their names in info (in arena); bl_actuators_show fills a sample that has reactions and rates. */
bl_status bl_actuators_of_drivers(bl_context *ctx, const bl_model *model, bl_arena *arena, bl_run_info *info, bl_actuators *a);
void bl_actuators_show(bl_actuators *a, bl_sample *sample);

#endif
