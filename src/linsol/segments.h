/* segments: a symmetric positive definite matrix of a narrow band, L D L^T by eight segments in parallel.
 *
 *     [T_1          B_1'     ]        T_k: bands of m rows, eliminated in lanes of a register
 *     [     T_2     B_2' B_2 ]        separators of `width` unknowns between them, eliminated last
 *     [B_1  B_2     A_1      ]        S = A - B T^-1 B^T: a band of 2 width - 1
 *
 * Forward and backward substitution in a band is one long chain of dependent operations; eight short chains take an eighth of the time. */
#ifndef BL_SEGMENTS_H
#define BL_SEGMENTS_H

#include "linsol/segments_isa.h"
#include "system/system.h"

enum { BL_SEPARATORS = BL_SEGMENTS - 1, BL_SEPARATED = BL_SEPARATORS * BL_SEGMENTS_WIDTH };

typedef struct bl_segments {
    bl_context *ctx;
    bl_index n, m, nnz;
    int width;
    bl_index first[BL_SEGMENTS + 1], count[BL_SEGMENTS]; /* position of the first unknown of a segment, number of unknowns */
    bl_index *at;                                        /* [n] index in y of an unknown of the matrix */
    bl_index *slot;                                      /* [n] index in y of a position in the band; from 8 m on: separators */
    bl_index *to;   /* [nnz] index in raw of an entry of the matrix; above the diagonal -1 - that of the mirrored entry */
    double *raw;    /* T[m][width + 1][8], then couple */
    double *couple; /* in raw: [7][3][width][width]: separators with the previous segment, the next one, themselves */
    double *l, *inverse, *left, *right;   /* of bl_segment_factors */
    double *y;                            /* [8 m + 7 width] */
    double S[BL_SEPARATED][BL_SEPARATED]; /* factored: L below, D on the diagonal */
    const bl_segment_kernels *kernels;
    bl_segment_factors factors;
    void *room, *lists;
} bl_segments;

/* Whether a band of n rows with `width` entries beside the diagonal is suitable. */
bool bl_segments_suit(bl_index n, bl_index width);
/* ptr, idx: a symmetric matrix of order n by columns; position[n]: of its rows and columns in the band. *s is zeroed by the caller. */
bl_status bl_segments_analyze(bl_context *ctx, bl_index n, const bl_index *ptr, const bl_index *idx, const bl_index *position,
                              bl_index width, bl_segments *s);
void bl_segments_free(bl_segments *s);
/* values: scaled to size one. Returns smallest / largest pivot; 0: one is not positive, or the matrix is not symmetric. No allocation. */
double bl_segments_factor(bl_segments *s, const double *values);
/* x = (column scales) A^-1 (row scales) x; scales [n], NULL: none */
void bl_segments_solve(bl_segments *s, const double *row_scale, const double *col_scale, double *x);

#endif
