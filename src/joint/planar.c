/* Planar joint: the second body slides in a plane of the first and rotates about its normal. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "a point in the plane"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body whose distances from `at` are measured"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "normal of the plane"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "normal in the second body, if different from `axis`"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction of distance1, in the plane; distance2 is measured along axis x reference"},
    {0},
};

static const char *const variables[] = {"distance1", "distance2", "angle", NULL};

static bl_status planar_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_same(build, f.axis, "tilting the plane");
    bl_build_plane(build, f.at, f.axis[0], "leaving the plane");
    bl_build_travel(build, f.at, f.w[0], 0, "distance along the first direction");
    bl_build_travel(build, f.at, f.n[0], 1, "distance along the second direction");
    bl_build_angle(build, f.w[0], f.w[1], 0, f.axis[0], 2, "angle about the normal");
    bl_build_dof(build, BL_SLIDE, f.w[0], f.at[0], 0);
    bl_build_dof(build, BL_SLIDE, f.n[0], f.at[0], 1);
    bl_build_dof(build, BL_TURN, f.axis[0], f.at[1], 2); /* the distances are measured to this point */
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B | BL_PICTURE_REFERENCE | BL_PICTURE_REFERENCE_B | BL_PICTURE_PLANE);
    return BL_OK;
}

const bl_joint_kind bl_joint_planar = {
    .kind = {"planar", "slides in a plane and rotates about its normal", params, 0, BL_IN_SPACE},
    .forbids_3d = 3,
    .nbody = 2,
    .variables = variables,
    .letter = 'E',
    .build = planar_build,
};
