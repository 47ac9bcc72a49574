/* Spherical joint: two points coincide. On request three successive angles: a about v, then b about the negative rotated u = v x r, then
 * c about the rotated r; they are 0 in the model configuration and singular at b = +-90 deg. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the common point"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"angles", BL_P_FLAG, 0, 0, NULL, NULL, "defines three successive angles"},
    {"axis", BL_P_VECTOR, 0, 0, NULL, NULL, "axis v of angle1 (default: z, or perpendicular to the reference)"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "direction r, rotated into the axis of angle3 (its component perpendicular to v)"},
    {0},
};
enum { ANGLES = 2 };

static const char *const variables[] = {"angle1", "angle2", "angle3", NULL};

static bool spherical_has_variables(const bl_joint_def *def) { return def->value[ANGLES].number != 0; }

static bl_status spherical_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_coincide(build, f.at);
    if (!spherical_has_variables(build->def)) {
        bl_build_dof(build, BL_BALL, NULL, f.at[0], -1);
        bl_build_picture(build, &f, 0);
        return BL_OK;
    }
    bl_prim *prim = bl_build_prim(build, BL_ANGLES, "three successive angles");
    prim->a = bl_build_vector(build, 0, f.axis[0]);
    prim->c = bl_build_vector(build, 0, f.w[0]);
    prim->b = bl_build_vector(build, 1, f.axis[1]);
    prim->d = bl_build_vector(build, 1, f.w[1]);
    for (int k = 0; k < 3; k++)
        prim->var[k] = build->def->first_var + k;
    double second[3] = {-f.n[0][0], -f.n[0][1], -f.n[0][2]};
    bl_build_dof(build, BL_TURN, f.axis[0], f.at[0], 0);
    bl_build_dof(build, BL_TURN, second, f.at[0], 1);
    bl_build_dof(build, BL_TURN, f.w[0], f.at[0], 2);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B | BL_PICTURE_REFERENCE | BL_PICTURE_REFERENCE_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_spherical = {
    .kind = {"spherical", "ball joint: a common point, free rotation", params, 0, BL_IN_SPACE},
    .forbids_3d = 3,
    .nbody = 2,
    .variables = variables,
    .has_variables = spherical_has_variables,
    .letter = 'S',
    .build = spherical_build,
};
