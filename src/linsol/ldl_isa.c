/* L D L^T x = b. A group of columns with the same rows is subtracted in one pass: each row number is read once, each unknown is loaded and
 * stored once, and products are independent. No operations are fused (CMakeLists.txt): results are identical on all instruction sets. */
#include "linsol/ldl_isa.h"

#include "base/lanes.h"

#define FOUR(p) (*(const bl_four *)(p))
#define KERNEL static inline __attribute__((always_inline))

/* values of column c of a group of w from column j on, below the group */
KERNEL const double *below(const bl_ldl_factor *L, int w, bl_index j, int c) { return L->value + L->ptr[j + c] + (w - 1 - c); }

/* L y = b */
KERNEL void forward(const bl_ldl_factor *L, const int w, bl_index j, double *x) {
    const double *v[BL_LDL_WIDTH];
    double y[BL_LDL_WIDTH];
    for (int c = 0; c < w; c++)
        v[c] = below(L, w, j, c);
    for (int c = 0; c < w; c++) {
        y[c] = x[j + c];
        for (int e = 0; e < c; e++)
            y[c] -= v[e][c - w] * y[e];
        x[j + c] = y[c];
    }
    const bl_index *row = L->idx + L->ptr[j + w - 1];
    bl_index m = L->ptr[j + w] - L->ptr[j + w - 1], k = 0;
    for (; k + 4 <= m; k += 4) {
        bl_four sum = FOUR(v[0] + k) * y[0];
        for (int c = 1; c < w; c++)
            sum += FOUR(v[c] + k) * y[c];
        for (int r = 0; r < 4; r++)
            x[row[k + r]] -= sum[r];
    }
    for (; k < m; k++) {
        double sum = v[0][k] * y[0];
        for (int c = 1; c < w; c++)
            sum += v[c][k] * y[c];
        x[row[k]] -= sum;
    }
}

/* D L^T x = y */
KERNEL void backward(const bl_ldl_factor *L, const int w, bl_index j, double *x) {
    const double *v[BL_LDL_WIDTH];
    bl_four sum[BL_LDL_WIDTH];
    double y[BL_LDL_WIDTH];
    for (int c = 0; c < w; c++) {
        v[c] = below(L, w, j, c);
        sum[c] = (bl_four){0};
        y[c] = x[j + c] / L->d[j + c];
    }
    const bl_index *row = L->idx + L->ptr[j + w - 1];
    bl_index m = L->ptr[j + w] - L->ptr[j + w - 1], k = 0;
    for (; k + 4 <= m; k += 4) {
        bl_four at = {x[row[k]], x[row[k + 1]], x[row[k + 2]], x[row[k + 3]]};
        for (int c = 0; c < w; c++)
            sum[c] += FOUR(v[c] + k) * at;
    }
    for (; k < m; k++)
        for (int c = 0; c < w; c++)
            y[c] -= v[c][k] * x[row[k]];
    for (int c = w - 1; c >= 0; c--) {
        y[c] -= (sum[c][0] + sum[c][1]) + (sum[c][2] + sum[c][3]);
        for (int e = w - 1; e > c; e--)
            y[c] -= v[c][e - w] * y[e];
        x[j + c] = y[c];
    }
}

static void solve(const bl_ldl_factor *L, double *x) {
    for (bl_index g = 0; g < L->ngroup; g++) {
        bl_index j = L->group[g];
        switch (L->group[g + 1] - j) {
        case 1: forward(L, 1, j, x); break;
        case 2: forward(L, 2, j, x); break;
        case 3: forward(L, 3, j, x); break;
        default: forward(L, 4, j, x); break;
        }
    }
    for (bl_index g = L->ngroup - 1; g >= 0; g--) {
        bl_index j = L->group[g];
        switch (L->group[g + 1] - j) {
        case 1: backward(L, 1, j, x); break;
        case 2: backward(L, 2, j, x); break;
        case 3: backward(L, 3, j, x); break;
        default: backward(L, 4, j, x); break;
        }
    }
}

const bl_ldl_kernels BL_ISA_NAME(bl_ldl_kernels) = {solve};
