/* Fixed joint: the second body moves with the first. */
#include "joint/build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, 0, 0, NULL, "m", "where the bodies are joined (default: mass centre of the second body)"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, where it is not yet at `at`"},
    {0},
};

static bl_status fixed_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    bl_build_frame f;
    BL_TRY(bl_build_frames(&build, &f));
    bl_build_coincide(&build, f.at);
    if (model->dim == 3) {
        bl_build_same(&build, f.axis, "tilting");
        bl_build_dot(&build, f.w[0], f.n[1], "turning about the common vector");
    } else {
        bl_build_same(&build, f.w, "turning");
    }
    *n = build.n;
    return BL_OK;
}

static bl_status fixed_freedoms(const bl_model *model, const bl_joint_def *def, bl_freedom *out, bl_index *n) {
    (void)model;
    (void)def;
    (void)out;
    *n = 0;
    return BL_OK;
}

static bl_status fixed_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    return bl_build_picture(model, def, 0, out);
}

const bl_joint_kind bl_joint_fixed = {
    .kind = {"fixed", "weld: no relative motion", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 3,
    .forbids_3d = 6,
    .nbody = 2,
    .letter = 'F',
    .primitives = fixed_primitives,
    .freedoms = fixed_freedoms,
    .picture = fixed_picture,
};
