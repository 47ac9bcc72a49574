/* Force on a point of a body, in global axes or in those of the body. Its reaction acts on the body `against` at the same
 * point in space, which moves relative to that body: as a force at its mass center c and the moment (p - c) x (-F). */
#include "force/ops.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"body", BL_P_BODY, BL_REQUIRED, 0, NULL, NULL, "the body it acts on"},
    {"against", BL_P_BODY, 0, 0, NULL, NULL, "the body that takes the reaction (default: ground)"},
    {"at", BL_P_POINT, 0, 0, NULL, "m", "point of application, fixed in the body (default: mass center)"},
    {"force", BL_P_LAW3, BL_REQUIRED, 0, NULL, "N", "components"},
    {"frame", BL_P_CHOICE, 0, 0, "global|body", NULL, "axes of the components: global, or fixed in the body"},
    {0},
};
enum { BODY, AGAINST, AT, FORCE, FRAME };

static bl_status force_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index body, against;
    BL_TRY(bl_record_bodies(r, &value[BODY], &value[AGAINST], &body, &against));
    const double *where = value[AT].given ? value[AT].vector : r->model->body[body].center;
    bl_index point = bl_record_mark(r, bl_model_mark_point(r->model, body, where));
    bl_index f[3];
    bl_node_law3(r, &value[FORCE], false, f);
    if (value[FRAME].number != 0)
        bl_node_rotate(r, body, f);
    bl_record_push(r, point, f);
    if (against != 0) {
        bl_index center = bl_record_mark(r, (bl_mark){.body = against}), p[3], c[3], arm[3], back[3], moment[3];
        bl_record_position(r, point, p);
        bl_record_position(r, center, c);
        bl_node_sub3(r, p, c, arm);
        bl_node_neg3(r, f, back);
        bl_node_cross(r, arm, back, moment);
        bl_record_push(r, center, back);
        bl_record_torque(r, against, moment);
    }
    return BL_OK;
}

static bl_status force_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    out->drawn = BL_DRAWN_FORCE;
    out->body[0] = bl_value_body(&value[AGAINST]);
    out->body[1] = value[BODY].ref;
    for (int side = 0; side < 2; side++) /* the reaction acts at the same point */
        memcpy(out->at[side], value[AT].given ? value[AT].vector : model->body[out->body[1]].center, sizeof out->at[side]);
    return BL_OK;
}

const bl_force_kind bl_force_force = {
    .kind = {"force", "force on a point of a body", params, 0, 0},
    .record = force_record,
    .picture = force_picture,
};
