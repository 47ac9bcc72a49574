/* Index 1 with positions and velocities projected onto the constraints every so many steps, however small the drift. */
#include "formulation/index1.h"

static bl_status correction_setup(bl_formulation *form, const bl_state *state) {
    form->project_period = (int)form->value[0].number;
    return bl_index1_setup(form, state, &(bl_index1_options){.drifts = true});
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
    BL_INDEX1_FACTS,
    .setup = correction_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
