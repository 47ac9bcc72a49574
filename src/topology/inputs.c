/* The same mechanism driven elsewhere: its inputs are removed, inputs as many as its mobility are assigned to pairs in all possible
 * combinations, and the groups of each choice are found. If there are too many, one input at a time is moved. */
#include "topology/groups.h"
#include "topology/topology_limits.h"

#include "base/sized.h"
#include "sparse/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
    bl_context *ctx;
    bl_arena *arena, scratch;
    const bl_chain *chain;
    bl_chain driven;     /* a copy with the inputs of a choice */
    bl_chain_pair *pair; /* its pairs */
    bl_index *room;      /* [npair] inputs a pair can take */
    bl_index *after;     /* [npair + 1] inputs that it and later pairs can take */
    bl_index *base;      /* [npair] inputs that are moved one at a time */
    bl_index ninput, limit;
    bl_structure_choice *choice; /* [limit + 1] */
    bl_index nchoice;
} trial;

/* ---- candidates */

static bl_status prepare(trial *t) {
    const bl_chain *chain = t->chain;
    size_t m = (size_t)chain->npair;
    int per_link = chain->dim == 3 ? 6 : 3;
    BL_TRY(BL_ARENA_ARRAYS(&t->scratch, BL_ARRAY(t->pair, m), BL_ARRAY(t->room, m), BL_ARRAY(t->after, m + 1), BL_ARRAY(t->base, m)));
    t->driven = *chain;
    t->driven.pair = t->pair;
    long mobility = (long)per_link * (chain->nlink - 1);
    for (bl_index p = chain->npair; p-- > 0;) {
        const bl_chain_pair *given = &chain->pair[p];
        t->pair[p] = *given;
        t->pair[p].inputs = 0;
        mobility -= bl_pair_rows(chain->dim, &t->pair[p]);
        /* a relation inside one pair, or a driver of something that is not a pair, keeps its inputs or gets none */
        t->room[p] = given->link[0] != given->link[1] && given->dof < per_link ? given->dof : 0;
        t->room[p] = given->inputs > t->room[p] ? given->inputs : t->room[p];
        t->after[p] = t->after[p + 1] + t->room[p];
    }
    t->ninput = (bl_index)(mobility < 0 ? 0 : mobility > t->after[0] ? t->after[0] : mobility);
    long each = (long)chain->nlink + chain->npair + t->ninput;
    t->limit = (bl_index)fmax(topology_choices_least, fmin(floor(topology_choices_work / (double)each), topology_choices));
    return BL_ARENA_NEW(t->arena, t->choice, t->limit + 1);
}

/* ---- choices: lists of pairs, ascending */

static bl_index *add_choice(trial *t) {
    bl_index *pair = bl_arena_alloc(t->arena, (size_t)t->ninput, sizeof *pair);
    if (pair)
        t->choice[t->nchoice++] = (bl_structure_choice){.ninput = t->ninput, .pair = pair};
    return pair;
}

static bl_status add_counts(trial *t, const bl_index *inputs) {
    bl_index *pair = add_choice(t), n = 0;
    if (!pair)
        return BL_E_MEMORY;
    for (bl_index p = 0; p < t->chain->npair; p++)
        for (bl_index k = 0; k < inputs[p]; k++)
            pair[n++] = p;
    return BL_OK;
}

/* the first pairs from `at` on that take the inputs from the k-th on; false: impossible */
static bool fill(const trial *t, bl_index *pair, bl_index k, bl_index at) {
    if (t->after[at] < t->ninput - k)
        return false;
    for (bl_index p = at; k < t->ninput; p++)
        for (bl_index i = 0; i < t->room[p] && k < t->ninput; i++)
            pair[k++] = p;
    return true;
}

/* the next choice in lexicographic order; false: that was the last */
static bool advance(const trial *t, bl_index *pair) {
    for (bl_index k = t->ninput; k-- > 0;)
        if (fill(t, pair, k, pair[k] + 1))
            return true;
    return false;
}

/* all choices, or one more than the limit */
static bl_status list_all(trial *t) {
    bl_index *now;
    BL_TRY(BL_ARENA_NEW(&t->scratch, now, t->ninput));
    bool more = fill(t, now, 0, 0);
    while (more && t->nchoice <= t->limit) {
        bl_index *pair = add_choice(t);
        if (!pair)
            return BL_E_MEMORY;
        memcpy(pair, now, (size_t)t->ninput * sizeof *pair);
        more = advance(t, now);
    }
    return BL_OK;
}

/* The given inputs; if they are not as many as the mobility, those of them that still find a degree of freedom, then the first pairs
 * that have one: equations assigned earlier keep their unknowns, so an input that finds none is left out. */
static bl_status find_base(trial *t) {
    const bl_chain *chain = t->chain;
    bl_index given = 0, link[BL_PAIR_LINKS], n = 0;
    for (bl_index p = 0; p < chain->npair; p++)
        given += t->base[p] = chain->pair[p].inputs;
    if (given == t->ninput)
        return BL_OK;
    size_t m = (size_t)chain->npair, nedge = m + (size_t)t->after[0];
    bl_index *room = bl_arena_alloc(&t->scratch, (size_t)chain->nlink, sizeof *room);
    bl_index *weight = bl_arena_alloc(&t->scratch, nedge, sizeof *weight), *pair = bl_arena_alloc(&t->scratch, nedge, sizeof *pair);
    bl_index *ptr = bl_arena_alloc(&t->scratch, nedge + 1, sizeof *ptr);
    bl_index *node = bl_arena_alloc(&t->scratch, nedge * BL_PAIR_LINKS, sizeof *node);
    if (!room || !weight || !pair || !ptr || !node)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < chain->nlink; i++)
        room[i] = chain->dim == 3 ? 6 : 3;
    for (int round = 0; round < 3; round++) /* pairs, given inputs, other inputs */
        for (bl_index p = 0; p < chain->npair; p++) {
            bl_index copies = round == 0 ? 1 : round == 1 ? t->base[p] : t->room[p] - t->base[p];
            for (bl_index k = 0; k < copies; k++, n++) {
                pair[n] = p;
                weight[n] = round == 0 ? bl_pair_rows(chain->dim, &t->pair[p]) : 1;
                ptr[n + 1] = ptr[n];
                t->pair[p].inputs = 1; /* a pair that constrains nothing involves links only through its inputs */
                for (bl_index j = bl_pair_links(&t->driven, p, link); j-- > 0;)
                    if (link[j] > 0)
                        node[ptr[n + 1]++] = link[j] - 1;
                t->pair[p].inputs = 0;
            }
        }
    bl_parts parts;
    bl_parts_input in = {.nnode = chain->nlink - 1, .nedge = n, .room = room, .weight = weight, .ptr = ptr, .node = node};
    bl_status status = bl_parts_find(t->ctx, &in, &parts);
    memset(t->base, 0, m * sizeof *t->base);
    bl_index placed = 0;
    for (bl_index e = (bl_index)m; status == BL_OK && e < n && placed < t->ninput; e++)
        if (parts.surplus[e] == 0) {
            t->base[pair[e]]++;
            placed++;
        }
    for (bl_index p = 0; status == BL_OK && placed < t->ninput; p++) /* there are too many equations elsewhere: any pair will do */
        for (; t->base[p] < t->room[p] && placed < t->ninput; placed++)
            t->base[p]++;
    bl_parts_free(t->ctx, &parts);
    return status;
}

static bl_status list_single_changes(trial *t) {
    BL_TRY(find_base(t));
    t->nchoice = 0;
    BL_TRY(add_counts(t, t->base));
    for (bl_index p = 0; p < t->chain->npair; p++)
        for (bl_index q = 0; t->base[p] > 0 && q < t->chain->npair && t->nchoice < t->limit; q++) {
            if (q == p || t->base[q] == t->room[q])
                continue;
            t->base[p]--;
            t->base[q]++;
            bl_status status = add_counts(t, t->base);
            t->base[p]++;
            t->base[q]--;
            BL_TRY(status);
        }
    return BL_OK;
}

/* ---- groups of a choice */

static bl_status solve(trial *t, bl_structure_choice *choice) {
    bl_structure_report report = {.size = sizeof report};
    bool locked = false;
    for (bl_index k = 0; k < choice->ninput; k++)
        t->pair[choice->pair[k]].inputs++;
    bl_status status = bl_structure(t->ctx, &t->driven, NULL, &report);
    for (bl_index k = 0; k < choice->ninput; k++)
        t->pair[choice->pair[k]].inputs = 0;
    if (status != BL_OK)
        return status;
    bl_index *ptr = bl_arena_alloc(t->arena, (size_t)report.ngroup + 1, sizeof *ptr);
    bl_index *link = bl_arena_alloc(t->arena, (size_t)t->chain->nlink, sizeof *link);
    if (ptr && link) {
        for (bl_index g = 0; g < report.ngroup; g++) {
            const bl_structure_group *group = &report.group[g];
            memcpy(link + ptr[g], group->link, (size_t)group->nlink * sizeof *link);
            ptr[g + 1] = ptr[g] + group->nlink;
            choice->largest = group->nlink > choice->largest ? group->nlink : choice->largest;
            locked = locked || group->nlocked > 0;
        }
        choice->complete = report.complete;
        choice->sound = report.complete && !locked;
        choice->ngroup = report.ngroup;
        choice->group_ptr = ptr;
        choice->link = link;
    }
    bl_structure_report_destroy(t->ctx, &report);
    return ptr && link ? BL_OK : BL_E_MEMORY;
}

/* sound, complete, small groups, many groups, first pairs */
static int compare_choices(const void *a, const void *b) {
    const bl_structure_choice *x = a, *y = b;
    if (x->sound != y->sound)
        return x->sound ? -1 : 1;
    if (x->complete != y->complete)
        return x->complete ? -1 : 1;
    if (x->largest != y->largest)
        return x->largest < y->largest ? -1 : 1;
    if (x->ngroup != y->ngroup)
        return x->ngroup > y->ngroup ? -1 : 1;
    for (bl_index k = 0; k < x->ninput; k++)
        if (x->pair[k] != y->pair[k])
            return x->pair[k] < y->pair[k] ? -1 : 1;
    return 0;
}

static bool is_given(const trial *t, const bl_structure_choice *choice) {
    bl_index k = 0;
    for (bl_index p = 0; p < t->chain->npair; p++)
        for (int i = 0; i < t->chain->pair[p].inputs; i++, k++)
            if (k >= choice->ninput || choice->pair[k] != p)
                return false;
    return k == choice->ninput;
}

static bl_status try_choices(trial *t, bl_structure_choices *choices) {
    BL_TRY(prepare(t));
    BL_TRY(list_all(t));
    choices->all = t->nchoice <= t->limit;
    if (!choices->all)
        BL_TRY(list_single_changes(t));
    for (bl_index c = 0; c < t->nchoice; c++) {
        BL_TRY(bl_go_on(t->ctx));
        BL_TRY(solve(t, &t->choice[c]));
    }
    qsort(t->choice, (size_t)t->nchoice, sizeof *t->choice, compare_choices);
    for (bl_index c = 0; c < t->nchoice; c++)
        if (is_given(t, &t->choice[c]))
            choices->given = c;
    choices->choice = t->choice;
    choices->nchoice = t->nchoice;
    return BL_OK;
}

bl_status bl_structure_inputs(bl_context *ctx, const bl_chain *given, bl_structure_choices *choices) {
    if (!ctx || !given || !choices)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_structure_inputs needs a context, a chain and choices");
    bl_chain own, *chain = &own;
    bl_structure_choices made = {.size = sizeof made, .given = -1};
    bl_structure_report report = {.size = sizeof report}; /* rejects an invalid chain */
    BL_TRY(BL_TAKE(ctx, bl_chain, given, chain));
    BL_TRY(BL_FITS(ctx, bl_structure_choices, choices));
    BL_GIVE(bl_structure_choices, choices, &made);
    BL_TRY(bl_structure(ctx, chain, NULL, &report));
    bl_structure_report_destroy(ctx, &report);
    bl_arena *arena = NULL;
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    made.own = arena;
    trial t = {.ctx = ctx, .arena = arena, .scratch = {.ctx = ctx}, .chain = chain};
    bl_status status = try_choices(&t, &made);
    bl_arena_destroy(&t.scratch);
    if (status != BL_OK)
        bl_structure_choices_destroy(ctx, &made);
    BL_GIVE(bl_structure_choices, choices, &made);
    return status;
}

void bl_structure_choices_destroy(bl_context *ctx, bl_structure_choices *choices) {
    if (choices && choices->own) {
        bl_arena_destroy(choices->own);
        bl_free(ctx, choices->own);
    }
    BL_CLEAR(bl_structure_choices, choices);
}
