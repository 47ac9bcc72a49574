/* Augmented Lagrangian, index 1 (Bayo, Garcia de Jalon and Serna 1988): the penalty method whose multipliers take over what the springs
 * carry,
 *
 *     lambda_{i+1} = lambda_i + alpha (G a_{i+1} - c*),     [M G^T; G -1/alpha] [a; lambda_{i+1}] = [Q; c* - lambda_i / alpha],
 *
 * repeated. Where positions are projected by the same matrix at every evaluation no rank is decided: redundant rows do no harm, and
 * singular configurations are passed (off the constraints every branch is open there). Else redundant rows are dropped, except with
 * rows=raw. */
#include "formulation/index1.h"

enum { ALPHA, OMEGA, MU, TIMES, PROJECT, ROWS };
enum { NEVER, AT_STEP, AT_STAGE };

static void auglag_feedback(const bl_formulation *form, double *alpha, double *beta) {
    /* feedback of violations that a projection removes anyway would only disturb the stages of a step */
    bool feedback = form->value[PROJECT].number == NEVER || form->value[OMEGA].given;
    *beta = feedback ? form->value[OMEGA].number : 0;
    *alpha = *beta * form->value[MU].number;
}

static bl_status auglag_setup(bl_formulation *form, const bl_state *state) {
    int project = (int)form->value[PROJECT].number;
    form->project_period = project != NEVER;
    return bl_index1_setup(form, state,
                           &(bl_index1_options){.drifts = project != NEVER,
                                                .each_stage = project == AT_STAGE,
                                                .penalty = form->value[ALPHA].number,
                                                .times = (int)form->value[TIMES].number,
                                                .raw = form->value[ROWS].number == 1,
                                                .feedback = auglag_feedback});
}

static const bl_param auglag_params[] = {
    BL_PENALTY_PARAMS(1e5, "; 0 with project unless given"),
    {.name = "iterations", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = 3, .help = "solutions with corrected multipliers"},
    {.name = "project",
     .type = BL_P_CHOICE,
     .choices = "no|step|stage",
     .help = "when positions and velocities are projected onto the constraints, by the same matrix"},
    BL_PENALTY_ROWS,
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_auglag = {
    .kind = {.name = "auglag",
             .help = "augmented Lagrangian: penalty forces are taken over by multipliers",
             .params = auglag_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_COMPLIANT},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "multipliers of minimum norm; project=stage, rows=raw: all equations are kept, no rank is decided",
    .singular = "passed with project=stage; else with `singular: pass`; with redundant equations and rows=raw the branch may be lost",
    .setup = auglag_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
