/* Motor with a straight line from its torque at rest to its speed without load: on the variable x of a joint the generalized force
 * T (level - x' / w), as a direct-current motor whose voltage is `level` times the nominal one. Above that speed it brakes. */
#include "force/ops.h"

static const bl_param params[] = {
    {"variable", BL_P_VARIABLE, BL_REQUIRED, 0, NULL, NULL, "the variable it drives: joint.angle, joint.distance"},
    {"stall", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N m, N", "moment or force at rest, with level 1"},
    {"speed", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "rad/s, m/s", "rate without load, with level 1"},
    {"level", BL_P_LAW, 0, 0, NULL, NULL, "voltage relative to the nominal one, negative for the other direction (default: 1)"},
    {0},
};
enum { VARIABLE, STALL, SPEED, LEVEL };

static bl_status motor_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index x = bl_record_variable(r, value[VARIABLE].ref), rate = bl_record_rate(r, value[VARIABLE].ref);
    bl_index level = value[LEVEL].given ? bl_node_law(r, &value[LEVEL], x, rate) : bl_node(r, 1);
    bl_index slip = bl_node_sub(r, level, bl_node_scale(r, 1 / value[SPEED].number, rate));
    bl_record_push_variable(r, value[VARIABLE].ref, bl_node_scale(r, value[STALL].number, slip));
    return BL_OK;
}

static bl_status motor_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    bl_index variable = def->value[VARIABLE].ref;
    BL_TRY(bl_draw_variable(model, variable, out));
    out->drawn = model->variable[variable].is_angle ? BL_DRAWN_MOMENT : BL_DRAWN_FORCE;
    return BL_OK;
}

const bl_force_kind bl_force_motor = {
    .kind = {"motor", "torque that falls in a straight line from rest to the speed without load", params, 0, 0},
    .record = motor_record,
    .picture = motor_picture,
};
