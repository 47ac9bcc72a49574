/* scene: what a picture of a model needs, as JSON (docs/RESULT.md), from the model alone. Private to scene*.c. */
#ifndef BL_STUDY_SCENE_H
#define BL_STUDY_SCENE_H

#include "base/hash.h"
#include "biela/json.h"
#include "force/force.h"
#include "joint/joint.h"

enum {
    BL_SCENE_GROUPS = 500 /* bodies up to which structural groups are looked for: 1 us a body, a quarter of what the scene takes */
};

typedef struct bl_scene_point {
    bl_index body, next; /* next one of the same body, -1 */
    double at[3];
} bl_scene_point;

typedef struct bl_scene {
    bl_context *ctx;
    const bl_model *model;
    bl_json *json;
    bl_arena arena;                 /* work */
    bl_joint_picture *joint;        /* [njoint] */
    bl_force_picture *force;        /* [nforce] */
    bool *drawn;                    /* [nforce] whether it could be drawn */
    double size;                    /* L */
    bl_scene_point *point;          /* of bodies, without doubles */
    bl_index npoint, *first, *last; /* [nbody] */
    bl_hash known;
} bl_scene;

/* ---- scene_points.c */
/* Diagonal of the box of all joint points; where that is nothing, of all there is. */
void bl_scene_measure(bl_scene *s);
/* Points where joints, springs, forces and probes hold bodies. */
bl_status bl_scene_collect(bl_scene *s);
void bl_scene_probe_place(const bl_model *model, bl_index probe, double at[3]);

/* ---- scene_shapes.c */
void bl_scene_shapes(bl_json *json, const bl_body *body);

#endif
