/* A chain as a graph: pairs of each link, connected pieces, distance from the frame. */
#include "topology/groups.h"

bl_index bl_pair_links(const bl_chain *chain, bl_index p, bl_index link[BL_PAIR_LINKS]) {
    const bl_chain_pair *pair = &chain->pair[p];
    bl_index n = 0;
    if (pair->inputs == 0 && pair->dof == (chain->dim == 3 ? 6 : 3))
        return 0;
    for (int k = 0; k < BL_PAIR_LINKS; k++) {
        bl_index one = k < 2 ? pair->link[k] : pair->via[k - 2];
        bool known = one < 0;
        for (bl_index i = 0; i < n; i++)
            known = known || link[i] == one;
        if (!known)
            link[n++] = one;
    }
    return n;
}

int bl_pair_code(int dim, const bl_chain_pair *pair) {
    if (dim != 2 || pair->dof < 1 || pair->dof > 2 || pair->inputs > pair->dof)
        return -1;
    static const int code[2][3] = {{1, 3, -1}, {2, 4, 5}};
    return code[pair->dof - 1][pair->inputs];
}

bl_status bl_incidence_find(bl_arena *arena, const bl_chain *chain, bl_incidence *incidence) {
    bl_index link[BL_PAIR_LINKS], n = chain->nlink;
    bl_index *begin;
    bl_index *pair;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(begin, n + 2), BL_ARRAY(pair, (size_t)chain->npair * BL_PAIR_LINKS)));
    for (bl_index p = 0; p < chain->npair; p++)
        for (bl_index k = bl_pair_links(chain, p, link); k-- > 0;)
            begin[link[k] + 2]++;
    for (bl_index i = 0; i < n; i++)
        begin[i + 2] += begin[i + 1];
    /* begin[i + 1] is the next free index of link i during filling, and ends where the next link starts */
    for (bl_index p = 0; p < chain->npair; p++)
        for (bl_index k = bl_pair_links(chain, p, link); k-- > 0;)
            pair[begin[link[k] + 1]++] = p;
    *incidence = (bl_incidence){begin, pair};
    return BL_OK;
}

static void grow_from(const bl_chain *chain, const bl_incidence *incidence, bl_index root, bl_spanning_tree *s, bl_index *reached) {
    bl_index head = *reached, link[BL_PAIR_LINKS];
    s->piece[root] = s->npiece;
    s->order[(*reached)++] = root;
    while (head < *reached) {
        bl_index u = s->order[head++];
        for (bl_index i = incidence->begin[u]; i < incidence->begin[u + 1]; i++)
            for (bl_index k = 0, n = bl_pair_links(chain, incidence->pair[i], link); k < n; k++)
                if (s->piece[link[k]] < 0) {
                    s->piece[link[k]] = s->npiece;
                    s->level[link[k]] = s->level[u] + 1;
                    s->parent[link[k]] = incidence->pair[i];
                    s->order[(*reached)++] = link[k];
                }
    }
    s->npiece++;
}

bl_status bl_spanning_tree_find(bl_arena *arena, const bl_chain *chain, const bl_incidence *incidence, bl_spanning_tree *tree) {
    bl_index n = chain->nlink, reached = 0;
    *tree = (bl_spanning_tree){0};
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(tree->piece, n), BL_ARRAY(tree->level, n), BL_ARRAY(tree->parent, n), BL_ARRAY(tree->order, n)));
    for (bl_index i = 0; i < n; i++)
        tree->piece[i] = tree->parent[i] = -1;
    for (bl_index i = 0; i < chain->nlink; i++)
        if (tree->piece[i] < 0)
            grow_from(chain, incidence, i, tree, &reached);
    return BL_OK;
}
