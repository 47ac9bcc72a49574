/* Index 3, direct: M v' + G^T lambda = Q with phi(q) = 0 at the end of every step. Positions satisfy the constraints to rounding;
 * velocities and multipliers follow from the method, with error estimates one and two orders of the step less accurate. */
#include "formulation/motion.h"

enum { REDUCE };

static bl_status index3_setup(bl_formulation *form, const bl_state *state) {
    return bl_motion_setup(form, state, &(bl_motion_options){.reduce = form->value[REDUCE].number == 1});
}

static const bl_param index3_params[] = {BL_MOTION_REDUCE, {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_index3 = {
    .kind = {.name = "index3",
             .help = "index 3: the original equations, positions on the constraints at every step",
             .params = index3_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_STAGE | BL_TAKES_CURVED | BL_TAKES_VELOCITY_ROWS | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 3,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = "not checked: passed unless the iteration fails there, then refused",
    .setup = index3_setup,
    BL_MOTION_SLOTS,
};
