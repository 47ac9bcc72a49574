/* segments: a symmetric positive definite matrix of a narrow band, L D L^T by eight segments side by side.
 *
 *     [T_1          B_1'     ]        T_k: bands of m rows, eliminated in lanes of a register
 *     [     T_2     B_2' B_2 ]        between two of them stand `wide` unknowns of their own, eliminated last
 *     [B_1  B_2     A_1      ]        S = A - B T^-1 B^T: a band of 2 wide - 1
 *
 * Forward and backward substitution of a band are one chain of operations that wait for each other; eight short ones take an eighth. */
#ifndef BL_SEGMENTS_H
#define BL_SEGMENTS_H

#include "linsol/segments_isa.h"
#include "system/system.h"

enum { BL_SEPARATORS = BL_SEGMENTS - 1, BL_SEPARATED = BL_SEPARATORS * BL_SEGMENTS_WIDE };

typedef struct bl_segments {
    bl_context *ctx;
    bl_index n, m, nnz;
    int wide;
    bl_index first[BL_SEGMENTS + 1], count[BL_SEGMENTS]; /* place of the first unknown of a segment, how many */
    bl_index *at;                                        /* [n] of an unknown of the matrix: in y */
    bl_index *slot;                                      /* [n] of a place: in y; from 8 m on: unknowns between segments */
    bl_index *to;                         /* [nnz] of an entry of the matrix: in raw; above the diagonal -1 - that of its mirror image */
    double *raw;                          /* T[m][wide + 1][8], then couple */
    double *couple;                       /* in raw: [7][3][wide][wide]: with the segment before, the one behind, among themselves */
    double *l, *inverse, *left, *right;   /* of bl_segment_factors */
    double *y;                            /* [8 m + 7 wide] */
    double S[BL_SEPARATED][BL_SEPARATED]; /* factored: L below, D on the diagonal */
    const bl_segment_kernels *kernels;
    bl_segment_factors factors;
    void *room, *lists;
} bl_segments;

/* Whether a band of n rows with `wide` entries beside the diagonal is one for segments. */
bool bl_segments_suit(bl_index n, bl_index wide);
/* ptr, idx: a symmetric matrix of order n by columns; place[n]: where its rows and columns stand in the band. Zeroed *s in. */
bl_status bl_segments_analyze(bl_context *ctx, bl_index n, const bl_index *ptr, const bl_index *idx, const bl_index *place, bl_index wide,
                              bl_segments *s);
void bl_segments_free(bl_segments *s);
/* values: scaled to size one. Least pivot as a share of the largest; 0: one is not positive, or the matrix not symmetric. No allocation. */
double bl_segments_factor(bl_segments *s, const double *values);
/* x = (column scales) A^-1 (row scales) x; scales [n], NULL: none */
void bl_segments_solve(bl_segments *s, const double *row_scale, const double *col_scale, double *x);

#endif
