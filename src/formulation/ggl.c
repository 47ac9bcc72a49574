/* Stabilised index 2 (Gear, Gupta, Leimkuhler 1985): q' = v + G^T mu, M v' + G^T lambda = Q, with phi = 0 and G v = b at the end of every
 * step. mu is as small as the error of the method. */
#include "formulation/motion.h"

static bl_status ggl_setup(bl_formulation *form, const bl_state *state) { return bl_motion_setup(form, state, true); }

const bl_formulation_kind bl_formulation_ggl = {
    .kind = {.name = "ggl",
             .help = "stabilised index 2: positions and velocities on the constraints at every step",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_STAGE | BL_TAKES_STATES},
    .index = 2,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "refused",
    .setup = ggl_setup,
    .to_y = bl_motion_to_y,
    .from_y = bl_motion_from_y,
    .rate = bl_motion_rate,
    .review = bl_motion_review,
    .project = bl_motion_project,
    .accelerations = bl_motion_accelerations,
    .stage_setup = bl_motion_stage_setup,
    .residual = bl_motion_residual,
    .tangent = bl_motion_tangent,
    .matrix = bl_motion_matrix,
    .solve = bl_motion_solve,
    .power = bl_motion_power,
    .equation = bl_motion_equation,
    .explain = bl_motion_explain,
    .destroy = bl_motion_destroy,
};
