/* Rub: the speed at which the surfaces inside a joint slide, radius x rate of its angle or rate of its distance; both where it has both.
 * They are zero while the joint sticks. Not a joint of the file: model/stick_reader.c makes it of joint friction with `stick`. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"angle", BL_P_VARIABLE, 0, 0, NULL, NULL, "the angle of the joint"},
    {"distance", BL_P_VARIABLE, 0, 0, NULL, NULL, "its distance"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the pin or shaft"},
    {0},
};
enum { ANGLE, DISTANCE, RADIUS };

static bl_status rub_build(bl_build *build) {
    const bl_value *value = build->def->value;
    for (int k = ANGLE; k <= DISTANCE; k++) {
        if (!value[k].given)
            continue;
        bl_prim *prim = bl_build_prim(build, BL_RATE, k == ANGLE ? "turning against friction" : "sliding against friction");
        prim->one_sided = true;
        prim->var[0] = value[k].ref;
        prim->coef[0] = k == ANGLE ? value[RADIUS].number : 1;
    }
    return BL_OK;
}

const bl_joint_kind bl_joint_rub = {
    .kind = {"friction", "surfaces inside a joint that rub", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .nbody = 0,
    .letter = 'F',
    .closes_only = true,
    .build = rub_build,
};
