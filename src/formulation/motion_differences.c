/* Tangents by forward differences of the balance R(q, v, z) at fixed accelerations, rates and multipliers. Columns that share no row of the
 * pattern are moved together (Curtis, Powell, Reid 1974): greedy coloring, or one column after the other in dense mode. */
#include "formulation/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* each color in turn takes every remaining column that shares no row with those it already has */
static bl_status color_columns(bl_context *ctx, const bl_pattern *pattern, bl_index count, bool dense, bl_coloring *out) {
    out->count = 0;
    if (dense) {
        for (bl_index j = 0; j < count; j++)
            out->color[j] = j;
        out->count = count;
        return BL_OK;
    }
    bl_index *last = NULL; /* [nrow] the last color with a column in the row */
    BL_TRY(BL_NEW(ctx, last, pattern->nrow));
    for (bl_index i = 0; i < pattern->nrow; i++)
        last[i] = -1;
    for (bl_index j = 0; j < count; j++)
        out->color[j] = -1;
    bl_index left = count;
    while (left > 0) {
        bl_index color = out->count++;
        for (bl_index j = 0; j < count; j++) {
            if (out->color[j] >= 0)
                continue;
            bool free_of = true;
            for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1] && free_of; k++)
                free_of = last[pattern->idx[k]] != color;
            if (!free_of)
                continue;
            out->color[j] = color;
            left--;
            for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
                last[pattern->idx[k]] = color;
        }
    }
    bl_free(ctx, last);
    return BL_OK;
}

bl_status bl_motion_color(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bool between = (sys->can & BL_CAN_DISCRETE) && form->at_e.keeps; /* forces of a discrete gradient may be requested */
    bool never = form->jacobian == BL_JACOBIAN_ANALYTIC && (sys->can & BL_CAN_TANGENT) && !between;
    if (never || own->held)
        return BL_OK;
    if (own->K == form->at_e.K && own->K) {
        size_t nK = (size_t)sys->pat_K.ptr[own->n], nC = (size_t)sys->pat_C.ptr[own->n];
        BL_TRY(BL_NEW(form->ctx, own->difference, nK + nC));
        own->K = own->difference;
        own->C = own->difference + nK;
    }
    bool dense = form->jacobian == BL_JACOBIAN_DENSE;
    if (own->by_velocity.color && own->colored == form->jacobian)
        return BL_OK;
    own->colored = form->jacobian;
    if (!own->by_position.color)
        BL_TRY(BL_NEW(form->ctx, own->by_position.color, own->n));
    if (!own->by_velocity.color)
        BL_TRY(BL_NEW(form->ctx, own->by_velocity.color, own->nv));
    BL_TRY(color_columns(form->ctx, &sys->pat_K, own->n, dense, &own->by_position));
    return color_columns(form->ctx, &sys->pat_C, own->nv, dense, &own->by_velocity);
}

/* size: of the numbers that determine rounding, where larger than the value; 0: it is not */
static double step_of(const bl_system *sys, bl_index j, double value, double size) {
    double step = sqrt(DBL_EPSILON) * fmax(fmax(fabs(value), sys->col[j].scale), size);
    volatile double moved = value + step; /* the step after rounding */
    return moved - value;
}

/* moves the columns of one color by their step, or (sign -1) back */
static bl_status move_positions(bl_formulation *form, const bl_stage *s, bl_index color, double sign) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bool flat = sys->facts & BL_FLAT;
    if (!flat) {
        for (bl_index j = 0; j < own->nv; j++)
            own->moved[j] = own->by_position.color[j] == color ? own->step[j] : 0;
        memcpy(sign > 0 ? own->kept_q : own->q, sign > 0 ? own->q : own->kept_q, (size_t)sys->nq * sizeof(double));
        if (sign > 0)
            BL_TRY(bl_system_retract(sys, own->kept_q, own->moved, own->q));
    }
    for (bl_index j = 0; j < own->n; j++) {
        if (own->by_position.color[j] != color)
            continue;
        if (j >= own->nv) {
            own->z[j - own->nv] += sign * own->step[j];
            continue;
        }
        if (!flat)
            continue;
        own->q[j] += sign * own->step[j];
        if (own->discrete_now)
            own->qc[j] += sign * own->step[j] * (s->ce != 0 ? s->cc / s->ce : 0);
    }
    return BL_OK;
}

bl_status bl_motion_differences(bl_formulation *form, const bl_stage *s) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    form->stats.evaluations++;
    BL_TRY(bl_motion_balance(form, s, own->R0));
    for (bl_index j = 0; j < own->n; j++)
        own->step[j] =
            j >= own->nv ? step_of(sys, j, own->z[j - own->nv], 0) : step_of(sys, j, sys->facts & BL_FLAT ? own->q[j] : 0, sys->rounded);
    for (bl_index color = 0; color < own->by_position.count; color++) {
        BL_TRY(move_positions(form, s, color, 1));
        e->have = e->constant;
        form->stats.evaluations++;
        bl_status status = bl_motion_balance(form, s, own->R);
        BL_TRY(move_positions(form, s, color, -1));
        BL_TRY(status);
        for (bl_index j = 0; j < own->n; j++)
            for (bl_index k = sys->pat_K.ptr[j]; own->by_position.color[j] == color && k < sys->pat_K.ptr[j + 1]; k++)
                own->K[k] = -(own->R[sys->pat_K.idx[k]] - own->R0[sys->pat_K.idx[k]]) / own->step[j];
    }
    memset(own->C, 0, (size_t)sys->pat_C.ptr[own->n] * sizeof(double));
    for (bl_index j = 0; j < own->nv; j++)
        own->step[j] = step_of(sys, j, own->v[j], 0);
    for (bl_index color = 0; color < own->by_velocity.count; color++) {
        for (bl_index j = 0; j < own->nv; j++)
            own->v[j] += own->by_velocity.color[j] == color ? own->step[j] : 0;
        e->have = e->constant;
        form->stats.evaluations++;
        bl_status status = bl_motion_balance(form, s, own->R);
        for (bl_index j = 0; j < own->nv; j++)
            own->v[j] -= own->by_velocity.color[j] == color ? own->step[j] : 0;
        BL_TRY(status);
        for (bl_index j = 0; j < own->nv; j++)
            for (bl_index k = sys->pat_C.ptr[j]; own->by_velocity.color[j] == color && k < sys->pat_C.ptr[j + 1]; k++)
                own->C[k] = -(own->R[sys->pat_C.idx[k]] - own->R0[sys->pat_C.idx[k]]) / own->step[j];
    }
    e->have = e->constant;
    /* A is stored in the columns of states */
    const double *A = bl_state_rates_matrix(form);
    for (bl_index j = own->nv; j < own->n; j++)
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            own->C[k] = A ? A[k] : (double)(sys->pat_C.idx[k] == j);
    return BL_OK;
}
