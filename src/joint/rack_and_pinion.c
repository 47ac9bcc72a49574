/* Rack and pinion: a wheel that rolls on a straight rack without slipping: distance of the rack = radius times angle of the pinion +
 * offset. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"pinion", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the pinion"},
    {"rack", BL_P_VARIABLE, BL_REQUIRED | BL_DISTANCE_ONLY, 0, NULL, NULL, "distance of the rack: radius pinion + offset"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "pitch radius of the pinion (no default: give radius, or ratio)"},
    {"reverse", BL_P_FLAG, 0, 0, NULL, NULL, "a positive angle moves the rack in the negative direction"},
    {"ratio", BL_P_NUMBER, BL_NOT_ZERO, 0, NULL, "m/rad", "distance per radian, negative if reversed (default: radius)"},
    {"offset", BL_P_NUMBER, 0, 0, NULL, "m", "distance of the rack if the angle is 0"},
    {0},
};
enum { PINION, RACK, RADIUS, REVERSE, RATIO, OFFSET };

static bl_status rack_and_pinion_build(bl_build *build) {
    const bl_value *value = build->def->value;
    if (value[RATIO].given && (value[RADIUS].given || value[REVERSE].given))
        return bl_build_refuse(build, &value[RATIO], "give either ratio, or radius (and reverse)", "ratio is given as well as radius");
    if (!value[RATIO].given && !value[RADIUS].given)
        return bl_build_refuse(build, NULL, "give the pitch radius of the pinion, or ratio", "radius is missing");
    double ratio = value[RATIO].given ? value[RATIO].number : value[REVERSE].number != 0 ? -value[RADIUS].number : value[RADIUS].number;
    return bl_build_relation(build, &value[PINION], &value[RACK], NULL, ratio, value[OFFSET].number, "slipping");
}

const bl_joint_kind bl_joint_rack_and_pinion = {
    .kind = {"rack_and_pinion", "couples the angle of a pinion and the distance of a rack", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = rack_and_pinion_build,
};
