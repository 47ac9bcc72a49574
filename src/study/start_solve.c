/* The linear problem of a start: minimize x.x / 2 + g.x subject to A x = r. With x = S y, S^T (metric) S = 1:
 *
 *     y = z - S^T g,   z the least-norm solution of A S z = r + A S S^T g,
 *
 * hard rows are normalized. Guesses are followed in the null space of the hard rows, again with least norm. */
#include "study/start.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/assembly_private.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_DENSE = 60 };

typedef struct problem {
    bl_start *s;
    bool masses;
    bl_index m, n, nsoft; /* hard rows, columns, guesses */
    bl_index most;        /* entries at most */
    bl_index *row;        /* [m + nsoft] of the start */
    bl_index *group;      /* [m] the first hard row of the same owner */
    bl_index *at, *col;   /* [m + nsoft + 1], [most] by rows */
    bl_index *ptr, *idx;  /* [n + 2], [most] by columns */
    bl_pattern pattern;   /* the latter */
    double *by_row, *value, *unit, *rhs, *g, *b, *dense;
} problem;

/* z = C^-1 w, C lower triangular */
static void forward(const double C[6], double w[3]) {
    w[0] /= C[0];
    w[1] = (w[1] - C[1] * w[0]) / C[2];
    w[2] = (w[2] - C[3] * w[0] - C[4] * w[1]) / C[5];
}

/* w = C^-T z */
static void backward(const double C[6], double z[3]) {
    z[2] /= C[5];
    z[1] = (z[1] - C[4] * z[2]) / C[2];
    z[0] = (z[0] - C[1] * z[1] - C[3] * z[2]) / C[0];
}

/* S^T x (transposed) or S y of one group, in place */
static void scale_group(const bl_start *s, bl_index group, bool transposed, double *x) {
    const bl_start_group *g = &s->at[group];
    int dim = s->model->dim;
    for (int k = 0; k < dim; k++)
        x[k] /= sqrt(g->mass);
    if (dim == 2)
        x[2] /= g->factor[5];
    else if (transposed)
        forward(g->factor, x + 3);
    else
        backward(g->factor, x + 3);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* selects rows and reserves workspace: one block of indices, one of numbers, reused by the next call */
static bl_status lay_out(problem *p, bool guesses) {
    bl_start *s = p->s;
    BL_TRY(BL_RESERVE(s->ctx, s->indices, s->index_room, 2 * s->nrow + 2));
    p->row = s->indices;
    for (int soft = 0; soft < (guesses ? 2 : 1); soft++)
        for (bl_index i = 0; i < s->nrow; i++)
            if (s->row[i].counts && s->row[i].count > 0 && s->row[i].soft == (soft == 1)) {
                p->row[p->m + p->nsoft] = i;
                *(soft ? &p->nsoft : &p->m) += 1;
                p->most += s->per_body * s->row[i].count;
            }
    bl_index total = p->m + p->nsoft;
    BL_TRY(BL_RESERVE(s->ctx, s->indices, s->index_room, 3 * total + 1 + p->n + 2 + 2 * p->most));
    p->row = s->indices;
    p->group = p->row + total;
    p->at = p->group + total;
    p->ptr = p->at + total + 1;
    p->col = p->ptr + p->n + 2;
    p->idx = p->col + p->most;
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->nsoft, entries = (size_t)p->most;
    size_t numbers = 2 * entries + 2 * (m + k) + n + larger(m, n) + larger(k, n) + 1;
    bool dense = p->m <= MOST_DENSE || k > 0;
    size_t dense_numbers =
        dense ? larger(m * n + bl_least_norm_work(p->m, p->n), k ? (m + n + 2 * k) * n + bl_least_norm_work(p->nsoft, p->n) : 0) : 0;
    if (numbers + dense_numbers + 8 > INT32_MAX)
        return BL_E_MEMORY;
    BL_TRY(BL_RESERVE(s->ctx, s->work, s->work_room, (bl_index)(numbers + dense_numbers + 8)));
    p->by_row = s->work;
    p->value = p->by_row + entries;
    p->unit = p->value + entries;
    p->rhs = p->unit + m + k;
    p->g = p->rhs + m + k;
    p->b = p->g + n;
    p->dense = s->work + numbers;
    return BL_OK;
}

/* rows in terms of y; the entries of a group in a row are consecutive, and S fills the rotational part */
static void scale_rows(problem *p) {
    const bl_start *s = p->s;
    bl_index per = s->per_body, total = p->m + p->nsoft, count = 0;
    for (bl_index i = 0; i < total; i++) {
        const bl_start_row *row = &s->row[p->row[i]];
        double square = 0;
        p->at[i] = count;
        for (bl_index e = row->first; e < row->first + row->count;) {
            bl_index group = s->entry_col[e] / per;
            double x[6] = {0};
            for (; e < row->first + row->count && s->entry_col[e] / per == group; e++)
                x[s->entry_col[e] % per] = s->entry_coef[e];
            if (p->masses)
                scale_group(s, group + 1, true, x);
            for (bl_index k = 0; k < per; k++)
                if (x[k] != 0) {
                    p->col[count] = group * per + k;
                    p->by_row[count++] = x[k];
                    square += x[k] * x[k];
                }
        }
        p->unit[i] = row->soft    ? 1
                     : square > 0 ? 1 / sqrt(square)
                                  : 0; /* guesses are not normalized: their weights matter if not all can be met */
        for (bl_index e = p->at[i]; e < count; e++)
            p->by_row[e] *= p->unit[i];
        p->rhs[i] = p->unit[i] * row->rhs;
        p->group[i] = i > 0 && s->row[p->row[i - 1]].owner == row->owner ? p->group[i - 1] : i;
    }
    p->at[total] = count;
    memset(p->ptr, 0, ((size_t)p->n + 2) * sizeof *p->ptr);
    for (bl_index e = 0; e < count; e++)
        p->ptr[p->col[e] + 2]++;
    for (bl_index j = 0; j < p->n; j++)
        p->ptr[j + 2] += p->ptr[j + 1];
    for (bl_index i = 0; i < total; i++)
        for (bl_index e = p->at[i]; e < p->at[i + 1]; e++) {
            bl_index slot = p->ptr[p->col[e] + 1]++;
            p->idx[slot] = i;
            p->value[slot] = p->by_row[e];
        }
    p->pattern = (bl_pattern){.nrow = total, .ncol = p->n, .ptr = p->ptr, .idx = p->idx};
}

static void make_dense(const problem *p, bl_index first, bl_index count, double *a) {
    memset(a, 0, (size_t)count * (size_t)p->n * sizeof *a);
    for (bl_index i = first; i < first + count; i++)
        for (bl_index e = p->at[i]; e < p->at[i + 1]; e++)
            a[(size_t)p->col[e] * (size_t)count + (size_t)(i - first)] += p->by_row[e];
}

/* hard rows: p->b = least-norm solution */
static bl_status solve_hard(problem *p, double tolerance) {
    bl_context *ctx = p->s->ctx;
    bool solved = false, many = p->m > MOST_DENSE && p->nsoft == 0,
         sparse = many && !(p->s->closure > 0); /* with a closure tolerance singular values decide */
    bl_index rank = 0;
    if (p->m == 0) {
        memset(p->b, 0, (size_t)p->n * sizeof *p->b);
        return BL_OK;
    }
    if (sparse)
        BL_TRY(bl_assembly_determined(ctx, &p->pattern, p->value, p->group, p->b, &solved));
    if (sparse && !solved)
        BL_TRY(bl_assembly_sparse(ctx, &p->pattern, p->value, p->b, &solved));
    if (solved)
        return BL_OK;
    double *a = p->dense;
    size_t entries = (size_t)p->m * (size_t)p->n;
    if (many)
        BL_TRY(BL_NEW(ctx, a, entries + bl_least_norm_work(p->m, p->n) + 1));
    make_dense(p, 0, p->m, a);
    bl_status status = bl_least_norm(ctx, p->m, p->n, a, tolerance, p->b, &rank, a + entries);
    if (many)
        bl_free(ctx, a);
    return status;
}

/* y += N z: follows guesses as closely as the null space N of the hard rows allows */
static bl_status follow_guesses(problem *p) {
    bl_context *ctx = p->s->ctx;
    bl_index rank = 0, k = p->nsoft, n = p->n, m = p->m;
    double *z = p->b + larger((size_t)m, (size_t)n); /* [max(k, n)] */
    double *hard = p->dense, *basis = hard + (size_t)m * (size_t)n, *soft = basis + (size_t)n * (size_t)n;
    double *projected = soft + (size_t)k * (size_t)n, *work = projected + (size_t)k * (size_t)n;
    make_dense(p, 0, m, hard);
    make_dense(p, m, k, soft);
    memset(basis, 0, (size_t)n * (size_t)n * sizeof *basis);
    for (bl_index j = 0; j < n && m == 0; j++)
        basis[(size_t)j * (size_t)n + (size_t)j] = 1;
    if (m > 0)
        BL_TRY(bl_null_space(ctx, m, n, hard, bl_rank_tolerance(p->s->closure), basis, &rank));
    bl_index left = n - rank;
    for (bl_index i = 0; i < k; i++) {
        z[i] = p->rhs[m + i];
        for (bl_index j = 0; j < n; j++)
            z[i] -= soft[(size_t)j * (size_t)k + (size_t)i] * p->b[j];
    }
    bool open = false;
    for (bl_index i = 0; i < k; i++) {
        double square = 0;
        for (bl_index j = 0; j < n; j++)
            square += pow(soft[(size_t)j * (size_t)k + (size_t)i], 2);
        for (bl_index c = 0; c < left; c++) {
            double sum = 0;
            for (bl_index j = 0; j < n; j++)
                sum += soft[(size_t)j * (size_t)k + (size_t)i] * basis[(size_t)c * (size_t)n + (size_t)j];
            bool rounding = fabs(sum) <= bl_rank_tolerance(p->s->closure) * sqrt(square); /* the hard rows determine this guess */
            projected[(size_t)c * (size_t)k + (size_t)i] = rounding ? 0 : sum;
            open = open || !rounding;
        }
    }
    if (!open)
        return BL_OK;
    if (left > 0)
        BL_TRY(bl_least_norm(ctx, k, left, projected, system_least_change_rank, z, &rank, work));
    for (bl_index c = 0; c < left; c++)
        for (bl_index j = 0; j < n; j++)
            p->b[j] += basis[(size_t)c * (size_t)n + (size_t)j] * z[c];
    return BL_OK;
}

/* Which rows are redundant depends on dimensions, not on masses: with a rod without axial inertia the other rows would look like rounding.
 * With a closure tolerance, redundant rows are found from the geometry and left out: dropped[i]. */
static bl_status drop_dependent(problem *p, bool *dropped) {
    bl_context *ctx = p->s->ctx;
    size_t m = (size_t)p->m, n = (size_t)p->n;
    bl_index *order = NULL, rank = 0;
    double *a = NULL;
    bool masses = p->masses;
    p->masses = false;
    scale_rows(p);
    p->masses = masses;
    bl_status status = BL_NEW(ctx, a, m * n + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, order, m + n + 1);
    if (status == BL_OK) {
        make_dense(p, 0, p->m, a);
        bl_rank_reveal(p->m, p->n, a, NULL, NULL, NULL, bl_rank_tolerance(p->s->closure), order, order + m, &rank, NULL);
        for (bl_index i = rank; i < p->m; i++)
            dropped[order[i]] = true;
    }
    bl_free(ctx, a);
    bl_free(ctx, order);
    return status;
}

static void leave_out(problem *p, const bool *dropped) {
    for (bl_index i = 0; i < p->m; i++)
        for (bl_index e = p->at[i]; e < p->at[i + 1]; e++)
            p->by_row[e] = dropped[i] ? 0 : p->by_row[e];
    for (bl_index e = 0; e < p->ptr[p->n]; e++)
        p->value[e] = p->idx[e] < p->m && dropped[p->idx[e]] ? 0 : p->value[e];
    for (bl_index i = 0; i < p->m; i++)
        p->rhs[i] = dropped[i] ? 0 : p->rhs[i];
}

/* rows in terms of y, without dropped ones */
static bl_status make_rows(problem *p, double *tolerance) {
    bool *dropped = NULL, geometry = p->masses && p->s->closure > 0 && p->m > 0;
    bl_status status = geometry ? BL_NEW(p->s->ctx, dropped, p->m) : BL_OK;
    if (status == BL_OK && geometry)
        status = drop_dependent(p, dropped);
    if (status == BL_OK)
        scale_rows(p);
    if (status == BL_OK && geometry) {
        leave_out(p, dropped);
        *tolerance = system_massless; /* the remaining rows are independent, however small masses make them */
    }
    bl_free(p->s->ctx, dropped);
    return status;
}

bl_status bl_start_solve(bl_start *s, bool masses, bool guesses, const double *g, double tolerance, double *x) {
    problem p = {.s = s, .masses = masses, .n = (s->ngroup - 1) * s->per_body};
    bl_index per = s->per_body;
    BL_TRY(lay_out(&p, guesses));
    BL_TRY(make_rows(&p, &tolerance));
    memset(p.g, 0, (size_t)p.n * sizeof *p.g);
    for (bl_index j = 0; g && j < p.n; j++)
        p.g[j] = g[j];
    for (bl_index i = 1; g && masses && i < s->ngroup; i++)
        scale_group(s, i, true, p.g + (i - 1) * per);
    for (bl_index i = 0; g && i < p.m + p.nsoft; i++)
        for (bl_index e = p.at[i]; e < p.at[i + 1]; e++)
            p.rhs[i] += p.by_row[e] * p.g[p.col[e]];
    memcpy(p.b, p.rhs, (size_t)p.m * sizeof *p.b);
    BL_TRY(solve_hard(&p, tolerance));
    if (p.nsoft > 0)
        BL_TRY(follow_guesses(&p));
    for (bl_index j = 0; j < p.n; j++)
        x[j] = p.b[j] - p.g[j];
    for (bl_index i = 1; masses && i < s->ngroup; i++)
        scale_group(s, i, false, x + (i - 1) * per);
    return bl_check_finite(s->ctx, "assembly", s->t, p.n, x);
}
