/* Lemke's method (Cottle, Pang, Stone, The Linear Complementarity Problem, 1992, 4.4). The covering variable t makes w = A z + b + t
 * nonnegative; it enters first, then always the complement of what left, until t leaves. The tableau holds B^-1 (w, z, t, b) with the
 * columns of B those of the basis. The row that leaves is the lexicographic minimum of (b, w columns) / pivot column, which is unique. */
#include "complement/complement_limits.h"
#include "complement/lcp_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* variables: 0 .. n-1 are w, n .. 2n-1 are z, 2n is t; column 2n+1 is b */
static double *column_of(bl_lcp_work *s, bl_index n, bl_index variable) { return s->tableau + (size_t)n * (size_t)variable; }

/* w - A z - t = b */
static void begin(bl_index n, bl_lcp_work *s) {
    memset(s->tableau, 0, (size_t)n * (2 * (size_t)n + 2) * sizeof *s->tableau);
    for (bl_index i = 0; i < n; i++) {
        column_of(s, n, i)[i] = 1;
        column_of(s, n, 2 * n)[i] = -1;
        column_of(s, n, 2 * n + 1)[i] = s->b[i];
        s->basis[i] = i;
    }
    double *z = column_of(s, n, n);
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        z[k] = -s->A[k];
}

static void pivot(bl_index n, bl_lcp_work *s, bl_index row, bl_index enter) {
    double *entering = column_of(s, n, enter), by = 1 / entering[row];
    for (bl_index j = 0; j < 2 * n + 2; j++) {
        double *column = column_of(s, n, j), share = column[row] * by;
        if (j == enter || share == 0)
            continue;
        for (bl_index i = 0; i < n; i++)
            column[i] -= entering[i] * share;
        column[row] = share;
    }
    memset(entering, 0, (size_t)n * sizeof *entering);
    entering[row] = 1;
    s->basis[row] = enter;
}

/* whether row i is before row k in lexicographic order of (b, w) / pivot column; at first, with t entering, of (b, w) alone */
static bool before(bl_index n, bl_lcp_work *s, const double *divide, bl_index i, bl_index k) {
    for (bl_index j = -1; j < n; j++) {
        const double *column = column_of(s, n, j < 0 ? 2 * n + 1 : j);
        double one = column[i] / divide[i], other = column[k] / divide[k];
        if (fabs(one - other) > 16 * DBL_EPSILON * (fabs(one) + fabs(other)))
            return one < other;
    }
    return false;
}

/* the row that leaves for `enter`; -1: none, a ray. t leaves before others with the same ratio. */
static bl_index leaving(bl_index n, bl_lcp_work *s, bl_index enter) {
    const double *entering = column_of(s, n, enter), *b = column_of(s, n, 2 * n + 1);
    bl_index row = -1, cover = -1;
    double largest = 1;
    for (bl_index i = 0; i < n; i++)
        largest = fmax(largest, fabs(entering[i]));
    for (bl_index i = 0; i < n; i++) {
        if (!(entering[i] > complement_pivot * largest))
            continue;
        if (s->basis[i] == 2 * n)
            cover = i;
        if (row < 0 || before(n, s, entering, i, row))
            row = i;
    }
    if (cover >= 0 && b[cover] / entering[cover] <= b[row] / entering[row] + 1e-14)
        return cover;
    return row;
}

/* pivots until t leaves */
static bl_status search(bl_index n, bl_lcp_work *s) {
    double *b = column_of(s, n, 2 * n + 1), *part = s->rest;
    bl_index row = 0;
    for (bl_index i = 0; i < n; i++)
        part[i] = 1;
    for (bl_index i = 1; i < n; i++) /* the most negative b: all others stay positive with it at zero */
        if (before(n, s, part, i, row))
            row = i;
    if (!(b[row] < 0))
        return BL_OK; /* z = 0 */
    bl_index enter = 2 * n;
    for (long count = 0; count < 100 + 50L * n; count++) {
        bl_index left = s->basis[row];
        pivot(n, s, row, enter);
        if (left == 2 * n)
            return BL_OK;
        enter = left < n ? left + n : left - n;
        if ((row = leaving(n, s, enter)) < 0)
            return BL_SINGULAR;
    }
    return BL_NO_CONVERGENCE;
}

/* z of the last basis: solved again by itself, or as the tableau has it where that is better (dependent columns) */
static double solution(bl_index n, bl_lcp_work *s, double *z) {
    bl_index count = 0;
    const double *b = column_of(s, n, 2 * n + 1);
    memset(z, 0, (size_t)n * sizeof *z);
    for (bl_index i = 0; i < n; i++)
        if (s->basis[i] >= n && s->basis[i] < 2 * n) {
            z[s->basis[i] - n] = fmax(b[i], 0);
            s->subset[count++] = s->basis[i] - n;
        }
    bl_lcp_complement(n, s, z, s->w);
    double residual = bl_lcp_scaled_residual(n, z, s->w);
    bl_lcp_solve_subset(n, count, s, 0);
    for (bl_index i = 0; i < n; i++)
        s->z[i] = fmax(s->z[i], 0);
    bl_lcp_complement(n, s, s->z, s->w);
    double again = bl_lcp_scaled_residual(n, s->z, s->w);
    if (!(again <= residual))
        return residual;
    memcpy(z, s->z, (size_t)n * sizeof *z);
    return again;
}

bl_status bl_lcp_lemke(bl_index n, const double *A, const double *b, double *z, bl_lcp_work *s) {
    double size;
    BL_TRY(bl_lcp_scale(n, A, b, s, &size));
    begin(n, s);
    memset(z, 0, (size_t)n * sizeof *z);
    if (n == 0)
        return BL_OK;
    BL_TRY(search(n, s));
    double residual = solution(n, s, z), largest = 1;
    for (bl_index i = 0; i < n; i++) {
        largest = fmax(largest, z[i]);
        z[i] *= s->scale_z[i] * size;
    }
    return residual <= complement_sign * largest ? BL_OK : BL_NO_CONVERGENCE;
}
