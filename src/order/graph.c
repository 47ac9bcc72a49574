/* The graph of A + A^T by merging the columns of A with its rows. */
#include "order/graph.h"

#include "sparse/sparse.h"

bl_status bl_graph_build(bl_arena *arena, const bl_pattern *p, bl_graph *graph) {
    bl_index n = graph->n = p->ncol, nnz = p->ptr[n], used = 0, *row, *row_cols;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(row, n + 1), BL_ARRAY(row_cols, nnz), BL_ARRAY(graph->ptr, n + 1),
                           BL_ARRAY(graph->to, 2 * (size_t)nnz)));
    bl_pattern_rows(p, row, row_cols, NULL);
    for (bl_index j = 0; j < n; j++) {
        bl_index a = p->ptr[j], a_end = p->ptr[j + 1], b = row[j], b_end = row[j + 1];
        while (a < a_end || b < b_end) {
            bl_index to = b == b_end || (a < a_end && p->idx[a] < row_cols[b]) ? p->idx[a] : row_cols[b];
            a += a < a_end && p->idx[a] == to;
            b += b < b_end && row_cols[b] == to;
            if (to != j)
                graph->to[used++] = to;
        }
        graph->ptr[j + 1] = used;
    }
    return BL_OK;
}

bl_index bl_graph_bandwidth(const bl_graph *graph, const bl_index *order, bl_index *position) {
    bl_index most = 0;
    for (bl_index k = 0; k < graph->n; k++)
        position[order[k]] = k;
    for (bl_index k = 0; k < graph->n; k++)
        for (bl_index e = graph->ptr[k]; e < graph->ptr[k + 1]; e++) {
            bl_index distance = position[k] - position[graph->to[e]];
            most = distance > most ? distance : most;
        }
    return most;
}
