/* One or two registers hold a row of all segments: the chain of dependent operations has 1/8 of the length. */
#include "linsol/segments_isa.h"

#include "base/lanes.h"

#define KERNEL static inline __attribute__((always_inline))
#define L(p) (*(bl_lanes *)(p))
#define C(p) (*(const bl_lanes *)(p))
enum { REGISTERS = BL_SEGMENTS / BL_LANES };

/* the most recent row is used last, so that nothing else waits */
KERNEL void substitute_by(const int width, const bl_segment_factors *f, double *restrict y) {
    const bl_index m = f->m, step = width * BL_SEGMENTS;
    const double *restrict l = f->l, *restrict inverse = f->inverse;
    bl_lanes last[BL_SEGMENTS_WIDTH][REGISTERS] = {{{0}}};
    for (bl_index i = 0; i < m; i++, l += step)
        for (int r = 0; r < REGISTERS; r++) {
            double *row = y + (size_t)i * BL_SEGMENTS + r * BL_LANES;
            bl_lanes sum = L(row);
            for (int j = width; j >= 1; j--)
                sum -= C(l + (j - 1) * BL_SEGMENTS + r * BL_LANES) * last[j - 1][r];
            for (int j = width; j > 1; j--)
                last[j - 1][r] = last[j - 2][r];
            last[0][r] = sum;
            L(row) = sum * C(inverse + (size_t)i * BL_SEGMENTS + r * BL_LANES);
        }
    for (int j = 0; j < width; j++) /* following rows, whose l are in the column of this row; zero beyond the end */
        for (int r = 0; r < REGISTERS; r++)
            last[j][r] = (bl_lanes){0};
    const double *base = f->l;
    for (bl_index i = m - 1; i >= 0; i--)
        for (int r = 0; r < REGISTERS; r++) {
            double *row = y + (size_t)i * BL_SEGMENTS + r * BL_LANES;
            bl_lanes sum = L(row);
            for (int j = width; j >= 1; j--)
                sum -= C(base + ((size_t)(i + j) * (size_t)width + (size_t)(j - 1)) * BL_SEGMENTS + r * BL_LANES) * last[j - 1][r];
            for (int j = width; j > 1; j--)
                last[j - 1][r] = last[j - 2][r];
            last[0][r] = sum;
            L(row) = sum;
        }
}

KERNEL void correct_by(const int width, const bl_segment_factors *f, const double *before, const double *behind, double *restrict y) {
    const double *restrict left = f->left, *restrict right = f->right;
    for (bl_index i = 0; i < f->m; i++, left += width * BL_SEGMENTS, right += width * BL_SEGMENTS)
        for (int r = 0; r < BL_SEGMENTS; r += BL_LANES) {
            bl_lanes sum = L(y + (size_t)i * BL_SEGMENTS + r);
            for (int a = 0; a < width; a++)
                sum -= C(left + a * BL_SEGMENTS + r) * C(before + a * BL_SEGMENTS + r) +
                       C(right + a * BL_SEGMENTS + r) * C(behind + a * BL_SEGMENTS + r);
            L(y + (size_t)i * BL_SEGMENTS + r) = sum;
        }
}

static void substitute(const bl_segment_factors *f, double *y) {
    switch (f->width) {
    case 1: substitute_by(1, f, y); break;
    case 2: substitute_by(2, f, y); break;
    case 3: substitute_by(3, f, y); break;
    default: substitute_by(4, f, y); break;
    }
}

static void correct(const bl_segment_factors *f, const double *before, const double *behind, double *y) {
    switch (f->width) {
    case 1: correct_by(1, f, before, behind, y); break;
    case 2: correct_by(2, f, before, behind, y); break;
    case 3: correct_by(3, f, before, behind, y); break;
    default: correct_by(4, f, before, behind, y); break;
    }
}

const bl_segment_kernels BL_ISA_NAME(bl_segment_kernels) = {substitute, correct};
