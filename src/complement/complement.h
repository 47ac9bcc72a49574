/* complement: linear complementarity problems with small full matrices
 *
 *     w = A z + b,   z >= 0,   w >= 0,   z . w = 0
 *
 * of contacts: z are forces or impulses, w accelerations, velocities or gaps. A[n][n] is column-major and need not be symmetric. */
#ifndef BL_COMPLEMENT_H
#define BL_COMPLEMENT_H

#include "base/base.h"

/* Workspace for problems of up to n unknowns; zeroed before create, also after a failed one. */
typedef struct bl_lcp_work {
    void *block;
    bl_context *ctx;
    bl_index n;
    double *scale_w, *scale_z; /* [n] scaled problem: scale_w A scale_z */
    double *A, *b;             /* [n][n], [n] scaled */
    double *tableau;           /* [2 n + 2][n] by columns: w, z, covering variable, right-hand side */
    double *z, *w;             /* [n] */
    double *part, *rest;       /* [n][n], [n] equations of a basis */
    double *factor;            /* of bl_ldu */
    bl_index *basis, *subset, *order;
} bl_lcp_work;
bl_status bl_lcp_work_create(bl_context *ctx, bl_index n, bl_lcp_work *work);
void bl_lcp_work_destroy(bl_lcp_work *work);

/* One solution z[n] by Lemke's method (1965), pivots chosen lexicographically, so that it cannot cycle. BL_SINGULAR: it ends in a ray; for
 * positive semidefinite and for copositive A there is no solution then, for other matrices there may be one. BL_NO_CONVERGENCE: rounding
 * hides the pivots. BL_NOT_FINITE: A or b holds NaN or infinity. Neither records an error. Allocates nothing. */
bl_status bl_lcp_lemke(bl_index n, const double *A, const double *b, double *z, bl_lcp_work *work);

/* ALL solutions, by trying every set of positive entries: z[most][n] holds those found, *count their number; the search ends when there are
 * `most`. Where a set has a continuum of solutions, z is the one of least norm of its entries. None: BL_OK with *count 0. Sets are tried
 * in the order of their binary numbers: z = 0 first. n up to BL_LCP_ENUMERATED. */
enum { BL_LCP_ENUMERATED = 10 };
bl_status bl_lcp_enumerate(bl_index n, const double *A, const double *b, bl_index most, double *z, bl_index *count, bl_lcp_work *work);

/* max_i |min(z_i, w_i)| of the scaled problem, relative to its largest |b_i|: 0 at a solution */
double bl_lcp_residual(bl_index n, const double *A, const double *b, const double *z, bl_lcp_work *work);

#endif
