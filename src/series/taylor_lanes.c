/* Products of many series at once. Lanes are taken in blocks that stay in registers while the sum over the coefficients runs; every lane
 * adds in the order of j, so its result does not depend on how many others there are. */
#include "series/taylor.h"

enum { BLOCK = 8 };

/* sum[l] += sum of a_j b_{k-j} over j = first..last, one block of lanes */
static inline void add_block(size_t lanes, const double *a, const double *b, int first, int last, int k, double sum[BLOCK]) {
    for (int j = first; j <= last; j++) {
        const double *p = a + (size_t)j * lanes, *q = b + (size_t)(k - j) * lanes;
        for (int l = 0; l < BLOCK; l++)
            sum[l] += p[l] * q[l];
    }
}

/* the same for one lane */
static inline double add_lane(size_t lanes, const double *a, const double *b, int first, int last, int k, double sum) {
    for (int j = first; j <= last; j++)
        sum += a[(size_t)j * lanes] * b[(size_t)(k - j) * lanes];
    return sum;
}

void bl_taylor_lanes_dot_next(bl_index lanes, int order, int count, const double *a, const double *b, double *y, int k) {
    size_t n = (size_t)lanes, apart = ((size_t)order + 1) * n, l = 0;
    for (; l + BLOCK <= n; l += BLOCK) {
        double sum[BLOCK] = {0};
        for (int i = 0; i < count; i++)
            add_block(n, a + (size_t)i * apart + l, b + (size_t)i * apart + l, 0, k, k, sum);
        for (size_t m = 0; m < BLOCK; m++)
            y[(size_t)k * n + l + m] = sum[m];
    }
    for (; l < n; l++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum = add_lane(n, a + (size_t)i * apart + l, b + (size_t)i * apart + l, 0, k, k, sum);
        y[(size_t)k * n + l] = sum;
    }
}

void bl_taylor_lanes_mul_next(bl_index lanes, const double *a, const double *b, double *y, int k) {
    bl_taylor_lanes_dot_next(lanes, k, 1, a, b, y, k);
}

void bl_taylor_lanes_square_next(bl_index lanes, const double *u, double *y, int k) {
    size_t n = (size_t)lanes, l = 0;
    int last = (k + 1) / 2 - 1; /* of the pairs */
    const double *middle = u + (size_t)(k / 2) * n;
    double once = k % 2 ? 0 : 1;
    for (; l + BLOCK <= n; l += BLOCK) {
        double sum[BLOCK] = {0};
        add_block(n, u + l, u + l, 0, last, k, sum);
        for (size_t m = 0; m < BLOCK; m++)
            y[(size_t)k * n + l + m] = 2 * sum[m] + once * (middle[l + m] * middle[l + m]);
    }
    for (; l < n; l++)
        y[(size_t)k * n + l] = 2 * add_lane(n, u + l, u + l, 0, last, k, 0) + once * (middle[l] * middle[l]);
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
