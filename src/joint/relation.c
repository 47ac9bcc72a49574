/* Relation: a variable is a function of another one, output = function(input): cams by their program or by a table, and other transmissions
 * with a variable ratio. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"input", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable x"},
    {"output", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable that is a function of it"},
    {"function", BL_P_PROFILE, BL_REQUIRED, 0, NULL, "m, rad",
     "an expression of x; segments of a cam, [{over, rise, motion}, ...], repeated; or a table, [[x, y], ...] or a file"},
    {0},
};
enum { INPUT, OUTPUT, FUNCTION };

static bl_status relation_build(bl_build *build) {
    const bl_value *value = build->def->value;
    return bl_build_function(build, &value[INPUT], &value[OUTPUT], value[FUNCTION].profile[0], "leaving the function");
}

const bl_joint_kind bl_joint_relation = {
    .kind = {"relation", "a variable is a function of another one: cams by program or table", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = relation_build,
};
