/* Settle: index 1 in which constraint violations decay with critical damping and one time constant tau:
 *
 *     [M G^T; G 0] [a; lambda] = [Q; c*],     c* = c - 2 (G v - b) / tau - phi / tau^2. */
#include "formulation/index1.h"

static void settle_feedback(const bl_formulation *form, double *alpha, double *beta) { *alpha = *beta = 1 / form->value[0].number; }

static bl_status settle_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.feedback = settle_feedback});
}

static const bl_param params[] = {{.name = "tau",
                                   .type = BL_P_NUMBER,
                                   .flags = BL_POSITIVE,
                                   .fallback = 0.1,
                                   .unit = "s",
                                   .help = "time constant of the decay of violations"},
                                  {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_settle = {
    .kind = {.name = "settle",
             .help = "index 1, constraint violations decay with a time constant",
             .params = params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_COMPLIANT | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = BL_INDEX1_SINGULAR,
    .setup = settle_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
