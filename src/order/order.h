/* order: elimination order of columns (and rows) of a sparse matrix. Each ordering is a pure function of the pattern, and of marks and
 * sample values if it needs them. To add one: copy amd.c, add a line to order_list.h. */
#ifndef BL_ORDER_H
#define BL_ORDER_H

#include "system/system.h"

/* Positions 0, 1, 2, ... in the ordered matrix. If diagonal blocks are found, the k-th one is square and has the positions
 * block[k] .. block[k+1]-1 of rows and columns; after the last one come the border columns and the band rows:
 *
 *     block[nblock] + border == ncol,   block[nblock] + band == nrow        (so band - border == nrow - ncol)
 *
 * and a row of block k has entries only in columns of blocks <= k and of the border (block lower triangular, bordered).
 * A nested ordering has such a form for each of several parts, one after the other: part s has the positions part[s] .. part[s+1]-1, its
 * border columns and band rows begin at border_start[s]; the last block of a part ends there; border and band count all of them. */
typedef struct bl_ordering {
    bl_index nrow, ncol;
    bl_index *row, *col; /* row[k], col[k]: row, column at position k; row NULL: left to the solver's pivoting */
    bl_index *block;     /* [nblock + 1] first positions of the diagonal blocks, block[0] == 0; NULL: no blocks */
    bl_index nblock;
    bl_index border;        /* columns at the end of col that couple all blocks */
    bl_index band;          /* rows at the end of row: loop closures */
    bl_index npart;         /* parts of a nested ordering, 0: a single one */
    bl_index *part;         /* [npart + 1] */
    bl_index *border_start; /* [npart] */
    bl_index spikes;        /* columns with entries above the diagonal, if the ordering counts them (p3, p4) */
    bl_index bandwidth;     /* largest |row position - column position| of an entry, if the ordering reports it */
} bl_ordering;

typedef struct bl_order_input {
    bl_context *ctx;
    bl_arena *arena; /* of this run, for temporary arrays; set by bl_order_run */
    const bl_pattern *pattern;
    const uint8_t *row_mark, *col_mark; /* type of each row and column (bl_row.what, bl_col.what); may be NULL */
    const bl_index *bundle; /* [ncol] bl_col.bundle: columns of one point, vector or body have the same number, 0: alone; may be NULL */
    bl_index nsample;
    const double *sample;          /* [nsample][nnz] values at typical configurations; may be NULL */
    bl_value value[BL_MAX_PARAMS]; /* options of the kind, in the order of its parameters */
} bl_order_input;

/* bl_kind.gives. SYMMETRIC: rows as columns, square patterns only. RECTANGULAR: any pattern, also with empty rows and columns.
 * BLOCKS: fills block. BORDER: may leave a border and a band. BANDWIDTH: reports it. NESTED: fills part. */
enum {
    BL_ORDER_SYMMETRIC = 1,
    BL_ORDER_RECTANGULAR = 2,
    BL_ORDER_BLOCKS = 4,
    BL_ORDER_BORDER = 8,
    BL_ORDER_BANDWIDTH = 16,
    BL_ORDER_NESTED = 32
};

typedef struct bl_order_kind {
    bl_kind kind;
    /* out->row and out->col are allocated and hold 0, 1, 2, ...; free row and set it to NULL to leave rows to the solver */
    bl_status (*order)(const bl_order_input *in, bl_ordering *out);
} bl_order_kind;

#define BL_KIND(name) extern const bl_order_kind bl_order_##name;
#include "order/order_list.h"
#undef BL_KIND

extern const bl_order_kind *const bl_order_kinds[];
extern const size_t bl_order_kind_count;

/* The kind behind "colamd:dense=10"; *options points to the text after the colon, or is NULL. */
bl_status bl_order_find(bl_context *ctx, const char *spec, const bl_order_kind **kind, const char **options);
/* Finds the kind and orders the pattern. Storage of *out from ctx: free with bl_ordering_free (also after a failure). */
bl_status bl_order_pattern(bl_context *ctx, const char *spec, const bl_pattern *pattern, bl_ordering *out);
/* The same with marks and samples; in->value is filled from the options of spec. */
bl_status bl_order_run(bl_order_input *in, const char *spec, bl_ordering *out);
/* Block triangular form of the size of a maximum transversal; columns of a bundle share a block. bundle may be NULL. */
bl_status bl_order_triangular(const bl_order_input *in, const bl_index *bundle, bool regular, bl_ordering *out);
/* Entries of L below the diagonal, and products of one half of the elimination, if A + A^T is eliminated in this order[ncol] with pivots on
 * the diagonal. */
bl_status bl_order_fill(bl_context *ctx, const bl_pattern *pattern, const bl_index *order, int64_t *entries, double *products);
/* Nested to plain: all borders after all blocks. Still block triangular, with a single border. */
bl_status bl_ordering_flatten(bl_context *ctx, bl_ordering *ordering);
void bl_ordering_free(bl_context *ctx, bl_ordering *ordering);

/* ---- transversals */

/* Entries that BTF and KLU may inspect to pair rows and columns, per entry of the matrix. Beyond it, searches visit the same long columns
 * repeatedly. */
#define BL_TRANSVERSAL_WORK 20.0

/* match[nrow]: the column paired with each row, a maximum matching; -1: none. *rank: number of pairs. Allocates. */
bl_status bl_transversal(bl_context *ctx, const bl_pattern *pattern, bl_index *match, bl_index *rank);
/* idx[nnz]: entries of each column with its row of a transversal first, so that BTF and KLU find it immediately. Allocates. */
bl_status bl_transversal_first(bl_context *ctx, const bl_pattern *pattern, bl_index *idx);

#endif
