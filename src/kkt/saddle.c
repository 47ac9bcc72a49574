/* The sparse matrix [H - sigma M + shift, G^T; G, 0] (saddle.h). Rows are divided by their scales. Meshes have no constraints, and the
 * pattern of their M is contained in that of K: then the pattern of K is used directly. */
#include "kkt/saddle.h"

#include "kkt/kkt_limits.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <string.h>

static void free_matrix(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bl_linsol_destroy(s->solver);
    s->solver = NULL;
    if (s->values != s->matrix.values)
        bl_free(kkt->ctx, s->values);
    bl_kkt_matrix_free(&s->matrix);
    bl_free(kkt->ctx, s->block);
    bl_free(kkt->ctx, s->x);
    s->block = NULL;
    s->values = s->x = NULL;
}

void bl_saddle_destroy(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    if (!s)
        return;
    free_matrix(kkt);
    bl_row_choice_free(kkt->ctx, &s->rows);
    bl_free(kkt->ctx, s->linsol);
    bl_free(kkt->ctx, s);
}

bl_status bl_saddle_create(bl_kkt *kkt, const bl_kkt_setup *setup) {
    bl_saddle *s;
    BL_TRY(BL_NEW(kkt->ctx, s, 1));
    kkt->saddle = s;
    s->n = kkt->n;
    s->mass = setup->mass;
    s->r = -1;
    if (setup->linsol && !(s->linsol = bl_strdup(kkt->ctx, setup->linsol)))
        return BL_E_MEMORY;
    return bl_row_choice_create(kkt->sys, &s->rows);
}

/* ---- pattern */

/* *same: the pattern of K suffices */
static bl_status take_pattern_of_K(bl_kkt *kkt, bool *same) {
    bl_saddle *s = kkt->saddle;
    const bl_pattern *K = &kkt->sys->pat_K;
    bl_index nM = s->mass ? s->mass->ptr[s->n] : 0;
    *same = s->rows.np == 0;
    if (!*same)
        return BL_OK;
    BL_TRY(BL_NEW_ARRAYS(kkt->ctx, s->block, BL_ARRAY(s->diagonal, s->n), BL_ARRAY(s->slot_M, nM)));
    for (bl_index j = 0; j < s->n && *same; j++) {
        s->diagonal[j] = bl_pattern_find(K, j, j);
        *same = s->diagonal[j] >= 0;
    }
    *same = *same && (!s->mass || bl_pattern_within(s->mass, s->n, K, s->slot_M));
    if (!*same) {
        bl_free(kkt->ctx, s->block);
        s->block = NULL;
        return BL_OK;
    }
    s->pattern = K;
    return BL_NEW(kkt->ctx, s->values, K->ptr[s->n]);
}

static bl_status build_matrix(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    uint8_t *diagonal;
    BL_TRY(BL_NEW(kkt->ctx, diagonal, (size_t)s->n + (size_t)s->r));
    memset(diagonal, 1, (size_t)s->n);
    bl_status status = bl_kkt_matrix_build(&(bl_kkt_form){.ctx = kkt->ctx,
                                                          .n = s->n,
                                                          .r = s->r,
                                                          .block = {{.of = &kkt->sys->pat_K}, {.of = s->mass}},
                                                          .G = &kkt->sys->pat_G,
                                                          .row = s->rows.slot,
                                                          .on_diagonal = diagonal},
                                           &s->matrix);
    bl_free(kkt->ctx, diagonal);
    s->pattern = &s->matrix.pattern;
    s->values = s->matrix.values;
    s->slot_M = s->matrix.slot[1];
    s->diagonal = s->matrix.diagonal;
    return status;
}

static bl_status make_matrix(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bool same;
    free_matrix(kkt);
    BL_TRY(take_pattern_of_K(kkt, &same));
    if (!same)
        BL_TRY(build_matrix(kkt));
    BL_TRY(BL_NEW(kkt->ctx, s->x, (size_t)s->n + (size_t)s->r));
    BL_TRY(bl_linsol_create(kkt->ctx, s->linsol, &s->solver));
    return bl_linsol_analyze(s->solver, s->pattern, NULL, BL_REFUSE, kkt_singular_saddle);
}

static bl_status choose_rows(bl_kkt *kkt, bool *changed) {
    bl_saddle *s = kkt->saddle;
    bl_index *order, rank = 0, np = s->rows.np;
    bl_rows_ask ask = {.sys = kkt->sys, .G = kkt->G, .tolerance = bl_rank_tolerance(kkt->sys->closure)};
    BL_TRY(BL_NEW(kkt->ctx, order, (size_t)np + (size_t)kkt->sys->nv));
    bl_status status = bl_rows_choose(&ask, order, order + np, &rank);
    *changed = bl_row_choice_note(kkt->sys, kkt->G, &s->rows) || rank != s->r;
    if (status == BL_OK && *changed) {
        s->r = rank;
        bl_row_choice_keep(&s->rows, order, rank);
    }
    bl_free(kkt->ctx, order);
    return status;
}

bl_status bl_saddle_move_to(bl_kkt *kkt) {
    bl_saddle *s = kkt->saddle;
    bool changed = s->r < 0;
    if (s->rows.np == 0)
        s->r = 0;
    else
        BL_TRY(choose_rows(kkt, &changed));
    return changed ? make_matrix(kkt) : BL_OK;
}

/* ---- values */

bl_status bl_saddle_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift) {
    bl_saddle *s = kkt->saddle;
    bool own = s->pattern == &s->matrix.pattern;
    size_t bytes = (size_t)s->pattern->ptr[s->pattern->ncol] * sizeof *s->values;
    if (H && !own)
        memcpy(s->values, H, bytes);
    else
        memset(s->values, 0, bytes);
    if (H && own)
        bl_kkt_matrix_add(&s->matrix, 0, 1, H);
    for (bl_index k = 0; M && sigma != 0 && k < s->mass->ptr[s->n]; k++)
        s->values[s->slot_M[k]] -= sigma * M[k];
    for (bl_index j = 0; shift != 0 && j < s->n; j++)
        s->values[s->diagonal[j]] += shift / (kkt->scale[j] * kkt->scale[j]);
    if (own)
        bl_kkt_matrix_rows(&s->matrix, kkt->G, s->rows.by);
    return bl_linsol_update(s->solver, s->values);
}

bl_status bl_saddle_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda) {
    bl_saddle *s = kkt->saddle;
    const bl_index *kept = s->rows.kept;
    const double *by = s->rows.by;
    memcpy(s->x, Q, (size_t)s->n * sizeof *x);
    for (bl_index k = 0; k < s->r; k++)
        s->x[s->n + k] = c ? c[kept[k]] * by[kept[k]] : 0;
    BL_TRY(bl_linsol_solve(s->solver, false, 1, s->x));
    memmove(x, s->x, (size_t)s->n * sizeof *x);
    if (!lambda)
        return BL_OK;
    memset(lambda, 0, (size_t)s->rows.np * sizeof *lambda);
    for (bl_index k = 0; k < s->r; k++)
        lambda[kept[k]] = s->x[s->n + k] * by[kept[k]];
    return BL_OK;
}
