/* Sparse solver: KLU of SuiteSparse (block triangular form, AMD or COLAMD, left-looking LU with threshold pivoting) on the
 * scaled matrix. Davis and Palamadai Natarajan, Algorithm 907, ACM TOMS 37 (2010). Inside its blocks pivots of least fill are looked for,
 * too, and taken where they are cheaper. Where pivots raise a suspicion, complete pivoting of the dense matrix decides about rank, and
 * the kept square part is factored. */
#include "linsol/kept.h"
#include "linsol/pivots.h"

#include "order/order.h"

#include <klu.h>
#include <math.h>
#include <string.h>

enum { GROUP = 4 }; /* so many right-hand sides are solved at a time */
enum { P_ORDERING, P_PIVOT, P_BTF };

/* of one factorisation: up to here a table of where each goes (four bytes) stays in the caches and pays, beyond it KLU's own factors do */
static const double MOST_TABLED = 1e6, MOST_CACHED = 1e5; /* the second: of the fastest caches */
static const double MOST_NEAR = 2000;                     /* entries of factors up to which programs of entries stay there */

/* Pivots of least fill. PRODUCTS_PER_ENTRY: what each entry of the factors costs, in products, in a refactorisation and three solutions
 * (see cost). */
static const double PRODUCTS_PER_ENTRY = 5;
static const double LEAST_SHARE = 0.5;  /* of its column that a pivot has to reach: 0.1 fills no less, and pivots fade sooner */
static const double LEAST_DECAY = 1e-2; /* instead of BL_LINSOL_DECAY: there may be larger pivots in their columns from the beginning */
static const double LEAST_GAIN = 0.9;   /* of what KLU's pivots cost: longer chains of operations eat up smaller gains */
static const double LEAST_SEARCH = 4;   /* entries looked at per product: searches that pay take 1 to 3 */
enum { LEAST_UP_TO = 2000 };            /* order; the search may take longer than linear time, and larger matrices wait for memory */

typedef struct klu {
    bl_kept kept;
    klu_common common;
    const bl_pattern *pattern;
    bl_index *column_order; /* [n] given, or NULL */
    bl_deficient deficient;
    double tolerance;
    bl_index *ptr, *idx, *from;     /* kept part: pattern and places in the values; [n+1], [nnz], [nnz] */
    double *by, *values;            /* [nnz] scales; scaled values */
    bl_index *kept_row, *kept_col;  /* [n] place of the kept part that `symbolic` belongs to, -1: dropped */
    bl_index *in_one, *out_one;     /* [n] one right-hand side: entry of b in the order of lu.enter, of x in the order of lu.leave */
    double *in_one_by, *out_one_by; /* [n] their scales */
    bl_index *in[2], *out[2];       /* [n] of a solve, plain and transposed: entry of b at pivot k; entry of x from pivot k */
    double *in_by[2], *out_by[2];   /* [n] their scales */
    klu_symbolic *symbolic;
    bool least;           /* look for pivots of least fill */
    bool has_least;       /* they were taken */
    bl_lu lu;             /* its factors; klu_refactor and klu_solve would do the same more slowly */
    klu_numeric *numeric; /* instead of lu, where there are too many products for tables, or too few matrices */
    double *y;            /* [GROUP][n], with numeric */
    double products;      /* of a factorisation */
    int parity;           /* of its exchanges of rows and columns */
    double pivot_ratio;   /* at the last factor */
} klu;

static const bl_param klu_params[] = {
    [P_ORDERING] =
        {"ordering", BL_P_CHOICE, 0, 0, "least|amd|colamd|natural", NULL,
         "pivots inside the diagonal blocks: of least fill where they are cheaper than KLU's by AMD, or KLU's in this order of columns"},
    [P_PIVOT] = {"pivot", BL_P_NUMBER, BL_POSITIVE, 0.1, NULL, NULL, "a diagonal pivot is taken when it reaches this share of its column"},
    [P_BTF] = {"btf", BL_P_FLAG, 0, 1, NULL, NULL, "permute to block triangular form first"},
    {0},
};

static void release(bl_linsol *solver) {
    klu *s = solver->own;
    void *blocks[] = {s->column_order, s->ptr, s->idx, s->from, s->by, s->values, s->kept_row, s->kept_col, s->in[0], s->in_by[0]};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        bl_free(solver->ctx, blocks[i]);
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    bl_lu_free(&s->lu);
    bl_free(solver->ctx, s->y);
    bl_kept_destroy(&s->kept);
    klu_common common = s->common;
    bool least = s->least;
    memset(s, 0, sizeof *s);
    s->common = common;
    s->least = least;
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
    klu *s;
    BL_TRY(BL_NEW(solver->ctx, s, 1));
    solver->own = s;
    klu_defaults(&s->common);
    s->common.scale = -1; /* values come scaled and checked */
    s->common.maxwork = BL_TRANSVERSAL_WORK;
    s->least = values[P_ORDERING].number == 0;
    s->common.ordering = s->least ? 0 : (int)values[P_ORDERING].number - 1; /* 0 AMD, 1 COLAMD, 2 as given */
    s->common.tol = values[P_PIVOT].number;
    s->common.btf = values[P_BTF].number != 0;
    return BL_OK;
}

static bl_status analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    bl_context *ctx = solver->ctx;
    klu *s = solver->own;
    BL_TRY(bl_linsol_check(solver, pattern, deficient, rank_tolerance));
    release(solver);
    size_t n = (size_t)pattern->ncol, nnz = (size_t)pattern->ptr[n];
    s->pattern = pattern;
    s->deficient = deficient;
    s->tolerance = rank_tolerance;
    BL_TRY(bl_kept_create(ctx, pattern->ncol, &s->kept));
    BL_TRY(BL_NEW(ctx, s->ptr, n + 1));
    BL_TRY(BL_NEW(ctx, s->idx, nnz));
    BL_TRY(BL_NEW(ctx, s->from, nnz));
    BL_TRY(BL_NEW(ctx, s->by, nnz));
    BL_TRY(BL_NEW(ctx, s->values, nnz));
    BL_TRY(BL_NEW(ctx, s->kept_row, n));
    BL_TRY(BL_NEW(ctx, s->kept_col, n));
    BL_TRY(BL_NEW(ctx, s->in[0], 6 * n));
    BL_TRY(BL_NEW(ctx, s->in_by[0], 6 * n));
    for (size_t t = 0; t < 2; t++) {
        s->in[t] = s->in[0] + 2 * t * n;
        s->out[t] = s->in[t] + n;
        s->in_by[t] = s->in_by[0] + 2 * t * n;
        s->out_by[t] = s->in_by[t] + n;
    }
    s->in_one = s->in[0] + 4 * n;
    s->out_one = s->in_one + n;
    s->in_one_by = s->in_by[0] + 4 * n;
    s->out_one_by = s->in_one_by + n;
    if (ordering) {
        BL_TRY(BL_NEW(ctx, s->column_order, n));
        memcpy(s->column_order, ordering->col, n * sizeof *s->column_order);
    }
    return BL_OK;
}

/* ---- the kept part */

static bl_status failure(bl_linsol *solver, const char *doing) {
    int status = ((klu *)solver->own)->common.status;
    if (status == KLU_OUT_OF_MEMORY)
        return bl_fail(solver->ctx, BL_E_MEMORY, NULL, "klu: no memory for %s", doing);
    return bl_fail(solver->ctx, BL_E_ARG, NULL, "klu: %s fails with status %d", doing, status);
}

/* Rows matched to the columns of a given order, so that the preferred pivots are entries of the matrix. */
static bl_status match_rows(bl_linsol *solver, bl_index n, const bl_index *order, bl_index *rows) {
    klu *s = solver->own;
    bl_pattern a = {n, n, s->ptr, s->idx};
    bl_index *match = bl_alloc(solver->ctx, (size_t)n, 2 * sizeof *match);
    if (!match)
        return BL_E_MEMORY;
    bl_index *row_of = match + n, spare = 0, rank;
    bl_status status = bl_transversal(solver->ctx, &a, match, &rank);
    if (status != BL_OK) {
        bl_free(solver->ctx, match);
        return status;
    }
    for (bl_index j = 0; j < n; j++)
        row_of[j] = -1;
    for (bl_index i = 0; i < n; i++)
        if (match[i] >= 0)
            row_of[match[i]] = i;
    for (bl_index k = 0; k < n; k++) {
        bl_index row = row_of[order[k]];
        if (row < 0) { /* structurally singular: any row that is left */
            while (match[spare] >= 0)
                spare++;
            row = spare++;
        }
        rows[k] = row;
    }
    bl_free(solver->ctx, match);
    return BL_OK;
}

/* With KLU's own transversal, where that does not take too long: else with one that it finds at once. */
static bl_status analyse_blocks(bl_linsol *solver, bl_index n) {
    klu *s = solver->own;
    s->common.work = 0; /* KLU adds to it; -1: more would have been needed */
    s->symbolic = klu_analyze(n, s->ptr, s->idx, &s->common);
    if (!s->symbolic || !(s->common.work < 0))
        return BL_OK;
    klu_free_symbolic(&s->symbolic, &s->common);
    bl_pattern a = {n, n, s->ptr, s->idx};
    bl_index *idx = bl_alloc(solver->ctx, (size_t)s->ptr[n], sizeof *idx);
    if (!idx)
        return BL_E_MEMORY;
    bl_status status = bl_transversal_first(solver->ctx, &a, idx);
    if (status == BL_OK)
        s->symbolic = klu_analyze(n, s->ptr, idx, &s->common);
    bl_free(solver->ctx, idx);
    return status;
}

static bl_status order_kept(bl_linsol *solver) {
    klu *s = solver->own;
    const bl_kept *kept = &s->kept;
    bl_index n = kept->rank;
    size_t bytes = (size_t)kept->n * sizeof *s->kept_row;
    if (s->symbolic && memcmp(s->kept_row, kept->row_at, bytes) == 0 && memcmp(s->kept_col, kept->col_at, bytes) == 0)
        return BL_OK;
    klu_free_numeric(&s->numeric, &s->common); /* it belongs to the other order */
    klu_free_symbolic(&s->symbolic, &s->common);
    if (s->column_order) {
        bl_index *order = bl_alloc(solver->ctx, (size_t)n, 2 * sizeof *order), used = 0;
        if (!order)
            return BL_E_MEMORY;
        for (bl_index k = 0; k < kept->n; k++)
            if (kept->col_at[s->column_order[k]] >= 0)
                order[used++] = kept->col_at[s->column_order[k]];
        bl_status status = match_rows(solver, n, order, order + n);
        klu_common given = s->common;
        given.btf = 0; /* the order is meant for the whole matrix */
        if (status == BL_OK)
            s->symbolic = klu_analyze_given(n, s->ptr, s->idx, order + n, order, &given);
        s->common.status = given.status;
        bl_free(solver->ctx, order);
        BL_TRY(status);
    } else {
        BL_TRY(analyse_blocks(solver, n));
    }
    if (!s->symbolic)
        return failure(solver, "the analysis");
    memcpy(s->kept_row, kept->row_at, bytes);
    memcpy(s->kept_col, kept->col_at, bytes);
    return BL_OK;
}

/* KLU's factors as tables. */
static bl_status take_factors(bl_linsol *solver, klu_numeric *numeric) {
    klu *s = solver->own;
    bl_index n = s->kept.rank;
    size_t lnz = (size_t)numeric->lnz, unz = (size_t)numeric->unz, nf = (size_t)numeric->nzoff, nptr = (size_t)n + 1;
    bl_index *block = bl_alloc(solver->ctx, lnz + unz + nf + 6 * nptr, sizeof *block);
    double *unwanted = block ? bl_alloc(solver->ctx, lnz + unz + nf + nptr, sizeof *unwanted) : NULL;
    bl_status status = unwanted ? BL_OK : BL_E_MEMORY;
    if (status == BL_OK) {
        bl_index *l_ptr = block, *u_ptr = l_ptr + nptr, *f_ptr = u_ptr + nptr, *row = f_ptr + nptr, *col = row + nptr, *blocks = col + nptr;
        bl_index *l_idx = blocks + nptr, *u_idx = l_idx + lnz, *f_idx = u_idx + unz;
        double *lx = unwanted, *ux = lx + lnz, *fx = ux + unz, *rs = fx + nf;
        if (!klu_extract(numeric, s->symbolic, l_ptr, l_idx, lx, u_ptr, u_idx, ux, f_ptr, f_idx, fx, row, col, rs, blocks, &s->common))
            status = failure(solver, "its factors");
        bl_pattern a = {n, n, s->ptr, s->idx};
        bl_lu_plan plan = {n, s->symbolic->nblocks, blocks, row, col, l_ptr, l_idx, u_ptr, u_idx, f_ptr, f_idx, &a};
        if (status == BL_OK)
            status = bl_lu_build(solver->ctx, &plan, &s->lu);
    }
    bl_free(solver->ctx, block);
    bl_free(solver->ctx, unwanted);
    return status;
}

/* Pivots of least fill, where they are cheaper than KLU's; *taken says so. */
static bl_status take_least(bl_linsol *solver, const klu_numeric *numeric, bool *taken) {
    klu *s = solver->own;
    const klu_symbolic *symbolic = s->symbolic;
    bl_index n = s->kept.rank;
    bl_pattern a = {n, n, s->ptr, s->idx};
    bl_pivots found;
    *taken = false;
    double own = s->products + PRODUCTS_PER_ENTRY * (numeric->lnz + numeric->unz - 2 * (double)n);
    BL_TRY(bl_pivots_least(solver->ctx, &a, s->values, LEAST_SHARE, LEAST_SEARCH * own, symbolic->nblocks, symbolic->R, symbolic->P,
                           symbolic->Q, &found));
    bl_status status = BL_OK;
    if (found.products >= 0 && (double)found.products + PRODUCTS_PER_ENTRY * (double)found.entries < LEAST_GAIN * own) {
        *taken = true;
        s->products = (double)found.products;
        solver->stats.fill = found.entries + n + numeric->nzoff;
        status = bl_lu_build(solver->ctx, &found.plan, &s->lu);
    }
    bl_free(solver->ctx, found.room);
    return status;
}

/* where right-hand sides and solutions of the whole matrix stand in pivot order, and their scales */
static void plan_solve(klu *s) {
    const bl_kept *kept = &s->kept;
    const bl_index *row = s->numeric ? s->numeric->Pnum : s->lu.row, *col = s->numeric ? s->symbolic->Q : s->lu.col;
    for (bl_index k = 0; k < kept->rank; k++) {
        bl_index i = kept->row[row[k]], j = kept->col[col[k]];
        s->in[0][k] = s->out[1][k] = i;
        s->out[0][k] = s->in[1][k] = j;
        s->in_by[0][k] = s->out_by[1][k] = kept->row_scale[i];
        s->out_by[0][k] = s->in_by[1][k] = kept->col_scale[j];
    }
    for (bl_index r = 0; r < kept->rank && !s->numeric; r++) {
        bl_index first = s->lu.enter[r], last = s->lu.leave[r];
        s->in_one[r] = s->in[0][first];
        s->in_one_by[r] = s->in_by[0][first];
        s->out_one[r] = s->out[0][last];
        s->out_one_by[r] = s->out_by[0][last];
    }
}

static bl_status find_parity(bl_linsol *solver) {
    klu *s = solver->own;
    bl_index *seen;
    BL_TRY(BL_NEW(solver->ctx, seen, s->kept.n));
    s->parity = s->kept.rank < s->kept.n ? 0 : bl_parity(s->kept.n, s->in[0], seen) * bl_parity(s->kept.n, s->out[0], seen);
    bl_free(solver->ctx, seen);
    return BL_OK;
}

/* smallest / largest pivot of KLU's factors; 0 when one is zero or not finite */
static double numeric_ratio(const klu *s) {
    const double *pivot = s->numeric->Udiag;
    double least = INFINITY, most = 0;
    for (bl_index k = 0; k < s->kept.rank; k++) {
        double size = fabs(pivot[k]);
        if (!(size > 0) || isinf(size))
            return 0;
        least = fmin(least, size);
        most = fmax(most, size);
    }
    return least / most;
}

static void load(klu *s, const double *values) {
    for (bl_index k = 0; k < s->ptr[s->kept.rank]; k++)
        s->values[k] = values[s->from[k]] * s->by[k];
}

/* new values with the pivots that are known. False: overflow, or not finite. */
static bool factor_again(klu *s, const double *values, double *ratio) {
    *ratio = 1;
    if (s->kept.rank == 0)
        return true;
    if (!s->numeric) {
        bool finite = bl_lu_factor(&s->lu, values, s->kept.rank < s->kept.n ? s->from : NULL, s->by);
        *ratio = finite ? s->lu.smallest / s->lu.largest : 0;
        return finite;
    }
    load(s, values);
    double bad = 0;
    for (bl_index k = 0; k < s->ptr[s->kept.rank]; k++)
        bad += s->values[k] - s->values[k];
    if (bad != 0)
        return false;
    klu_refactor(s->ptr, s->idx, s->values, s->symbolic, s->numeric, &s->common);
    *ratio = s->common.status == KLU_OK ? numeric_ratio(s) : 0;
    return true;
}

/* Factors the kept part and sets pivot_ratio, 0 when KLU meets a zero pivot. */
static bl_status factor_kept(bl_linsol *solver, const double *values) {
    klu *s = solver->own;
    bl_kept_plan(&s->kept, s->pattern, s->ptr, s->idx, s->from, s->by);
    s->pivot_ratio = 1;
    solver->stats.fill = 0;
    if (s->kept.rank == 0)
        return BL_OK;
    load(s, values);
    BL_TRY(order_kept(solver));
    klu_free_numeric(&s->numeric, &s->common);
    klu_numeric *numeric = klu_factor(s->ptr, s->idx, s->values, s->symbolic, &s->common);
    if (!numeric && s->common.status != KLU_SINGULAR)
        return failure(solver, "the factorisation");
    s->pivot_ratio = 0;
    if (!numeric)
        return BL_OK;
    solver->stats.fill = (int64_t)numeric->lnz + numeric->unz - s->kept.rank + numeric->nzoff;
    klu_flops(s->symbolic, numeric, &s->common);
    s->products = s->common.flops / 2;
    bool tabled = s->products <= MOST_TABLED && !solver->brief; /* tables cost some fifty refactorizations to make */
    if (!tabled) {
        s->numeric = numeric;
        bl_lu_free(&s->lu);
        if (!s->y)
            BL_TRY(BL_NEW(solver->ctx, s->y, GROUP * (size_t)s->kept.n));
    } else {
        s->has_least = false;
        bool worth = s->least && !s->column_order && s->kept.rank <= LEAST_UP_TO;
        bl_status status = worth ? take_least(solver, numeric, &s->has_least) : BL_OK;
        if (status == BL_OK && !s->has_least)
            status = take_factors(solver, numeric);
        klu_free_numeric(&numeric, &s->common);
        BL_TRY(status);
    }
    plan_solve(s);
    BL_TRY(find_parity(solver));
    if (tabled)
        factor_again(s, values, &s->pivot_ratio);
    else
        s->pivot_ratio = numeric_ratio(s);
    return BL_OK;
}

/* ---- the slots */

/* by KLU's own factors */
static void solve_numeric(klu *s, bool transposed, bl_index nrhs, double *x) {
    const bl_kept *kept = &s->kept;
    size_t n = (size_t)kept->n, rank = (size_t)kept->rank;
    const bl_index *in = transposed ? kept->col : kept->row, *out = transposed ? kept->row : kept->col;
    const double *in_by = transposed ? kept->col_scale : kept->row_scale, *out_by = transposed ? kept->row_scale : kept->col_scale;
    for (bl_index done = 0; done < nrhs; done += GROUP) {
        bl_index group = nrhs - done < GROUP ? nrhs - done : GROUP;
        double *b = x + n * (size_t)done;
        for (size_t c = 0; c < (size_t)group; c++)
            for (size_t k = 0; k < rank; k++)
                s->y[c * rank + k] = b[c * n + (size_t)in[k]] * in_by[in[k]];
        if (transposed)
            klu_tsolve(s->symbolic, s->numeric, (int)rank, group, s->y, &s->common);
        else
            klu_solve(s->symbolic, s->numeric, (int)rank, group, s->y, &s->common);
        for (size_t c = 0; c < (size_t)group; c++, b += n) {
            for (size_t k = 0; k < rank; k++)
                b[out[k]] = s->y[c * rank + k] * out_by[out[k]];
            for (size_t k = rank; k < n; k++)
                b[out[k]] = 0;
        }
    }
}

static void solve_one(klu *s, double *b) {
    bl_index n = s->kept.n, rank = s->kept.rank;
    const bl_index *in = s->in_one, *out = s->out_one, *none = s->kept.col + rank;
    const double *in_by = s->in_one_by, *out_by = s->out_one_by;
    double *y = s->lu.x;
    if (rank > 0) {
        for (bl_index k = 0; k < rank; k++)
            y[k] = b[in[k]] * in_by[k];
        bl_lu_solve_one(&s->lu);
        y += rank;
        for (bl_index k = 0; k < rank; k++)
            b[out[k]] = y[k] * out_by[k];
    }
    for (bl_index k = 0; k < n - rank; k++)
        b[none[k]] = 0;
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    klu *s = solver->own;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "klu: solve without a factorisation");
    if (s->numeric) {
        solve_numeric(s, transposed, nrhs, x);
        solver->stats.solves += nrhs;
        return BL_OK;
    }
    bl_index n = s->kept.n, rank = s->kept.rank;
    const bl_index *in = s->in[transposed], *out = s->out[transposed], *none = (transposed ? s->kept.row : s->kept.col) + rank;
    const double *in_by = s->in_by[transposed], *out_by = s->out_by[transposed];
    double *y = s->lu.x;
    for (bl_index done = 0; done < nrhs && n > 0; done += GROUP) {
        bl_index group = nrhs - done < GROUP ? nrhs - done : GROUP, side = group == 1 ? 1 : GROUP;
        double *b = x + (size_t)n * (size_t)done;
        if (group == 1 && !transposed) {
            solve_one(s, b);
            continue;
        }
        for (bl_index c = 0; c < group && rank > 0; c++)
            for (bl_index k = 0; k < rank; k++)
                y[k * side + c] = b[(size_t)n * (size_t)c + (size_t)in[k]] * in_by[k];
        if (rank > 0)
            bl_lu_solve(&s->lu, transposed, side);
        for (bl_index c = 0; c < group; c++, b += n) {
            for (bl_index k = 0; k < rank; k++)
                b[out[k]] = y[k * side + c] * out_by[k];
            for (bl_index k = 0; k < n - rank; k++)
                b[none[k]] = 0;
        }
    }
    solver->stats.solves += nrhs;
    return BL_OK;
}

static bl_status factor(bl_linsol *solver, const double *values) {
    klu *s = solver->own;
    bl_kept *kept = &s->kept;
    solver->factored = false;
    solver->stats.factors++;
    BL_TRY(bl_kept_scale(kept, solver->forgets, s->pattern, values));
    bl_kept_all(kept);
    BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = s->pivot_ratio;
    if (s->pivot_ratio < sqrt(s->tolerance) || s->pivot_ratio == 0)
        BL_TRY(bl_kept_search(kept, s->pattern, values, s->tolerance, s->pivot_ratio, s->deficient == BL_REFUSE));
    BL_TRY(bl_kept_report(kept, &solver->stats, s->deficient == BL_REFUSE));
    if (kept->rank < kept->n)
        BL_TRY(factor_kept(solver, values));
    solver->stats.worst_pivot = s->pivot_ratio;
    if (!(s->pivot_ratio > 0))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: no pivots in a matrix of order %d and rank %d", kept->n, kept->rank);
    solver->factored = true;
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values) {
    klu *s = solver->own;
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: refactor without a factorisation");
    solver->stats.refactors++;
    solver->factored = false;
    double pivots;
    if (!factor_again(s, values, &pivots)) {
        BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, s->pattern->ptr[s->kept.n], values));
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: values overflow their scales");
    }
    solver->stats.worst_pivot = pivots;
    if (!(pivots > (s->has_least ? LEAST_DECAY : BL_LINSOL_DECAY) * s->pivot_ratio))
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: pivots decayed to %.1e of the largest", pivots);
    solver->factored = true;
    if (!bl_kept_still(&s->kept, s->pattern, values, sqrt(s->tolerance), solver, solve)) {
        solver->factored = false;
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: rows that were dependent are no longer");
    }
    return BL_OK;
}

static int sign(const bl_linsol *solver) {
    const klu *s = solver->own;
    int sign = s->parity;
    const double *pivot = s->numeric ? s->numeric->Udiag : s->lu.inverse;
    for (bl_index k = 0; k < s->kept.rank; k++)
        sign = pivot[k] < 0 ? -sign : sign;
    return sign;
}

/* share of updates whose pivots have faded, so that KLU and the search for others are called: 1 to 5 in a hundred over the scenes. Kinds
 * that choose pivots every time do not know this. */
static const double NEW_PIVOTS = 0.01;

/* of KLU's own factors; constants fitted to plates (bench/README.md) */
static double price(double n, double nnz, double entries, double products, bl_index nrhs) {
    return 3 * nnz + 30 * n + 4 * entries + 0.9 * products + nrhs * (20 * n + 2 * entries);
}

/* Constants fitted to the scenes and to random matrices (bench/README.md): within a factor 1.4 */
static double cost(const bl_linsol *solver, bl_index nrhs) {
    const klu *s = solver->own;
    const bl_lu *lu = &s->lu;
    if (s->numeric)
        return price(s->kept.rank, s->ptr[s->kept.rank], (double)solver->stats.fill, s->products, nrhs);
    double n = s->kept.rank, places = (double)lu->nlu, padded = 0;
    for (bl_index k = 0; k < s->kept.rank; k++)
        padded += (double)bl_lu_products(lu, k);
    double entries = (double)solver->stats.fill - n, near = entries > MOST_NEAR ? 1.45 : 1;
    double factor = lu->by_entries ? near * (11 + 2.3 * n + 1.1 * entries + 0.47 * s->products)
                                   : 1.1 * places + (padded > MOST_CACHED ? 0.6 : 0.4) * padded;
    double one = 7 + 1.5 * n + 0.55 * entries + 2 * lu->nsolve_run, four = 4 + 12.6 * n + 0.66 * places;
    return NEW_PIVOTS * (3000 + 500 * n + 30 * entries) + factor + nrhs / GROUP * four + nrhs % GROUP * one;
}

/* from the counts of AMD, as if pivots stayed on the diagonal */
static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    klu *s = solver->own;
    *nanoseconds = INFINITY;
    if (s->kept.n == 0)
        return BL_OK;
    BL_TRY(bl_kept_scale(&s->kept, solver->forgets, s->pattern, values));
    bl_kept_all(&s->kept);
    bl_kept_plan(&s->kept, s->pattern, s->ptr, s->idx, s->from, s->by);
    BL_TRY(order_kept(solver));
    double n = s->kept.n, nnz = s->ptr[s->kept.n], entries = s->symbolic->lnz + s->symbolic->unz, products = s->symbolic->est_flops / 2;
    if (!(entries >= 0 && products >= 0)) { /* another order than AMD: not counted */
        *nanoseconds = NAN;
        return BL_OK;
    }
    *nanoseconds = products > MOST_TABLED ? price(n, nnz, entries, products, nrhs)
                                          : 11 + 2.3 * n + 1.1 * entries + (products > MOST_CACHED ? 0.6 : 0.47) * products +
                                                nrhs * (7 + 3 * n + 0.55 * entries); /* as cost */
    return BL_OK;
}

const bl_linsol_kind bl_linsol_klu = {
    .kind = {.name = "klu",
             .help = "sparse LU with block triangular form; for all sizes",
             .params = klu_params,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .create = create,
    .analyse = analyse,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
    .forecast = forecast,
    .sign = sign,
};
