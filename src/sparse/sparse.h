/* sparse: patterns and matrices on them. */
#ifndef BL_SPARSE_H
#define BL_SPARSE_H

#include "system/system.h"

#include <stdio.h>

/* A matrix read from a file. */
typedef struct bl_matrix {
    bl_pattern pattern;
    double *value; /* NULL: the file gives the pattern only */
} bl_matrix;
/* Matrix Market file (coordinate; real, integer or pattern; general or symmetric, written out here); "-": standard input. Errors
 * name the line (BL_E_MODEL). Storage from ctx: free with bl_matrix_free. */
bl_status bl_matrix_market_read(bl_context *ctx, const char *file, bl_matrix *out);
/* The same from an open stream; name: used in messages. */
bl_status bl_matrix_market_stream(bl_context *ctx, FILE *stream, const char *name, bl_matrix *out);
void bl_matrix_free(bl_context *ctx, bl_matrix *matrix);

/* CSC pattern from unsorted (row, col) pairs, duplicates merged. slot[k] (may be NULL) receives the position of
 * pair k in the values. Storage from ctx: free with bl_pattern_free. */
bl_status bl_pattern_build(bl_context *ctx, bl_index nrow, bl_index ncol, bl_index npair, const bl_index *row, const bl_index *col,
                           bl_pattern *pattern, bl_index *slot);
/* The square pattern of unknowns on nodes: those of node i are first[i] .. first[i + 1] - 1, and all unknowns of two nodes in a common
 * group are coupled; group k has the nodes member[start[k] .. start[k + 1] - 1]. Time and memory proportional to the result and the groups;
 * BL_E_MEMORY above 2^31 - 1 entries. */
bl_status bl_pattern_of_nodes(bl_context *ctx, bl_index nnode, const bl_index *first, bl_index ngroup, const size_t *start,
                              const bl_index *member, bl_pattern *pattern);
void bl_pattern_free(bl_context *ctx, bl_pattern *pattern);
/* The entries by rows: those of row i are ptr[i] .. ptr[i + 1] - 1, with columns col[nnz], ascending, and indices in the values from[nnz];
 * col or from may be NULL. ptr[nrow + 1]. */
void bl_pattern_rows(const bl_pattern *pattern, bl_index *ptr, bl_index *col, bl_index *from);
/* The entries of the columns col[n] in the rows with row_at[nrow] >= 0 as a pattern of n columns: ptr[n + 1], idx = row_at, in the order of
 * the entries, from (may be NULL) their indices in the values. */
void bl_pattern_cut(const bl_pattern *pattern, const bl_index *row_at, bl_index n, const bl_index *col, bl_index *ptr, bl_index *idx,
                    bl_index *from);
/* Of a square pattern: mate[k] of entry (i, j) is the index of (j, i), -1: none. */
bl_status bl_pattern_mirror(bl_context *ctx, const bl_pattern *pattern, bl_index *mate);
bl_index bl_pattern_find(const bl_pattern *pattern, bl_index row, bl_index col); /* index in the values, -1: absent */

#endif
