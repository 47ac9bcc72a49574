/* pivots: choice of pivots with few products in a sparse LU factorization, for tables that serve many matrices of one pattern. */
#ifndef BL_PIVOTS_H
#define BL_PIVOTS_H

#include "linsol/lu.h"

typedef struct bl_pivots {
    bl_lu_plan plan;           /* arrays in the arena, or those of the caller */
    int64_t products, entries; /* of a factorization; of L and U without the diagonal */
} bl_pivots;

/* Pivots of least fill for these values, each at least `share` of its column, inside the blocks of a block triangular form: block b holds
 * rows row[k] and columns col[k], block[b] <= k < block[b + 1]. products is -1 if pivots vanish, or if more than `budget` entries would
 * have to be inspected. Storage from the arena. */
bl_status bl_pivots_least(bl_arena *arena, const bl_pattern *a, const double *values, double share, double budget, bl_index nblock,
                          const bl_index *block, const bl_index *row, const bl_index *col, bl_pivots *out);

#endif
