/* Solution with L D L^T by groups of columns. */
#ifndef BL_LDL_ISA_H
#define BL_LDL_ISA_H

#include "base/isa.h"

enum { BL_LDL_WIDTH = 4 }; /* most columns of a group */

/* L without its unit diagonal, by columns, rows ascending. The columns of a group have the same rows below it, and full ones inside. */
typedef struct bl_ldl_factor {
    bl_index ngroup;
    const bl_index *group; /* [ngroup + 1] first columns */
    const bl_index *ptr, *idx;
    const double *value, *d;
} bl_ldl_factor;

typedef struct bl_ldl_kernels {
    void (*solve)(const bl_ldl_factor *L, double *x); /* in place */
} bl_ldl_kernels;

BL_ISA_DECLARE(bl_ldl_kernels);

#endif
