/* Products of many series at once. Lanes are taken in blocks that stay in registers while the sum over the coefficients runs; every lane
 * adds in the order of j, so its result does not depend on how many others there are. */
#include "series/taylor.h"

enum { WIDE = 16, MIDDLE = 8, NARROW = 4 }; /* two lines of the cache; what is left over */

/* sum[l] += sum of a_j b_{k-j} over j = 0..last, for a block of lanes */
static inline void add_block(int block, size_t lanes, const double *a, const double *b, int last, int k, double *sum) {
    for (int j = 0; j <= last; j++) {
        const double *p = a + (size_t)j * lanes, *q = b + (size_t)(k - j) * lanes;
        for (int l = 0; l < block; l++)
            sum[l] += p[l] * q[l];
    }
}

static inline void dot_block(int block, size_t lanes, size_t apart, int count, const double *a, const double *b, double *y, int k) {
    double sum[WIDE] = {0};
    for (int i = 0; i < count; i++)
        add_block(block, lanes, a + (size_t)i * apart, b + (size_t)i * apart, k, k, sum);
    for (int l = 0; l < block; l++)
        y[(size_t)k * lanes + (size_t)l] = sum[l];
}

void bl_taylor_lanes_dot_next(bl_index lanes, int order, int count, const double *a, const double *b, double *y, int k) {
    size_t n = (size_t)lanes, apart = ((size_t)order + 1) * n, l = 0;
    for (; l + WIDE <= n; l += WIDE)
        dot_block(WIDE, n, apart, count, a + l, b + l, y + l, k);
    for (; l + MIDDLE <= n; l += MIDDLE)
        dot_block(MIDDLE, n, apart, count, a + l, b + l, y + l, k);
    for (; l + NARROW <= n; l += NARROW)
        dot_block(NARROW, n, apart, count, a + l, b + l, y + l, k);
    for (; l < n; l++)
        dot_block(1, n, apart, count, a + l, b + l, y + l, k);
}

void bl_taylor_lanes_mul_next(bl_index lanes, const double *a, const double *b, double *y, int k) {
    bl_taylor_lanes_dot_next(lanes, k, 1, a, b, y, k);
}

static inline void square_block(int block, size_t lanes, const double *u, double *y, int k) {
    double sum[WIDE] = {0}, once = k % 2 ? 0 : 1;
    const double *middle = u + (size_t)(k / 2) * lanes;
    add_block(block, lanes, u, u, (k + 1) / 2 - 1, k, sum);
    for (int l = 0; l < block; l++)
        y[(size_t)k * lanes + (size_t)l] = 2 * sum[l] + once * (middle[l] * middle[l]);
}

void bl_taylor_lanes_square_next(bl_index lanes, const double *u, double *y, int k) {
    size_t n = (size_t)lanes, l = 0;
    for (; l + WIDE <= n; l += WIDE)
        square_block(WIDE, n, u + l, y + l, k);
    for (; l + MIDDLE <= n; l += MIDDLE)
        square_block(MIDDLE, n, u + l, y + l, k);
    for (; l + NARROW <= n; l += NARROW)
        square_block(NARROW, n, u + l, y + l, k);
    for (; l < n; l++)
        square_block(1, n, u + l, y + l, k);
}

void bl_taylor_lanes_mul(bl_index lanes, int order, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_lanes_mul_next(lanes, a, b, y, k);
}

void bl_taylor_lanes_square(bl_index lanes, int order, const double *u, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_lanes_square_next(lanes, u, y, k);
}

void bl_taylor_lanes_dot(bl_index lanes, int order, int count, const double *a, const double *b, double *y) {
    for (int k = 0; k <= order; k++)
        bl_taylor_lanes_dot_next(lanes, order, count, a, b, y, k);
}
