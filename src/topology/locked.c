/* Links of a group that lock each other. The law of groups allows k links to have 3 k equations among themselves; but k floating links
 * have three motions as a rigid whole, which no pair between them can prevent, so that only 3 (k - 1) of these can be independent (in
 * space 6 (k - 1)). All sets of links satisfy this exactly when the equations inside the group still find unknowns with any one link
 * fixed. */
#include "topology/structure_private.h"
#include "topology/topology_limits.h"

#include "sparse/parts.h"

#include <string.h>

typedef struct inner_pairs {
    bl_parts_input in;
    bl_index *room, *weight, *ptr, *node;
} inner_pairs;

/* pairs between links of the group alone */
static bl_status collect(bl_arena *arena, const bl_chain *chain, const bl_structure_group *group, inner_pairs *x) {
    size_t n = (size_t)group->nlink, m = (size_t)group->npair;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(x->room, n), BL_ARRAY(x->weight, m), BL_ARRAY(x->ptr, m + 1),
                           BL_ARRAY(x->node, m * BL_PAIR_LINKS)));
    bl_index nedge = 0;
    for (bl_index i = 0; i < group->npair; i++) {
        bl_index link[BL_PAIR_LINKS], count = bl_pair_links(chain, group->pair[i], link), inner = 0;
        x->ptr[nedge + 1] = x->ptr[nedge];
        for (bl_index k = 0; k < count; k++)
            for (bl_index j = 0; j < group->nlink; j++)
                if (group->link[j] == link[k]) {
                    x->node[x->ptr[nedge] + inner++] = j;
                    break;
                }
        if (inner < count)
            continue;
        x->weight[nedge] = bl_pair_rows(chain->dim, &chain->pair[group->pair[i]]);
        x->ptr[nedge + 1] += inner;
        nedge++;
    }
    x->in = (bl_parts_input){group->nlink, nedge, x->room, x->weight, x->ptr, x->node};
    return BL_OK;
}

/* the links reached from the equations without unknowns: all their unknowns are taken by equations among themselves */
static bl_index reach(const bl_parts_input *in, const bl_parts *parts, bl_index *list) {
    bl_index n = 0;
    for (bl_index e = 0; e < in->nedge; e++)
        for (bl_index s = in->ptr[e]; parts->surplus[e] > 0 && s < in->ptr[e + 1]; s++)
            list[n++] = in->node[s];
    if (n == 0)
        return 0;
    n = bl_sort_unique(list, n);
    for (bl_index head = 0; head < n; head++) {
        bl_index u = list[head];
        for (bl_index i = parts->begin[u]; i < parts->begin[u + 1]; i++) {
            bl_index e = parts->edge[parts->slot[i]];
            for (bl_index s = in->ptr[e]; parts->units[parts->slot[i]] > 0 && s < in->ptr[e + 1]; s++) {
                bool known = false;
                for (bl_index k = 0; k < n; k++)
                    known = known || list[k] == in->node[s];
                if (!known)
                    list[n++] = in->node[s];
            }
        }
    }
    return bl_sort_unique(list, n);
}

bl_status bl_structure_find_locked(bl_arena *arena, const bl_chain *chain, bl_structure_group *group) {
    int size = chain->dim == 3 ? 6 : 3;
    inner_pairs x = {0};
    group->nlocked = 0;
    if (group->nlink < 2 || group->nlink > topology_locked_links || (group->nlink == 2 && group->npair <= 3 && group->inputs == 0))
        return BL_OK;
    BL_TRY(collect(arena, chain, group, &x));
    bl_index *best;
    bl_index *list;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(best, group->nlink), BL_ARRAY(list, group->nlink + group->npair * BL_PAIR_LINKS)));
    for (bl_index held = 0; held < group->nlink; held++) {
        bl_parts parts;
        for (bl_index i = 0; i < group->nlink; i++)
            x.room[i] = i == held ? 0 : size;
        bl_status status = bl_parts_find(arena->ctx, &x.in, &parts);
        bl_index n = status == BL_OK && parts.nsurplus > 0 ? reach(&x.in, &parts, list) : 0;
        if (n > 0 && (group->nlocked == 0 || n < group->nlocked)) { /* the smallest set is the most informative */
            for (bl_index i = 0; i < n; i++)
                best[i] = group->link[list[i]];
            group->nlocked = n;
            group->excess = (int)parts.nsurplus;
        }
        bl_parts_free(arena->ctx, &parts);
        BL_TRY(status);
    }
    group->locked = best;
    return BL_OK;
}
