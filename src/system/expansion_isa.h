/* Kernel that evaluates power series, by instruction set. */
#ifndef BL_EXPANSION_ISA_H
#define BL_EXPANSION_ISA_H

#include "base/isa.h"

typedef struct bl_horner_kernels {
    /* y[n] (NULL: not wanted) = sum_{k = 0 .. last} x_k s^k, coefficients n apart, and its derivative where rate[n] is not NULL. Reads up
     * to three numbers beyond the last of x. */
    void (*horner)(bl_index n, const double *x, int last, double s, double *y, double *rate);
} bl_horner_kernels;

BL_ISA_DECLARE(bl_horner_kernels);

#endif
