/* Dense solver: P R A C = L U with partial pivoting, on the kept rows and columns if the matrix is rank-deficient;
 * minimum norm by complete orthogonal decomposition A P = Q [T 0; 0 0] Z, so that x = P Z^T [T^-1 0; 0 0] Q^T b.
 * Golub and Van Loan, Matrix Computations, sections 3.4 and 5.5. The plain loop skips zeros, which is faster than LAPACK for matrices from
 * sparse patterns; LAPACK is used for large full ones. */
#include "dense/dense.h"
#include "linsol/direct_solver.h"

#include <math.h>
#include <string.h>

enum { ALWAYS_PLAIN = 32, BLOCK = 32 };

typedef struct dense {
    bl_direct direct;          /* must be first: the shell knows only this */
    double *lu, *scratch;      /* [n*n] each; scratch: rank, then the orthogonal decomposition */
    bl_index *swap;            /* [n] row exchanged with row k, counted from 1 */
    bool orthogonal;           /* the last factorization is the orthogonal one, of rank kept.rank */
    bl_index *order;           /* [n] its column order, counted from 1 */
    double *tau_q, *tau_z, *y; /* [n] each */
    double *work;
    size_t nwork;
    double left_over; /* its first neglected diagonal entry, see decompose() */
} dense;

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    (void)ordering; /* the order is irrelevant for a dense matrix */
    dense *d = solver->own;
    size_t n = (size_t)pattern->ncol, orthogonal = deficient == BL_MIN_NORM ? n : 0;
    d->nwork = orthogonal ? 2 * n + (n + 1) * BLOCK : 0;
    solver->stats.fill = (int64_t)(n * n);
    BL_TRY(bl_direct_analyze(solver, pattern, NULL, deficient, rank_tolerance));
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, d->direct.own, BL_ARRAY(d->lu, n * n), BL_ARRAY(d->scratch, n * n), BL_ARRAY(d->swap, n),
                         BL_ARRAY(d->tau_q, orthogonal), BL_ARRAY(d->tau_z, orthogonal), BL_ARRAY(d->y, orthogonal),
                         BL_ARRAY(d->work, d->nwork), BL_ARRAY(d->order, orthogonal)));
    d->direct.full_matrix = d->scratch;
    return BL_OK;
}

/* ---- elimination */

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
            return; /* zero or NaN: detected by the ratio of pivots */
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

static bool is_plain(const dense *d) {
    bl_index n = d->direct.n;
    return n <= ALWAYS_PLAIN || (size_t)d->direct.ptr[n] * 4 < (size_t)n * (size_t)n;
}

static double eliminate(dense *d) {
    const bl_direct *part = &d->direct;
    bl_index n = part->n;
    size_t stride = (size_t)n;
    memset(d->lu, 0, stride * stride * sizeof *d->lu);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = part->ptr[j]; k < part->ptr[j + 1]; k++)
            d->lu[(size_t)part->idx[k] + stride * (size_t)j] = part->values[k];
    if (is_plain(d))
        eliminate_plain(n, d->lu, d->swap);
    else
        bl_dense_lu(n, d->lu, d->swap);
    return bl_direct_ratio(n, d->lu, stride + 1);
}

/* lu x = b for the kept part, in place */
static void substitute(const dense *d, bool transposed, double *x) {
    bl_index n = d->direct.n;
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

/* ---- orthogonal decomposition of the full, unscaled matrix: the norm is that of the unscaled unknowns */

/* Returns |R_rr| / |R_11|, the pivots of the kept part; left_over: |R_r+1,r+1| / |R_11|, negligible as long as the rank is right */
static double decompose(dense *d, const double *values) {
    const bl_pattern *p = d->direct.pattern;
    bl_index n = p->ncol, rank = d->direct.n;
    size_t stride = (size_t)n;
    double *a = d->scratch;
    memset(a, 0, stride * stride * sizeof *a);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            a[(size_t)p->idx[k] + stride * (size_t)j] = values[k];
    memset(d->order, 0, stride * sizeof *d->order);
    bl_dense_qr_pivoted(n, n, a, d->order, d->tau_q, d->work, d->nwork);
    double first = n ? fabs(a[0]) : 0;
    d->left_over = rank < n && first > 0 ? fabs(a[(size_t)rank * (stride + 1)]) / first : 0;
    double kept = rank > 0 ? fabs(a[(size_t)(rank - 1) * (stride + 1)]) / first : 1;
    if (rank > 0 && rank < n)
        bl_dense_rz(rank, n, a, d->tau_z, d->work, d->nwork);
    return kept;
}

/* one right-hand side of length n in place */
static void solve_orthogonal(dense *d, bool transposed, double *x) {
    bl_index n = d->direct.kept.n, rank = d->direct.n;
    const double *a = d->scratch;
    double *y = d->y;
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

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    dense *d = solver->own;
    d->orthogonal = d->direct.n < d->direct.kept.n && d->direct.deficient == BL_MIN_NORM;
    *ratio = d->orthogonal ? decompose(d, values) : eliminate(d);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    dense *d = solver->own;
    BL_TRY(bl_direct_load(solver, values));
    *ratio = d->orthogonal ? decompose(d, values) : eliminate(d);
    return BL_OK;
}

static bl_status solve_kept(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    const dense *d = solver->own;
    for (bl_index c = 0; c < nrhs; c++, x += d->direct.n)
        substitute(d, transposed, x);
    return BL_OK;
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    dense *d = solver->own;
    if (!d->orthogonal)
        return bl_direct_solve(solver, transposed, nrhs, x);
    for (bl_index c = 0; c < nrhs; c++, x += d->direct.kept.n)
        solve_orthogonal(d, transposed, x);
    return BL_OK;
}

static bool dependent(bl_linsol *solver, const double *values, double limit) {
    const dense *d = solver->own;
    return d->orthogonal ? d->left_over <= limit : bl_kept_dependent(&d->direct.kept, d->direct.pattern, values, limit, solver, solve);
}

/* Constants fitted to the scenes and to random matrices (bench/README.md): within a factor 2 */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const dense *d = solver->own;
    bl_index n = d->direct.n;
    double updates = 0, square = (double)n * n, entries = d->direct.ptr[n];
    for (bl_index j = 0; j < n; j++) /* a column is updated for every entry above its diagonal */
        for (bl_index k = 0; k < j; k++)
            updates += d->lu[(size_t)k + (size_t)j * (size_t)n] != 0 ? n - k - 1 : 0;
    double factor = 9 + 5 * n + 0.7 * entries + 0.75 * square + (is_plain(d) ? 0.3 * updates : 0.24 * square * n / 3);
    if (d->orthogonal) /* QR with column exchanges, then T Z */
        factor += 1000 + 2 * square * n;
    return factor + nrhs * (12 * n + 0.2 * square);
}

static const bl_direct_slots slots = {
    .wants = BL_DIRECT_TABLES, .factor = factor, .refactor = refactor, .solve = solve_kept, .dependent = dependent};

const bl_linsol_kind bl_linsol_dense = {
    .kind = {.name = "dense",
             .help = "full matrix, partial pivoting; minimum norm by orthogonal decomposition",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED},
    .size = sizeof(dense),
    .slots = &slots,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = solve,
    .cost = cost,
};
