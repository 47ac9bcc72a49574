/* Rank, kept rows and columns. Scales by iterated division by the square root of the largest entry of each row and column
 * (Ruiz 2001), rounded to powers of two. A singular symmetric matrix has the same left and right null vectors, so for any dropped rows the
 * columns of the same numbers may be dropped too: a dropped constraint has multiplier zero. */
#include "linsol/rank_decision.h"
#include "dense/dense.h"
#include "linsol/linsol_limits.h"
#include "sparse/elimination.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PASSES = 4 };

bl_status bl_kept_create(bl_context *ctx, bl_index n, bl_kept *kept) {
    memset(kept, 0, sizeof *kept);
    kept->ctx = ctx;
    kept->n = n;
    BL_TRY(BL_NEW_ARRAYS(ctx, kept->block, BL_ARRAY(kept->row_scale, n), BL_ARRAY(kept->col_scale, n), BL_ARRAY(kept->work, 4 * (size_t)n),
                         BL_ARRAY(kept->row, n), BL_ARRAY(kept->col, n), BL_ARRAY(kept->row_at, n), BL_ARRAY(kept->col_at, n)));
    bl_kept_all(kept);
    return BL_OK;
}

void bl_kept_destroy(bl_kept *kept) {
    bl_free(kept->ctx, kept->block);
    memset(kept, 0, sizeof *kept);
}

void bl_kept_all(bl_kept *kept) {
    kept->rank = kept->n;
    for (bl_index i = 0; i < kept->n; i++)
        kept->row[i] = kept->col[i] = kept->row_at[i] = kept->col_at[i] = i;
}

/* ---- scales */

/* scale_i becomes found_i rounded to a power of two; before: but not larger than it was */
static void round_scales(bl_index n, double *scale, const double *found, bool before) {
    for (bl_index i = 0; i < n; i++) {
        int exponent;
        frexp(found[i], &exponent);
        double power = ldexp(1, exponent - 1);
        scale[i] = before && scale[i] < power ? scale[i] : power;
    }
}

bl_status bl_kept_scale(bl_kept *kept, bool rescales, const bl_pattern *pattern, const double *values) {
    bl_index n = kept->n;
    double *row = kept->work, *col = row + n, *row_most = col + n, *col_most = row_most + n, largest = 0;
    BL_TRY(bl_check_finite(kept->ctx, "matrix", NAN, pattern->ptr[n], values));
    for (bl_index k = 0; k < pattern->ptr[n]; k++)
        largest = fmax(largest, fabs(values[k]));
    double floor = linsol_noise * largest, start = largest > 0 ? 1 / sqrt(largest) : 1;
    for (bl_index i = 0; i < n; i++)
        row[i] = col[i] = start;
    for (int pass = 0; pass < PASSES; pass++) {
        memset(row_most, 0, 2 * (size_t)n * sizeof *row_most);
        for (bl_index j = 0; j < n; j++)
            for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++) {
                bl_index i = pattern->idx[k];
                double size = fabs(values[k]) > floor ? fabs(values[k]) * row[i] * col[j] : 0;
                row_most[i] = fmax(row_most[i], size);
                col_most[j] = fmax(col_most[j], size);
            }
        for (bl_index i = 0; i < n; i++) {
            row[i] /= row_most[i] > 0 ? sqrt(row_most[i]) : 1;
            col[i] /= col_most[i] > 0 ? sqrt(col_most[i]) : 1;
        }
    }
    round_scales(n, kept->row_scale, row, kept->scaled_before && !rescales);
    round_scales(n, kept->col_scale, col, kept->scaled_before && !rescales);
    kept->scaled_before = true;
    return BL_OK;
}

/* ---- rank */

static bool symmetric(bl_index n, const double *a) {
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < j; i++)
            if (a[(size_t)i + (size_t)j * (size_t)n] != a[(size_t)j + (size_t)i * (size_t)n])
                return false;
    return true;
}

/* at[i] >= 0 marks the kept ones: numbers them, and lists kept ones then dropped ones, both ascending */
static void list(bl_index n, bl_index rank, bl_index *at, bl_index *order) {
    bl_index in = 0, out = rank;
    for (bl_index i = 0; i < n; i++) {
        if (at[i] >= 0) {
            at[i] = in;
            order[in++] = i;
        } else {
            order[out++] = i;
        }
    }
}

static void mark(bl_index n, bl_index rank, const bl_index *order, bl_index *at) {
    for (bl_index i = 0; i < n; i++)
        at[order[i]] = i < rank ? 0 : -1;
}

/* rows and columns that the elimination found, of which the first `rank` are kept */
static void keep(bl_kept *kept, bl_index rank, const bl_index *row, const bl_index *col) {
    kept->rank = rank;
    mark(kept->n, rank, row, kept->row_at);
    mark(kept->n, rank, col, kept->col_at);
    list(kept->n, rank, kept->row_at, kept->row);
    list(kept->n, rank, kept->col_at, kept->col);
}

void bl_kept_reveal(bl_kept *kept, const bl_pattern *pattern, const double *values, double tolerance, double *dense) {
    bl_index n = kept->n;
    memset(dense, 0, (size_t)n * (size_t)n * sizeof *dense);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++) {
            bl_index i = pattern->idx[k];
            dense[(size_t)i + (size_t)j * (size_t)n] = values[k] * kept->row_scale[i] * kept->col_scale[j];
        }
    bool same = symmetric(n, dense);
    bl_rank_reveal(n, n, dense, NULL, NULL, NULL, tolerance, kept->row, kept->col, &kept->rank, NULL);
    keep(kept, kept->rank, kept->row, same ? kept->row : kept->col);
}

/* every scaled entry equals its mirrored entry */
static bool same_mirrored(const bl_kept *kept, const bl_pattern *a, const double *values, const bl_index *mate) {
    const double *r = kept->row_scale, *c = kept->col_scale;
    for (bl_index j = 0; j < kept->n; j++)
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++) {
            bl_index i = a->idx[k];
            if (values[k] * r[i] * c[j] != (mate[k] < 0 ? 0 : values[mate[k]] * r[j] * c[i]))
                return false;
        }
    return true;
}

static bl_status reveal_sparse(bl_kept *kept, const bl_pattern *pattern, const double *values, double tolerance) {
    size_t n = (size_t)kept->n;
    bl_index *mate;
    BL_TRY(BL_NEW(kept->ctx, mate, pattern->ptr[n]));
    bl_status status = bl_pattern_mirror(kept->ctx, pattern, mate);
    bool same = status == BL_OK && same_mirrored(kept, pattern, values, mate);
    bl_free(kept->ctx, mate);
    BL_TRY(status);
    double *divisor = kept->work;
    for (size_t i = 0; i < n; i++)
        divisor[i] = 1 / kept->row_scale[i]; /* a power of two */
    bl_elimination e = {0};
    bl_elimination_input in = {
        .pattern = pattern, .value = values, .row_scale = divisor, .col_scale = kept->col_scale, .tolerance = tolerance};
    status = bl_elimination_run(kept->ctx, &in, &e);
    if (status == BL_OK)
        keep(kept, e.rank, e.row, same ? e.row : e.col);
    bl_elimination_free(&e);
    return status;
}

bl_status bl_kept_search(bl_kept *kept, const bl_pattern *pattern, const double *values, double tolerance, double pivot_ratio,
                         bool refuse) {
    size_t n = (size_t)kept->n;
    if (refuse && (double)n > linsol_rank_refused)
        return pivot_ratio > tolerance
                   ? BL_OK
                   : bl_fail(kept->ctx, BL_SINGULAR, NULL, "matrix of order %d is singular: ratio of smallest to largest pivot %.1e",
                             kept->n, pivot_ratio);
    if ((double)n > linsol_rank_dense)
        return reveal_sparse(kept, pattern, values, tolerance);
    double *dense;
    BL_TRY(BL_NEW(kept->ctx, dense, n * n));
    bl_kept_reveal(kept, pattern, values, tolerance, dense);
    bl_free(kept->ctx, dense);
    return BL_OK;
}

void bl_kept_without(bl_kept *kept, bl_index count, const bl_index *rows) {
    bl_kept_all(kept);
    for (bl_index k = 0; k < count; k++)
        kept->row_at[rows[k]] = kept->col_at[rows[k]] = -1;
    kept->rank = kept->n - count;
    list(kept->n, kept->rank, kept->row_at, kept->row);
    list(kept->n, kept->rank, kept->col_at, kept->col);
}

void bl_kept_plan(const bl_kept *kept, const bl_pattern *pattern, bl_index *ptr, bl_index *idx, bl_index *from, double *scale) {
    bl_pattern_cut(pattern, kept->row_at, kept->rank, kept->col, ptr, idx, from);
    for (bl_index c = 0; c < kept->rank; c++)
        for (bl_index k = ptr[c]; k < ptr[c + 1]; k++)
            scale[k] = kept->row_scale[kept->row[idx[k]]] * kept->col_scale[kept->col[c]];
}

bl_status bl_kept_report(const bl_kept *kept, bl_linsol_stats *stats, bool refused) {
    stats->rank = kept->rank;
    stats->ndependent = kept->n - kept->rank;
    stats->dependent = kept->row + kept->rank;
    if (!stats->ndependent || !refused)
        return BL_OK;
    char rows[128];
    size_t used = 0;
    rows[0] = '\0';
    for (bl_index k = 0; k < stats->ndependent && used + 16 < sizeof rows; k++) {
        bool cut = used + 32 > sizeof rows && k + 1 < stats->ndependent;
        used += (size_t)snprintf(rows + used, sizeof rows - used, cut ? ", ..." : k ? ", %d" : "%d", stats->dependent[k]);
        if (cut)
            break;
    }
    bl_fail(kept->ctx, BL_SINGULAR, NULL, "matrix of order %d has rank %d; rows that depend on the others: %s", kept->n, kept->rank, rows);
    bl_advise(kept->ctx, "drop dependent rows, or request the minimum norm");
    return BL_SINGULAR;
}

/* With z = (-y, r) on (kept, dropped) columns and y chosen so that A z vanishes on the kept rows, A z on the
 * dropped rows is the Schur complement times r: zero as long as the dropped rows depend on the kept ones. */
bool bl_kept_dependent(const bl_kept *kept, const bl_pattern *pattern, const double *values, double limit, bl_linsol *solver,
                       bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x)) {
    bl_index n = kept->n, rank = kept->rank;
    double *z = kept->work, *b = z + n, size = 1;
    if (rank == n)
        return true;
    memset(z, 0, 2 * (size_t)n * sizeof *z);
    uint32_t bits = 12345;
    for (bl_index k = rank; k < n; k++) {
        bits = bits * 1664525u + 1013904223u;
        z[kept->col[k]] = (bits >> 31 ? 1 : -1) * kept->col_scale[kept->col[k]];
    }
    bl_csc_multiply(pattern, values, z, b);
    if (solve(solver, false, 1, b) != BL_OK)
        return false;
    for (bl_index k = 0; k < rank; k++) {
        bl_index j = kept->col[k];
        z[j] = -b[j];
        size = fmax(size, fabs(b[j]) / kept->col_scale[j]);
    }
    memset(b, 0, (size_t)n * sizeof *b);
    bl_csc_multiply(pattern, values, z, b);
    for (bl_index k = rank; k < n; k++) {
        bl_index i = kept->row[k];
        if (!(fabs(b[i]) * kept->row_scale[i] <= limit * size))
            return false;
    }
    return true;
}
