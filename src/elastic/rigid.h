/* rigid: a model whose elastic bodies are rigid ones of the same mass, for all that is asked of a mechanism as such: its start, its
 * mobility, its structure. Joints, drivers, variables, probes and initial values keep their numbers. */
#ifndef BL_ELASTIC_RIGID_H
#define BL_ELASTIC_RIGID_H

#include "joint/joint.h"

typedef struct bl_rigid_model {
    bl_model model; /* shares everything else with the original, which must outlive it; without forces */
    bl_index *body; /* [bodies of the original] its number in `model` */
    bl_arena arena;
} bl_rigid_model;

/* Destroy *rigid also after failure. */
bl_status bl_rigid_model_create(bl_context *ctx, const bl_model *model, bl_rigid_model *rigid);
void bl_rigid_model_destroy(bl_rigid_model *rigid);

/* Mass, center and inertia (global axes, about the center) of an elastic body in the model configuration, masses on its frames included. */
typedef struct bl_elastic_mass {
    double mass, center[3], inertia[3][3];
} bl_elastic_mass;
void bl_elastic_mass_of(const bl_model *model, const bl_elastic_def *def, bl_elastic_mass *out);

/* Poses of the bodies of the original, as parts of the bodies of `model`; and back: each elastic body takes the pose of its first body.
 * Then velocities of the bodies of the original where they are, from the twists of those of `model`. */
void bl_rigid_model_spread(const bl_rigid_model *rigid, const bl_model *model, const bl_pose *of_rigid, bl_pose *pose);
void bl_rigid_model_gather(const bl_rigid_model *rigid, const bl_model *model, const bl_pose *pose, bl_pose *of_rigid);
void bl_rigid_model_move(const bl_rigid_model *rigid, const bl_model *model, const bl_pose *of_rigid, bl_pose *pose);

#endif
