/* Inverse of a small matrix, by Gauss-Jordan elimination with partial pivoting (Golub and Van Loan, Matrix Computations, section 3.4, with
 * elimination above the diagonal too): a solution is a product, without the chain of dependent operations of triangular substitution, and
 * new pivots cost no more than kept ones. Worthwhile if one matrix serves many right-hand sides. */
#include "dense/dense.h"
#include "linsol/direct_solver.h"
#include "linsol/inverse_isa.h"
#include "linsol/linsol_limits.h"

#include <math.h>
#include <string.h>

typedef struct inverse {
    bl_direct direct; /* must be first: the shell knows only this */
    const bl_inverse_kernels *kernels;
    size_t room;        /* n, padded */
    bl_index *order;    /* [rank] columns in order of elimination, short ones first */
    bl_index *row_in;   /* [rank] kept row in row i of a: that of the pivot of column i in the last factorization */
    bl_index *position; /* [rank] row of a of each kept row */
    double *a;          /* [rank][room] scaled matrix, then its inverse */
    double *X;          /* [n][room] columns of the inverse of the full matrix */
    double *x, *y, *b;  /* [room] each; x is zero beyond n */
    double *factor;     /* [2 room] */
    double *unscaled;   /* [nnz] values of the matrix, for refinement */
    bool refine;
    long updates; /* column updates in the last factorization */
} inverse;

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    (void)ordering; /* the inverse is full in every order */
    inverse *s = solver->own;
    size_t n = (size_t)pattern->ncol, room = s->room = bl_dense_room(n);
    s->kernels = BL_ISA_PICK(solver->ctx, bl_inverse_kernels);
    solver->stats.fill = (int64_t)(n * n);
    BL_TRY(bl_direct_analyze(solver, pattern, NULL, deficient, rank_tolerance));
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->a, n * room), BL_ARRAY(s->X, (n + BL_DENSE_COLUMNS) * room),
                         BL_ARRAY(s->x, room), BL_ARRAY(s->y, room), BL_ARRAY(s->b, room), BL_ARRAY(s->factor, 2 * room),
                         BL_ARRAY(s->unscaled, pattern->ptr[n]), BL_ARRAY(s->order, n), BL_ARRAY(s->row_in, n), BL_ARRAY(s->position, n));
}

/* ---- elimination */

/* columns in order of their lengths; pivots are not known yet */
static void plan(inverse *s) {
    const bl_direct *d = &s->direct;
    bl_index done = 0, longest = 0;
    for (bl_index c = 0; c < d->n; c++) {
        bl_index length = d->ptr[c + 1] - d->ptr[c];
        s->row_in[c] = s->position[c] = c;
        longest = length > longest ? length : longest;
    }
    for (bl_index length = 0; length <= longest; length++)
        for (bl_index c = 0; c < d->n; c++)
            if (d->ptr[c + 1] - d->ptr[c] == length)
                s->order[done++] = c;
}

/* permutes the columns back and undoes the scales; zeros for dropped rows and columns */
static void spread(inverse *s) {
    const bl_kept *kept = &s->direct.kept;
    size_t n = (size_t)kept->n, rank = (size_t)kept->rank, room = s->room;
    if (rank < n)
        memset(s->X, 0, n * room * sizeof(double));
    double *col_scale = s->factor;
    memset(col_scale + rank, 0, (room - rank) * sizeof *col_scale);
    for (size_t j = 0; j < rank; j++)
        col_scale[j] = kept->col_scale[kept->col[j]];
    for (size_t k = 0; k < rank; k++) {
        size_t row = (size_t)kept->row[s->row_in[k]];
        double *from = s->a + room * k, *to = s->X + room * row, *scaled = rank < n ? from : to, row_scale = kept->row_scale[row];
        s->kernels->scale(room, from, col_scale, row_scale, scaled);
        for (size_t j = 0; j < rank && rank < n; j++)
            to[kept->col[j]] = from[j];
    }
}

static void eliminate(inverse *s, const double *values, double *ratio) {
    const bl_direct *d = &s->direct;
    size_t n = (size_t)d->n;
    memset(s->a, 0, n * s->room * sizeof *s->a);
    for (size_t c = 0; c < n; c++)
        for (bl_index k = d->ptr[c]; k < d->ptr[c + 1]; k++)
            s->a[c * s->room + (size_t)s->position[d->idx[k]]] = values[d->from[k]] * d->scale[k];
    bl_inverse_pivots pivots;
    bool done = s->kernels->invert(n, s->room, s->a, s->factor, s->order, s->row_in, &pivots);
    *ratio = done ? pivots.least / pivots.most : 0;
    s->updates = pivots.updates;
    for (size_t k = 0; k < n; k++)
        s->position[s->row_in[k]] = (bl_index)k;
    if (*ratio > 0)
        spread(s);
    s->refine = *ratio < linsol_refine_inverse;
    if (s->refine)
        memcpy(s->unscaled, values, (size_t)d->pattern->ptr[d->kept.n] * sizeof *values);
}

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    plan(solver->own);
    eliminate(solver->own, values, ratio);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    const bl_direct *d = solver->own;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, d->pattern->ptr[d->kept.n], values));
    eliminate(solver->own, values, ratio);
    return BL_OK;
}

/* ---- solution */

/* y += X (b - A y): the residual is then as small as that of a triangular solution */
static void refine_solution(inverse *s, bool transposed, const double *b) {
    const bl_pattern *p = s->direct.pattern;
    size_t n = (size_t)p->ncol;
    memcpy(s->x, b, n * sizeof *b);
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            bl_index i = p->idx[k];
            s->x[transposed ? j : i] -= s->unscaled[k] * s->y[transposed ? i : j];
        }
    (transposed ? bl_dense_multiply_transposed : bl_dense_multiply)(s->direct.kept.ctx, n, s->room, s->X, s->x, s->b);
    for (size_t i = 0; i < n; i++)
        s->y[i] += s->b[i];
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    inverse *s = solver->own;
    size_t n = (size_t)s->direct.kept.n;
    for (bl_index c = 0; c < nrhs; c++, x += n) {
        memcpy(s->x, x, n * sizeof *x);
        (transposed ? bl_dense_multiply_transposed : bl_dense_multiply)(s->direct.kept.ctx, n, s->room, s->X, s->x, s->y);
        if (s->refine)
            refine_solution(s, transposed, x);
        memcpy(x, s->y, n * sizeof *x);
    }
    return BL_OK;
}

/* Constants fitted to the scenes (bench/README.md): within a factor 1.4 */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const inverse *s = solver->own;
    double n = s->direct.n, entries = s->direct.ptr[s->direct.n], room = (double)s->room;
    double factor = 20 + 0.7 * entries + n * (5 + room) + (double)s->updates * (2 + 0.1 * room);
    return factor + nrhs * (12 + n * (0.2 + 0.07 * room));
}

static const double *columns(const bl_linsol *solver) {
    const inverse *s = solver->own;
    return s->refine ? NULL : s->X;
}

static const bl_direct_slots slots = {.wants = BL_DIRECT_TABLES, .factor = factor, .refactor = refactor};

const bl_linsol_kind bl_linsol_inverse = {
    .kind = {.name = "inverse",
             .help = "inverse of a full matrix; for small ones with many right-hand sides",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(inverse),
    .slots = &slots,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = solve,
    .cost = cost,
    .inverse = columns,
};
