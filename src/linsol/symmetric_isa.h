/* Kernels on symmetric matrices in blocks: products, incomplete Cholesky factors and solutions with them. */
#ifndef BL_SYMMETRIC_ISA_H
#define BL_SYMMETRIC_ISA_H

#include "base/isa.h"

/* Numbers of a node in vectors: d = 1, 2, 3 unknowns take 1, 2, 4. Unused numbers are zero in every vector. */
static inline int bl_blocks_width(int d) { return d == 3 ? 4 : d; }

/* One half of a symmetric matrix of nodes: blocks of d x d numbers, by rows. */
typedef struct bl_blocks {
    bl_index n; /* nodes */
    int d;
    const bl_index *ptr, *idx; /* blocks left of the diagonal by rows, ascending: [n + 1], [ptr[n]] */
    const double *diag, *left; /* [n][d][d], [ptr[n]][d][d]; one number beyond the last may be read */
} bl_blocks;

/* L of L L^T on the same blocks, or only on the diagonal ones (rows without blocks to the left). Single precision is sufficient for a
 * preconditioner and halves the memory traffic; both halves of a solution use the same numbers, so that it is symmetric. */
typedef struct bl_lower {
    bl_index n;
    int d;
    const bl_index *ptr, *idx;
    float *left;     /* [ptr[n]][d][d], one number beyond the last may be read */
    double *inverse; /* [n][d][d] of the diagonal blocks of L: lower triangles */
    double least;    /* pivot relative to its diagonal that is still accepted (linsol_incomplete_pivot) */
} bl_lower;

typedef struct bl_symmetric_kernels {
    double (*product)(const bl_blocks *a, const double *x, double *y); /* y = A x; returns x^T A x */
    /* L of A + shift diag(A) on the pattern of A; diag[n][d][d] replaces the diagonal blocks of A. mark[n] is -1 before and after; row[12 x
     * the longest row] is scratch. Returns the smallest pivot relative to its diagonal; 0: not positive. */
    double (*incomplete)(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L);
    double (*forward)(const bl_lower *L, const double *r, double *z);       /* L z = r; returns z^T z = r^T (L L^T)^-1 r */
    void (*backward)(const bl_lower *L, double beta, double *z, double *p); /* p = L^-T z + beta p; overwrites z. beta 0: p is not read */
} bl_symmetric_kernels;

BL_ISA_DECLARE(bl_symmetric_kernels);

#endif
