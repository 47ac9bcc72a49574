/* Least-norm solutions x = A^T (A A^T)^-1 b for assemblies of many bodies: A A^T, of normalized rows, in reverse Cuthill-McKee order, is
 * factored inside its envelope. A row that depends on those before it is left out. The pivots of A A^T show this as long as rows are either
 * clearly independent or clearly dependent; the rows of long chains become nearly parallel, and then the elimination of A itself decides.
 * The digits lost by squaring are recovered by refinement. A body that carries many others has columns with as many entries, and A A^T is
 * full: then [1 A^T; A 0] [x; .] = [0; b] is solved with the independent rows. */
#include "study/assembly_private.h"

#include "linsol/linsol.h"
#include "order/order.h"
#include "sparse/elimination.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 4 };
/* Entries of A A^T per entry of A above which it counts as full: chains and loops have some 6. */
static const double WIDE = 64;

typedef struct envelope {
    bl_index m;
    bl_index *position; /* [m] of each row in the order; the arrays below are indexed by position */
    bl_index *first;    /* [m] column where the envelope of the row begins */
    size_t *start;      /* [m + 1] of each row in values */
    double *value;
    double *size, *y; /* [m] 1 / length of each row; right-hand side and solution */
    uint8_t *depends; /* [m] rows found to depend on others. NULL: the pivots of A A^T decide */
    bool lenient;     /* dependent rows need not be satisfied */
} envelope;

static double *entry(const envelope *e, bl_index i, bl_index j) { return &e->value[e->start[i] + (size_t)(j - e->first[i])]; }

/* rows with entries in the same column are neighbors */
static bl_status order_rows(bl_context *ctx, const bl_pattern *A, bl_ordering *order) {
    size_t npair = 0;
    for (bl_index j = 0; j < A->ncol; j++)
        npair += (size_t)(A->ptr[j + 1] - A->ptr[j]) * (size_t)(A->ptr[j + 1] - A->ptr[j]);
    if (npair > (size_t)A->nrow * (size_t)A->nrow) /* nearly every pair of rows are neighbors: no order is better than another */
        return bl_order_pattern(ctx, "natural", A, order);
    if (npair > INT32_MAX / 2)
        return BL_AGAIN;
    bl_index *row;
    BL_TRY(BL_NEW(ctx, row, 2 * npair + 2 * (size_t)A->nrow));
    bl_index *col = row + npair + (size_t)A->nrow, n = 0;
    for (bl_index i = 0; i < A->nrow; i++)
        row[n] = col[n] = i, n++;
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            for (bl_index q = A->ptr[j]; q < A->ptr[j + 1]; q++)
                row[n] = A->idx[p], col[n] = A->idx[q], n++;
    bl_pattern graph = {0};
    bl_status status = bl_pattern_build(ctx, A->nrow, A->nrow, n, row, col, &graph, NULL);
    if (status == BL_OK)
        status = bl_order_pattern(ctx, "rcm", &graph, order);
    bl_pattern_free(ctx, &graph);
    bl_free(ctx, row);
    return status;
}

static bl_status lay_out(bl_context *ctx, const bl_pattern *A, const bl_ordering *order, envelope *e) {
    size_t m = (size_t)A->nrow;
    e->m = A->nrow;
    BL_TRY(BL_NEW(ctx, e->position, 2 * m + 1));
    e->first = e->position + m;
    BL_TRY(BL_NEW(ctx, e->start, m + 1));
    for (bl_index k = 0; k < e->m; k++) {
        e->position[order->row[k]] = k;
        e->first[k] = k;
    }
    for (bl_index j = 0; j < A->ncol; j++) {
        bl_index least = e->m;
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            least = e->position[A->idx[p]] < least ? e->position[A->idx[p]] : least;
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++) {
            bl_index *first = &e->first[e->position[A->idx[p]]];
            *first = least < *first ? least : *first;
        }
    }
    for (size_t k = 0; k < m; k++)
        e->start[k + 1] = e->start[k] + (size_t)((bl_index)k - e->first[k]) + 1;
    BL_TRY(BL_NEW(ctx, e->value, e->start[m] + 2 * m));
    e->size = e->value + e->start[m];
    e->y = e->size + m;
    return BL_OK;
}

/* A A^T with unit diagonal; zero rows are left out */
static void fill(const bl_pattern *A, const double *values, envelope *e) {
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            for (bl_index q = A->ptr[j]; q < A->ptr[j + 1]; q++)
                if (e->position[A->idx[q]] <= e->position[A->idx[p]])
                    *entry(e, e->position[A->idx[p]], e->position[A->idx[q]]) += values[p] * values[q];
    for (bl_index i = 0; i < e->m; i++) {
        double square = *entry(e, i, i);
        e->size[i] = square > 0 ? 1 / sqrt(square) : 0;
        for (bl_index j = e->first[i]; j <= i; j++)
            *entry(e, i, j) *= e->size[i] * e->size[j];
    }
}

/* whether a row is used, by the squared distance to the span of those before it; *clear false: undecided */
static bool is_used(const envelope *e, bl_index i, double square, bool *clear) {
    if (e->depends) {
        *clear = e->depends[i] || square > system_assembly_dependent;
        return !e->depends[i] && square > 0;
    }
    *clear = square > system_assembly_independent || fabs(square) < system_assembly_dependent;
    return square > system_assembly_independent;
}

/* Cholesky in place; a zero diagonal entry marks a row left out. false: a row nearly depends on others. */
static bool factor(envelope *e) {
    for (bl_index i = 0; i < e->m; i++) {
        double *Li = e->value + e->start[i] - e->first[i], square = e->size[i] > 0 ? 1 : 0; /* Li[j]: column j */
        for (bl_index j = e->first[i]; j < i; j++) {
            const double *Lj = e->value + e->start[j] - e->first[j];
            double sum = Li[j];
            for (bl_index k = e->first[i] > e->first[j] ? e->first[i] : e->first[j]; k < j; k++)
                sum -= Li[k] * Lj[k];
            Li[j] = Lj[j] > 0 ? sum / Lj[j] : 0;
            square -= Li[j] * Li[j];
        }
        bool clear, used = is_used(e, i, square, &clear);
        if (!clear)
            return false;
        Li[i] = used ? sqrt(square) : 0;
    }
    return true;
}

static void substitute(const envelope *e, double *y) {
    for (bl_index i = 0; i < e->m; i++) {
        const double *Li = e->value + e->start[i] - e->first[i];
        for (bl_index j = e->first[i]; j < i; j++)
            y[i] -= Li[j] * y[j];
        y[i] = Li[i] > 0 ? y[i] / Li[i] : 0;
    }
    for (bl_index i = e->m - 1; i >= 0; i--) {
        const double *Li = e->value + e->start[i] - e->first[i];
        y[i] = Li[i] > 0 ? y[i] / Li[i] : 0;
        for (bl_index j = e->first[i]; j < i; j++)
            y[j] -= Li[j] * y[i];
    }
}

/* e->y: residual b - A x of the normalized rows; returns its largest entry */
static double residual(const bl_pattern *A, const double *values, envelope *e, const double *b, const double *x) {
    double largest = 0;
    for (bl_index i = 0; i < e->m; i++)
        e->y[e->position[i]] = b[i] * e->size[e->position[i]];
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            e->y[e->position[A->idx[p]]] -= e->size[e->position[A->idx[p]]] * values[p] * x[j];
    for (bl_index i = 0; i < e->m; i++) {
        if (e->lenient && e->depends[i])
            e->y[i] = 0;
        largest = fabs(e->y[i]) <= largest ? largest : fabs(e->y[i]);
    }
    return largest;
}

/* x[n], zero on entry, from b[m]; false: a row left out is not satisfied */
static bool solve(const bl_pattern *A, const double *values, envelope *e, const double *b, double *x) {
    double largest = residual(A, values, e, b, x), rest = largest;
    for (int round = 0; round < REFINEMENTS; round++) {
        substitute(e, e->y);
        for (bl_index j = 0; j < A->ncol; j++)
            for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
                x[j] += values[p] * e->size[e->position[A->idx[p]]] * e->y[e->position[A->idx[p]]];
        double before = rest;
        rest = residual(A, values, e, b, x);
        if (rest <= system_assembly_consistent * (1 + largest))
            return true;
        if (!(rest < 0.5 * before))
            break;
    }
    return false;
}

/* which rows depend on others, by elimination of A: with normalized rows, or unscaled (lenient) relative to at least `size` */
static bl_status find_dependent(bl_context *ctx, const bl_pattern *A, const double *values, double tolerance, double size, envelope *e) {
    double *length = NULL;
    bl_elimination found = {0};
    bl_status status = BL_NEW(ctx, e->depends, e->m);
    if (status == BL_OK)
        status = BL_NEW(ctx, length, e->m);
    if (status == BL_OK) {
        for (bl_index i = 0; i < e->m; i++)
            length[i] = e->size[e->position[i]] > 0 ? 1 / e->size[e->position[i]] : 1;
        bl_elimination_input in = {.pattern = A, .value = values, .tolerance = tolerance, .size = size};
        if (!e->lenient)
            in.row_scale = length;
        status = bl_elimination_run(ctx, &in, &found);
    }
    for (bl_index k = found.rank; k < e->m && status == BL_OK; k++)
        e->depends[e->position[found.row[k]]] = 1;
    bl_elimination_free(&found);
    bl_free(ctx, length);
    return status;
}

/* decides dependence by the pivots of A A^T or, where these leave it undecided, by elimination of A */
static bl_status factor_and_solve(bl_context *ctx, const bl_pattern *A, const double *values, envelope *e, const double *b, double *x,
                                  bool *solved) {
    fill(A, values, e);
    if (factor(e)) {
        *solved = solve(A, values, e, b, x);
        return BL_OK;
    }
    BL_TRY(find_dependent(ctx, A, values, system_assembly_rank, 0, e));
    memset(e->value, 0, e->start[e->m] * sizeof *e->value);
    fill(A, values, e);
    *solved = factor(e) && solve(A, values, e, b, x);
    return BL_OK;
}

/* ---- columns with entries of many rows */

static bool is_wide(const bl_pattern *A) {
    double pairs = 0;
    for (bl_index j = 0; j < A->ncol; j++)
        pairs += (double)(A->ptr[j + 1] - A->ptr[j]) * (double)(A->ptr[j + 1] - A->ptr[j]);
    return pairs > WIDE * (double)A->ptr[A->ncol];
}

/* lengths of the rows, in their own order */
static bl_status lay_out_rows(bl_context *ctx, const bl_pattern *A, const double *values, envelope *e) {
    size_t m = (size_t)A->nrow;
    e->m = A->nrow;
    BL_TRY(BL_NEW(ctx, e->position, m));
    BL_TRY(BL_NEW(ctx, e->value, 2 * m));
    e->size = e->value;
    e->y = e->size + m;
    for (bl_index j = 0; j < A->ncol; j++)
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++)
            e->size[A->idx[p]] += values[p] * values[p];
    for (bl_index i = 0; i < e->m; i++) {
        e->position[i] = i;
        e->size[i] = e->size[i] > 0 ? 1 / sqrt(e->size[i]) : 0;
    }
    return BL_OK;
}

/* [1 A^T; A 0] with normalized rows; a dependent row has only a 1 on the diagonal. triplet[2 count], value[count]: scratch */
static bl_status augmented_matrix(bl_context *ctx, const bl_pattern *A, const double *values, const envelope *e, bl_index *triplet,
                                  double *value, bl_pattern *pattern, double **filled) {
    bl_index n = A->ncol, count = 0, *slot;
    size_t most = (size_t)n + (size_t)e->m + 2 * (size_t)A->ptr[n];
    bl_index *row = triplet, *col = triplet + most;
    for (bl_index j = 0; j < n; j++) {
        row[count] = col[count] = j;
        value[count++] = 1;
        for (bl_index p = A->ptr[j]; p < A->ptr[j + 1]; p++) {
            bl_index i = A->idx[p];
            if (e->depends[i])
                continue;
            row[count] = n + i, col[count] = j;
            row[count + 1] = j, col[count + 1] = n + i;
            value[count] = value[count + 1] = values[p] * e->size[i];
            count += 2;
        }
    }
    for (bl_index i = 0; i < e->m; i++)
        if (e->depends[i]) {
            row[count] = col[count] = n + i;
            value[count++] = 1;
        }
    BL_TRY(BL_NEW(ctx, slot, most));
    bl_status status = bl_pattern_build(ctx, n + e->m, n + e->m, count, row, col, pattern, slot);
    if (status == BL_OK)
        status = BL_NEW(ctx, *filled, pattern->ptr[pattern->ncol]);
    for (bl_index k = 0; k < count && status == BL_OK; k++)
        (*filled)[slot[k]] += value[k];
    bl_free(ctx, slot);
    return status;
}

/* as solve above */
static bl_status solve_augmented(const bl_pattern *A, const double *values, envelope *e, bl_linsol *solver, const double *b, double *x,
                                 double *rhs, bool *solved) {
    bl_index n = A->ncol;
    double largest = residual(A, values, e, b, x), rest = largest;
    for (int round = 0; round < REFINEMENTS && !*solved; round++) {
        memset(rhs, 0, (size_t)n * sizeof *rhs);
        for (bl_index i = 0; i < e->m; i++)
            rhs[n + i] = e->depends[i] ? 0 : e->y[i];
        BL_TRY(bl_linsol_solve(solver, false, 1, rhs));
        for (bl_index j = 0; j < n; j++)
            x[j] += rhs[j];
        double before = rest;
        rest = residual(A, values, e, b, x);
        *solved = rest <= system_assembly_consistent * (1 + largest);
        if (!(rest < 0.5 * before))
            break;
    }
    return BL_OK;
}

static bl_status assemble_augmented(bl_context *ctx, const bl_pattern *A, const double *values, double tolerance, double size, envelope *e,
                                    const double *b, double *x, bool *solved) {
    size_t most = (size_t)A->ncol + (size_t)A->nrow + 2 * (size_t)A->ptr[A->ncol];
    bl_index *triplet = NULL;
    double *value = NULL, *filled = NULL;
    bl_pattern pattern = {0};
    bl_linsol *solver = NULL;
    bl_status status = lay_out_rows(ctx, A, values, e);
    if (status == BL_OK)
        status = find_dependent(ctx, A, values, e->lenient ? tolerance : system_assembly_rank, e->lenient ? size : 0, e);
    if (status == BL_OK)
        status = BL_NEW(ctx, triplet, 2 * most);
    if (status == BL_OK)
        status = BL_NEW(ctx, value, most);
    if (status == BL_OK)
        status = augmented_matrix(ctx, A, values, e, triplet, value, &pattern, &filled);
    if (status == BL_OK)
        status = bl_linsol_create(ctx, "klu", &solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(solver, &pattern, NULL, BL_REFUSE, 0);
    if (status == BL_OK)
        status = bl_linsol_factor(solver, filled);
    if (status == BL_OK)
        status = solve_augmented(A, values, e, solver, b, x, value, solved);
    if (status > 0) { /* not solved: the caller tries other methods */
        bl_context_clear_error(ctx);
        status = BL_OK;
        *solved = false;
    }
    bl_linsol_destroy(solver);
    bl_pattern_free(ctx, &pattern);
    bl_free(ctx, filled);
    bl_free(ctx, value);
    bl_free(ctx, triplet);
    return status;
}

/* tolerance > 0: rows that depend on others within it are left out, satisfied or not */
static bl_status least_norm_within(bl_context *ctx, const bl_pattern *pattern, const double *values, double tolerance, double size,
                                   double *b, bool *solved) {
    bl_ordering order = {0};
    envelope e = {.lenient = tolerance > 0};
    double *x = NULL;
    *solved = false;
    bool wide = is_wide(pattern);
    bl_status status = BL_NEW(ctx, x, pattern->ncol);
    if (wide && status == BL_OK)
        status = assemble_augmented(ctx, pattern, values, tolerance, size, &e, b, x, solved);
    if (!wide && status == BL_OK)
        status = order_rows(ctx, pattern, &order);
    if (!wide && status == BL_OK)
        status = lay_out(ctx, pattern, &order, &e);
    if (!wide && status == BL_OK) {
        if (e.lenient) {
            fill(pattern, values, &e);
            status = find_dependent(ctx, pattern, values, tolerance, size, &e);
            *solved = status == BL_OK && factor(&e) && solve(pattern, values, &e, b, x);
        } else
            status = factor_and_solve(ctx, pattern, values, &e, b, x, solved);
    }
    if (status == BL_OK && *solved)
        memcpy(b, x, (size_t)pattern->ncol * sizeof *b);
    bl_ordering_free(ctx, &order);
    bl_free(ctx, e.position);
    bl_free(ctx, e.start);
    bl_free(ctx, e.value);
    bl_free(ctx, e.depends);
    bl_free(ctx, x);
    return status == BL_AGAIN ? BL_OK : status;
}

bl_status bl_assembly_sparse(bl_context *ctx, const bl_pattern *pattern, const double *values, double *b, bool *solved) {
    return least_norm_within(ctx, pattern, values, 0, 0, b, solved);
}

bl_status bl_assembly_independent(bl_context *ctx, const bl_pattern *pattern, const double *values, double tolerance, double size,
                                  double *b, bool *solved) {
    return least_norm_within(ctx, pattern, values, tolerance, size, b, solved);
}
