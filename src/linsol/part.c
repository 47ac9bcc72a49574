/* The shell around libraries that factor matrices of full rank: see part.h. A suspicion raised by the library's pivots is decided by
 * complete pivoting (kept.h); then the kept rows and columns are factored as a matrix of their own. */
#include "linsol/part.h"

#include "order/order.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double ALIKE = 64 * DBL_EPSILON; /* scaled mirrored entries that differ by less are the same number */

void bl_part_release(bl_linsol *solver) {
    bl_part *p = solver->own;
    p->slots->release(solver);
    void *blocks[] = {p->given, p->mate, p->ptr, p->idx, p->from, p->by, p->values, p->old_row, p->old_col, p->x};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(solver->ctx, blocks[i]);
    bl_kept_destroy(&p->kept);
    *p = (bl_part){.slots = p->slots};
}

/* mate[k] of entry (i, j): where (j, i) stands. Columns are walked in step: rows are sorted in none of them. */
static bl_status find_mates(bl_linsol *solver) {
    bl_part *p = solver->own;
    const bl_pattern *a = p->pattern;
    bl_index n = a->ncol, *at = NULL, *ptr, *place, *col;
    size_t nnz = (size_t)a->ptr[n];
    BL_TRY(BL_NEW(solver->ctx, p->mate, nnz));
    BL_TRY(BL_NEW(solver->ctx, at, 2 * (size_t)n + 2 + 2 * nnz));
    ptr = at + n + 1;
    place = ptr + n + 1;
    col = place + nnz;
    for (size_t k = 0; k < nnz; k++)
        ptr[a->idx[k] + 1]++;
    for (bl_index i = 0; i < n; i++)
        ptr[i + 1] += ptr[i];
    memcpy(at, ptr, (size_t)n * sizeof *at);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++) { /* rows of A as lists */
            place[at[a->idx[k]]] = k;
            col[at[a->idx[k]]++] = j;
        }
    for (bl_index j = 0; j < n; j++)
        at[j] = -1;
    for (bl_index j = 0; j < n; j++) { /* row j against column j */
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            at[col[k]] = place[k];
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++)
            p->mate[k] = at[a->idx[k]];
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            at[col[k]] = -1;
    }
    bl_free(solver->ctx, at);
    return BL_OK;
}

bl_status bl_part_analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                          double rank_tolerance, bool mirrored) {
    bl_context *ctx = solver->ctx;
    bl_part *p = solver->own;
    BL_TRY(bl_linsol_check(solver, pattern, deficient, rank_tolerance));
    bl_part_release(solver);
    size_t n = (size_t)pattern->ncol, nnz = (size_t)pattern->ptr[n];
    p->pattern = pattern;
    p->deficient = deficient;
    p->tolerance = rank_tolerance;
    BL_TRY(bl_kept_create(ctx, pattern->ncol, &p->kept));
    BL_TRY(BL_NEW(ctx, p->ptr, n + 1));
    BL_TRY(BL_NEW(ctx, p->idx, nnz));
    BL_TRY(BL_NEW(ctx, p->from, nnz));
    BL_TRY(BL_NEW(ctx, p->by, nnz));
    BL_TRY(BL_NEW(ctx, p->values, nnz));
    BL_TRY(BL_NEW(ctx, p->old_row, n));
    BL_TRY(BL_NEW(ctx, p->old_col, n));
    BL_TRY(BL_NEW(ctx, p->x, n * BL_PART_GROUP));
    for (size_t i = 0; i < n; i++)
        p->old_row[i] = -2; /* nothing was kept yet */
    if (ordering) {
        BL_TRY(BL_NEW(ctx, p->given, n));
        memcpy(p->given, ordering->col, n * sizeof *p->given);
    }
    return mirrored ? find_mates(solver) : BL_OK;
}

bl_status bl_part_order(bl_linsol *solver, const char *spec, bl_index *order) {
    const bl_part *p = solver->own;
    bl_index used = 0;
    if (p->given) {
        for (bl_index k = 0; k < p->kept.n; k++)
            if (p->kept.col_at[p->given[k]] >= 0)
                order[used++] = p->kept.col_at[p->given[k]];
        return BL_OK;
    }
    bl_ordering made = {0};
    bl_pattern part = {p->n, p->n, p->ptr, p->idx};
    bl_status status = bl_order_pattern(solver->ctx, spec, &part, &made);
    if (status == BL_OK)
        memcpy(order, made.col, (size_t)p->n * sizeof *order);
    bl_ordering_free(solver->ctx, &made);
    return status;
}

/* ---- factorisation */

/* a symmetric matrix gets the same scale for row and column */
static void look_for_symmetry(bl_part *p, const double *values) {
    double *row = p->kept.row_scale, *col = p->kept.col_scale;
    p->symmetric = p->mate;
    for (bl_index j = 0; j < p->kept.n && p->symmetric; j++)
        for (bl_index k = p->pattern->ptr[j]; k < p->pattern->ptr[j + 1]; k++) {
            double other = p->mate[k] < 0 ? 0 : values[p->mate[k]];
            if (!(fabs(values[k] - other) * row[p->pattern->idx[k]] * col[j] <= ALIKE))
                p->symmetric = false;
        }
    for (bl_index i = 0; i < p->kept.n && p->symmetric; i++)
        row[i] = col[i] = fmin(row[i], col[i]);
}

static void load(bl_part *p, const double *values) {
    for (bl_index k = 0; k < p->ptr[p->n]; k++)
        p->values[k] = values[p->from[k]] * p->by[k];
}

static bl_status look_for_transversal(bl_linsol *solver) {
    bl_part *p = solver->own;
    bl_pattern a = {p->n, p->n, p->ptr, p->idx};
    bl_index *match = bl_alloc(solver->ctx, (size_t)p->n, sizeof *match), rank = 0;
    if (!match)
        return BL_E_MEMORY;
    bl_status status = bl_transversal(solver->ctx, &a, match, &rank);
    p->full = rank == p->n;
    bl_free(solver->ctx, match);
    return status;
}

/* the kept part with its values */
static void take_part(bl_part *p, const double *values) {
    p->n = p->kept.rank;
    bl_kept_plan(&p->kept, p->pattern, p->ptr, p->idx, p->from, p->by);
    load(p, values);
}

static bl_status begin(bl_linsol *solver, const double *values) {
    bl_part *p = solver->own;
    BL_TRY(bl_kept_scale(&p->kept, solver->forgets, p->pattern, values));
    look_for_symmetry(p, values);
    bl_kept_all(&p->kept);
    return BL_OK;
}

bl_status bl_part_begin(bl_linsol *solver, const double *values, bool *ready) {
    bl_part *p = solver->own;
    *ready = p->begun = false;
    BL_TRY(begin(solver, values));
    take_part(p, values);
    BL_TRY(look_for_transversal(solver));
    *ready = p->begun = p->full && p->n > 0;
    return BL_OK;
}

static bl_status factor_kept(bl_linsol *solver, const double *values) {
    bl_part *p = solver->own;
    size_t bytes = (size_t)p->kept.n * sizeof *p->old_row;
    bool begun = p->begun && p->kept.rank == p->kept.n;
    p->begun = false;
    p->changed = !begun && (memcmp(p->old_row, p->kept.row_at, bytes) != 0 || memcmp(p->old_col, p->kept.col_at, bytes) != 0);
    take_part(p, values);
    p->ratio = 1;
    solver->stats.fill = 0;
    if (p->n == 0)
        return BL_OK;
    p->old_row[0] = -2; /* until the library has it */
    if (p->changed)
        BL_TRY(look_for_transversal(solver));
    p->ratio = 0;
    if (!p->full)
        return BL_OK;
    BL_TRY(p->slots->factor(solver, &p->ratio));
    memcpy(p->old_row, p->kept.row_at, bytes);
    memcpy(p->old_col, p->kept.col_at, bytes);
    return BL_OK;
}

/* rank, after the factorisation of everything met small pivots */
static bl_status find_rank(bl_linsol *solver, const double *values) {
    bl_part *p = solver->own;
    bl_kept *kept = &p->kept;
    bl_index count = 0;
    const bl_index *rows = kept->n > BL_MOST_DENSE && p->full && p->slots->null_rows ? p->slots->null_rows(solver, &count) : NULL;
    if (rows && count > 0)
        bl_kept_without(kept, count, rows);
    else
        BL_TRY(bl_kept_search(kept, p->pattern, values, p->tolerance, p->ratio, p->deficient == BL_REFUSE));
    if (p->symmetric) { /* to rounding: the same rows and columns */
        memcpy(kept->col, kept->row, (size_t)kept->n * sizeof *kept->col);
        memcpy(kept->col_at, kept->row_at, (size_t)kept->n * sizeof *kept->col_at);
    }
    return BL_OK;
}

bl_status bl_part_factor(bl_linsol *solver, const double *values) {
    bl_part *p = solver->own;
    bl_kept *kept = &p->kept;
    solver->factored = false;
    solver->stats.factors++;
    BL_TRY(begin(solver, values));
    BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = p->ratio;
    if (p->ratio < sqrt(p->tolerance) || p->ratio == 0)
        BL_TRY(find_rank(solver, values));
    BL_TRY(bl_kept_report(kept, &solver->stats, p->deficient == BL_REFUSE));
    if (kept->rank < kept->n)
        BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = p->ratio;
    if (!(p->ratio > 0))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: no pivots in a matrix of order %d and rank %d", solver->kind->kind.name,
                       kept->n, kept->rank);
    solver->factored = true;
    return BL_OK;
}

bl_status bl_part_refactor(bl_linsol *solver, const double *values) {
    bl_part *p = solver->own;
    const char *name = solver->kind->kind.name;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: refactor without a factorisation", name);
    solver->stats.refactors++;
    solver->factored = false;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, p->pattern->ptr[p->kept.n], values));
    if (p->symmetric) {
        look_for_symmetry(p, values);
        if (!p->symmetric)
            return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: the matrix is not symmetric any more", name);
    }
    load(p, values);
    double ratio = 1;
    if (p->n > 0)
        BL_TRY(p->slots->refactor(solver, &ratio));
    solver->stats.worst_pivot = ratio;
    if (!(ratio > BL_LINSOL_DECAY * p->ratio))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: pivots decayed to %.1e of the largest", name, ratio);
    solver->factored = true;
    long solves = solver->stats.solves;
    bool still = bl_kept_still(&p->kept, p->pattern, values, sqrt(p->tolerance), solver, bl_part_solve);
    solver->stats.solves = solves;
    if (!still) {
        solver->factored = false;
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: rows that were dependent are no longer", name);
    }
    return BL_OK;
}

bl_status bl_part_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_part *p = solver->own;
    const bl_kept *kept = &p->kept;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "%s: solve without a factorisation", solver->kind->kind.name);
    size_t n = (size_t)kept->n, rank = (size_t)p->n;
    const bl_index *in = transposed ? kept->col : kept->row, *out = transposed ? kept->row : kept->col;
    const double *in_scale = transposed ? kept->col_scale : kept->row_scale, *out_scale = transposed ? kept->row_scale : kept->col_scale;
    for (bl_index done = 0; done < nrhs && n > 0; done += BL_PART_GROUP) {
        size_t group = (size_t)(nrhs - done < BL_PART_GROUP ? nrhs - done : BL_PART_GROUP);
        double *b = x + n * (size_t)done;
        for (size_t c = 0; c < group; c++)
            for (size_t k = 0; k < rank; k++)
                p->x[c * rank + k] = b[c * n + (size_t)in[k]] * in_scale[in[k]];
        if (rank > 0)
            BL_TRY(p->slots->solve(solver, transposed, (bl_index)group, p->x));
        for (size_t c = 0; c < group; c++, b += n) {
            for (size_t k = 0; k < rank; k++)
                b[out[k]] = p->x[c * rank + k] * out_scale[out[k]];
            for (size_t k = rank; k < n; k++)
                b[out[k]] = 0;
        }
    }
    solver->stats.solves += nrhs;
    return BL_OK;
}
