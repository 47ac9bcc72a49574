/* Patterns of unknowns on nodes, from the graph of the nodes: pairs of unknowns are never stored. */
#include "sparse/sparse.h"

#include <string.h>

typedef struct work {
    size_t *start; /* groups of every node */
    bl_index *group;
    bl_index *mark, *neighbor; /* [nnode] */
} work;

static void groups_of_nodes(bl_index nnode, bl_index ngroup, const size_t *start, const bl_index *member, work *w) {
    for (size_t k = 0; k < start[ngroup]; k++)
        w->start[member[k] + 2]++;
    for (bl_index i = 0; i < nnode; i++)
        w->start[i + 2] += w->start[i + 1];
    for (bl_index k = 0; k < ngroup; k++)
        for (size_t m = start[k]; m < start[k + 1]; m++)
            w->group[w->start[member[m] + 1]++] = k;
}

/* neighbors of node i, ascending, in w->neighbor; mark[j] == i: j is already listed. Returns how many */
static bl_index neighbors(work *w, bl_index i, const size_t *start, const bl_index *member) {
    bl_index n = 0;
    for (size_t k = w->start[i]; k < w->start[i + 1]; k++)
        for (size_t m = start[w->group[k]]; m < start[w->group[k] + 1]; m++)
            if (w->mark[member[m]] != i) {
                w->mark[member[m]] = i;
                w->neighbor[n++] = member[m];
            }
    bl_sort_indices(w->neighbor, (size_t)n);
    return n;
}

static bl_status count_entries(bl_context *ctx, bl_index nnode, const bl_index *first, const size_t *start, const bl_index *member, work *w,
                               bl_index *ptr) {
    int64_t entries = 0;
    for (bl_index i = 0; i < nnode; i++) {
        bl_index n = first[i + 1] > first[i] ? neighbors(w, i, start, member) : 0, rows = 0;
        for (bl_index k = 0; k < n; k++)
            rows += first[w->neighbor[k] + 1] - first[w->neighbor[k]];
        for (bl_index j = first[i]; j < first[i + 1]; j++) {
            entries += rows;
            if (entries > INT32_MAX)
                return bl_fail(ctx, BL_E_MEMORY, NULL, "a matrix of %d unknowns would have more than 2^31 entries", (int)first[nnode]);
            ptr[j + 1] = (bl_index)entries;
        }
    }
    return BL_OK;
}

static void list_entries(bl_index nnode, const bl_index *first, const size_t *start, const bl_index *member, work *w, const bl_index *ptr,
                         bl_index *idx) {
    for (bl_index i = 0; i < nnode; i++) {
        if (first[i + 1] == first[i])
            continue;
        bl_index n = neighbors(w, i, start, member), *to = idx + ptr[first[i]];
        for (bl_index k = 0; k < n; k++)
            for (bl_index row = first[w->neighbor[k]]; row < first[w->neighbor[k] + 1]; row++)
                *to++ = row;
        for (bl_index j = first[i] + 1; j < first[i + 1]; j++)
            memcpy(idx + ptr[j], idx + ptr[first[i]], (size_t)(ptr[j + 1] - ptr[j]) * sizeof *idx);
    }
}

static void clear_marks(bl_index nnode, bl_index *mark) {
    for (bl_index i = 0; i < nnode; i++)
        mark[i] = -1;
}

bl_status bl_pattern_of_nodes(bl_context *ctx, bl_index nnode, const bl_index *first, bl_index ngroup, const size_t *start,
                              const bl_index *member, bl_pattern *pattern) {
    work w;
    void *block = NULL;
    bl_index n = first[nnode], *ptr = NULL, *idx = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(w.start, (size_t)nnode + 2), BL_ARRAY(w.group, ngroup ? start[ngroup] : 0),
                         BL_ARRAY(w.mark, nnode), BL_ARRAY(w.neighbor, nnode)));
    if (ngroup)
        groups_of_nodes(nnode, ngroup, start, member, &w);
    clear_marks(nnode, w.mark);
    bl_status status = BL_NEW(ctx, ptr, (size_t)n + 1);
    if (status == BL_OK)
        status = count_entries(ctx, nnode, first, start, member, &w, ptr);
    if (status == BL_OK)
        status = BL_NEW(ctx, idx, (size_t)ptr[n] + 1);
    if (status == BL_OK) {
        clear_marks(nnode, w.mark);
        list_entries(nnode, first, start, member, &w, ptr, idx);
        *pattern = (bl_pattern){n, n, ptr, idx};
    } else {
        bl_free(ctx, ptr);
    }
    bl_free(ctx, block);
    return status;
}
