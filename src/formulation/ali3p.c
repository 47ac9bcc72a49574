/* Index-3 augmented Lagrangian with projections, ALI3-P (Bayo and Ledesma 1996; Cuadrado, Cardenal and Bayo 1997): positions from
 *
 *     M a + G^T (lambda + alpha phi) = Q,     lambda += alpha phi after every iteration,
 *
 * then velocities and accelerations with the tangent W of the step as weight,
 *
 *     [W G^T; G -1/alpha] [v; sigma] = [W v*; b],    [W G^T; G -1/alpha] [a; tau] = [W a*; c].
 *
 * The iteration is Newton's of index 3 with constraints made compliant by 1/alpha: the same multiplier update in a matrix that stays
 * sparse. The penalty is chosen relative to the step, alpha = kappa c_a (c_a = 4/h^2 for the trapezoidal rule), so that one value serves
 * every step. */
#include "formulation/motion.h"

#include <string.h>

enum { KAPPA, PROJECTIONS, ROWS };

static double factor(const bl_motion *own, const bl_stage *s, bl_index row, double c) {
    return row < own->nv ? c / s->ca : c * bl_motion_state_factor(own, s, row - own->nv);
}

/* top = W x, W = M + (cv C + ce K) / ca of the last tangent; likewise in the rows of states, so that an x on the constraints moves none */
static void weigh(const bl_formulation *form, const bl_stage *s, const double *x, double *top) {
    const bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = own->nv;
    memset(top, 0, (size_t)own->n * sizeof *top);
    for (bl_index j = 0; j < nv; j++) {
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            top[sys->pat_M.idx[k]] += own->M[k] * x[j];
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            top[sys->pat_C.idx[k]] += factor(own, s, sys->pat_C.idx[k], s->cv) * own->C[k] * x[j];
        for (bl_index k = sys->pat_K.ptr[j]; k < sys->pat_K.ptr[j + 1]; k++)
            top[sys->pat_K.idx[k]] += factor(own, s, sys->pat_K.idx[k], s->ce) * own->K[k] * x[j];
    }
}

/* projects x onto G x = rows with the weight W; the multipliers compensate the compliance of the constraints */
static bl_status nearest(bl_formulation *form, const bl_stage *s, const double *rows, double *x) {
    bl_motion *own = form->own;
    double *top = own->R, *right = own->right, *carried = own->at.carried;
    memset(carried, 0, (size_t)own->r * sizeof(double));
    weigh(form, s, x, top);
    for (int times = 0; times < (int)form->value[PROJECTIONS].number; times++) {
        memcpy(right, top, (size_t)own->n * sizeof(double));
        for (bl_index k = 0; k < own->r; k++)
            right[own->ol + k] = rows[own->at.rows.kept[k]] * own->at.rows.by[own->at.rows.kept[k]] -
                                 bl_index1_compliance(&own->at, k, own->options.at.penalty) * carried[k];
        form->stats.solves++;
        BL_TRY(bl_linsol_solve(form->linsol, false, 1, right));
        memcpy(carried, right + own->ol, (size_t)own->r * sizeof(double));
    }
    memcpy(x, right, (size_t)own->nv * sizeof *x);
    return BL_OK;
}

static bl_status ali3p_settle(bl_formulation *form, const bl_stage *s, const double *x, const double *q, double *v, double *a) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    if (own->np == 0)
        return BL_OK;
    bl_eval *e = &form->at_e;
    BL_TRY(bl_motion_tangent(form, s, x)); /* the weight and G at exactly this configuration */
    bl_stage still = *s;                   /* velocity rows have G alone in the matrix: positions do not move here */
    still.cc = own->velocity_rows ? 0 : s->cc;
    BL_TRY(bl_motion_matrix(form, &still));
    bl_formulation_move_to(form, s->tc, q, v, own->z);
    e->q_from = e->q_to = NULL;
    BL_TRY(bl_system_eval(sys, e, BL_B));
    BL_TRY(nearest(form, s, e->b, v));
    bl_formulation_move_to(form, s->tc, q, v, own->z);
    BL_TRY(bl_system_eval(sys, e, BL_C));
    return nearest(form, s, e->c, a);
}

static bl_status ali3p_setup(bl_formulation *form, const bl_state *state) {
    return bl_motion_setup(form, state,
                           &(bl_motion_options){.at = {.raw = form->value[ROWS].number == 1, .penalty = form->value[KAPPA].number}});
}

static const bl_param ali3p_params[] = {
    {.name = "kappa",
     .type = BL_P_NUMBER,
     .flags = BL_POSITIVE,
     .fallback = 1e7,
     .help = "penalty relative to the step, in units of mass: alpha = kappa x 4/h^2 for the trapezoidal rule"},
    {.name = "projections",
     .type = BL_P_INTEGER,
     .flags = BL_POSITIVE,
     .fallback = 2,
     .help = "solutions for velocities and accelerations with corrected multipliers; 1: as published"},
    BL_PENALTY_ROWS,
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_ali3p = {
    .kind = {.name = "ali3p",
             .help = "index-3 augmented Lagrangian with projected velocities and accelerations",
             .params = ali3p_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_STAGE | BL_TAKES_CURVED | BL_TAKES_VELOCITY_ROWS},
    .uses = BL_USES_MATRICES,
    .index = 3,
    .redundant = "all equations are kept: loads are shared according to their compliance",
    .singular = "passed with most step sizes, no safe penalty is known",
    .setup = ali3p_setup,
    .settle = ali3p_settle,
    BL_MOTION_SLOTS,
};
