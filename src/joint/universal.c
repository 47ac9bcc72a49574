/* Universal joint: a common point and a cross whose arms stay perpendicular: axis in the first body, axis_b in the second. angle1
 * rotates the cross about axis, angle2 the second body about axis_b; both are 0 in the model configuration. */
#include "base/vector3.h"
#include "joint/joint_build.h"
#include "joint/joint_limits.h"

#include <math.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the common point"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, if different from `at`"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "arm of the cross fixed in the first body"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "arm fixed in the second body (default: some direction perpendicular to `axis`)"},
    {0},
};

static const char *const variables[] = {"angle1", "angle2", NULL};

/* Points and arms of the cross; from, to: the arms' components perpendicular to each other, from which the angles are measured. */
static bl_status read_arms(const bl_build *build, bl_build_frame *f, double from[3], double to[3]) {
    const bl_value *given = bl_build_given(build, "axis_b");
    double *axis = f->axis[0], *axis_b = f->axis[1];
    bl_build_points(build, f->at);
    BL_TRY(bl_build_direction(build, "axis", axis));
    if (given)
        BL_TRY(bl_build_direction(build, "axis_b", axis_b));
    else
        bl_build_perpendicular(3, axis, axis_b);
    double dot = dot3(axis, axis_b);
    if (fabs(dot) > joint_arms_square)
        return bl_build_refuse(build, given, "give an axis_b perpendicular to axis, or leave it out",
                               "axis and axis_b are not perpendicular (cosine %.4g)", dot);
    double size = sqrt(1 - dot * dot);
    for (int k = 0; k < 3; k++) {
        from[k] = (axis_b[k] - dot * axis[k]) / size;
        to[k] = (axis[k] - dot * axis_b[k]) / size;
    }
    return BL_OK;
}

static bl_status universal_build(bl_build *build) {
    double from[3], to[3];
    bl_build_frame f = {0};
    BL_TRY(read_arms(build, &f, from, to));
    bl_build_coincide(build, f.at);
    bl_build_dot(build, f.axis[0], f.axis[1], "arms of the cross that are not perpendicular");
    bl_build_angle(build, from, f.axis[1], 0, f.axis[0], 0, "angle about the first arm");
    bl_build_angle(build, f.axis[0], to, 1, f.axis[1], 1, "angle about the second arm");
    bl_build_dof(build, BL_TURN, f.axis[0], f.at[0], 0);
    bl_build_dof(build, BL_TURN, f.axis[1], f.at[0], 1);
    bl_build_picture(build, &f, BL_PICTURE_AXIS | BL_PICTURE_AXIS_B);
    return BL_OK;
}

const bl_joint_kind bl_joint_universal = {
    .kind = {"universal", "Cardan joint: two perpendicular axes through a common point", params, 0, BL_IN_SPACE},
    .forbids_3d = 4,
    .nbody = 2,
    .variables = variables,
    .letter = 'U',
    .build = universal_build,
};
