/* Equations without constraints, M v' = Q and A z' = f: y = (q, v, z, work). */
#include "formulation/motion.h"

static bl_status plain_setup(bl_formulation *form, const bl_state *state) {
    if (form->sys->np > 0) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation plain needs a system without constraints, this one has %d constraint equations",
                (int)form->sys->np);
        bl_advise(form->ctx, "use lagrange or partition with explicit methods, ggl or index3 with implicit ones");
        return BL_E_ABILITY;
    }
    return bl_motion_setup(form, state, &(bl_motion_options){0});
}

const bl_formulation_kind bl_formulation_plain = {
    .kind = {.name = "plain",
             .help = "the original equations, without constraints",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_CAN_COEFFICIENT | BL_TAKES_CURVED | BL_FULL_STATE},
    .uses = BL_USES_MATRICES,
    .index = 0,
    .redundant = "there are no constraints",
    .singular = "a singular mass is refused",
    .setup = plain_setup,
    BL_MOTION_SLOTS,
    .expand = bl_index1_expand,
    .shift_setup = bl_motion_shift_setup,
    .shift = bl_motion_shift,
    .shift_solve = bl_motion_shift_solve,
    .shift_error = bl_motion_shift_error,
    .subtract = bl_motion_subtract,
};
