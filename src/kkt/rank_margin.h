/* singular: how near the constraints are to losing rank (docs/theory/singular.md). */
#ifndef BL_RANK_MARGIN_H
#define BL_RANK_MARGIN_H

#include "kkt/row_choice.h"

/* Whether fewer than `rank` rows of G (on sys->pat_G) stay independent beyond kkt_near_singular. *row (may be NULL): the one that depends
 * most on the others, -1: none. Decides from nothing but G, for any formulation; allocates. */
bl_status bl_kkt_near_singular(const bl_system *sys, const double *G, bl_index rank, bool *near, bl_index *row);

#endif
