/* Belt: two pulleys on parallel axes connected by a belt or chain that does not slip: second = r1 / r2 first + offset; a crossed belt
 * reverses the direction. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"first", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the first pulley"},
    {"second", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the second pulley: ratio first + offset"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the first pulley (no default: give both radii, or ratio)"},
    {"radius_b", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the second pulley (no default)"},
    {"crossed", BL_P_FLAG, 0, 0, NULL, NULL, "the belt crosses itself: the pulleys rotate in opposite directions"},
    {"ratio", BL_P_NUMBER, BL_NOT_ZERO, 0, NULL, NULL,
     "change of second per unit of first, negative if crossed (default: radius / radius_b)"},
    {"offset", BL_P_NUMBER, 0, 0, NULL, "rad", "value of second if first is 0"},
    {0},
};
enum { FIRST, SECOND, RADIUS, RADIUS_B, CROSSED, RATIO, OFFSET };

static bl_status belt_build(bl_build *build) {
    const bl_value *value = build->def->value;
    if (value[RATIO].given && (value[RADIUS].given || value[RADIUS_B].given || value[CROSSED].given))
        return bl_build_refuse(build, &value[RATIO], "give either ratio, or radius and radius_b (and crossed)",
                               "ratio is given as well as the pulleys");
    if (!value[RATIO].given && !(value[RADIUS].given && value[RADIUS_B].given))
        return bl_build_refuse(build, NULL, "give radius and radius_b of the pulleys, or ratio", "%s of a pulley is missing",
                               value[RADIUS].given ? "radius_b" : "radius");
    double ratio = value[RATIO].given ? value[RATIO].number : value[RADIUS].number / value[RADIUS_B].number;
    if (!value[RATIO].given && value[CROSSED].number != 0)
        ratio = -ratio;
    return bl_build_relation(build, &value[FIRST], &value[SECOND], NULL, ratio, value[OFFSET].number, "slipping");
}

const bl_joint_kind bl_joint_belt = {
    .kind = {"belt", "two pulleys connected by a belt or chain, open or crossed", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = belt_build,
};
