/* block: the private side of the bordered block solver.
 *
 * In the order of the places the matrix is block lower triangular in parts; each part is  [ T B ]  T block lower triangular with
 * diagonal blocks of a few rows, B border columns, C band rows. A diagonal block that is    [ C A ]  nearly singular gives up its
 * worst columns and rows: they are delayed to the border and band of their part. */
#ifndef BL_BLOCK_H
#define BL_BLOCK_H

#include "linsol/direct_solver.h"
#include "order/order.h"

enum { BL_BLOCK_WIDE = 4, BL_BLOCK_MOST = 64 }; /* right-hand sides side by side; largest diagonal block */

typedef struct bl_block_part {
    bl_index block, end_block;   /* its diagonal blocks */
    bl_index first, close, last; /* places: of T, where its border begins, behind it */
    bl_index nb, room;           /* border columns now; reserved */
    bl_index border_at;          /* in bcol, brow, s_row, s_col */
    size_t Y_at, S_at;           /* Y: [close - first][nb], S: [nb][nb], both row-major */
} bl_block_part;

typedef struct bl_block {
    bl_direct direct;     /* first: the shell sees only this */
    double delay;         /* smallest pivot of a diagonal block of the scaled matrix */
    double limit, pivot;  /* smallest pivot of a Schur complement; of the blocks at present, at least delay */
    bool merge, merging;  /* weak blocks join their successors: asked for; still possible */
    bl_index weak;        /* block to merge */
    const char *ordering; /* used when none is given */
    bl_ordering given;    /* copy of the one from outside, or empty */

    /* the kept part by places */
    bl_index n, nblock, npart;
    bl_index *row, *col;    /* [n] which kept row and column stand at a place */
    bl_index *start, *stop; /* [nblock] places of the diagonal blocks */
    bl_block_part *part;
    bl_index *block_of;              /* [n] of places inside T */
    bl_index *ptr, *mid, *own, *far; /* rows: columns of earlier parts, of earlier blocks, of the own block, of the border */
    bl_index *at, *from;             /* [nnz] place of the column; position in the caller's values */
    double *by, *a;                  /* [nnz] scale; value; a[nnz] is 0 */
    bl_index *cptr, *cpos, *crow;    /* columns: positions in a, places of their rows */
    bl_index *inv_at;                /* [nblock] where the inverse of each block begins */
    bl_index *diagonal;              /* like inv: positions in a of the block's entries */
    double *inv;                     /* row-major s x s: unknowns of the block from its right-hand sides; zero where delayed */
    bl_index *in[2], *out[2];        /* plain, transposed: where right-hand sides and unknowns stand in the caller's vectors */
    double *in_by[2], *out_by[2];

    /* the borders of the last factorization */
    bl_index spare;                                                  /* columns each part may delay */
    bl_index *bcol, *brow;                                           /* places of border columns and rows, part after part */
    bl_index *is_bcol;                                               /* [n] number in the border of its part, -1 */
    uint8_t *is_brow;                                                /* [n] */
    double *Y, *S;                                                   /* T^-1 B; A - C Y factored */
    bl_index *s_row;                                                 /* pivot rows of S */
    double *x, *r, *z;                                               /* workspace: [n][WIDE], [n][WIDE], [largest room][WIDE + 1] */
    double *null[2];                                                 /* minimum norm: orthonormal null vectors of A, of A^T */
    double worst, schur_worst;                                       /* smallest pivot of the blocks, of the Schur complements */
    double growth;                                                   /* largest entry of Y */
    double rough_worst, rough_growth;                                /* beyond these solutions are refined once */
    long delayed, merged;                                            /* columns, in the last factorization; blocks, since the last layout */
    bool laid_out;                                                   /* for everything, by a forecast that nothing followed yet */
    void *of_order, *of_entries, *of_blocks, *of_border, *of_values; /* blocks of the arrays */
} bl_block;

/* ---- block_layout.c */

/* Orders the kept part and lays it out by places; then makes memory for its numbers. */
bl_status bl_block_lay_out(bl_linsol *solver);
bl_status bl_block_make_memory(bl_linsol *solver);
/* Room for the border of every part and for `spare` delayed columns. */
bl_status bl_block_reserve(bl_linsol *solver, bl_index spare);
/* Block k joins its successor; BL_SINGULAR: it cannot. */
bl_status bl_block_merge(bl_linsol *solver, bl_index k);
void bl_block_free_places(bl_linsol *solver);

/* ---- block_kernel.c */

/* With the values in a: inverses, Y, S. BL_AGAIN: a part delays more than it has room for. BL_REJECTED: block
 * `weak` wants to be merged. BL_SINGULAR: a pivot is below the limit. */
bl_status bl_block_numeric(bl_block *b);
/* In place, by places; WIDE right-hand sides interleaved. */
void bl_block_solve(const bl_block *b, double *x);
void bl_block_solve_wide(const bl_block *b, double *x);
void bl_block_solve_transposed(const bl_block *b, double *x);

#endif
