/* Blade: a point of the second body moves along a direction of that body only, relative to the first: a skate, a knife edge, a wheel that
 * turns freely. In space the point also stays in a plane. */
#include "joint/joint_build.h"
#include "joint/joint_limits.h"
#include "joint/touch.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "the point, on the second body"},
    {"along", BL_P_VECTOR, BL_REQUIRED, 0, NULL, NULL, "direction in which it moves, in the second body"},
    {"normal", BL_P_VECTOR, BL_SPACE_ONLY, 0, NULL, NULL, "normal of the plane, in the first body (default: z)"},
    {"through", BL_P_POINT, BL_SPACE_ONLY | BL_OF_FIRST, 0, NULL, "m", "a point in the plane (default: `at`)"},
    {0},
};
enum { AT, ALONG, NORMAL, THROUGH };

static void fill(bl_build *build, const double through[3], const double normal[3], const double along[3], bl_prim *prim) {
    static const double none[BL_TOUCH_NUMBERS] = {0};
    const double *first[2] = {normal, along};
    double axes[3][3];
    bl_mark axis[2][3], point[2] = {bl_build_point(build, 0, through), bl_build_point(build, 1, build->def->value[AT].vector)};
    for (int side = 0; side < 2; side++) {
        memcpy(axes[0], first[side], sizeof axes[0]);
        bl_build_perpendicular(build->model->dim, axes[0], axes[1]);
        cross3(axes[0], axes[1], axes[2]);
        for (int j = 0; j < 3; j++)
            axis[side][j] = bl_build_vector(build, side, axes[j]);
    }
    bl_touch_fill(prim, build->model->dim, &bl_touch_plane_blade, none, point, axis);
}

static bl_status blade_build(bl_build *build) {
    const bl_value *value = build->def->value;
    const double *through = value[THROUGH].given ? value[THROUGH].vector : value[AT].vector;
    double along[3], normal[3] = {0}, across[3];
    bool space = build->model->dim == 3;
    normal[space ? 2 : 0] = 1; /* in the plane any direction of the first body */
    BL_TRY(bl_build_direction(build, "along", along));
    if (value[NORMAL].given)
        BL_TRY(bl_build_direction(build, "normal", normal));
    cross3(normal, along, across);
    if (space && !(sqrt(dot3(across, across)) > joint_disc_lies))
        return bl_build_refuse(build, &value[ALONG], "choose a direction in the plane", "the blade is perpendicular to the plane");
    if (space)
        fill(build, through, normal, along, bl_build_prim(build, BL_TOUCH, "leaving the plane"));
    fill(build, through, normal, along, bl_build_prim(build, BL_SLIP, "moving across the blade"));
    bl_joint_picture *picture = &build->parts->picture;
    for (int side = 0; side < 2; side++)
        memcpy(picture->at[side], value[AT].vector, sizeof picture->at[side]);
    memcpy(picture->axis[0], normal, sizeof normal);
    memcpy(picture->reference[1], along, sizeof along);
    picture->has = (space ? BL_PICTURE_AXIS | BL_PICTURE_PLANE : 0) | BL_PICTURE_REFERENCE_B;
    return BL_OK;
}

const bl_joint_kind bl_joint_blade = {
    .kind = {"blade", "a point moves along a direction of its own body only, as a skate does", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_3d = 1,
    .slips_2d = 1,
    .slips_3d = 1,
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = blade_build,
};
