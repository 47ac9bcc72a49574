/* L D U with known pivots, row and column of one pivot after the other: step k divides column k by its pivot, subtracts
 * L(i,k) A(k,j) wherever both stand, and divides row k too. The place of every product is tabled, so that entries are
 * updated where they stand, and all products of a step are independent of each other. Columns of L and rows of U are padded to multiples
 * of four with zeros, so that inner loops have no remainder to guess. */
#include "linsol/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

void bl_lu_free(bl_lu *lu) {
    void *blocks[] = {lu->block, lu->row,    lu->col,   lu->lu,    lu->u_start, lu->l_start, lu->nu,
                      lu->idx,   lu->target, lu->f_ptr, lu->f_idx, lu->to,      lu->inverse, lu->x};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        bl_free(lu->ctx, blocks[i]);
    memset(lu, 0, sizeof *lu);
}

/* ---- tables */

static bl_status copy(bl_context *ctx, bl_index n, const bl_index *from, bl_index **to) {
    BL_TRY(BL_NEW(ctx, *to, n));
    if (n)
        memcpy(*to, from, (size_t)n * sizeof *from);
    return BL_OK;
}

static void sort(bl_index n, bl_index *x) {
    for (bl_index i = 1; i < n; i++) {
        bl_index value = x[i], j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

static bl_index fours(bl_index n) { return (n + 3) / 4 * 4; }

/* where rows of U and columns of L start, and their indices */
static bl_status build_steps(const bl_lu_plan *plan, bl_lu *lu) {
    bl_index n = plan->n, spare = 0;
    int64_t at = 0;
    BL_TRY(BL_NEW(lu->ctx, lu->u_start, n + 1));
    BL_TRY(BL_NEW(lu->ctx, lu->l_start, n + 1));
    BL_TRY(BL_NEW(lu->ctx, lu->nu, n));
    for (bl_index p = 0; p < plan->u_ptr[n]; p++)
        lu->nu[plan->u_idx[p]]++;
    for (bl_index k = 0; k < n; k++) {
        lu->nu[k]--; /* the diagonal stands apart */
        bl_index nl = 0;
        for (bl_index p = plan->l_ptr[k]; p < plan->l_ptr[k + 1]; p++)
            nl += plan->l_idx[p] != k;
        lu->u_start[k] = (bl_index)at + 1;
        lu->l_start[k] = lu->u_start[k] + fours(lu->nu[k]);
        at = (int64_t)lu->l_start[k] + fours(nl);
        if (at > INT32_MAX - 8 * (int64_t)n)
            return bl_fail(lu->ctx, BL_E_MEMORY, NULL, "factors of order %d have too many entries", n);
    }
    lu->u_start[n] = (bl_index)at + 1;
    lu->l_start[n] = (bl_index)at;
    BL_TRY(BL_NEW(lu->ctx, lu->idx, at));
    for (bl_index k = 0; k < n; k++) {
        bl_index used = lu->l_start[k];
        for (bl_index p = plan->l_ptr[k]; p < plan->l_ptr[k + 1]; p++)
            if (plan->l_idx[p] != k)
                lu->idx[used++] = plan->l_idx[p];
        sort(used - lu->l_start[k], lu->idx + lu->l_start[k]);
        while (used < lu->u_start[k + 1] - 1)
            lu->idx[used++] = n + spare++ % BL_LU_SPARE;
        for (used = lu->u_start[k] + lu->nu[k]; used < lu->l_start[k]; used++)
            lu->idx[used] = n + spare++ % BL_LU_SPARE;
    }
    return BL_OK;
}

typedef struct scratch {
    bl_index *place;        /* [n] of row i in the present column */
    bl_index *seen;         /* [n] columns of row k of U met so far */
    bl_index *first;        /* [n] product of step k */
    bl_index *pivot_of_row; /* [n] */
} scratch;

/* The column's entries of U (rows above) get their places as columns come in ascending order, and with them the products. */
static void build_column(const bl_lu_plan *plan, bl_lu *lu, scratch *w, bl_index j, bl_index block) {
    const bl_pattern *a = plan->a;
    bl_index n = plan->n, spare_at = (bl_index)(lu->nlu - BL_LU_SPARE);
    for (bl_index p = lu->l_start[j]; p < lu->u_start[j + 1] - 1; p++)
        if (lu->idx[p] < n)
            w->place[lu->idx[p]] = p;
    w->place[j] = lu->u_start[j] - 1;
    for (bl_index p = plan->u_ptr[j]; p < plan->u_ptr[j + 1]; p++) {
        bl_index k = plan->u_idx[p];
        if (k == j)
            continue;
        w->place[k] = lu->u_start[k] + w->seen[k];
        lu->idx[w->place[k]] = j;
    }
    for (bl_index p = plan->u_ptr[j]; p < plan->u_ptr[j + 1]; p++) {
        bl_index k = plan->u_idx[p];
        if (k == j)
            continue;
        bl_index nl = lu->u_start[k + 1] - 1 - lu->l_start[k], *target = lu->target + w->first[k] + w->seen[k]++ * nl;
        for (bl_index q = 0; q < nl; q++) {
            bl_index i = lu->idx[lu->l_start[k] + q];
            target[q] = i < n ? w->place[i] : spare_at + (q + k + j) % BL_LU_SPARE;
        }
    }
    for (bl_index p = a->ptr[plan->col[j]]; p < a->ptr[plan->col[j] + 1]; p++) {
        bl_index i = w->pivot_of_row[a->idx[p]];
        if (i >= block) {
            lu->to[p] = w->place[i];
            continue;
        }
        bl_index q = plan->f_ptr[j];
        while (plan->f_idx[q] != i)
            q++;
        lu->to[p] = lu->l_start[n] + q;
    }
}

static bl_status build_tables(const bl_lu_plan *plan, bl_lu *lu, scratch *w) {
    bl_index n = plan->n, nf = plan->f_ptr ? plan->f_ptr[n] : 0;
    int64_t products = 0;
    for (bl_index k = 0; k < n; k++) {
        w->first[k] = (bl_index)products;
        w->pivot_of_row[plan->row[k]] = k;
        products += (int64_t)lu->nu[k] * (lu->u_start[k + 1] - 1 - lu->l_start[k]);
        if (products > INT32_MAX)
            return bl_fail(lu->ctx, BL_E_MEMORY, NULL, "factors of order %d take more than %d products", n, INT32_MAX);
    }
    lu->nlu = (size_t)lu->l_start[n] + (size_t)nf + BL_LU_SPARE;
    lu->na = plan->a->ptr[n];
    BL_TRY(BL_NEW(lu->ctx, lu->target, products));
    BL_TRY(BL_NEW(lu->ctx, lu->to, lu->na));
    BL_TRY(BL_NEW(lu->ctx, lu->lu, lu->nlu));
    BL_TRY(copy(lu->ctx, nf, plan->f_idx, &lu->f_idx));
    BL_TRY(BL_NEW(lu->ctx, lu->f_ptr, n + 1));
    for (bl_index k = 0; k <= n && plan->f_ptr; k++)
        lu->f_ptr[k] = plan->f_ptr[k];
    for (bl_index b = 0; b < plan->nblock; b++)
        for (bl_index j = plan->block[b]; j < plan->block[b + 1]; j++)
            build_column(plan, lu, w, j, plan->block[b]);
    return BL_OK;
}

bl_status bl_lu_build(bl_context *ctx, const bl_lu_plan *plan, bl_lu *lu) {
    bl_lu_free(lu);
    size_t n = (size_t)plan->n;
    lu->ctx = ctx;
    lu->n = plan->n;
    lu->nblock = plan->nblock;
    BL_TRY(copy(ctx, plan->nblock + 1, plan->block, &lu->block));
    BL_TRY(copy(ctx, plan->n, plan->row, &lu->row));
    BL_TRY(copy(ctx, plan->n, plan->col, &lu->col));
    BL_TRY(BL_NEW(ctx, lu->inverse, n));
    BL_TRY(BL_NEW(ctx, lu->x, 4 * (n + BL_LU_SPARE)));
    BL_TRY(build_steps(plan, lu));
    bl_index *work;
    BL_TRY(BL_NEW(ctx, work, 4 * n));
    bl_status status = build_tables(plan, lu, &(scratch){work, work + n, work + 2 * n, work + 3 * n});
    bl_free(ctx, work);
    return status;
}

/* ---- factor */

/* entries of A to their places; false when one is not finite */
static bool scatter(bl_lu *lu, const double *values, const bl_index *from, const double *by) {
    const bl_index *to = lu->to;
    bl_index n = lu->na, k = 0;
    double bad[4] = {0}; /* value - value is 0, or NaN from NaN and infinity */
    memset(lu->lu, 0, lu->nlu * sizeof *lu->lu);
    for (; k + 4 <= n; k += 4)
        for (bl_index c = 0; c < 4; c++) {
            double value = values[from[k + c]] * by[k + c];
            lu->lu[to[k + c]] = value;
            bad[c] += value - value;
        }
    for (; k < n; k++) {
        double value = values[from[k]] * by[k];
        lu->lu[to[k]] = value;
        bad[0] += value - value;
    }
    return bad[0] + bad[1] + bad[2] + bad[3] == 0;
}

bool bl_lu_factor(bl_lu *lu, const double *values, const bl_index *from, const double *by) {
    if (!scatter(lu, values, from, by))
        return false;
    double *a = lu->lu, smallest = INFINITY, largest = 0;
    const bl_index *target = lu->target;
    int bad = 0;
    for (bl_index k = 0; k < lu->n; k++) {
        double *u = a + lu->u_start[k], *u_end = u + lu->nu[k];
        double *l = a + lu->l_start[k], *l_end = a + lu->u_start[k + 1] - 1;
        double pivot = u[-1], size = fabs(pivot), inverse = 1 / pivot;
        bad |= !(size > 0 && size <= DBL_MAX);
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
        lu->inverse[k] = inverse;
        for (double *p = l; p < l_end; p++)
            *p *= inverse;
        for (; u < u_end; u++) {
            double factor = *u;
            *u = factor * inverse;
            for (const double *p = l; p < l_end; p += 4, target += 4) {
                double p0 = p[0] * factor, p1 = p[1] * factor, p2 = p[2] * factor, p3 = p[3] * factor;
                a[target[0]] -= p0;
                a[target[1]] -= p1;
                a[target[2]] -= p2;
                a[target[3]] -= p3;
            }
        }
    }
    lu->smallest = bad ? 0 : smallest;
    lu->largest = largest;
    return true;
}

/* ---- solve: for one right-hand side, and for four side by side */

/* x -= y times the entries of a part of `lu`, four at a time; parts are padded */
static inline void subtract_part(const bl_lu *lu, bl_index from, bl_index to, double y, double *x) {
    const double *a = lu->lu;
    for (bl_index p = from; p < to; p += 4) {
        const bl_index *at = lu->idx + p;
        double p0 = a[p] * y, p1 = a[p + 1] * y, p2 = a[p + 2] * y, p3 = a[p + 3] * y;
        x[at[0]] -= p0;
        x[at[1]] -= p1;
        x[at[2]] -= p2;
        x[at[3]] -= p3;
    }
}

/* sum minus the products of a part with x; what was found last, the nearest, comes in last: nothing else waits for it */
static inline double less_part(const bl_lu *lu, bl_index from, bl_index to, double sum, const double *x) {
    if (from >= to)
        return sum;
    const double *a = lu->lu;
    const bl_index *at = lu->idx + from;
    double s1 = a[from + 1] * x[at[1]], s2 = a[from + 2] * x[at[2]], s3 = a[from + 3] * x[at[3]];
    for (bl_index q = from + 4; q < to; q += 4) {
        const bl_index *far = lu->idx + q;
        sum -= a[q] * x[far[0]];
        s1 += a[q + 1] * x[far[1]];
        s2 += a[q + 2] * x[far[2]];
        s3 += a[q + 3] * x[far[3]];
    }
    sum -= s3 + s2;
    sum -= s1;
    return sum - a[from] * x[at[0]];
}

static void solve_one(const bl_lu *lu) {
    double *x = lu->x;
    const double *f = lu->lu + lu->l_start[lu->n];
    for (bl_index b = lu->nblock - 1; b >= 0; b--) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++) /* L y = b */
            subtract_part(lu, lu->l_start[k], lu->u_start[k + 1] - 1, x[k], x);
        for (bl_index k = end - 1; k >= first; k--) /* D U x = y */
            x[k] = less_part(lu, lu->u_start[k], lu->l_start[k], x[k] * lu->inverse[k], x);
        for (bl_index k = first; k < end; k++) /* what it means to the blocks before */
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                x[lu->f_idx[p]] -= f[p] * x[k];
    }
}

static void solve_one_transposed(const bl_lu *lu) {
    double *x = lu->x;
    const double *f = lu->lu + lu->l_start[lu->n];
    for (bl_index b = 0; b < lu->nblock; b++) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                x[k] -= f[p] * x[lu->f_idx[p]];
        for (bl_index k = first; k < end; k++) /* U^T y = b */
            subtract_part(lu, lu->u_start[k], lu->l_start[k], x[k], x);
        for (bl_index k = end - 1; k >= first; k--) /* D L^T x = y */
            x[k] = less_part(lu, lu->l_start[k], lu->u_start[k + 1] - 1, x[k] * lu->inverse[k], x);
    }
}

/* y -= factor z for four numbers */
static inline void subtract(double *y, double factor, const double *z) {
    for (int c = 0; c < 4; c++)
        y[c] -= factor * z[c];
}

static void solve_four(const bl_lu *lu) {
    double *x = lu->x, y[4];
    const double *a = lu->lu, *f = a + lu->l_start[lu->n];
    for (bl_index b = lu->nblock - 1; b >= 0; b--) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++) {
            memcpy(y, x + 4 * k, sizeof y);
            for (bl_index p = lu->l_start[k]; p < lu->u_start[k + 1] - 1; p++)
                subtract(x + 4 * lu->idx[p], a[p], y);
        }
        for (bl_index k = end - 1; k >= first; k--) {
            for (int c = 0; c < 4; c++)
                y[c] = x[4 * k + c] * lu->inverse[k];
            for (bl_index p = lu->u_start[k] + lu->nu[k] - 1; p >= lu->u_start[k]; p--)
                subtract(y, a[p], x + 4 * lu->idx[p]);
            memcpy(x + 4 * k, y, sizeof y);
        }
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                subtract(x + 4 * lu->f_idx[p], f[p], x + 4 * k);
    }
}

static void solve_transposed(const bl_lu *lu, bl_index nrhs) {
    double *x = lu->x;
    const double *a = lu->lu, *f = a + lu->l_start[lu->n];
    for (bl_index b = 0; b < lu->nblock; b++) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                for (bl_index c = 0; c < nrhs; c++)
                    x[k * nrhs + c] -= f[p] * x[lu->f_idx[p] * nrhs + c];
        for (bl_index k = first; k < end; k++) /* U^T y = b */
            for (bl_index c = 0; c < nrhs; c++) {
                double y = x[k * nrhs + c];
                for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
                    x[lu->idx[p] * nrhs + c] -= a[p] * y;
            }
        for (bl_index k = end - 1; k >= first; k--) /* D L^T x = y */
            for (bl_index c = 0; c < nrhs; c++) {
                double sum = x[k * nrhs + c] * lu->inverse[k];
                for (bl_index p = lu->l_start[k]; p < lu->u_start[k + 1] - 1; p++)
                    sum -= a[p] * x[lu->idx[p] * nrhs + c];
                x[k * nrhs + c] = sum;
            }
    }
}

void bl_lu_solve(bl_lu *lu, bool transposed, bl_index nrhs) {
    memset(lu->x + (size_t)lu->n * (size_t)nrhs, 0, BL_LU_SPARE * (size_t)nrhs * sizeof *lu->x);
    if (transposed && nrhs == 1)
        solve_one_transposed(lu);
    else if (transposed)
        solve_transposed(lu, nrhs);
    else if (nrhs == 1)
        solve_one(lu);
    else
        solve_four(lu);
}
