/* Memory and values of power series of a motion. */
#include "system/expansion.h"

#include <string.h>

static size_t padded(size_t n) { return (n + 7) / 8 * 8; }

bl_status bl_expansion_create(const bl_system *sys, int order, bl_expansion *ex) {
    if (!(sys->can & BL_CAN_SERIES) || !sys->kind->series) {
        char why[200] = "";
        if (sys->kind->not_analytic)
            sys->kind->not_analytic(sys, why, sizeof why);
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "this system gives no power series%s%s", why[0] ? ": " : "", why);
        bl_advise(sys->ctx, why[0] ? "dop853 and dopri45 take it" : "natural and mixed coordinates and equations give them");
        return BL_E_ABILITY;
    }
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz, np = (size_t)sys->np, count = (size_t)order + 1;
    size_t nG = np ? (size_t)sys->pat_G.ptr[nv] : 0, nM = nv ? (size_t)sys->pat_M.ptr[nv] : 0;
    const size_t length[] = {count * nv, count * nv, count * nz, count * np, count * np, count, np, nv, nz, nG, nM, nv, nz};
    double **to[] = {&ex->q, &ex->v, &ex->z, &ex->lambda, &ex->mu, &ex->work, &ex->phi, &ex->Q, &ex->f, &ex->G, &ex->M, &ex->a, &ex->zd};
    size_t total = 0, at = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        total += padded(length[i]);
    double *block;
    BL_TRY(BL_NEW(sys->ctx, block, total + 1));
    ex->block = block;
    ex->order = order;
    ex->v_order = order - 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        *to[i] = block + at;
        at += padded(length[i]);
    }
    return sys->kind->expansion_create ? sys->kind->expansion_create(sys, ex) : BL_OK;
}

void bl_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    if (ex->own && sys->kind->expansion_destroy)
        sys->kind->expansion_destroy(sys, ex);
    bl_free(sys->ctx, ex->block);
    memset(ex, 0, sizeof *ex);
}

bl_status bl_system_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) { return sys->kind->series(sys, ex, k, want); }

/* y = sum_{k = 0 .. last} x_k s^k, coefficient after coefficient */
static void horner(bl_index n, const double *x, int last, double s, double *restrict y) {
    const double *top = x + (size_t)last * (size_t)n;
    memcpy(y, top, (size_t)n * sizeof *y);
    for (int k = last - 1; k >= 0; k--) {
        top -= n;
        for (bl_index i = 0; i < n; i++)
            y[i] = top[i] + s * y[i];
    }
}

/* derivative */
static void horner_rate(bl_index n, const double *x, int last, double s, double *restrict y) {
    const double *top = x + (size_t)last * (size_t)n;
    for (bl_index i = 0; i < n; i++)
        y[i] = last * top[i];
    for (int k = last - 1; k >= 1; k--) {
        top -= n;
        for (bl_index i = 0; i < n; i++)
            y[i] = k * top[i] + s * y[i];
    }
}

void bl_expansion_at(const bl_system *sys, const bl_expansion *ex, int order, double s, double *q, double *v, double *a, double *z,
                     double *zd, double *work) {
    int last = order - ex->order + ex->v_order;
    if (q)
        horner(sys->nv, ex->q, order, s, q);
    if (v)
        horner(sys->nv, ex->v, last, s, v);
    if (a)
        horner_rate(sys->nv, ex->v, last, s, a);
    if (z)
        horner(sys->nz, ex->z, order, s, z);
    if (zd)
        horner_rate(sys->nz, ex->z, order, s, zd);
    if (work)
        horner(1, ex->work, order - 2, s, work);
}
