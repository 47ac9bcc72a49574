/* The linear problem of a start: least x.x / 2 + g.x on the rows A x = r. With x = S y, S^T (metric) S = 1:
 *
 *     y = z - S^T g,   z the least-norm solution of A S z = r + A S S^T g,
 *
 * hard rows made unit vectors. Guesses are followed in the null space of the hard rows, again with least norm. */
#include "study/start.h"

#include "sparse/sparse.h"
#include "study/close.h"

#include <math.h>
#include <string.h>

enum { MOST_DENSE = 60 };

typedef struct problem {
    bl_start *s;
    bool masses;
    bl_index m, n, nsoft; /* hard rows, columns, guesses */
    bl_index *row;        /* [m + nsoft] of the start */
    double *value;        /* [nentry] coefficients in y, unit rows */
    double *unit;         /* [m + nsoft] 1 / length of each row */
    double *g, *b;        /* [n] S^T g; [max(m, n)] */
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

/* rows in y; the entries of a group in a row follow each other, and S fills the turning part */
static bl_status scale_rows(problem *p, bl_pattern *pattern, double **values, bl_index **storage) {
    bl_start *s = p->s;
    bl_index per = s->per_body, total = p->m + p->nsoft, count = 0, most = 0;
    for (bl_index i = 0; i < total; i++)
        most += per * (s->row[p->row[i]].count + 1);
    bl_index *ptr, *col, *at;
    double *coef;
    BL_TRY(BL_NEW(s->ctx, ptr, (size_t)p->n + 2 + (size_t)total + 1 + 2 * (size_t)most));
    *storage = ptr;
    at = ptr + p->n + 2; /* [total + 1] entries of each row */
    col = at + total + 1;
    bl_index *idx = col + most;
    BL_TRY(BL_NEW(s->ctx, coef, 2 * (size_t)most + 1));
    *values = coef;
    double *by_row = coef + most;
    for (bl_index i = 0; i < total; i++) {
        const bl_start_row *row = &s->row[p->row[i]];
        double square = 0;
        at[i] = count;
        for (bl_index e = row->first; e < row->first + row->count;) {
            bl_index group = s->entry_col[e] / per;
            double x[6] = {0};
            for (; e < row->first + row->count && s->entry_col[e] / per == group; e++)
                x[s->entry_col[e] % per] = s->entry_coef[e];
            if (p->masses)
                scale_group(s, group + 1, true, x);
            for (bl_index k = 0; k < per; k++)
                if (x[k] != 0) {
                    col[count] = group * per + k;
                    by_row[count++] = x[k];
                    square += x[k] * x[k];
                }
        }
        p->unit[i] = row->soft ? 1 : square > 0 ? 1 / sqrt(square) : 0; /* guesses that cannot all be met keep their weights */
        for (bl_index e = at[i]; e < count; e++)
            by_row[e] *= p->unit[i];
    }
    at[total] = count;
    /* by columns */
    for (bl_index e = 0; e < count; e++)
        ptr[col[e] + 2]++;
    for (bl_index j = 0; j < p->n; j++)
        ptr[j + 2] += ptr[j + 1];
    for (bl_index i = 0; i < total; i++)
        for (bl_index e = at[i]; e < at[i + 1]; e++) {
            bl_index slot = ptr[col[e] + 1]++;
            idx[slot] = i;
            coef[slot] = by_row[e];
        }
    *pattern = (bl_pattern){.nrow = total, .ncol = p->n, .ptr = ptr, .idx = idx};
    return BL_OK;
}

static void make_dense(const bl_pattern *pattern, const double *values, bl_index first, bl_index count, double *a) {
    memset(a, 0, (size_t)count * (size_t)pattern->ncol * sizeof *a);
    for (bl_index j = 0; j < pattern->ncol; j++)
        for (bl_index e = pattern->ptr[j]; e < pattern->ptr[j + 1]; e++)
            if (pattern->idx[e] >= first && pattern->idx[e] < first + count)
                a[(size_t)j * (size_t)count + (size_t)(pattern->idx[e] - first)] += values[e];
}

/* hard rows: p->b = least-norm solution */
static bl_status solve_hard(problem *p, const bl_pattern *pattern, const double *values, double tolerance) {
    bl_context *ctx = p->s->ctx;
    bool solved = false;
    bl_index rank = 0;
    if (p->m > MOST_DENSE && p->nsoft == 0)
        BL_TRY(bl_close_sparse(ctx, pattern, values, p->b, &solved));
    if (solved || p->m == 0) {
        if (p->m == 0)
            memset(p->b, 0, (size_t)p->n * sizeof *p->b);
        return BL_OK;
    }
    double *a, *work;
    size_t entries = (size_t)p->m * (size_t)p->n + 1;
    BL_TRY(BL_NEW(ctx, a, entries + bl_least_norm_work(p->m, p->n) + 1));
    work = a + entries;
    make_dense(pattern, values, 0, p->m, a);
    bl_status status = bl_least_norm(ctx, p->m, p->n, a, tolerance, p->b, &rank, work);
    bl_free(ctx, a);
    return status;
}

/* y += N z: guesses met as nearly as the motions N that the hard rows leave allow */
static bl_status follow_guesses(problem *p, const bl_pattern *pattern, const double *values, const double *want, double tolerance) {
    bl_context *ctx = p->s->ctx;
    bl_index rank = 0, k = p->nsoft, n = p->n, m = p->m;
    double *hard = NULL, *soft = NULL;
    BL_TRY(BL_NEW(ctx, hard, ((size_t)m + (size_t)n) * (size_t)n + 1));
    double *basis = hard + (size_t)m * (size_t)n;
    bl_index most = n > k ? n : k;
    bl_status status = BL_NEW(ctx, soft, 2 * (size_t)k * (size_t)n + (size_t)most + bl_least_norm_work(k, n) + 2);
    if (status == BL_OK) {
        double *projected = soft + (size_t)k * (size_t)n, *z = projected + (size_t)k * (size_t)n, *work = z + most;
        make_dense(pattern, values, 0, m, hard);
        make_dense(pattern, values, m, k, soft);
        if (m > 0)
            status = bl_null_space(ctx, m, n, hard, 1e-9, basis, &rank);
        else
            for (bl_index j = 0; j < n; j++)
                basis[(size_t)j * (size_t)n + (size_t)j] = 1;
        bl_index left = n - rank;
        for (bl_index i = 0; i < k; i++) {
            z[i] = want[i];
            for (bl_index j = 0; j < n; j++)
                z[i] -= soft[(size_t)j * (size_t)k + (size_t)i] * p->b[j];
        }
        for (bl_index c = 0; c < left; c++)
            for (bl_index i = 0; i < k; i++) {
                double sum = 0;
                for (bl_index j = 0; j < n; j++)
                    sum += soft[(size_t)j * (size_t)k + (size_t)i] * basis[(size_t)c * (size_t)n + (size_t)j];
                projected[(size_t)c * (size_t)k + (size_t)i] = sum;
            }
        if (status == BL_OK && left > 0)
            status = bl_least_norm(ctx, k, left, projected, tolerance, z, &rank, work);
        for (bl_index c = 0; status == BL_OK && c < left; c++)
            for (bl_index j = 0; j < n; j++)
                p->b[j] += basis[(size_t)c * (size_t)n + (size_t)j] * z[c];
    }
    bl_free(ctx, soft);
    bl_free(ctx, hard);
    return status;
}

static bl_status solve(problem *p, bool guesses, const double *g, double tolerance, double *x) {
    bl_start *s = p->s;
    bl_index per = s->per_body, nrow = s->nrow;
    bl_pattern pattern = {0};
    double *values = NULL;
    bl_index *storage = NULL;
    for (int soft = 0; soft < (guesses ? 2 : 1); soft++)
        for (bl_index i = 0; i < nrow; i++)
            if (s->row[i].counts && s->row[i].count > 0 && s->row[i].soft == (soft == 1)) {
                p->row[p->m + p->nsoft] = i;
                *(soft ? &p->nsoft : &p->m) += 1;
            }
    bl_status status = scale_rows(p, &pattern, &values, &storage);
    double *want = p->b + (p->m > p->n ? p->m : p->n); /* [nsoft] */
    if (status == BL_OK) {
        double *rhs = p->unit + nrow + 1; /* [m + nsoft] */
        for (bl_index j = 0; g && j < p->n; j++)
            p->g[j] = g[j];
        for (bl_index i = 1; g && p->masses && i < s->ngroup; i++)
            scale_group(s, i, true, p->g + (i - 1) * per);
        for (bl_index i = 0; i < p->m + p->nsoft; i++)
            rhs[i] = p->unit[i] * s->row[p->row[i]].rhs;
        for (bl_index j = 0; g && j < p->n; j++)
            for (bl_index e = pattern.ptr[j]; e < pattern.ptr[j + 1]; e++)
                rhs[pattern.idx[e]] += values[e] * p->g[j];
        memcpy(p->b, rhs, (size_t)p->m * sizeof *rhs);
        memcpy(want, rhs + p->m, (size_t)p->nsoft * sizeof *rhs);
        status = solve_hard(p, &pattern, values, tolerance);
    }
    if (status == BL_OK && p->nsoft > 0)
        status = follow_guesses(p, &pattern, values, want, 1e-8);
    if (status == BL_OK) {
        for (bl_index j = 0; j < p->n; j++)
            x[j] = p->b[j] - (g ? p->g[j] : 0);
        for (bl_index i = 1; p->masses && i < s->ngroup; i++)
            scale_group(s, i, false, x + (i - 1) * per);
    }
    bl_free(s->ctx, values);
    bl_free(s->ctx, storage);
    return status;
}

bl_status bl_start_solve(bl_start *s, bool masses, bool guesses, const double *g, double tolerance, double *x) {
    problem p = {.s = s, .masses = masses, .n = (s->ngroup - 1) * s->per_body};
    size_t rows = (size_t)s->nrow + 1, most = rows > (size_t)p.n ? rows : (size_t)p.n;
    bl_status status = BL_NEW(s->ctx, p.row, rows);
    if (status == BL_OK)
        status = BL_NEW(s->ctx, p.unit, 2 * rows + (size_t)p.n + most + rows + 2);
    if (status == BL_OK) {
        p.g = p.unit + 2 * rows;
        p.b = p.g + p.n;
        status = solve(&p, guesses, g, tolerance, x);
    }
    if (status == BL_OK)
        status = bl_check_finite(s->ctx, "assembly", s->t, p.n, x);
    bl_free(s->ctx, p.unit);
    bl_free(s->ctx, p.row);
    return status;
}
