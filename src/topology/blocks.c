/* Blocks of a mechanism: the parts that remain if it is cut at every body that is the only connection of two parts (Tarjan 1972).
 * Equations of one block never depend on those of another: a dependence is a set of forces in balance on every body, so the total load
 * of one block on the body that it shares with the rest is zero. That body, the top of the block, may be held fixed when the block is
 * examined: joints outside of loops are blocks of their own, and a loop attached to a chain does not depend on the chain. */
#include "topology/topology.h"

typedef struct walk {
    bl_index nbody, per_body, nedge;
    bl_index (*end)[2];            /* [nedge] bodies; an equation of more than two bodies connects them in a ring */
    bl_index *ptr, *at;            /* edges of a body, as 2 edge + side */
    bl_index *number, *low, *next; /* [nbody] position in the order, the earliest position its part reaches, next edge */
    bl_index *order, *by, norder;  /* [nbody] bodies in the order of the walk; the edge that led there, 2 edge + side */
    bl_index *top_of;              /* [nbody] of the block of the edge that led there */
} walk;

/* bodies of an owner, each once, from its rows [first, last). seen[nbody]: 1 + the last owner that included it */
static bl_index bodies_of(const bl_twists *t, bl_index per_body, bl_index first, bl_index last, bl_index *seen, bl_index *body) {
    bl_index n = 0, owner = t->row[first].owner;
    for (bl_index i = first; i < last; i++)
        for (bl_index k = -1; k < t->row[i].n; k++) {
            bl_index b = k < 0 ? 0 : t->row[i].col[k] / per_body + 1;
            if ((k < 0 && !t->row[i].grounded) || seen[b] == owner + 1)
                continue;
            seen[b] = owner + 1;
            body[n++] = b;
        }
    return n;
}

static bl_index last_row(const bl_twists *t, bl_index first) {
    bl_index last = first;
    while (last < t->nrow && t->row[last].owner == t->row[first].owner)
        last++;
    return last;
}

static bl_status make_edges(walk *w, const bl_twists *t, bl_arena *arena, bl_index *seen, bl_index *body) {
    for (int fill = 0; fill < 2; fill++) {
        w->nedge = 0;
        for (bl_index b = 0; b < w->nbody; b++)
            seen[b] = 0;
        for (bl_index first = 0, last; first < t->nrow; first = last) {
            last = last_row(t, first);
            bl_index n = bodies_of(t, w->per_body, first, last, seen, body);
            for (bl_index k = 0; k < (n > 2 ? n : n - 1); k++, w->nedge++)
                if (fill) {
                    w->end[w->nedge][0] = body[k];
                    w->end[w->nedge][1] = body[(k + 1) % n];
                }
        }
        if (!fill && !(w->end = bl_arena_alloc(arena, (size_t)w->nedge, sizeof *w->end)))
            return BL_E_MEMORY;
    }
    BL_TRY(BL_ARENA_NEW(arena, w->at, 2 * (size_t)w->nedge));
    for (bl_index k = 0; k < 2 * w->nedge; k++)
        w->ptr[w->end[k / 2][k % 2] + 2]++;
    for (bl_index b = 0; b < w->nbody; b++)
        w->ptr[b + 2] += w->ptr[b + 1];
    for (bl_index k = 0; k < 2 * w->nedge; k++)
        w->at[w->ptr[w->end[k / 2][k % 2] + 1]++] = k;
    return BL_OK;
}

static void reach(walk *w, bl_index body, bl_index by) {
    w->by[body] = by;
    w->number[body] = w->low[body] = ++w->norder;
    w->order[w->norder - 1] = body;
    w->next[body] = w->ptr[body];
}

/* depth first without recursion: chains may be long */
static void walk_from(walk *w, bl_index root) {
    reach(w, root, -1);
    for (bl_index body = root;;) {
        if (w->next[body] < w->ptr[body + 1]) {
            bl_index k = w->at[w->next[body]++], other = w->end[k / 2][1 - k % 2];
            if (w->by[body] >= 0 && k / 2 == w->by[body] / 2)
                continue;
            if (w->number[other] == 0) {
                reach(w, other, k);
                body = other;
            } else if (w->number[other] < w->low[body])
                w->low[body] = w->number[other];
            continue;
        }
        if (body == root)
            return;
        bl_index up = w->end[w->by[body] / 2][w->by[body] % 2];
        w->low[up] = w->low[body] < w->low[up] ? w->low[body] : w->low[up];
        body = up;
    }
}

static bl_status find_tops(const bl_twists *t, bl_arena *arena, bl_index *top) {
    size_t n = (size_t)t->model->nbody;
    walk w = {.nbody = t->model->nbody, .per_body = t->model->nbody > 1 ? t->width / (t->model->nbody - 1) : 1};
    bl_index *seen, *body;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(seen, n), BL_ARRAY(body, n), BL_ARRAY(w.number, n), BL_ARRAY(w.low, n), BL_ARRAY(w.next, n),
                           BL_ARRAY(w.order, n), BL_ARRAY(w.by, n), BL_ARRAY(w.top_of, n), BL_ARRAY(w.ptr, n + 2)));
    BL_TRY(make_edges(&w, t, arena, seen, body));
    for (bl_index b = 0; b < w.nbody; b++) /* the ground first: it is the top of all its blocks */
        if (w.number[b] == 0)
            walk_from(&w, b);
    for (bl_index k = 0; k < w.norder; k++) {
        bl_index b = w.order[k], up = w.by[b] < 0 ? b : w.end[w.by[b] / 2][w.by[b] % 2];
        w.top_of[b] = w.by[b] < 0 || w.low[b] >= w.number[up] ? up : w.top_of[up];
    }
    /* the block of an owner is that of the edge that led to the last of its bodies */
    for (bl_index b = 0; b < w.nbody; b++)
        seen[b] = 0;
    for (bl_index first = 0, last; first < t->nrow; first = last) {
        last = last_row(t, first);
        bl_index nbody = bodies_of(t, w.per_body, first, last, seen, body), deep = nbody > 0 ? body[0] : 0;
        for (bl_index k = 1; k < nbody; k++)
            deep = w.number[body[k]] > w.number[deep] ? body[k] : deep;
        top[t->row[first].owner] = w.top_of[deep];
    }
    return BL_OK;
}

bl_status bl_topology_tops(const bl_twists *twists, bl_index *top) {
    bl_arena arena = {.ctx = twists->arena.ctx};
    bl_status status = find_tops(twists, &arena, top);
    bl_arena_destroy(&arena);
    return status;
}
