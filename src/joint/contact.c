/* Contact: the geometry of two surfaces that may touch: their gap, and where there is friction, how fast they slip. Not a joint of
 * the file: model/contact_reader.c makes it from `contacts`. */
#include "joint/joint_build.h"
#include "joint/touch.h"

#include <string.h>

static const bl_param params[] = {{0}};

static void fill(bl_build *build, const bl_contact_def *contact, bl_prim *prim) {
    bl_mark axis[2][3], point[2];
    for (int side = 0; side < 2; side++) {
        point[side] = bl_build_point(build, side, contact->point[side]);
        for (int k = 0; k < 3; k++)
            axis[side][k] = bl_build_vector(build, side, contact->axis[side][k]);
    }
    bl_touch_fill(prim, build->model->dim, contact->touch, contact->number, point, axis);
    prim->one_sided = true;
    if (contact->curve)
        prim->curve = *contact->curve;
}

static bl_status contact_build(bl_build *build) {
    static const char *const slip[] = {"slipping", "slipping, second direction"};
    const bl_contact_def *contact = &build->model->contact[build->def - build->model->joint - build->model->njoint];
    fill(build, contact, bl_build_prim(build, BL_TOUCH, "entering each other"));
    for (int k = 0; k < build->model->dim - 1 && contact->sticking > 0; k++) {
        bl_prim *prim = bl_build_prim(build, BL_SLIP, slip[k]);
        prim->tangent = (int8_t)k;
        fill(build, contact, prim);
    }
    memcpy(build->parts->picture.at[0], contact->point[0], sizeof contact->point[0]);
    memcpy(build->parts->picture.at[1], contact->point[1], sizeof contact->point[1]);
    return BL_OK;
}

const bl_joint_kind bl_joint_contact = {
    .kind = {"contact", "two surfaces that may touch", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .nbody = 2,
    .letter = 'K',
    .closes_only = true,
    .build = contact_build,
};
