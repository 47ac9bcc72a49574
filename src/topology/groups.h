/* groups: smallest sets of links that can be solved one after another, by two methods. Private to this room. */
#ifndef BL_TOPOLOGY_GROUPS_H
#define BL_TOPOLOGY_GROUPS_H

#include "base/base.h"
#include "biela/structure.h"

/* Equations of a pair, including inputs and passive degrees of freedom. */
static inline bl_index bl_pair_rows(int dim, const bl_chain_pair *pair) {
    bl_index rows = (dim == 3 ? 6 : 3) - pair->dof + pair->inputs - pair->repeated + pair->passive;
    return rows > 0 ? rows : 0;
}
enum { BL_PAIR_LINKS = 2 + BL_PAIR_VIA };
/* Links that the equations of pair p involve, each once, the frame included; returns their number. */
bl_index bl_pair_links(const bl_chain *chain, bl_index p, bl_index link[BL_PAIR_LINKS]);

/* Pairs of each link: pair[begin[link]] .. pair[begin[link+1]-1], ascending. Memory of the arena. */
typedef struct bl_incidence {
    bl_index *begin, *pair;
} bl_incidence;
bl_status bl_incidence_find(bl_arena *arena, const bl_chain *chain, bl_incidence *incidence);

/* A spanning tree, breadth first from the frame, then from the first link of every other piece. Memory of the arena. */
typedef struct bl_spanning_tree {
    bl_index npiece;
    bl_index *piece;  /* [nlink] */
    bl_index *level;  /* [nlink] number of pairs to the frame, or to the first link of the piece */
    bl_index *parent; /* [nlink] pair that leads there; -1: none */
    bl_index *order;  /* [nlink] links in the order in which they were reached */
} bl_spanning_tree;
bl_status bl_spanning_tree_find(bl_arena *arena, const bl_chain *chain, const bl_incidence *incidence, bl_spanning_tree *tree);

typedef struct bl_groups {
    bl_index ngroup;
    bl_index *ptr, *link; /* links of group k, ascending: link[ptr[k]] .. link[ptr[k+1]-1] */
    bl_index *group_of;   /* [nlink] from 1; 0: the frame, -1: left over */
    uint8_t *state;       /* [nlink] bl_link_state */
    bl_index *spare;      /* [nlink] unknowns that no equation determines */
} bl_groups;

/* Memory of *groups is from the arena. */
bl_status bl_groups_make(bl_arena *arena, const bl_chain *chain, bl_groups *groups);

/* Polynomial: exact unless there are more equations than unknowns somewhere; then sets become groups as soon as they are tight, with the
 * equations nearest to the frame assigned first. *surplus: number of excess equations. */
bl_status bl_groups_fast(bl_arena *arena, const bl_chain *chain, bl_groups *groups, bl_index *surplus);
/* Every connected set of links by size, in lexicographic order, until one satisfies the law; repeated. Fills group_of, ptr, link only.
 * *finished false: `budget` sets were examined before the end. At most BL_SEARCH_LINKS moving links. */
enum { BL_SEARCH_LINKS = 62 };
bl_status bl_groups_search(bl_arena *arena, const bl_chain *chain, long budget, bl_groups *groups, bool *finished);

#endif
