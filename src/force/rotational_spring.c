/* Spring and damper on a variable x of a joint (an angle, or a distance): generalized force -k (x - x0) - c x' + law(x, x').
 * Potential k (x - x0)^2 / 2. */
#include "force/ops.h"

static const bl_param params[] = {
    {"variable", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable it acts on: joint.angle"},
    {"stiffness", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N m/rad", "moment per unit of the variable"},
    {"angle", BL_P_NUMBER, 0, 0, NULL, "rad", "value of the variable at which the spring is unloaded"},
    {"damping", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N m s/rad", "moment per rate of the variable"},
    {"torque", BL_P_LAW, 0, 0, NULL, "N m", "additional moment, positive in the direction of increasing x, a law of x and xd"},
    {0},
};
enum { VARIABLE, STIFFNESS, ANGLE, DAMPING, TORQUE };

static bl_status rotational_spring_record(bl_record *r) {
    const bl_value *value = r->def->value;
    double stiffness = value[STIFFNESS].number, damping = value[DAMPING].number;
    bl_index variable = value[VARIABLE].ref, force = bl_node(r, 0);
    if (stiffness != 0) {
        bl_index stretch = bl_node_sub(r, bl_record_variable(r, variable), bl_node(r, value[ANGLE].number));
        force = bl_node_scale(r, -stiffness, stretch);
        bl_record_potential(r, bl_node_scale(r, 0.5 * stiffness, bl_node_mul(r, stretch, stretch)));
    }
    if (damping != 0)
        force = bl_node_add(r, force, bl_node_scale(r, -damping, bl_record_rate(r, variable)));
    if (value[TORQUE].given) {
        bl_index x = bl_record_variable(r, variable), xd = bl_record_rate(r, variable);
        force = bl_node_add(r, force, bl_node_law(r, &value[TORQUE], x, xd));
    }
    bl_record_shows_variable(r, variable);
    bl_record_push_variable(r, variable, force);
    return BL_OK;
}

/* on an angle a spiral; on a distance a straight spring between the two points */
static bl_status rotational_spring_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    BL_TRY(bl_draw_variable(model, value[VARIABLE].ref, out));
    out->drawn = model->variable[value[VARIABLE].ref].is_angle ? BL_DRAWN_TURNING : BL_DRAWN_SPRING;
    if (value[STIFFNESS].number != 0)
        out->free = value[ANGLE].number;
    out->damped = value[DAMPING].number != 0;
    return BL_OK;
}

const bl_force_kind bl_force_rotational_spring = {
    .kind = {"rotational_spring", "spring and damper on the angle or distance of a joint", params, 0, 0},
    .record = rotational_spring_record,
    .picture = rotational_spring_picture,
};
