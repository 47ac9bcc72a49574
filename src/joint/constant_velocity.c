/* Constant velocity joint (homokinetic): a common point, and both shafts rotate at the same rate at any angle between them. The second body
 * is the first, rotated about an axis perpendicular to its shaft: the rotation has no component about the shaft, which is the equation
 * (n . w' - w . n') / 2 = 0 between the vectors w, n across the shaft of the first body and those w', n' of the second. Its rate is
 * (w2 - w1) . (a + a') / 2 with the shafts a, a' (docs/theory/vocabulary.md). */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the common point, where the shafts meet"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction of the shaft of the first body"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "direction of the shaft of the second body, if different from `axis`"},
    {"angles", BL_P_FLAG, 0, 0, NULL, NULL, "defines three successive angles, two of bending and one about the shaft"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "axis of angle1 (its component perpendicular to the shaft)"},
    {0},
};
enum { ANGLES = 4 };

static const char *const variables[] = {"angle1", "angle2", "angle3", NULL};

static bool constant_velocity_has_variables(const bl_joint_def *def) { return def->value[ANGLES].number != 0; }

static bl_status constant_velocity_build(bl_build *build) {
    bl_build_frame f;
    BL_TRY(bl_build_frames(build, &f));
    bl_build_coincide(build, f.at);
    bl_prim *twist = bl_build_prim(build, BL_TWIST, "turning one shaft faster than the other");
    twist->a = bl_build_vector(build, 0, f.w[0]);
    twist->c = bl_build_vector(build, 0, f.n[0]);
    twist->b = bl_build_vector(build, 1, f.w[1]);
    twist->d = bl_build_vector(build, 1, f.n[1]);
    if (constant_velocity_has_variables(build->def)) {
        bl_prim *angles = bl_build_prim(build, BL_ANGLES, "three successive angles");
        angles->a = twist->a;
        angles->b = twist->b;
        angles->c = bl_build_vector(build, 0, f.axis[0]);
        angles->d = bl_build_vector(build, 1, f.axis[1]);
        for (int k = 0; k < 3; k++)
            angles->var[k] = build->def->first_var + k;
    }
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_constant_velocity = {
    .kind = {"constant_velocity", "homokinetic joint: shafts at any angle rotate at the same rate", params, 0, BL_IN_SPACE},
    .forbids_3d = 4,
    .nbody = 2,
    .variables = variables,
    .has_variables = constant_velocity_has_variables,
    .letter = 'V',
    .closes_only = true,
    .build = constant_velocity_build,
};
