/* eigen: some eigenvalues of a large symmetric pencil A x = lambda B x, B at least semidefinite: those nearest to sigma, by ARPACK's
 * Lanczos iteration with (A - sigma B)^-1 B. The matrices are used only through the two functions below. */
#ifndef BL_EIGEN_H
#define BL_EIGEN_H

#include "base/base.h"

typedef struct bl_eigen {
    bl_context *ctx;
    bl_index n, wanted; /* order; pairs wanted, fewer than n */
    double sigma;
    double tolerance; /* relative; 0: rounding */
    uint64_t seed;    /* of the start vector */
    void *user;
    bl_status (*solve)(void *user, double *x);                   /* x = (A - sigma B)^-1 x */
    bl_status (*metric)(void *user, const double *x, double *y); /* y = B x */
} bl_eigen;

/* value[wanted], vector[wanted][n], unordered; *found of them converged. BL_E_ABILITY: no ARPACK. BL_NO_CONVERGENCE: none converged. ARPACK
 * has static variables: one thread at a time. */
bl_status bl_eigen_nearest(const bl_eigen *problem, double *value, double *vector, bl_index *found);

#endif
