/* Reverse Cuthill-McKee: nodes of the graph of A + A^T level by level from a peripheral one, neighbors of small degree first, then
 * reversed. The start is pseudo-peripheral (Gibbs, Poole and Stockmeyer 1976 in the form of George and Liu, ACM TOMS 5 (1979)): restarted
 * from a node of least degree in the last level as long as the number of levels grows. */
#include "order/graph.h"

#include <string.h>

typedef struct walk {
    bl_graph graph;
    bl_index *queue, *level; /* level: -1 not visited, -2 numbered */
} walk;

static bl_index degree(const bl_graph *g, bl_index node) { return g->ptr[node + 1] - g->ptr[node]; }

/* level structure from a root; returns the number of nodes reached; *last: index in the queue where the last level begins */
static bl_index levels_from(walk *w, bl_index root, bl_index *last, bl_index *height) {
    const bl_graph *g = &w->graph;
    bl_index end = 1;
    w->queue[0] = root;
    w->level[root] = 0;
    *last = 0;
    for (bl_index at = 0; at < end; at++) {
        bl_index node = w->queue[at];
        if (w->level[node] > w->level[w->queue[*last]])
            *last = at;
        for (bl_index e = g->ptr[node]; e < g->ptr[node + 1]; e++)
            if (w->level[g->to[e]] == -1) {
                w->level[g->to[e]] = w->level[node] + 1;
                w->queue[end++] = g->to[e];
            }
    }
    *height = w->level[w->queue[*last]];
    for (bl_index k = 0; k < end; k++)
        w->level[w->queue[k]] = -1;
    return end;
}

/* a node from which the level structure is about as deep as possible */
static bl_index peripheral_node(walk *w, bl_index root) {
    bl_index last, height, next_height, end = levels_from(w, root, &last, &height);
    while (height > 0) {
        bl_index next = w->queue[last];
        for (bl_index k = last; k < end; k++)
            if (degree(&w->graph, w->queue[k]) < degree(&w->graph, next) ||
                (degree(&w->graph, w->queue[k]) == degree(&w->graph, next) && w->queue[k] < next))
                next = w->queue[k];
        levels_from(w, next, &last, &next_height);
        if (next_height <= height)
            break;
        height = next_height;
        root = next;
    }
    return root;
}

/* Cuthill-McKee numbering of the component of root, from order[0] on; returns its size */
static bl_index number_component(walk *w, bl_index root, bl_index *order) {
    const bl_graph *g = &w->graph;
    bl_index end = 1;
    order[0] = root;
    w->level[root] = -2;
    for (bl_index at = 0; at < end; at++) {
        bl_index first = end;
        for (bl_index e = g->ptr[order[at]]; e < g->ptr[order[at] + 1]; e++) {
            bl_index node = g->to[e], k;
            if (w->level[node] == -2)
                continue;
            w->level[node] = -2;
            for (k = end++; k > first && degree(g, order[k - 1]) > degree(g, node); k--)
                order[k] = order[k - 1];
            order[k] = node;
        }
    }
    return end;
}

static bl_status rcm_order(const bl_order_input *in, bl_ordering *out) {
    bl_index n = in->pattern->ncol, done = 0;
    walk w = {0};
    BL_TRY(bl_graph_build(in->arena, in->pattern, &w.graph));
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(w.queue, n), BL_ARRAY(w.level, n)));
    memset(w.level, -1, (size_t)n * sizeof *w.level);
    for (bl_index root = 0; root < n; root++)
        if (w.level[root] == -1)
            done += number_component(&w, peripheral_node(&w, root), out->col + done);
    for (bl_index k = 0; k < n / 2; k++) {
        bl_index swap = out->col[k];
        out->col[k] = out->col[n - 1 - k];
        out->col[n - 1 - k] = swap;
    }
    memcpy(out->row, out->col, (size_t)n * sizeof *out->row);
    out->bandwidth = bl_graph_bandwidth(&w.graph, out->col, w.queue);
    return BL_OK;
}

const bl_order_kind bl_order_rcm = {
    .kind = {.name = "rcm", .help = "reverse Cuthill-McKee: a narrow band of A + A^T", .gives = BL_ORDER_SYMMETRIC | BL_ORDER_BANDWIDTH},
    .order = rcm_order,
};
