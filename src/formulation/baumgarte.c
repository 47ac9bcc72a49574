/* Index 1 with feedback of the violated constraints (Baumgarte 1972): [M G^T; G 0] [a; lambda] = [Q; c*],
 *
 *     c* = c - 2 alpha (G v - b) - beta^2 phi,
 *
 * so that violations die out like those of a damped oscillator. alpha = beta is critical damping. */
#include "formulation/index1.h"

static void baumgarte_feedback(const bl_formulation *form, double *alpha, double *beta) {
    *alpha = form->value[0].number;
    *beta = form->value[1].given ? form->value[1].number : *alpha;
    if (form->value[2].number != 0 && form->step > 0)
        *alpha = *beta = 1 / form->step;
}

static bl_status baumgarte_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.feedback = baumgarte_feedback});
}

static const bl_param baumgarte_params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .flags = BL_NOT_NEGATIVE, .fallback = 10, .unit = "1/s", .help = "feedback of velocities"},
    {.name = "beta",
     .type = BL_P_NUMBER,
     .flags = BL_NOT_NEGATIVE,
     .fallback = 10,
     .unit = "1/s",
     .help = "feedback of positions; default: alpha"},
    {.name = "from_step", .type = BL_P_FLAG, .help = "use 1 / step for both instead"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_baumgarte = {
    .kind = {.name = "baumgarte",
             .help = "index 1 with feedback of violated constraints",
             .params = baumgarte_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_COMPLIANT | BL_REFUSES_SINGULAR},
    BL_INDEX1_FACTS,
    .setup = baumgarte_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
