/* Algebraic variables at the start: Newton on their equations 0 = f(q, v, z, t), everything else held. The matrix is the block of K that
 * belongs to them; steps are halved while the largest residual grows. */
#include "study/study.h"

#include "sparse/sparse.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUNDS = 60, MOST_HALVINGS = 30 };

typedef struct algebra {
    const bl_system *sys;
    bl_state *state;
    bl_eval eval;
    bl_index n, *col, *place; /* columns of z that are algebraic; [nz] place of each among them, -1 */
    bl_pattern pattern;
    bl_index *slot; /* [entries of the block] in K */
    double *values, *x, *kept;
    bl_linsol *solver;
} algebra;

static void algebra_destroy(algebra *s) {
    bl_context *ctx = s->sys->ctx;
    bl_linsol_destroy(s->solver);
    bl_eval_destroy(s->sys, &s->eval);
    bl_pattern_free(ctx, &s->pattern);
    bl_free(ctx, s->col);
    bl_free(ctx, s->slot);
    bl_free(ctx, s->values);
}

static bl_status algebra_create(algebra *s) {
    const bl_system *sys = s->sys;
    bl_context *ctx = sys->ctx;
    const bl_pattern *K = &sys->pat_K;
    BL_TRY(bl_eval_create(sys, BL_KC, &s->eval)); /* patterns may be made for it */
    bl_index nv = sys->nv, total = K->ptr[nv + sys->nz], at = 0;
    BL_TRY(BL_NEW(ctx, s->col, 2 * (size_t)sys->nz));
    s->place = s->col + sys->nz;
    for (bl_index j = 0; j < sys->nz; j++) {
        s->place[j] = sys->col[nv + j].order == 0 ? s->n : -1;
        if (s->place[j] >= 0)
            s->col[s->n++] = j;
    }
    BL_TRY(BL_NEW(ctx, s->slot, 4 * (size_t)total));
    bl_index *row = s->slot + total, *column = row + total, *position = column + total;
    for (bl_index k = 0; k < s->n; k++) {
        bl_index j = nv + s->col[k];
        for (bl_index e = K->ptr[j]; e < K->ptr[j + 1]; e++)
            if (K->idx[e] >= nv && s->place[K->idx[e] - nv] >= 0) {
                row[at] = s->place[K->idx[e] - nv];
                column[at] = k;
                s->slot[at++] = e;
            }
    }
    BL_TRY(bl_pattern_build(ctx, s->n, s->n, at, row, column, &s->pattern, position)); /* ascending already: in this order */
    BL_TRY(BL_NEW(ctx, s->values, (size_t)at + 2 * (size_t)s->n));
    s->x = s->values + at;
    s->kept = s->x + s->n;
    BL_TRY(bl_linsol_create(ctx, NULL, &s->solver));
    return bl_linsol_analyze(s->solver, &s->pattern, NULL, BL_REFUSE, 1e-14);
}

/* largest |f| of the algebraic rows; infinite where they are not numbers */
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
    bl_fail(ctx, BL_E_NUMERIC, NULL, "the algebraic equations have no solution near the start: %s (%s is off by %.3g)", why, name, largest);
    bl_advise(ctx, "give the algebraic states a start nearer to what they are");
    bl_blame(ctx, name, "algebraic equation", *s->state->t);
    return BL_E_NUMERIC;
}

static bl_status solve(algebra *s) {
    double before, after = 0, largest = 0;
    bl_index worst = 0;
    BL_TRY(residual(s, &before, &worst));
    for (int round = 0; round < MOST_ROUNDS; round++) {
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
        for (int halved = 0; halved < MOST_HALVINGS; halved++, take *= 0.5) {
            for (bl_index k = 0; k < s->n; k++)
                s->state->z[s->col[k]] = s->kept[k] + take * s->x[k];
            BL_TRY(residual(s, &after, &worst));
            if (after < before || moved < 16 * DBL_EPSILON)
                break;
        }
        if (moved * take < 16 * DBL_EPSILON)
            return BL_OK;
        if (!(after < before)) { /* rounding, or a minimum that is no solution */
            for (bl_index k = 0; k < s->n; k++)
                s->state->z[s->col[k]] = s->kept[k];
            return moved < 1e-9 ? BL_OK : give_up(s, worst, before, "Newton does not converge");
        }
        before = after;
        largest = after;
    }
    return give_up(s, worst, largest, "Newton does not converge");
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
