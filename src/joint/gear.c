/* Gear: a relation between two variables, second = ratio first + offset. Two angles are a gear pair, an angle and a distance a rack and
 * pinion. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"first", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "driving variable"},
    {"second", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "driven variable: ratio first + offset"},
    {"ratio", BL_P_NUMBER, BL_REQUIRED | BL_NOT_ZERO, 0, NULL, NULL, "change of second per unit of first"},
    {"offset", BL_P_NUMBER, 0, 0, NULL, NULL, "value of second if first is 0"},
    {0},
};
enum { FIRST, SECOND, RATIO, OFFSET };

static bl_status gear_build(bl_build *build) {
    const bl_value *value = build->def->value;
    if (value[FIRST].ref == value[SECOND].ref)
        return bl_build_refuse(build, &value[SECOND], "a relation needs two different variables; to prescribe one use a driver",
                               "first and second are the same variable");
    bl_prim *prim = bl_build_prim(build, BL_LINEAR, "leaving the ratio");
    prim->var[0] = value[FIRST].ref;
    prim->var[1] = value[SECOND].ref;
    prim->coef[0] = -value[RATIO].number;
    prim->coef[1] = 1;
    prim->value = value[OFFSET].number;
    bl_joint_picture *picture = &build->parts->picture;
    picture->relation = true;
    picture->variable[0] = value[FIRST].ref;
    picture->variable[1] = value[SECOND].ref;
    picture->ratio = value[RATIO].number;
    return BL_OK;
}

const bl_joint_kind bl_joint_gear = {
    .kind = {"gear", "couples two variables by a ratio", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = gear_build,
};
