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
    return bl_build_relation(build, &value[FIRST], &value[SECOND], NULL, value[RATIO].number, value[OFFSET].number, "leaving the ratio");
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
