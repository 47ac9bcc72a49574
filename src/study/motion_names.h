/* motion_words, private: small motions of a mechanism named by its variables and bodies, the same in all coordinates.
 *
 *     "A.angle (1), B.angle (-0.42)"      what moves most, as shares of the first
 *     "chassis.x", "chassis about z"      of a body that no joint variable describes */
#ifndef BL_MOTION_NAMES_H
#define BL_MOTION_NAMES_H

#include "model/model.h"
#include "system/system.h"

/* model NULL, or without bodies: by the names of coordinates (bl_motion_words). eval stands at the place, and does so afterwards; what
 * depends on velocities is to be asked for anew. x[n] is a motion. */
bl_status bl_motion_of_bodies(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, char *text, size_t size);
/* By what it takes to tell motions x[count][n] of one space apart: "chassis.x; chassis.y; chassis about z". */
bl_status bl_motions_apart(const bl_model *model, const bl_system *sys, bl_eval *eval, bl_index count, const double *x, char *text,
                           size_t size);
/* The first of those words and how fast that moves with x: stiffness and force per unit of it mean something. */
typedef struct bl_motion_unit {
    char name[96]; /* empty: x moves nothing */
    double rate;   /* NaN then */
    bool is_angle; /* else a length */
} bl_motion_unit;
bl_status bl_motion_measure(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, bl_motion_unit *unit);
/* Largest distance between points of the model in the given configuration; 1 where there are none. */
double bl_model_size(const bl_model *model);

#endif
