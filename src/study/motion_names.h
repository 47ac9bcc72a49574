/* motion_names, private: names small motions of a mechanism by its variables and bodies, the same in all coordinates.
 *
 *     "A.angle (1), B.angle (-0.42)"      the fastest variables, relative to the first
 *     "chassis.x", "chassis about z"      for a body that no joint variable describes */
#ifndef BL_MOTION_NAMES_H
#define BL_MOTION_NAMES_H

#include "model/model.h"
#include "system/system.h"

/* model NULL, or without bodies: by the names of coordinates (bl_motion_words). eval is at the configuration and is not moved, but
 * quantities that depend on velocities must be evaluated again. x[n] is a motion. */
bl_status bl_motion_of_bodies(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, char *text, size_t size);
/* Names that distinguish the motions x[count][n] of one space: "chassis.x; chassis.y; chassis about z". */
bl_status bl_motions_apart(const bl_model *model, const bl_system *sys, bl_eval *eval, bl_index count, const double *x, char *text,
                           size_t size);
/* The first of those names and its rate along x: a unit for stiffness and force. */
typedef struct bl_motion_unit {
    char name[96]; /* empty: x moves nothing */
    double rate;   /* NaN then */
    bool is_angle; /* else a length */
} bl_motion_unit;
bl_status bl_motion_measure(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, bl_motion_unit *unit);
/* Largest extent of the points of the model along an axis, in the given configuration; 1 if there are none. */
double bl_model_size(const bl_model *model);

#endif
