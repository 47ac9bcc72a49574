/* Gap: a sum of variables of joints that may not become negative, and where there is friction, sums of their rates, speeds of sliding. Not
 * a joint of the file: model/contact_variables.c makes it from `contacts`. */
#include "joint/joint_build.h"

#include <string.h>

static const bl_param params[] = {{0}};

static bl_status gap_build(bl_build *build) {
    static const char *const meaning[] = {"closing the gap", "slipping", "slipping, second direction"};
    const bl_contact_def *contact = &build->model->contact[build->def - build->model->joint - build->model->njoint];
    for (int k = 0; k < contact->nform; k++) {
        bl_prim *prim = bl_build_prim(build, k == 0 ? BL_LINEAR : BL_RATE, meaning[k]);
        prim->one_sided = true;
        prim->value = -contact->form[k].constant;
        memcpy(prim->var, contact->form[k].var, sizeof prim->var);
        memcpy(prim->coef, contact->form[k].coef, sizeof prim->coef);
    }
    return BL_OK;
}

const bl_joint_kind bl_joint_gap = {
    .kind = {"contact", "a sum of variables that may not become negative", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = gap_build,
};
