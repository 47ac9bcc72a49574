/* Ascending order of indices and numbers. */
#include "base/base.h"

#include <stdlib.h>

static int by_index(const void *left, const void *right) {
    bl_index a = *(const bl_index *)left, b = *(const bl_index *)right;
    return (a > b) - (a < b);
}

static int by_number(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void bl_sort_indices(bl_index *x, size_t n) { qsort(x, n, sizeof *x, by_index); }
void bl_sort_numbers(double *x, size_t n) { qsort(x, n, sizeof *x, by_number); }

bl_index bl_drop_repeated(bl_index *x, bl_index n) {
    bl_index kept = 0;
    for (bl_index i = 0; i < n; i++)
        if (kept == 0 || x[i] != x[kept - 1])
            x[kept++] = x[i];
    return kept;
}
