/* Planetary gear: sun, ring and carrier about one axis (Willis): with z_s and z_r teeth
 *
 *     z_s (sun - carrier) + z_r (ring - carrier) = constant,     ratio = -z_s / z_r
 *
 * All three angles are measured from the same body, the housing. The planets are not modeled: their mass belongs to the carrier. */
#include "base/vector3.h"
#include "joint/joint_build.h"
#include "joint/joint_limits.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"sun", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the sun gear"},
    {"ring", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the ring gear"},
    {"carrier", BL_P_VARIABLE, BL_REQUIRED | BL_ANGLE_ONLY, 0, NULL, NULL, "angle of the planet carrier"},
    {"teeth", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL,
     "numbers of teeth, or radii, of sun and ring: [z_s, z_r] (no default: give teeth, or ratio); equal for a differential"},
    {"ratio", BL_P_NUMBER, BL_NOT_ZERO, 0, NULL, NULL,
     "change of ring per unit of sun while the carrier rests (default: -z_s / z_r); not 1"},
    {"offset", BL_P_NUMBER, 0, 0, NULL, "rad", "value of ring - carrier if sun = carrier"},
    {0},
};
enum { SUN, RING, CARRIER, TEETH, RATIO, OFFSET };

/* axis about which a variable is measured, in the given configuration; false: its joint has none */
static bool axis_of(const bl_model *model, bl_index variable, double axis[3]) {
    bl_joint_parts parts;
    if (bl_joint_make(model, &model->joint[model->variable[variable].joint], &parts) != BL_OK)
        return false; /* the joint itself is refused */
    for (bl_index i = 0; i < parts.ndof; i++)
        if (parts.dof[i].var == variable) {
            memcpy(axis, parts.dof[i].axis, sizeof parts.dof[i].axis);
            return true;
        }
    return false;
}

/* the three angles must be those of bodies relative to the housing, about the same axis */
static bl_status check_axes(const bl_build *build) {
    const bl_model *model = build->model;
    const bl_value *value = build->def->value;
    double axis[3], other[3], across[3];
    bool known = axis_of(model, value[SUN].ref, axis);
    for (int k = RING; k <= CARRIER; k++) {
        if (model->joint[model->variable[value[k].ref].joint].body[0] != model->joint[model->variable[value[SUN].ref].joint].body[0])
            return bl_build_refuse(build, &value[k], "let the joints of sun, ring and carrier have the housing as their first body",
                                   "the angle '%s' is measured from another body than '%s'", params[k].name, params[SUN].name);
        if (!known || !axis_of(model, value[k].ref, other))
            continue;
        cross3(axis, other, across);
        if (sqrt(dot3(across, across)) > joint_same_axis || dot3(axis, other) < 0)
            return bl_build_refuse(build, &value[k], "sun, ring and carrier rotate about one axis: give their joints the same axis",
                                   "the axes of '%s' and '%s' have different directions", params[SUN].name, params[k].name);
    }
    return BL_OK;
}

static bl_status planetary_gear_build(bl_build *build) {
    const bl_value *value = build->def->value;
    if (value[RATIO].given && value[TEETH].given)
        return bl_build_refuse(build, &value[RATIO], "give either ratio or teeth", "ratio is given as well as teeth");
    if (!value[RATIO].given && !value[TEETH].given)
        return bl_build_refuse(build, NULL, "give the teeth of sun and ring, [z_s, z_r], or ratio", "teeth is missing");
    if (value[TEETH].given && value[TEETH].number != 2)
        return bl_build_refuse(build, &value[TEETH], "give those of the sun and those of the ring: [z_s, z_r]",
                               "teeth needs 2 numbers, found %g", value[TEETH].number);
    double ratio = value[RATIO].given ? value[RATIO].number : -value[TEETH].vector[0] / value[TEETH].vector[1];
    if (ratio == 1)
        return bl_build_refuse(build, &value[RATIO], "use a fixed joint, or a gear with ratio 1, between sun and ring",
                               "with ratio 1 the carrier has no effect");
    BL_TRY(check_axes(build));
    return bl_build_relation(build, &value[SUN], &value[RING], &value[CARRIER], ratio, value[OFFSET].number, "leaving the ratio");
}

const bl_joint_kind bl_joint_planetary_gear = {
    .kind = {"planetary_gear", "couples the angles of sun, ring and carrier, also of a differential", params, 0, BL_IN_PLANE | BL_IN_SPACE},
    .forbids_2d = 1,
    .forbids_3d = 1,
    .nbody = 0,
    .letter = 'G',
    .closes_only = true,
    .build = planetary_gear_build,
};
