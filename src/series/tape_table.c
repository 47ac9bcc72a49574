/* Tables: monotone piecewise cubic Hermite interpolation, constant beyond the ends. Slopes are the three-point ones, limited to
 * the circle of radius 3. Fritsch, Carlson: Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17 (1980) 238-246. */
#include "series/tape_inner.h"

#include <string.h>

static bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

static void slopes(bl_index n, const double *x, const double *y, double *slope) {
    if (n < 3) {
        slope[0] = slope[n - 1] = n == 2 ? (y[1] - y[0]) / (x[1] - x[0]) : 0;
        return;
    }
    for (bl_index i = 0; i < n; i++) {
        bl_index k = i == 0 ? 1 : i == n - 1 ? n - 2 : i; /* middle of the three points */
        double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k];
        double d0 = (y[k] - y[k - 1]) / h0, d1 = (y[k + 1] - y[k]) / h1;
        double near = i == n - 1 ? d1 : d0; /* an end follows its own piece or lies flat */
        if (i == k)
            slope[i] = same_sign(d0, d1) ? (h1 * d0 + h0 * d1) / (h0 + h1) : 0;
        else
            slope[i] = i == 0 ? d0 + (d0 - d1) * (h0 / (h0 + h1)) : d1 + (d1 - d0) * (h1 / (h0 + h1));
        if (!same_sign(slope[i], near))
            slope[i] = 0;
    }
    for (bl_index i = 0; i + 1 < n; i++) {
        double d = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        if (d == 0) {
            slope[i] = slope[i + 1] = 0;
            continue;
        }
        double r = hypot(slope[i] / d, slope[i + 1] / d);
        if (r > 3) {
            slope[i] *= 3 / r;
            slope[i + 1] *= 3 / r;
        }
    }
}

bl_status bl_tape_table_add(bl_tape *tape, bl_index n, const double *x, const double *y, int order, bl_index *which) {
    bl_context *ctx = tape->ctx;
    if (n < 1)
        return bl_fail(ctx, BL_E_ARG, NULL, "a table has no rows");
    for (bl_index i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return bl_fail(ctx, BL_E_ARG, NULL, "row %d of a table is not finite", (int)i + 1);
        if (i > 0 && !(x[i] > x[i - 1]))
            return bl_fail(ctx, BL_E_ARG, NULL, "row %d of a table: the first column must increase", (int)i + 1);
    }
    size_t bytes = (size_t)n * sizeof *x;
    for (bl_index k = 0; k < tape->ntable; k++) {
        const bl_tape_lut *old = &tape->table[k];
        if (old->n == n && old->order == order && !memcmp(old->x, x, bytes) && !memcmp(old->y, y, bytes)) {
            *which = k;
            return BL_OK;
        }
    }
    BL_TRY(BL_RESERVE(ctx, tape->table, tape->table_room, tape->ntable + 1));
    bl_tape_lut *table = &tape->table[tape->ntable];
    BL_TRY(BL_NEW(ctx, table->x, 3 * (size_t)n));
    table->n = n;
    table->order = order;
    table->y = table->x + n;
    table->slope = table->y + n;
    memcpy(table->x, x, bytes);
    memcpy(table->y, y, bytes);
    slopes(n, x, y, table->slope);
    *which = tape->ntable++;
    return BL_OK;
}

static bl_tape_piece cubic_at(const bl_tape_lut *table, double at) {
    bl_index last = table->n - 1;
    if (!(at >= table->x[0])) /* NaN comes out of s = at - x */
        return (bl_tape_piece){.x = table->x[0], .y = at != at ? at : table->y[0]};
    if (at >= table->x[last])
        return (bl_tape_piece){.x = table->x[last], .y = table->y[last]};
    bl_index low = 0, high = last;
    while (high - low > 1) {
        bl_index middle = low + (high - low) / 2;
        if (at >= table->x[middle])
            low = middle;
        else
            high = middle;
    }
    double h = table->x[high] - table->x[low], d = (table->y[high] - table->y[low]) / h;
    double m0 = table->slope[low], m1 = table->slope[high];
    return (bl_tape_piece){
        .x = table->x[low], .y = table->y[low], .m = m0, .c2 = (3 * d - 2 * m0 - m1) / h, .c3 = (m0 + m1 - 2 * d) / (h * h)};
}

bl_tape_piece bl_tape_piece_at(const bl_tape_lut *table, double at) {
    bl_tape_piece p = cubic_at(table, at);
    for (int k = 0; k < table->order; k++)
        p = (bl_tape_piece){.x = p.x, .y = p.m, .m = 2 * p.c2, .c2 = 3 * p.c3};
    if (table->order && at != at)
        p.y = at;
    return p;
}

bl_tape_piece bl_tape_piece_held(const bl_tape_lut *table, double piece, double at) {
    bl_index i = (bl_index)piece, n = table->n;
    if (piece == 0 || at != at)
        return bl_tape_piece_at(table, at);
    return bl_tape_piece_at(table, i <= 0 ? table->x[0] - 1 : i >= n ? table->x[n - 1] + 1 : 0.5 * (table->x[i - 1] + table->x[i]));
}
