/* Elastic mechanisms that could not move at their start if they were rigid: loops that only bending or twisting closes. The rigid mechanism
 * gives velocities w that violate its joints as little as possible (least squares); impulses of joints and drivers do the rest. Of all
 * velocities of the elastic mechanism that satisfy its constraints, the start has those nearest to w in the norm of masses:
 *
 *     M (v - w) + G^T P = 0,   G v = b          P: impulses of the constraints */
#include "study/assembly_private.h"

#include "dense/dense.h"
#include "kkt/kkt.h"
#include "signal/signal.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3 }; /* the later ones remove rounding errors */

typedef struct sudden {
    const bl_system *sys, *inner; /* inner: without states, which have no mass */
    bl_state own;                 /* of the inner system, if that is another */
    bl_eval eval, at;             /* of the inner system; of the system itself, whose drivers may follow signals */
    bl_kkt *kkt;
    double *zero, *x, *r;
    void *block;
} sudden;

static bl_status create(const bl_system *sys, sudden *s) {
    *s = (sudden){.sys = sys, .inner = bl_signal_inner(sys)};
    BL_TRY(bl_state_create(s->inner, 0, &s->own));
    BL_TRY(bl_eval_create(s->inner, BL_M | BL_G | BL_KC, &s->eval));
    BL_TRY(bl_eval_create(sys, BL_G | BL_SEEN, &s->at));
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, s->block, BL_ARRAY(s->zero, s->inner->pat_K.ptr[s->inner->nv]), BL_ARRAY(s->x, s->inner->nv),
                         BL_ARRAY(s->r, s->inner->np)));
    return bl_kkt_create(s->inner, &(bl_kkt_setup){.mass = &s->inner->pat_M}, &s->kkt);
}

static void destroy(sudden *s) {
    bl_kkt_destroy(s->kkt);
    bl_eval_destroy(s->inner, &s->eval);
    bl_eval_destroy(s->sys, &s->at);
    bl_state_destroy(s->inner, &s->own);
    bl_free(s->sys->ctx, s->block);
}

/* r = b - G v; *gap: its largest entry, relative to 1 + the largest velocity */
static bl_status residual(sudden *s, const bl_state *state, double *gap) {
    const bl_system *sys = s->inner;
    bl_index worst;
    double size = 0;
    bl_eval_at(&s->at, state);
    BL_TRY(bl_system_eval(s->sys, &s->at, BL_B));
    memcpy(s->r, s->at.b, (size_t)sys->np * sizeof *s->r);
    for (bl_index j = 0; j < sys->nv; j++) {
        size = fmax(size, fabs(state->v[j]) / sys->col[j].scale);
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            s->r[sys->pat_G.idx[p]] -= s->eval.G[p] * state->v[j];
    }
    *gap = bl_system_drift(sys, s->r, &worst) / (1 + size);
    return BL_OK;
}

/* M, with a little mass where motions have none (frames that carry nothing) */
static bl_status factor(sudden *s) {
    const bl_system *sys = s->inner;
    const bl_pattern *M = &sys->pat_M;
    double mean = 0;
    bl_status status = bl_kkt_factor(s->kkt, s->zero, -1, s->eval.M, 0);
    if (status != BL_SINGULAR)
        return status;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = M->ptr[j]; p < M->ptr[j + 1]; p++)
            mean += M->idx[p] == j ? fabs(s->eval.M[p]) * sys->col[j].scale * sys->col[j].scale / sys->nv : 0;
    return bl_kkt_factor(s->kkt, s->zero, -1, s->eval.M, study_start_least_mass * mean);
}

/* impulses of the constraints alone */
static bl_status close_gap(sudden *s, bl_state *state) {
    const bl_system *sys = s->inner;
    double gap;
    BL_TRY(residual(s, state, &gap));
    for (int round = 0; round < ROUNDS && gap > study_velocities_closed; round++) {
        memset(s->x, 0, (size_t)sys->nv * sizeof *s->x);
        BL_TRY(bl_kkt_solve(s->kkt, s->x, s->r, s->x, NULL));
        for (bl_index j = 0; j < sys->nv; j++)
            state->v[j] += s->x[j];
        BL_TRY(residual(s, state, &gap));
    }
    return gap <= study_closed_enough ? BL_OK : BL_NO_CONVERGENCE;
}

static double product(bl_index n, const double *a, const double *b) {
    double sum = 0;
    for (bl_index j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Further equations E v = e: impulses along their rows, with the responses X of the mechanism to these, so that (E X) times the impulses is
 * what is missing. Equations that others imply get the same as these. */
static bl_status follow_rows(sudden *s, bl_state *state, bl_index n, const double *row, const double *value) {
    const bl_system *sys = s->inner;
    bl_arena arena = {.ctx = sys->ctx};
    size_t nv = (size_t)sys->nv, size = (size_t)n;
    bl_index rank;
    double *X, *S, *b, *unit, *work;
    bl_status status = BL_ARENA_ARRAYS(&arena, BL_ARRAY(X, size * nv), BL_ARRAY(S, size * size), BL_ARRAY(b, size), BL_ARRAY(unit, size),
                                       BL_ARRAY(work, bl_least_norm_work(n, n)));
    for (size_t k = 0; status == BL_OK && k < size; k++)
        status = bl_kkt_solve(s->kkt, row + k * nv, NULL, X + k * nv, NULL);
    for (size_t k = 0; status == BL_OK && k < size; k++) {
        double square = product(sys->nv, row + k * nv, X + k * nv);
        unit[k] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (size_t k = 0; status == BL_OK && k < size; k++) {
        b[k] = unit[k] * (value[k] - product(sys->nv, row + k * nv, state->v));
        for (size_t i = 0; i < size; i++)
            S[k * size + i] = unit[i] * unit[k] * product(sys->nv, row + i * nv, X + k * nv);
    }
    if (status == BL_OK)
        status = bl_least_norm(sys->ctx, n, n, S, bl_rank_tolerance(s->sys->closure), b, &rank, work);
    for (size_t k = 0; status == BL_OK && k < size; k++)
        for (size_t j = 0; j < nv; j++)
            state->v[j] += unit[k] * b[k] * X[k * nv + j];
    bool met = true;
    for (size_t k = 0; status == BL_OK && k < size; k++)
        met = met && fabs(value[k] - product(sys->nv, row + k * nv, state->v)) <= study_closed_enough * (1 + fabs(value[k]));
    bl_arena_destroy(&arena);
    return status == BL_OK && !met ? BL_NO_CONVERGENCE : status;
}

static bl_status solve(sudden *s, bl_state *state, bl_index n, const double *row, const double *value) {
    if (s->inner != s->sys)
        bl_signal_inner_state(s->sys, state, &s->own);
    bl_eval_at(&s->eval, s->inner != s->sys ? &s->own : state);
    BL_TRY(bl_system_eval(s->inner, &s->eval, BL_M | BL_G));
    BL_TRY(bl_kkt_move_to(s->kkt, &s->eval));
    BL_TRY(factor(s));
    BL_TRY(close_gap(s, state));
    return n > 0 ? follow_rows(s, state, n, row, value) : BL_OK;
}

bl_status bl_assembly_sudden(const bl_system *sys, bl_state *state, bl_index n, const double *row, const double *value) {
    sudden s;
    bl_status status = create(sys, &s);
    if (status == BL_OK)
        status = solve(&s, state, n, row, value);
    destroy(&s);
    return status;
}
