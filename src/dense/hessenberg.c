/* Many shifts of one matrix: (s - A)^-1 for one s after the other. A = T H T^-1, T a scaling and an orthogonal matrix, H zero below its
 * first subdiagonal; then every s costs n^2 operations instead of n^3. A. J. Laub (1981), IEEE Trans. Automatic Control 26, 407-408. */
#include "dense/dense.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 32 }; /* block size for LAPACK */

static bl_index larger(bl_index a, bl_index b) { return a > b ? a : b; }

size_t bl_dense_hessenberg_work(bl_index n, bl_index nb, bl_index nc) {
    return 2 * (size_t)n + (size_t)(BLOCK + 65) * (size_t)BLOCK + (size_t)BLOCK * (size_t)larger(larger(n, 1), larger(nb, nc)) +
           (size_t)BLOCK * (size_t)BLOCK;
}

/* rows of b by 1/scale, columns of c by scale: x = scale x' */
static void scale_sides(bl_index n, const double *scale, bl_index nb, double *b, bl_index nc, double *c) {
    for (bl_index j = 0; j < nb; j++)
        for (bl_index i = 0; i < n; i++)
            b[(size_t)i + (size_t)n * (size_t)j] /= scale[i];
    for (bl_index j = 0; j < n; j++)
        for (bl_index i = 0; i < nc; i++)
            c[(size_t)i + (size_t)nc * (size_t)j] *= scale[j];
}

/* transposes to row-major, with zeros below the subdiagonal instead of the reflectors */
static void transpose_upper(bl_index n, double *a) {
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < i; j++) {
            double *lower = &a[(size_t)i + (size_t)n * (size_t)j], *upper = &a[(size_t)j + (size_t)n * (size_t)i];
            double below = i - j > 1 ? 0 : *lower;
            *lower = *upper;
            *upper = below;
        }
}

bool bl_dense_hessenberg(bl_index n, double *a, bl_index nb, double *b, bl_index nc, double *c, double *work, size_t nwork) {
    lapack_int low, high;
    double *scale = work, *tau = work + n, *rest = work + 2 * (size_t)n;
    lapack_int room = (lapack_int)(nwork - 2 * (size_t)n);
    if (n == 0)
        return true;
    if (LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'S', n, a, n, &low, &high, scale) != 0)
        return false;
    scale_sides(n, scale, nb, b, nc, c);
    bool good = LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, a, n, tau, rest, room) == 0;
    if (good && nb > 0)
        good = LAPACKE_dormhr_work(LAPACK_COL_MAJOR, 'L', 'T', n, nb, 1, n, a, n, tau, b, n, rest, room) == 0;
    if (good && nc > 0)
        good = LAPACKE_dormhr_work(LAPACK_COL_MAJOR, 'R', 'N', nc, n, 1, n, a, n, tau, c, nc, rest, room) == 0;
    transpose_upper(n, a);
    return good;
}

/* ---- one shift; complex numbers as pairs */

static double size_of(const double *z) { return hypot(z[0], z[1]); }

/* q = a / b by Smith's formula, without intermediate overflow */
static void divide(const double *a, const double *b, double *q) {
    double re, im;
    if (fabs(b[0]) >= fabs(b[1])) {
        double r = b[1] / b[0], d = b[0] + r * b[1];
        re = (a[0] + r * a[1]) / d;
        im = (a[1] - r * a[0]) / d;
    } else {
        double r = b[0] / b[1], d = b[1] + r * b[0];
        re = (r * a[0] + a[1]) / d;
        im = (r * a[1] - a[0]) / d;
    }
    q[0] = re;
    q[1] = im;
}

static void subtract(const double *m, const double *x, double *y) {
    double re = m[0] * x[0] - m[1] * x[1], im = m[0] * x[1] + m[1] * x[0];
    y[0] -= re;
    y[1] -= im;
}

static void swap_pairs(double *a, double *b, size_t count) {
    for (size_t i = 0; i < 2 * count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* row i of s - H from its subdiagonal on */
static void fill_row(bl_index n, const double *h, double re, double im, bl_index i, double *row) {
    for (bl_index j = i > 0 ? i - 1 : 0; j < n; j++) {
        row[2 * j] = -h[(size_t)i * (size_t)n + (size_t)j];
        row[2 * j + 1] = 0;
    }
    row[2 * i] += re;
    row[2 * i + 1] = im;
}

double bl_dense_hessenberg_solve(bl_index n, const double *h, double re, double im, bl_index columns, double *x, double *lu) {
    double least = INFINITY;
    size_t row_length = 2 * (size_t)n;
    if (n > 0)
        fill_row(n, h, re, im, 0, lu);
    for (bl_index k = 0; k < n; k++) {
        double *row = lu + (size_t)k * row_length, *next = row + row_length, factor[2] = {0, 0};
        if (k + 1 < n) {
            fill_row(n, h, re, im, k + 1, next);
            if (size_of(&next[2 * k]) > size_of(&row[2 * k])) {
                swap_pairs(&row[2 * k], &next[2 * k], (size_t)(n - k));
                for (bl_index c = 0; c < columns; c++)
                    swap_pairs(&x[(size_t)c * row_length + 2 * (size_t)k], &x[(size_t)c * row_length + 2 * (size_t)k + 2], 1);
            }
        }
        double pivot = size_of(&row[2 * k]);
        least = fmin(least, pivot);
        if (!(pivot > 0))
            return 0;
        if (k + 1 == n)
            break;
        divide(&next[2 * k], &row[2 * k], factor);
        for (bl_index j = k + 1; j < n; j++)
            subtract(factor, &row[2 * j], &next[2 * j]);
        for (bl_index c = 0; c < columns; c++)
            subtract(factor, &x[(size_t)c * row_length + 2 * (size_t)k], &x[(size_t)c * row_length + 2 * (size_t)k + 2]);
    }
    for (bl_index c = 0; c < columns; c++) {
        double *b = x + (size_t)c * row_length;
        for (bl_index k = n; k-- > 0;) {
            const double *row = lu + (size_t)k * row_length;
            for (bl_index j = k + 1; j < n; j++)
                subtract(&row[2 * j], &b[2 * j], &b[2 * k]);
            divide(&b[2 * k], &row[2 * k], &b[2 * k]);
        }
    }
    return least;
}
