/* Products with small full matrices, columns padded to eight numbers, as many at a time as fit in registers. */
#include "dense/product_isa.h"

#include "base/lanes.h"
#include "dense/dense.h"

#include <string.h>

enum { COLUMNS = BL_DENSE_COLUMNS };
_Static_assert(BL_DENSE_ROWS % 8 == 0 && 8 % BL_LANES == 0, "strips are multiples of eight rows");

/* y of 8 `eights` rows: sums of all columns stay in registers */
static inline __attribute__((always_inline)) void strip(const int eights, size_t n, size_t room, const double *X, const double *x,
                                                        double *y) {
    enum { MOST = 32 / BL_LANES };
    const int count = 8 * eights / BL_LANES;
    bl_lanes sum[MOST] = {0};
    for (size_t j = 0; j < n; j++, X += room)
        for (int c = 0; c < count; c++)
            sum[c] += *(const bl_lanes *)(X + c * BL_LANES) * x[j];
    for (int c = 0; c < count; c++)
        *(bl_lanes *)(y + c * BL_LANES) = sum[c];
}

static void multiply(size_t n, size_t room, const double *X, const double *x, double *y) {
    size_t i = 0;
    for (; i + 32 <= room; i += 32)
        strip(4, n, room, X + i, x, y + i);
    switch (room - i) {
    case 24: strip(3, n, room, X + i, x, y + i); break;
    case 16: strip(2, n, room, X + i, x, y + i); break;
    case 8: strip(1, n, room, X + i, x, y + i); break;
    default: break;
    }
}

static void multiply_transposed(size_t n, size_t room, const double *X, const double *x, double *y) {
    for (size_t j = 0; j < n; j += COLUMNS, X += COLUMNS * room) {
        bl_lanes s[COLUMNS] = {0};
        for (size_t i = 0; i < room; i += BL_LANES) {
            bl_lanes value = *(const bl_lanes *)(x + i);
            for (size_t c = 0; c < COLUMNS; c++)
                s[c] += *(const bl_lanes *)(X + c * room + i) * value;
        }
        for (size_t c = 0; c < COLUMNS; c++) {
            double part[8] = {0};
            memcpy(part, &s[c], sizeof s[c]);
            y[j + c] = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
        }
    }
}

const bl_product_kernels BL_ISA_NAME(bl_product_kernels) = {multiply, multiply_transposed};
