/* Gauss and Jordan in place: the pivot's column stays in registers while it is added to all others, a strip of rows at a time. */
#include "linsol/inverse_isa.h"

#include "base/lanes.h"

#include <math.h>
#include <stdbool.h>

enum { MOST = 32 / BL_LANES }; /* registers of a strip */

static const double ENOUGH = 0.5; /* of the largest entry is a pivot that stays where it is */

static void swap_rows(size_t n, size_t room, double *a, size_t i, size_t r) {
    for (double *p = a + i, *q = a + r, *end = a + room * n; p < end; p += room, q += room) {
        double keep = *p;
        *p = *q;
        *q = keep;
    }
}

/* every column += factor times its entry at the pivot, `count` registers from row `first` on; returns columns changed */
static inline __attribute__((always_inline)) long add_strip(const int count, size_t n, size_t room, const double *factor,
                                                            const double *entry, double *a) {
    bl_lanes f[MOST];
    long changed = 0;
    for (int c = 0; c < count; c++)
        f[c] = *(const bl_lanes *)(factor + c * BL_LANES);
    for (size_t j = 0; j < n; j++, a += room) {
        double by = entry[j];
        if (by == 0)
            continue;
        for (int c = 0; c < count; c++)
            *(bl_lanes *)(a + c * BL_LANES) += f[c] * by;
        changed++;
    }
    return changed;
}

static long add_everywhere(size_t n, size_t room, const double *factor, const double *entry, double *a) {
    long changed = 0;
    size_t i = 0;
    for (; i + 32 <= room; i += 32)
        changed = add_strip(32 / BL_LANES, n, room, factor + i, entry, a + i);
    switch (room - i) {
    case 8: return add_strip(8 / BL_LANES, n, room, factor + i, entry, a + i);
    case 16: return add_strip(16 / BL_LANES, n, room, factor + i, entry, a + i);
    case 24: return add_strip(24 / BL_LANES, n, room, factor + i, entry, a + i);
    default: return changed;
    }
}

static void scale(size_t room, const double *from, const double *by, double factor, double *to) {
    for (size_t i = 0; i < room; i += BL_LANES)
        *(bl_lanes *)(to + i) = *(const bl_lanes *)(from + i) * *(const bl_lanes *)(by + i) * factor;
}

/* row of the pivot of column order[k]: where it is, unless another is much larger */
static size_t find_pivot(size_t n, size_t k, const double *column, const bl_index *order) {
    size_t at = (size_t)order[k], r = at;
    double largest = 0;
    for (size_t l = k; l < n; l++)
        if (fabs(column[order[l]]) > largest) {
            largest = fabs(column[order[l]]);
            r = (size_t)order[l];
        }
    return fabs(column[at]) < ENOUGH * largest ? r : at;
}

static double invert(size_t n, size_t room, double *a, double *factor, const bl_index *order, bl_index *row_in, long *updates) {
    double least = INFINITY, most = 0, *entry = factor + room;
    *updates = 0;
    for (size_t k = 0; k < n; k++) {
        size_t at = (size_t)order[k];
        double *column = a + room * at;
        size_t r = find_pivot(n, k, column, order);
        if (r != at) {
            swap_rows(n, room, a, at, r);
            bl_index keep = row_in[at];
            row_in[at] = row_in[r];
            row_in[r] = keep;
        }
        double by = 1 / column[at], size = fabs(column[at]);
        if (!(size > 0) || isinf(size))
            return 0;
        least = size < least ? size : least;
        most = size > most ? size : most;
        for (size_t i = 0; i < room; i += BL_LANES)
            *(bl_lanes *)(factor + i) = *(const bl_lanes *)(column + i) * -by;
        column[at] = 0;
        const double *row = a + at;
        for (size_t j = 0; j < n; j++, row += room)
            entry[j] = *row;
        *updates += add_everywhere(n, room, factor, entry, a);
        double *target = a + at;
        for (size_t j = 0; j < n; j++, target += room)
            *target = by * entry[j];
        for (size_t i = 0; i < room; i += BL_LANES)
            *(bl_lanes *)(column + i) = *(const bl_lanes *)(factor + i);
        column[at] = by;
    }
    return n ? least / most : 1;
}

const bl_inverse_kernels BL_ISA_NAME(bl_inverse_kernels) = {invert, scale};
