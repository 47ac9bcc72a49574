/* Drag of a fluid on a point of a body: with the velocity v of the point relative to the fluid,
 *
 *     F = -(density coefficient area / 2 sqrt(v^2 + e^2) + viscous) v
 *
 * The small speed e makes the law smooth where v = 0; beyond it the force differs from the quadratic law by the share e^2 / (2 v^2). */
#include "force/ops.h"

#include <string.h>

static const bl_param params[] = {
    {"body", BL_P_BODY, BL_REQUIRED, 0, NULL, NULL, "the body it acts on"},
    {"at", BL_P_POINT, 0, 0, NULL, "m", "point of application, fixed in the body (default: mass center)"},
    {"density", BL_P_NUMBER, BL_NOT_NEGATIVE, 1.225, NULL, "kg/m^3", "of the fluid; 1.225 is air at sea level, 15 degrees C"},
    {"coefficient", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, NULL, "drag coefficient (required with area)"},
    {"area", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "m^2", "reference area of the coefficient"},
    {"viscous", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N s/m", "force per speed, in addition"},
    {"wind", BL_P_LAW3, 0, 0, NULL, "m/s", "velocity of the fluid (default: at rest)"},
    {"velocity", BL_P_NUMBER, BL_POSITIVE, 1e-3, NULL, "m/s", "speed below which the law is smoothed"},
    {0},
};
enum { BODY, AT, DENSITY, COEFFICIENT, AREA, VISCOUS, WIND, VELOCITY };

static const double *where(const bl_model *model, const bl_value *value) {
    return value[AT].given ? value[AT].vector : model->body[value[BODY].ref].center;
}

static bl_status drag_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bool quadratic = value[COEFFICIENT].given && value[AREA].given;
    if (value[BODY].ref == 0)
        return bl_record_refuse(r, &value[BODY], "'body' is ground, which does not move", "choose the body that moves in the fluid");
    if (value[COEFFICIENT].given != value[AREA].given)
        return bl_record_refuse(r, &value[value[AREA].given ? AREA : COEFFICIENT],
                                value[AREA].given ? "area is given without coefficient" : "coefficient is given without area",
                                "quadratic drag needs both");
    if (!quadratic && !value[VISCOUS].given)
        return bl_record_refuse(r, &value[BODY], "neither coefficient and area nor viscous is given", "give one of the two laws, or both");
    double factor = quadratic ? 0.5 * value[DENSITY].number * value[COEFFICIENT].number * value[AREA].number : 0;
    double smooth = value[VELOCITY].number;
    bl_index point = bl_record_mark(r, bl_model_mark_point(r->model, value[BODY].ref, where(r->model, value)));
    bl_index velocity[3], wind[3], v[3], force[3], share = bl_node(r, -value[VISCOUS].number);
    bl_record_velocity(r, point, velocity);
    for (int k = 0; k < 3; k++) {
        bool used = value[WIND].given && k < r->model->dim;
        wind[k] = used ? bl_record_law(r, value[WIND].law[k], value[WIND].vector[k], -1, -1) : bl_node(r, 0);
    }
    bl_node_sub3(r, velocity, wind, v);
    if (factor != 0) {
        bl_index speed = bl_node_sqrt(r, bl_node_add(r, bl_node_dot(r, v, v), bl_node(r, smooth * smooth)));
        share = bl_node_sub(r, share, bl_node_scale(r, factor, speed));
    }
    for (int k = 0; k < 3; k++)
        force[k] = bl_node_mul(r, share, v[k]);
    bl_record_push(r, point, force);
    return BL_OK;
}

static bl_status drag_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    out->drawn = BL_DRAWN_FORCE;
    out->body[1] = def->value[BODY].ref;
    for (int side = 0; side < 2; side++)
        memcpy(out->at[side], where(model, def->value), sizeof out->at[side]);
    return BL_OK;
}

const bl_force_kind bl_force_drag = {
    .kind = {"drag", "quadratic and linear resistance of a fluid, with wind", params, 0, 0},
    .record = drag_record,
    .picture = drag_picture,
};
