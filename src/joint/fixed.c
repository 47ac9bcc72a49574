/* Fixed joint: the second body moves with the first. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, 0, 0, NULL, "m", "where the bodies are joined (default: mass center of the second body)"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {0},
};

static bl_status fixed_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_coincide(build, f.at);
    if (build->model->dim == 3) {
        bl_build_same(build, f.axis, "tilting");
        bl_build_dot(build, f.w[0], f.n[1], "turning about the common vector");
    } else {
        bl_build_same(build, f.w, "turning");
    }
    bl_build_picture(build, &f, 0);
    return BL_OK;
}

const bl_joint_kind bl_joint_fixed = {
    .kind = {"fixed", "weld: no relative motion", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 3,
    .forbids_3d = 6,
    .nbody = 2,
    .letter = 'F',
    .build = fixed_build,
};
