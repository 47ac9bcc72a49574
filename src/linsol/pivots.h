/* pivots: where a sparse LU factorization has fewest products, for tables that serve many matrices of one pattern. */
#ifndef BL_PIVOTS_H
#define BL_PIVOTS_H

#include "linsol/lu.h"

typedef struct bl_pivots {
    bl_lu_plan plan;           /* arrays in the arena, and what was handed in */
    int64_t products, entries; /* of a factorization; of L and U without the diagonal */
} bl_pivots;

/* Pivots of least fill for these values, each at least `share` of its column, inside the blocks of a block triangular form: block b holds
 * rows row[k] and columns col[k], block[b] <= k < block[b + 1]. products is -1 where pivots vanish,
 * or more entries than `budget` would have to be looked at. Storage from the arena. */
bl_status bl_pivots_least(bl_arena *arena, const bl_pattern *a, const double *values, double share, double budget, bl_index nblock,
                          const bl_index *block, const bl_index *row, const bl_index *col, bl_pivots *out);

#endif
