/* Stop: the geometry of a bound on a variable of another joint, side (variable - bound) >= 0. Not a joint of the file: model/stops.c
 * makes it from `stops` and from the bounds of joints. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"variable", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable that is bounded"},
    {"bound", BL_P_NUMBER, BL_REQUIRED, 0, NULL, "m, rad", "its value at the stop"},
    {"side", BL_P_NUMBER, BL_REQUIRED, 0, NULL, NULL, "1: it stays above, -1: below"},
    {0},
};
enum { VARIABLE, BOUND, SIDE };

static bl_status stop_build(bl_build *build) {
    const bl_value *value = build->def->value;
    bl_prim *prim = bl_build_prim(build, BL_LINEAR, "passing the stop");
    prim->one_sided = true;
    prim->var[0] = value[VARIABLE].ref;
    prim->coef[0] = value[SIDE].number;
    prim->value = value[SIDE].number * value[BOUND].number;
    return BL_OK;
}

const bl_joint_kind bl_joint_stop = {
    .kind = {"stop", "a bound on a variable", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = stop_build,
};
