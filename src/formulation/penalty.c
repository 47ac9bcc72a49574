/* Penalty (Bayo, Garcia de Jalon and Serna 1988): constraints are stiff springs, dampers and masses,
 *
 *     (M + alpha G^T G) a = Q - alpha G^T (2 omega mu (G v - b) + omega^2 phi - c),
 *
 * solved as [M G^T; G -1/alpha] [a; lambda] = [Q; c*]: the same a, in a matrix that stays sparse.
 * Redundant rows are dropped but with rows=raw, as published: off the constraints they are independent and would lock the mechanism. */
#include "formulation/motion.h"

enum { ALPHA, OMEGA, MU, ROWS };

static bl_status penalty_accelerate(bl_formulation *form) {
    bl_motion *own = form->own;
    double omega = form->value[OMEGA].number;
    BL_TRY(bl_motion_feedback(form, omega * form->value[MU].number, omega));
    return bl_motion_solve_rows(form, own->target, own->way.times);
}

/* Rows give way, so positions are a little off the constraints, and off them another branch is near: the nearer, the closer the singular
 * position. Pivots fall with the square of that distance. */
static const double SINGULAR_AT = 1e-3;

static bl_status penalty_setup(bl_formulation *form, const bl_state *state) {
    return bl_motion_setup_as(form, state,
                              &(bl_motion_way){.rate = true,
                                               .penalty = form->value[ALPHA].number,
                                               .times = 1,
                                               .singular_at = SINGULAR_AT,
                                               .raw = form->value[ROWS].number == 1,
                                               .accelerate = penalty_accelerate});
}

static const bl_param penalty_params[] = {
    {.name = "alpha",
     .type = BL_P_NUMBER,
     .flags = BL_POSITIVE,
     .fallback = 1e10,
     .help = "penalty, in units of the mass that each equation moves"},
    {.name = "omega",
     .type = BL_P_NUMBER,
     .flags = BL_NOT_NEGATIVE,
     .fallback = 10,
     .unit = "1/s",
     .help = "frequency at which violations die out"},
    {.name = "mu", .type = BL_P_NUMBER, .flags = BL_NOT_NEGATIVE, .fallback = 1, .help = "their damping ratio"},
    BL_PENALTY_ROWS,
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_penalty = {
    .kind = {.name = "penalty",
             .help = "constraints as stiff springs, dampers and masses",
             .params = penalty_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_GIVES_WAY},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "rows are chosen, multipliers spread with the least norm; rows=raw: all are kept and share what they give way",
    .singular = "stepped over where a step allows it, else refused; with redundant rows=raw not seen: the branch may be lost",
    .setup = penalty_setup,
    BL_MOTION_RATE_SLOTS,
};
