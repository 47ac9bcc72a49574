/* Buffer: a stop with a stiffness on a variable x of a joint, F = k d^n (1 + chi d') where x passes its bound by d (compliant_law.c). */
#include "force/compliant_law.h"
#include "force/ops.h"

static const bl_param params[] = {BL_COMPLIANT_PARAMS("N/m^n, N m/rad^n", "s/m, s/rad"), {0}};

static bl_status buffer_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index variable = value[BL_BUFFER_VARIABLE].ref;
    double side = value[BL_BUFFER_SIDE].number;
    bl_index inside = bl_node_sub(r, bl_record_variable(r, variable), bl_node(r, value[BL_BUFFER_BOUND].number));
    bl_index force = bl_record_compliant(r, bl_node_scale(r, side, inside), bl_node_scale(r, side, bl_record_rate(r, variable)), -1);
    bl_record_push_variable(r, variable, bl_node_scale(r, side, force));
    return BL_OK;
}

static bl_status buffer_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    bl_index variable = def->value[BL_BUFFER_VARIABLE].ref;
    out->drawn = model->variable[variable].is_angle ? BL_DRAWN_MOMENT : BL_DRAWN_FORCE;
    return bl_draw_variable(model, variable, out);
}

const bl_force_kind bl_force_buffer = {
    .kind = {"stop", "a bound on a variable that yields", params, 0, 0},
    .record = buffer_record,
    .picture = buffer_picture,
};
