/* Slot: a point of the second body stays on a line of the first that passes through `at`. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the line, in the first body"},
    {0},
};

static const char *const variables[] = {"distance", NULL};

static bl_status slot_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    /* what the joint forbids, and what its variable measures */
    bl_build_plane(build, f.at, f.w[0], "leaving the line");
    if (build->model->dim == 3)
        bl_build_plane(build, f.at, f.n[0], "leaving the line, second direction");
    bl_build_travel(build, f.at, f.axis[0], 0, "distance along the line");
    /* what it allows: for relative coordinates; the conformance test moves it along these */
    bl_build_dof(build, BL_SLIDE, f.axis[0], f.at[1], 0);
    if (build->model->dim == 3)
        bl_build_dof(build, BL_BALL, NULL, f.at[1], -1);
    else
        bl_build_dof(build, BL_TURN, (const double[3]){0, 0, 1}, f.at[1], -1);
    bl_build_picture(build, &f, BL_PICTURE_AXIS);
    return BL_OK;
}

const bl_joint_kind bl_joint_slot = {
    .kind = {"slot", "a point of the second body stays on a line of the first", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 2,
    .nbody = 2,
    .variables = variables,
    .build = slot_build,
};
