/* matrix: the sparse matrix of a mechanism made of blocks, bordered by the kept constraint rows,
 *
 *     [ sum of blocks   G^T      ]
 *     [ G               diagonal ],
 *
 * rows divided by their scales. Its pattern is built once, its values are added block by block. */
#ifndef BL_KKT_MATRIX_H
#define BL_KKT_MATRIX_H

#include "kkt/row_choice.h"

enum { BL_KKT_BLOCKS = 2 };

/* Which entries of a square pattern: those of rows and columns from `first` on. */
typedef struct bl_kkt_block {
    const bl_pattern *of; /* NULL: none */
    bl_index first;
} bl_kkt_block;

typedef struct bl_kkt_form {
    bl_context *ctx;
    bl_index n, r; /* unknowns except the multipliers, kept rows */
    bl_kkt_block block[BL_KKT_BLOCKS];
    const bl_pattern *G;
    const bl_index *row;        /* [rows of G] index of a kept row; < 0: left out */
    const bl_index *column;     /* [columns] index in the matrix; < 0: left out. NULL: unchanged */
    const uint8_t *on_diagonal; /* [n + r] diagonal entries in addition to those of blocks. NULL: none */
} bl_kkt_form;

typedef struct bl_kkt_matrix {
    bl_kkt_form form; /* patterns are owned by the caller; row, column and on_diagonal are not kept */
    bl_pattern pattern;
    bl_index *slot[BL_KKT_BLOCKS], *slot_G, *slot_GT; /* index of each entry in the values; -1: left out */
    bl_index *diagonal;                               /* [n + r], where requested */
    double *values;
    void *block;
} bl_kkt_matrix;

bl_status bl_kkt_matrix_build(const bl_kkt_form *form, bl_kkt_matrix *matrix); /* replaces an old one */
void bl_kkt_matrix_free(bl_kkt_matrix *matrix);
void bl_kkt_matrix_clear(bl_kkt_matrix *matrix);
/* adds factor times the values of a block */
void bl_kkt_matrix_add(bl_kkt_matrix *matrix, int block, double factor, const double *values);
/* sets G and G^T, by[rows of G] times each row */
void bl_kkt_matrix_rows(bl_kkt_matrix *matrix, const double *G, const double *by);

/* ---- (row, column) pairs of a pattern to be built, and their final indices */

typedef struct bl_pairs {
    bl_context *ctx;
    size_t most;
    bl_index n, *row, *col, *at;
    void *block;
} bl_pairs;

bl_status bl_pairs_begin(bl_context *ctx, size_t most, bl_pairs *pairs);
/* The number of the pair; bl_pairs_end turns it into an index of the pattern. */
static inline bl_index bl_pairs_add(bl_pairs *pairs, bl_index row, bl_index col) {
    pairs->row[pairs->n] = row;
    pairs->col[pairs->n] = col;
    return pairs->n++;
}
/* Builds the pattern of size n; slot[nslot]: numbers of pairs (-1: none) become indices. Frees the pairs, with any status. */
bl_status bl_pairs_end(bl_pairs *pairs, bl_index n, bl_pattern *pattern, size_t nslot, bl_index *slot);
/* slot[k]: index in `all` of entry k of `part`, columns 0 .. ncol - 1; both ascend in every column. False: `all` lacks some. */
bool bl_pattern_within(const bl_pattern *part, bl_index ncol, const bl_pattern *all, bl_index *slot);

#endif
