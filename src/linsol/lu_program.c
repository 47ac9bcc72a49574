/* Programs over the tables of lu.c: the order of a factorization by entries and of a solution with one right-hand side. Both consist of
 * nodes, each a short sum of products of other results; any topological order is valid. Nodes with equal numbers of products are placed
 * together, so that one loop without remainder processes many of them: sums are short, and loop overhead would dominate. */
#include "linsol/lu.h"

#include <string.h>

/* ---- order */

typedef struct graph {
    bl_index n;
    uint8_t *kind;  /* [n] */
    bl_index *need; /* [n] number of nodes that must come first; counted down */
    bl_index *ptr;  /* [n + 1] of idx: nodes that depend on each */
    bl_index *idx;
    bl_index *order; /* [n] found */
    bl_index *next;  /* [n] next in the queue of ready nodes */
} graph;

typedef struct queues {
    bl_index head[BL_LU_KINDS], tail[BL_LU_KINDS], ready[BL_LU_KINDS];
} queues;

static void push(graph *g, queues *q, bl_index node) {
    int kind = g->kind[node];
    g->next[node] = -1;
    if (q->ready[kind]++ == 0)
        q->head[kind] = node;
    else
        g->next[q->tail[kind]] = node;
    q->tail[kind] = node;
}

/* always takes the kind with most ready nodes, until none is ready; returns the number of runs */
static bl_index schedule(graph *g, bl_lu_run *run) {
    queues q = {0};
    bl_index done = 0, runs = 0;
    for (bl_index k = 0; k < g->n; k++)
        if (g->need[k] == 0)
            push(g, &q, k);
    while (done < g->n) {
        int kind = 0;
        for (int c = 1; c < BL_LU_KINDS; c++)
            kind = q.ready[c] > q.ready[kind] ? c : kind;
        bl_index begin = done;
        while (q.ready[kind] > 0) {
            bl_index node = q.head[kind];
            q.head[kind] = g->next[node];
            q.ready[kind]--;
            g->order[done++] = node;
            for (bl_index p = g->ptr[node]; p < g->ptr[node + 1]; p++)
                if (--g->need[g->idx[p]] == 0)
                    push(g, &q, g->idx[p]);
        }
        run[runs++] = (bl_lu_run){kind, done - begin};
    }
    return runs;
}

static int class_of(bl_index count) { return count < BL_LU_MANY ? (int)count : BL_LU_MANY; }

static bl_status graph_make(bl_arena *arena, bl_index n, size_t edges, graph *g) {
    g->n = n;
    return BL_ARENA_ARRAYS(arena, BL_ARRAY(g->kind, n), BL_ARRAY(g->need, n), BL_ARRAY(g->order, n), BL_ARRAY(g->next, n),
                           BL_ARRAY(g->ptr, n + 1), BL_ARRAY(g->idx, edges));
}

/* Dependencies: enumerated twice, first with `counting`. */
typedef struct edges {
    graph *g;
    bool counting;
} edges;

static void edge(const edges *e, bl_index before, bl_index after) {
    if (e->counting)
        e->g->ptr[before + 1]++;
    else
        e->g->idx[e->g->ptr[before]++] = after;
    e->g->need[after] += e->counting;
}

static void prefix_sums(graph *g) {
    for (bl_index k = 0; k < g->n; k++)
        g->ptr[k + 1] += g->ptr[k];
}

/* after the second pass every pointer is at the start of the next list: moves them back by one */
static void shift_pointers(graph *g) {
    memmove(g->ptr + 1, g->ptr, (size_t)g->n * sizeof *g->ptr);
    g->ptr[0] = 0;
}

/* ---- solution: node k is row k of L y = b - F x (forward), node n + k row k of U x = y (backward) */

static void solve_edges(const bl_lu *lu, const edges *e) {
    bl_index n = lu->n;
    for (bl_index k = 0; k < n; k++) {
        for (bl_index p = lu->l_start[k]; p < lu->l_start[k] + lu->nl[k]; p++)
            edge(e, k, lu->idx[p]);
        edge(e, k, n + k);
        for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
            edge(e, n + lu->idx[p], n + k);
        for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
            edge(e, n + k, lu->f_idx[p]);
    }
}

typedef struct row_lists {
    bl_index *at;    /* [2n] index of the result of a node in x: forward ones first */
    bl_index *first; /* [n + 1] entries of forward rows */
    bl_index *count; /* [n] listed so far */
    bl_index *entry; /* pairs: index in lu->lu, index in x */
} row_lists;

static void add(const row_lists *w, bl_index row, bl_index position, bl_index x) {
    bl_index at = w->first[row] + w->count[row]++;
    w->entry[2 * at] = position;
    w->entry[2 * at + 1] = x;
}

/* entries of forward rows in the order in which their operands are computed: the most recent one is used last, so that no other product
 * has to wait for it */
static void list_forward(const bl_lu *lu, const graph *g, const row_lists *w) {
    bl_index n = lu->n;
    for (bl_index d = 0; d < 2 * n; d++) {
        bl_index node = g->order[d], k = node < n ? node : node - n;
        if (node < n)
            for (bl_index p = lu->l_start[k]; p < lu->l_start[k] + lu->nl[k]; p++)
                add(w, lu->idx[p], p, w->at[node]);
        else
            for (bl_index p = lu->f_ptr[k]; p < lu->f_ptr[k + 1]; p++)
                add(w, lu->f_idx[p], lu->f_at[p], w->at[node]);
    }
}

static void write_solve(bl_lu *lu, const graph *g, const row_lists *w) {
    bl_index n = lu->n, *to = lu->solve;
    for (bl_index d = 0; d < 2 * n; d++) {
        bl_index node = g->order[d], k = node < n ? node : node - n;
        if (node < n) {
            bl_index count = w->first[k + 1] - w->first[k];
            if (count >= BL_LU_MANY)
                *to++ = count;
            *to++ = lu->u_start[k] - 1;
            memcpy(to, w->entry + 2 * w->first[k], 2 * (size_t)count * sizeof *to);
            to += 2 * count;
            lu->forward_pivot[w->at[node]] = k;
            continue;
        }
        if (lu->nu[k] >= BL_LU_MANY)
            *to++ = lu->nu[k];
        *to++ = w->at[k];
        *to++ = lu->u_start[k];
        for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
            *to++ = w->at[n + lu->idx[p]];
        lu->backward_pivot[w->at[node] - n] = k;
    }
}

static void plan_solve(bl_lu *lu, graph *g, const row_lists *w) {
    bl_index n = lu->n, position[2] = {0, n};
    edges e = {g, true};
    solve_edges(lu, &e);
    for (bl_index k = 0; k < n; k++) {
        w->first[k + 1] = w->first[k] + g->need[k];
        g->kind[k] = (uint8_t)class_of(g->need[k]);
        g->kind[n + k] = (uint8_t)(BL_LU_MANY + 1 + class_of(lu->nu[k]));
    }
    prefix_sums(g);
    e.counting = false;
    solve_edges(lu, &e);
    shift_pointers(g);
    lu->nsolve_run = schedule(g, lu->solve_run);
    for (bl_index d = 0; d < 2 * n; d++)
        w->at[g->order[d]] = position[g->order[d] >= n]++;
    list_forward(lu, g, w);
    write_solve(lu, g, w);
}

bl_status bl_lu_build_solve(bl_lu *lu) {
    size_t n = (size_t)lu->n, upper = 0, lower = (size_t)lu->f_ptr[n];
    for (size_t k = 0; k < n; k++) {
        upper += (size_t)lu->nu[k];
        lower += (size_t)lu->nl[k];
    }
    bl_arena arena = {.ctx = lu->ctx}; /* for the plan */
    graph g;
    row_lists w;
    BL_TRY(BL_ARENA_ARRAYS(&lu->arena, BL_ARRAY(lu->forward_pivot, n), BL_ARRAY(lu->backward_pivot, n), BL_ARRAY(lu->solve_run, 2 * n),
                           BL_ARRAY(lu->solve, 2 * lower + upper + 5 * n)));
    bl_status status = graph_make(&arena, 2 * lu->n, lower + upper + n, &g);
    if (status == BL_OK)
        status =
            BL_ARENA_ARRAYS(&arena, BL_ARRAY(w.at, 2 * n), BL_ARRAY(w.count, n), BL_ARRAY(w.first, n + 1), BL_ARRAY(w.entry, 2 * lower));
    if (status == BL_OK)
        plan_solve(lu, &g, &w);
    bl_arena_destroy(&arena);
    return status;
}

/* ---- factorization: a node for every entry of L and U, numbered by its index in lu->lu */

typedef struct product {
    bl_index to, l, u; /* indices in lu->lu */
} product;

/* all products, in the order of their steps */
static void list_products(const bl_lu *lu, product *out) {
    const bl_index *target = lu->target;
    for (bl_index k = 0; k < lu->n; k++) {
        bl_index outer = lu->by_rows[k] ? lu->nl[k] : lu->nu[k], inner = lu->by_rows[k] ? lu->nu[k] : lu->nl[k];
        bl_index outer_at = lu->by_rows[k] ? lu->l_start[k] : lu->u_start[k], inner_at = lu->by_rows[k] ? lu->u_start[k] : lu->l_start[k];
        for (bl_index i = 0; i < outer; i++)
            for (bl_index j = 0; j < inner; j += 4, target += 4)
                for (bl_index c = 0; c < 4 && j + c < inner; c++) {
                    bl_index to = target[0] < 0 ? ~target[0] + c : target[c], a = outer_at + i, b = inner_at + j + c;
                    *out++ = (product){to, lu->by_rows[k] ? a : b, lu->by_rows[k] ? b : a};
                }
    }
}

static void factor_edges(const bl_lu *lu, size_t nproduct, const product *all, const edges *e) {
    for (size_t p = 0; p < nproduct; p++) {
        edge(e, all[p].l, all[p].to);
        edge(e, all[p].u, all[p].to);
    }
    for (bl_index k = 0; k < lu->n; k++)
        for (bl_index p = lu->u_start[k]; p < lu->u_start[k] + lu->nu[k]; p++)
            edge(e, lu->u_start[k] - 1, p);
}

typedef struct sums {
    bl_index *step;   /* [entries] step of an entry of U or a pivot; -1: entry of L; -2: padding */
    bl_index *source; /* [entries] index of the scaled entry of A, or of a zero */
    bl_index *first;  /* [entries + 1] offsets in pair */
    bl_index *pair;   /* indices in L and U */
} sums;

static void find_sums(const bl_lu *lu, size_t nproduct, const product *all, const sums *w) {
    bl_index entry_count = lu->l_start[lu->n];
    for (bl_index p = 0; p < entry_count; p++) {
        w->step[p] = -2;
        w->source[p] = lu->na;
    }
    for (bl_index k = 0; k < lu->n; k++) {
        for (bl_index p = lu->u_start[k] - 1; p < lu->u_start[k] + lu->nu[k]; p++)
            w->step[p] = k;
        for (bl_index p = lu->l_start[k]; p < lu->l_start[k] + lu->nl[k]; p++)
            w->step[p] = -1;
    }
    for (bl_index p = 0; p < lu->na; p++)
        if (lu->to[p] < entry_count)
            w->source[lu->to[p]] = p;
    for (size_t p = 0; p < nproduct; p++)
        w->first[all[p].to + 1]++;
    for (bl_index p = 0; p < entry_count; p++)
        w->first[p + 1] += w->first[p];
    for (size_t p = 0; p < nproduct; p++) {
        bl_index at = w->first[all[p].to]++;
        w->pair[2 * at] = all[p].l;
        w->pair[2 * at + 1] = all[p].u;
    }
    memmove(w->first + 1, w->first, (size_t)entry_count * sizeof *w->first);
    w->first[0] = 0;
}

static void write_factor(bl_lu *lu, const graph *g, const sums *w) {
    bl_index *to = lu->factor;
    for (bl_index d = 0; d < g->n; d++) {
        bl_index p = g->order[d], count = w->first[p + 1] - w->first[p];
        if (w->step[p] == -2)
            continue;
        if (count >= BL_LU_MANY)
            *to++ = count;
        *to++ = p;
        *to++ = w->source[p];
        if (w->step[p] >= 0)
            *to++ = w->step[p];
        memcpy(to, w->pair + 2 * w->first[p], 2 * (size_t)count * sizeof *to);
        to += 2 * count;
    }
}

/* kinds: L, U, pivots by their products; padding is a separate kind, and left out */
static void plan_factor(bl_lu *lu, size_t nproduct, const product *all, graph *g, const sums *w) {
    edges e = {g, true};
    factor_edges(lu, nproduct, all, &e);
    for (bl_index p = 0; p < g->n; p++) {
        bool pivot = w->step[p] >= 0 && p == lu->u_start[w->step[p]] - 1;
        int base = w->step[p] == -2 ? BL_LU_KINDS - 1 : pivot ? 2 * (BL_LU_MANY + 1) : w->step[p] >= 0 ? BL_LU_MANY + 1 : 0;
        g->kind[p] = (uint8_t)(base + (w->step[p] == -2 ? 0 : class_of(w->first[p + 1] - w->first[p])));
    }
    prefix_sums(g);
    e.counting = false;
    factor_edges(lu, nproduct, all, &e);
    shift_pointers(g);
    lu->nfactor_run = schedule(g, lu->factor_run);
    write_factor(lu, g, w);
}

bl_status bl_lu_build_factor(bl_lu *lu, size_t nproduct) {
    size_t n = (size_t)lu->n, entry_count = (size_t)lu->l_start[n];
    bl_arena arena = {.ctx = lu->ctx}; /* for the plan */
    graph g;
    sums w;
    product *all;
    BL_TRY(BL_ARENA_ARRAYS(&lu->arena, BL_ARRAY(lu->pivot, n), BL_ARRAY(lu->factor_run, entry_count),
                           BL_ARRAY(lu->factor, 4 * entry_count + 2 * nproduct)));
    bl_status status = graph_make(&arena, (bl_index)entry_count, 2 * nproduct + entry_count, &g);
    if (status == BL_OK)
        status = BL_ARENA_ARRAYS(&arena, BL_ARRAY(all, nproduct), BL_ARRAY(w.step, entry_count), BL_ARRAY(w.source, entry_count),
                                 BL_ARRAY(w.first, entry_count + 1), BL_ARRAY(w.pair, 2 * nproduct));
    if (status == BL_OK) {
        list_products(lu, all);
        find_sums(lu, nproduct, all, &w);
        plan_factor(lu, nproduct, all, &g, &w);
    }
    bl_arena_destroy(&arena);
    return status;
}
