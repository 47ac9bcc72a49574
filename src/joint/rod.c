/* Rod: a massless bar with ball ends keeps a distance |b - a|; or, left free, only measures it. */
#include "joint/build.h"

#include <math.h>
#include <string.h>

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

static double drawn_length(const bl_model *model, const bl_joint_def *def) {
    double length = 0;
    for (int k = 0; k < model->dim; k++)
        length = hypot(length, def->value[TO].vector[k] - def->value[AT].vector[k]);
    return length;
}

static bl_status rod_primitives(const bl_model *model, const bl_joint_def *def, bl_prim *out, bl_index *n) {
    bl_build build = {.model = model, .def = def, .prim = out};
    double drawn = drawn_length(model, def), biggest = 0;
    for (int k = 0; k < model->dim; k++)
        biggest = fmax(biggest, fmax(fabs(def->value[AT].vector[k]), fabs(def->value[TO].vector[k])));
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

static bl_status rod_picture(const bl_model *model, const bl_joint_def *def, bl_joint_picture *out) {
    out->bar = true;
    out->free = def->value[FREE].number != 0;
    out->length = def->value[LENGTH].given ? def->value[LENGTH].number : drawn_length(model, def);
    memcpy(out->at[0], def->value[AT].vector, sizeof out->at[0]);
    memcpy(out->at[1], def->value[TO].vector, sizeof out->at[1]);
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
    .picture = rod_picture,
};
