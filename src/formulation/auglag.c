/* Augmented Lagrangian, index 1 (Bayo, Garcia de Jalon and Serna 1988): the penalty method whose multipliers take over what the springs
 * carry,
 *
 *     lambda_{i+1} = lambda_i + alpha (G a_{i+1} - c*),     [M G^T; G -1/alpha] [a; lambda_{i+1}] = [Q; c* - lambda_i / alpha],
 *
 * repeated. Where the place is projected by the same matrix at every evaluation no rank is decided: redundant rows do no harm, and singular
 * positions are passed (off the constraints every branch is open there). Else redundant rows are dropped, but with rows=raw. */
#include "formulation/index1.h"

enum { ALPHA, OMEGA, MU, TIMES, PROJECT, ROWS };
enum { NEVER, AT_STEP, AT_STAGE };

static void auglag_feedback(const bl_formulation *form, double *alpha, double *beta) {
    /* feedback of what a projection takes away anyhow would only disturb the stages of a step */
    bool feedback = form->value[PROJECT].number == NEVER || form->value[OMEGA].given;
    *beta = feedback ? form->value[OMEGA].number : 0;
    *alpha = *beta * form->value[MU].number;
}

static bl_status auglag_setup(bl_formulation *form, const bl_state *state) {
    int project = (int)form->value[PROJECT].number;
    form->project_period = project != NEVER;
    return bl_index1_setup(form, state,
                           &(bl_index1_way){.drifts = project != NEVER,
                                            .each_place = project == AT_STAGE,
                                            .penalty = form->value[ALPHA].number,
                                            .times = (int)form->value[TIMES].number,
                                            .raw = form->value[ROWS].number == 1,
                                            .feedback = auglag_feedback});
}

static const bl_param auglag_params[] = {
    {.name = "alpha",
     .type = BL_P_NUMBER,
     .flags = BL_POSITIVE,
     .fallback = 1e5,
     .help = "penalty, in units of the mass that each equation moves"},
    {.name = "omega",
     .type = BL_P_NUMBER,
     .flags = BL_NOT_NEGATIVE,
     .fallback = 10,
     .unit = "1/s",
     .help = "frequency at which violations die out; with project 0 when not given"},
    {.name = "mu", .type = BL_P_NUMBER, .flags = BL_NOT_NEGATIVE, .fallback = 1, .help = "their damping ratio"},
    {.name = "iterations", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = 3, .help = "solutions with corrected multipliers"},
    {.name = "project",
     .type = BL_P_CHOICE,
     .choices = "no|step|stage",
     .help = "positions and velocities onto the constraints, by the same matrix"},
    BL_PENALTY_ROWS,
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_auglag = {
    .kind = {.name = "auglag",
             .help = "augmented Lagrangian: penalties whose load multipliers take over",
             .params = auglag_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_GIVES_WAY},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "multipliers spread with the least norm; project=stage, rows=raw: all rows are kept, no rank is decided",
    .singular = "passed with project=stage; else led past by singular: pass; with redundant rows=raw the branch may be lost",
    .setup = auglag_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
