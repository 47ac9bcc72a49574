/* Large matrices of meshes, for linear solvers. */
#ifndef BL_TEST_GRIDS_H
#define BL_TEST_GRIDS_H

#include "linsol/linsol.h"
#include "support/testing.h"

typedef struct test_grid {
    bl_pattern pattern;
    bl_index *ptr, *idx;
    double *values;
} test_grid;

/* `side` x `side` nodes of `dof` unknowns. One: the five-point Laplacian. Two: a plate of bilinear quadrilaterals with a
 * mass matrix added, symmetric and definite; `skew` makes its values (not its pattern) unsymmetric. */
test_grid test_grid_make(int side, int dof, double skew);
void test_grid_free(test_grid *g);
/* largest |b - A x| of a solution with b of size one; entries of A are of size one */
double test_grid_residual(bl_linsol *solver, const test_grid *g, bool transposed);

#endif
