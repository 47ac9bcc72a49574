/* Kernels on symmetric matrices in blocks: products, incomplete Cholesky factors and solutions with them. */
#ifndef BL_SYMMETRIC_ISA_H
#define BL_SYMMETRIC_ISA_H

#include "base/isa.h"

/* Numbers of a node in vectors: d = 1, 2, 3 unknowns take 1, 2, 4. What no unknown has is zero in every vector. */
static inline int bl_blocks_wide(int d) { return d == 3 ? 4 : d; }

/* One half of a symmetric matrix of nodes: blocks of d x d numbers, rows of a block one after the other. */
typedef struct bl_blocks {
    bl_index n; /* nodes */
    int d;
    const bl_index *ptr, *idx; /* blocks left of the diagonal by rows, ascending: [n + 1], [ptr[n]] */
    const double *diag, *left; /* [n][d][d], [ptr[n]][d][d]; one number behind the last may be read */
} bl_blocks;

/* L of L L^T on the same blocks, or on the diagonal ones alone (rows without blocks to the left). Single precision is enough for a
 * preconditioner, and half of the memory to be read; both halves of a solution take the same numbers, so that it stays symmetric. */
typedef struct bl_lower {
    bl_index n;
    int d;
    const bl_index *ptr, *idx;
    float *left;     /* [ptr[n]][d][d], one number behind the last may be read */
    double *inverse; /* [n][d][d] of the diagonal blocks of L: lower triangles */
} bl_lower;

typedef struct bl_symmetric_kernels {
    double (*product)(const bl_blocks *a, const double *x, double *y); /* y = A x; returns x^T A x */
    /* L of A + shift diag(A) on the pattern of A; diag[n][d][d] stands for the diagonal blocks of A. mark[n] holds -1, and does again
     * afterwards; row[12 x the longest row] is scratch. Returns the least pivot as a share of its diagonal; 0: it came to 0 or below. */
    double (*incomplete)(const bl_blocks *a, const double *diag, double shift, bl_index *mark, double *row, bl_lower *L);
    double (*forward)(const bl_lower *L, const double *r, double *z);       /* L z = r; returns z^T z = r^T (L L^T)^-1 r */
    void (*backward)(const bl_lower *L, double beta, double *z, double *p); /* p = L^-T z + beta p; spoils z. beta 0: p is not read */
} bl_symmetric_kernels;

BL_ISA_DECLARE(bl_symmetric_kernels);

#endif
