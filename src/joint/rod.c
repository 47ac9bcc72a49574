/* Rod: a massless bar with ball ends keeps a distance |b - a|; or, left free, only measures it. */
#include "joint/build.h"

#include <math.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "end on the first body"},
    {"to", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "end on the second body"},
    {"length", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "length (default: as drawn)"},
    {"free", BL_P_FLAG, 0, 0, NULL, NULL, "nothing is forbidden, the distance is only measured"},
    {0},
};
enum { AT, TO, LENGTH, FREE };

static const char *const variables[] = {"distance", NULL};

static bl_status refuse(const bl_model *model, const bl_joint_def *def, const bl_value *value, const char *what, const char *advice) {
    bl_fail(model->ctx, BL_E_MODEL, &value->place, "joint %s: %s", def->name, what);
    bl_advise(model->ctx, "%s", advice);
    bl_blame(model->ctx, def->name, NULL, NAN);
    return BL_E_MODEL;
}

static bl_status rod_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    double drawn = 0, biggest = 0;
    for (int k = 0; k < model->dim; k++) {
        double from = def->value[AT].vector[k], to = def->value[TO].vector[k];
        drawn = hypot(drawn, to - from);
        biggest = fmax(biggest, fmax(fabs(from), fabs(to)));
    }
    if (!(drawn > 1e-12 * biggest))
        return refuse(model, def, &def->value[TO], "the rod has no length as drawn",
                      "its ends must be apart; a ball joint holds two points together");
    if (def->value[LENGTH].given && !(def->value[LENGTH].number > 0))
        return refuse(model, def, &def->value[LENGTH], "the length is not positive",
                      "give a length above zero, or none: then it is as drawn");
    bl_mark a = bl_build_point(&build, 0, def->value[AT].vector), b = bl_build_point(&build, 1, def->value[TO].vector);
    if (def->value[FREE].number == 0) {
        bl_prim *bar = bl_build_prim(&build, BL_DISTANCE, "changing the length");
        bar->a = a;
        bar->b = b;
        bar->value = def->value[LENGTH].given ? def->value[LENGTH].number : drawn;
    }
    bl_prim *gauge = bl_build_prim(&build, BL_DISTANCE, "distance of the ends");
    gauge->a = a;
    gauge->b = b;
    gauge->var[0] = def->first_var;
    *n = build.n;
    return BL_OK;
}

const bl_joint_kind bl_joint_rod = {
    .kind = {"rod", "keeps the distance of two points, or measures it", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 2,
    .variables = variables,
    .letter = 'D',
    .primitives = rod_primitives,
};
