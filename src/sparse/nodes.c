/* Patterns of unknowns on nodes, from the graph of the nodes: pairs of unknowns are never written down. */
#include "sparse/sparse.h"

#include <stdlib.h>
#include <string.h>

typedef struct graph { /* groups of every node */
    size_t *start;
    bl_index *group;
} graph;

static bl_status groups_of_nodes(bl_context *ctx, bl_index nnode, bl_index ngroup, const size_t *start, const bl_index *member, graph *g) {
    size_t count = ngroup ? start[ngroup] : 0;
    BL_TRY(BL_NEW(ctx, g->start, (size_t)nnode + 2));
    BL_TRY(BL_NEW(ctx, g->group, count + 1));
    for (size_t k = 0; k < count; k++)
        g->start[member[k] + 2]++;
    for (bl_index i = 0; i < nnode; i++)
        g->start[i + 2] += g->start[i + 1];
    for (bl_index k = 0; k < ngroup; k++)
        for (size_t m = start[k]; m < start[k + 1]; m++)
            g->group[g->start[member[m] + 1]++] = k;
    return BL_OK;
}

static int ascending(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x > y) - (x < y);
}

/* nodes that meet node i, ascending; mark[j] == i: j is known. Returns how many */
static bl_index neighbors(const graph *g, bl_index i, const size_t *start, const bl_index *member, bl_index *mark, bl_index *near) {
    bl_index n = 0;
    for (size_t k = g->start[i]; k < g->start[i + 1]; k++)
        for (size_t m = start[g->group[k]]; m < start[g->group[k] + 1]; m++)
            if (mark[member[m]] != i) {
                mark[member[m]] = i;
                near[n++] = member[m];
            }
    qsort(near, (size_t)n, sizeof *near, ascending);
    return n;
}

typedef struct work {
    graph g;
    bl_index *mark, *near;
} work;

static bl_status count_entries(bl_context *ctx, bl_index nnode, const bl_index *first, const size_t *start, const bl_index *member, work *w,
                               bl_index *ptr) {
    int64_t entries = 0;
    for (bl_index i = 0; i < nnode; i++) {
        bl_index n = first[i + 1] > first[i] ? neighbors(&w->g, i, start, member, w->mark, w->near) : 0, tall = 0;
        for (bl_index k = 0; k < n; k++)
            tall += first[w->near[k] + 1] - first[w->near[k]];
        for (bl_index j = first[i]; j < first[i + 1]; j++) {
            entries += tall;
            if (entries > INT32_MAX)
                return bl_fail(ctx, BL_E_MEMORY, NULL, "a matrix of %d unknowns would have more than 2^31 entries", (int)first[nnode]);
            ptr[j + 1] = (bl_index)entries;
        }
    }
    return BL_OK;
}

static void fill(bl_index nnode, const bl_index *first, const size_t *start, const bl_index *member, work *w, const bl_index *ptr,
                 bl_index *idx) {
    for (bl_index i = 0; i < nnode; i++) {
        if (first[i + 1] == first[i])
            continue;
        bl_index n = neighbors(&w->g, i, start, member, w->mark, w->near), *to = idx + ptr[first[i]];
        for (bl_index k = 0; k < n; k++)
            for (bl_index row = first[w->near[k]]; row < first[w->near[k] + 1]; row++)
                *to++ = row;
        for (bl_index j = first[i] + 1; j < first[i + 1]; j++)
            memcpy(idx + ptr[j], idx + ptr[first[i]], (size_t)(ptr[j + 1] - ptr[j]) * sizeof *idx);
    }
}

static void forget(bl_index nnode, bl_index *mark) {
    for (bl_index i = 0; i < nnode; i++)
        mark[i] = -1;
}

bl_status bl_pattern_of_nodes(bl_context *ctx, bl_index nnode, const bl_index *first, bl_index ngroup, const size_t *start,
                              const bl_index *member, bl_pattern *pattern) {
    work w = {0};
    bl_index n = first[nnode], *ptr = NULL, *idx = NULL;
    bl_status status = groups_of_nodes(ctx, nnode, ngroup, start, member, &w.g);
    if (status == BL_OK)
        status = BL_NEW(ctx, w.mark, (size_t)nnode + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, w.near, (size_t)nnode + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, ptr, (size_t)n + 1);
    if (status == BL_OK) {
        forget(nnode, w.mark);
        status = count_entries(ctx, nnode, first, start, member, &w, ptr);
    }
    if (status == BL_OK)
        status = BL_NEW(ctx, idx, (size_t)ptr[n] + 1);
    if (status == BL_OK) {
        forget(nnode, w.mark);
        fill(nnode, first, start, member, &w, ptr, idx);
        *pattern = (bl_pattern){n, n, ptr, idx};
        ptr = idx = NULL;
    }
    bl_free(ctx, w.g.start);
    bl_free(ctx, w.g.group);
    bl_free(ctx, w.mark);
    bl_free(ctx, w.near);
    bl_free(ctx, ptr);
    return status;
}
