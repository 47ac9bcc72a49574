/* Rank by Gauss elimination with complete pivoting of the scaled matrix R^-1 A C.
 * Rows and columns are swapped in place, so that the inner loop runs down contiguous columns; the search for
 * the next pivot is part of the update. Golub and Van Loan, Matrix Computations, section 3.4. */
#include "dense/dense.h"

#include "system/system_limits.h"

#include <math.h>

/* largest |x[i]|; NaN is skipped */
static double largest_of(bl_index n, const double *x) {
    double best = 0;
    for (bl_index i = 0; i < n; i++) {
        double size = fabs(x[i]);
        best = size > best ? size : best;
    }
    return best;
}

/* the best pivot seen so far among plain columns [0] and among those marked last [1] */
typedef struct candidates {
    double size[2];
    bl_index col[2];
} candidates;

static void consider(candidates *best, int last, double size, bl_index col) {
    if (size > best->size[last]) {
        best->size[last] = size;
        best->col[last] = col;
    }
}

static void swap_index(bl_index *a, bl_index *b) {
    bl_index keep = *a;
    *a = *b;
    *b = keep;
}

static void swap_entry(double *a, double *b) {
    double keep = *a;
    *a = *b;
    *b = keep;
}

double bl_rank_relative(size_t count, const double *a, double size, double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < count && size > 0; i++) {
        double entry = fabs(a[i]);
        largest = entry > largest ? entry : largest;
    }
    return largest > 0 && system_rank_least * size > largest ? tolerance * system_rank_least * size / largest : tolerance;
}

void bl_rank_reveal(bl_index m, bl_index n, double *a, const double *row_scale, const double *col_scale, const uint8_t *col_last,
                    double tolerance, bl_index *row_order, bl_index *col_order, bl_index *rank, double *pivot) {
    size_t stride = (size_t)m;
    bl_index steps = m < n ? m : n, k;
    candidates best = {0};
    for (bl_index i = 0; i < m; i++)
        row_order[i] = i;
    for (bl_index j = 0; j < n; j++) {
        double *column = a + stride * (size_t)j;
        col_order[j] = j;
        for (bl_index i = 0; i < m && row_scale; i++)
            column[i] /= row_scale[i];
        for (bl_index i = 0; i < m && col_scale; i++)
            column[i] *= col_scale[j];
        consider(&best, col_last && col_last[j], largest_of(m, column), j);
    }
    double threshold = tolerance * fmax(best.size[0], best.size[1]);
    for (k = 0; k < steps; k++) {
        int last = !(best.size[0] > threshold);
        double size = best.size[last];
        if (pivot)
            pivot[k] = fmax(best.size[0], best.size[1]);
        if (!(size > threshold) || !isfinite(size))
            break;
        if (pivot)
            pivot[k] = size;
        /* bring the pivot to (k, k) */
        double *column = a + stride * (size_t)k, *chosen = a + stride * (size_t)best.col[last];
        bl_index r = k;
        while (!(fabs(chosen[r]) >= size))
            r++;
        for (bl_index i = 0; i < m && chosen != column; i++)
            swap_entry(&column[i], &chosen[i]);
        for (bl_index j = k; j < n && r != k; j++)
            swap_entry(&a[stride * (size_t)j + (size_t)k], &a[stride * (size_t)j + (size_t)r]);
        swap_index(&col_order[k], &col_order[best.col[last]]);
        swap_index(&row_order[k], &row_order[r]);
        /* eliminate, and search the next pivot at the same time */
        bl_index left = m - k - 1;
        double *l = column + k + 1, inverse = 1 / column[k];
        for (bl_index i = 0; i < left; i++)
            l[i] *= inverse;
        best = (candidates){0};
        for (bl_index j = k + 1; j < n; j++) {
            /* row k of a remaining column is no longer needed: it stores the largest entry below, which columns without an update inherit
             */
            double *target = a + stride * (size_t)j + k + 1, factor = target[-1], found = 0;
            if (factor == 0) {
                found = k > 0 ? target[-2] : largest_of(left, target);
            } else {
                for (bl_index i = 0; i < left; i++) {
                    target[i] -= l[i] * factor;
                    double entry = fabs(target[i]);
                    found = entry > found ? entry : found;
                }
            }
            target[-1] = found;
            consider(&best, col_last && col_last[col_order[j]], found, j);
        }
    }
    *rank = k;
    for (bl_index i = k + 1; i < steps && pivot; i++)
        pivot[i] = 0;
}
