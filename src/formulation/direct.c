/* Accelerations computed by the system itself, M^-1 Q without a matrix: O(n) for trees in relative coordinates. y = (q, v, z, work). */
#include "formulation/formulation.h"

#include <math.h>
#include <string.h>

/* the last refusal: column whose acceleration or rate was not a finite number, -1: none */
typedef struct direct {
    bl_index refused_at;
    double refused_t;
} direct;

static bl_status direct_setup(bl_formulation *form, const bl_state *state) {
    const bl_system *sys = form->sys;
    if (sys->np > 0) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL,
                "formulation direct needs a system without constraints, this one has %d constraint equations", (int)sys->np);
        bl_advise(form->ctx, "use the formulation lagrange or partition");
        return BL_E_ABILITY;
    }
    if (!form->own) {
        direct *own;
        BL_TRY(BL_NEW(form->ctx, own, 1));
        form->own = own;
    }
    ((direct *)form->own)->refused_at = -1;
    form->history = state->history;
    form->dof = form->dof_position = sys->nv;
    form->redundant = 0;
    form->stage_of = BL_STAGE_RATE;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(bl_state_rates_setup(form));
    return bl_full_state_weigh(form, true);
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    (void)lambda; /* there are none */
    form->at_e.have &= ~(uint32_t)BL_FREE_ACC;
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_FREE_ACC));
    memcpy(a, form->at_e.a_free, (size_t)form->sys->nv * sizeof *a);
    return BL_OK;
}

/* at the configuration of at_e */
static bl_status accelerate(bl_formulation *form) {
    const bl_system *sys = form->sys;
    uint32_t of_states = sys->nz ? BL_F : 0;
    if (sys->nload == 0)
        return bl_system_eval(sys, &form->at_e, BL_FREE_ACC | of_states);
    BL_TRY(bl_system_eval(sys, &form->at_e, of_states));
    return bl_loads_settle(form, solve_loaded);
}

static bl_status direct_rate(bl_formulation *form, double t, const double *y, double *rate) {
    size_t nv = (size_t)form->sys->nv, nz = (size_t)form->sys->nz;
    const bl_eval *e = &form->at_e;
    form->stats.evaluations++;
    bl_formulation_move_to(form, t, y, y + nv, y + 2 * nv);
    BL_TRY(accelerate(form));
    memcpy(rate, y + nv, nv * sizeof *rate);
    memcpy(rate + nv, e->a_free, nv * sizeof *rate);
    rate[2 * nv + nz] = e->power;
    direct *own = form->own;
    own->refused_at = -1;
    for (size_t i = 0; i < nv; i++)
        if (!isfinite(e->a_free[i])) {
            *own = (direct){(bl_index)i, t};
            return bl_check_finite(form->ctx, "acceleration", t, (bl_index)nv, e->a_free);
        }
    own->refused_t = t;
    return bl_state_rates_find(form, rate + 2 * nv, &own->refused_at);
}

static bl_status direct_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    (void)lambda;
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(accelerate(form));
    memcpy(a, form->at_e.a_free, (size_t)form->sys->nv * sizeof *a);
    return BL_OK;
}

static bl_status direct_explain(bl_formulation *form) {
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    const direct *own = form->own;
    return own && own->refused_at >= 0 ? bl_formulation_blame_not_finite(form, own->refused_at, own->refused_t) : BL_OK;
}

static void direct_destroy(bl_formulation *form) { bl_free(form->ctx, form->own); }

static double direct_cost(const bl_size *size, int order) { return order ? size->expand[0] * bl_size_order_share(order) : size->rate[0]; }

const bl_formulation_kind bl_formulation_direct = {
    .kind = {.name = "direct",
             .help = "accelerations by recursion along the bodies, without a matrix: O(n) for trees in relative coordinates",
             .needs = BL_CAN_MSOLVE,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_FULL_STATE},
    .uses = BL_T,
    .index = 0,
    .redundant = "there are no constraints",
    .singular = "a motion that moves no mass is refused",
    .setup = direct_setup,
    .to_y = bl_full_state_to_y,
    .from_y = bl_full_state_from_y,
    .rate = direct_rate,
    .cost = direct_cost,
    .accelerations = direct_accelerations,
    .explain = direct_explain,
    BL_RATE_STAGE_SLOTS,
    .destroy = direct_destroy,
};
