/* Five-point grids and plates of plane stress, node after node. */
#include "support/grids.h"

#include <math.h>
#include <stdlib.h>

void test_grid_free(test_grid *g) {
    free(g->ptr);
    free(g->idx);
    free(g->values);
}

test_grid test_grid_make(int side, int dof, double skew) {
    size_t n = (size_t)side * (size_t)side * (size_t)dof;
    test_grid g = {.ptr = calloc(n + 1, sizeof *g.ptr), .idx = malloc(n * 18 * sizeof *g.idx), .values = malloc(n * 18 * sizeof *g.values)};
    bl_index used = 0, j = 0;
    for (int y = 0; y < side; y++)
        for (int x = 0; x < side; x++)
            for (int d = 0; d < dof; d++) {
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        for (int e = 0; e < dof; e++) {
                            bool inside = x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side;
                            if (!inside || (dof == 1 && dx && dy))
                                continue;
                            bl_index i = ((y + dy) * side + x + dx) * dof + e;
                            double value = dof == 1 ? -1 : e == d ? (dx && dy ? -0.5 : -0.8) : 0.05 * dx * dy;
                            g.idx[used] = i;
                            g.values[used++] = i == j ? (dof == 1 ? 4.01 : 8.2) : value * (1 + skew * sin(i + 2.0 * j));
                        }
                g.ptr[++j] = used;
            }
    g.pattern = (bl_pattern){(bl_index)n, (bl_index)n, g.ptr, g.idx};
    return g;
}

double test_grid_residual(bl_linsol *solver, const test_grid *g, bool transposed) {
    bl_index n = g->pattern.ncol;
    double *x = malloc(2 * (size_t)n * sizeof *x), *b = x + n, most = 0;
    for (bl_index i = 0; i < n; i++)
        x[i] = b[i] = sin(i + 1.0);
    assert_int_equal(bl_linsol_solve(solver, transposed, 1, x), BL_OK);
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = g->ptr[j]; k < g->ptr[j + 1]; k++)
            b[transposed ? j : g->idx[k]] -= g->values[k] * x[transposed ? g->idx[k] : j];
    for (bl_index i = 0; i < n; i++)
        most = fmax(most, fabs(b[i]));
    free(x);
    return most;
}
