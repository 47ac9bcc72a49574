/* Universal joint: a common point and a cross whose arms stay perpendicular: axis in the first body, axis_b in the second.
 * angle1 turns the cross about axis, angle2 the second body about axis_b; both read 0 in the model configuration. */
#include "joint/build.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the common point"},
    {"at_b", BL_P_POINT, 0, 0, NULL, "m", "the point on the second body, where it is not yet at `at`"},
    {"axis", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "arm of the cross fixed in the first body"},
    {"axis_b", BL_P_VECTOR, 0, 0, NULL, NULL, "arm fixed in the second body (default: some direction perpendicular to `axis`)"},
    {0},
};

static const char *const variables[] = {"angle1", "angle2", NULL};

/* points, arms, and the arms' parts perpendicular to each other, from which the angles count */
typedef struct cross_arms {
    double at[2][3], axis[3], axis_b[3], from[3], to[3];
} cross_arms;

static bl_status read_arms(const bl_build *build, cross_arms *arms) {
    bl_build_points(build, arms->at);
    BL_TRY(bl_build_direction(build, "axis", arms->axis));
    const bl_value *given = bl_build_given(build, "axis_b");
    if (given)
        BL_TRY(bl_build_direction(build, "axis_b", arms->axis_b));
    else
        bl_build_perpendicular(3, arms->axis, arms->axis_b);
    double dot = bl_build_inner(arms->axis, arms->axis_b);
    if (fabs(dot) > 1e-3) { /* rounded components pass, the assembly closes the rest */
        bl_fail(build->model->ctx, BL_E_MODEL, &given->place, "joint %s: axis and axis_b are not perpendicular (cosine %.4g)",
                build->def->name, dot);
        bl_advise(build->model->ctx, "give an axis_b across axis, or leave it out");
        bl_blame(build->model->ctx, build->def->name, NULL, NAN);
        return BL_E_MODEL;
    }
    double size = sqrt(1 - dot * dot);
    for (int k = 0; k < 3; k++) {
        arms->from[k] = (arms->axis_b[k] - dot * arms->axis[k]) / size;
        arms->to[k] = (arms->axis[k] - dot * arms->axis_b[k]) / size;
    }
    return BL_OK;
}

static bl_status universal_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    cross_arms arms;
    BL_TRY(read_arms(&build, &arms));
    bl_build_coincide(&build, arms.at);
    bl_build_dot(&build, arms.axis, arms.axis_b, "arms of the cross that are not perpendicular");
    bl_build_angle(&build, arms.from, arms.axis_b, 0, arms.axis, 0, "angle about the first arm");
    bl_build_angle(&build, arms.axis, arms.to, 1, arms.axis_b, 1, "angle about the second arm");
    *n = build.n;
    return BL_OK;
}

static bl_status universal_freedoms(const bl_model *model, const bl_joint_def *def, bl_freedom *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .freedom = out};
    cross_arms arms;
    BL_TRY(read_arms(&build, &arms));
    bl_build_freedom(&build, BL_TURN, arms.axis, arms.at[0], 0);
    bl_build_freedom(&build, BL_TURN, arms.axis_b, arms.at[0], 1);
    *n = build.n;
    return BL_OK;
}

static bl_status universal_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    bl_build build = {.model = model, .def = def};
    cross_arms arms;
    BL_TRY(read_arms(&build, &arms));
    out->has = BL_PICTURE_AXIS | BL_PICTURE_AXIS_B;
    memcpy(out->at, arms.at, sizeof out->at);
    memcpy(out->axis[0], arms.axis, sizeof arms.axis);
    memcpy(out->axis[1], arms.axis_b, sizeof arms.axis_b);
    return BL_OK;
}

const bl_joint_kind bl_joint_universal = {
    .kind = {"universal", "Cardan joint: two perpendicular axes through a common point", params, 0, BL_IN_SPACE},
    .forbids_3d = 4,
    .nbody = 2,
    .variables = variables,
    .letter = 'U',
    .primitives = universal_primitives,
    .freedoms = universal_freedoms,
    .picture = universal_picture,
};
