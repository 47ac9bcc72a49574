/* Band solver: rows and columns by reverse Cuthill-McKee, LU with partial pivoting inside the band, which row exchanges widen by the number
 * of rows below the diagonal (Golub and Van Loan, Matrix Computations, section 4.3). For chains, bars and beams: a plain loop for narrow
 * bands, where calls of LAPACK cost more than the arithmetic; LAPACK for wide ones. Pivots are chosen in every factorization. Symmetric
 * positive definite matrices with up to four entries beside the diagonal need no pivoting and are solved by segments (segments.h). */
#include "linsol/direct_solver.h"
#include "linsol/linsol_limits.h"
#include "linsol/segments.h"

#include "dense/dense.h"
#include "order/order.h"

#include <math.h>
#include <string.h>

enum { NARROW = 16 }; /* rows below the diagonal up to which the plain loop is faster than LAPACK's blocks */

typedef struct band {
    bl_direct direct;      /* must be first: the shell knows only this */
    bl_index *order;       /* [kept.n] row and column at a position of the band */
    bl_index *position;    /* [kept.n] its inverse */
    bl_index *pivot;       /* [kept.n] row exchanged with row k, counted from 1 */
    bl_index below, above; /* entries beside the diagonal, before exchanges */
    bl_index height;       /* of a column of a: 2 below + above + 1 */
    double *a, *x;         /* entry (i, j) at a[j height + below + above + i - j]; [kept.n] */
    size_t room;           /* of a */
    bl_segments segments;  /* of a narrow band; n is 0: not used */
    bool by_segments;      /* the last values were factored by segments */
} band;

static void release(bl_linsol *solver) {
    band *s = solver->own;
    bl_free(solver->ctx, s->a);
    bl_segments_free(&s->segments);
    s->a = NULL;
    s->room = 0;
    s->by_segments = false;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    band *s = solver->own;
    bl_index n = pattern->ncol;
    BL_TRY(bl_direct_analyze(solver, pattern, ordering, deficient, rank_tolerance));
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->x, n), BL_ARRAY(s->order, n), BL_ARRAY(s->position, n),
                         BL_ARRAY(s->pivot, n));
}

/* ---- layout */

static bl_status lay_out(bl_linsol *solver) {
    band *s = solver->own;
    const bl_direct *p = &s->direct;
    BL_TRY(bl_direct_order(solver, "rcm", s->order));
    for (bl_index k = 0; k < p->n; k++)
        s->position[s->order[k]] = k;
    s->below = s->above = 0;
    for (bl_index j = 0; j < p->n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index offset = s->position[p->idx[k]] - s->position[j];
            s->below = offset > s->below ? offset : s->below;
            s->above = -offset > s->above ? -offset : s->above;
        }
    s->by_segments = false;
    bl_segments_free(&s->segments);
    if (s->below == s->above && bl_segments_suit(p->n, s->below))
        BL_TRY(bl_segments_analyze(solver->ctx, p->n, p->ptr, p->idx, s->position, s->below, &s->segments));
    return BL_OK;
}

static double entries(const band *s) { return (double)s->direct.n * (2.0 * s->below + s->above + 1); }

static bl_status reserve(bl_linsol *solver) {
    band *s = solver->own;
    if (entries(s) > linsol_band_entries) {
        bl_fail(solver->ctx, BL_E_ABILITY, NULL,
                "band: order %d with %d entries below and %d above the diagonal needs %.3g numbers; the limit is %.3g", s->direct.n,
                s->below, s->above, entries(s), linsol_band_entries);
        bl_advise(solver->ctx, "choose the linear solver klu or auto");
        return BL_E_ABILITY;
    }
    s->height = 2 * s->below + s->above + 1;
    size_t need = (size_t)s->height * (size_t)s->direct.n;
    if (need <= s->room && s->a)
        return BL_OK;
    bl_free(solver->ctx, s->a);
    s->room = 0;
    BL_TRY(BL_NEW(solver->ctx, s->a, need));
    s->room = need;
    return BL_OK;
}

/* ---- elimination */

/* as bl_dense_lu_band */
static void eliminate(bl_index n, bl_index below, bl_index above, double *a, bl_index *pivot) {
    bl_index height = 2 * below + above + 1, diagonal = below + above, reach = 0; /* reach: last column that exchanges have touched */
    size_t across = (size_t)height - 1;                                           /* from (i, j) to (i, j + 1) */
    for (bl_index k = 0; k < n; k++) {
        double *column = a + (size_t)k * (size_t)height + diagonal, most = fabs(column[0]);
        bl_index rows = below < n - 1 - k ? below : n - 1 - k, r = 0;
        for (bl_index i = 1; i <= rows; i++)
            if (fabs(column[i]) > most) {
                most = fabs(column[i]);
                r = i;
            }
        pivot[k] = k + r + 1;
        bl_index last = k + above + r < n - 1 ? k + above + r : n - 1;
        reach = last > reach ? last : reach;
        if (!(most > 0))
            continue; /* zero or NaN: detected by the ratio of pivots */
        if (r)
            for (double *x = column, *y = column + r, *end = column + (size_t)(reach - k) * across; x <= end; x += across, y += across) {
                double keep = *x;
                *x = *y;
                *y = keep;
            }
        double inverse = 1 / column[0];
        for (bl_index i = 1; i <= rows; i++)
            column[i] *= inverse;
        double *target = column + across;
        for (bl_index j = k + 1; j <= reach; j++, target += across) {
            double factor = target[0];
            for (bl_index i = 1; i <= rows && factor != 0; i++)
                target[i] -= column[i] * factor;
        }
    }
}

static void factor_band(bl_linsol *solver, double *ratio) {
    band *s = solver->own;
    const bl_direct *p = &s->direct;
    if (s->segments.n > 0) {
        *ratio = bl_segments_factor(&s->segments, p->values);
        s->by_segments = *ratio > 0;
        if (s->by_segments)
            return;
    }
    size_t height = (size_t)s->height;
    bl_index diagonal = s->below + s->above;
    memset(s->a, 0, height * (size_t)p->n * sizeof *s->a);
    for (bl_index j = 0; j < p->n; j++) {
        bl_index at = s->position[j];
        double *column = s->a + height * (size_t)at + diagonal;
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            column[s->position[p->idx[k]] - at] = p->values[k];
    }
    if (s->below <= NARROW)
        eliminate(p->n, s->below, s->above, s->a, s->pivot);
    else
        bl_dense_lu_band(p->n, s->below, s->above, s->a, s->pivot);
    *ratio = bl_direct_ratio(p->n, s->a + diagonal, height);
}

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    band *s = solver->own;
    (void)values; /* scaled in direct.values */
    if (s->direct.changed)
        BL_TRY(lay_out(solver));
    BL_TRY(reserve(solver));
    solver->stats.fill = (int64_t)entries(s);
    factor_band(solver, ratio);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    BL_TRY(bl_direct_load(solver, values));
    factor_band(solver, ratio);
    return BL_OK;
}

/* ---- solution */

static void swap(double *x, bl_index k, bl_index r) {
    double keep = x[k];
    x[k] = x[r];
    x[r] = keep;
}

static void solve_plain(const band *s, double *x) {
    bl_index n = s->direct.n, above = s->below + s->above;
    const double *column = s->a + above;
    for (bl_index k = 0; k < n; k++, column += s->height) {
        bl_index rows = s->below < n - 1 - k ? s->below : n - 1 - k;
        swap(x, k, s->pivot[k] - 1);
        double value = x[k];
        for (bl_index i = 1; i <= rows; i++)
            x[k + i] -= column[i] * value;
    }
    for (bl_index k = n - 1; k >= 0; k--) {
        column -= s->height;
        double value = x[k] /= column[0];
        for (bl_index i = 1, rows = above < k ? above : k; i <= rows; i++)
            x[k - i] -= column[-i] * value;
    }
}

static void solve_transposed(const band *s, double *x) {
    bl_index n = s->direct.n, above = s->below + s->above;
    const double *column = s->a + above;
    for (bl_index k = 0; k < n; k++, column += s->height) {
        double sum = x[k];
        for (bl_index i = 1, rows = above < k ? above : k; i <= rows; i++)
            sum -= column[-i] * x[k - i];
        x[k] = sum / column[0];
    }
    for (bl_index k = n - 1; k >= 0; k--) {
        column -= s->height;
        bl_index rows = s->below < n - 1 - k ? s->below : n - 1 - k;
        double sum = x[k];
        for (bl_index i = 1; i <= rows; i++)
            sum -= column[i] * x[k + i];
        x[k] = sum;
        swap(x, k, s->pivot[k] - 1);
    }
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    band *s = solver->own;
    bl_index n = s->direct.n;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        if (s->by_segments) {
            bl_segments_solve(&s->segments, NULL, NULL, x);
            continue;
        }
        for (bl_index k = 0; k < n; k++)
            s->x[k] = x[s->order[k]];
        if (transposed)
            solve_transposed(s, s->x);
        else
            solve_plain(s, s->x);
        for (bl_index k = 0; k < n; k++)
            x[s->order[k]] = s->x[k];
    }
    return BL_OK;
}

static const bl_direct_slots slots = {
    .wants = BL_DIRECT_TABLES | BL_DIRECT_TRANSVERSAL, .factor = factor, .refactor = refactor, .solve = solve, .release = release};

/* ---- the slots */

/* segments permute right-hand sides themselves */
static bl_status solve_all(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    band *s = solver->own;
    const bl_kept *kept = &s->direct.kept;
    if (!s->by_segments || kept->rank < kept->n)
        return bl_direct_solve(solver, transposed, nrhs, x);
    for (bl_index c = 0; c < nrhs; c++, x += kept->n)
        bl_segments_solve(&s->segments, transposed ? kept->col_scale : kept->row_scale, transposed ? kept->row_scale : kept->col_scale, x);
    return BL_OK;
}

/* Constants fitted to bands of 1 to 400 (bench/README.md); those of segments relative to klu, which takes twice as long for the same bands
 * because its operations form one long chain */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const band *s = solver->own;
    double n = s->direct.n, below = s->below, width = below + s->above, nnz = s->direct.ptr[s->direct.n];
    if (s->by_segments)
        return 300 + n * (2 + 3 * below * below) + nrhs * (100 + n * (0.8 + 0.35 * below));
    double per_product = below <= NARROW ? 0.35 : 0.15; /* ns per product; row exchanges would double it in the worst case */
    return 50 + 2 * nnz + n * (12 + 2 * below + 0.3 * (width + below) + per_product * below * width) +
           nrhs * n * (14 + 0.35 * (width + below));
}

static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    bool ready;
    *nanoseconds = INFINITY;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    if (!ready)
        return BL_OK;
    BL_TRY(lay_out(solver));
    band *s = solver->own;
    s->by_segments = s->segments.n > 0 && bl_segments_factor(&s->segments, s->direct.values) > 0;
    if (entries(solver->own) <= linsol_band_entries)
        *nanoseconds = cost(solver, nrhs);
    return BL_OK;
}

const bl_linsol_kind bl_linsol_band = {
    .kind = {.name = "band",
             .help = "LU of a band after reverse Cuthill-McKee, partial pivoting, or L D L^T by segments; for chains, bars and beams",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(band),
    .slots = &slots,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = solve_all,
    .cost = cost,
    .forecast = forecast,
};
