/* Kernels of the inverse, by instruction set. */
#ifndef BL_INVERSE_ISA_H
#define BL_INVERSE_ISA_H

#include "base/isa.h"

typedef struct bl_inverse_kernels {
    /* Inverts a[n][room] of columns in place, room a multiple of 8; rows are exchanged in row_in as they are in a, columns eliminated by
     * `order`. factor[2 room] is scratch. Returns smallest / largest pivot, 0 when one is zero or not finite; *updates: of columns. */
    double (*invert)(size_t n, size_t room, double *a, double *factor, const bl_index *order, bl_index *row_in, long *updates);
    /* to = from times `by`, entry for entry, times scale */
    void (*scale)(size_t room, const double *from, const double *by, double scale, double *to);
} bl_inverse_kernels;

BL_ISA_DECLARE(bl_inverse_kernels);

#endif
