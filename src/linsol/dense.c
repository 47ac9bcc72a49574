/* Dense solver: P R A C = L U with partial pivoting, on the kept rows and columns when rank is missing and dropped;
 * minimum norm by complete orthogonal decomposition A P = Q [T 0; 0 0] Z, so that x = P Z^T [T^-1 0; 0 0] Q^T b.
 * Golub and Van Loan, Matrix Computations, sections 3.4 and 5.5. The plain loop skips zeros, which beats LAPACK on
 * matrices that come from sparse patterns; LAPACK takes over where they are large and full. */
#include "dense/dense.h"
#include "linsol/kept.h"

#include <math.h>
#include <string.h>

enum { ALWAYS_PLAIN = 32, BLOCK = 32 };

typedef struct dense {
    bl_kept kept;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    bl_index nentry;      /* entries of kept rows and columns */
    bl_index *from;       /* [nnz] place in the values */
    size_t *to;           /* [nnz] place in lu */
    double *by;           /* [nnz] scale */
    double *lu, *scratch; /* [n*n] each; scratch: rank, then the orthogonal decomposition */
    bl_index *swap;       /* [n] row exchanged with row k, counted from 1 */
    double *x;            /* [n] */
    bool orthogonal;      /* the last factorisation is the orthogonal one, of rank kept.rank */
    bl_index *order;      /* [n] its column order, counted from 1 */
    double *tau_q, *tau_z, *work;
    size_t nwork;
    double pivot_ratio; /* at the last factor */
} dense;

static void dense_free(bl_linsol *solver) {
    dense *d = solver->own;
    void *blocks[] = {d->from, d->to, d->by, d->lu, d->scratch, d->swap, d->x, d->order, d->tau_q, d->tau_z, d->work};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        bl_free(solver->ctx, blocks[i]);
    bl_kept_destroy(&d->kept);
    memset(d, 0, sizeof *d);
}

static void dense_destroy(bl_linsol *solver) {
    if (!solver->own)
        return;
    dense_free(solver);
    bl_free(solver->ctx, solver->own);
}

static bl_status dense_create(bl_linsol *solver, const char *options) {
    bl_value values[BL_MAX_PARAMS];
    bl_arena arena = {.ctx = solver->ctx};
    bl_status status = bl_kind_options(solver->ctx, &arena, &solver->kind->kind, options, values);
    bl_arena_destroy(&arena);
    BL_TRY(status);
    dense *d;
    BL_TRY(BL_NEW(solver->ctx, d, 1));
    solver->own = d;
    return BL_OK;
}

static bl_status dense_analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                               double rank_tolerance) {
    (void)ordering; /* every order fills a dense matrix */
    bl_context *ctx = solver->ctx;
    dense *d = solver->own;
    BL_TRY(bl_linsol_check(solver, pattern, deficient, rank_tolerance));
    dense_free(solver);
    size_t n = (size_t)pattern->ncol, nnz = (size_t)pattern->ptr[n];
    d->pattern = pattern;
    d->deficient = deficient;
    d->tolerance = rank_tolerance;
    BL_TRY(bl_kept_create(ctx, pattern->ncol, &d->kept));
    BL_TRY(BL_NEW(ctx, d->from, nnz));
    BL_TRY(BL_NEW(ctx, d->to, nnz));
    BL_TRY(BL_NEW(ctx, d->by, nnz));
    BL_TRY(BL_NEW(ctx, d->lu, n * n));
    BL_TRY(BL_NEW(ctx, d->scratch, n * n));
    BL_TRY(BL_NEW(ctx, d->swap, n));
    BL_TRY(BL_NEW(ctx, d->x, n));
    if (deficient == BL_MIN_NORM) {
        size_t nwork = 2 * n + (n + 1) * BLOCK;
        BL_TRY(BL_NEW(ctx, d->order, n));
        BL_TRY(BL_NEW(ctx, d->tau_q, n));
        BL_TRY(BL_NEW(ctx, d->tau_z, n));
        BL_TRY(BL_NEW(ctx, d->work, nwork));
        d->nwork = nwork;
    }
    solver->stats.fill = (int64_t)(n * n);
    return BL_OK;
}

/* ---- elimination */

/* tables that bring the kept entries to their places in lu */
static void plan(dense *d) {
    const bl_kept *kept = &d->kept;
    const bl_pattern *p = d->pattern;
    d->nentry = 0;
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index i = p->idx[k], row = kept->row_at[i], col = kept->col_at[j];
            if (row < 0 || col < 0)
                continue;
            d->from[d->nentry] = k;
            d->to[d->nentry] = (size_t)row + (size_t)col * (size_t)kept->rank;
            d->by[d->nentry++] = kept->row_scale[i] * kept->col_scale[j];
        }
}

/* smallest / largest pivot; 0 when a pivot is zero or not finite */
static double ratio(bl_index n, const double *lu) {
    double least = INFINITY, most = 0;
    for (bl_index k = 0; k < n; k++) {
        double size = fabs(lu[(size_t)k * ((size_t)n + 1)]);
        if (!(size > 0) || isinf(size))
            return 0;
        least = size < least ? size : least;
        most = size > most ? size : most;
    }
    return n ? least / most : 1;
}

static void eliminate_plain(bl_index n, double *a, bl_index *swap) {
    size_t stride = (size_t)n;
    for (bl_index k = 0; k < n; k++) {
        double *column = a + stride * (size_t)k, most = 0;
        bl_index r = k;
        for (bl_index i = k; i < n; i++) {
            double size = fabs(column[i]);
            if (size > most) {
                most = size;
                r = i;
            }
        }
        swap[k] = r + 1;
        if (r != k)
            for (double *p = a + k, *q = a + r, *end = a + stride * stride; p < end; p += stride, q += stride) {
                double keep = *p;
                *p = *q;
                *q = keep;
            }
        double inverse = 1 / column[k];
        if (!(most > 0))
            return; /* zero or NaN: the ratio of pivots tells */
        for (bl_index i = k + 1; i < n; i++)
            column[i] *= inverse;
        for (bl_index j = k + 1; j < n; j++) {
            double *target = a + stride * (size_t)j, factor = target[k];
            if (factor != 0)
                for (bl_index i = k + 1; i < n; i++)
                    target[i] -= column[i] * factor;
        }
    }
}

static double eliminate(dense *d, const double *values) {
    bl_index n = d->kept.rank;
    size_t size = (size_t)n * (size_t)n;
    memset(d->lu, 0, size * sizeof *d->lu);
    for (bl_index k = 0; k < d->nentry; k++)
        d->lu[d->to[k]] = values[d->from[k]] * d->by[k];
    if (n <= ALWAYS_PLAIN || (size_t)d->nentry * 4 < size)
        eliminate_plain(n, d->lu, d->swap);
    else
        bl_dense_lu(n, d->lu, d->swap);
    return ratio(n, d->lu);
}

/* lu x = b for the kept part, in place */
static void substitute(const dense *d, bool transposed, double *x) {
    bl_index n = d->kept.rank;
    size_t stride = (size_t)n;
    if (!transposed) {
        for (bl_index k = 0; k < n; k++) {
            bl_index r = d->swap[k] - 1;
            double value = x[r];
            x[r] = x[k];
            x[k] = value;
        }
        for (bl_index k = 0; k < n; k++) {
            const double *column = d->lu + stride * (size_t)k;
            double value = x[k];
            if (value != 0)
                for (bl_index i = k + 1; i < n; i++)
                    x[i] -= column[i] * value;
        }
        for (bl_index k = n - 1; k >= 0; k--) {
            const double *column = d->lu + stride * (size_t)k;
            double value = x[k] /= column[k];
            for (bl_index i = 0; i < k; i++)
                x[i] -= column[i] * value;
        }
        return;
    }
    for (bl_index k = 0; k < n; k++) {
        const double *column = d->lu + stride * (size_t)k;
        double sum = x[k];
        for (bl_index i = 0; i < k; i++)
            sum -= column[i] * x[i];
        x[k] = sum / column[k];
    }
    for (bl_index k = n - 1; k >= 0; k--) {
        const double *column = d->lu + stride * (size_t)k;
        double sum = x[k];
        for (bl_index i = k + 1; i < n; i++)
            sum -= column[i] * x[i];
        x[k] = sum;
    }
    for (bl_index k = n - 1; k >= 0; k--) {
        bl_index r = d->swap[k] - 1;
        double value = x[r];
        x[r] = x[k];
        x[k] = value;
    }
}

/* ---- orthogonal decomposition of the whole, unscaled matrix: the norm is that of the unknowns as they are */

/* kept_ratio: |R_rr| / |R_11|, the pivots of the kept part; left_over: |R_r+1,r+1| / |R_11|, nothing as long as the rank is right */
static void decompose(dense *d, const double *values, double *kept_ratio, double *left_over) {
    const bl_pattern *p = d->pattern;
    bl_index n = p->ncol, rank = d->kept.rank;
    size_t stride = (size_t)n;
    double *a = d->scratch;
    memset(a, 0, stride * stride * sizeof *a);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            a[(size_t)p->idx[k] + stride * (size_t)j] = values[k];
    memset(d->order, 0, stride * sizeof *d->order);
    bl_dense_qr_pivoted(n, n, a, d->order, d->tau_q, d->work, d->nwork);
    double first = n ? fabs(a[0]) : 0;
    *left_over = rank < n && first > 0 ? fabs(a[(size_t)rank * (stride + 1)]) / first : 0;
    *kept_ratio = rank > 0 ? fabs(a[(size_t)(rank - 1) * (stride + 1)]) / first : 1;
    if (rank > 0 && rank < n)
        bl_dense_rz(rank, n, a, d->tau_z, d->work, d->nwork);
}

/* one right-hand side of length n in place */
static void solve_orthogonal(dense *d, bool transposed, double *x) {
    bl_index n = d->pattern->ncol, rank = d->kept.rank;
    const double *a = d->scratch;
    double *y = d->x;
    if (rank == 0) {
        memset(x, 0, (size_t)n * sizeof *x);
        return;
    }
    if (!transposed) {
        bl_dense_qr_multiply(n, 1, n, a, d->tau_q, true, x, d->work, d->nwork);
        memset(x + rank, 0, (size_t)(n - rank) * sizeof *x);
        bl_dense_triangle_solve(BL_UPPER, false, rank, 1, a, n, x, n);
        if (rank < n)
            bl_dense_rz_multiply(rank, n, a, d->tau_z, true, x, d->work, d->nwork);
        for (bl_index j = 0; j < n; j++)
            y[d->order[j] - 1] = x[j];
        memcpy(x, y, (size_t)n * sizeof *x);
        return;
    }
    for (bl_index j = 0; j < n; j++)
        y[j] = x[d->order[j] - 1];
    if (rank < n)
        bl_dense_rz_multiply(rank, n, a, d->tau_z, false, y, d->work, d->nwork);
    memset(y + rank, 0, (size_t)(n - rank) * sizeof *y);
    bl_dense_triangle_solve(BL_UPPER, true, rank, 1, a, n, y, n);
    bl_dense_qr_multiply(n, 1, n, a, d->tau_q, false, y, d->work, d->nwork);
    memcpy(x, y, (size_t)n * sizeof *x);
}

/* ---- the slots */

static bl_status dense_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    dense *d = solver->own;
    const bl_kept *kept = &d->kept;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "dense: solve without a factorisation");
    bl_index n = kept->n, rank = kept->rank;
    const bl_index *in = transposed ? kept->col : kept->row, *out = transposed ? kept->row : kept->col;
    const double *in_scale = transposed ? kept->col_scale : kept->row_scale, *out_scale = transposed ? kept->row_scale : kept->col_scale;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        if (d->orthogonal) {
            solve_orthogonal(d, transposed, x);
            continue;
        }
        for (bl_index k = 0; k < rank; k++)
            d->x[k] = x[in[k]] * in_scale[in[k]];
        substitute(d, transposed, d->x);
        for (bl_index k = rank; k < n; k++)
            x[out[k]] = 0;
        for (bl_index k = 0; k < rank; k++)
            x[out[k]] = d->x[k] * out_scale[out[k]];
    }
    solver->stats.solves += nrhs;
    return BL_OK;
}

static bl_status dense_factor(bl_linsol *solver, const double *values) {
    dense *d = solver->own;
    bl_kept *kept = &d->kept;
    solver->factored = d->orthogonal = false;
    solver->stats.factors++;
    BL_TRY(bl_kept_scale(kept, solver->forgets, d->pattern, values));
    bl_kept_all(kept);
    plan(d);
    d->pivot_ratio = eliminate(d, values);
    /* partial pivoting only raises a suspicion; complete pivoting decides */
    if (d->pivot_ratio < sqrt(d->tolerance) || d->pivot_ratio == 0)
        bl_kept_reveal(kept, d->pattern, values, d->tolerance, d->scratch);
    solver->stats.worst_pivot = d->pivot_ratio;
    BL_TRY(bl_kept_report(kept, &solver->stats, d->deficient == BL_REFUSE));
    if (kept->rank < kept->n && d->deficient == BL_DROP) {
        plan(d);
        d->pivot_ratio = eliminate(d, values);
    } else if (kept->rank < kept->n) {
        double left_over;
        d->orthogonal = true;
        decompose(d, values, &d->pivot_ratio, &left_over);
    }
    solver->stats.worst_pivot = d->pivot_ratio;
    if (!(d->pivot_ratio > 0))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "dense: no pivots in a matrix of order %d and rank %d", kept->n, kept->rank);
    solver->factored = true;
    return BL_OK;
}

static bl_status dense_refactor(bl_linsol *solver, const double *values) {
    dense *d = solver->own;
    const bl_kept *kept = &d->kept;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "dense: refactor without a factorisation");
    solver->stats.refactors++;
    solver->factored = false;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, d->pattern->ptr[kept->n], values));
    double pivots, left_over = 0;
    if (d->orthogonal)
        decompose(d, values, &pivots, &left_over);
    else
        pivots = eliminate(d, values);
    solver->stats.worst_pivot = pivots;
    if (!(pivots > BL_LINSOL_DECAY * d->pivot_ratio))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "dense: pivots decayed to %.1e of the largest", pivots);
    solver->factored = true;
    double limit = sqrt(d->tolerance);
    bool same = d->orthogonal ? left_over <= limit : bl_kept_still(kept, d->pattern, values, limit, solver, dense_solve);
    if (!same) {
        solver->factored = false;
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "dense: rows that were dependent are no longer");
    }
    return BL_OK;
}

/* Constants fitted to the scenes and to random matrices (bench/README.md): within a factor 2 */
static double dense_cost(const bl_linsol *solver, bl_index nrhs) {
    const dense *d = solver->own;
    bl_index n = d->kept.rank;
    double updates = 0, square = (double)n * n;
    for (bl_index j = 0; j < n; j++) /* a column is updated for every entry above its diagonal */
        for (bl_index k = 0; k < j; k++)
            updates += d->lu[(size_t)k + (size_t)j * (size_t)n] != 0 ? n - k - 1 : 0;
    bool plain = n <= ALWAYS_PLAIN || (double)d->nentry * 4 < square;
    double factor = 9 + 5 * n + 0.7 * d->nentry + 0.75 * square + (plain ? 0.3 * updates : 0.24 * square * n / 3);
    if (d->orthogonal) /* QR with column exchanges, then T Z */
        factor += 1000 + 2 * square * n;
    return factor + nrhs * (12 * n + 0.2 * square);
}

const bl_linsol_kind bl_linsol_dense = {
    .kind = {.name = "dense",
             .help = "full matrix, partial pivoting; minimum norm by orthogonal decomposition",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED},
    .create = dense_create,
    .analyse = dense_analyse,
    .factor = dense_factor,
    .refactor = dense_refactor,
    .solve = dense_solve,
    .destroy = dense_destroy,
    .cost = dense_cost,
};
