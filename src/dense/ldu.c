/* LDU factorization with complete pivoting, null spaces and solutions from one elimination (Fernandez de Bustos, Garcia-Marina, Urkullu,
 * Abasolo 2018). With the pivots first, A = L D U in blocks [L1; L2] D [U1 U2]:
 *
 *     A x = 0     x = [-U1^-1 U2; I] y     without D: independent of the scale of the rows, and |U| <= 1
 *     x^T A = 0   x = [-L1^-T L2^T; I] y
 *
 * First the component of b in the left null space is removed (least squares), then the system is solved with the other columns at zero
 * (basic), then the component of x in the null space is removed (minimum norm). */
#include "dense/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

size_t bl_ldu_doubles(bl_index m, bl_index n) {
    size_t rows = (size_t)m, cols = (size_t)n, least = rows < cols ? rows : cols, most = rows < cols ? cols : rows;
    return rows * cols + 2 * least * most + most * most + 2 * most;
}

void bl_ldu_place(bl_ldu *ldu, bl_index m, bl_index n, double *block, bl_index *order) {
    size_t rows = (size_t)m, cols = (size_t)n, least = rows < cols ? rows : cols, most = rows < cols ? cols : rows;
    *ldu = (bl_ldu){.m = m, .n = n, .lu = block, .row = order, .col = order + m};
    ldu->top = ldu->lu + rows * cols;
    ldu->left_top = ldu->top + least * most;
    ldu->gram = ldu->left_top + least * most;
    ldu->work = ldu->gram + most * most;
    ldu->part = ldu->work + most;
}

static void swap_index(bl_index *a, bl_index *b) {
    bl_index keep = *a;
    *a = *b;
    *b = keep;
}

static void swap_entries(bl_index count, size_t stride, double *a, double *b) {
    for (bl_index k = 0; k < count && a != b; k++) {
        double keep = a[stride * (size_t)k];
        a[stride * (size_t)k] = b[stride * (size_t)k];
        b[stride * (size_t)k] = keep;
    }
}

/* the largest entry from (k, k) on; NaN is never larger */
static double largest(const bl_ldu *ldu, bl_index k, bl_index *row, bl_index *col) {
    double best = 0;
    for (bl_index j = k; j < ldu->n; j++) {
        const double *column = ldu->lu + (size_t)ldu->m * (size_t)j;
        for (bl_index i = k; i < ldu->m; i++)
            if (fabs(column[i]) > best) {
                best = fabs(column[i]);
                *row = i;
                *col = j;
            }
    }
    return best;
}

/* column j below row k minus its multiple of pivot column k; returns the multiple */
static double subtract_pivot(const bl_ldu *ldu, bl_index k, bl_index j) {
    const double *pivot_column = ldu->lu + (size_t)ldu->m * (size_t)k;
    double *column = ldu->lu + (size_t)ldu->m * (size_t)j, entry = column[k];
    for (bl_index i = k + 1; i < ldu->m && entry != 0; i++)
        column[i] -= pivot_column[i] * entry;
    return entry;
}

/* in place: A to its permuted factors; D is on the diagonal */
static void eliminate(bl_ldu *ldu, double tolerance) {
    bl_index m = ldu->m, n = ldu->n, steps = m < n ? m : n, k, row = 0, col = 0;
    size_t stride = (size_t)m;
    double threshold = 0;
    for (k = 0; k < steps; k++) {
        double size = largest(ldu, k, &row, &col);
        if (k == 0)
            threshold = (tolerance > 0 ? tolerance : (double)(m > n ? m : n) * DBL_EPSILON) * size;
        if (!(size > threshold) || !isfinite(size))
            break;
        double *pivot_column = ldu->lu + stride * (size_t)k;
        swap_entries(m, 1, pivot_column, ldu->lu + stride * (size_t)col);
        swap_entries(n, stride, ldu->lu + k, ldu->lu + row);
        swap_index(&ldu->row[k], &ldu->row[row]);
        swap_index(&ldu->col[k], &ldu->col[col]);
        double d = pivot_column[k];
        for (bl_index i = k + 1; i < m; i++)
            pivot_column[i] /= d;
        for (bl_index j = k + 1; j < n; j++) {
            ldu->lu[stride * (size_t)j + (size_t)k] = subtract_pivot(ldu, k, j) / d;
        }
    }
    ldu->rank = k;
}

/* null spaces of the factors */
static void find_spaces(bl_ldu *ldu) {
    bl_index m = ldu->m, n = ldu->n, r = ldu->rank;
    size_t stride = (size_t)m;
    for (bl_index f = 0; f < n - r; f++) { /* -U1^-1 U2 */
        double *x = ldu->top + (size_t)r * (size_t)f;
        for (bl_index i = 0; i < r; i++)
            x[i] = -ldu->lu[stride * (size_t)(r + f) + (size_t)i];
        for (bl_index j = r - 1; j > 0; j--)
            for (bl_index i = 0; i < j; i++)
                x[i] -= ldu->lu[stride * (size_t)j + (size_t)i] * x[j];
    }
    for (bl_index f = 0; f < m - r; f++) { /* -L1^-T L2^T */
        double *x = ldu->left_top + (size_t)r * (size_t)f;
        for (bl_index j = r - 1; j >= 0; j--) {
            const double *column = ldu->lu + stride * (size_t)j;
            double sum = -column[r + f];
            for (bl_index i = j + 1; i < r; i++)
                sum -= column[i] * x[i];
            x[j] = sum;
        }
    }
}

void bl_ldu_factor(bl_ldu *ldu, const double *a, double tolerance) {
    memcpy(ldu->lu, a, (size_t)ldu->m * (size_t)ldu->n * sizeof *a);
    for (bl_index i = 0; i < ldu->m; i++)
        ldu->row[i] = i;
    for (bl_index j = 0; j < ldu->n; j++)
        ldu->col[j] = j;
    eliminate(ldu, tolerance);
    find_spaces(ldu);
}

bool bl_ldu_refactor(bl_ldu *ldu, const double *a, double most) {
    bl_index m = ldu->m, n = ldu->n;
    size_t stride = (size_t)m;
    if (ldu->rank < m)
        return false;
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < m; i++)
            ldu->lu[stride * (size_t)j + (size_t)i] = a[stride * (size_t)ldu->col[j] + (size_t)ldu->row[i]];
    double largest = 0; /* of L and U */
    for (bl_index k = 0; k < m; k++) {
        double *pivot_column = ldu->lu + stride * (size_t)k, by_d = 1 / pivot_column[k];
        for (bl_index i = k + 1; i < m; i++) {
            pivot_column[i] *= by_d;
            largest = fabs(pivot_column[i]) <= largest ? largest : fabs(pivot_column[i]);
        }
        for (bl_index j = k + 1; j < n; j++) {
            double u = ldu->lu[stride * (size_t)j + (size_t)k] = subtract_pivot(ldu, k, j) * by_d;
            largest = fabs(u) <= largest ? largest : fabs(u);
        }
    }
    if (!(largest <= most)) { /* also if it is not finite */
        ldu->rank = 0;
        return false;
    }
    find_spaces(ldu);
    return true;
}

/* [top; I] with its rows permuted back */
static void expand(bl_index n, bl_index r, const bl_index *order, const double *top, double *basis) {
    memset(basis, 0, (size_t)n * (size_t)(n - r) * sizeof *basis);
    for (bl_index f = 0; f < n - r; f++) {
        double *column = basis + (size_t)n * (size_t)f;
        for (bl_index i = 0; i < r; i++)
            column[order[i]] = top[(size_t)r * (size_t)f + (size_t)i];
        column[order[r + f]] = 1;
    }
}

void bl_ldu_null(const bl_ldu *ldu, double *basis) { expand(ldu->n, ldu->rank, ldu->col, ldu->top, basis); }

void bl_ldu_left_null(const bl_ldu *ldu, double *basis) { expand(ldu->m, ldu->rank, ldu->row, ldu->left_top, basis); }

/* x -= N (N^T N)^-1 N^T x with N = [top; I], x in the order of the pivots */
static void remove_part(bl_ldu *ldu, bl_index n, const double *top, double *x) {
    bl_index r = ldu->rank, left = n - r;
    double *gram = ldu->gram, *part = ldu->part;
    if (left == 0)
        return;
    for (bl_index f = 0; f < left; f++) {
        const double *column = top + (size_t)r * (size_t)f;
        part[f] = x[r + f];
        for (bl_index i = 0; i < r; i++)
            part[f] += column[i] * x[i];
        for (bl_index g = f; g < left; g++) {
            const double *other = top + (size_t)r * (size_t)g;
            double product = f == g;
            for (bl_index i = 0; i < r; i++)
                product += column[i] * other[i];
            gram[(size_t)left * (size_t)f + (size_t)g] = product;
        }
    }
    bl_cholesky(left, gram, NULL); /* I plus a positive semidefinite matrix */
    bl_cholesky_solve(left, gram, part);
    for (bl_index f = 0; f < left; f++) {
        x[r + f] -= part[f];
        for (bl_index i = 0; i < r; i++)
            x[i] -= top[(size_t)r * (size_t)f + (size_t)i] * part[f];
    }
}

void bl_ldu_solve(bl_ldu *ldu, bl_ldu_solution which, const double *b, double *x) {
    bl_index m = ldu->m, n = ldu->n, r = ldu->rank;
    size_t stride = (size_t)m;
    double *y = ldu->work;
    for (bl_index i = 0; i < m; i++)
        y[i] = b[ldu->row[i]];
    remove_part(ldu, m, ldu->left_top, y);
    for (bl_index j = 0; j < r; j++)
        for (bl_index i = j + 1; i < r; i++)
            y[i] -= ldu->lu[stride * (size_t)j + (size_t)i] * y[j];
    for (bl_index i = 0; i < r; i++)
        y[i] /= ldu->lu[stride * (size_t)i + (size_t)i];
    for (bl_index j = r - 1; j > 0; j--)
        for (bl_index i = 0; i < j; i++)
            y[i] -= ldu->lu[stride * (size_t)j + (size_t)i] * y[j];
    for (bl_index j = r; j < n; j++)
        y[j] = 0;
    if (which == BL_LDU_MINIMUM_NORM)
        remove_part(ldu, n, ldu->top, y);
    for (bl_index j = 0; j < n; j++)
        x[ldu->col[j]] = y[j];
}

void bl_ldu_solve_transposed(bl_ldu *ldu, const double *b, double *x) {
    bl_index m = ldu->m, r = ldu->rank;
    size_t stride = (size_t)m;
    double *y = ldu->work;
    for (bl_index j = 0; j < r; j++) {
        const double *column = ldu->lu + stride * (size_t)j;
        double sum = b[ldu->col[j]];
        for (bl_index i = 0; i < j; i++)
            sum -= column[i] * y[i];
        y[j] = sum;
    }
    for (bl_index j = 0; j < r; j++)
        y[j] /= ldu->lu[stride * (size_t)j + (size_t)j];
    for (bl_index j = r - 1; j >= 0; j--) {
        const double *column = ldu->lu + stride * (size_t)j;
        for (bl_index i = j + 1; i < r; i++)
            y[j] -= column[i] * y[i];
    }
    for (bl_index i = 0; i < m; i++)
        x[ldu->row[i]] = i < r ? y[i] : 0;
}
