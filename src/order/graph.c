/* The graph of A + A^T by merging the columns of A with its rows. */
#include "order/graph.h"

#include <string.h>

bl_status bl_graph_build(bl_arena *arena, const bl_pattern *p, bl_graph *graph) {
    size_t n = (size_t)p->ncol, nnz = (size_t)p->ptr[n];
    bl_index *start = bl_arena_alloc(arena, n + 1, sizeof *start), *across = bl_arena_alloc(arena, nnz, sizeof *across);
    graph->n = p->ncol;
    graph->ptr = bl_arena_alloc(arena, n + 1, sizeof *graph->ptr);
    graph->to = bl_arena_alloc(arena, 2 * nnz, sizeof *graph->to);
    if (!start || !across || !graph->ptr || !graph->to)
        return BL_E_MEMORY;
    for (size_t k = 0; k < nnz; k++)
        start[p->idx[k] + 1]++;
    for (size_t i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++)
            across[start[p->idx[k]]++] = j; /* start moves on to the next row's */
    bl_index used = 0;
    for (bl_index j = 0; j < p->ncol; j++) {
        bl_index a = p->ptr[j], a_end = p->ptr[j + 1], b = j ? start[j - 1] : 0, b_end = start[j];
        while (a < a_end || b < b_end) {
            bl_index to = b == b_end || (a < a_end && p->idx[a] < across[b]) ? p->idx[a] : across[b];
            a += a < a_end && p->idx[a] == to;
            b += b < b_end && across[b] == to;
            if (to != j)
                graph->to[used++] = to;
        }
        graph->ptr[j + 1] = used;
    }
    return BL_OK;
}

bl_index bl_graph_bandwidth(const bl_graph *graph, const bl_index *order, bl_index *place) {
    bl_index most = 0;
    for (bl_index k = 0; k < graph->n; k++)
        place[order[k]] = k;
    for (bl_index k = 0; k < graph->n; k++)
        for (bl_index e = graph->ptr[k]; e < graph->ptr[k + 1]; e++) {
            bl_index away = place[k] - place[graph->to[e]];
            most = away > most ? away : most;
        }
    return most;
}
