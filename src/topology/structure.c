/* The report of a chain: groups and their composition, links left over, pieces, loops of a spanning tree, the matrix of results. */
#include "base/sized.h"
#include "topology/structure_private.h"
#include "topology/topology_limits.h"

#include <stdlib.h>
#include <string.h>

typedef struct builder {
    bl_context *ctx;
    const bl_chain *chain;
    bl_arena *arena;
    bl_incidence incidence;
    bl_spanning_tree tree;
    bl_groups groups;
    bl_structure_report *report;
} builder;

static void *allocate(builder *b, bl_index count, size_t size) { return bl_arena_alloc(b->arena, (size_t)count, size); }

/* ---- validity of chains built by hand */

static bl_status check_chain(bl_context *ctx, const bl_chain *chain) {
    if (chain->dim != 2 && chain->dim != 3)
        return bl_fail(ctx, BL_E_ARG, NULL, "a chain has dimension 2 or 3, not %d", chain->dim);
    if (chain->nlink < 1 || chain->npair < 0 || (chain->npair > 0 && !chain->pair))
        return bl_fail(ctx, BL_E_ARG, NULL, "a chain has at least one link, the frame");
    for (bl_index p = 0; p < chain->npair; p++) {
        const bl_chain_pair *pair = &chain->pair[p];
        bl_index link[BL_PAIR_LINKS];
        if (pair->link[0] < 0 || pair->link[1] < 0)
            return bl_fail(ctx, BL_E_ARG, NULL, "pair %d does not join two links", p + 1);
        for (bl_index k = bl_pair_links(chain, p, link); k-- > 0;)
            if (link[k] >= chain->nlink)
                return bl_fail(ctx, BL_E_ARG, NULL, "pair %d joins link %d, but there are only %d links", p + 1, link[k] + 1, chain->nlink);
        if (pair->dof < 0 || pair->dof > (chain->dim == 3 ? 6 : 3) || pair->inputs < 0 || pair->repeated < 0 || pair->passive < 0)
            return bl_fail(ctx, BL_E_ARG, NULL, "pair %d has invalid counts: %d degrees of freedom, %d inputs", p + 1, pair->dof,
                           pair->inputs);
    }
    return BL_OK;
}

/* ---- groups */

/* The fast method; if there are too many equations somewhere, the result depends on which set becomes a group first, and the search
 * decides unless it exceeds its budget. */
static bl_status find_groups(builder *b, bl_structure_method method) {
    bool finished = false;
    bl_index surplus = 0;
    bl_groups *groups = &b->groups;
    BL_TRY(bl_groups_make(b->arena, b->chain, groups));
    BL_TRY(bl_groups_fast(b->arena, b->chain, groups, &surplus));
    bool search = method == BL_STRUCTURE_SEARCH || (surplus > 0 && b->chain->nlink - 1 <= BL_SEARCH_LINKS);
    b->report->method = BL_STRUCTURE_FAST;
    if (!search)
        return BL_OK;
    bl_groups found = *groups;
    BL_TRY(bl_groups_make(b->arena, b->chain, &found));
    BL_TRY(bl_groups_search(b->arena, b->chain, method == BL_STRUCTURE_SEARCH ? INT32_MAX : (int32_t)topology_search, &found, &finished));
    if (!finished)
        return BL_OK;
    b->report->method = method;
    for (bl_index i = 1; i < b->chain->nlink; i++) {
        if (found.group_of[i] > 0)
            groups->state[i] = BL_LINK_SOLVED;
        else if (groups->state[i] == BL_LINK_SOLVED)
            groups->state[i] = BL_LINK_BLOCKED;
    }
    groups->ngroup = found.ngroup;
    groups->ptr = found.ptr;
    groups->link = found.link;
    groups->group_of = found.group_of;
    return BL_OK;
}

/* number of the group in which the pair is solved: the last of its links; 0: frame only, -1: never */
static bl_index solved_in(const builder *b, bl_index pair) {
    bl_index link[BL_PAIR_LINKS], last = 0;
    for (bl_index k = bl_pair_links(b->chain, pair, link); k-- > 0;) {
        bl_index group = b->groups.group_of[link[k]];
        if (group < 0)
            return -1;
        last = group > last ? group : last;
    }
    return last;
}

static int compare(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x > y) - (x < y);
}

bl_index bl_sort_unique(bl_index *list, bl_index n) {
    bl_index kept = 0;
    qsort(list, (size_t)n, sizeof *list, compare);
    for (bl_index i = 0; i < n; i++)
        if (i == 0 || list[i] != list[i - 1])
            list[kept++] = list[i];
    return kept;
}

static bl_status describe_group(builder *b, bl_index number, bl_index npair, const bl_index *pair, bl_structure_group *group) {
    const bl_chain *chain = b->chain;
    int per_link = chain->dim == 3 ? 6 : 3;
    bl_index link[BL_PAIR_LINKS];
    group->nlink = b->groups.ptr[number] - b->groups.ptr[number - 1];
    group->link = b->groups.link + b->groups.ptr[number - 1];
    group->npair = npair;
    group->pair = pair;
    group->mobility = per_link * (int)group->nlink;
    bl_index *from = allocate(b, npair * BL_PAIR_LINKS, sizeof *from);
    if (!from)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < npair; i++) {
        group->mobility -= per_link - chain->pair[pair[i]].dof;
        group->inputs += chain->pair[pair[i]].inputs;
        for (bl_index k = bl_pair_links(chain, pair[i], link); k-- > 0;)
            if (b->groups.group_of[link[k]] != number)
                from[group->nfrom++] = b->groups.group_of[link[k]];
    }
    group->nfrom = bl_sort_unique(from, group->nfrom);
    group->from = from;
    bl_structure_name_group(chain, group);
    return bl_structure_find_locked(b->arena, chain, group);
}

static bl_status describe_groups(builder *b) {
    bl_index n = b->groups.ngroup, npair = b->chain->npair;
    bl_structure_group *group = allocate(b, n, sizeof *group);
    bl_index *begin = allocate(b, n + 3, sizeof *begin), *pair = allocate(b, npair, sizeof *pair);
    if (!group || !begin || !pair)
        return BL_E_MEMORY;
    for (bl_index p = 0; p < npair; p++) {
        bl_index in = solved_in(b, p);
        if (in >= 0)
            begin[in + 2]++;
    }
    for (bl_index k = 0; k <= n; k++)
        begin[k + 2] += begin[k + 1];
    for (bl_index p = 0; p < npair; p++) {
        bl_index in = solved_in(b, p);
        if (in >= 0)
            pair[begin[in + 1]++] = p;
    }
    for (bl_index k = 1; k <= n; k++)
        BL_TRY(describe_group(b, k, begin[k + 1] - begin[k], pair + begin[k], &group[k - 1]));
    b->report->ngroup = n;
    b->report->group = group;
    b->report->group_of = b->groups.group_of;
    return BL_OK;
}

/* ---- links left over: connected links of one state */

static bool is_in(const bl_structure_remain *set, bl_index link) {
    return bsearch(&link, set->link, (size_t)set->nlink, sizeof link, compare) != NULL;
}

/* degrees of freedom without input, or excess equations inside the set and to solved links */
static void count_remain(const builder *b, bl_structure_remain *set) {
    const bl_chain *chain = b->chain;
    bl_index link[BL_PAIR_LINKS], spare = 0, over = -set->nlink * (chain->dim == 3 ? 6 : 3);
    for (bl_index i = 0; i < set->nlink; i++) {
        bl_index u = set->link[i];
        spare += b->groups.spare[u];
        for (bl_index j = b->incidence.begin[u]; j < b->incidence.begin[u + 1]; j++) {
            const bl_chain_pair *pair = &chain->pair[b->incidence.pair[j]];
            bool counts = true; /* counted at its first link in the set */
            for (bl_index k = bl_pair_links(chain, b->incidence.pair[j], link); k-- > 0;) {
                bool own = is_in(set, link[k]);
                counts = counts && (own ? link[k] >= u : b->groups.group_of[link[k]] >= 0);
            }
            over += counts ? bl_pair_rows(chain->dim, pair) : 0;
        }
    }
    if (set->state != BL_LINK_UNDER && over > 0)
        set->state = BL_LINK_OVER;
    set->amount = (int)(set->state == BL_LINK_UNDER ? spare : set->state == BL_LINK_OVER ? over : 0);
}

static bl_status describe_remaining(builder *b) {
    const bl_chain *chain = b->chain;
    bl_structure_report *report = b->report;
    bl_index n = chain->nlink, left = 0, link[BL_PAIR_LINKS];
    bl_index *remaining = allocate(b, n, sizeof *remaining), *list = allocate(b, n, sizeof *list);
    bl_structure_remain *remain = allocate(b, n, sizeof *remain);
    bool *seen = allocate(b, n, sizeof *seen);
    if (!remaining || !list || !remain || !seen)
        return BL_E_MEMORY;
    for (bl_index i = 1; i < n; i++)
        if (b->groups.group_of[i] < 0)
            remaining[left++] = i;
    bl_index used = 0;
    for (bl_index r = 0; r < left; r++) {
        if (seen[remaining[r]])
            continue;
        bl_structure_remain *one = &remain[report->nremain++];
        bl_index first = used;
        one->state = (bl_link_state)b->groups.state[remaining[r]];
        seen[list[used++] = remaining[r]] = true;
        for (bl_index head = first; head < used; head++)
            for (bl_index u = list[head], i = b->incidence.begin[u]; i < b->incidence.begin[u + 1]; i++)
                for (bl_index k = bl_pair_links(chain, b->incidence.pair[i], link); k-- > 0;)
                    if (link[k] > 0 && !seen[link[k]] && b->groups.group_of[link[k]] < 0 && b->groups.state[link[k]] == b->groups.state[u])
                        seen[list[used++] = link[k]] = true;
        one->link = list + first;
        one->nlink = bl_sort_unique(list + first, used - first);
        count_remain(b, one);
        bl_structure_describe_remain(chain, one);
    }
    report->remaining = remaining;
    report->nremaining = left;
    report->remain = remain;
    report->complete = left == 0;
    return BL_OK;
}

/* ---- the matrix of results */

static bl_status write_result(builder *b) {
    bl_index n = b->chain->nlink;
    if (n > topology_result_links)
        return BL_OK;
    bl_index *result = allocate(b, n * n, sizeof *result);
    if (!result)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < n; i++)
        result[i] = b->groups.group_of[i] > 0 ? b->groups.group_of[i] : 0;
    for (bl_index p = 0; p < b->chain->npair; p++)
        for (int side = 0; side < 2; side++) {
            bl_index from = b->chain->pair[p].link[side], to = b->chain->pair[p].link[1 - side];
            bl_index before = b->groups.group_of[from], after = b->groups.group_of[to];
            if (to == 0 || before < 0 || (after > 0 && after <= before))
                continue;
            bl_index *cell = &result[(before + 1) * n + to];
            *cell = before == 0 ? 1 : from + 1 > *cell ? from + 1 : *cell;
        }
    b->report->result = result;
    return BL_OK;
}

/* ---- loops of the spanning tree */

/* up[u]: the link on the other side of the pair that leads from u toward the frame */
static void find_above(const builder *b, bl_index *up) {
    bl_index link[BL_PAIR_LINKS];
    for (bl_index u = 0; u < b->chain->nlink; u++) {
        up[u] = -1;
        if (b->tree.parent[u] < 0)
            continue;
        for (bl_index k = bl_pair_links(b->chain, b->tree.parent[u], link); k-- > 0;)
            if (b->tree.level[link[k]] == b->tree.level[u] - 1)
                up[u] = link[k];
    }
}

/* pairs around the loop that pair p closes, from its second link to its first, itself last; out NULL: only counts */
static bl_index walk_loop(const builder *b, const bl_index *up, bl_index p, bl_index *out) {
    const bl_index *level = b->tree.level, *parent = b->tree.parent;
    bl_index first = b->chain->pair[p].link[0], u = b->chain->pair[p].link[1], w = first, from_second = 0, from_first = 0;
    while (u != w)
        if (level[u] >= level[w]) {
            if (out)
                out[from_second] = parent[u];
            from_second++;
            u = up[u];
        } else {
            from_first++;
            w = up[w];
        }
    if (out) {
        w = first;
        for (bl_index k = from_second + from_first - 1; k >= from_second; k--, w = up[w])
            out[k] = parent[w];
        out[from_second + from_first] = p;
    }
    return from_second + from_first + 1;
}

static bool closes_loop(const builder *b, bl_index p) {
    bl_index link[BL_PAIR_LINKS], n = bl_pair_links(b->chain, p, link);
    bool in_tree = n < 2;
    for (bl_index k = 0; k < n; k++)
        in_tree = in_tree || b->tree.parent[link[k]] == p;
    return !in_tree;
}

static bl_status find_loops(builder *b) {
    bl_structure_report *report = b->report;
    bl_index total = 0, n = 0;
    bl_index *up = allocate(b, b->chain->nlink, sizeof *up);
    if (!up)
        return BL_E_MEMORY;
    find_above(b, up);
    for (bl_index p = 0; p < b->chain->npair; p++)
        if (closes_loop(b, p)) {
            n++;
            total += (double)total < topology_loop_pairs ? walk_loop(b, up, p, NULL) : 0;
        }
    report->nloop = n;
    report->npiece = b->tree.npiece;
    report->piece = b->tree.piece;
    report->parent = b->tree.parent;
    if ((double)total >= topology_loop_pairs)
        return BL_OK;
    bl_index *ptr = allocate(b, n + 1, sizeof *ptr), *loop = allocate(b, total, sizeof *loop);
    if (!ptr || !loop)
        return BL_E_MEMORY;
    n = 0;
    for (bl_index p = 0; p < b->chain->npair; p++)
        if (closes_loop(b, p)) {
            ptr[n + 1] = ptr[n] + walk_loop(b, up, p, loop + ptr[n]);
            n++;
        }
    report->loop_ptr = ptr;
    report->loop = loop;
    return BL_OK;
}

static bl_status build(builder *b, bl_structure_method method) {
    const bl_chain *chain = b->chain;
    int per_link = chain->dim == 3 ? 6 : 3;
    b->report->mobility = per_link * (int)(chain->nlink - 1);
    for (bl_index p = 0; p < chain->npair; p++) {
        b->report->mobility -= per_link - chain->pair[p].dof;
        b->report->inputs += chain->pair[p].inputs;
    }
    BL_TRY(bl_incidence_find(b->arena, chain, &b->incidence));
    BL_TRY(bl_spanning_tree_find(b->arena, chain, &b->incidence, &b->tree));
    BL_TRY(find_groups(b, method));
    BL_TRY(describe_groups(b));
    BL_TRY(describe_remaining(b));
    BL_TRY(write_result(b));
    return find_loops(b);
}

bl_status bl_structure(bl_context *ctx, const bl_chain *given, const bl_structure_options *options, bl_structure_report *report) {
    if (!ctx || !given || !report)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_structure needs a context, a chain and a report");
    bl_chain own, *chain = &own;
    bl_structure_options how;
    bl_structure_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_chain, given, chain));
    BL_TRY(BL_TAKE(ctx, bl_structure_options, options, &how));
    BL_TRY(BL_FITS(ctx, bl_structure_report, report));
    BL_GIVE(bl_structure_report, report, &made);
    BL_TRY(check_chain(ctx, chain));
    bl_arena *arena = NULL;
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    made.own = arena;
    builder b = {.ctx = ctx, .chain = chain, .arena = arena, .report = &made};
    bl_status status = build(&b, how.method);
    if (status != BL_OK)
        bl_structure_report_destroy(ctx, &made);
    BL_GIVE(bl_structure_report, report, &made);
    return status;
}

void bl_structure_report_destroy(bl_context *ctx, bl_structure_report *report) {
    if (report && report->own) {
        bl_arena_destroy(report->own);
        bl_free(ctx, report->own);
    }
    BL_CLEAR(bl_structure_report, report);
}
