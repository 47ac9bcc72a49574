/* Fill of a symmetric elimination, counted without values: the elimination tree of A + A^T (Liu 1990), then the lengths of the columns of
 * L by walking each row's part of the tree. Time is proportional to the entries of L, memory to the order. */
#include "order/graph.h"

bl_status bl_order_fill(bl_context *ctx, const bl_pattern *pattern, const bl_index *order, int64_t *entries, double *products) {
    bl_index n = pattern->ncol, *position, *parent, *seen, *length;
    bl_arena arena = {.ctx = ctx};
    bl_graph graph;
    bl_status status = bl_graph_build(&arena, pattern, &graph);
    if (status == BL_OK)
        status = BL_ARENA_ARRAYS(&arena, BL_ARRAY(position, n), BL_ARRAY(parent, n), BL_ARRAY(seen, n), BL_ARRAY(length, n));
    *entries = 0;
    *products = 0;
    if (status == BL_OK) {
        for (bl_index k = 0; k < n; k++)
            position[order[k]] = k;
        for (bl_index k = 0; k < n; k++) {
            parent[k] = -1;
            seen[k] = k;
            for (bl_index e = graph.ptr[order[k]]; e < graph.ptr[order[k] + 1]; e++)
                for (bl_index i = position[graph.to[e]]; i < k && seen[i] != k; i = parent[i]) {
                    parent[i] = parent[i] < 0 ? k : parent[i];
                    length[i]++; /* L(k, i) */
                    seen[i] = k;
                }
        }
        for (bl_index k = 0; k < n; k++) {
            *entries += length[k];
            *products += (double)length[k] * ((double)length[k] + 1) / 2;
        }
    }
    bl_arena_destroy(&arena);
    return status;
}
