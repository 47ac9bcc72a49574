/* Kernels of products with small full matrices, by instruction set. */
#ifndef BL_PRODUCT_ISA_H
#define BL_PRODUCT_ISA_H

#include "base/isa.h"

typedef struct bl_product_kernels { /* bl_dense_multiply and bl_dense_multiply_transposed of dense.h */
    void (*multiply)(size_t n, size_t room, const double *X, const double *x, double *y);
    void (*multiply_transposed)(size_t n, size_t room, const double *X, const double *x, double *y);
} bl_product_kernels;

BL_ISA_DECLARE(bl_product_kernels);

#endif
