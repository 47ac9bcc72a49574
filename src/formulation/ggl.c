/* Stabilized index 2 (Gear, Gupta, Leimkuhler 1985): q' = v + G^T mu, M v' + G^T lambda = Q, with phi = 0 and G v = b at the end of every
 * step. mu is as small as the error of the method. */
#include "formulation/motion.h"

enum { REDUCE };

static bl_status ggl_setup(bl_formulation *form, const bl_state *state) {
    return bl_motion_setup(form, state, &(bl_motion_options){.stabilized = true, .reduce = form->value[REDUCE].number == 1});
}

static const bl_param ggl_params[] = {BL_MOTION_REDUCE, {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_ggl = {
    .kind = {.name = "ggl",
             .help = "stabilized index 2: positions and velocities on the constraints at every step",
             .params = ggl_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_STAGE | BL_TAKES_CURVED | BL_TAKES_VELOCITY_ROWS | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 2,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = "not checked: passed unless the iteration fails there, then refused",
    .setup = ggl_setup,
    BL_MOTION_SLOTS,
};
