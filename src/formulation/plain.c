/* Equations without constraints as they stand, M v' = Q and A z' = f: y = (q, v, z, work). */
#include "formulation/motion.h"

static bl_status plain_setup(bl_formulation *form, const bl_state *state) {
    if (form->sys->np > 0) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation plain needs a system without constraints, this one has %d rows",
                (int)form->sys->np);
        bl_advise(form->ctx, "explicit methods: lagrange or partition; implicit ones: ggl or index3");
        return BL_E_ABILITY;
    }
    return bl_motion_setup(form, state, &(bl_motion_way){0});
}

const bl_formulation_kind bl_formulation_plain = {
    .kind = {.name = "plain",
             .help = "equations without constraints as they stand",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_CAN_COEFFICIENT | BL_TAKES_STATES | BL_TAKES_CURVED},
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
    .less = bl_motion_less,
};
