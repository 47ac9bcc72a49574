/* Common part of direct solvers: see direct_solver.h. If pivots are suspiciously small, complete pivoting decides about the rank
 * (rank_decision.h); then the kept rows and columns are factored as a matrix of their own. */
#include "linsol/direct_solver.h"

#include "linsol/linsol_limits.h"
#include "order/order.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

static const bl_direct_slots *slots_of(const bl_linsol *solver) { return solver->kind->slots; }

void bl_direct_destroy(bl_linsol *solver) {
    bl_direct *d = solver->own;
    if (slots_of(solver)->release)
        slots_of(solver)->release(solver);
    bl_free(solver->ctx, d->block);
    bl_free(solver->ctx, d->own);
    bl_kept_destroy(&d->kept);
    *d = (bl_direct){0};
}

/* ---- analysis */

bl_status bl_direct_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                            double rank_tolerance) {
    bl_direct *d = solver->own;
    const bl_direct_slots *slots = slots_of(solver);
    bl_direct_destroy(solver);
    size_t n = (size_t)pattern->ncol, nnz = (size_t)pattern->ptr[n], tables = slots->wants & BL_DIRECT_TABLES ? 1 : 0;
    size_t mirror = slots->wants & BL_DIRECT_MIRROR ? nnz : 0;
    d->pattern = pattern;
    d->deficient = deficient;
    d->tolerance = rank_tolerance;
    BL_TRY(bl_kept_create(solver->ctx, pattern->ncol, &d->kept));
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, d->block, BL_ARRAY(d->scale, tables * nnz), BL_ARRAY(d->values, tables * nnz),
                         BL_ARRAY(d->x, slots->solve ? n * BL_DIRECT_GROUP : 0), BL_ARRAY(d->ptr, tables * (n + 1)),
                         BL_ARRAY(d->idx, tables * nnz), BL_ARRAY(d->from, tables * nnz), BL_ARRAY(d->old_row, n), BL_ARRAY(d->old_col, n),
                         BL_ARRAY(d->given, ordering ? n : 0), BL_ARRAY(d->mate, mirror)));
    for (size_t i = 0; i < n; i++)
        d->old_row[i] = -2; /* nothing kept yet */
    if (ordering)
        memcpy(d->given, ordering->col, n * sizeof *d->given);
    else
        d->given = NULL;
    return mirror ? bl_pattern_mirror(solver->ctx, pattern, d->mate) : BL_OK;
}

bl_status bl_direct_order(bl_linsol *solver, const char *spec, bl_index *order) {
    const bl_direct *d = solver->own;
    bl_index used = 0;
    if (d->given) {
        for (bl_index k = 0; k < d->kept.n; k++)
            if (d->kept.col_at[d->given[k]] >= 0)
                order[used++] = d->kept.col_at[d->given[k]];
        return BL_OK;
    }
    bl_ordering made = {0};
    bl_pattern part = {d->n, d->n, d->ptr, d->idx};
    bl_status status = bl_order_pattern(solver->ctx, spec, &part, &made);
    if (status == BL_OK)
        memcpy(order, made.col, (size_t)d->n * sizeof *order);
    bl_ordering_free(solver->ctx, &made);
    return status;
}

/* ---- values */

/* a symmetric matrix gets the same scale for row and column */
static void find_symmetry(const bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    double *row = d->kept.row_scale, *col = d->kept.col_scale;
    d->symmetric = slots_of(solver)->wants & BL_DIRECT_MIRROR;
    for (bl_index j = 0; j < d->kept.n && d->symmetric; j++)
        for (bl_index k = d->pattern->ptr[j]; k < d->pattern->ptr[j + 1]; k++) {
            double other = d->mate[k] < 0 ? 0 : values[d->mate[k]];
            if (!(fabs(values[k] - other) * row[d->pattern->idx[k]] * col[j] <= linsol_alike))
                d->symmetric = false;
        }
    for (bl_index i = 0; i < d->kept.n && d->symmetric; i++)
        row[i] = col[i] = fmin(row[i], col[i]);
}

static void load(bl_direct *d, const double *values) {
    for (bl_index k = 0; k < d->ptr[d->n]; k++)
        d->values[k] = values[d->from[k]] * d->scale[k];
}

bl_status bl_direct_load(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, d->pattern->ptr[d->kept.n], values));
    if (d->symmetric) {
        find_symmetry(solver, values);
        if (!d->symmetric)
            return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: the matrix is no longer symmetric", solver->kind->kind.name);
    }
    load(d, values);
    return BL_OK;
}

double bl_direct_ratio(bl_index n, const double *pivot, size_t stride) {
    double least = INFINITY, most = 0;
    for (bl_index k = 0; k < n; k++) {
        double size = fabs(pivot[(size_t)k * stride]);
        if (!(size > 0) || isinf(size))
            return 0;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    return n ? least / most : 1;
}

/* ---- factorization */

static bl_status find_transversal(bl_linsol *solver) {
    bl_direct *d = solver->own;
    bl_pattern a = {d->n, d->n, d->ptr, d->idx};
    bl_index *match, rank = 0;
    d->full = true;
    if (!(slots_of(solver)->wants & BL_DIRECT_TRANSVERSAL))
        return BL_OK;
    BL_TRY(BL_NEW(solver->ctx, match, d->n));
    bl_status status = bl_transversal(solver->ctx, &a, match, &rank);
    d->full = rank == d->n;
    bl_free(solver->ctx, match);
    return status;
}

/* the kept part with its values */
static void take_part(const bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    d->n = d->kept.rank;
    if (!(slots_of(solver)->wants & BL_DIRECT_TABLES))
        return;
    bl_kept_plan(&d->kept, d->pattern, d->ptr, d->idx, d->from, d->scale);
    load(d, values);
}

static bl_status begin(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    BL_TRY(bl_kept_scale(&d->kept, solver->rescales, d->pattern, values));
    find_symmetry(solver, values);
    bl_kept_all(&d->kept);
    return BL_OK;
}

bl_status bl_direct_begin(bl_linsol *solver, const double *values, bool *ready) {
    bl_direct *d = solver->own;
    *ready = d->begun = false;
    BL_TRY(begin(solver, values));
    take_part(solver, values);
    BL_TRY(find_transversal(solver));
    *ready = d->begun = d->full && d->n > 0;
    return BL_OK;
}

static bl_status factor_kept(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    size_t bytes = (size_t)d->kept.n * sizeof *d->old_row;
    bool begun = d->begun && d->kept.rank == d->kept.n, nothing = d->kept.n == 0;
    d->begun = false;
    d->changed = !begun && (nothing || memcmp(d->old_row, d->kept.row_at, bytes) != 0 || memcmp(d->old_col, d->kept.col_at, bytes) != 0);
    take_part(solver, values);
    d->ratio = 1;
    if (d->n == 0 && slots_of(solver)->wants & BL_DIRECT_TRANSVERSAL) {
        solver->stats.fill = 0;
        return BL_OK;
    }
    if (!nothing)
        d->old_row[0] = -2; /* not valid until the part is factored */
    if (d->changed)
        BL_TRY(find_transversal(solver));
    d->ratio = 0;
    if (!d->full)
        return BL_OK;
    BL_TRY(slots_of(solver)->factor(solver, values, &d->ratio));
    memcpy(d->old_row, d->kept.row_at, bytes);
    memcpy(d->old_col, d->kept.col_at, bytes);
    return BL_OK;
}

/* rank, after the factorization of the full matrix found small pivots */
static bl_status find_rank(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    const bl_direct_slots *slots = slots_of(solver);
    bl_kept *kept = &d->kept;
    bl_index count = 0;
    const bl_index *rows = kept->n > linsol_rank_dense && d->full && slots->null_rows ? slots->null_rows(solver, &count) : NULL;
    if (rows && count > 0)
        bl_kept_without(kept, count, rows);
    else if (d->full_matrix)
        bl_kept_reveal(kept, d->pattern, values, d->tolerance, d->full_matrix);
    else
        BL_TRY(bl_kept_search(kept, d->pattern, values, d->tolerance, d->ratio, d->deficient == BL_REFUSE));
    if (d->symmetric) { /* up to rounding: drop the same rows and columns */
        memcpy(kept->col, kept->row, (size_t)kept->n * sizeof *kept->col);
        memcpy(kept->col_at, kept->row_at, (size_t)kept->n * sizeof *kept->col_at);
    }
    return BL_OK;
}

bl_status bl_direct_factor(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    bl_kept *kept = &d->kept;
    d->decay = linsol_decay;
    BL_TRY(begin(solver, values));
    BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = d->ratio;
    if (d->ratio < sqrt(d->tolerance) || d->ratio == 0)
        BL_TRY(find_rank(solver, values));
    BL_TRY(bl_kept_report(kept, &solver->stats, d->deficient == BL_REFUSE));
    if (kept->rank < kept->n)
        BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = d->ratio;
    if (!(d->ratio > 0))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: a pivot vanishes in the matrix of order %d and rank %d",
                       solver->kind->kind.name, kept->n, kept->rank);
    return BL_OK;
}

bl_status bl_direct_refactor(bl_linsol *solver, const double *values) {
    bl_direct *d = solver->own;
    const bl_direct_slots *slots = slots_of(solver);
    const char *name = solver->kind->kind.name;
    double ratio = 1, limit = sqrt(d->tolerance);
    if (d->n > 0 || !(slots->wants & BL_DIRECT_TRANSVERSAL))
        BL_TRY(slots->refactor(solver, values, &ratio));
    else
        BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, d->pattern->ptr[d->kept.n], values));
    solver->stats.worst_pivot = ratio;
    if (!(ratio > d->decay * d->ratio))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: pivots decayed to %.1e of the largest", name, ratio);
    if (slots->dependent ? !slots->dependent(solver, values, limit)
                         : !bl_kept_dependent(&d->kept, d->pattern, values, limit, solver, solver->kind->solve))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: dropped rows have become independent again", name);
    return BL_OK;
}

bl_status bl_direct_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_direct *d = solver->own;
    const bl_kept *kept = &d->kept;
    size_t n = (size_t)kept->n, rank = (size_t)d->n;
    const bl_index *in = transposed ? kept->col : kept->row, *out = transposed ? kept->row : kept->col;
    const double *in_scale = transposed ? kept->col_scale : kept->row_scale, *out_scale = transposed ? kept->row_scale : kept->col_scale;
    for (bl_index done = 0; done < nrhs && n > 0; done += BL_DIRECT_GROUP) {
        size_t group = (size_t)(nrhs - done < BL_DIRECT_GROUP ? nrhs - done : BL_DIRECT_GROUP);
        double *b = x + n * (size_t)done;
        for (size_t c = 0; c < group; c++)
            for (size_t k = 0; k < rank; k++)
                d->x[c * rank + k] = b[c * n + (size_t)in[k]] * in_scale[in[k]];
        if (rank > 0)
            BL_TRY(slots_of(solver)->solve(solver, transposed, (bl_index)group, d->x));
        for (size_t c = 0; c < group; c++, b += n) {
            for (size_t k = 0; k < rank; k++)
                b[out[k]] = d->x[c * rank + k] * out_scale[out[k]];
            for (size_t k = rank; k < n; k++)
                b[out[k]] = 0;
        }
    }
    return BL_OK;
}
