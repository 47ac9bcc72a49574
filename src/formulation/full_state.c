/* y = (q, v, z, work), which most formulations integrate: q' = T v; where T is not the identity there are more positions than
 * velocities. */
#include "formulation/formulation.h"

#include <string.h>

bl_status bl_full_state_weigh(bl_formulation *form, bool velocities) {
    const bl_system *sys = form->sys;
    form->ny = sys->nq + sys->nv + sys->nz + 1;
    double *weight = bl_resize(form->ctx, form->weight, (size_t)form->ny, sizeof *weight);
    if (!weight)
        return BL_E_MEMORY;
    form->weight = weight;
    for (bl_index i = 0; i < sys->nq; i++)
        *weight++ = bl_system_q_scale(sys, i);
    for (bl_index i = 0; i < sys->nv; i++)
        *weight++ = velocities ? sys->col[i].scale : 0;
    for (bl_index i = 0; i < sys->nz; i++) {
        const bl_col *col = &sys->col[sys->nv + i];
        *weight++ = velocities || col->order > 0 ? col->scale : 0; /* algebraic states may be functions of velocities */
    }
    *weight = 0;
    return BL_OK;
}

bl_status bl_full_state_to_y(bl_formulation *form, const bl_state *state, double *y) {
    size_t nq = (size_t)form->sys->nq, nv = (size_t)form->sys->nv, nz = (size_t)form->sys->nz;
    form->history = state->history;
    memcpy(y, state->q, nq * sizeof *y);
    memcpy(y + nq, state->v, nv * sizeof *y);
    memcpy(y + nq + nv, state->z, nz * sizeof *y);
    y[nq + nv + nz] = *state->work;
    return BL_OK;
}

bl_status bl_full_state_from_y(bl_formulation *form, double t, const double *y, bl_state *state) {
    size_t nq = (size_t)form->sys->nq, nv = (size_t)form->sys->nv, nz = (size_t)form->sys->nz;
    *state->t = t;
    memcpy(state->q, y, nq * sizeof *y);
    memcpy(state->v, y + nq, nv * sizeof *y);
    memcpy(state->z, y + nq + nv, nz * sizeof *y);
    *state->work = y[nq + nv + nz];
    return BL_OK;
}

bl_status bl_position_rate(bl_formulation *form, const double *v, double *rate) {
    const bl_system *sys = form->sys;
    if (!(sys->facts & BL_FLAT))
        return bl_system_apply(sys, &form->at_e, BL_OP_T, 1, v, rate);
    memcpy(rate, v, (size_t)sys->nv * sizeof *rate);
    return BL_OK;
}
