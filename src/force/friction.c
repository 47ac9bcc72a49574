/* Friction on a variable x of a joint: generalized force -c x' - F tanh(x' / v). The jump of Coulomb's law is smoothed over
 * the speed v, so there is no sticking: the joint creeps with a speed of the order of v. */
#include "force/ops.h"

static const bl_param params[] = {
    {"variable", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable it acts on: joint.angle, joint.distance"},
    {"viscous", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N s/m, N m s/rad", "force per rate"},
    {"coulomb", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N, N m", "friction force, independent of speed"},
    {"velocity", BL_P_NUMBER, BL_POSITIVE, 1e-3, NULL, "m/s, rad/s", "speed over which the Coulomb part changes its sign"},
    {0},
};
enum { VARIABLE, VISCOUS, COULOMB, VELOCITY };

static bl_status friction_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index rate = bl_record_rate(r, value[VARIABLE].ref);
    bl_index force = bl_node_scale(r, -value[VISCOUS].number, rate);
    if (value[COULOMB].number != 0) {
        bl_index slope = bl_node_tanh(r, bl_node_div(r, rate, bl_node(r, value[VELOCITY].number)));
        force = bl_node_add(r, force, bl_node_scale(r, -value[COULOMB].number, slope));
    }
    bl_record_push_variable(r, value[VARIABLE].ref, force);
    return BL_OK;
}

static bl_status friction_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    bl_index variable = def->value[VARIABLE].ref;
    BL_TRY(bl_draw_variable(model, variable, out));
    out->drawn = model->variable[variable].is_angle ? BL_DRAWN_MOMENT : BL_DRAWN_FORCE;
    return BL_OK;
}

const bl_force_kind bl_force_friction = {
    .kind = {"friction", "viscous and Coulomb friction on the angle or distance of a joint", params, 0, 0},
    .record = friction_record,
    .picture = friction_picture,
};
