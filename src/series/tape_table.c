/* Tables: piecewise cubic Hermite interpolation, constant beyond the ends. The slopes depend on the kind. Monotone: three-point slopes,
 * limited to the circle of radius 3 (Fritsch, Carlson: Monotone piecewise cubic interpolation, SIAM J. Numer. Anal. 17 (1980) 238-246).
 * Cubic: slopes of the spline whose third derivative is also continuous at the second and the next to last row (de Boor: A Practical
 * Guide to Splines, 1978, chapter IV, not-a-knot). Linear: no slopes are needed. */
#include "series/series_limits.h"
#include "series/tape_inner.h"

#include <float.h>
#include <string.h>

int bl_tape_interpolation_of(const char *word) {
    static const char *const words[] = {[BL_TABLE_MONOTONE] = "monotone", [BL_TABLE_LINEAR] = "linear", [BL_TABLE_CUBIC] = "cubic"};
    for (int i = 0; i < 3; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    return -1;
}

static bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

static void monotone_slopes(bl_index n, const double *x, const double *y, double *slope) {
    if (n < 3) {
        slope[0] = slope[n - 1] = n == 2 ? (y[1] - y[0]) / (x[1] - x[0]) : 0;
        return;
    }
    for (bl_index i = 0; i < n; i++) {
        bl_index k = i == 0 ? 1 : i == n - 1 ? n - 2 : i; /* middle of the three points */
        double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k];
        double d0 = (y[k] - y[k - 1]) / h0, d1 = (y[k + 1] - y[k]) / h1;
        double near = i == n - 1 ? d1 : d0; /* the slope at an end has the sign of its piece or is zero */
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

/* Row i of n - 1: h_i s_{i-1} + 2 (h_{i-1} + h_i) s_i + h_{i-1} s_{i+1} = 3 (h_i d_{i-1} + h_{i-1} d_i), h and d widths and slopes of the
 * pieces; the ends by not-a-knot. Elimination needs no pivoting: all pivots are positive. upper[n] is workspace. */
static void spline_slopes(bl_index n, const double *x, const double *y, double *slope, double *upper) {
    if (n < 3) {
        slope[0] = slope[n - 1] = n == 2 ? (y[1] - y[0]) / (x[1] - x[0]) : 0;
        return;
    }
    if (n == 3) { /* the parabola */
        double h0 = x[1] - x[0], h1 = x[2] - x[1], d0 = (y[1] - y[0]) / h0, d1 = (y[2] - y[1]) / h1, c = (d1 - d0) / (h0 + h1);
        slope[0] = d0 - c * h0;
        slope[1] = d0 + c * h0;
        slope[2] = d1 + c * h1;
        return;
    }
    for (bl_index i = 0; i < n; i++) {
        bl_index k = i == 0 ? 1 : i == n - 1 ? n - 2 : i;
        double h0 = x[k] - x[k - 1], h1 = x[k + 1] - x[k], h = h0 + h1;
        double d0 = (y[k] - y[k - 1]) / h0, d1 = (y[k + 1] - y[k]) / h1;
        double lower = i == n - 1 ? h : h1, diagonal = i == 0 ? h1 : i == n - 1 ? h0 : 2 * h, above = i == 0 ? h : h0;
        double right = i == 0       ? ((h0 + 2 * h) * h1 * d0 + h0 * h0 * d1) / h
                       : i == n - 1 ? (h1 * h1 * d0 + (2 * h + h1) * h0 * d1) / h
                                    : 3 * (h1 * d0 + h0 * d1);
        if (i > 0) {
            diagonal -= lower * upper[i - 1];
            right -= lower * slope[i - 1];
        }
        upper[i] = above / diagonal;
        slope[i] = right / diagonal;
    }
    for (bl_index i = n - 2; i >= 0; i--)
        slope[i] -= upper[i] * slope[i + 1];
}

static bl_status find_slopes(bl_context *ctx, bl_tape_lut *table) {
    if (table->by == BL_TABLE_CUBIC) {
        double *upper;
        BL_TRY(BL_NEW(ctx, upper, table->n));
        spline_slopes(table->n, table->x, table->y, table->slope, upper);
        bl_free(ctx, upper);
    } else if (table->by == BL_TABLE_MONOTONE) {
        monotone_slopes(table->n, table->x, table->y, table->slope);
    }
    return BL_OK;
}

bl_status bl_tape_table_add(bl_tape *tape, const bl_tape_lut *like, bl_index *which) {
    bl_context *ctx = tape->ctx;
    const double *x = like->x, *y = like->y;
    bl_index n = like->n;
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
        if (old->n == n && old->by == like->by && old->order == like->order && !memcmp(old->x, x, bytes) && !memcmp(old->y, y, bytes)) {
            *which = k;
            return BL_OK;
        }
    }
    BL_TRY(BL_RESERVE(ctx, tape->table, tape->table_room, tape->ntable + 1));
    bl_tape_lut *table = &tape->table[tape->ntable];
    *table = (bl_tape_lut){.n = n, .by = like->by, .order = like->order};
    BL_TRY(BL_NEW(ctx, table->x, 3 * (size_t)n));
    table->y = table->x + n;
    table->slope = table->y + n;
    memcpy(table->x, x, bytes);
    memcpy(table->y, y, bytes);
    bl_status status = find_slopes(ctx, table);
    if (status != BL_OK) {
        bl_free(ctx, table->x);
        return status;
    }
    *which = tape->ntable++;
    return BL_OK;
}

/* the piece from row `low` to the next */
static bl_tape_piece piece(const bl_tape_lut *table, bl_index low) {
    double h = table->x[low + 1] - table->x[low], d = (table->y[low + 1] - table->y[low]) / h;
    if (table->by == BL_TABLE_LINEAR)
        return (bl_tape_piece){.x = table->x[low], .y = table->y[low], .m = d};
    double m0 = table->slope[low], m1 = table->slope[low + 1];
    return (bl_tape_piece){
        .x = table->x[low], .y = table->y[low], .m = m0, .c2 = (3 * d - 2 * m0 - m1) / h, .c3 = (m0 + m1 - 2 * d) / (h * h)};
}

static bl_tape_piece cubic_at(const bl_tape_lut *table, double at) {
    bl_index last = table->n - 1;
    if (!(at >= table->x[0])) /* also NaN, which is propagated */
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
    return piece(table, low);
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

/* ---- knots */

/* Derivatives 1, 2, 3 over their factorials at the end of a piece of width h. */
static void end_of(const bl_tape_piece *p, double h, double d[3]) {
    d[0] = p->m + h * (2 * p->c2 + 3 * h * p->c3);
    d[1] = p->c2 + 3 * h * p->c3;
    d[2] = p->c3;
}

int bl_tape_knot_smooth(const bl_tape *tape, bl_index node, bl_index knot) {
    const bl_tape_lut *table = &tape->table[tape->node[node].c];
    bl_index last = table->n - 1;
    bool inside = knot > 0 && knot < last;
    bl_tape_piece left = knot > 0 ? piece(table, knot - 1) : (bl_tape_piece){0},
                  right = knot < last ? piece(table, knot) : (bl_tape_piece){0};
    double before[3] = {0}, after[3] = {right.m, right.c2, right.c3}, width = INFINITY, size = fabs(table->y[knot]);
    if (knot > 0) {
        width = table->x[knot] - table->x[knot - 1];
        size = fmax(size, fabs(table->y[knot - 1]));
        end_of(&left, width, before);
    }
    if (knot < last) {
        width = fmin(width, table->x[knot + 1] - table->x[knot]);
        size = fmax(size, fabs(table->y[knot + 1]));
    }
    int smooth = inside && table->by == BL_TABLE_CUBIC ? 2 : inside && table->by == BL_TABLE_MONOTONE ? 1 : 0;
    for (double unit = size / pow(width, smooth + 1); smooth < 3; smooth++, unit /= width)
        if (fabs(after[smooth] - before[smooth]) > series_knot_smooth * unit)
            break;
    return smooth == 3 ? 3 : smooth - table->order < -1 ? -1 : smooth - table->order;
}
