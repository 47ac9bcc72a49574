/* Index 1 with positions and velocities projected onto the constraints after every step, or also at every evaluation:
 *
 *     [W G^T; G 0] [dq; mu] = [0; -phi], repeated;   [W G^T; G 0] [v; mu] = [W v0; b],
 *
 * with W = M (the matrix of the accelerations again) or the identity (Lubich 1991; Bayo and Ledesma 1996). */
#include "formulation/index1.h"

enum { WEIGHT, AT };

static bl_status projection_setup(bl_formulation *form, const bl_state *state) {
    form->project_period = 1;
    return bl_index1_setup(
        form, state,
        &(bl_index1_options){.drifts = true, .identity = form->value[WEIGHT].number == 1, .each_stage = form->value[AT].number == 1});
}

static const bl_param projection_params[] = {
    {.name = "weight", .type = BL_P_CHOICE, .choices = "mass|identity", .help = "metric in which corrections are smallest"},
    {.name = "at", .type = BL_P_CHOICE, .choices = "step|stage", .help = "after every step, or also at every evaluation"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_projection = {
    .kind = {.name = "projection",
             .help = "index 1 with positions and velocities projected at every step or stage",
             .params = projection_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = "stepped over where a step allows it, else refused; most reliable with at=stage, weight=mass",
    .setup = projection_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
