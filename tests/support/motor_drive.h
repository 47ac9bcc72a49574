/* Mechanisms of bodies whose first variable is driven by a motor: a system around that of the mechanism, in any coordinates, with two
 * first-order states, the current i and the filtered rate w of the variable s,
 *
 *     L i' = U - R i - k s',   tau w' = s' - w,   force on the variable: k i - friction s' - c w,
 *
 * with the numbers of studies K9. Derivatives by differences; no power series. */
#ifndef TEST_MOTOR_DRIVE_H
#define TEST_MOTOR_DRIVE_H

#include "model/model.h"
#include "system/system.h"

typedef struct motor_drive {
    double strength; /* factor of k: 1 is K9 */
    double filtered; /* c */
    double broken;   /* > 0: time after which w' is not a number */
} motor_drive;

/* The system and its start, assembled. The model must outlive it. */
bl_status motor_drive_create(bl_context *ctx, const bl_model *model, const char *coordinates, const motor_drive *drive, bl_system **sys,
                             bl_state *state);

#endif
