/* Rod: a massless bar with ball ends that keeps a distance |b - a|; or, if `free`, only measures it. */
#include "joint/joint_build.h"
#include "joint/joint_limits.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "end on the first body"},
    {"to", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "end on the second body"},
    {"length", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "length (default: that of the given configuration)"},
    {"free", BL_P_FLAG, 0, 0, NULL, NULL, "no constraint, the distance is only measured"},
    {0},
};
enum { AT, TO, LENGTH, FREE };

static const char *const variables[] = {"distance", NULL};

static bl_prim *distance(bl_build *build, const char *meaning) {
    bl_prim *prim = bl_build_prim(build, BL_DISTANCE, meaning);
    prim->a = bl_build_point(build, 0, build->def->value[AT].vector);
    prim->b = bl_build_point(build, 1, build->def->value[TO].vector);
    return prim;
}

static bl_status rod_build(bl_build *build) {
    const bl_value *value = build->def->value;
    double length = 0, biggest = 0;
    for (int k = 0; k < build->model->dim; k++) {
        length = hypot(length, value[TO].vector[k] - value[AT].vector[k]);
        biggest = fmax(biggest, fmax(fabs(value[AT].vector[k]), fabs(value[TO].vector[k])));
    }
    if (!(length > joint_rod_length * biggest))
        return bl_build_refuse(build, &value[TO], "its ends must be different points; to join two points use a spherical joint",
                               "its ends coincide in the given configuration");
    if (value[LENGTH].given && !(value[LENGTH].number > 0))
        return bl_build_refuse(build, &value[LENGTH], "give a positive length, or leave it out to use that of the given configuration",
                               "the length is not positive");
    length = value[LENGTH].given ? value[LENGTH].number : length;
    bool free = value[FREE].number != 0;
    if (!free)
        distance(build, "changing the length")->value = length;
    distance(build, "distance of the ends")->var[0] = build->def->first_var;
    bl_joint_picture *picture = &build->parts->picture;
    picture->bar = true;
    picture->free = free;
    picture->length = length;
    memcpy(picture->at[0], value[AT].vector, sizeof picture->at[0]);
    memcpy(picture->at[1], value[TO].vector, sizeof picture->at[1]);
    return BL_OK;
}

const bl_joint_kind bl_joint_rod = {
    .kind = {"rod", "keeps the distance between two points, or measures it", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 2,
    .variables = variables,
    .letter = 'D',
    .closes_only = true,
    .build = rod_build,
};
