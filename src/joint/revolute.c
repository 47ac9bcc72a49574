/* Revolute joint: a common point and a common axis; in the plane the axis is z. The angle is measured from the reference of the first
 * body to that of the second about the axis; without references it is 0 in the model configuration. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "a point on the axis"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"axis", BL_P_VECTOR, BL_REQUIRED | BL_SPACE_ONLY, 0, NULL, NULL, "direction of the axis"},
    {"axis_b", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "direction in the second body, if different from `axis`"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction in the first body from which the angle is measured"},
    {"reference_b", BL_P_VECTOR, 0, 0, NULL, NULL,
     "direction in the second body to which it is measured (default: that along `reference`)"},
    {0},
};

static const char *const variables[] = {"angle", NULL};

static bl_status revolute_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_coincide(build, f.at);
    if (build->model->dim == 3)
        bl_build_same(build, f.axis, "tilting the axis");
    bl_build_angle(build, f.w[0], f.w[1], 0, f.axis[0], 0, "angle about the axis");
    bl_build_dof(build, BL_TURN, f.axis[0], f.at[0], 0);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B | BL_PICTURE_REFERENCE | BL_PICTURE_REFERENCE_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_revolute = {
    .kind = {"revolute", "hinge: rotates about an axis", params, 0, BL_IN_PLANE | BL_IN_SPACE | BL_RUBS},
    .forbids_2d = 2,
    .forbids_3d = 5,
    .nbody = 2,
    .variables = variables,
    .letter = 'R',
    .build = revolute_build,
};
