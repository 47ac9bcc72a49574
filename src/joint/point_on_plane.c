/* Point on plane: a point of the second body stays in a plane fixed in the first. */
#include "joint/build.h"

#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "normal of the plane, in the first body"},
    {"through", BL_P_POINT, 0, 0, NULL, "m", "a point in the plane (default: `at`)"},
    {0},
};
enum { THROUGH = 2 };

static bl_status point_on_plane_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    bl_build_frame f;
    BL_TRY(bl_build_frames(&build, &f));
    if (def->value[THROUGH].given)
        memcpy(f.at[0], def->value[THROUGH].vector, sizeof f.at[0]);
    bl_build_plane(&build, f.at, f.axis[0], "leaving the plane");
    *n = build.n;
    return BL_OK;
}

static bl_status point_on_plane_freedoms(const bl_model *model, const bl_joint_def *def, bl_freedom *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .freedom = out};
    bl_build_frame f;
    BL_TRY(bl_build_frames(&build, &f));
    bl_build_freedom(&build, BL_SLIDE, f.w[0], f.at[0], -1);
    bl_build_freedom(&build, BL_SLIDE, f.n[0], f.at[0], -1);
    bl_build_freedom(&build, BL_BALL, NULL, f.at[0], -1);
    *n = build.n;
    return BL_OK;
}

static bl_status point_on_plane_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    BL_TRY(bl_build_picture(model, def, BL_PICTURE_AXIS | BL_PICTURE_PLANE, out));
    if (def->value[THROUGH].given)
        memcpy(out->at[0], def->value[THROUGH].vector, sizeof out->at[0]);
    return BL_OK;
}

const bl_joint_kind bl_joint_point_on_plane = {
    .kind = {"point_on_plane", "a point of the second body stays in a plane of the first", params, 0, BL_IN_SPACE},
    .forbids_3d = 1,
    .nbody = 2,
    .letter = 'N',
    .primitives = point_on_plane_primitives,
    .freedoms = point_on_plane_freedoms,
    .picture = point_on_plane_picture,
};
