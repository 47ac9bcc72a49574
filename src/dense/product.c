/* Products with small full matrices, columns padded, as many numbers at a time as registers take. */
#include "base/lanes.h"
#include "dense/dense.h"

#include <string.h>

enum { COLUMNS = BL_DENSE_COLUMNS, PAIR = 2 * BL_LANES };
_Static_assert(BL_DENSE_ROWS % PAIR == 0, "columns are read in pairs of lanes");

BL_WIDE void bl_dense_multiply(size_t n, size_t room, const double *X, const double *x, double *y) {
    size_t i = 0;
    for (; i + 2 * PAIR <= room; i += 2 * PAIR) {
        bl_lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        const double *column = X + i;
        for (size_t j = 0; j < n; j++, column += room) {
            const bl_lanes *c = (const bl_lanes *)column;
            s0 += c[0] * x[j];
            s1 += c[1] * x[j];
            s2 += c[2] * x[j];
            s3 += c[3] * x[j];
        }
        bl_lanes *to = (bl_lanes *)(y + i);
        to[0] = s0;
        to[1] = s1;
        to[2] = s2;
        to[3] = s3;
    }
    for (; i < room; i += PAIR) {
        bl_lanes s0 = {0}, s1 = {0};
        const double *column = X + i;
        for (size_t j = 0; j < n; j++, column += room) {
            const bl_lanes *c = (const bl_lanes *)column;
            s0 += c[0] * x[j];
            s1 += c[1] * x[j];
        }
        bl_lanes *to = (bl_lanes *)(y + i);
        to[0] = s0;
        to[1] = s1;
    }
}

BL_WIDE void bl_dense_multiply_transposed(size_t n, size_t room, const double *X, const double *x, double *y) {
    for (size_t j = 0; j < n; j += COLUMNS, X += COLUMNS * room) {
        bl_lanes s[COLUMNS] = {0};
        for (size_t i = 0; i < room; i += BL_LANES) {
            bl_lanes value = *(const bl_lanes *)(x + i);
            for (size_t c = 0; c < COLUMNS; c++)
                s[c] += *(const bl_lanes *)(X + c * room + i) * value;
        }
        for (size_t c = 0; c < COLUMNS; c++) {
            double part[4] = {0};
            memcpy(part, &s[c], sizeof s[c]);
            y[j + c] = (part[0] + part[1]) + (part[2] + part[3]);
        }
    }
}
