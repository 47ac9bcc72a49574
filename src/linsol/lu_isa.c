/* L D U with known pivots: the loops over the tables of lu.c, by instruction set. Nothing is fused (CMakeLists.txt): the same bits on all
 * of them. */
#include "base/lanes.h"
#include "linsol/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(bl_four) == 4 * sizeof(double), "rows and columns are padded to four");

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

/* a[target] -= factor times p .. end, four at a time, side by side where the target says so; returns the target behind */
static inline const bl_index *subtract_products(double *a, double factor, const double *p, const double *end,
                                                const bl_index *restrict target) {
    for (; p < end; p += 4, target += 4) {
        if (target[0] < 0) {
            *(bl_four *)(a + ~target[0]) -= *(const bl_four *)p * factor;
            continue;
        }
        double p0 = a[target[0]] - p[0] * factor, p1 = a[target[1]] - p[1] * factor;
        double p2 = a[target[2]] - p[2] * factor, p3 = a[target[3]] - p[3] * factor;
        a[target[0]] = p0;
        a[target[1]] = p1;
        a[target[2]] = p2;
        a[target[3]] = p3;
    }
    return target;
}

static bool factor(bl_lu *lu, const double *values, const bl_index *from, const double *by) {
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
        for (double *p = l; p < l_end; p += 4)
            *(bl_four *)p *= inverse;
        if (lu->by_rows[k])
            for (const double *p = l, *end = l + lu->nl[k]; p < end; p++)
                target = subtract_products(a, *p, u, l, target);
        else
            for (const double *p = u; p < u_end; p++)
                target = subtract_products(a, *p, l, l_end, target);
        for (; u < l; u += 4)
            *(bl_four *)u *= inverse;
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

static void solve_four_transposed(const bl_lu *lu) {
    double *x = lu->x, y[4];
    const double *a = lu->lu, *f = a + lu->l_start[lu->n];
    for (bl_index b = 0; b < lu->nblock; b++) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                subtract(x + 4 * k, f[p], x + 4 * lu->f_idx[p]);
        for (bl_index k = first; k < end; k++) { /* U^T y = b */
            memcpy(y, x + 4 * k, sizeof y);
            for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
                subtract(x + 4 * lu->idx[p], a[p], y);
        }
        for (bl_index k = end - 1; k >= first; k--) { /* D L^T x = y */
            for (int c = 0; c < 4; c++)
                y[c] = x[4 * k + c] * lu->inverse[k];
            for (bl_index p = lu->l_start[k]; p < lu->u_start[k + 1] - 1; p++)
                subtract(y, a[p], x + 4 * lu->idx[p]);
            memcpy(x + 4 * k, y, sizeof y);
        }
    }
}

static void solve(bl_lu *lu, bool transposed, bl_index nrhs) {
    memset(lu->x + (size_t)lu->n * (size_t)nrhs, 0, BL_LU_SPARE * (size_t)nrhs * sizeof *lu->x);
    if (transposed && nrhs == 1)
        solve_one_transposed(lu);
    else if (transposed)
        solve_four_transposed(lu);
    else if (nrhs == 1)
        solve_one(lu);
    else
        solve_four(lu);
}

const bl_lu_kernels BL_ISA_NAME(bl_lu_kernels) = {factor, solve};
