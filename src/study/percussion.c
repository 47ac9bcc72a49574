/* See percussion.h. The impulse is computed in the mechanism alone; kept in memory for further ones. */
#include "study/percussion.h"

#include "coords/coords.h"
#include "signal/signal.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_status make(bl_simulation *sim) {
    bl_percussion *p = &sim->percussion;
    const bl_system *sys = bl_signal_inner(sim->sys);
    if (p->kkt)
        return BL_OK;
    p->inner = sys;
    BL_TRY(bl_state_create(sys, 0, &p->state));
    BL_TRY(bl_eval_create(sys, BL_M | BL_G | BL_KC, &p->eval));
    BL_TRY(BL_NEW_ARRAYS(sim->ctx, p->block, BL_ARRAY(p->b, sys->np), BL_ARRAY(p->rhs, sys->np), BL_ARRAY(p->x, sys->nv),
                         BL_ARRAY(p->zero, sys->pat_K.ptr[sys->nv])));
    return bl_kkt_create(sys, &(bl_kkt_setup){.mass = &sys->pat_M}, &p->kkt);
}

void bl_percussion_destroy(bl_simulation *sim) {
    bl_percussion *p = &sim->percussion;
    if (!p->inner)
        return;
    bl_kkt_destroy(p->kkt);
    bl_eval_destroy(p->inner, &p->eval);
    bl_state_destroy(p->inner, &p->state);
    bl_free(sim->ctx, p->block);
}

bl_status bl_percussion_before(bl_simulation *sim) {
    const bl_system *sys = sim->sys;
    if (!bl_signal_drives(sys) || sys->np == 0)
        return BL_OK;
    BL_TRY(make(sim));
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_B));
    memcpy(sim->percussion.b, sim->eval.b, (size_t)sys->np * sizeof(double));
    return BL_OK;
}

/* v+ - v- */
static bl_status solve(bl_simulation *sim) {
    bl_percussion *p = &sim->percussion;
    const bl_system *sys = p->inner;
    bl_eval *e = &p->eval;
    bl_signal_inner_state(sim->sys, &sim->state, &p->state);
    bl_eval_at(e, &p->state);
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_G));
    memcpy(p->rhs, sim->eval.b, (size_t)sys->np * sizeof *p->rhs);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++)
            p->rhs[sys->pat_G.idx[k]] -= e->G[k] * sim->state.v[j];
    BL_TRY(bl_kkt_move_to(p->kkt, e));
    BL_TRY(bl_kkt_factor(p->kkt, p->zero, -1, e->M, 0));
    memset(p->x, 0, (size_t)sys->nv * sizeof *p->x);
    return bl_kkt_solve(p->kkt, p->x, p->rhs, p->x, NULL);
}

static bl_status fail(bl_simulation *sim, bl_status status, const char *driver) {
    if (status <= 0)
        return status;
    double t = *sim->state.t;
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "the rate of the driver of %s jumps at t = %.9g, but the velocities after it are not determined",
            driver, t);
    bl_advise(sim->ctx, "lead the input to its new rate (bl_stepper_lead_input), or give mass to everything that moves");
    bl_blame(sim->ctx, driver, "driver", t);
    return BL_E_NUMERIC;
}

bl_status bl_percussion_after(bl_simulation *sim) {
    bl_percussion *p = &sim->percussion;
    const bl_system *sys = sim->sys;
    bl_index first = -1;
    double scale = bl_system_smallest(sys);
    if (!p->kkt)
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_B));
    for (bl_index i = 0; i < sys->np && first < 0; i++)
        if (fabs(sim->eval.b[i] - p->b[i]) >
            study_percussion_least * (fabs(p->b[i]) + fabs(sim->eval.b[i]) + study_percussion_least * scale))
            first = i;
    if (first < 0)
        return BL_OK;
    char equation[64];
    double b = sim->eval.b[first];
    bl_system_row_name(sys, first, p->part, sizeof p->part, equation, sizeof equation);
    const char *name = strncmp(p->part, "driver of ", 10) == 0 ? p->part + 10 : p->part;
    BL_TRY(fail(sim, solve(sim), name));
    for (bl_index j = 0; j < sys->nv; j++)
        sim->state.v[j] += p->x[j];
    p->count++;
    p->t = *sim->state.t;
    snprintf(p->text, sizeof p->text, "percussion: the rate of the %.96s jumps from %.6g to %.6g", p->part, p->b[first], b);
    bl_log(sim->ctx, BL_LOG_INFO, "%s at t = %.9g", p->text, p->t);
    return BL_OK;
}
