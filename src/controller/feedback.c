/* State feedback: u = reference - sum of gain times signal. */
#include "controller/controller.h"

static const bl_param params[] = {
    {"gains", BL_P_TERMS, BL_REQUIRED, 0, NULL, NULL, "a map from expressions (variables, rates, probes, states) to their gains"},
    {"reference", BL_P_LAW, 0, 0, NULL, NULL, "added to the output"},
    {"limit", BL_P_NUMBER, BL_POSITIVE, 0, NULL, NULL, "largest magnitude of the output (default: none)"},
    {0},
};
enum { GAINS, REFERENCE, LIMIT };

static bl_status feedback_build(bl_controller *c) {
    bl_index sum = bl_controller_law(c, &c->value[GAINS]), reference = bl_controller_law(c, &c->value[REFERENCE]);
    c->output = bl_c_limit(c, bl_c_sub(c, reference, sum), &c->value[LIMIT]);
    return c->status;
}

const bl_controller_kind bl_controller_feedback = {
    .kind = {"feedback", "state feedback: minus the sum of gains times signals", params, 0, BL_CONTINUOUS | BL_SAMPLED},
    .build = feedback_build,
};
