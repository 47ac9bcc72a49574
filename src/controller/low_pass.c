/* Low-pass filter of first order: x' = (of - x) / T. Sampled: the exact response to a value that is held between samples. */
#include "controller/controller.h"

#include <math.h>

static const bl_param params[] = {
    {"of", BL_P_LAW, BL_REQUIRED, 0, NULL, NULL, "the expression to be filtered"},
    {"time", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, "s", "time constant T"},
    {0},
};
enum { OF, TIME };

static bl_status low_pass_build(bl_controller *c) {
    bl_index of = bl_controller_law(c, &c->value[OF]), x = bl_controller_state_node(c, "value");
    double T = c->value[TIME].number, share = c->sampled ? -expm1(-c->period / T) : 1 / T;
    bl_index change = bl_c_scale(c, share, bl_c_sub(c, of, x)), next = c->sampled ? bl_c_add(c, x, change) : change;
    bl_controller_next(c, "value", next);
    bl_controller_start(c, "value", of);
    c->output = c->sampled ? next : x;
    return c->status;
}

static const char *const states[] = {"value", NULL};

const bl_controller_kind bl_controller_low_pass = {
    .kind = {"low_pass", "low-pass filter of first order, at the start equal to its input", params, 0, BL_CONTINUOUS | BL_SAMPLED},
    .states = states,
    .sampled_states = states,
    .build = low_pass_build,
};
