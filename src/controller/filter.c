/* Low-pass filter of second order: x'' + 2 d w x' + w^2 (x - of) = 0. */
#include "controller/controller.h"

static const bl_param params[] = {
    {"of", BL_P_LAW, BL_REQUIRED, 0, NULL, NULL, "the expression to be filtered"},
    {"frequency", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "rad/s", "natural frequency w"},
    {"damping", BL_P_NUMBER, BL_POSITIVE, 0.70710678118654752, NULL, NULL, "damping ratio d; the default has a flat response"},
    {0},
};
enum { OF, FREQUENCY, DAMPING };

static bl_status filter_build(bl_controller *c) {
    double w = c->value[FREQUENCY].number, d = c->value[DAMPING].number;
    bl_index of = bl_controller_law(c, &c->value[OF]), x = bl_controller_state_node(c, "value"), v = bl_controller_state_node(c, "rate");
    bl_index pull = bl_c_scale(c, w * w, bl_c_sub(c, of, x));
    bl_controller_next(c, "value", v);
    bl_controller_next(c, "rate", bl_c_sub(c, pull, bl_c_scale(c, 2 * d * w, v)));
    bl_controller_start(c, "value", of);
    c->output = x;
    return c->status;
}

static const char *const states[] = {"value", "rate", NULL};

const bl_controller_kind bl_controller_filter = {
    .kind = {"filter", "low-pass filter of second order, at the start equal to its input and at rest", params, 0, BL_CONTINUOUS},
    .states = states,
    .build = filter_build,
};
