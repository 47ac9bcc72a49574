/* Attraction of two points by the inverse square of their distance x: |F| = k / x^2, potential -k / x. */
#include "force/ops.h"

#include <string.h>

static const bl_param params[] = {
    {"body_a", BL_P_BODY, 0, 0, NULL, NULL, "body of the first point (default: ground)"},
    {"body_b", BL_P_BODY, 0, 0, NULL, NULL, "body of the second point (default: ground)"},
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "first point"},
    {"to", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "second point"},
    {"strength", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "N m^2", "force at a distance of one meter"},
    {0},
};
enum { BODY_A, BODY_B, AT, TO, STRENGTH };

static bl_status attraction_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index a = bl_record_mark(r, bl_model_mark_point(r->model, bl_value_body(&value[BODY_A]), value[AT].vector));
    bl_index b = bl_record_mark(r, bl_model_mark_point(r->model, bl_value_body(&value[BODY_B]), value[TO].vector));
    bl_index pa[3], pb[3], d[3], on_a[3], on_b[3];
    bl_record_position(r, a, pa);
    bl_record_position(r, b, pb);
    bl_node_sub3(r, pb, pa, d);
    bl_index squared = bl_node_dot(r, d, d), x = bl_node_sqrt(r, squared);
    bl_index strength = bl_node(r, value[STRENGTH].number);
    bl_index factor = bl_node_div(r, strength, bl_node_mul(r, squared, x)); /* force on a = factor (b - a) */
    for (int k = 0; k < 3; k++)
        on_a[k] = bl_node_mul(r, factor, d[k]);
    bl_node_neg3(r, on_a, on_b);
    bl_record_push(r, a, on_a);
    bl_record_push(r, b, on_b);
    bl_record_potential(r, bl_node_neg(r, bl_node_div(r, strength, x)));
    return BL_OK;
}

static bl_status attraction_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    (void)model;
    out->drawn = BL_DRAWN_SPRING;
    out->body[0] = bl_value_body(&def->value[BODY_A]);
    out->body[1] = bl_value_body(&def->value[BODY_B]);
    memcpy(out->at[0], def->value[AT].vector, sizeof out->at[0]);
    memcpy(out->at[1], def->value[TO].vector, sizeof out->at[1]);
    return BL_OK;
}

const bl_force_kind bl_force_attraction = {
    .kind = {"attraction", "attraction of two points by the inverse square of their distance", params, 0, 0},
    .record = attraction_record,
    .picture = attraction_picture,
};
