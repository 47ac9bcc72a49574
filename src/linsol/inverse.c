/* Inverse of a small matrix, by Gauss and Jordan with partial pivoting (Golub and Van Loan, Matrix Computations, section 3.4, with
 * elimination above the diagonal too): a solution is a product, without the chain of divisions and substitutions that a triangular
 * one waits for, and new pivots cost what old ones do. It pays where one matrix serves many right-hand sides. */
#include "dense/dense.h"
#include "linsol/inverse_isa.h"
#include "linsol/kept.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

static const double REFINED = 1e-2; /* pivots below this share of the largest: what the inverse leaves unmet is felt */

typedef struct inverse {
    const bl_inverse_kernels *kernels;
    bl_kept kept;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    size_t room;           /* n, padded */
    bl_index nentry;       /* entries of kept rows and columns */
    bl_index *from;        /* [nnz] place in the values */
    bl_index *row, *first; /* [nnz] kept row; where its column starts in a */
    double *by;            /* [nnz] scale */
    bl_index *order;       /* [rank] columns as they are eliminated, short ones first */
    bl_index *row_in;      /* [rank] kept row in row i of a: that of the pivot of column i, at least of the last time */
    bl_index *length;      /* [rank] of the columns */
    bl_index *place;       /* [rank] row of a of each kept row */
    double *a;             /* [rank][room] scaled matrix, then its inverse */
    double *X;             /* [n][room] columns of the inverse of the whole matrix */
    double *x, *y, *b;     /* [room] each; x stays zero behind n */
    double *values;        /* [nnz] of the matrix, where solutions are refined */
    bool refine;
    double *factor;     /* [2 room] */
    long updates;       /* of columns in the last factorisation */
    double pivot_ratio; /* at the last factor */
} inverse;

static void release(bl_linsol *solver) {
    inverse *s = solver->own;
    void *blocks[] = {s->from, s->by, s->a, s->order};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        bl_free(solver->ctx, blocks[i]);
    bl_kept_destroy(&s->kept);
    memset(s, 0, sizeof *s);
}

static void destroy(bl_linsol *solver) {
    if (!solver->own)
        return;
    release(solver);
    bl_free(solver->ctx, solver->own);
}

static bl_status create(bl_linsol *solver, const char *options) {
    bl_value values[BL_MAX_PARAMS];
    bl_arena arena = {.ctx = solver->ctx};
    bl_status status = bl_kind_options(solver->ctx, &arena, &solver->kind->kind, options, values);
    bl_arena_destroy(&arena);
    BL_TRY(status);
    inverse *s;
    BL_TRY(BL_NEW(solver->ctx, s, 1));
    solver->own = s;
    return BL_OK;
}

static bl_status analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    (void)ordering; /* the inverse is full in every order */
    bl_context *ctx = solver->ctx;
    inverse *s = solver->own;
    BL_TRY(bl_linsol_check(solver, pattern, deficient, rank_tolerance));
    release(solver);
    size_t n = (size_t)pattern->ncol, nnz = (size_t)pattern->ptr[n];
    s->room = bl_dense_room(n);
    s->kernels = BL_ISA_PICK(ctx, bl_inverse_kernels);
    s->pattern = pattern;
    s->deficient = deficient;
    s->tolerance = rank_tolerance;
    BL_TRY(bl_kept_create(ctx, pattern->ncol, &s->kept));
    BL_TRY(BL_NEW(ctx, s->from, 3 * nnz));
    s->row = s->from + nnz;
    s->first = s->row + nnz;
    BL_TRY(BL_NEW(ctx, s->by, 2 * nnz));
    s->values = s->by + nnz;
    BL_TRY(BL_NEW(ctx, s->order, 4 * n));
    s->row_in = s->order + n;
    s->place = s->row_in + n;
    s->length = s->place + n;
    BL_TRY(BL_NEW(ctx, s->a, (2 * n + BL_DENSE_COLUMNS + 5) * s->room));
    s->X = s->a + n * s->room;
    s->x = s->X + (n + BL_DENSE_COLUMNS) * s->room;
    s->y = s->x + s->room;
    s->b = s->y + s->room;
    s->factor = s->b + s->room;
    solver->stats.fill = (int64_t)(n * n);
    return BL_OK;
}

/* ---- elimination */

/* tables that bring the kept entries to their places in a; pivots are not known */
static void plan(inverse *s) {
    const bl_kept *kept = &s->kept;
    const bl_pattern *p = s->pattern;
    bl_index done = 0, longest = 0;
    s->nentry = 0;
    for (bl_index c = 0; c < kept->rank; c++) {
        bl_index j = kept->col[c], before = s->nentry;
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index i = p->idx[k], row = kept->row_at[i];
            if (row < 0)
                continue;
            s->from[s->nentry] = k;
            s->row[s->nentry] = row;
            s->first[s->nentry] = c * (bl_index)s->room;
            s->by[s->nentry++] = kept->row_scale[i] * kept->col_scale[j];
        }
        s->row_in[c] = s->place[c] = c;
        s->length[c] = s->nentry - before;
        longest = s->length[c] > longest ? s->length[c] : longest;
    }
    for (bl_index length = 0; length <= longest; length++)
        for (bl_index c = 0; c < kept->rank; c++)
            if (s->length[c] == length)
                s->order[done++] = c;
}

/* columns to their rows, scales undone; zeros for what was dropped */
static void spread(inverse *s) {
    const bl_kept *kept = &s->kept;
    size_t n = (size_t)kept->n, rank = (size_t)kept->rank, room = s->room;
    if (rank < n)
        memset(s->X, 0, n * room * sizeof(double));
    double *by = s->factor;
    memset(by + rank, 0, (room - rank) * sizeof *by);
    for (size_t j = 0; j < rank; j++)
        by[j] = kept->col_scale[kept->col[j]];
    for (size_t k = 0; k < rank; k++) {
        size_t row = (size_t)kept->row[s->row_in[k]];
        double *from = s->a + room * k, *to = s->X + room * row, *scaled = rank < n ? from : to, row_scale = kept->row_scale[row];
        s->kernels->scale(room, from, by, row_scale, scaled);
        for (size_t j = 0; j < rank && rank < n; j++)
            to[kept->col[j]] = from[j];
    }
}

static double eliminate(inverse *s, const double *values) {
    size_t n = (size_t)s->kept.rank;
    memset(s->a, 0, n * s->room * sizeof *s->a);
    for (bl_index k = 0; k < s->nentry; k++)
        s->a[s->first[k] + s->place[s->row[k]]] = values[s->from[k]] * s->by[k];
    bl_inverse_pivots pivots;
    bool done = s->kernels->invert(n, s->room, s->a, s->factor, s->order, s->row_in, &pivots);
    double ratio = done ? pivots.least / pivots.most : 0;
    s->updates = pivots.updates;
    for (size_t k = 0; k < n; k++)
        s->place[s->row_in[k]] = (bl_index)k;
    if (ratio > 0)
        spread(s);
    s->refine = ratio < REFINED;
    if (s->refine)
        memcpy(s->values, values, (size_t)s->pattern->ptr[s->kept.n] * sizeof *values);
    return ratio;
}

/* y += X (b - A y), which leaves as little of b unmet as a triangular solution does */
static void improve(inverse *s, bool transposed, const double *b) {
    const bl_kept *kept = &s->kept;
    const bl_pattern *p = s->pattern;
    size_t n = (size_t)kept->n;
    memcpy(s->x, b, n * sizeof *b);
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index i = p->idx[k];
            s->x[transposed ? j : i] -= s->values[k] * s->y[transposed ? i : j];
        }
    (transposed ? bl_dense_multiply_transposed : bl_dense_multiply)(s->kept.ctx, n, s->room, s->X, s->x, s->b);
    for (size_t i = 0; i < n; i++)
        s->y[i] += s->b[i];
}

/* ---- the slots */

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    inverse *s = solver->own;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "inverse: solve without a factorisation");
    size_t n = (size_t)s->kept.n;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        memcpy(s->x, x, n * sizeof *x);
        (transposed ? bl_dense_multiply_transposed : bl_dense_multiply)(s->kept.ctx, n, s->room, s->X, s->x, s->y);
        if (s->refine)
            improve(s, transposed, x);
        memcpy(x, s->y, n * sizeof *x);
    }
    solver->stats.solves += nrhs;
    return BL_OK;
}

static bl_status factor(bl_linsol *solver, const double *values) {
    inverse *s = solver->own;
    bl_kept *kept = &s->kept;
    solver->factored = false;
    solver->stats.factors++;
    BL_TRY(bl_kept_scale(kept, solver->forgets, s->pattern, values));
    bl_kept_all(kept);
    plan(s);
    s->pivot_ratio = eliminate(s, values);
    solver->stats.worst_pivot = s->pivot_ratio;
    if (s->pivot_ratio < sqrt(s->tolerance) || s->pivot_ratio == 0)
        BL_TRY(bl_kept_search(kept, s->pattern, values, s->tolerance, s->pivot_ratio, s->deficient == BL_REFUSE));
    BL_TRY(bl_kept_report(kept, &solver->stats, s->deficient == BL_REFUSE));
    if (kept->rank < kept->n) {
        plan(s);
        s->pivot_ratio = eliminate(s, values);
    }
    solver->stats.worst_pivot = s->pivot_ratio;
    if (!(s->pivot_ratio > 0))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "inverse: no pivots in a matrix of order %d and rank %d", kept->n, kept->rank);
    solver->factored = true;
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values) {
    inverse *s = solver->own;
    const bl_kept *kept = &s->kept;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "inverse: refactor without a factorisation");
    solver->stats.refactors++;
    solver->factored = false;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, s->pattern->ptr[kept->n], values));
    double pivots = eliminate(s, values);
    solver->stats.worst_pivot = pivots;
    if (!(pivots > BL_LINSOL_DECAY * s->pivot_ratio))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "inverse: pivots decayed to %.1e of the largest", pivots);
    solver->factored = true;
    if (!bl_kept_still(kept, s->pattern, values, sqrt(s->tolerance), solver, solve)) {
        solver->factored = false;
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "inverse: rows that were dependent are no longer");
    }
    return BL_OK;
}

/* Constants fitted to the scenes (bench/README.md): within a factor 1.4 */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const inverse *s = solver->own;
    double n = s->kept.rank, room = (double)s->room;
    double factor = 20 + 0.7 * s->nentry + n * (5 + room) + (double)s->updates * (2 + 0.1 * room);
    return factor + nrhs * (12 + n * (0.2 + 0.07 * room));
}

static const double *columns(const bl_linsol *solver) {
    const inverse *s = solver->own;
    return solver->factored && !s->refine ? s->X : NULL;
}

const bl_linsol_kind bl_linsol_inverse = {
    .kind = {.name = "inverse",
             .help = "inverse of a full matrix; for small ones with many right-hand sides",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .create = create,
    .analyse = analyse,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
    .inverse = columns,
};
