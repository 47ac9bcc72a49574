/* The sparse matrix [H - sigma M + shift, G^T; G, 0] (saddle.h). Rows are divided by their scales. Meshes have no rows, and the pattern of
 * their M lies in that of K: then the pattern of K is used as it is. */
#include "kkt/saddle.h"

#include "kkt/rows.h"
#include "sparse/sparse.h"
#include "system/limits.h"

#include <float.h>
#include <string.h>

/* pivots below this share of the largest are rounding: what cannot be told from a singular matrix */
static const double SINGULAR = 64 * DBL_EPSILON;

void bl_saddle_destroy(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    if (!s)
        return;
    bl_context *ctx = kkt->ctx;
    bl_linsol_destroy(s->solver);
    bl_pattern_free(ctx, &s->own);
    bl_free(ctx, s->linsol);
    bl_free(ctx, s->kept);
    bl_free(ctx, s->row_factor);
    bl_free(ctx, s->slot_H);
    bl_free(ctx, s->slot_M);
    bl_free(ctx, s->diagonal);
    bl_free(ctx, s->slot_G);
    bl_free(ctx, s->values);
    bl_free(ctx, s->x);
    bl_free(ctx, s);
}

bl_status bl_saddle_create(bl_kkt *kkt, const bl_kkt_setup *setup) {
    bl_saddle *s;
    bl_index np = kkt->np;
    BL_TRY(BL_NEW(kkt->ctx, s, 1));
    kkt->saddle = s;
    s->n = kkt->n;
    s->np = np;
    s->mass = setup->mass;
    if (setup->linsol && !(s->linsol = bl_strdup(kkt->ctx, setup->linsol)))
        return BL_E_MEMORY;
    BL_TRY(BL_NEW(kkt->ctx, s->kept, 2 * (size_t)np));
    s->place = s->kept + np;
    BL_TRY(BL_NEW(kkt->ctx, s->row_factor, np));
    for (bl_index i = 0; i < np; i++)
        s->row_factor[i] = kkt->sys->row && kkt->sys->row[i].scale > 0 ? 1 / kkt->sys->row[i].scale : 1;
    s->r = -1;
    return BL_OK;
}

/* ---- pattern */

/* slots of `part` in `whole`, both ascending in every column; false: an entry is missing */
static bool find_slots(const bl_pattern *part, const bl_pattern *whole, bl_index *slot) {
    for (bl_index j = 0; j < part->ncol; j++) {
        bl_index at = whole->ptr[j];
        for (bl_index k = part->ptr[j]; k < part->ptr[j + 1]; k++) {
            while (at < whole->ptr[j + 1] && whole->idx[at] < part->idx[k])
                at++;
            if (at == whole->ptr[j + 1] || whole->idx[at] != part->idx[k])
                return false;
            slot[k] = at;
        }
    }
    return true;
}

static bool find_diagonal(const bl_pattern *whole, bl_index n, bl_index *diagonal) {
    for (bl_index j = 0; j < n; j++) {
        diagonal[j] = bl_pattern_find(whole, j, j);
        if (diagonal[j] < 0)
            return false;
    }
    return true;
}

static bl_status build_pattern(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bl_context *ctx = kkt->ctx;
    const bl_pattern *H = &kkt->sys->pat_K, *M = s->mass, *G = &kkt->sys->pat_G;
    bl_index n = s->n, nv = kkt->sys->nv, nH = H->ptr[n], nM = M ? M->ptr[n] : 0, nG = s->r > 0 ? G->ptr[nv] : 0, used = 0;
    size_t most = (size_t)nH + (size_t)nM + 2 * (size_t)nG + (size_t)n;
    bl_index *row;
    if (most > INT32_MAX)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "the matrix has %zu entries, at most %d", most, INT32_MAX);
    BL_TRY(BL_NEW(ctx, row, 3 * most));
    bl_index *col = row + most, *slot = col + most;
#define ADD(r, c) (row[used] = (r), col[used++] = (c))
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = H->ptr[j]; k < H->ptr[j + 1]; k++)
            ADD(H->idx[k], j);
    for (bl_index j = 0; M && j < n; j++)
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            ADD(M->idx[k], j);
    for (bl_index j = 0; j < n; j++)
        ADD(j, j);
    for (bl_index j = 0; nG && j < nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (s->place[G->idx[k]] >= 0) {
                ADD(n + s->place[G->idx[k]], j);
                ADD(j, n + s->place[G->idx[k]]);
            }
#undef ADD
    bl_status status = bl_pattern_build(ctx, n + s->r, n + s->r, used, row, col, &s->own, slot);
    if (status == BL_OK)
        status = BL_NEW(ctx, s->slot_H, nH);
    if (status == BL_OK && M)
        status = BL_NEW(ctx, s->slot_M, nM);
    if (status == BL_OK)
        status = BL_NEW(ctx, s->slot_G, 2 * (size_t)nG);
    if (status == BL_OK) {
        s->slot_GT = s->slot_G + nG;
        s->pattern = &s->own;
        memcpy(s->slot_H, slot, (size_t)nH * sizeof *slot);
        if (M)
            memcpy(s->slot_M, slot + nH, (size_t)nM * sizeof *slot);
        memcpy(s->diagonal, slot + nH + nM, (size_t)n * sizeof *slot);
        const bl_index *next = slot + nH + nM + n;
        for (bl_index k = 0; k < nG; k++) {
            bool kept = s->place[G->idx[k]] >= 0;
            s->slot_G[k] = kept ? *next++ : -1;
            s->slot_GT[k] = kept ? *next++ : -1;
        }
    }
    bl_free(ctx, row);
    return status;
}

static void forget_pattern(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bl_context *ctx = kkt->ctx;
    bl_linsol_destroy(s->solver);
    bl_pattern_free(ctx, &s->own);
    void *blocks[] = {s->slot_H, s->slot_M, s->diagonal, s->slot_G, s->values, s->x};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(ctx, blocks[i]);
    s->solver = NULL;
    s->own = (bl_pattern){0};
    s->pattern = NULL;
    s->slot_H = s->slot_M = s->diagonal = s->slot_G = s->slot_GT = NULL;
    s->values = s->x = NULL;
}

static bl_status make_matrix(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bl_context *ctx = kkt->ctx;
    const bl_pattern *K = &kkt->sys->pat_K;
    forget_pattern(kkt);
    BL_TRY(BL_NEW(ctx, s->diagonal, s->n));
    bool same = s->np == 0 && find_diagonal(K, s->n, s->diagonal);
    if (same && s->mass) {
        BL_TRY(BL_NEW(ctx, s->slot_M, s->mass->ptr[s->n]));
        same = find_slots(s->mass, K, s->slot_M);
        if (!same) {
            bl_free(ctx, s->slot_M);
            s->slot_M = NULL;
        }
    }
    s->pattern = K;
    if (!same)
        BL_TRY(build_pattern(kkt));
    BL_TRY(BL_NEW(ctx, s->values, s->pattern->ptr[s->pattern->ncol]));
    BL_TRY(BL_NEW(ctx, s->x, (size_t)s->n + (size_t)s->r));
    BL_TRY(bl_linsol_create(ctx, s->linsol, &s->solver));
    return bl_linsol_analyze(s->solver, s->pattern, NULL, BL_REFUSE, SINGULAR);
}

static bl_status choose_rows(bl_kkt *kkt, bool *changed) {
    bl_saddle *s = kkt->saddle;
    bl_index *order, rank = 0;
    bl_rows_ask ask = {.sys = kkt->sys, .G = kkt->G, .tolerance = bl_rank_tolerance(kkt->sys->closure)};
    BL_TRY(BL_NEW(kkt->ctx, order, (size_t)s->np + (size_t)kkt->sys->nv));
    bl_status status = bl_rows_choose(&ask, order, order + s->np, &rank);
    *changed = rank != s->r;
    if (status == BL_OK && *changed) {
        s->r = rank;
        for (bl_index i = 0; i < s->np; i++)
            s->place[i] = -1;
        for (bl_index k = 0; k < rank; k++)
            s->place[order[k]] = 0;
        for (bl_index i = 0, k = 0; i < s->np; i++)
            if (s->place[i] == 0) {
                s->kept[k] = i;
                s->place[i] = k++;
            }
    }
    bl_free(kkt->ctx, order);
    return status;
}

bl_status bl_saddle_place(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bool changed = s->r < 0;
    if (s->np == 0)
        s->r = 0;
    else
        BL_TRY(choose_rows(kkt, &changed));
    return changed ? make_matrix(kkt) : BL_OK;
}

/* ---- values */

bl_status bl_saddle_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift) {
    bl_saddle *s = kkt->saddle;
    const bl_pattern *K = &kkt->sys->pat_K, *G = &kkt->sys->pat_G;
    size_t entries = (size_t)s->pattern->ptr[s->pattern->ncol];
    if (s->slot_H) {
        memset(s->values, 0, entries * sizeof *s->values);
        for (bl_index k = 0; H && k < K->ptr[s->n]; k++)
            s->values[s->slot_H[k]] += H[k];
    } else if (H) {
        memcpy(s->values, H, entries * sizeof *s->values);
    } else {
        memset(s->values, 0, entries * sizeof *s->values);
    }
    for (bl_index k = 0; M && sigma != 0 && k < s->mass->ptr[s->n]; k++)
        s->values[s->slot_M[k]] -= sigma * M[k];
    for (bl_index j = 0; shift != 0 && j < s->n; j++)
        s->values[s->diagonal[j]] += shift / (kkt->scale[j] * kkt->scale[j]);
    for (bl_index k = 0; s->r > 0 && k < G->ptr[kkt->sys->nv]; k++)
        if (s->slot_G[k] >= 0)
            s->values[s->slot_G[k]] = s->values[s->slot_GT[k]] = kkt->G[k] * s->row_factor[G->idx[k]];
    return bl_linsol_update(s->solver, s->values);
}

bl_status bl_saddle_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda) {
    bl_saddle *s = kkt->saddle;
    memcpy(s->x, Q, (size_t)s->n * sizeof *x);
    for (bl_index k = 0; k < s->r; k++)
        s->x[s->n + k] = c ? c[s->kept[k]] * s->row_factor[s->kept[k]] : 0;
    BL_TRY(bl_linsol_solve(s->solver, false, 1, s->x));
    memmove(x, s->x, (size_t)s->n * sizeof *x);
    if (!lambda)
        return BL_OK;
    memset(lambda, 0, (size_t)s->np * sizeof *lambda);
    for (bl_index k = 0; k < s->r; k++)
        lambda[s->kept[k]] = s->x[s->n + k] * s->row_factor[s->kept[k]];
    return BL_OK;
}
