/* Steps of mechanisms that roll. Velocity rows restrict every small change of the configuration, so a step x of finite length is the path
 *
 *     q' = T(q) P(q) x,     P x the part of x on the admissible motions, G P x = 0,
 *
 * followed by the method of Runge and Kutta of order 4: a straight step would slip by its square. */
#include "study/equilibrium_private.h"
#include "study/statics_limits.h"
#include "study/study.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

typedef struct path {
    bl_statics *s;
    double *x, *row;        /* [n], [np] */
    double *from, *q, *sum; /* [nq] */
    double *rate;           /* [nq] */
} path;

/* q' at p->q, assembled first: off the constraints redundant rows are independent */
static bl_status rate_at(path *p) {
    bl_statics *s = p->s;
    const bl_system *sys = s->sys;
    bl_eval *e = &s->eval;
    memcpy(s->state.q, p->q, (size_t)sys->nq * sizeof *p->q);
    BL_TRY(bl_assemble_nearby(sys, &s->state));
    bl_eval_at(e, &s->state);
    BL_TRY(bl_kkt_move_to(s->kkt, e));
    memset(p->row, 0, (size_t)sys->np * sizeof *p->row);
    bl_csc_multiply(&sys->pat_G, e->G, s->y, p->row);
    bl_kkt_least(s->kkt, p->row, p->x);
    for (bl_index j = 0; j < sys->nv; j++)
        p->x[j] = s->y[j] - p->x[j];
    if (!(sys->facts & BL_FLAT))
        return bl_system_apply(sys, e, BL_OP_T, 1, p->x, p->rate);
    memcpy(p->rate, p->x, (size_t)sys->nv * sizeof *p->rate);
    return BL_OK;
}

static bl_status follow(path *p, int parts) {
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    bl_statics *s = p->s;
    size_t nq = (size_t)s->sys->nq;
    double h = 1.0 / parts;
    for (int k = 0; k < parts; k++) {
        memcpy(p->from, s->state.q, nq * sizeof *p->from);
        memcpy(p->sum, p->from, nq * sizeof *p->from);
        for (int stage = 0; stage < 4; stage++) {
            for (size_t i = 0; i < nq; i++)
                p->q[i] = p->from[i] + (stage ? at[stage] * h * p->rate[i] : 0);
            BL_TRY(rate_at(p));
            for (size_t i = 0; i < nq; i++)
                p->sum[i] += weight[stage] * h * p->rate[i];
        }
        memcpy(s->state.q, p->sum, nq * sizeof *p->sum);
    }
    return BL_OK;
}

bl_status bl_statics_roll(bl_statics *s) {
    const bl_system *sys = s->sys;
    path p = {.s = s};
    void *block = NULL;
    size_t n = (size_t)s->n, nq = (size_t)sys->nq;
    double parts = fmax(1, ceil(bl_statics_largest(s, s->y) / study_newton_rolls));
    BL_TRY(BL_NEW_ARRAYS(s->ctx, block, BL_ARRAY(p.x, n), BL_ARRAY(p.row, sys->np), BL_ARRAY(p.from, nq), BL_ARRAY(p.q, nq),
                         BL_ARRAY(p.sum, nq), BL_ARRAY(p.rate, nq)));
    bl_status status = follow(&p, (int)fmin(parts, 1000));
    bl_eval_at(&s->eval, &s->state);
    bl_free(s->ctx, block);
    return status;
}
