/* Percussion: the directions of an impulse, as equations that never hold: components of a point of the second body, or a variable.
 * Not a joint of the file: model/percussions.c makes it from `percussion` of an event. */
#include "joint/joint_build.h"

static const bl_param params[] = {
    {"at", BL_P_POINT, 0, 0, NULL, "m", "the point"},
    {"variable", BL_P_VARIABLE, 0, 0, NULL, NULL, "or the variable"},
    {0},
};
enum { AT, VARIABLE };

static bl_status percussion_build(bl_build *build) {
    static const char *const meaning[] = {"moving along x", "moving along y", "moving along z"};
    const bl_value *value = build->def->value;
    if (value[VARIABLE].given) {
        bl_prim *prim = bl_build_prim(build, BL_LINEAR, "changing");
        prim->one_sided = true;
        prim->var[0] = value[VARIABLE].ref;
        prim->coef[0] = 1;
        return BL_OK;
    }
    for (int k = 0; k < build->model->dim; k++) {
        double u[3] = {k == 0, k == 1, k == 2};
        bl_prim *prim = bl_build_prim(build, BL_PLANE, meaning[k]);
        prim->one_sided = true;
        prim->a = bl_build_point(build, 0, value[AT].vector);
        prim->b = bl_build_point(build, 1, value[AT].vector);
        prim->c = bl_build_vector(build, 0, u);
    }
    return BL_OK;
}

const bl_joint_kind bl_joint_percussion = {
    .kind = {"percussion", "directions of an impulse", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = percussion_build,
};
