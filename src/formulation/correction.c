/* Index 1 whose positions and velocities are corrected every so many steps: what drifted meanwhile is projected away, however little. */
#include "formulation/motion.h"

static bl_status correction_setup(bl_formulation *form, const bl_state *state) {
    form->project_period = (int)form->value[0].number;
    return bl_motion_setup_as(form, state, &(bl_motion_way){.rate = true, .drifts = true});
}

static const bl_param correction_params[] = {
    {.name = "period", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = 10, .help = "steps between corrections"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_correction = {
    .kind = {.name = "correction",
             .help = "index 1 with a correction of positions and velocities every so many steps",
             .params = correction_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over where a step allows it, else refused",
    .setup = correction_setup,
    BL_MOTION_RATE_SLOTS,
};
