/* symmetric: one half of a symmetric sparse matrix in blocks of nodes, for iterative solvers.
 *
 * Unknowns that stand side by side and meet the same others, as the components of a node of a mesh do, form a node of up to d = 1, 2 or 3;
 * which d takes least memory is found from the pattern. A node of fewer unknowns (others were fixed) is filled up with a one on the
 * diagonal. Nodes stand in an order of their own, their places; vectors have bl_blocks_wide(d) numbers per place. */
#ifndef BL_SYMMETRIC_H
#define BL_SYMMETRIC_H

#include "linsol/symmetric_isa.h"
#include "order/order.h"

typedef struct bl_symmetric {
    bl_context *ctx;
    const bl_pattern *pattern;
    bl_index n;
    int wide;
    bl_blocks blocks; /* of the values loaded last */
    double *diag, *left;
    bl_index *ptr, *idx;
    bl_index *slot;        /* [n] place of an unknown in vectors */
    bl_index *unknown;     /* [nodes] first unknown of the node at a place */
    uint8_t *size;         /* [nodes] its unknowns */
    double *scale;         /* [n] |diagonal|, where that is nothing the largest entry of the column: s_i s_j bounds |a_ij|^2 */
    bl_index longest;      /* row of blocks, the diagonal apart */
    bl_index entries;      /* of the longest column */
    bl_index reach;        /* largest distance of two places that meet: nodes / reach is the length of the mesh in nodes */
    bl_index *mark;        /* [nodes] -1 */
    bl_index *next, *list; /* [nodes] scratch; list is [n] */
    void *lists, *numbers;
} bl_symmetric;

typedef struct bl_symmetric_ask {
    const bl_pattern *pattern;
    const bl_index *order; /* of columns, given from outside; NULL: by `ordering` */
    const char *ordering;
    int block;              /* 1, 2, 3: so many unknowns side by side are a node; 0: found */
    const bl_index *bundle; /* [n] columns of one number are a node even where they meet different others, 0: alone; NULL: none */
    bool whole;             /* nodes as large as there are, not those that take least memory */
} bl_symmetric_ask;

/* BL_E_ABILITY: the pattern is not symmetric. *out zeroed; free it whatever comes back. */
bl_status bl_symmetric_analyze(bl_context *ctx, const bl_symmetric_ask *ask, bl_symmetric *out);
void bl_symmetric_free(bl_symmetric *a);
/* Values on the pattern; allocates nothing. BL_NOT_FINITE. *row, *col: an entry that differs from its mirror image, -1: none. */
bl_status bl_symmetric_load(bl_symmetric *a, const double *values, bl_index *row, bl_index *col);

/* The nodes alone, for those who keep the matrix themselves: unknown i stands at slot[i] = d * place + component, out of d * nodes. */
bl_status bl_symmetric_places(bl_context *ctx, const bl_symmetric_ask *ask, int *d, bl_index *nodes, bl_index *slot);

/* Entries of a Cholesky factor and products of its factorisation by nested or least-degree orders, counted on the nodes: what a direct
 * solver would take. */
bl_status bl_symmetric_fill(bl_context *ctx, const bl_pattern *pattern, double *entries, double *products);

#endif
