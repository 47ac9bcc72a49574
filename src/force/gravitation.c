/* Gravitation between two bodies: attraction G m_a m_b / x^2 at the distance x of their mass centers, potential -G m_a m_b / x. With `mu`,
 * the gravitational parameter G m_a of the first body, which may then be the ground: mu m_b / x^2. */
#include "force/force_limits.h"
#include "force/ops.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"body_a", BL_P_BODY, 0, 0, NULL, NULL, "first body (default: ground)"},
    {"body_b", BL_P_BODY, 0, 0, NULL, NULL, "second body (required)"},
    {"at", BL_P_POINT, 0, 0, NULL, "m", "point of the first body (default: its mass center; of ground the origin)"},
    {"to", BL_P_POINT, 0, 0, NULL, "m", "point of the second body (default: its mass center)"},
    {"constant", BL_P_NUMBER, BL_POSITIVE, 6.67430e-11, NULL, "m^3/(kg s^2)", "gravitational constant G, with the masses of both bodies"},
    {"mu", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m^3/s^2",
     "G times the mass of the first body, instead of `constant`; required if that is ground (no default)"},
    {0},
};
enum { BODY_A, BODY_B, AT, TO, CONSTANT, MU };

static const double *end_of(const bl_model *model, const bl_value *value, bool second) {
    bl_index body = bl_value_body(&value[second ? BODY_B : BODY_A]);
    const bl_value *given = &value[second ? TO : AT];
    return given->given ? given->vector : model->body[body].center;
}

static bl_status gravitation_record(bl_record *r) {
    const bl_model *model = r->model;
    const bl_value *value = r->def->value;
    bl_index body_a = bl_value_body(&value[BODY_A]), body_b = bl_value_body(&value[BODY_B]);
    if (body_a == body_b)
        return bl_record_refuse(r, &value[BODY_B], "it needs two different bodies", "give them as bodies: [a, b]");
    if (body_b == 0)
        return bl_record_refuse(r, &value[BODY_B], "the second body is ground", "give ground first: bodies: [ground, b]");
    if (value[MU].given && value[CONSTANT].given)
        return bl_record_refuse(r, &value[MU], "mu is given as well as constant", "give only one of them");
    if (body_a == 0 && !value[MU].given)
        return bl_record_refuse(r, &value[BODY_A], "the first body is ground, which has no mass",
                                "give mu, G times the mass of the attracting body");
    if (!(model->body[body_b].mass > 0) || (!value[MU].given && !(model->body[body_a].mass > 0)))
        return bl_record_refuse(r, &value[BODY_B], "a body without mass is not attracted", "give both bodies a mass");
    double strength = (value[MU].given ? value[MU].number : value[CONSTANT].number * model->body[body_a].mass) * model->body[body_b].mass;
    const double *at = end_of(model, value, false), *to = end_of(model, value, true);
    double distance = 0, biggest = 0;
    for (int k = 0; k < model->dim; k++) {
        distance = hypot(distance, to[k] - at[k]);
        biggest = fmax(biggest, fmax(fabs(to[k]), fabs(at[k])));
    }
    if (!(distance > force_no_length * biggest))
        return bl_record_refuse(r, &value[TO], "its points coincide, so the attraction is infinite",
                                "move them apart in the given configuration");

    bl_index a = bl_record_mark(r, bl_model_mark_point(model, body_a, at)), b = bl_record_mark(r, bl_model_mark_point(model, body_b, to));
    bl_index pa[3], pb[3], d[3];
    bl_record_position(r, a, pa);
    bl_record_position(r, b, pb);
    bl_node_sub3(r, pb, pa, d);
    bl_index squared = bl_node_dot(r, d, d), x = bl_node_sqrt(r, squared);
    bl_index factor = bl_node_div(r, bl_node(r, strength), bl_node_mul(r, squared, x)); /* force on a = factor (b - a) */
    bl_record_push_span(r, a, b, d, factor);
    bl_record_potential(r, bl_node_neg(r, bl_node_div(r, bl_node(r, strength), x)));
    return BL_OK;
}

static bl_status gravitation_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    out->drawn = BL_DRAWN_FORCE;
    out->body[0] = bl_value_body(&value[BODY_A]);
    out->body[1] = bl_value_body(&value[BODY_B]);
    memcpy(out->at[0], end_of(model, value, false), sizeof out->at[0]);
    memcpy(out->at[1], end_of(model, value, true), sizeof out->at[1]);
    return BL_OK;
}

const bl_force_kind bl_force_gravitation = {
    .kind = {"gravitation", "attraction of two masses by the inverse square of their distance", params, 0, 0},
    .record = gravitation_record,
    .picture = gravitation_picture,
};
