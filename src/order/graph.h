/* graph: the undirected graph of a square pattern, for symmetric orderings. */
#ifndef BL_ORDER_GRAPH_H
#define BL_ORDER_GRAPH_H

#include "order/order.h"

typedef struct bl_graph {
    bl_index n;
    bl_index *ptr, *to; /* neighbors of node k: to[ptr[k]] .. to[ptr[k+1]-1], ascending, without k itself */
} bl_graph;

/* Graph of A + A^T. Memory from the arena. */
bl_status bl_graph_build(bl_arena *arena, const bl_pattern *pattern, bl_graph *graph);
/* Largest |row position - column position| of an entry in this order; position: scratch. */
bl_index bl_graph_bandwidth(const bl_graph *graph, const bl_index *order, bl_index *position);

#endif
