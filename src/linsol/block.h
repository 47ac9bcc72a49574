/* block: private header of the bordered block solver. In its order the matrix is block lower triangular in parts, each of the form
 *
 *     [ T B ]     T block lower triangular with diagonal blocks of a few rows, B border columns, C band rows
 *     [ C A ]
 *
 * A diagonal block that is nearly singular loses its worst columns and rows: they are delayed to the border and band of their part.
 * Positions are indices in this order. */
#ifndef BL_BLOCK_H
#define BL_BLOCK_H

#include "linsol/direct_solver.h"
#include "order/order.h"

enum { BL_BLOCK_WIDTH = 4, BL_BLOCK_MOST = 64 }; /* right-hand sides side by side; largest diagonal block */

typedef struct bl_block_part {
    bl_index block, end_block;          /* its diagonal blocks */
    bl_index first, border_start, last; /* positions: of T, of its border, end */
    bl_index nb, room;                  /* border columns at present; reserved */
    bl_index border_at;                 /* offset in bcol, brow, s_row, s_col */
    size_t Y_at, S_at;                  /* Y: [border_start - first][nb], S: [nb][nb], both row-major */
} bl_block_part;

typedef struct bl_block {
    bl_direct direct;     /* must be first: the shell knows only this */
    double delay;         /* smallest pivot of a diagonal block of the scaled matrix */
    double limit, pivot;  /* smallest pivot of a Schur complement; of the blocks at present, at least delay */
    bool merge, merging;  /* nearly singular blocks are merged with their successors: requested; still possible */
    bl_index weak;        /* block to merge */
    const char *ordering; /* used if the caller gives none */
    bl_ordering given;    /* copy of the caller's, or empty */

    /* the kept part in block order */
    bl_index n, nblock, npart;
    bl_index *row, *col;    /* [n] kept row and column at a position */
    bl_index *start, *stop; /* [nblock] first position and end of the diagonal blocks */
    bl_block_part *part;
    bl_index *block_of;              /* [n] block of a position inside T */
    bl_index *ptr, *mid, *own, *far; /* rows: columns of earlier parts, of earlier blocks, of the own block, of the border */
    bl_index *at, *from;             /* [nnz] position of the column; index in the caller's values */
    double *scale, *a;               /* [nnz] scale; value; a[nnz] is 0 */
    bl_index *cptr, *cpos, *crow;    /* columns: indices in a, positions of their rows */
    bl_index *inv_at;                /* [nblock] offset of the inverse of each block */
    bl_index *diagonal;              /* like inv: indices in a of the block's entries */
    double *inv;                     /* row-major s x s: unknowns of the block from its right-hand sides; zero where delayed */
    bl_index *in[2], *out[2];        /* plain, transposed: indices of right-hand sides and unknowns in the caller's vectors */
    double *in_scale[2], *out_scale[2];

    /* the borders of the last factorization */
    bl_index spare;                     /* columns each part may delay */
    bl_index *bcol, *brow;              /* positions of border columns and rows, part after part */
    bl_index *bcol_index;               /* [n] number of a column in the border of its part, -1: not in it */
    uint8_t *is_brow;                   /* [n] */
    double *Y, *S;                      /* T^-1 B; A - C Y factored */
    bl_index *s_row;                    /* pivot rows of S */
    double *x, *r, *z;                  /* workspace: [n][WIDTH], [n][WIDTH], [largest room][WIDTH + 1] */
    double *null[2];                    /* minimum norm: orthonormal null vectors of A, of A^T */
    double worst, schur_worst;          /* smallest pivot of the blocks, of the Schur complements */
    double growth;                      /* largest entry of Y */
    double refine_worst, refine_growth; /* beyond these solutions are refined once */
    long delayed, merged;               /* columns, in the last factorization; blocks, since the last layout */
    bool laid_out;                      /* without dropped rows, by a forecast that no factorization followed yet */
    void *of_order, *of_entries, *of_blocks, *of_border, *of_values; /* memory blocks of the arrays */
} bl_block;

/* ---- block_layout.c */

/* Orders the kept part and lays it out in block order; then allocates memory for its numbers. */
bl_status bl_block_lay_out(bl_linsol *solver);
bl_status bl_block_allocate(bl_linsol *solver);
/* Room for the border of every part and for `spare` delayed columns. */
bl_status bl_block_reserve(bl_linsol *solver, bl_index spare);
/* Merges block k with its successor; BL_SINGULAR: impossible. */
bl_status bl_block_merge(bl_linsol *solver, bl_index k);
void bl_block_free_layout(bl_linsol *solver);

/* ---- block_kernel.c */

/* With the values in a: inverses, Y, S. BL_AGAIN: a part delays more columns than reserved. BL_REJECTED: block `weak` has to be merged.
 * BL_SINGULAR: a pivot is below the limit. */
bl_status bl_block_numeric(bl_block *b);
/* In place, in block order; WIDTH right-hand sides interleaved. */
void bl_block_solve(const bl_block *b, double *x);
void bl_block_solve_wide(const bl_block *b, double *x);
void bl_block_solve_transposed(const bl_block *b, double *x);

#endif
