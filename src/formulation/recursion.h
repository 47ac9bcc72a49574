/* recursion: accelerations and multipliers where the system gives M^-1 x, so that M is never made. With rows G of the kept constraints and
 * W W^T = G M^-1 G^T (BL_W of the system)
 *
 *     W W^T lambda = G M^-1 Q - c,     a = M^-1 (Q - G^T lambda).
 *
 * A chain of n links with r rows takes O(n r + n r^2) instead of O(n^3); rows on different trees do not meet in W W^T. */
#ifndef BL_RECURSION_H
#define BL_RECURSION_H

#include "formulation/formulation.h"

typedef enum bl_recursion_way { BL_BY_CHOICE, BL_BY_MATRIX, BL_BY_RECURSION } bl_recursion_way;
#define BL_RECURSION_WAYS "auto|matrix|recursion"

typedef struct bl_recursion {
    bool taken;
    bl_index r;                   /* kept rows */
    const bl_index *kept, *place; /* [r], [np] of the caller; place < 0: dropped */
    bl_pattern matrix;            /* view of the pattern made for the caller */
    bl_index *mirror;             /* [nnz] place of the transposed entry */
    double *wide, *rhs;           /* [nv] one row of W, zero between; [r] */
    double *best;                 /* [r] largest diagonal entries at accepted places */
} bl_recursion;

/* At the place of at_e: decides, by predicted work unless the way is given; where `taken`, makes the pattern of W W^T, which the caller
 * frees. *singular: there is no M^-1, and not taken for that. */
bl_status bl_recursion_plan(bl_formulation *form, bl_recursion *by, bl_index r, const bl_index *kept, const bl_index *place,
                            bl_recursion_way way, bl_pattern *pattern, bool *singular);
void bl_recursion_free(bl_context *ctx, bl_recursion *by);
/* Values of the matrix from G and W of at_e, row_by[np] times each row. */
void bl_recursion_matrix(const bl_formulation *form, bl_recursion *by, const double *row_by, double *values);
/* x = (Q, c) to (a, lambda), rows times row_by, with the matrix factored. */
bl_status bl_recursion_solve(bl_formulation *form, bl_recursion *by, const double *row_by, double *x);
/* What is left of the row that lost most since it was at its best, as a share; pivots do not show it, since solvers scale rows. */
double bl_recursion_left(const bl_recursion *by, const double *values);
void bl_recursion_best(bl_recursion *by, const double *values); /* an accepted place */

#endif
