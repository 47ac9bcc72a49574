/* The search over all chains. After every group found it starts again with single links: connected sets of unsolved links by size, each
 * once (rooted at its smallest link, extended by exclusive neighbors: Wernicke 2006), the first in lexicographic order that satisfies the
 * law
 *
 *     S_C - n_C = 3 (P - N_m),   that is   3 N_m = number of equations of its pairs, inside it and to solved links
 *
 * and has a pair with a solved link. A set that contains a smaller one with more equations than unknowns is not a group: the sum then
 * balances a surplus against degrees of freedom elsewhere, and neither can be solved. */
#include "topology/groups.h"

#include <string.h>

typedef struct searcher {
    const bl_chain *chain;
    bl_context *ctx;
    int per_link;
    bl_index nlink;
    uint64_t *neighbors; /* [nlink] neighbors of a moving link */
    uint64_t *pair_mask; /* [npair] */
    bl_index *rows;      /* [npair] */
    uint64_t unsolved, candidates;
    int set_size;   /* links of the sets that are examined now */
    uint64_t found; /* the best of this size and root */
    uint64_t *negative;
    bl_index nnegative, negative_room; /* sets with too many equations, at this stage */
    long sets_left;
    bl_status status;
} searcher;

static uint64_t bit(bl_index link) { return (uint64_t)1 << link; }

/* does the ascending list of a come before that of b? Both have the same number of links: the one with the first differing link */
static bool comes_before(uint64_t a, uint64_t b) {
    uint64_t differ = a ^ b;
    return (differ & (~differ + 1)) & a;
}

static long unknowns_less_equations(const searcher *s, uint64_t set) {
    long sum = (long)s->per_link * __builtin_popcountll(set);
    for (bl_index p = 0; p < s->chain->npair; p++)
        if ((s->pair_mask[p] & set) && !(s->pair_mask[p] & s->unsolved & ~set))
            sum -= s->rows[p];
    return sum;
}

static bool holds_surplus(const searcher *s, uint64_t set) {
    for (bl_index i = 0; i < s->nnegative; i++)
        if (!(s->negative[i] & ~set))
            return true;
    return false;
}

static void examine(searcher *s, uint64_t set) {
    if (s->sets_left-- <= 0)
        return;
    long spare = unknowns_less_equations(s, set);
    if (spare < 0 && !holds_surplus(s, set)) { /* the smallest ones are sufficient */
        bl_status status = BL_RESERVE(s->ctx, s->negative, s->negative_room, s->nnegative + 1);
        if (status == BL_OK)
            s->negative[s->nnegative++] = set;
        else
            s->status = status;
    } else if (spare == 0 && (set & s->candidates) && (!s->found || comes_before(set, s->found)) && !holds_surplus(s, set))
        s->found = set;
}

/* sets that contain `set`, otherwise only links of `more` and their neighbors; closed: the set and all its neighbors */
static void grow(searcher *s, uint64_t set, uint64_t more, uint64_t closed, uint64_t above) {
    if (__builtin_popcountll(set) == s->set_size) {
        examine(s, set);
        return;
    }
    while (more && s->sets_left > 0 && s->status == BL_OK) {
        bl_index next = __builtin_ctzll(more);
        more &= more - 1;
        grow(s, set | bit(next), more | (s->neighbors[next] & ~closed & above), closed | s->neighbors[next] | bit(next), above);
    }
}

static uint64_t next_group(searcher *s) {
    s->found = 0;
    s->nnegative = 0;
    int most = __builtin_popcountll(s->unsolved);
    for (s->set_size = 1; s->set_size <= most; s->set_size++)
        for (bl_index root = 1; root < s->nlink && s->sets_left > 0 && s->status == BL_OK; root++) {
            if (!(s->unsolved & bit(root)))
                continue;
            uint64_t above = s->unsolved & ~(bit(root) | (bit(root) - 1));
            grow(s, bit(root), s->neighbors[root] & above, s->neighbors[root] | bit(root), above);
            if (s->found) /* sets with larger roots come later */
                return s->found;
        }
    return 0;
}

static void find_candidates(searcher *s) {
    s->candidates = 0;
    for (bl_index p = 0; p < s->chain->npair; p++) {
        if (s->pair_mask[p] & ~s->unsolved) /* the frame is solved from the start */
            s->candidates |= s->pair_mask[p] & s->unsolved;
    }
}

static bl_status prepare(searcher *s, bl_arena *arena) {
    const bl_chain *chain = s->chain;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(s->neighbors, chain->nlink), BL_ARRAY(s->pair_mask, chain->npair),
                           BL_ARRAY(s->rows, chain->npair)));
    for (bl_index p = 0; p < chain->npair; p++) {
        bl_index link[BL_PAIR_LINKS], n = bl_pair_links(chain, p, link);
        s->rows[p] = bl_pair_rows(chain->dim, &chain->pair[p]);
        for (bl_index i = 0; i < n; i++)
            s->pair_mask[p] |= bit(link[i]);
        for (bl_index i = 0; i < n; i++)
            s->neighbors[link[i]] |= s->pair_mask[p] & ~bit(link[i]) & ~bit(0);
    }
    for (bl_index i = 1; i < chain->nlink; i++)
        s->unsolved |= bit(i);
    return BL_OK;
}

bl_status bl_groups_search(bl_arena *arena, const bl_chain *chain, long budget, bl_groups *groups, bool *finished) {
    searcher s = {.chain = chain, .ctx = arena->ctx, .per_link = chain->dim == 3 ? 6 : 3, .nlink = chain->nlink, .sets_left = budget};
    *finished = false;
    if (chain->nlink - 1 > BL_SEARCH_LINKS) {
        bl_fail(arena->ctx, BL_E_ABILITY, NULL, "the search over all chains is limited to %d moving links, found %d", BL_SEARCH_LINKS,
                chain->nlink - 1);
        bl_advise(arena->ctx, "use the fast method, which finds the same groups");
        return BL_E_ABILITY;
    }
    BL_TRY(prepare(&s, arena));
    groups->ngroup = 0;
    for (bl_index i = 1; i < chain->nlink; i++)
        groups->group_of[i] = -1;
    for (uint64_t set = 1; set && s.unsolved && s.status == BL_OK;) {
        find_candidates(&s);
        set = next_group(&s);
        if (!set)
            break;
        bl_index at = groups->ptr[groups->ngroup++];
        for (bl_index i = 1; i < chain->nlink; i++)
            if (set & bit(i)) {
                groups->link[at++] = i;
                groups->group_of[i] = groups->ngroup;
            }
        groups->ptr[groups->ngroup] = at;
        s.unsolved &= ~set;
    }
    *finished = s.sets_left > 0;
    bl_free(s.ctx, s.negative);
    return s.status;
}
