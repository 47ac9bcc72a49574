/* Point on line: a point of the second body stays on a line fixed in the first. */
#include "joint/joint_build.h"

#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the line, in the first body"},
    {"through", BL_P_POINT, BL_OF_FIRST, 0, NULL, "m", "a point on the line from which the distance is measured (default: `at`)"},
    {0},
};
enum { THROUGH = 2 };

static const char *const variables[] = {"distance", NULL};

static bl_status point_on_line_build(bl_build *build) {
    const bl_value *through = &build->def->value[THROUGH];
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    if (through->given)
        memcpy(f.at[0], through->vector, sizeof f.at[0]);
    bl_build_plane(build, f.at, f.w[0], "leaving the line");
    if (build->model->dim == 3)
        bl_build_plane(build, f.at, f.n[0], "leaving the line, second direction");
    bl_build_travel(build, f.at, f.axis[0], 0, "distance along the line");
    bl_build_dof(build, BL_SLIDE, f.axis[0], f.at[1], 0);
    if (build->model->dim == 3)
        bl_build_dof(build, BL_BALL, NULL, f.at[1], -1);
    else
        bl_build_dof(build, BL_TURN, (const double[3]){0, 0, 1}, f.at[1], -1);
    bl_build_picture(build, &f, BL_PICTURE_AXIS);
    return BL_OK;
}

const bl_joint_kind bl_joint_point_on_line = {
    .kind = {"point_on_line", "a point of the second body stays on a line of the first", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 2,
    .nbody = 2,
    .variables = variables,
    .letter = 'N',
    .build = point_on_line_build,
};
