/* Penalty (Bayo, Garcia de Jalon and Serna 1988): constraints are stiff springs, dampers and masses,
 *
 *     (M + alpha G^T G) a = Q - alpha G^T (2 omega mu (G v - b) + omega^2 phi - c),
 *
 * solved as [M G^T; G -1/alpha] [a; lambda] = [Q; c*]: the same a, in a matrix that stays sparse.
 * Redundant rows are dropped except with rows=raw, as published: off the constraints they are independent and would lock the mechanism. */
#include "formulation/formulation_limits.h"
#include "formulation/index1.h"

enum { ALPHA, OMEGA, MU, ROWS };

static void penalty_feedback(const bl_formulation *form, double *alpha, double *beta) {
    *beta = form->value[OMEGA].number;
    *alpha = *beta * form->value[MU].number;
}

static bl_status penalty_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state,
                           &(bl_index1_options){.penalty = form->value[ALPHA].number,
                                                .times = 1,
                                                .singular_at = formulation_singular_penalty,
                                                .raw = form->value[ROWS].number == 1,
                                                .feedback = penalty_feedback});
}

static const bl_param penalty_params[] = {BL_PENALTY_PARAMS(1e10, ""), BL_PENALTY_ROWS, {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_penalty = {
    .kind = {.name = "penalty",
             .help = "constraints as stiff springs, dampers and masses",
             .params = penalty_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_COMPLIANT},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant =
        "equations chosen by rank, multipliers of minimum norm; rows=raw: all are kept and share loads according to their compliance",
    .singular =
        "stepped over where a step allows it, else refused; with redundant equations and rows=raw not detected: the branch may be lost",
    .setup = penalty_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
