/* Cylindrical joint: slides along an axis and rotates about it. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "a point on the axis"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body whose distance from `at` is measured"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the axis"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "direction in the second body, if different from `axis`"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction in the first body from which the angle is measured"},
    {"reference_b", BL_P_VECTOR, 0, 0, NULL, NULL,
     "direction in the second body to which it is measured (default: that along `reference`)"},
    {0},
};

static const char *const variables[] = {"angle", "distance", NULL};

static bl_status cylindrical_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_cylinder(build, &f);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B | BL_PICTURE_REFERENCE | BL_PICTURE_REFERENCE_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_cylindrical = {
    .kind = {"cylindrical", "slides along an axis and rotates about it", params, 0, BL_IN_SPACE | BL_RUBS},
    .forbids_3d = 4,
    .nbody = 2,
    .variables = variables,
    .letter = 'C',
    .build = cylindrical_build,
};
