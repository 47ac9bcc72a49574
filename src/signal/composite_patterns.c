/* Patterns of a composite system: those of the inner one, and with states
 *
 *     M = [M 0; 0 0],   K = [K, -Q_z; -f_x, -f_z],   C = [C, 0; -f_v, 1]. */
#include "signal/composite.h"

#include "sparse/sparse.h"

typedef struct pairs {
    bl_index n, *row, *col;
} pairs;

static void add(pairs *p, bl_index row, bl_index col) {
    p->row[p->n] = row;
    p->col[p->n++] = col;
}

static void add_pattern(pairs *p, const bl_pattern *pattern) {
    for (bl_index j = 0; j < pattern->ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            add(p, pattern->idx[k], j);
}

static void add_signals(pairs *p, const bl_system *inner, bl_index nv) {
    for (bl_index i = 0; i < inner->nsignal; i++)
        for (bl_index k = inner->pat_S.ptr[i]; k < inner->pat_S.ptr[i + 1]; k++)
            add(p, nv + i, inner->pat_S.idx[k]);
}

/* the inner columns, then empty ones */
static bl_status extend_M(bl_composite *c, bl_system *sys) {
    const bl_pattern *M = &c->inner->pat_M;
    bl_index n = sys->nv + sys->nz, *ptr;
    if (!M->ptr || c->M.ptr)
        return BL_OK;
    BL_TRY(BL_NEW(sys->ctx, ptr, n + 1));
    for (bl_index j = 0; j <= n; j++)
        ptr[j] = M->ptr[j < sys->nv ? j : sys->nv];
    c->M_ptr = ptr;
    c->M = sys->pat_M = (bl_pattern){.nrow = n, .ncol = n, .ptr = ptr, .idx = M->idx};
    return BL_OK;
}

static bl_status extend_K(bl_composite *c, bl_system *sys) {
    const bl_pattern *inner_K = &c->inner->pat_K, *inner_C = &c->inner->pat_C;
    bl_index nv = sys->nv, nz = sys->nz, nS = c->inner->pat_S.ptr[nz];
    if (!inner_K->ptr || c->K.ptr)
        return BL_OK;
    bl_index nK = inner_K->ptr[nv], nC = inner_C->ptr[nv];
    size_t of_K = (size_t)nK + (size_t)nz * (size_t)nv + (size_t)nS + (size_t)nz * (size_t)nz, of_C = (size_t)nC + (size_t)nS + (size_t)nz;
    size_t most = of_K > of_C ? of_K : of_C;
    bl_index *row;
    if (most > INT32_MAX / 2)
        return bl_fail(sys->ctx, BL_E_ABILITY, NULL, "the matrices of %d coordinates and %d states have too many entries", (int)nv,
                       (int)nz);
    BL_TRY(BL_ARENA_ARRAYS(&c->arena, BL_ARRAY(c->K_slot, of_K), BL_ARRAY(c->C_slot, of_C)));
    BL_TRY(BL_NEW(sys->ctx, row, 2 * most + 1));
    pairs p = {0, row, row + most};
    add_pattern(&p, inner_K);
    for (bl_index i = 0; i < nz; i++)
        for (bl_index j = 0; j < nv; j++)
            add(&p, j, nv + i);
    add_signals(&p, c->inner, nv);
    for (bl_index i = 0; i < nz; i++)
        for (bl_index j = 0; j < nz; j++)
            add(&p, nv + j, nv + i);
    bl_status status = bl_pattern_build(sys->ctx, nv + nz, nv + nz, p.n, p.row, p.col, &c->K, c->K_slot);
    p.n = 0;
    add_pattern(&p, inner_C);
    add_signals(&p, c->inner, nv);
    for (bl_index i = 0; i < nz; i++)
        add(&p, nv + i, nv + i);
    if (status == BL_OK)
        status = bl_pattern_build(sys->ctx, nv + nz, nv + nz, p.n, p.row, p.col, &c->C, c->C_slot);
    bl_free(sys->ctx, row);
    if (status != BL_OK) {
        bl_pattern_free(sys->ctx, &c->K);
        return status;
    }
    c->K_by_z = c->K_slot + nK;
    c->K_f_x = c->K_by_z + nz * nv;
    c->K_f_z = c->K_f_x + nS;
    c->C_f_v = c->C_slot + nC;
    c->A_slot = c->C_f_v + nS;
    sys->pat_K = c->K;
    sys->pat_C = c->C;
    return BL_OK;
}

bl_status bl_composite_patterns(const bl_system *sys, uint32_t uses) {
    bl_composite *c = sys->own;
    bl_system *mine = c->sys;
    const bl_system *inner = c->inner;
    if (inner->kind->patterns && uses)
        BL_TRY(inner->kind->patterns(inner, uses | (uses & BL_KC && sys->nz ? BL_SIGNAL_X : 0)));
    mine->pat_W = inner->pat_W;
    if (sys->nz == 0) {
        mine->pat_M = inner->pat_M;
        mine->pat_K = inner->pat_K;
        mine->pat_C = inner->pat_C;
        return BL_OK;
    }
    mine->pat_M = c->M; /* empty until the inner ones exist */
    mine->pat_K = c->K;
    mine->pat_C = c->C;
    BL_TRY(extend_M(c, mine));
    return extend_K(c, mine);
}

void bl_composite_free_patterns(bl_composite *c) {
    if (!c->arena.ctx)
        return;
    bl_free(c->arena.ctx, c->M_ptr); /* its idx is the inner one's */
    bl_pattern_free(c->arena.ctx, &c->K);
    bl_pattern_free(c->arena.ctx, &c->C);
}
