/* Point on curve: a point of the second body stays on a plane curve fixed in the first, a cubic spline through given points. In space it
 * also stays in the plane of the curve. */
#include "joint/joint_build.h"

#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"points", BL_P_CURVE, BL_REQUIRED, 0, NULL, "m",
     "points of the curve, [[x, y], ...], from the origin along reference and across; closed if the last one is the first"},
    {"origin", BL_P_POINT, BL_OF_FIRST, 0, NULL, "m", "origin of the points, in the first body (default: that of the model)"},
    {"reference", BL_P_VECTOR, 0, 0, NULL, NULL, "x direction of the points (default: x)"},
    {"axis", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "normal of the plane of the curve (default: z)"},
    {0},
};
enum { AT, POINTS, ORIGIN };

static bl_status point_on_curve_build(bl_build *build) {
    const bl_value *value = build->def->value;
    double at[2][3], u[3], w[3], normal[3];
    memcpy(at[0], value[ORIGIN].vector, sizeof at[0]);
    memcpy(at[1], value[AT].vector, sizeof at[1]);
    BL_TRY(bl_build_curve_axes(build, u, w, normal));
    bl_prim *prim = bl_build_prim(build, BL_ON_CURVE, "leaving the curve");
    prim->a = bl_build_point(build, 0, at[0]);
    prim->b = bl_build_point(build, 1, at[1]);
    prim->c = bl_build_vector(build, 0, u);
    prim->d = bl_build_vector(build, 0, w);
    prim->curve = (bl_curve){.x = value[POINTS].profile[0], .y = value[POINTS].profile[1]};
    if (build->model->dim == 3)
        bl_build_plane(build, at, normal, "leaving the plane of the curve");
    bl_joint_picture *picture = &build->parts->picture;
    memcpy(picture->at, at, sizeof picture->at);
    memcpy(picture->axis[0], normal, sizeof normal);
    memcpy(picture->reference[0], u, sizeof u);
    picture->has = BL_PICTURE_AXIS | BL_PICTURE_REFERENCE;
    picture->curve = prim->curve;
    return BL_OK;
}

const bl_joint_kind bl_joint_point_on_curve = {
    .kind = {"point_on_curve", "a point of the second body stays on a plane curve of the first", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 2,
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = point_on_curve_build,
};
