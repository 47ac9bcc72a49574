/* Index 1 whose positions and velocities are corrected every so many steps: what drifted meanwhile is projected away, however little. */
#include "formulation/index1.h"

static bl_status correction_setup(bl_formulation *form, const bl_state *state) {
    form->project_period = (int)form->value[0].number;
    return bl_index1_setup(form, state, &(bl_index1_way){.drifts = true});
}

static const bl_param correction_params[] = {
    {.name = "period", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = 10, .help = "steps between corrections"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_correction = {
    .kind = {.name = "correction",
             .help = "index 1 with a correction of positions and velocities every so many steps",
             .params = correction_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = BL_INDEX1_SINGULAR,
    .setup = correction_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
