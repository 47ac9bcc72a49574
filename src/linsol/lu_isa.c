/* L U with known pivots: the loops over the tables of lu.c, by instruction set. No operations are fused (CMakeLists.txt): results are
 * identical on all of them. */
#include "base/lanes.h"
#include "linsol/lu.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(sizeof(bl_four) == 4 * sizeof(double), "rows and columns are padded to four");

/* ---- factor */

/* copies entries of A to their targets; false if one is not finite */
static bool scatter(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    const bl_index *to = lu->to;
    bl_index n = lu->na, k = 0;
    double bad[4] = {0}; /* value - value is 0, or NaN from NaN and infinity */
    memset(lu->lu, 0, lu->nlu * sizeof *lu->lu);
    for (; k + 4 <= n; k += 4)
        for (bl_index c = 0; c < 4; c++) {
            double value = values[from ? from[k + c] : k + c] * scale[k + c];
            lu->lu[to[k + c]] = value;
            bad[c] += value - value;
        }
    for (; k < n; k++) {
        double value = values[from ? from[k] : k] * scale[k];
        lu->lu[to[k]] = value;
        bad[0] += value - value;
    }
    return bad[0] + bad[1] + bad[2] + bad[3] == 0;
}

/* a[target] -= factor times p .. end, four at a time, contiguous if the target is marked; returns the next target */
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

static bool factor_by_steps(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    if (!scatter(lu, values, from, scale))
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
        lu->inverse[k] = u[-1] = inverse;
        for (double *p = u; p < l; p += 4)
            *(bl_four *)p *= inverse;
        if (lu->by_rows[k])
            for (const double *p = l, *end = l + lu->nl[k]; p < end; p++)
                target = subtract_products(a, *p, u, l, target);
        else
            for (const double *p = u; p < u_end; p++)
                target = subtract_products(a, *p, l, l_end, target);
    }
    lu->smallest = bad ? 0 : smallest;
    lu->largest = largest;
    return true;
}

/* ---- factor by entries */

/* copies scaled entries of A and a zero behind the factors; false if one is not finite */
static bool load(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    double *scaled = lu->lu + lu->nlu, bad_sum = 0;
    bl_index n = lu->na, k = 0;
    bl_four bad = {0}; /* value - value is 0, or NaN from NaN and infinity */
    for (; k + 4 <= n; k += 4) {
        bl_four value;
        if (from)
            value = (bl_four){values[from[k]], values[from[k + 1]], values[from[k + 2]], values[from[k + 3]]};
        else
            value = *(const bl_four *)(values + k);
        value *= *(const bl_four *)(scale + k);
        *(bl_four *)(scaled + k) = value;
        bad += value - value;
    }
    for (; k < n; k++) {
        scaled[k] = values[from ? from[k] : k] * scale[k];
        bad_sum += scaled[k] - scaled[k];
    }
    scaled[n] = 0;
    return bad_sum + bad[0] + bad[1] + bad[2] + bad[3] == 0;
}

/* sum minus products of pairs of entries of a and x */
static inline double minus_pairs(bl_index count, const bl_index *at, const double *a, const double *x, double sum) {
    for (bl_index e = 0; e < count; e++)
        sum -= a[at[2 * e]] * x[at[2 * e + 1]];
    return sum;
}

enum { OF_L, OF_U, PIVOT };

/* a run of sums with `products` each (a constant, or BL_LU_MANY: the count is in the table) */
static inline const bl_index *run_entries(int what, bl_index products, bl_index count, const bl_index *at, bl_lu *lu) {
    double *a = lu->lu, *scaled = a + lu->nlu;
    for (; count > 0; count--) {
        bl_index own = products == BL_LU_MANY ? *at++ : products;
        const bl_index *pair = at + (what == OF_L ? 2 : 3);
        double sum = minus_pairs(own, pair, a, a, scaled[at[1]]);
        if (what == OF_U)
            sum *= lu->inverse[at[2]];
        if (what == PIVOT) {
            lu->pivot[at[2]] = sum;
            lu->inverse[at[2]] = sum = 1 / sum;
        }
        a[at[0]] = sum;
        at = pair + 2 * own;
    }
    return at;
}

#define ALL_COUNTS(first, what)          \
    case first + 0: at = what(0); break; \
    case first + 1: at = what(1); break; \
    case first + 2: at = what(2); break; \
    case first + 3: at = what(3); break; \
    case first + 4: at = what(4); break; \
    case first + 5: at = what(5); break; \
    case first + 6: at = what(6); break; \
    case first + 7: at = what(7); break; \
    case first + 8: at = what(8); break; \
    case first + 9: at = what(9); break
_Static_assert(BL_LU_MANY == 9, "ALL_COUNTS must list all counts up to BL_LU_MANY");

static bool factor_by_entries(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    if (!load(lu, values, from, scale))
        return false;
    const bl_index *at = lu->factor;
#define OF_L_RUN(c) run_entries(OF_L, c, run->count, at, lu)
#define OF_U_RUN(c) run_entries(OF_U, c, run->count, at, lu)
#define PIVOT_RUN(c) run_entries(PIVOT, c, run->count, at, lu)
    for (const bl_lu_run *run = lu->factor_run, *end = run + lu->nfactor_run; run < end; run++)
        switch (run->kind) {
            ALL_COUNTS(0, OF_L_RUN);
            ALL_COUNTS(BL_LU_MANY + 1, OF_U_RUN);
            ALL_COUNTS(2 * (BL_LU_MANY + 1), PIVOT_RUN);
        default: break; /* padding */
        }
    double smallest = INFINITY, largest = 0, bad_sum = 0;
    for (bl_index k = 0; k < lu->n; k++) {
        double size = fabs(lu->pivot[k]);
        smallest = size < smallest ? size : smallest;
        largest = size > largest ? size : largest;
        bad_sum += size - size; /* NaN from NaN and infinity */
    }
    lu->smallest = bad_sum == 0 ? smallest : 0;
    lu->largest = largest;
    return true;
}

static bool factor(bl_lu *lu, const double *values, const bl_index *from, const double *scale) {
    return lu->by_entries ? factor_by_entries(lu, values, from, scale) : factor_by_steps(lu, values, from, scale);
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

/* sum minus the products of a part with x; the most recent result is used last, so that nothing else waits for it */
static inline double minus_part(const bl_lu *lu, bl_index from, bl_index to, double sum, const double *x) {
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

/* forward rows: pairs of entries of a and x, the most recent result last; divided by the pivot */
static inline const bl_index *run_forward(bl_index entries, bl_index count, const bl_index *at, const double *restrict a, const double *x,
                                          double **to) {
    for (double *y = *to, *end = y + count; y < end; y++) {
        bl_index own = entries == BL_LU_MANY ? *at++ : entries, e = 0;
        double sum = *y, other = 0, inverse = a[*at++];
        for (; e + 2 < own; e += 2) {
            other += a[at[2 * e]] * x[at[2 * e + 1]];
            sum -= a[at[2 * e + 2]] * x[at[2 * e + 3]];
        }
        *y = minus_pairs(own - e, at + 2 * e, a, x, own > 2 ? sum - other : sum) * inverse;
        at += 2 * own;
    }
    *to += count;
    return at;
}

/* backward rows: entries are contiguous in a; the first one is the most recent and is used last */
static inline const bl_index *run_backward(bl_index entries, bl_index count, const bl_index *at, const double *restrict a, const double *x,
                                           double **to) {
    for (double *y = *to, *end = y + count; y < end; y++) {
        bl_index own = entries == BL_LU_MANY ? *at++ : entries, e = own;
        double sum = x[at[0]], other = 0;
        const double *u = a + at[1];
        at += 2;
        for (; e > 2; e -= 2) {
            other += u[e - 1] * x[at[e - 1]];
            sum -= u[e - 2] * x[at[e - 2]];
        }
        sum = own > 2 ? sum - other : sum;
        for (; e > 0; e--)
            sum -= u[e - 1] * x[at[e - 1]];
        *y = sum;
        at += own;
    }
    *to += count;
    return at;
}

static void solve_one(bl_lu *lu) {
    const double *a = lu->lu, *x = lu->x;
    double *y = lu->x, *z = lu->x + lu->n;
    const bl_index *at = lu->solve;
#define FORWARD(c) run_forward(c, run->count, at, a, x, &y)
#define BACKWARD(c) run_backward(c, run->count, at, a, x, &z)
    for (const bl_lu_run *run = lu->solve_run, *end = run + lu->nsolve_run; run < end; run++)
        switch (run->kind) {
            ALL_COUNTS(0, FORWARD);
            ALL_COUNTS(BL_LU_MANY + 1, BACKWARD);
        default: break;
        }
}

static void solve_one_transposed(const bl_lu *lu) {
    double *x = lu->x;
    for (bl_index b = 0; b < lu->nblock; b++) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                x[k] -= lu->lu[lu->f_at[p]] * x[lu->f_idx[p]];
        for (bl_index k = first; k < end; k++) /* U^T y = b */
            subtract_part(lu, lu->u_start[k], lu->l_start[k], x[k], x);
        for (bl_index k = end - 1; k >= first; k--) /* L^T x = y */
            x[k] = minus_part(lu, lu->l_start[k], lu->u_start[k + 1] - 1, x[k], x) * lu->inverse[k];
    }
}

/* y -= factor z for four numbers */
static inline void subtract(double *y, double factor, const double *z) {
    for (int c = 0; c < 4; c++)
        y[c] -= factor * z[c];
}

static void solve_four(const bl_lu *lu) {
    double *x = lu->x, y[4];
    const double *a = lu->lu;
    for (bl_index b = lu->nblock - 1; b >= 0; b--) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++) {
            for (int c = 0; c < 4; c++)
                y[c] = x[4 * k + c] *= lu->inverse[k];
            for (bl_index p = lu->l_start[k]; p < lu->u_start[k + 1] - 1; p++)
                subtract(x + 4 * lu->idx[p], a[p], y);
        }
        for (bl_index k = end - 1; k >= first; k--) {
            memcpy(y, x + 4 * k, sizeof y);
            for (bl_index p = lu->u_start[k] + lu->nu[k] - 1; p >= lu->u_start[k]; p--)
                subtract(y, a[p], x + 4 * lu->idx[p]);
            memcpy(x + 4 * k, y, sizeof y);
        }
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                subtract(x + 4 * lu->f_idx[p], a[lu->f_at[p]], x + 4 * k);
    }
}

static void solve_four_transposed(const bl_lu *lu) {
    double *x = lu->x, y[4];
    const double *a = lu->lu;
    for (bl_index b = 0; b < lu->nblock; b++) {
        bl_index first = lu->block[b], end = lu->block[b + 1];
        for (bl_index k = first; k < end; k++)
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                subtract(x + 4 * k, a[lu->f_at[p]], x + 4 * lu->f_idx[p]);
        for (bl_index k = first; k < end; k++) { /* U^T y = b */
            memcpy(y, x + 4 * k, sizeof y);
            for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
                subtract(x + 4 * lu->idx[p], a[p], y);
        }
        for (bl_index k = end - 1; k >= first; k--) { /* L^T x = y */
            memcpy(y, x + 4 * k, sizeof y);
            for (bl_index p = lu->l_start[k]; p < lu->u_start[k + 1] - 1; p++)
                subtract(y, a[p], x + 4 * lu->idx[p]);
            for (int c = 0; c < 4; c++)
                x[4 * k + c] = y[c] * lu->inverse[k];
        }
    }
}

static void solve(bl_lu *lu, bool transposed, bl_index nrhs) {
    memset(lu->x + (size_t)lu->n * (size_t)nrhs, 0, BL_LU_SPARE * (size_t)nrhs * sizeof *lu->x);
    if (transposed && nrhs == 1)
        solve_one_transposed(lu);
    else if (transposed)
        solve_four_transposed(lu);
    else
        solve_four(lu);
}

const bl_lu_kernels BL_ISA_NAME(bl_lu_kernels) = {factor, solve, solve_one};
