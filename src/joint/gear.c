/* Gear: a relation of two variables, second = ratio first + offset. Angles make gears, an angle and a distance a rack. */
#include "joint/build.h"

#include <math.h>

static const bl_param params[] = {
    {"first", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "variable that drives"},
    {"second", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "variable that follows: ratio first + offset"},
    {"ratio", BL_P_NUMBER, BL_REQUIRED | BL_NOT_ZERO, 0, NULL, NULL, "change of second for a unit of first"},
    {"offset", BL_P_NUMBER, 0, 0, NULL, NULL, "second where first is 0"},
    {0},
};
enum { FIRST, SECOND, RATIO, OFFSET };

static bl_status gear_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    if (def->value[FIRST].ref == def->value[SECOND].ref) {
        bl_fail(model->ctx, BL_E_MODEL, &def->value[SECOND].place, "joint %s: first and second are the same variable", def->name);
        bl_advise(model->ctx, "a relation needs two variables; a driver holds one");
        bl_blame(model->ctx, def->name, NULL, NAN);
        return BL_E_MODEL;
    }
    bl_prim *prim = bl_build_prim(&build, BL_LINEAR, "leaving the ratio");
    prim->var[0] = def->value[FIRST].ref;
    prim->var[1] = def->value[SECOND].ref;
    prim->coef[0] = -def->value[RATIO].number;
    prim->coef[1] = 1;
    prim->value = def->value[OFFSET].number;
    *n = build.n;
    return BL_OK;
}

static bl_status gear_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    (void)model;
    out->relation = true;
    out->variable[0] = def->value[FIRST].ref;
    out->variable[1] = def->value[SECOND].ref;
    out->ratio = def->value[RATIO].number;
    return BL_OK;
}

const bl_joint_kind bl_joint_gear = {
    .kind = {"gear", "ties two variables by a ratio", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .primitives = gear_primitives,
    .picture = gear_picture,
};
