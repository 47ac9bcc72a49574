/* Point on plane: a point of the second body stays in a plane fixed in the first. */
#include "joint/joint_build.h"

#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "normal of the plane, in the first body"},
    {"through", BL_P_POINT, BL_OF_FIRST, 0, NULL, "m", "a point in the plane (default: `at`)"},
    {0},
};
enum { THROUGH = 2 };

static bl_status point_on_plane_build(bl_build *build) {
    const bl_value *through = &build->def->value[THROUGH];
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    if (through->given)
        memcpy(f.at[0], through->vector, sizeof f.at[0]);
    bl_build_plane(build, f.at, f.axis[0], "leaving the plane");
    bl_build_dof(build, BL_SLIDE, f.w[0], f.at[1], -1);
    bl_build_dof(build, BL_SLIDE, f.n[0], f.at[1], -1);
    bl_build_dof(build, BL_BALL, NULL, f.at[1], -1);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_PLANE);
    return BL_OK;
}

const bl_joint_kind bl_joint_point_on_plane = {
    .kind = {"point_on_plane", "a point of the second body stays in a plane of the first", params, 0, BL_IN_SPACE},
    .forbids_3d = 1,
    .nbody = 2,
    .letter = 'N',
    .build = point_on_plane_build,
};
