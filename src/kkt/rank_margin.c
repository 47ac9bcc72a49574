/* Nearness to positions in which constraints lose rank. */
#include "kkt/rank_margin.h"
#include "kkt/kkt_limits.h"

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
