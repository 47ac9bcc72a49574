/* Maximum assignment of equations to unknowns, then strong components (Tarjan 1972, without recursion). With one unknown per node and one
 * equation per edge this is the block triangular form of Dulmage and Mendelsohn; bundles make it an assignment with capacities. All
 * unknowns of a node fall into one part, because each equation of an edge touches all of them. */
#include "sparse/parts.h"

#include "sparse/sparse.h"

#include <string.h>

enum { DEAD = -1 }; /* a node from which no free unknown can be reached, now or later, since assignments never free one */

typedef struct finder {
    const bl_parts_input *in;
    bl_parts *out;
    bl_index *queue, *seen;         /* [nnode] */
    bl_index *used_slot, *released; /* path to a node: its edge would use a unit at one slot and release one at the other */
    bl_index stamp;
    /* strong components */
    bl_index *number, *low, *stack, *frame, *at_slot, *at_node;
} finder;

static void list_slots(const bl_parts_input *in, bl_parts *out) {
    bl_pattern edges = {in->nnode, in->nedge, in->ptr, in->node};
    bl_pattern_rows(&edges, out->begin, NULL, out->slot);
    for (bl_index e = 0; e < in->nedge; e++)
        for (bl_index s = in->ptr[e]; s < in->ptr[e + 1]; s++)
            out->edge[s] = e;
}

/* ---- assignment */

static void visit_edge(finder *f, bl_index edge, bl_index released, bl_index *end) {
    for (bl_index s = f->in->ptr[edge]; s < f->in->ptr[edge + 1]; s++) {
        bl_index n = f->in->node[s];
        if (f->seen[n] == f->stamp || f->seen[n] == DEAD)
            continue;
        f->seen[n] = f->stamp;
        f->used_slot[n] = s;
        f->released[n] = released;
        f->queue[(*end)++] = n;
    }
}

/* assigns one equation of the edge to a free unknown, reassigning others if necessary */
static bool place_unit(finder *f, bl_index edge) {
    bl_parts *out = f->out;
    bl_index end = 0, free_node = -1;
    f->stamp++;
    visit_edge(f, edge, -1, &end);
    for (bl_index k = 0; k < end; k++) {
        bl_index n = f->queue[k];
        if (out->spare[n] > 0) {
            free_node = n;
            break;
        }
        for (bl_index i = out->begin[n]; i < out->begin[n + 1]; i++)
            if (out->units[out->slot[i]] > 0)
                visit_edge(f, out->edge[out->slot[i]], out->slot[i], &end);
    }
    if (free_node < 0) {
        for (bl_index k = 0; k < end; k++)
            f->seen[f->queue[k]] = DEAD;
        return false;
    }
    out->spare[free_node]--;
    for (bl_index n = free_node;;) {
        bl_index released = f->released[n];
        out->units[f->used_slot[n]]++;
        if (released < 0)
            return true;
        out->units[released]--;
        n = f->in->node[released];
    }
}

static void assign(finder *f) {
    const bl_parts_input *in = f->in;
    bl_parts *out = f->out;
    memcpy(out->spare, in->room, (size_t)in->nnode * sizeof *out->spare);
    for (bl_index e = 0; e < in->nedge; e++) {
        bl_index left = in->weight[e];
        for (bl_index s = in->ptr[e]; s < in->ptr[e + 1] && left > 0; s++) {
            bl_index n = in->node[s], take = out->spare[n] < left ? out->spare[n] : left;
            out->units[s] += take;
            out->spare[n] -= take;
            left -= take;
        }
        while (left > 0 && place_unit(f, e))
            left--;
        out->surplus[e] = left;
        out->nsurplus += left;
    }
    for (bl_index n = 0; n < in->nnode; n++)
        out->nspare += out->spare[n];
}

/* ---- strong components: u depends on w if an equation that fixes u contains w */

/* the next node on which u depends, -1: no more */
static bl_index next_below(finder *f, bl_index u) {
    const bl_parts *out = f->out;
    for (; f->at_slot[u] < out->begin[u + 1]; f->at_slot[u]++, f->at_node[u] = 0) {
        bl_index s = out->slot[f->at_slot[u]], e = out->edge[s];
        if (out->units[s] > 0 && f->in->ptr[e] + f->at_node[u] < f->in->ptr[e + 1])
            return f->in->node[f->in->ptr[e] + f->at_node[u]++];
    }
    return -1;
}

static void components_from(finder *f, bl_index root, bl_index *counter, bl_index *nstack) {
    bl_parts *out = f->out;
    bl_index depth = 0;
    f->frame[depth++] = root;
    f->number[root] = f->low[root] = ++*counter;
    f->stack[(*nstack)++] = root;
    while (depth > 0) {
        bl_index u = f->frame[depth - 1], w = next_below(f, u);
        if (w >= 0 && f->number[w] == 0) {
            f->frame[depth++] = w;
            f->number[w] = f->low[w] = ++*counter;
            f->stack[(*nstack)++] = w;
        } else if (w >= 0) {
            if (out->part[w] < 0 && f->number[w] < f->low[u])
                f->low[u] = f->number[w];
        } else {
            depth--;
            if (depth > 0 && f->low[u] < f->low[f->frame[depth - 1]])
                f->low[f->frame[depth - 1]] = f->low[u];
            if (f->low[u] != f->number[u])
                continue;
            bl_index top;
            do {
                top = f->stack[--*nstack];
                out->part[top] = out->npart;
            } while (top != u);
            out->npart++;
        }
    }
}

static void find_components(finder *f) {
    bl_index counter = 0, nstack = 0;
    for (bl_index n = 0; n < f->in->nnode; n++) {
        f->out->part[n] = -1;
        f->at_slot[n] = f->out->begin[n];
    }
    for (bl_index n = 0; n < f->in->nnode; n++)
        if (f->number[n] == 0)
            components_from(f, n, &counter, &nstack);
}

bl_status bl_parts_find(bl_context *ctx, const bl_parts_input *in, bl_parts *out) {
    memset(out, 0, sizeof *out);
    bl_index n = in->nnode, nslot = in->ptr[in->nedge];
    finder f = {.in = in, .out = out};
    void *work = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, out->block, BL_ARRAY(out->begin, n + 1), BL_ARRAY(out->slot, nslot), BL_ARRAY(out->edge, nslot),
                         BL_ARRAY(out->part, n), BL_ARRAY(out->spare, n), BL_ARRAY(out->units, nslot), BL_ARRAY(out->surplus, in->nedge)));
    BL_TRY(BL_NEW_ARRAYS(ctx, work, BL_ARRAY(f.queue, n), BL_ARRAY(f.seen, n), BL_ARRAY(f.used_slot, n), BL_ARRAY(f.released, n),
                         BL_ARRAY(f.number, n), BL_ARRAY(f.low, n), BL_ARRAY(f.stack, n), BL_ARRAY(f.frame, n), BL_ARRAY(f.at_slot, n),
                         BL_ARRAY(f.at_node, n)));
    list_slots(in, out);
    assign(&f);
    find_components(&f);
    bl_free(ctx, work);
    return BL_OK;
}

void bl_parts_free(bl_context *ctx, bl_parts *parts) {
    bl_free(ctx, parts->block);
    memset(parts, 0, sizeof *parts);
}
