/* Kernels of the inverse, by instruction set. */
#ifndef BL_INVERSE_ISA_H
#define BL_INVERSE_ISA_H

#include "base/isa.h"

typedef struct bl_inverse_pivots {
    double least, most; /* sizes */
    int sign;           /* of their product, including exchanges */
    long updates;       /* of columns */
} bl_inverse_pivots;

typedef struct bl_inverse_kernels {
    /* Inverts a[n][room] of columns in place, room a multiple of 8; rows are exchanged in row_in as they are in a, columns eliminated by
     * `order`. work[2 room] is scratch. False if a pivot is zero or not finite: least is 0 then. */
    bool (*invert)(size_t n, size_t room, double *a, double *work, const bl_index *order, bl_index *row_in, bl_inverse_pivots *pivots);
    /* to = from times `by`, entry for entry, times scale */
    void (*scale)(size_t room, const double *from, const double *by, double scale, double *to);
} bl_inverse_kernels;

BL_ISA_DECLARE(bl_inverse_kernels);

#endif
