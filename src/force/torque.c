/* Free moment on a body, in global axes or in those of the body; the opposite moment on the body `against`. */
#include "force/ops.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"body", BL_P_BODY, BL_REQUIRED, 0, NULL, NULL, "the body it acts on"},
    {"against", BL_P_BODY, 0, 0, NULL, NULL, "the body that takes the reaction (default: ground)"},
    {"torque", BL_P_LAW3, BL_REQUIRED | BL_ABOUT_Z, 0, NULL, "N m", "components; in planar models one number"},
    {"frame", BL_P_CHOICE, 0, 0, "global|body", NULL, "axes of the components: global, or fixed in the body"},
    {0},
};
enum { BODY, AGAINST, TORQUE, FRAME };

static bl_status torque_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index body, against;
    BL_TRY(bl_record_bodies(r, &value[BODY], &value[AGAINST], &body, &against));
    bl_index moment[3], back[3];
    bl_node_law3(r, &value[TORQUE], true, moment);
    if (value[FRAME].number != 0)
        bl_node_rotate(r, body, moment);
    bl_node_neg3(r, moment, back);
    bl_record_torque(r, body, moment);
    bl_record_torque(r, against, back);
    return BL_OK;
}

static bl_status torque_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    out->drawn = BL_DRAWN_MOMENT;
    out->body[0] = bl_value_body(&value[AGAINST]);
    out->body[1] = value[BODY].ref;
    for (int side = 0; side < 2; side++)
        memcpy(out->at[side], model->body[out->body[side]].center, sizeof out->at[side]);
    out->has_axis = model->dim == 2;
    out->axis[2] = out->has_axis;
    return BL_OK;
}

const bl_force_kind bl_force_torque = {
    .kind = {"torque", "free moment on a body", params, 0, 0},
    .record = torque_record,
    .picture = torque_picture,
};
