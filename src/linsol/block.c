/* Solver for the bordered block triangular form of mechanisms: 1-2-3 blocks on the diagonal, a border that loop closures need
 * (docs/theory/orderings.md). The pattern is ordered once; each factorization decides anew which blocks are nearly singular and delays them
 * to the border, so pivots never decay. Kernels: block_kernel.c. */
#include "linsol/block.h"

#include "linsol/linsol_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_ORDERED = 4000 }; /* rows of one part: the search for its border grows with the square */

static const bl_param params[] = {
    {"delay", BL_P_NUMBER, BL_POSITIVE, 1e-2, NULL, NULL, "pivot of the scaled matrix below which a part of a diagonal block is delayed"},
    {"ordering", BL_P_TEXT, 0, 0, NULL, NULL, "block ordering if the caller gives none; default nested"},
    {"merge", BL_P_FLAG, 0, 0, NULL, NULL, "merge a nearly singular block with the next one until it is regular, instead of delaying it"},
    {0},
};

static void release(bl_linsol *solver) {
    bl_block *b = solver->own;
    bl_block_free_layout(solver);
    bl_ordering_free(solver->ctx, &b->given);
    b->laid_out = false;
}

static bl_status create(bl_linsol *solver, const bl_value *values) {
    bl_block *b = solver->own;
    b->delay = values[0].number;
    b->ordering = values[1].given ? values[1].text : "nested";
    b->merge = values[2].number != 0;
    return BL_OK;
}

/* ---- analysis */

static bl_status copy_list(bl_context *ctx, const bl_index *from, bl_index n, bl_index **to) {
    BL_TRY(BL_NEW(ctx, *to, n));
    memcpy(*to, from, (size_t)n * sizeof **to);
    return BL_OK;
}

static bl_status copy_ordering(bl_context *ctx, const bl_ordering *from, bl_ordering *to) {
    *to = (bl_ordering){.nrow = from->nrow, .ncol = from->ncol, .nblock = from->nblock, .npart = from->npart};
    BL_TRY(copy_list(ctx, from->row, from->nrow, &to->row));
    BL_TRY(copy_list(ctx, from->col, from->ncol, &to->col));
    BL_TRY(copy_list(ctx, from->block, from->nblock + 1, &to->block));
    if (from->npart) {
        BL_TRY(copy_list(ctx, from->part, from->npart + 1, &to->part));
        BL_TRY(copy_list(ctx, from->border_start, from->npart, &to->border_start));
    }
    return BL_OK;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    bl_block *b = solver->own;
    BL_TRY(bl_direct_analyze(solver, pattern, NULL, deficient, rank_tolerance));
    if (ordering && ordering->block) /* any other order says nothing about blocks */
        BL_TRY(copy_ordering(solver->ctx, ordering, &b->given));
    return BL_OK;
}

/* ---- values */

static bl_status load(bl_linsol *solver, const double *values) {
    bl_block *b = solver->own;
    double check[4] = {0, 0, 0, 0}; /* 0, or NaN for NaN and infinity; four chains, so that additions do not wait for each other */
    bl_index e = 0, nnz = b->ptr[b->n];
    for (; e + 4 <= nnz; e += 4)
        for (bl_index l = 0; l < 4; l++) {
            double value = values[b->from[e + l]] * b->scale[e + l];
            b->a[e + l] = value;
            check[l] += value - value;
        }
    for (; e < nnz; e++) {
        b->a[e] = values[b->from[e]] * b->scale[e];
        check[0] += b->a[e] - b->a[e];
    }
    if (check[0] + check[1] + check[2] + check[3] == 0)
        return BL_OK;
    BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, b->direct.pattern->ptr[b->direct.kept.n], values));
    return bl_fail(solver->ctx, BL_SINGULAR, NULL, "block: matrix entries overflow when they are scaled");
}

/* lower bound for the cost of borders with so many delayed columns, ns: the large terms of cost() */
static double border_cost(const bl_block *b, bl_index spare) {
    double sum = 0;
    for (bl_index k = 0; k < b->npart; k++) {
        const bl_block_part *part = &b->part[k];
        double inside = part->border_start - part->first, room = part->last - part->border_start + fmin(spare, inside);
        sum += part->room ? 0.49 * inside * room + 0.03 * room * room * room : 0;
    }
    return sum;
}

static bl_status numeric(bl_linsol *solver, const double *values, bool may_grow) {
    bl_block *b = solver->own;
    BL_TRY(load(solver, values));
    bl_status status;
    for (;;) {
        status = bl_block_numeric(b);
        if (status == BL_AGAIN && may_grow) {
            if (solver->budget > 0 && border_cost(b, b->spare) > solver->budget)
                return bl_fail(solver->ctx, BL_E_ABILITY, NULL,
                               "block: more than %d columns of nearly singular blocks; another solver is faster", b->spare);
            BL_TRY(bl_block_reserve(solver, 2 * b->spare + 1));
        } else if (status == BL_REJECTED && may_grow) { /* a nearly singular block, and merging is requested */
            status = bl_block_merge(solver, b->weak);
            if (status == BL_SINGULAR)
                b->merging = false; /* nothing left to merge with: other blocks are delayed */
            else
                BL_TRY(status);
            b->merged += status == BL_OK;
        } else if ((status == BL_OK || status == BL_SINGULAR) && b->growth > linsol_growth_block && b->pivot < linsol_pivot_most) {
            b->pivot = fmin(linsol_pivot_most, 8 * b->pivot); /* growth by many small pivots: require larger ones until the next factor */
        } else {
            break;
        }
    }
    solver->stats.worst_pivot = fmin(b->worst, b->schur_worst);
    solver->stats.delayed = b->delayed;
    return status;
}

/* r = rhs - A x, in block order */
static void residual(const bl_block *b, bool transposed, const double *rhs, const double *x, double *r) {
    memcpy(r, rhs, (size_t)b->n * sizeof *r);
    for (bl_index p = 0; p < b->n; p++)
        for (bl_index e = b->ptr[p]; e < b->ptr[p + 1]; e++) {
            if (transposed)
                r[b->at[e]] -= b->a[e] * x[p];
            else
                r[p] -= b->a[e] * x[b->at[e]];
        }
}

static bool needs_refinement(const bl_block *b) { return b->worst < b->refine_worst || b->growth > b->refine_growth; }

/* Is refinement needed? Solves without it for a solution of ones. If that is accurate, refinement is omitted until pivots or growth are
 * four times worse. */
static void test_refinement(bl_block *b) {
    bl_index n = b->n;
    double *x = b->x, *rhs = b->x + n, *r = b->r, error = 0, size = 0;
    b->refine_worst = linsol_refine_pivot;
    b->refine_growth = linsol_refine_growth;
    if (!needs_refinement(b))
        return;
    for (bl_index p = 0; p < n; p++) {
        double sum = 0;
        for (bl_index e = b->ptr[p]; e < b->ptr[p + 1]; e++)
            sum += b->a[e];
        x[p] = rhs[p] = sum;
    }
    bl_block_solve(b, x);
    residual(b, false, rhs, x, r);
    for (bl_index p = 0; p < n; p++) {
        error = fmax(error, fabs(r[p]));
        size = fmax(size, fabs(rhs[p]) + fabs(x[p])); /* entries of the scaled matrix are of size one */
    }
    if (error <= linsol_residual_small * size) {
        b->refine_worst = fmin(b->refine_worst, b->worst / 4);
        b->refine_growth = fmax(b->refine_growth, 4 * b->growth);
    }
}

/* one right-hand side of the full matrix, zeros for dropped unknowns */
static void solve_one(bl_block *b, bool transposed, double *x) {
    bl_index n = b->n;
    double *w = b->x, *rhs = b->x + n, *r = b->r;
    const bl_index *in = b->in[transposed], *out = b->out[transposed];
    for (bl_index p = 0; p < n; p++)
        w[p] = x[in[p]] * b->in_scale[transposed][p];
    if (needs_refinement(b))
        memcpy(rhs, w, (size_t)n * sizeof *w);
    (transposed ? bl_block_solve_transposed : bl_block_solve)(b, w);
    if (needs_refinement(b)) {
        residual(b, transposed, rhs, w, r);
        (transposed ? bl_block_solve_transposed : bl_block_solve)(b, r);
        for (bl_index p = 0; p < n; p++)
            w[p] += r[p];
    }
    for (bl_index p = 0; p < n; p++)
        x[out[p]] = w[p] * b->out_scale[transposed][p];
    const bl_index *dropped_unknown = (transposed ? b->direct.kept.row : b->direct.kept.col) + n;
    for (bl_index k = 0; k < b->direct.kept.n - n; k++)
        x[dropped_unknown[k]] = 0;
}

static bl_status solve_kept(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_block *b = solver->own;
    for (bl_index c = 0; c < nrhs; c++)
        solve_one(b, transposed, x + (size_t)c * (size_t)b->direct.kept.n);
    return BL_OK;
}

/* For minimum norm: orthonormal null vectors of A (of A^T): a dropped unknown is 1, the kept ones follow from the kept equations. */
static void null_vectors(bl_block *b, const double *values, bool transposed) {
    const bl_kept *kept = &b->direct.kept;
    const bl_pattern *p = b->direct.pattern;
    size_t n = (size_t)kept->n;
    const bl_index *lost = (transposed ? kept->row : kept->col) + kept->rank;
    for (bl_index k = 0; k < kept->n - kept->rank; k++) {
        double *x = b->null[transposed] + (size_t)k * n;
        memset(x, 0, n * sizeof *x);
        if (transposed) {
            for (bl_index j = 0; j < kept->n; j++)
                for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
                    if (p->idx[e] == lost[k])
                        x[j] = -values[e];
        } else {
            for (bl_index e = p->ptr[lost[k]]; e < p->ptr[lost[k] + 1]; e++)
                x[p->idx[e]] = -values[e];
        }
        solve_one(b, transposed, x);
        x[lost[k]] = 1;
        for (int twice = 0; twice < 2; twice++) {
            for (bl_index u = 0; u < k; u++) {
                const double *other = b->null[transposed] + (size_t)u * n;
                double dot = 0;
                for (size_t i = 0; i < n; i++)
                    dot += other[i] * x[i];
                for (size_t i = 0; i < n; i++)
                    x[i] -= dot * other[i];
            }
            double length = 0;
            for (size_t i = 0; i < n; i++)
                length += x[i] * x[i];
            for (size_t i = 0; i < n; i++)
                x[i] /= sqrt(length);
        }
    }
}

static void find_null_vectors(bl_block *b, const double *values) {
    for (int t = 0; b->direct.deficient == BL_MIN_NORM && b->n < b->direct.kept.n && t < 2; t++)
        null_vectors(b, values, t == 1);
}

/* ---- the slots */

/* A pivot below the tolerance gives a small ratio, and the shell determines the rank. After its decision the kept part is accepted with any
 * pivots. */
static bl_status factor_kept(bl_linsol *solver, const double *values, double *ratio) {
    bl_block *b = solver->own;
    double tolerance = b->direct.tolerance;
    bool dropped = b->direct.n < b->direct.kept.n;
    b->limit = dropped ? linsol_pivot_least : fmin(linsol_pivot_least, tolerance);
    b->direct.decay = 0; /* pivots are chosen in every factorization */
    if (!dropped) {
        b->pivot = b->delay;
        b->merging = b->merge;
        b->merged = 0;
    }
    if (!b->laid_out)
        BL_TRY(bl_block_lay_out(solver));
    b->laid_out = false;
    BL_TRY(bl_block_allocate(solver));
    bl_status status = numeric(solver, values, true);
    *ratio = status == BL_OK ? solver->stats.worst_pivot : 0;
    if (!dropped && *ratio >= sqrt(tolerance))
        b->limit = tolerance;
    return status == BL_SINGULAR ? BL_OK : status;
}

static bl_status refactor_kept(bl_linsol *solver, const double *values, double *ratio) {
    bl_status status = numeric(solver, values, false);
    if (status == BL_AGAIN || status == BL_SINGULAR || status == BL_REJECTED)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL,
                       status == BL_AGAIN      ? "block: more columns are delayed than the border can hold"
                       : status == BL_REJECTED ? "block: a diagonal block has become singular and has to be merged"
                                               : "block: a pivot vanishes");
    *ratio = solver->stats.worst_pivot;
    return status;
}

static bool dependent(bl_linsol *solver, const double *values, double limit) {
    const bl_direct *d = solver->own;
    return bl_kept_dependent(&d->kept, d->pattern, values, limit, solver, solve_kept);
}

static bl_status factor(bl_linsol *solver, const double *values) {
    bl_block *b = solver->own;
    BL_TRY(bl_direct_factor(solver, values));
    test_refinement(b);
    find_null_vectors(b, values);
    if (b->delayed || b->merged)
        bl_log(solver->ctx, BL_LOG_DEBUG, "block: %ld columns of nearly singular blocks delayed to borders, %ld blocks merged", b->delayed,
               b->merged);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values) {
    BL_TRY(bl_direct_refactor(solver, values));
    find_null_vectors(solver->own, values);
    return BL_OK;
}

/* minimum norm: subtracts the components of x along the null vectors */
static void subtract_null_vectors(const bl_block *b, bool transposed, double *x) {
    size_t n = (size_t)b->direct.kept.n;
    for (bl_index k = 0; k < b->direct.kept.n - b->direct.kept.rank; k++) {
        const double *null = b->null[transposed] + (size_t)k * n;
        double dot = 0;
        for (size_t i = 0; i < n; i++)
            dot += null[i] * x[i];
        for (size_t i = 0; i < n; i++)
            x[i] -= dot * null[i];
    }
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_block *b = solver->own;
    bl_index n = b->n, c = 0;
    size_t length = (size_t)b->direct.kept.n;
    bool plain = !transposed && !needs_refinement(b) && b->direct.kept.rank == b->direct.kept.n;
    for (; plain && c + BL_BLOCK_WIDTH <= nrhs; c += BL_BLOCK_WIDTH) {
        double *w = b->x, *xc = x + (size_t)c * length;
        for (bl_index p = 0; p < n; p++)
            for (int k = 0; k < BL_BLOCK_WIDTH; k++)
                w[p * BL_BLOCK_WIDTH + k] = xc[(size_t)k * length + (size_t)b->in[0][p]] * b->in_scale[0][p];
        bl_block_solve_wide(b, w);
        for (bl_index p = 0; p < n; p++)
            for (int k = 0; k < BL_BLOCK_WIDTH; k++)
                xc[(size_t)k * length + (size_t)b->out[0][p]] = w[p * BL_BLOCK_WIDTH + k] * b->out_scale[0][p];
    }
    for (; c < nrhs; c++) {
        solve_one(b, transposed, x + (size_t)c * length);
        if (b->direct.deficient == BL_MIN_NORM)
            subtract_null_vectors(b, transposed, x + (size_t)c * length);
    }
    return BL_OK;
}

/* ---- predicted cost */

/* a block that needs pivoting instead of cofactors */
static bool needs_pivoting(const bl_block *b, bl_index k) {
    const bl_index *f = b->diagonal + b->inv_at[k], s = b->stop[k] - b->start[k];
    const double *a = b->a;
    if (s == 1)
        return fabs(a[f[0]]) < b->pivot;
    if (s == 2) {
        double big = fmax(fmax(fabs(a[f[0]]), fabs(a[f[1]])), fmax(fabs(a[f[2]]), fabs(a[f[3]])));
        return fabs(a[f[0]] * a[f[3]] - a[f[1]] * a[f[2]]) < b->pivot * fmax(big, 1); /* entries of the scaled matrix are of size one */
    }
    double det = a[f[0]] * (a[f[4]] * a[f[8]] - a[f[5]] * a[f[7]]) + a[f[1]] * (a[f[5]] * a[f[6]] - a[f[3]] * a[f[8]]) +
                 a[f[2]] * (a[f[3]] * a[f[7]] - a[f[4]] * a[f[6]]);
    return s > 3 || fabs(det) <= linsol_block_three;
}

/* Constants fitted to the scenes and to random matrices (bench/README.md): within a factor 1.4, with borders above 40 two. */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const bl_block *b = solver->own;
    double n = b->n, nnz = b->ptr[b->n], blocks = b->nblock, earlier = 0, band = 0, border = 0, Y = 0, CY = 0, square = 0, cube = 0;
    double rows = 0, cubes = 0; /* of blocks that need pivoting */
    for (bl_index k = 0; k < b->npart; k++) {
        const bl_block_part *part = &b->part[k];
        double nb = part->nb;
        for (bl_index p = part->first; p < part->border_start; p++) {
            earlier += b->own[p] - b->ptr[p];
            Y += nb * (b->far[p] - b->mid[p]);
        }
        for (bl_index r = 0; r < part->nb; r++) {
            bl_index i =
                b->brow ? b->brow[part->border_at + r] : part->border_start + r; /* nothing is delayed before memory is allocated */
            band += b->ptr[i + 1] - b->ptr[i];
            CY += nb * (b->ptr[i + 1] - b->mid[i]);
        }
        border += nb * (part->border_start - part->first);
        square += nb * nb;
        cube += nb * nb * nb;
    }
    for (bl_index k = 0; k < b->nblock && b->inv; k++)
        if (needs_pivoting(b, k)) {
            double s = b->stop[k] - b->start[k];
            rows += s;
            cubes += s * s * s;
        }
    double factor = 46 + 1.9 * nnz + 1.9 * blocks + 0.14 * Y + 2.2 * border + 0.41 * CY + 42 * rows + 0.9 * cubes;
    if (square == 0)
        factor = 15 + 0.71 * nnz + 3.1 * blocks;
    else if (square > 12 * 12)
        factor = 358 + 1.7 * nnz + 16 * blocks + 0.49 * Y + 0.09 * CY + 1.3 * square + 0.03 * cube + 3.4 * rows + cubes;
    double one = 12 + 4.8 * blocks + 2.6 * n + 0.44 * earlier + 1.1 * band + 0.5 * border + 0.73 * square;
    double four = 7 + 3.9 * blocks + 8.3 * n + 0.92 * earlier + 1.7 * band + 2.1 * border + 2.7 * square;
    if (needs_refinement(b)) { /* with refinement, one at a time */
        one = 109 + 0.79 * nnz + 7.9 * blocks + 1.2 * earlier + 2.1 * band + 1.3 * border + 1.1 * square;
        four = BL_BLOCK_WIDTH * one;
    }
    return factor + nrhs / BL_BLOCK_WIDTH * four + nrhs % BL_BLOCK_WIDTH * one;
}

/* rows of the largest irreducible part */
static bl_status largest_part(bl_linsol *solver, bl_index *rows) {
    const bl_block *b = solver->own;
    bl_ordering triangular = {0};
    bl_status status = bl_order_pattern(solver->ctx, "btf", b->direct.pattern, &triangular);
    *rows = status == BL_OK && triangular.block ? 0 : b->direct.pattern->ncol;
    for (bl_index k = 0; status == BL_OK && triangular.block && k < triangular.nblock; k++)
        if (triangular.block[k + 1] - triangular.block[k] > *rows)
            *rows = triangular.block[k + 1] - triangular.block[k];
    bl_ordering_free(solver->ctx, &triangular);
    return status;
}

/* From the layout, as if nothing were delayed. */
static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    bl_block *b = solver->own;
    bl_index rows;
    bool ready;
    *nanoseconds = INFINITY;
    BL_TRY(largest_part(solver, &rows));
    if (rows > MOST_ORDERED)
        return BL_OK;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    BL_TRY(bl_block_lay_out(solver));
    b->laid_out = true;
    b->worst = 1;
    b->growth = b->refine_worst = 0;
    b->refine_growth = INFINITY;
    *nanoseconds = cost(solver, nrhs);
    return BL_OK;
}

static const bl_direct_slots slots = {.factor = factor_kept, .refactor = refactor_kept, .release = release, .dependent = dependent};

const bl_linsol_kind bl_linsol_block = {
    .kind = {"block", "bordered block triangular form of mechanisms, blocks of 1, 2 and 3; near-singular blocks are delayed", params,
             BL_LINSOL_SAMPLES, BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED},
    .size = sizeof(bl_block),
    .slots = &slots,
    .create = create,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .cost = cost,
    .forecast = forecast,
};
