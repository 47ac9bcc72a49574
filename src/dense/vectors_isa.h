/* Long vectors: operations between two solutions in steps of large linear systems. No operations are fused and sums have one order
 * (CMakeLists.txt): results are identical on all instruction sets. Vectors must be identical or must not overlap. */
#ifndef BL_VECTORS_ISA_H
#define BL_VECTORS_ISA_H

#include "base/isa.h"

typedef struct bl_vector_kernels {
    double (*dot)(bl_index n, const double *x, const double *y);
    bool (*finite)(bl_index n, const double *x);                                    /* no NaN, no infinity */
    void (*scale)(bl_index n, double f, const double *x, double *y);                /* y = f x */
    void (*add)(bl_index n, const double *x, double f, const double *y, double *z); /* z = x + f y */
    void (*subtract_three)(bl_index n, const double *b, const double *const *v, const double *const *x,
                           double *y); /* y = b - v0 x0 - v1 x1 - v2 x2 */
    /* z = x + w (y - x) + f u */
    void (*interpolate)(bl_index n, double w, double f, const double *x, const double *y, const double *u, double *z);
    /* predictor of position and velocity: q1 = q + (h v + hh a), v1 = v + ha a */
    void (*predict)(bl_index n, double h, double hh, double ha, const double *q, const double *v, const double *a, double *q1, double *v1);
    /* update by an increment: q += d, v += to_v d, a = to_a d */
    void (*update)(bl_index n, double to_v, double to_a, const double *d, double *q, double *v, double *a);
} bl_vector_kernels;

BL_ISA_DECLARE(bl_vector_kernels);

#endif
