/* Prismatic joint: slides along an axis without rotation. The distance is (b - a).axis, from `at` on the first body to the same point
 * (or at_b) on the second: 0 in the model configuration unless at_b differs. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "a point on the axis"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body whose distance from `at` is measured"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of sliding"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "direction in the second body, if different from `axis`"},
    {0},
};

static const char *const variables[] = {"distance", NULL};

static bl_status prismatic_build(bl_build *build) {
    bool space = build->model->dim == 3;
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_same(build, f.axis, space ? "tilting the axis" : "turning");
    if (space)
        bl_build_dot(build, f.w[0], f.n[1], "turning about the axis");
    bl_build_plane(build, f.at, f.w[0], "moving across the axis");
    if (space)
        bl_build_plane(build, f.at, f.n[0], "moving across the axis, second direction");
    bl_build_travel(build, f.at, f.axis[0], 0, "distance along the axis");
    bl_build_dof(build, BL_SLIDE, f.axis[0], f.at[0], 0);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_prismatic = {
    .kind = {"prismatic", "slider: moves along an axis without rotation", params, 0, BL_IN_PLANE | BL_IN_SPACE | BL_RUBS},
    .forbids_2d = 2,
    .forbids_3d = 5,
    .nbody = 2,
    .variables = variables,
    .letter = 'P',
    .build = prismatic_build,
};
