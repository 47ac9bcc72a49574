/* rank_margin: how near the constraints are to losing rank, the measure of docs/theory/singular.md. */
#ifndef BL_RANK_MARGIN_H
#define BL_RANK_MARGIN_H

#include "kkt/row_choice.h"

/* Whether fewer than `rank` rows of G (on sys->pat_G) stay independent beyond kkt_near_singular. *row (may be NULL): the one that depends
 * most on the others, -1: none. Decides from nothing but G, for any formulation; allocates. */
bl_status bl_kkt_near_singular(const bl_system *sys, const double *G, bl_index rank, bool *near, bl_index *row);

/* The smallest eigenvalue of a symmetric positive matrix S by inverse iteration, an estimate from above: of G M^-1 G^T or J J^T, the square
 * of (Z1). solve replaces x[n] by S^-1 x. x: first guess, not 0; then the direction found. One round is enough where the estimate is ten
 * times `alarm`, which may be INFINITY. */
typedef bl_status (*bl_inverse_product)(void *user, double *x);
bl_status bl_smallest_eigenvalue(bl_inverse_product solve, void *user, bl_index n, double alarm, double *x, double *smallest);

#endif
