/* Spring and damper between two points: tension T = k (x - l0) + c x' + law(x, x') on the line from a to b, x = |b - a|;
 * the force on a is T (b - a) / x, on b the opposite. Potential k (x - l0)^2 / 2. */
#include "force/force_limits.h"
#include "force/ops.h"

#include <math.h>
#include <string.h>

static const bl_param params[] = {
    {"body_a", BL_P_BODY, 0, 0, NULL, NULL, "body of the first end (default: ground)"},
    {"body_b", BL_P_BODY, 0, 0, NULL, NULL, "body of the second end (default: ground)"},
    {"at", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "first end"},
    {"to", BL_P_POINT, BL_REQUIRED, 0, NULL, "m", "second end"},
    {"stiffness", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N/m", "tension per meter of extension"},
    {"length", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "m", "free length (default: in the given configuration)"},
    {"damping", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N s/m", "tension per rate of extension"},
    {"force", BL_P_LAW, 0, 0, NULL, "N", "additional tension, a law of its length x and rate xd"},
    {0},
};
enum { BODY_A, BODY_B, AT, TO, STIFFNESS, LENGTH, DAMPING, FORCE };

/* length in the given configuration; 0 if the ends coincide to rounding */
static double given_length(const bl_model *model, const bl_value *value) {
    double length = 0, biggest = 0;
    for (int k = 0; k < model->dim; k++) {
        length = hypot(length, value[TO].vector[k] - value[AT].vector[k]);
        biggest = fmax(biggest, fmax(fabs(value[TO].vector[k]), fabs(value[AT].vector[k])));
    }
    return length <= force_no_length * biggest ? 0 : length;
}

static bl_status spring_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index body_a = bl_value_body(&value[BODY_A]), body_b = bl_value_body(&value[BODY_B]);
    double stiffness = value[STIFFNESS].number, damping = value[DAMPING].number, initial = given_length(r->model, value);
    double length = value[LENGTH].given ? value[LENGTH].number : initial;
    bool linear = length == 0 && damping == 0 && !value[FORCE].given;
    if (body_a == body_b)
        return bl_record_refuse(r, &value[AT], "both ends are on the same body", "give two different bodies: bodies: [a, b]");
    if (initial == 0 && (!linear || r->actuator >= 0))
        return bl_record_refuse(r, &value[TO], "the ends coincide, so the force has no direction",
                                "move them apart; only a spring with free length 0 and without damping can start at length 0");

    bl_index a = bl_record_mark(r, bl_model_mark_point(r->model, body_a, value[AT].vector));
    bl_index b = bl_record_mark(r, bl_model_mark_point(r->model, body_b, value[TO].vector));
    bl_index pa[3], pb[3], va[3], vb[3], d[3], dv[3];
    bl_record_position(r, a, pa);
    bl_record_position(r, b, pb);
    bl_node_sub3(r, pb, pa, d);
    bl_index squared = bl_node_dot(r, d, d), factor; /* force on a = factor (b - a) */
    if (r->actuator >= 0) {                          /* its force pushes the ends apart */
        r->acted = true;
        factor = bl_node_neg(r, bl_node_div(r, bl_record_held(r, r->actuator), bl_node_sqrt(r, squared)));
    } else if (linear) {
        factor = bl_node(r, stiffness);
        bl_record_potential(r, bl_node_scale(r, 0.5 * stiffness, squared));
    } else {
        bl_index x = bl_node_sqrt(r, squared), stretch = bl_node_sub(r, x, bl_node(r, length));
        bl_index tension = bl_node_scale(r, stiffness, stretch);
        if (damping != 0 || value[FORCE].given) {
            bl_record_velocity(r, a, va);
            bl_record_velocity(r, b, vb);
            bl_node_sub3(r, vb, va, dv);
            bl_index xd = bl_node_div(r, bl_node_dot(r, d, dv), x);
            tension = bl_node_add(r, tension, bl_node_scale(r, damping, xd));
            tension = bl_node_add(r, tension, bl_node_law(r, &value[FORCE], x, xd));
        }
        factor = bl_node_div(r, tension, x);
        if (stiffness != 0)
            bl_record_potential(r, bl_node_scale(r, 0.5 * stiffness, bl_node_mul(r, stretch, stretch)));
    }
    if (stiffness != 0 && r->actuator < 0)
        bl_record_spring(r, a, b, stiffness, length);
    bl_record_push_span(r, a, b, d, factor);
    return BL_OK;
}

static bl_status spring_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_value *value = def->value;
    out->drawn = BL_DRAWN_SPRING;
    out->body[0] = bl_value_body(&value[BODY_A]);
    out->body[1] = bl_value_body(&value[BODY_B]);
    memcpy(out->at[0], value[AT].vector, sizeof out->at[0]);
    memcpy(out->at[1], value[TO].vector, sizeof out->at[1]);
    if (value[STIFFNESS].number != 0)
        out->free = value[LENGTH].given ? value[LENGTH].number : given_length(model, value);
    out->damped = value[DAMPING].number != 0;
    return BL_OK;
}

const bl_force_kind bl_force_spring = {
    .kind = {"spring", "spring and damper between two points", params, 0, 0},
    .record = spring_record,
    .picture = spring_picture,
};
