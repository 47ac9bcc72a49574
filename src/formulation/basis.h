/* basis: shared by matrix_r, range_space and null_space. All three solve the system of index 1 (index1.h) with full matrices, each with its
 * own basis of the admissible motions and reactions (bl_basis_method). Scaled throughout: rows of G and c divided by their scale, columns
 * of G multiplied by theirs, M and Q likewise; mu_i = lambda_i scale_i. Matrices are column-major. */
#ifndef BL_BASIS_H
#define BL_BASIS_H

#include "formulation/index1.h"

#include "dense/dense.h"

typedef struct bl_basis {
    bl_index nv, r, f;     /* coordinates, kept rows, degrees of freedom */
    double *GT;            /* [nv][r] kept rows as columns, at the configuration last factored */
    double *Q, *a, *force; /* [nv] */
    double *x;             /* [nv] scratch */
    /* A P = Q R with column pivoting (bl_dense_qr_pivoted), for methods that use it */
    double *qr, *tau, *work; /* qr[nv][r]: A in, reflectors and R out */
    size_t nwork;
    bl_index *pivot; /* [r], from 1 */
    /* smallest pivot or singular value of the last factors, and the best of accepted states: proportional to the distance to a singular
     * configuration */
    double quality, level;
    bool massless;      /* the last refusal was due to a motion without mass */
    void *own;          /* of the method */
    void *block, *more; /* of these vectors; of the method's, freed with the basis */
} bl_basis;

typedef struct bl_basis_method {
    bl_status (*make)(bl_formulation *, bl_basis *); /* memory for the present rows: own, more */
    /* at the configuration of at_e (M and G evaluated, GT filled): sets quality; BL_SINGULAR, with `massless` if the mass is the reason */
    bl_status (*factor)(bl_formulation *, bl_basis *);
    void (*accelerate)(bl_formulation *, bl_basis *, const double *Q, const double *c, double *a);
    void (*multiply)(bl_basis *, const double *force, double *mu); /* GT mu = force, which is in the range of GT */
} bl_basis_method;

/* ---- for the methods */

/* y = M x, scaled */
void bl_basis_mass(const bl_formulation *form, const double *x, double *y);
/* Cholesky factor of the lower triangle of a[n][n] in place; BL_SINGULAR when a pivot is not clearly positive. */
bl_status bl_basis_cholesky(bl_index n, double *a, double *diagonal);

/* ---- with A in qr */

bl_status bl_basis_qr_factor(bl_basis *basis, double *smallest);                    /* smallest pivot; infinity when r = 0 */
void bl_basis_qr_apply(bl_basis *basis, bool transposed, bl_index ncol, double *x); /* x[nv][ncol] = Q x or Q^T x */
void bl_basis_qr_rest(bl_basis *basis, double *Z);                                  /* Z[nv][f]: the last columns of Q */
void bl_basis_qr_multiply(bl_basis *basis, double *force, double *mu);              /* A mu = force, in its range; overwrites force */
void bl_basis_qr_prescribe(const bl_basis *basis, const double *c, double *p);      /* R^T p = P^T c */

#endif
