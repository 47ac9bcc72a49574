/* Algebraic variables at the start: Newton's method on their equations 0 = f(q, v, z, t), with everything else held constant. The matrix is
 * their block of K; a step is halved while it increases the largest residual. */
#include "study/study.h"

#include "sparse/sparse.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct algebra {
    const bl_system *sys;
    bl_state *state;
    bl_eval eval;
    bl_index n, *col, *index; /* columns of z that are algebraic; [nz] index of each among them, else -1 */
    bl_pattern pattern;
    bl_index *slot; /* [entries of the block] index in K */
    double *values, *x, *kept;
    void *block, *numbers;
    bl_linsol *solver;
} algebra;

static void algebra_destroy(algebra *s) {
    bl_context *ctx = s->sys->ctx;
    bl_linsol_destroy(s->solver);
    bl_eval_destroy(s->sys, &s->eval);
    bl_pattern_free(ctx, &s->pattern);
    bl_free(ctx, s->block);
    bl_free(ctx, s->numbers);
}

static bl_status algebra_create(algebra *s) {
    const bl_system *sys = s->sys;
    bl_context *ctx = sys->ctx;
    const bl_pattern *K = &sys->pat_K;
    BL_TRY(bl_eval_create(sys, BL_KC, &s->eval)); /* may create pat_K */
    bl_index nv = sys->nv, total = K->ptr[nv + sys->nz], at = 0;
    bl_index *row, *column, *position;
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->col, sys->nz), BL_ARRAY(s->index, sys->nz), BL_ARRAY(s->slot, total),
                         BL_ARRAY(row, total), BL_ARRAY(column, total), BL_ARRAY(position, total)));
    for (bl_index j = 0; j < sys->nz; j++) {
        s->index[j] = sys->col[nv + j].order == 0 ? s->n : -1;
        if (s->index[j] >= 0)
            s->col[s->n++] = j;
    }
    for (bl_index k = 0; k < s->n; k++) {
        bl_index j = nv + s->col[k];
        for (bl_index e = K->ptr[j]; e < K->ptr[j + 1]; e++)
            if (K->idx[e] >= nv && s->index[K->idx[e] - nv] >= 0) {
                row[at] = s->index[K->idx[e] - nv];
                column[at] = k;
                s->slot[at++] = e;
            }
    }
    BL_TRY(bl_pattern_build(ctx, s->n, s->n, at, row, column, &s->pattern, position)); /* triplets are sorted: same order */
    BL_TRY(BL_NEW_ARRAYS(ctx, s->numbers, BL_ARRAY(s->values, at), BL_ARRAY(s->x, s->n), BL_ARRAY(s->kept, s->n)));
    BL_TRY(bl_linsol_create(ctx, NULL, &s->solver));
    return bl_linsol_analyze(s->solver, &s->pattern, NULL, BL_REFUSE, study_algebraic_rank);
}

/* largest |f| of the algebraic equations; infinite where one is not a number */
static bl_status residual(algebra *s, double *largest, bl_index *worst) {
    bl_eval_at(&s->eval, s->state);
    bl_status status = bl_system_eval(s->sys, &s->eval, BL_F);
    *largest = status == BL_NOT_FINITE ? INFINITY : 0;
    if (status == BL_NOT_FINITE)
        return BL_OK;
    for (bl_index k = 0; status == BL_OK && k < s->n; k++)
        if (fabs(s->eval.f[s->col[k]]) > *largest) {
            *largest = fabs(s->eval.f[s->col[k]]);
            *worst = k;
        }
    return status;
}

static bl_status give_up(const algebra *s, bl_index worst, double largest, const char *why) {
    char name[96];
    bl_context *ctx = s->sys->ctx;
    bl_system_col_name(s->sys, s->sys->nv + s->col[worst], name, sizeof name);
    bl_fail(ctx, BL_E_NUMERIC, NULL, "cannot solve the algebraic equations near the given start: %s (residual %.3g at %s)", why, largest,
            name);
    bl_advise(ctx, "give the algebraic states initial values nearer to the solution");
    bl_blame(ctx, name, "algebraic equation", *s->state->t);
    return BL_E_NUMERIC;
}

static bl_status solve(algebra *s) {
    double before, after = 0, largest = 0;
    bl_index worst = 0;
    BL_TRY(residual(s, &before, &worst));
    for (int round = 0; round < study_algebraic_rounds; round++) {
        if (before == 0)
            return BL_OK;
        if (!isfinite(before))
            return give_up(s, worst, before, "they are not finite there");
        BL_TRY(bl_system_eval(s->sys, &s->eval, BL_KC));
        for (bl_index k = 0; k < s->pattern.ptr[s->n]; k++)
            s->values[k] = s->eval.K[s->slot[k]];
        for (bl_index k = 0; k < s->n; k++)
            s->x[k] = s->eval.f[s->col[k]]; /* -df/dz dz = f */
        bl_status status = bl_linsol_update(s->solver, s->values);
        if (status == BL_OK)
            status = bl_linsol_solve(s->solver, false, 1, s->x);
        if (status == BL_SINGULAR || status == BL_NOT_FINITE)
            return give_up(s, worst, before, "their matrix is singular");
        BL_TRY(status);
        double moved = 0, take = 1;
        for (bl_index k = 0; k < s->n; k++) {
            s->kept[k] = s->state->z[s->col[k]];
            moved = fmax(moved, fabs(s->x[k]) / fmax(fabs(s->kept[k]), s->sys->col[s->sys->nv + s->col[k]].scale));
        }
        for (int halved = 0; halved < study_algebraic_halvings; halved++, take *= 0.5) {
            for (bl_index k = 0; k < s->n; k++)
                s->state->z[s->col[k]] = s->kept[k] + take * s->x[k];
            BL_TRY(residual(s, &after, &worst));
            if (after < before || moved < study_algebraic_rounding)
                break;
        }
        if (moved * take < study_algebraic_rounding)
            return BL_OK;
        if (!(after < before)) { /* rounding, or a minimum that is not a solution */
            for (bl_index k = 0; k < s->n; k++)
                s->state->z[s->col[k]] = s->kept[k];
            return moved < study_algebraic_stalled ? BL_OK : give_up(s, worst, before, "Newton's method does not converge");
        }
        before = after;
        largest = after;
    }
    return give_up(s, worst, largest, "Newton's method does not converge");
}

bl_status bl_assemble_algebraic(const bl_system *sys, bl_state *state) {
    bool any = false;
    for (bl_index j = 0; j < sys->nz; j++)
        any = any || sys->col[sys->nv + j].order == 0;
    if (!any || !(sys->can & BL_CAN_TANGENT))
        return BL_OK;
    algebra s = {.sys = sys, .state = state};
    bl_status status = algebra_create(&s);
    if (status == BL_OK)
        status = solve(&s);
    algebra_destroy(&s);
    return status;
}
