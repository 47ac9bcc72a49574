/* Horner's rule for many polynomials at once, four lanes at a time, by instruction set. */
#include "system/expansion_isa.h"

#include "base/lanes.h"

enum { FOUR = sizeof(bl_four) / sizeof(double) };

/* The same as horner for `blocks` <= 4 blocks of lanes; with_rate: the derivative too. */
static inline __attribute__((always_inline)) void horner_blocks(int blocks, bool with_rate, bl_index n, const double *top, int last,
                                                                double s, double *y, double *rate) {
    bl_four p[4], d[4] = {0};
    for (int c = 0; c < blocks; c++)
        p[c] = *(const bl_four *)(top + c * FOUR);
    for (int k = last; k > 0; k--) {
        top -= n;
        for (int c = 0; c < blocks; c++) {
            if (with_rate)
                d[c] = p[c] + d[c] * s;
            p[c] = *(const bl_four *)(top + c * FOUR) + p[c] * s;
        }
    }
    for (int c = 0; c < blocks; c++) {
        *(bl_four *)(y + c * FOUR) = p[c];
        if (with_rate)
            *(bl_four *)(rate + c * FOUR) = d[c];
    }
}

/* y = sum_{k = 0 .. last} x_k s^k, and its derivative where rate is not NULL. Numbers read beyond the last one are padding and are not
 * stored. */
static void horner(bl_index n, const double *x, int last, double s, double *y, double *rate) {
    const double *top = x + (size_t)last * (size_t)n;
    double value[4 * FOUR], slope[4 * FOUR];
    for (bl_index i = 0, done; i < n; i += done) {
        int blocks = (n - i + FOUR - 1) / FOUR;
        done = (blocks >= 4 ? 4 : blocks >= 2 ? 2 : 1) * FOUR;
        if (blocks >= 4)
            rate ? horner_blocks(4, true, n, top + i, last, s, value, slope) : horner_blocks(4, false, n, top + i, last, s, value, slope);
        else if (blocks >= 2)
            rate ? horner_blocks(2, true, n, top + i, last, s, value, slope) : horner_blocks(2, false, n, top + i, last, s, value, slope);
        else
            rate ? horner_blocks(1, true, n, top + i, last, s, value, slope) : horner_blocks(1, false, n, top + i, last, s, value, slope);
        bl_index count = done < n - i ? done : n - i;
        for (bl_index c = 0; y && c < count; c++)
            y[i + c] = value[c];
        for (bl_index c = 0; rate && c < count; c++)
            rate[i + c] = slope[c];
    }
}

const bl_horner_kernels BL_ISA_NAME(bl_horner_kernels) = {horner};
