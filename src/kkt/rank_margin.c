/* The margin to a loss of rank: by complete pivoting of G, and by inverse iteration with factors that a formulation already has. */
#include "kkt/rank_margin.h"
#include "base/vectors.h"
#include "kkt/kkt_limits.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3 }; /* two digits of the smallest eigenvalue: thresholds on it are factors of 3 */

bl_status bl_kkt_near_singular(const bl_system *sys, const double *G, bl_index rank, bool *near, bl_index *row) {
    bl_context *ctx = sys->ctx;
    bl_index *order = NULL, found = 0;
    bl_rows_ask ask = {.sys = sys, .G = G, .tolerance = kkt_near_singular};
    *near = false;
    BL_TRY(BL_NEW(ctx, order, sys->np + sys->nv));
    bl_status status = bl_rows_choose(&ask, order, order + sys->np, &found);
    if (status == BL_OK)
        *near = found < rank;
    if (row)
        *row = status == BL_OK && rank > 0 ? order[found < rank ? found : rank - 1] : -1;
    bl_free(ctx, order);
    return status;
}

bl_status bl_smallest_eigenvalue(bl_inverse_product solve, void *user, bl_index n, double alarm, double *x, double *smallest) {
    double size = bl_norm((size_t)n, x);
    *smallest = INFINITY;
    for (int k = 0; k < ROUNDS && (k == 0 || *smallest < 10 * alarm); k++) {
        for (bl_index i = 0; i < n; i++)
            x[i] /= size;
        BL_TRY(solve(user, x));
        size = bl_norm((size_t)n, x);
        *smallest = 1 / size;
        if (!(size > 0) || !isfinite(size)) { /* singular to rounding */
            *smallest = 0;
            memset(x, 0, (size_t)n * sizeof *x);
            return BL_OK;
        }
    }
    for (bl_index i = 0; i < n; i++)
        x[i] /= size;
    return BL_OK;
}
