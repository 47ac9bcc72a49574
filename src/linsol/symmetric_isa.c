/* Products and incomplete factors by rows of blocks. A block of the lower half is read once and used twice, A_ij x_j for row i and
 * A_ij^T x_i for row j, so that a product reads half of the matrix: memory bandwidth limits its speed. */
#include "linsol/symmetric_isa.h"

#include "base/lanes.h"

#include <math.h>

typedef double two __attribute__((vector_size(16), aligned(8), may_alias));
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
typedef int64_t four_bits __attribute__((vector_size(32)));

#define KERNEL static inline __attribute__((always_inline))
#define FOUR(p) (*(bl_four *)(p))
#define TWO(p) (*(two *)(p))
#define FLOATS(p) __builtin_convertvector(*(const four_floats *)(p), bl_four)
/* keeps a value in a register: otherwise the compiler would read a block that is used twice from memory twice, unaligned */
#if defined(__AVX2__)
#define HOLD(v) __asm__("" : "+x"(v))
#else
#define HOLD(v) (void)(v)
#endif
enum { AHEAD = 128 }; /* numbers from the present one to the one that is prefetched */

static const bl_four ZERO = {0};
static const four_bits THREE = {-1, -1, -1, 0};

/* macros, since calling conventions for such vectors depend on the instruction set */
#define ALL(x) ((x)-ZERO)
#define FIRST_THREE(v) ((bl_four)((four_bits)(v)&THREE))
#define SUM_THREE(v) ((v)[0] + (v)[1] + (v)[2])

/* ---- products */

static double product_1(const bl_blocks *a, const double *restrict x, double *restrict y) {
    const bl_index n = a->n, *ptr = a->ptr, *idx = a->idx;
    const double *lower = a->left, *diagonal = a->diag;
    double curvature = 0;
    for (bl_index i = 0; i < n; i++) {
        double sum = 0, xi = x[i];
        for (bl_index k = ptr[i]; k < ptr[i + 1]; k++) {
            bl_index j = idx[k];
            sum += lower[k] * x[j];
            y[j] += lower[k] * xi;
        }
        y[i] = sum + diagonal[i] * xi; /* later rows add to it */
        curvature += xi * (sum + y[i]);
    }
    return curvature;
}

static double product_2(const bl_blocks *a, const double *restrict x, double *restrict y) {
    const bl_index n = a->n, *ptr = a->ptr, *idx = a->idx;
    const double *lower = a->left, *diagonal = a->diag;
    bl_four curvature = ZERO;
    for (bl_index i = 0; i < n; i++) {
        const double *block = lower + 4 * (size_t)ptr[i], *diag = diagonal + 4 * (size_t)i;
        bl_four sum = ZERO, xi = {x[2 * i], x[2 * i], x[2 * i + 1], x[2 * i + 1]};
        for (bl_index k = ptr[i]; k < ptr[i + 1]; k++, block += 4) {
            size_t j = 2 * (size_t)idx[k];
            bl_four b = FOUR(block), xj = {x[j], x[j + 1], x[j], x[j + 1]}, down;
            __builtin_prefetch(block + AHEAD);
            sum += b * xj;
            down = b * xi;
            TWO(y + j) += (two){down[0] + down[2], down[1] + down[3]};
        }
        two left = {sum[0] + sum[1], sum[2] + sum[3]}, own = TWO(diag) * xi[0] + TWO(diag + 2) * xi[2];
        TWO(y + 2 * (size_t)i) = left + own;
        curvature += (bl_four){xi[0], xi[2], 0, 0} * (bl_four){2 * left[0] + own[0], 2 * left[1] + own[1], 0, 0};
    }
    return curvature[0] + curvature[1];
}

static double product_3(const bl_blocks *a, const double *restrict x, double *restrict y) {
    const bl_index n = a->n, *ptr = a->ptr, *idx = a->idx;
    const double *lower = a->left, *diagonal = a->diag;
    bl_four curvature = ZERO;
    for (bl_index i = 0; i < n; i++) {
        const double *block = lower + 9 * (size_t)ptr[i], *diag = diagonal + 9 * (size_t)i;
        bl_four xi = FOUR(x + 4 * (size_t)i), x0 = ALL(xi[0]), x1 = ALL(xi[1]), x2 = ALL(xi[2]), s0 = ZERO, s1 = ZERO, s2 = ZERO;
        for (bl_index k = ptr[i]; k < ptr[i + 1]; k++, block += 9) {
            size_t j = 4 * (size_t)idx[k];
            bl_four b0 = FOUR(block), b1 = FOUR(block + 3), b2 = FOUR(block + 6), xj = FOUR(x + j);
            HOLD(b0);
            HOLD(b1);
            HOLD(b2);
            __builtin_prefetch(block + AHEAD);
            s0 += b0 * xj; /* the fourth number of xj is zero */
            s1 += b1 * xj;
            s2 += b2 * xj;
            FOUR(y + j) += FIRST_THREE(b0 * x0 + b1 * x1 + b2 * x2);
        }
        bl_four left = {SUM_THREE(s0), SUM_THREE(s1), SUM_THREE(s2), 0};
        bl_four own = FIRST_THREE(FOUR(diag) * x0 + FOUR(diag + 3) * x1 + FOUR(diag + 6) * x2);
        FOUR(y + 4 * (size_t)i) = left + own;
        curvature += xi * (2 * left + own);
    }
    return SUM_THREE(curvature);
}

static double product(const bl_blocks *a, const double *x, double *y) {
    return a->d == 1 ? product_1(a, x, y) : a->d == 2 ? product_2(a, x, y) : product_3(a, x, y);
}

/* ---- incomplete factors
 * Row i of L, block after block: L_ij L_jj^T = A_ij - sum_k L_ik L_jk^T over the k common to both rows, L_ii L_ii^T = A_ii - sum_k L_ik
 * L_ik^T. */

static double incomplete_1(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L) {
    double least = 1;
    for (bl_index i = 0; i < a->n && least > 0; i++) {
        bl_index from = L->ptr[i], to = L->ptr[i + 1];
        double wanted = (1 + shift) * diag[i], pivot = wanted;
        for (bl_index k = from; k < to; k++)
            mark[a->idx[k]] = k - from;
        for (bl_index k = from; k < to; k++) {
            bl_index j = a->idx[k];
            double value = a->left[k];
            for (bl_index e = L->ptr[j]; e < L->ptr[j + 1]; e++)
                if (mark[a->idx[e]] >= 0)
                    value -= row[mark[a->idx[e]]] * L->left[e];
            L->left[k] = (float)(value * L->inverse[j]);
            row[k - from] = L->left[k];
            pivot -= row[k - from] * row[k - from];
        }
        for (bl_index k = from; k < to; k++)
            mark[a->idx[k]] = -1;
        least = pivot > L->least * wanted ? fmin(least, pivot / wanted) : 0;
        L->inverse[i] = 1 / sqrt(pivot);
    }
    return least;
}

/* inverse of the Cholesky factor of m, given by columns; returns the smallest pivot relative to its diagonal, 0: not accepted */
KERNEL double invert(const int d, const bl_four *m, const double *wanted, double accepted, double *inverse) {
    double l[3][3] = {{0}}, w[3][3] = {{0}}, least = 1;
    for (int c = 0; c < d; c++) {
        double pivot = m[c][c];
        for (int e = 0; e < c; e++)
            pivot -= l[c][e] * l[c][e];
        least = pivot > accepted * wanted[c] ? fmin(least, pivot / wanted[c]) : 0;
        w[c][c] = 1 / sqrt(pivot);
        for (int r = c + 1; r < d; r++) {
            double value = m[c][r];
            for (int e = 0; e < c; e++)
                value -= l[r][e] * l[c][e];
            l[r][c] = value * w[c][c];
        }
        for (int e = 0; e < c; e++) { /* row c of L L^-1 = 1 */
            double value = 0;
            for (int f = e; f < c; f++)
                value += l[c][f] * w[f][e];
            w[c][e] = -value * w[c][c];
        }
    }
    for (int r = 0; r < d; r++)
        for (int c = 0; c < d; c++)
            inverse[r * d + c] = w[r][c];
    return least;
}

/* Blocks of the present row are stored transposed in `row`, each column of a block in four numbers. */
KERNEL double incomplete_by(const int d, const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L) {
    const size_t dd = (size_t)(d * d);
    double least = 1;
    for (bl_index i = 0; i < a->n && least > 0; i++) {
        bl_index from = L->ptr[i], to = L->ptr[i + 1];
        const double *own = diag + dd * (size_t)i;
        bl_four rest[3];
        double wanted[3];
        for (int c = 0; c < d; c++) {
            rest[c] = ZERO;
            for (int r = 0; r < d; r++)
                rest[c][r] = own[r * d + c];
            wanted[c] = rest[c][c] *= 1 + shift;
        }
        for (bl_index k = from; k < to; k++)
            mark[a->idx[k]] = k - from;
        for (bl_index k = from; k < to; k++) {
            bl_index j = a->idx[k];
            const double *block = a->left + dd * (size_t)k, *inverse = L->inverse + dd * (size_t)j;
            float *left = L->left + dd * (size_t)k;
            double *column = row + 4 * (size_t)d * (size_t)(k - from);
            bl_four t[3];
            for (int c = 0; c < d; c++) {
                t[c] = ZERO;
                for (int r = 0; r < d; r++)
                    t[c][r] = block[r * d + c];
            }
            for (bl_index e = L->ptr[j]; e < L->ptr[j + 1]; e++) {
                bl_index q = mark[a->idx[e]];
                if (q < 0)
                    continue;
                const float *other = L->left + dd * (size_t)e;
                const double *same = row + 4 * (size_t)d * (size_t)q;
                for (int c = 0; c < d; c++)
                    for (int s = 0; s < d; s++)
                        t[c] -= FOUR(same + 4 * s) * (double)other[c * d + s];
            }
            for (int c = 0; c < d; c++) {
                bl_four value = t[0] * inverse[c * d];
                for (int s = 1; s <= c; s++)
                    value += t[s] * inverse[c * d + s];
                for (int r = 0; r < d; r++)
                    left[r * d + c] = (float)value[r];
                for (int r = 0; r < 4; r++)
                    column[4 * c + r] = r < d ? left[r * d + c] : 0;
            }
            for (int c = 0; c < d; c++)
                for (int s = 0; s < d; s++)
                    rest[c] -= FOUR(column + 4 * s) * column[4 * s + c];
        }
        for (bl_index k = from; k < to; k++)
            mark[a->idx[k]] = -1;
        least = fmin(least, invert(d, rest, wanted, L->least, L->inverse + dd * (size_t)i));
    }
    return least;
}

static double incomplete_2(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L) {
    return incomplete_by(2, a, diag, shift, mark, row, L);
}

static double incomplete_3(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L) {
    return incomplete_by(3, a, diag, shift, mark, row, L);
}

static double incomplete(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L) {
    return a->d == 1   ? incomplete_1(a, diag, shift, mark, row, L)
           : a->d == 2 ? incomplete_2(a, diag, shift, mark, row, L)
                       : incomplete_3(a, diag, shift, mark, row, L);
}

/* ---- solutions with them */

static double forward_1(const bl_lower *L, const double *restrict r, double *restrict z) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    double size = 0;
    for (bl_index i = 0; i < n; i++) {
        double sum = 0;
        for (bl_index k = ptr[i], end = ptr[i + 1]; k < end; k++)
            sum += lower[k] * z[idx[k]];
        z[i] = (r[i] - sum) * inverse[i];
        size += z[i] * z[i];
    }
    return size;
}

static void backward_1(const bl_lower *L, double beta, double *restrict z, double *restrict p) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    for (bl_index i = n - 1; i >= 0; i--) {
        double x = z[i] * inverse[i];
        for (bl_index begin = ptr[i], k = ptr[i + 1] - 1; k >= begin; k--)
            z[idx[k]] -= lower[k] * x;
        p[i] = beta == 0 ? x : x + beta * p[i];
    }
}

static double forward_2(const bl_lower *L, const double *restrict r, double *restrict z) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    two size = {0};
    for (bl_index i = 0; i < n; i++) {
        bl_four sum = ZERO;
        for (bl_index k = ptr[i], end = ptr[i + 1]; k < end; k++) {
            const double *zj = z + 2 * (size_t)idx[k];
            sum += FLOATS(lower + 4 * (size_t)k) * (bl_four){zj[0], zj[1], zj[0], zj[1]};
        }
        const double *w = inverse + 4 * (size_t)i, *ri = r + 2 * (size_t)i;
        double t0 = ri[0] - (sum[0] + sum[1]), t1 = ri[1] - (sum[2] + sum[3]);
        two own = {w[0] * t0, w[2] * t0 + w[3] * t1};
        TWO(z + 2 * (size_t)i) = own;
        size += own * own;
    }
    return size[0] + size[1];
}

static void backward_2(const bl_lower *L, double beta, double *restrict z, double *restrict p) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    for (bl_index i = n - 1; i >= 0; i--) {
        const double *w = inverse + 4 * (size_t)i, *zi = z + 2 * (size_t)i;
        two x = {w[0] * zi[0] + w[2] * zi[1], w[3] * zi[1]};
        bl_four both = {x[0], x[0], x[1], x[1]};
        for (bl_index begin = ptr[i], k = ptr[i + 1] - 1; k >= begin; k--) {
            bl_four down = FLOATS(lower + 4 * (size_t)k) * both;
            TWO(z + 2 * (size_t)idx[k]) -= (two){down[0] + down[2], down[1] + down[3]};
        }
        if (beta != 0)
            x += beta * TWO(p + 2 * (size_t)i);
        TWO(p + 2 * (size_t)i) = x;
    }
}

static double forward_3(const bl_lower *L, const double *restrict r, double *restrict z) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    bl_four size = ZERO;
    for (bl_index i = 0; i < n; i++) {
        bl_four s0 = ZERO, s1 = ZERO, s2 = ZERO;
        const float *block = lower + 9 * (size_t)ptr[i];
        for (bl_index k = ptr[i], end = ptr[i + 1]; k < end; k++, block += 9) {
            bl_four zj = FOUR(z + 4 * (size_t)idx[k]);
            __builtin_prefetch(block + AHEAD);
            s0 += FLOATS(block) * zj;
            s1 += FLOATS(block + 3) * zj;
            s2 += FLOATS(block + 6) * zj;
        }
        const double *w = inverse + 9 * (size_t)i, *ri = r + 4 * (size_t)i;
        double t0 = ri[0] - SUM_THREE(s0), t1 = ri[1] - SUM_THREE(s1), t2 = ri[2] - SUM_THREE(s2);
        bl_four own = {w[0] * t0, w[3] * t0 + w[4] * t1, w[6] * t0 + w[7] * t1 + w[8] * t2, 0};
        FOUR(z + 4 * (size_t)i) = own;
        size += own * own;
    }
    return SUM_THREE(size);
}

static void backward_3(const bl_lower *L, double beta, double *restrict z, double *restrict p) {
    const bl_index n = L->n, *ptr = L->ptr, *idx = L->idx;
    const float *lower = L->left;
    const double *inverse = L->inverse;
    for (bl_index i = n - 1; i >= 0; i--) {
        const double *w = inverse + 9 * (size_t)i, *zi = z + 4 * (size_t)i;
        double x0 = w[0] * zi[0] + w[3] * zi[1] + w[6] * zi[2], x1 = w[4] * zi[1] + w[7] * zi[2], x2 = w[8] * zi[2];
        bl_four all0 = ALL(x0), all1 = ALL(x1), all2 = ALL(x2), x = {x0, x1, x2, 0};
        const float *block = lower + 9 * (size_t)ptr[i + 1];
        for (bl_index begin = ptr[i], k = ptr[i + 1] - 1; k >= begin; k--) {
            block -= 9;
            __builtin_prefetch(block - AHEAD);
            FOUR(z + 4 * (size_t)idx[k]) -= FIRST_THREE(FLOATS(block) * all0 + FLOATS(block + 3) * all1 + FLOATS(block + 6) * all2);
        }
        if (beta != 0)
            x += beta * FOUR(p + 4 * (size_t)i);
        FOUR(p + 4 * (size_t)i) = x;
    }
}

static double forward(const bl_lower *L, const double *r, double *z) {
    return L->d == 1 ? forward_1(L, r, z) : L->d == 2 ? forward_2(L, r, z) : forward_3(L, r, z);
}

static void backward(const bl_lower *L, double beta, double *z, double *p) {
    if (L->d == 1)
        backward_1(L, beta, z, p);
    else if (L->d == 2)
        backward_2(L, beta, z, p);
    else
        backward_3(L, beta, z, p);
}

const bl_symmetric_kernels BL_ISA_NAME(bl_symmetric_kernels) = {product, incomplete, forward, backward};
