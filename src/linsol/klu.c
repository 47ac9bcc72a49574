/* Sparse solver: KLU of SuiteSparse (block triangular form, AMD or COLAMD, left-looking LU with threshold pivoting) on the
 * scaled matrix. Davis and Palamadai Natarajan, Algorithm 907, ACM TOMS 37 (2010). Inside its blocks pivots of least fill are searched as
 * well and used if they are cheaper. If pivots are suspiciously small, complete pivoting of the dense matrix decides about rank, and the
 * kept square part is factored. */
#include "linsol/direct_solver.h"
#include "linsol/linsol_limits.h"
#include "linsol/pivots.h"

#include "order/order.h"

#include <klu.h>
#include <math.h>
#include <string.h>

enum { GROUP = 4 }; /* right-hand sides solved at a time */
enum { P_ORDERING, P_PIVOT, P_BTF };

/* products of one factorization up to which a table of their targets (four bytes each) stays in the caches; beyond, KLU's own factors are
 * faster */
static const double MOST_TABLED = 1e6, MOST_CACHED = 1e5; /* the second: for the fastest cache */
static const double MOST_NEAR = 2000;                     /* entries of factors up to which programs of entries stay in it */

/* Pivots of least fill. PRODUCTS_PER_ENTRY: cost of each entry of the factors in a refactorization and three solutions, in products (see
 * cost). */
static const double PRODUCTS_PER_ENTRY = 5;
static const double LEAST_GAIN = 0.9; /* of the cost with KLU's pivots: smaller gains are lost by longer chains of operations */
static const double LEAST_SEARCH = 4; /* entries inspected per product: successful searches need 1 to 3 */
enum { LEAST_UP_TO = 2000 };          /* order; the search may take more than linear time, and larger matrices are limited by memory */

typedef struct klu {
    bl_direct direct; /* must be first: the shell knows only this */
    klu_common common;
    bl_index *in_one, *out_one; /* [n] one right-hand side: entry of b in the order of lu.forward_pivot, of x in that of backward_pivot */
    double *in_one_scale, *out_one_scale; /* [n] their scales */
    bl_index *in[2], *out[2];             /* [n] of a solve, plain and transposed: entry of b at pivot k; entry of x from pivot k */
    double *in_scale[2], *out_scale[2];   /* [n] their scales */
    klu_symbolic *symbolic;
    bool least;           /* search pivots of least fill */
    bool has_least;       /* they are used */
    bl_lu lu;             /* the factors; klu_refactor and klu_solve would be slower */
    klu_numeric *numeric; /* instead of lu, if there are too many products for tables, or too few matrices */
    double products;      /* of a factorization */
    int parity;           /* of its exchanges of rows and columns */
} klu;

static const bl_param klu_params[] = {
    [P_ORDERING] =
        {"ordering", BL_P_CHOICE, 0, 0, "least|amd|colamd|natural", NULL,
         "pivots inside the diagonal blocks: of least fill if they are cheaper than KLU's by AMD, or KLU's in this column order"},
    [P_PIVOT] = {"pivot", BL_P_NUMBER, BL_POSITIVE, 0.1, NULL, NULL,
                 "a diagonal pivot is used if it reaches this fraction of the largest entry of its column"},
    [P_BTF] = {"btf", BL_P_FLAG, 0, 1, NULL, NULL, "permute to block triangular form first"},
    {0},
};

static void release(bl_linsol *solver) {
    klu *s = solver->own;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    bl_lu_free(&s->lu);
    s->has_least = false;
}

static bl_status create(bl_linsol *solver, const bl_value *values) {
    klu *s = solver->own;
    klu_defaults(&s->common);
    s->common.scale = -1; /* values are already scaled and checked */
    s->common.maxwork = BL_TRANSVERSAL_WORK;
    s->least = values[P_ORDERING].number == 0;
    s->common.ordering = s->least ? 0 : (int)values[P_ORDERING].number - 1; /* 0 AMD, 1 COLAMD, 2 as given */
    s->common.tol = values[P_PIVOT].number;
    s->common.btf = values[P_BTF].number != 0;
    return BL_OK;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    klu *s = solver->own;
    bl_index n = pattern->ncol;
    BL_TRY(bl_direct_analyze(solver, pattern, ordering, deficient, rank_tolerance));
    return BL_NEW_ARRAYS(solver->ctx, s->direct.own, BL_ARRAY(s->in_scale[0], n), BL_ARRAY(s->out_scale[0], n), BL_ARRAY(s->in_scale[1], n),
                         BL_ARRAY(s->out_scale[1], n), BL_ARRAY(s->in_one_scale, n), BL_ARRAY(s->out_one_scale, n), BL_ARRAY(s->in[0], n),
                         BL_ARRAY(s->out[0], n), BL_ARRAY(s->in[1], n), BL_ARRAY(s->out[1], n), BL_ARRAY(s->in_one, n),
                         BL_ARRAY(s->out_one, n));
}

/* ---- the kept part */

static bl_status failure(bl_linsol *solver, const char *doing) {
    int status = ((klu *)solver->own)->common.status;
    if (status == KLU_OUT_OF_MEMORY)
        return bl_fail(solver->ctx, BL_E_MEMORY, NULL, "klu: no memory for %s", doing);
    return bl_fail(solver->ctx, BL_E_ARG, NULL, "klu: %s fails with status %d", doing, status);
}

/* Rows matched to the columns of a given order, so that the preferred pivots are entries of the matrix. match, row_of: scratch. */
static bl_status match_rows(bl_linsol *solver, const bl_index *order, bl_index *match, bl_index *row_of, bl_index *rows) {
    const bl_direct *d = solver->own;
    bl_index n = d->n, spare = 0, rank;
    bl_pattern a = {n, n, d->ptr, d->idx};
    BL_TRY(bl_transversal(solver->ctx, &a, match, &rank));
    for (bl_index j = 0; j < n; j++)
        row_of[j] = -1;
    for (bl_index i = 0; i < n; i++)
        if (match[i] >= 0)
            row_of[match[i]] = i;
    for (bl_index k = 0; k < n; k++) {
        bl_index row = row_of[order[k]];
        if (row < 0) { /* structurally singular: any remaining row */
            while (match[spare] >= 0)
                spare++;
            row = spare++;
        }
        rows[k] = row;
    }
    return BL_OK;
}

/* With KLU's own transversal, unless that takes too long: then with one that it finds immediately. */
static bl_status order_blocks(bl_linsol *solver) {
    klu *s = solver->own;
    const bl_direct *d = &s->direct;
    s->common.work = 0; /* set by KLU; -1: the limit was exceeded */
    s->symbolic = klu_analyze(d->n, d->ptr, d->idx, &s->common);
    if (!s->symbolic || !(s->common.work < 0))
        return BL_OK;
    klu_free_symbolic(&s->symbolic, &s->common);
    bl_pattern a = {d->n, d->n, d->ptr, d->idx};
    bl_index *idx;
    BL_TRY(BL_NEW(solver->ctx, idx, d->ptr[d->n]));
    bl_status status = bl_transversal_first(solver->ctx, &a, idx);
    if (status == BL_OK)
        s->symbolic = klu_analyze(d->n, d->ptr, idx, &s->common);
    bl_free(solver->ctx, idx);
    return status;
}

static bl_status order_given(bl_linsol *solver) {
    klu *s = solver->own;
    const bl_direct *d = &s->direct;
    bl_index n = d->n, *order, *rows, *match, *row_of;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, block, BL_ARRAY(order, n), BL_ARRAY(rows, n), BL_ARRAY(match, n), BL_ARRAY(row_of, n)));
    bl_status status = bl_direct_order(solver, NULL, order);
    if (status == BL_OK)
        status = match_rows(solver, order, match, row_of, rows);
    klu_common given = s->common;
    given.btf = 0; /* the order is that of the full matrix */
    if (status == BL_OK)
        s->symbolic = klu_analyze_given(n, d->ptr, d->idx, rows, order, &given);
    s->common.status = given.status;
    bl_free(solver->ctx, block);
    return status;
}

static bl_status make_order(bl_linsol *solver) {
    klu *s = solver->own;
    klu_free_numeric(&s->numeric, &s->common); /* belongs to the previous order */
    klu_free_symbolic(&s->symbolic, &s->common);
    BL_TRY(s->direct.given ? order_given(solver) : order_blocks(solver));
    return s->symbolic ? BL_OK : failure(solver, "the analysis");
}

/* KLU's factors as tables. */
static bl_status take_factors(bl_linsol *solver, klu_numeric *numeric) {
    klu *s = solver->own;
    const bl_direct *d = &s->direct;
    bl_index n = d->n, nptr = n + 1, *l_ptr, *u_ptr, *f_ptr, *row, *col, *blocks, *l_idx, *u_idx, *f_idx;
    bl_index lnz = numeric->lnz, unz = numeric->unz, nf = numeric->nzoff;
    double *lx, *ux, *fx, *rs; /* not needed */
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(solver->ctx, block, BL_ARRAY(lx, lnz), BL_ARRAY(ux, unz), BL_ARRAY(fx, nf), BL_ARRAY(rs, nptr),
                         BL_ARRAY(l_ptr, nptr), BL_ARRAY(u_ptr, nptr), BL_ARRAY(f_ptr, nptr), BL_ARRAY(row, nptr), BL_ARRAY(col, nptr),
                         BL_ARRAY(blocks, nptr), BL_ARRAY(l_idx, lnz), BL_ARRAY(u_idx, unz), BL_ARRAY(f_idx, nf)));
    bl_status status = BL_OK;
    if (!klu_extract(numeric, s->symbolic, l_ptr, l_idx, lx, u_ptr, u_idx, ux, f_ptr, f_idx, fx, row, col, rs, blocks, &s->common))
        status = failure(solver, "its factors");
    bl_pattern a = {n, n, d->ptr, d->idx};
    bl_lu_plan plan = {n, s->symbolic->nblocks, blocks, row, col, l_ptr, l_idx, u_ptr, u_idx, f_ptr, f_idx, &a};
    if (status == BL_OK)
        status = bl_lu_build(solver->ctx, &plan, &s->lu);
    bl_free(solver->ctx, block);
    return status;
}

/* Pivots of least fill; *taken: they are cheaper than KLU's and are used. */
static bl_status take_least(bl_linsol *solver, const klu_numeric *numeric, bool *taken) {
    klu *s = solver->own;
    const klu_symbolic *symbolic = s->symbolic;
    bl_index n = s->direct.n;
    bl_pattern a = {n, n, s->direct.ptr, s->direct.idx};
    bl_pivots found;
    bl_arena arena = {.ctx = solver->ctx};
    *taken = false;
    double own = s->products + PRODUCTS_PER_ENTRY * (numeric->lnz + numeric->unz - 2 * (double)n);
    bl_status status = bl_pivots_least(&arena, &a, s->direct.values, linsol_pivot_share, LEAST_SEARCH * own, symbolic->nblocks, symbolic->R,
                                       symbolic->P, symbolic->Q, &found);
    if (status == BL_OK && found.products >= 0 && (double)found.products + PRODUCTS_PER_ENTRY * (double)found.entries < LEAST_GAIN * own) {
        *taken = true;
        s->products = (double)found.products;
        solver->stats.fill = found.entries + n + numeric->nzoff;
        status = bl_lu_build(solver->ctx, &found.plan, &s->lu);
    }
    bl_arena_destroy(&arena);
    return status;
}

/* indices of right-hand sides and solutions of the full matrix in pivot order, and their scales */
static void plan_solve(klu *s) {
    const bl_kept *kept = &s->direct.kept;
    const bl_index *row = s->numeric ? s->numeric->Pnum : s->lu.row, *col = s->numeric ? s->symbolic->Q : s->lu.col;
    for (bl_index k = 0; k < kept->rank; k++) {
        bl_index i = kept->row[row[k]], j = kept->col[col[k]];
        s->in[0][k] = s->out[1][k] = i;
        s->out[0][k] = s->in[1][k] = j;
        s->in_scale[0][k] = s->out_scale[1][k] = kept->row_scale[i];
        s->out_scale[0][k] = s->in_scale[1][k] = kept->col_scale[j];
    }
    for (bl_index r = 0; r < kept->rank && !s->numeric; r++) {
        bl_index first = s->lu.forward_pivot[r], last = s->lu.backward_pivot[r];
        s->in_one[r] = s->in[0][first];
        s->in_one_scale[r] = s->in_scale[0][first];
        s->out_one[r] = s->out[0][last];
        s->out_one_scale[r] = s->out_scale[0][last];
    }
}

static bl_status find_parity(bl_linsol *solver) {
    klu *s = solver->own;
    bl_index *seen, n = s->direct.kept.n;
    BL_TRY(BL_NEW(solver->ctx, seen, n));
    s->parity = s->direct.n < n ? 0 : bl_parity(n, s->in[0], seen) * bl_parity(n, s->out[0], seen);
    bl_free(solver->ctx, seen);
    return BL_OK;
}

/* refactors with KLU's own factors and the scaled values */
static double refactor_numeric(klu *s) {
    klu_refactor(s->direct.ptr, s->direct.idx, s->direct.values, s->symbolic, s->numeric, &s->common);
    return s->common.status == KLU_OK ? bl_direct_ratio(s->direct.n, s->numeric->Udiag, 1) : 0;
}

/* False: overflow, or not finite. */
static bool factor_tables(klu *s, const double *values, double *ratio) {
    const bl_direct *d = &s->direct;
    bool finite = bl_lu_factor(&s->lu, values, d->n < d->kept.n ? d->from : NULL, d->scale);
    *ratio = finite ? s->lu.smallest / s->lu.largest : 0;
    return finite;
}

/* converts numeric to tables, or to those of pivots of least fill */
static bl_status make_tables(bl_linsol *solver, klu_numeric *numeric) {
    klu *s = solver->own;
    s->has_least = false;
    if (s->least && !s->direct.given && s->direct.n <= LEAST_UP_TO)
        BL_TRY(take_least(solver, numeric, &s->has_least));
    return s->has_least ? BL_OK : take_factors(solver, numeric);
}

/* ratio 0: KLU finds a zero pivot */
static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    klu *s = solver->own;
    bl_direct *d = &s->direct;
    *ratio = 1;
    solver->stats.fill = 0;
    if (d->n == 0)
        return BL_OK;
    if (!s->symbolic || d->changed)
        BL_TRY(make_order(solver));
    klu_free_numeric(&s->numeric, &s->common);
    klu_numeric *numeric = klu_factor(d->ptr, d->idx, d->values, s->symbolic, &s->common);
    if (!numeric && s->common.status != KLU_SINGULAR)
        return failure(solver, "the factorization");
    *ratio = 0;
    if (!numeric)
        return BL_OK;
    solver->stats.fill = (int64_t)numeric->lnz + numeric->unz - d->n + numeric->nzoff;
    klu_flops(s->symbolic, numeric, &s->common);
    s->products = s->common.flops / 2;
    bool tabled = s->products <= MOST_TABLED && !solver->brief; /* building tables takes as long as about fifty refactorizations */
    if (tabled) {
        bl_status status = make_tables(solver, numeric);
        klu_free_numeric(&numeric, &s->common);
        BL_TRY(status);
    } else {
        s->numeric = numeric;
        bl_lu_free(&s->lu);
    }
    plan_solve(s);
    BL_TRY(find_parity(solver));
    if (tabled)
        factor_tables(s, values, ratio);
    else
        *ratio = bl_direct_ratio(d->n, numeric->Udiag, 1);
    d->decay = tabled && s->has_least ? linsol_decay_sparse : linsol_decay;
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    klu *s = solver->own;
    const bl_direct *d = &s->direct;
    if (s->numeric || d->n == 0) {
        BL_TRY(bl_direct_load(solver, values));
        *ratio = d->n == 0 ? 1 : refactor_numeric(s);
    } else if (!factor_tables(s, values, ratio)) {
        BL_TRY(bl_check_finite(solver->ctx, "matrix", NAN, d->pattern->ptr[d->kept.n], values));
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "klu: matrix entries overflow when they are scaled");
    }
    return BL_OK;
}

/* ---- solution */

/* by KLU's own factors */
static bl_status solve_numeric(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    klu *s = solver->own;
    (transposed ? klu_tsolve : klu_solve)(s->symbolic, s->numeric, s->direct.n, nrhs, x, &s->common);
    return BL_OK;
}

static void solve_one(klu *s, double *b) {
    const bl_kept *kept = &s->direct.kept;
    bl_index n = kept->n, rank = kept->rank;
    const bl_index *in = s->in_one, *out = s->out_one, *dropped_unknown = kept->col + rank;
    const double *in_scale = s->in_one_scale, *out_scale = s->out_one_scale;
    double *y = s->lu.x;
    if (rank > 0) {
        for (bl_index k = 0; k < rank; k++)
            y[k] = b[in[k]] * in_scale[k];
        bl_lu_solve_one(&s->lu);
        y += rank;
        for (bl_index k = 0; k < rank; k++)
            b[out[k]] = y[k] * out_scale[k];
    }
    for (bl_index k = 0; k < n - rank; k++)
        b[dropped_unknown[k]] = 0;
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    klu *s = solver->own;
    if (s->numeric)
        return bl_direct_solve(solver, transposed, nrhs, x);
    const bl_kept *kept = &s->direct.kept;
    bl_index n = kept->n, rank = kept->rank;
    const bl_index *in = s->in[transposed], *out = s->out[transposed], *dropped_unknown = (transposed ? kept->row : kept->col) + rank;
    const double *in_scale = s->in_scale[transposed], *out_scale = s->out_scale[transposed];
    double *y = s->lu.x;
    for (bl_index done = 0; done < nrhs && n > 0; done += GROUP) {
        bl_index group = nrhs - done < GROUP ? nrhs - done : GROUP, stride = group == 1 ? 1 : GROUP;
        double *b = x + (size_t)n * (size_t)done;
        if (group == 1 && !transposed) {
            solve_one(s, b);
            continue;
        }
        for (bl_index c = 0; c < group && rank > 0; c++)
            for (bl_index k = 0; k < rank; k++)
                y[k * stride + c] = b[(size_t)n * (size_t)c + (size_t)in[k]] * in_scale[k];
        if (rank > 0)
            bl_lu_solve(&s->lu, transposed, stride);
        for (bl_index c = 0; c < group; c++, b += n) {
            for (bl_index k = 0; k < rank; k++)
                b[out[k]] = y[k * stride + c] * out_scale[k];
            for (bl_index k = 0; k < n - rank; k++)
                b[dropped_unknown[k]] = 0;
        }
    }
    return BL_OK;
}

/* ---- sign and cost */

static int sign(const bl_linsol *solver) {
    const klu *s = solver->own;
    int sign = s->parity;
    const double *pivot = s->numeric ? s->numeric->Udiag : s->lu.inverse;
    for (bl_index k = 0; k < s->direct.n; k++)
        sign = pivot[k] < 0 ? -sign : sign;
    return sign;
}

/* fraction of updates whose pivots have decayed, so that KLU and the search are called again: 1 to 5 percent in the scenes. Kinds that
 * choose pivots in every factorization have no such cost. */
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
        return price(s->direct.n, s->direct.ptr[s->direct.n], (double)solver->stats.fill, s->products, nrhs);
    double n = s->direct.n, entry_count = (double)lu->nlu, padded = 0;
    for (bl_index k = 0; k < s->direct.n; k++)
        padded += (double)bl_lu_products(lu, k);
    double entries = (double)solver->stats.fill - n, slower = entries > MOST_NEAR ? 1.45 : 1;
    double factor = lu->by_entries ? slower * (11 + 2.3 * n + 1.1 * entries + 0.47 * s->products)
                                   : 1.1 * entry_count + (padded > MOST_CACHED ? 0.6 : 0.4) * padded;
    double one = 7 + 1.5 * n + 0.55 * entries + 2 * lu->nsolve_run, four = 4 + 12.6 * n + 0.66 * entry_count;
    return NEW_PIVOTS * (3000 + 500 * n + 30 * entries) + factor + nrhs / GROUP * four + nrhs % GROUP * one;
}

/* from the counts of AMD, assuming pivots on the diagonal */
static bl_status forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds) {
    klu *s = solver->own;
    bool ready;
    *nanoseconds = INFINITY;
    BL_TRY(bl_direct_begin(solver, values, &ready));
    if (!ready)
        return BL_OK;
    BL_TRY(make_order(solver));
    double n = s->direct.n, nnz = s->direct.ptr[s->direct.n], entries = s->symbolic->lnz + s->symbolic->unz,
           products = s->symbolic->est_flops / 2;
    if (!(entries >= 0 && products >= 0)) { /* another order than AMD: not counted */
        *nanoseconds = NAN;
        return BL_OK;
    }
    *nanoseconds = products > MOST_TABLED ? price(n, nnz, entries, products, nrhs)
                                          : 11 + 2.3 * n + 1.1 * entries + (products > MOST_CACHED ? 0.6 : 0.47) * products +
                                                nrhs * (7 + 3 * n + 0.55 * entries); /* as cost */
    return BL_OK;
}

static const bl_direct_slots slots = {
    .wants = BL_DIRECT_TABLES, .factor = factor, .refactor = refactor, .solve = solve_numeric, .release = release};

const bl_linsol_kind bl_linsol_klu = {
    .kind = {.name = "klu",
             .help = "sparse LU with block triangular form; for all sizes",
             .params = klu_params,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(klu),
    .slots = &slots,
    .create = create,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = solve,
    .cost = cost,
    .forecast = forecast,
    .sign = sign,
};
