/* Slot: a point of the second body stays on a line of the first that passes through `at`. */
#include "joint/build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the line, in the first body"},
    {0},
};

static const char *const variables[] = {"distance", NULL};

/* what the joint forbids, and what its variable measures */
static bl_status slot_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    bl_build_frame f;
    BL_TRY(bl_build_frames(&build, &f));
    bl_build_plane(&build, f.at, f.w[0], "leaving the line");
    if (model->dim == 3)
        bl_build_plane(&build, f.at, f.n[0], "leaving the line, second direction");
    bl_build_travel(&build, f.at, f.axis[0], 0, "distance along the line");
    *n = build.n;
    return BL_OK;
}

/* what the joint allows: optional; relative coordinates and the conformance test move it along these */
static bl_status slot_freedoms(const bl_model *model, const bl_joint_def *def, bl_freedom *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .freedom = out};
    bl_build_frame f;
    BL_TRY(bl_build_frames(&build, &f));
    bl_build_freedom(&build, BL_SLIDE, f.axis[0], f.at[0], 0);
    if (model->dim == 3)
        bl_build_freedom(&build, BL_BALL, NULL, f.at[0], -1);
    else
        bl_build_freedom(&build, BL_TURN, (const double[3]){0, 0, 1}, f.at[0], -1);
    *n = build.n;
    return BL_OK;
}

static bl_status slot_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    return bl_build_picture(model, def, BL_PICTURE_AXIS, out);
}

const bl_joint_kind bl_joint_slot = {
    .kind = {"slot", "a point of the second body stays on a line of the first", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 2,
    .nbody = 2,
    .variables = variables,
    .primitives = slot_primitives,
    .freedoms = slot_freedoms,
    .picture = slot_picture,
};
