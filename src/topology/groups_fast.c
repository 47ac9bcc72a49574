/* Groups in polynomial time: three (in space six) unknowns per moving link, the equations of the pairs, assigned to links
 * (sparse/parts.h); strong components are the groups. A set of links is tight, as many equations as unknowns, exactly when its equations
 * are the ones assigned to it, so the smallest tight sets are the components that depend on solved links only. Those are taken smallest
 * first, then by the number of their first link, which is the order of the search (groups_search.c). */
#include "topology/groups.h"

#include "sparse/parts.h"

#include <string.h>

bl_status bl_groups_make(bl_arena *arena, const bl_chain *chain, bl_groups *groups) {
    size_t n = (size_t)chain->nlink;
    memset(groups, 0, sizeof *groups);
    return BL_ARENA_ARRAYS(arena, BL_ARRAY(groups->ptr, n + 1), BL_ARRAY(groups->link, n), BL_ARRAY(groups->group_of, n),
                           BL_ARRAY(groups->spare, n), BL_ARRAY(groups->state, n));
}

/* The links of the chain as nodes 0 .. nlink-2 (the frame has no unknowns), its pairs as edges, nearest to the frame first. */
typedef struct problem {
    const bl_chain *chain;
    bl_incidence incidence;
    bl_parts_input in;
    bl_parts parts;
    bl_index *pair;                   /* [nedge] */
    bl_index *begin, *member;         /* nodes of part p, ascending: member[begin[p]] .. */
    bl_index *wait;                   /* [npart] number of references of its equations to unsolved parts */
    uint8_t *state;                   /* [npart] bl_link_state; SOLVED only when it is solved */
    bool *solved;                     /* [npart] */
    bl_index *heap, nheap;            /* parts that depend on solved links only */
    bl_index *surplus_edge, nsurplus; /* edges with more equations than unknowns available */
} problem;

static bl_status write_edges(bl_arena *arena, problem *p) {
    const bl_chain *chain = p->chain;
    bl_spanning_tree tree;
    size_t n = (size_t)chain->nlink, m = (size_t)chain->npair;
    bl_index *room = bl_arena_alloc(arena, n, sizeof *room), *weight = bl_arena_alloc(arena, m, sizeof *weight);
    bl_index *ptr = bl_arena_alloc(arena, m + 1, sizeof *ptr), *node = bl_arena_alloc(arena, m * BL_PAIR_LINKS, sizeof *node);
    bool *done = bl_arena_alloc(arena, m, sizeof *done);
    p->pair = bl_arena_alloc(arena, m, sizeof *p->pair);
    if (!room || !weight || !ptr || !node || !done || !p->pair)
        return BL_E_MEMORY;
    BL_TRY(bl_incidence_find(arena, chain, &p->incidence));
    BL_TRY(bl_spanning_tree_find(arena, chain, &p->incidence, &tree));
    bl_index nedge = 0;
    for (bl_index k = 0; k < chain->nlink; k++)
        for (bl_index u = tree.order[k], i = p->incidence.begin[u]; i < p->incidence.begin[u + 1]; i++) {
            bl_index q = p->incidence.pair[i], link[BL_PAIR_LINKS];
            if (done[q])
                continue;
            done[q] = true;
            p->pair[nedge] = q;
            weight[nedge] = bl_pair_rows(chain->dim, &chain->pair[q]);
            ptr[nedge + 1] = ptr[nedge];
            for (bl_index j = 0, nlink = bl_pair_links(chain, q, link); j < nlink; j++)
                if (link[j] > 0)
                    node[ptr[nedge + 1]++] = link[j] - 1;
            nedge++;
        }
    for (size_t i = 0; i < n; i++)
        room[i] = chain->dim == 3 ? 6 : 3;
    p->in = (bl_parts_input){.nnode = chain->nlink - 1, .nedge = nedge, .room = room, .weight = weight, .ptr = ptr, .node = node};
    return BL_OK;
}

static bl_status list_members(bl_arena *arena, problem *p) {
    size_t npart = (size_t)p->parts.npart;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(p->begin, npart + 2), BL_ARRAY(p->member, p->in.nnode), BL_ARRAY(p->wait, npart),
                           BL_ARRAY(p->state, npart), BL_ARRAY(p->solved, npart), BL_ARRAY(p->heap, npart),
                           BL_ARRAY(p->surplus_edge, p->in.nedge)));
    for (bl_index i = 0; i < p->in.nnode; i++)
        p->begin[p->parts.part[i] + 2]++;
    for (size_t k = 0; k < npart; k++)
        p->begin[k + 2] += p->begin[k + 1];
    for (bl_index i = 0; i < p->in.nnode; i++)
        p->member[p->begin[p->parts.part[i] + 1]++] = i;
    for (bl_index e = 0; e < p->in.nedge; e++)
        if (p->parts.surplus[e] > 0)
            p->surplus_edge[p->nsurplus++] = e;
    return BL_OK;
}

/* calls visit(p, part of a node that an equation of edge e determines, part of another node it involves) */
static void each_reference(problem *p, bl_index e, void (*visit)(problem *, bl_index, bl_index)) {
    for (bl_index s = p->in.ptr[e]; s < p->in.ptr[e + 1]; s++)
        for (bl_index r = p->in.ptr[e]; p->parts.units[s] > 0 && r < p->in.ptr[e + 1]; r++) {
            bl_index fixed = p->parts.part[p->in.node[s]], touched = p->parts.part[p->in.node[r]];
            if (fixed != touched)
                visit(p, fixed, touched);
        }
}

/* ---- heap: smallest part first, then that of the smallest link */

static bool goes_first(const problem *p, bl_index a, bl_index b) {
    bl_index na = p->begin[a + 1] - p->begin[a], nb = p->begin[b + 1] - p->begin[b];
    return na != nb ? na < nb : p->member[p->begin[a]] < p->member[p->begin[b]];
}

static void swap(bl_index *a, bl_index *b) {
    bl_index keep = *a;
    *a = *b;
    *b = keep;
}

static void push(problem *p, bl_index part) {
    bl_index k = p->nheap++;
    for (p->heap[k] = part; k > 0 && goes_first(p, p->heap[k], p->heap[(k - 1) / 2]); k = (k - 1) / 2)
        swap(&p->heap[k], &p->heap[(k - 1) / 2]);
}

static bl_index pop(problem *p) {
    bl_index top = p->heap[0], k = 0;
    p->heap[0] = p->heap[--p->nheap];
    for (;;) {
        bl_index least = k;
        for (bl_index child = 2 * k + 1; child <= 2 * k + 2 && child < p->nheap; child++)
            if (goes_first(p, p->heap[child], p->heap[least]))
                least = child;
        if (least == k)
            return top;
        swap(&p->heap[k], &p->heap[least]);
        k = least;
    }
}

/* ---- part after part */

static void wait_for(problem *p, bl_index fixed, bl_index touched) {
    (void)touched;
    p->wait[fixed]++;
}

/* an excess equation involves only this part and solved ones, at least this part */
static bool is_over(const problem *p, bl_index part) {
    for (bl_index k = 0; k < p->nsurplus; k++) {
        bl_index e = p->surplus_edge[k];
        bool own = false, all = true;
        for (bl_index s = p->in.ptr[e]; s < p->in.ptr[e + 1]; s++) {
            bl_index other = p->parts.part[p->in.node[s]];
            own = own || other == part;
            all = all && (other == part || p->solved[other]);
        }
        if (own && all)
            return true;
    }
    return false;
}

static bool is_under(const problem *p, bl_index part) {
    for (bl_index i = p->begin[part]; i < p->begin[part + 1]; i++)
        if (p->parts.spare[p->member[i]] > 0)
            return true;
    return false;
}

/* some pair leads to the frame or to a solved link */
static bool is_anchored(const problem *p, bl_index part) {
    bl_index link[BL_PAIR_LINKS];
    for (bl_index i = p->begin[part]; i < p->begin[part + 1]; i++) {
        bl_index u = p->member[i] + 1;
        for (bl_index j = p->incidence.begin[u]; j < p->incidence.begin[u + 1]; j++)
            for (bl_index k = bl_pair_links(p->chain, p->incidence.pair[j], link); k-- > 0;)
                if (link[k] == 0 || p->solved[p->parts.part[link[k] - 1]])
                    return true;
    }
    return false;
}

/* edges of a solved part: other parts that depend on them wait for one reference less */
static void release(problem *p, bl_index part) {
    for (bl_index i = p->begin[part]; i < p->begin[part + 1]; i++) {
        bl_index u = p->member[i];
        for (bl_index j = p->parts.begin[u]; j < p->parts.begin[u + 1]; j++) {
            bl_index e = p->parts.edge[p->parts.slot[j]];
            for (bl_index s = p->in.ptr[e]; s < p->in.ptr[e + 1]; s++) {
                bl_index other = p->parts.part[p->in.node[s]];
                if (p->parts.units[s] > 0 && other != part && --p->wait[other] == 0)
                    push(p, other);
            }
        }
    }
}

static void solve_parts(problem *p, bl_groups *groups) {
    for (bl_index e = 0; e < p->in.nedge; e++)
        each_reference(p, e, wait_for);
    for (bl_index k = 0; k < p->parts.npart; k++)
        if (p->wait[k] == 0)
            push(p, k);
    while (p->nheap > 0) {
        bl_index part = pop(p), at = groups->ptr[groups->ngroup];
        p->state[part] = is_under(p, part)       ? BL_LINK_UNDER
                         : is_over(p, part)      ? BL_LINK_OVER
                         : !is_anchored(p, part) ? BL_LINK_LOOSE
                                                 : BL_LINK_SOLVED;
        p->solved[part] = p->state[part] == BL_LINK_SOLVED;
        if (!p->solved[part])
            continue;
        groups->ngroup++;
        for (bl_index i = p->begin[part]; i < p->begin[part + 1]; i++) {
            groups->link[at++] = p->member[i] + 1;
            groups->group_of[p->member[i] + 1] = groups->ngroup;
        }
        groups->ptr[groups->ngroup] = at;
        release(p, part);
    }
}

/* ---- why links are left over: parts are in an order in which each follows those it depends on */

static void inherit(problem *p, bl_index fixed, bl_index touched) {
    if (p->solved[touched])
        return;
    if (p->state[touched] == BL_LINK_UNDER)
        p->state[fixed] = BL_LINK_UNDER; /* it could pass the degree of freedom on: which link has it is arbitrary */
    else if (p->state[fixed] == BL_LINK_SOLVED)
        p->state[fixed] = BL_LINK_BLOCKED;
}

static void explain(problem *p, bl_groups *groups) {
    for (bl_index part = 0; part < p->parts.npart; part++) {
        if (p->solved[part])
            continue;
        if (p->state[part] == BL_LINK_SOLVED && is_under(p, part))
            p->state[part] = BL_LINK_UNDER;
        for (bl_index i = p->begin[part]; i < p->begin[part + 1]; i++) {
            bl_index u = p->member[i];
            for (bl_index j = p->parts.begin[u]; j < p->parts.begin[u + 1]; j++)
                if (p->parts.units[p->parts.slot[j]] > 0)
                    each_reference(p, p->parts.edge[p->parts.slot[j]], inherit);
        }
    }
    for (bl_index i = 0; i < p->in.nnode; i++) {
        groups->state[i + 1] = p->state[p->parts.part[i]];
        groups->spare[i + 1] = p->parts.spare[i];
    }
}

static bl_status find(bl_arena *arena, problem *p, bl_groups *groups) {
    BL_TRY(write_edges(arena, p));
    BL_TRY(bl_parts_find(arena->ctx, &p->in, &p->parts));
    BL_TRY(list_members(arena, p));
    groups->ngroup = 0;
    for (bl_index i = 1; i < p->chain->nlink; i++)
        groups->group_of[i] = -1;
    solve_parts(p, groups);
    explain(p, groups);
    return BL_OK;
}

bl_status bl_groups_fast(bl_arena *arena, const bl_chain *chain, bl_groups *groups, bl_index *surplus) {
    problem p = {.chain = chain};
    bl_status status = find(arena, &p, groups);
    *surplus = p.parts.nsurplus;
    bl_parts_free(arena->ctx, &p.parts);
    return status;
}
