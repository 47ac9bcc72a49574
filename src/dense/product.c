/* Products with small full matrices: product_isa.c by the instruction set of the context. */
#include "dense/dense.h"
#include "dense/product_isa.h"

void bl_dense_multiply(const bl_context *ctx, size_t n, size_t room, const double *X, const double *x, double *y) {
    BL_ISA_PICK(ctx, bl_product_kernels)->multiply(n, room, X, x, y);
}

void bl_dense_multiply_transposed(const bl_context *ctx, size_t n, size_t room, const double *X, const double *x, double *y) {
    BL_ISA_PICK(ctx, bl_product_kernels)->multiply_transposed(n, room, X, x, y);
}
