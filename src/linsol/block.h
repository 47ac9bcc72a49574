/* block: the private side of the bordered block solver.
 *
 * In the order of the places the matrix is  [ T B ]   T block lower triangular, diagonal blocks of a few rows,
 *                                           [ C A ]   B border columns, C band rows.
 * A diagonal block that is nearly singular gives up its worst columns and rows: they are delayed to border and band. */
#ifndef BL_BLOCK_H
#define BL_BLOCK_H

#include "linsol/kept.h"
#include "order/order.h"

enum { BL_BLOCK_WIDE = 4, BL_BLOCK_MOST = 64 }; /* right-hand sides side by side; largest diagonal block */

typedef struct bl_block {
    bl_kept kept;                  /* scales; rows and columns that are left when rank is missing */
    const bl_pattern *pattern;     /* of the caller */
    bl_deficient deficient;
    double tolerance, delay;       /* of rank; smallest pivot of a diagonal block of the scaled matrix */
    double limit, pivot;           /* smallest pivot of S; of the blocks at present, at least delay */
    char *ordering;                /* used when none is given */
    bl_ordering given;             /* copy of the one from outside, or empty */
    bl_index *kept_row, *kept_col; /* [n] what was kept when the order below was made */
    bool ordered;

    /* the kept part by places */
    bl_index n, nT, nblock, nborder; /* places; of T; blocks; border columns of the ordering */
    bl_index *row, *col;           /* [n] which kept row and column stand at a place */
    bl_index *start;               /* [nblock + 1] */
    bl_index *ptr, *own, *far;     /* rows: earlier columns, own block, border: [n + 1], [n], [n] */
    bl_index *at, *from;           /* [nnz] place of the column; position in the caller's values */
    double *by, *a;                /* [nnz] scale; value */
    bl_index *cptr, *cpos, *crow;  /* columns: positions in a, places of their rows */
    bl_index *inv_at;              /* [nblock] where the inverse of each block begins */
    bl_index *diagonal;            /* like inv: positions in a of the block's entries; a[nnz] is 0 */
    bl_index *block_of;            /* [nT] */
    double *inv;                   /* row-major s x s: unknowns of the block from its right-hand sides; zero where delayed */
    bl_index *in[2], *out[2];      /* plain, transposed: where right-hand sides and unknowns stand in the caller's vectors */
    double *in_by[2], *out_by[2];

    /* the border of the last factorisation */
    bl_index nb, room;             /* used and reserved */
    bl_index *bcol, *brow;         /* [room] places of its columns and rows */
    bl_index *is_bcol;             /* [n] number in the border, -1 */
    uint8_t *is_brow;              /* [n] */
    double *Y;                     /* [n][nb] T^-1 B */
    double *S;                     /* [nb][nb] row-major: A - C Y, factored with complete pivoting */
    bl_index *s_row, *s_col;       /* [room] pivot order of S */
    double *x, *r, *z;             /* workspace: [n][WIDE], [n][WIDE], [room][WIDE + 1] */
    double *null[2];               /* minimum norm: orthonormal null vectors of A, of A^T */
    double worst, schur_worst;     /* smallest pivot of the blocks, of S */
    double growth;                 /* largest entry of Y */
    long delayed;                  /* columns, in the last factorisation */
} bl_block;

/* With the values in a: inverses, Y, S. BL_AGAIN: more columns are delayed than there is room for. BL_SINGULAR: S is. */
bl_status bl_block_numeric(bl_block *b);
/* In place, by places; WIDE right-hand sides interleaved. */
void bl_block_solve(const bl_block *b, double *x, double *z);
void bl_block_solve_wide(const bl_block *b, double *x, double *z);
void bl_block_solve_transposed(const bl_block *b, double *x, double *z);

#endif
