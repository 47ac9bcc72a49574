/* Index 3, direct: M v' + G^T lambda = Q with phi(q) = 0 at the end of every step. Positions keep the constraints to rounding; velocities
 * and multipliers are what the method makes of them, one and two orders of the step less accurate in their error estimates. */
#include "formulation/motion.h"

static bl_status index3_setup(bl_formulation *form, const bl_state *state) { return bl_motion_setup(form, state, false); }

const bl_formulation_kind bl_formulation_index3 = {
    .kind = {.name = "index3",
             .help = "index 3: the equations as they stand, positions on the constraints at every step",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_STAGE | BL_TAKES_STATES | BL_REFUSES_SINGULAR},
    .index = 3,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "refused",
    .setup = index3_setup,
    BL_MOTION_SLOTS,
};
