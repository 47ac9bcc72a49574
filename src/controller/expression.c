/* A controller as it is written in the model: its output is an expression, its states are those of the file. */
#include "controller/controller.h"

static const bl_param params[] = {
    {"output", BL_P_LAW, BL_REQUIRED, 0, NULL, NULL, "its output; may use its own states by their names"},
    {0},
};
enum { OUTPUT };

static bl_status expression_build(bl_controller *c) {
    c->output = bl_controller_law(c, &c->value[OUTPUT]);
    return c->status;
}

const bl_controller_kind bl_controller_expression = {
    .kind = {"expression", "an expression with a name; with states of its own that follow a rate, or that samples update", params, 0,
             BL_CONTINUOUS | BL_SAMPLED | BL_OWN_STATES},
    .build = expression_build,
};
