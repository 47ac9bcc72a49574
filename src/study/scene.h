/* scene: data for a picture of a model, as JSON (docs/RESULT.md), from the model alone. Private to scene*.c. */
#ifndef BL_STUDY_SCENE_H
#define BL_STUDY_SCENE_H

#include "base/hash.h"
#include "biela/json.h"
#include "force/force.h"
#include "joint/joint.h"

enum {
    BL_SCENE_GROUPS = 500 /* bodies up to which structural groups are computed: 1 us per body, a quarter of the time of the scene */
};

typedef struct bl_scene_point {
    bl_index body, next; /* next one of the same body; -1: none */
    double at[3];
} bl_scene_point;

typedef struct bl_scene {
    bl_context *ctx;
    const bl_model *model;
    bl_json *json;
    bl_arena arena;                 /* workspace */
    bl_joint_picture *joint;        /* [njoint] */
    bl_force_picture *force;        /* [nforce] */
    bool *drawn;                    /* [nforce] whether it can be drawn */
    double size;                    /* L */
    bl_scene_point *point;          /* of bodies, without duplicates */
    bl_index npoint, *first, *last; /* [nbody] */
    bl_hash known;
} bl_scene;

/* ---- scene_points.c */
/* Number of points that show the curve of a joint; 0: it has none. A closed one does not repeat its first point. */
bl_index bl_scene_curve(const bl_joint_picture *picture, bool *closed);
void bl_scene_curve_point(const bl_joint_picture *picture, bl_index i, double at[3]);
/* Diagonal of the bounding box of all joint points and curves; if that is zero, of everything. */
void bl_scene_measure(bl_scene *s);
/* Points where joints, springs, forces and probes are attached to bodies. */
bl_status bl_scene_collect(bl_scene *s);
void bl_scene_probe_point(const bl_model *model, bl_index probe, double at[3]);

/* ---- scene_shapes.c */
void bl_scene_shapes(bl_json *json, const bl_model *model, bl_index body);
/* Entries of contacts by time stepping: their bodies and planes. */
void bl_scene_surfaces(bl_json *json, const bl_model *model);

/* ---- scene_elastic.c */
void bl_scene_elastic(bl_json *json, const bl_model *model);

#endif
