/* Screw joint: slides along an axis by pitch / (2 pi) for every radian of rotation about it. */
#include "joint/joint_build.h"

static const double two_pi = 6.28318530717958647692;

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "a point on the axis"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the axis"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "direction in the second body, if different from `axis`"},
    {"pitch", BL_P_NUMBER, BL_REQUIRED | BL_NOT_ZERO, 0, NULL, "m", "distance per revolution; negative: left-handed"},
    {0},
};
enum { PITCH = 4 };

static const char *const variables[] = {"angle", "distance", NULL};

static bl_status screw_build(bl_build *build) {
    double pitch = build->def->value[PITCH].number;
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_cylinder(build, &f);
    bl_prim *relation = bl_build_prim(build, BL_LINEAR, "sliding other than by the pitch");
    relation->var[0] = build->def->first_var;
    relation->var[1] = build->def->first_var + 1;
    relation->coef[0] = -pitch / two_pi;
    relation->coef[1] = 1;
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B);
    build->parts->picture.pitch = pitch;
    return BL_OK;
}

const bl_joint_kind bl_joint_screw = {
    .kind = {"screw", "rotation and sliding coupled by a pitch", params, 0, BL_IN_SPACE},
    .forbids_3d = 5,
    .nbody = 2,
    .variables = variables,
    .letter = 'H',
    .build = screw_build,
};
