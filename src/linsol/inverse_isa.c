/* Gauss-Jordan elimination in place: the pivot's column stays in registers while it is added to all others, a strip of rows at a time. */
#include "linsol/inverse_isa.h"

#include "base/lanes.h"

#include <math.h>

enum { STRIP_REGISTERS = 32 / BL_LANES }; /* registers of a strip */

static const double KEPT_PIVOT = 0.5; /* of the largest entry: a pivot of at least this size is kept, rows are not exchanged */

static void swap_rows(size_t n, size_t room, double *a, size_t i, size_t r) {
    for (double *p = a + i, *q = a + r, *end = a + room * n; p < end; p += room, q += room) {
        double keep = *p;
        *p = *q;
        *q = keep;
    }
}

typedef int64_t bits __attribute__((vector_size(sizeof(bl_lanes)), may_alias)); /* of lanes */

#define LANES(x) (*(const bl_lanes *)(x))

/* `count` registers of rows from `first` on: f = -column / pivot, 1 / pivot in row `at`; then every column = itself without that row, plus
 * f times its entry there. Always by full registers: a number stored alone and then read as part of a register would stall. */
static inline __attribute__((always_inline)) long add_strip(const int count, size_t n, size_t room, size_t first, size_t at, double by,
                                                            const double *entry, double *a) {
    bl_lanes f[STRIP_REGISTERS];
    bits others[STRIP_REGISTERS]; /* mask of all rows except `at` */
    long changed = 0;
    double *column = a + room * at + first;
    a += first;
    for (int c = 0; c < count; c++) {
        bits row;
        for (int l = 0; l < BL_LANES; l++)
            row[l] = (int64_t)first + c * BL_LANES + l;
        others[c] = row != (int64_t)at;
        bl_lanes elsewhere = LANES(column + c * BL_LANES) * -by, pivot = by - (bl_lanes){0};
        f[c] = (bl_lanes)(((bits)elsewhere & others[c]) | ((bits)pivot & ~others[c]));
    }
    for (size_t j = 0; j < n; j++, a += room) {
        double factor = entry[j];
        if (factor == 0)
            continue;
        for (int c = 0; c < count; c++) {
            bl_lanes rest = (bl_lanes)((bits)LANES(a + c * BL_LANES) & others[c]);
            *(bl_lanes *)(a + c * BL_LANES) = rest + f[c] * factor;
        }
        changed++;
    }
    for (int c = 0; c < count; c++)
        *(bl_lanes *)(column + c * BL_LANES) = f[c];
    return changed;
}

static long add_to_all_columns(size_t n, size_t room, size_t at, double by, const double *entry, double *a) {
    long changed = 0;
    size_t i = 0;
    for (; i + 32 <= room; i += 32)
        changed = add_strip(32 / BL_LANES, n, room, i, at, by, entry, a);
    switch (room - i) {
    case 8: return add_strip(8 / BL_LANES, n, room, i, at, by, entry, a);
    case 16: return add_strip(16 / BL_LANES, n, room, i, at, by, entry, a);
    case 24: return add_strip(24 / BL_LANES, n, room, i, at, by, entry, a);
    default: return changed;
    }
}

static void scale(size_t room, const double *from, const double *by, double factor, double *to) {
    for (size_t i = 0; i < room; i += BL_LANES)
        *(bl_lanes *)(to + i) = *(const bl_lanes *)(from + i) * *(const bl_lanes *)(by + i) * factor;
}

/* largest absolute value in rows that have no pivot yet: without_pivot is 1 there, else 0 */
static double largest_free(size_t room, const double *column, const double *without_pivot) {
    bl_lanes most = {0};
    for (size_t i = 0; i < room; i += BL_LANES) {
        bl_lanes x = LANES(column + i) * LANES(without_pivot + i);
        x = (bl_lanes)((bits)x & INT64_MAX);
        bits more = x > most;
        most = (bl_lanes)(((bits)x & more) | ((bits)most & ~more));
    }
    double result = 0;
    for (int l = 0; l < BL_LANES; l++)
        result = most[l] > result ? most[l] : result;
    return result;
}

/* exchanges row order[k] with the row of the largest entry among rows without a pivot */
static void exchange(size_t n, size_t room, size_t k, double *a, const bl_index *order, bl_index *row_in) {
    size_t at = (size_t)order[k], r = at;
    const double *column = a + room * at;
    for (size_t l = k + 1; l < n; l++)
        r = fabs(column[order[l]]) > fabs(column[r]) ? (size_t)order[l] : r;
    swap_rows(n, room, a, at, r);
    bl_index keep = row_in[at];
    row_in[at] = row_in[r];
    row_in[r] = keep;
}

static bool invert(size_t n, size_t room, double *a, double *work, const bl_index *order, bl_index *row_in, bl_inverse_pivots *pivots) {
    double least = INFINITY, most = 0, *entry = work, *without_pivot = work + room;
    *pivots = (bl_inverse_pivots){.sign = 1};
    for (size_t i = 0; i < room; i++)
        without_pivot[i] = i < n;
    for (size_t k = 0; k < n; k++) {
        size_t at = (size_t)order[k];
        const double *pivot = a + room * at + at;
        if (fabs(*pivot) < KEPT_PIVOT * largest_free(room, a + room * at, without_pivot)) {
            exchange(n, room, k, a, order, row_in);
            pivots->sign = -pivots->sign;
        }
        double by = 1 / *pivot, size = fabs(*pivot);
        if (!(size > 0) || isinf(size))
            return false;
        without_pivot[at] = 0;
        least = size < least ? size : least;
        most = size > most ? size : most;
        pivots->sign = by < 0 ? -pivots->sign : pivots->sign;
        const double *row = a + at;
        for (size_t j = 0; j < n; j++, row += room)
            entry[j] = *row;
        entry[at] = 0; /* the pivot's own column is computed separately */
        pivots->updates += add_to_all_columns(n, room, at, by, entry, a);
    }
    pivots->least = n ? least : 1;
    pivots->most = n ? most : 1;
    return true;
}

const bl_inverse_kernels BL_ISA_NAME(bl_inverse_kernels) = {invert, scale};
