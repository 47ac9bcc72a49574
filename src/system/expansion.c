/* Memory and values of power series of a motion. */
#include "system/expansion.h"

#include "base/lanes.h"

#include <string.h>

/* with numbers behind the last one that may be read */
static size_t padded(size_t n) { return (n + BL_LANES + 7) / 8 * 8; }

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
    const size_t length[] = {count * nv, count * nv, count * nz, count * np, count * np, 2 * count, np, nv, nz, nG, nM, nv, nz};
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

/* The same as horner for `blocks` <= 4 blocks of lanes; with_rate: the derivative too. */
static inline __attribute__((always_inline)) void horner_blocks(int blocks, bool with_rate, bl_index n, const double *top, int last,
                                                                double s, double *y, double *rate) {
    bl_lanes p[4], d[4] = {0};
    for (int c = 0; c < blocks; c++)
        p[c] = *(const bl_lanes *)(top + c * BL_LANES);
    for (int k = last; k > 0; k--) {
        top -= n;
        for (int c = 0; c < blocks; c++) {
            if (with_rate)
                d[c] = p[c] + d[c] * s;
            p[c] = *(const bl_lanes *)(top + c * BL_LANES) + p[c] * s;
        }
    }
    for (int c = 0; c < blocks; c++) {
        *(bl_lanes *)(y + c * BL_LANES) = p[c];
        if (with_rate)
            *(bl_lanes *)(rate + c * BL_LANES) = d[c];
    }
}

/* y = sum_{k = 0 .. last} x_k s^k, and its derivative where rate is not NULL. What is read behind the last number belongs to nobody and
 * goes nowhere. */
BL_WIDE static void horner(bl_index n, const double *x, int last, double s, double *y, double *rate) {
    const double *top = x + (size_t)last * (size_t)n;
    double value[4 * BL_LANES], slope[4 * BL_LANES];
    for (bl_index i = 0, done; i < n; i += done) {
        int blocks = (n - i + BL_LANES - 1) / BL_LANES;
        done = (blocks >= 4 ? 4 : blocks >= 2 ? 2 : 1) * BL_LANES;
        if (blocks >= 4)
            rate ? horner_blocks(4, true, n, top + i, last, s, value, slope) : horner_blocks(4, false, n, top + i, last, s, value, slope);
        else if (blocks >= 2)
            rate ? horner_blocks(2, true, n, top + i, last, s, value, slope) : horner_blocks(2, false, n, top + i, last, s, value, slope);
        else
            rate ? horner_blocks(1, true, n, top + i, last, s, value, slope) : horner_blocks(1, false, n, top + i, last, s, value, slope);
        bl_index count = done < n - i ? done : n - i;
        for (bl_index c = 0; y && c < count; c++)
            y[i + c] = value[c];
        for (bl_index c = 0; rate && c < count; c++)
            rate[i + c] = slope[c];
    }
}

void bl_expansion_at(const bl_system *sys, const bl_expansion *ex, int order, double s, double *q, double *v, double *a, double *z,
                     double *zd, double *work) {
    int last = order - ex->order + ex->v_order;
    if (q)
        horner(sys->nv, ex->q, order, s, q, NULL);
    if (v || a)
        horner(sys->nv, ex->v, last, s, v, a);
    if (z || zd)
        horner(sys->nz, ex->z, order, s, z, zd);
    if (work)
        horner(1, ex->work, order == ex->order ? 2 * order : order - 2, s, work, NULL);
}
