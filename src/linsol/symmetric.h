/* symmetric: the lower half of a symmetric sparse matrix in blocks of nodes, for iterative solvers.
 *
 * Adjacent unknowns with the same neighbors, like the components of a node of a mesh, form a node of up to d = 1, 2 or 3 unknowns; the d
 * that needs least memory is found from the pattern. A node with fewer unknowns (others are fixed) is filled up with a one on the diagonal.
 * Nodes have an order of their own; vectors have bl_blocks_width(d) numbers per position in that order. */
#ifndef BL_SYMMETRIC_H
#define BL_SYMMETRIC_H

#include "linsol/symmetric_isa.h"
#include "order/order.h"

typedef struct bl_symmetric {
    bl_context *ctx;
    const bl_pattern *pattern;
    bl_index n;
    int width;
    bl_blocks blocks; /* of the values loaded last */
    double *diag, *left;
    bl_index *ptr, *idx;
    bl_index *slot;        /* [n] index of an unknown in vectors */
    bl_index *unknown;     /* [nodes] first unknown of the node at a position */
    uint8_t *size;         /* [nodes] its number of unknowns */
    double *scale;         /* [n] |diagonal|, or the largest entry of the column if that is negligible: s_i s_j bounds |a_ij|^2 */
    bl_index longest;      /* blocks in the longest row, without the diagonal */
    bl_index entries;      /* in the longest column */
    bl_index reach;        /* largest distance between positions of neighbors: nodes / reach is the length of the mesh in nodes */
    bl_index *mark;        /* [nodes] scratch, -1 between calls */
    bl_index *next, *list; /* [nodes] scratch; list is [n] */
    void *lists, *numbers;
} bl_symmetric;

typedef struct bl_symmetric_input {
    const bl_pattern *pattern;
    const bl_index *order; /* of columns, given by the caller; NULL: by `ordering` */
    const char *ordering;
    int block;              /* 1, 2, 3: unknowns of a node; 0: found from the pattern */
    const bl_index *bundle; /* [n] columns with the same number are a node even if their neighbors differ, 0: alone; NULL: none */
    bool largest_nodes;     /* the largest possible nodes, not those that need least memory */
} bl_symmetric_input;

/* BL_E_ABILITY: the pattern is not symmetric. *out is zeroed by the caller and must be freed in any case. */
bl_status bl_symmetric_analyze(bl_context *ctx, const bl_symmetric_input *in, bl_symmetric *out);
void bl_symmetric_free(bl_symmetric *a);
/* Values on the pattern; allocates nothing. BL_NOT_FINITE. *row, *col: an entry that differs from its mirrored entry, -1: none. */
bl_status bl_symmetric_load(bl_symmetric *a, const double *values, bl_index *row, bl_index *col);

/* Only the nodes, for callers that store the matrix themselves: unknown i has slot[i] = d * position + component, out of d * nodes. */
bl_status bl_symmetric_slots(bl_context *ctx, const bl_symmetric_input *in, int *d, bl_index *nodes, bl_index *slot);

/* Entries of a Cholesky factor and products of its factorization by nested or least-degree orders, counted on the nodes: cost of a direct
 * solver. */
bl_status bl_symmetric_fill(bl_context *ctx, const bl_pattern *pattern, double *entries, double *products);

#endif
