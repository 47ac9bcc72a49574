/* Vectors of conjugate gradients and MINRES: the loops between two products. */
#ifndef BL_KRYLOV_ISA_H
#define BL_KRYLOV_ISA_H

#include "base/isa.h"

enum { BL_KRYLOV_ROUND = 16 }; /* lengths are multiples of it; entries beyond the unknowns are zero */

/* n: length, a multiple of BL_KRYLOV_ROUND. Sums run in lanes, always in the same order. */
typedef struct bl_krylov_kernels {
    double (*dot)(size_t n, const double *x, const double *y);
    double (*precondition)(size_t n, const double *w, const double *r, double *z); /* z = w r, entry for entry; returns r . z */
    void (*step)(size_t n, double alpha, const double *p, const double *q, double *x, double *r); /* x += alpha p, r -= alpha q */
    void (*direction)(size_t n, double beta, const double *z, double *p); /* p = z + beta p; beta 0: p is not read */
    void (*combine)(size_t n, double a, const double *x, double b, const double *y, double c, double *z); /* z = c z + a x + b y */
    void (*add)(size_t n, double a, const double *x, double *y);                                          /* y += a x */
} bl_krylov_kernels;

BL_ISA_DECLARE(bl_krylov_kernels);

#endif
