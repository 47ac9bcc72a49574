/* Starts in equilibrium: `initial: {equilibrium: true}`. The configuration is the one that `biela equilibrium` finds from the model's
 * start. */
#include "study/equilibrium_private.h"
#include "study/study.h"

#include <string.h>

static bl_status blame(const bl_system *sys, const bl_model *model) {
    const bl_error why = *bl_context_error(sys->ctx);
    if (why.status != BL_E_NUMERIC)
        return why.status;
    bl_fail(sys->ctx, BL_E_NUMERIC, &model->rests_at, "initial: %s", why.what);
    bl_advise(sys->ctx, "%s", why.advice);
    bl_blame(sys->ctx, why.part, why.equation, why.time);
    return BL_E_NUMERIC;
}

static bl_status find(const bl_system *sys, const bl_model *model, bl_state *state, bl_statics **s) {
    const bl_equilibrium_def *settings = model->equilibrium;
    bl_equilibrium_options options = {.tolerance = settings ? settings->tolerance : 0, .any = settings && settings->any};
    BL_TRY(bl_statics_create(sys, state, &options, s));
    (*s)->model = model;
    bl_status status = bl_statics_first(*s);
    if (status == BL_E_NUMERIC)
        return blame(sys, model);
    BL_TRY(status);
    const bl_equilibrium_summary *found = &(*s)->found;
    if (found->unstable > 0)
        bl_warn(sys->ctx, found->t, NULL,
                "the run starts in an equilibrium that is unstable along %s: rounding errors decide when the motion leaves it",
                found->motions);
    else if (found->neutral > 0)
        bl_log(sys->ctx, BL_LOG_INFO, "the run starts in an equilibrium that is neutral along %s", found->motions);
    memcpy(state->q, (*s)->kept.q, (size_t)sys->nq * sizeof(double));
    memcpy(state->z, (*s)->kept.z, (size_t)sys->nz * sizeof(double));
    memcpy(state->lambda, (*s)->kept.lambda, (size_t)sys->np * sizeof(double));
    memcpy(state->history, (*s)->kept.history, sys->history_bytes);
    return BL_OK;
}

bl_status bl_start_equilibrium(const bl_system *sys, const bl_model *model, bl_state *state) {
    bl_statics *s = NULL;
    if (!model->rests)
        return BL_OK;
    bl_status status = find(sys, model, state, &s);
    bl_statics_destroy(s);
    BL_TRY(status);
    return model->nbody > 1 ? bl_assemble_velocities(sys, model, state) : BL_OK;
}
