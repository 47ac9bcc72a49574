/* Loads that joints transmit by sharing an entity, A t = load: A is the incidence matrix of seats and shares, t the load of each share.
 *
 * Seats with one undetermined share are balanced one after another. What remains are loops, where the minimum-norm solution is t = A^T
 * x, A A^T x = load. A A^T is the Laplacian of a graph with two entries for each share: with minimum-fill pivots its factors stay sparse
 * for parallel loops, however many of them meet in one seat. If no share leads to the ground, A A^T has the constants as null space: one
 * seat is left out, and so is the mean of the load, which no share can carry. */
#include "coords/derived_coords.h"
#include "sparse/elimination.h"
#include "sparse/sparse.h"

#include <string.h>

typedef struct builder {
    bl_mechanism *m;
    bl_index *seat_ptr, *seat, *share_ptr, *share; /* of each entity */
    bl_index *open, *which;                        /* [nseat] undetermined shares of a seat; their exclusive or: the last one itself */
    bl_index *heap, nheap;                         /* [nseat + nshare] seats with one undetermined share, the first on top */
    bl_index *index;                               /* [nseat] index in the core, -1: none */
    bl_index *remaining;                           /* [nshare] of the core */
    bool *done;                                    /* [nshare] */
    uint8_t *in_loop;                              /* [njoint] 1: shares a point in a loop, 2: a vector */
} builder;

/* ---- seats with one undetermined share */

static void push(builder *b, bl_index seat) {
    bl_index k = b->nheap++;
    for (; k > 0 && b->heap[(k - 1) / 2] > seat; k = (k - 1) / 2)
        b->heap[k] = b->heap[(k - 1) / 2];
    b->heap[k] = seat;
}

static bl_index pop(builder *b) {
    bl_index top = b->heap[0], last = b->heap[--b->nheap], k = 0;
    for (bl_index child = 1; child < b->nheap; child = 2 * k + 1) {
        child += child + 1 < b->nheap && b->heap[child + 1] < b->heap[child];
        if (b->heap[child] >= last)
            break;
        b->heap[k] = b->heap[child];
        k = child;
    }
    b->heap[k] = last;
    return top;
}

static void close_share(builder *b, bl_index share) {
    const struct bl_share *s = &b->m->share[share];
    const bl_index ends[2] = {s->seat_a, s->seat_b};
    b->done[share] = true;
    for (int k = 0; k < 2; k++) {
        b->which[ends[k]] ^= share;
        if (--b->open[ends[k]] == 1 && b->m->seat[ends[k]].body != 0)
            push(b, ends[k]);
    }
}

/* ---- loops: the graph of seats and shares */

static bl_index root(bl_index *up, bl_index k) {
    for (; up[k] != k; k = up[k])
        up[k] = up[up[k]];
    return k;
}

static bl_status index_seats(builder *b, struct bl_core *core) {
    bl_mechanism *m = b->m;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(core->seat, 2 * (size_t)core->nshare), BL_ARRAY(core->end, core->nshare)));
    for (bl_index i = 0; i < 2 * core->nshare; i++) {
        const struct bl_share *s = &m->share[core->share[i / 2]];
        bl_index seat = i % 2 ? s->seat_b : s->seat_a;
        if (b->index[seat] < 0 && m->seat[seat].body != 0) {
            b->index[seat] = core->nseat;
            core->seat[core->nseat++] = seat;
        }
        core->end[i / 2][i % 2] = b->index[seat];
    }
    for (bl_index i = 0; i < core->nseat; i++)
        b->index[core->seat[i]] = -1;
    m->core_most = core->nseat > m->core_most ? core->nseat : m->core_most;
    return BL_OK;
}

/* ungrounded components; kept[nseat]: index in the matrix, -1: left out; up[nseat + 1], the last one is the ground */
static bl_status find_floating(bl_mechanism *m, struct bl_core *core, bl_index *up, bl_index *kept) {
    bl_index ns = core->nseat, n = 0;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(core->floats, ns), BL_ARRAY(core->size, ns)));
    for (bl_index k = 0; k <= ns; k++)
        up[k] = k;
    for (bl_index h = 0; h < core->nshare; h++) {
        bl_index a = root(up, core->end[h][0] < 0 ? ns : core->end[h][0]), c = root(up, core->end[h][1] < 0 ? ns : core->end[h][1]);
        up[a < c ? a : c] = a < c ? c : a; /* the ground remains a root */
    }
    for (bl_index k = ns - 1; k >= 0; k--) { /* a root is the last of its component */
        bl_index of = root(up, k);
        core->floats[k] = of == ns ? -1 : of == k ? core->nfloat++ : core->floats[of];
        if (of != ns)
            core->size[core->floats[k]]++;
        kept[k] = of == k ? -1 : 0;
    }
    for (bl_index k = 0; k < ns; k++)
        kept[k] = kept[k] < 0 ? -1 : n++;
    core->n = n;
    return BL_OK;
}

static bl_status laplacian(bl_mechanism *m, const struct bl_core *core, const bl_index *kept, bl_pattern *pattern, double **value) {
    bl_pairs p = {.ctx = m->ctx};
    bl_index *slot = NULL, at = 0;
    bl_status status = BL_OK;
    for (int fill = 0; fill < 2 && status == BL_OK; fill++) {
        for (bl_index h = 0; h < core->nshare && status == BL_OK; h++)
            for (int i = 0; i < 4 && status == BL_OK; i++) {
                bl_index r = core->end[h][i / 2], c = core->end[h][i % 2];
                if (r < 0 || c < 0 || kept[r] < 0 || kept[c] < 0)
                    continue;
                if (fill)
                    (*value)[slot[at++]] += i / 2 == i % 2 ? 1 : -1;
                else
                    status = bl_pairs_add(&p, kept[r], kept[c]);
            }
        if (!fill && status == BL_OK)
            status = bl_pairs_build(&p, core->n, core->n, pattern, &slot);
        if (!fill && status == BL_OK)
            status = BL_NEW(m->ctx, *value, pattern->ptr[core->n] + 1);
    }
    bl_free(m->ctx, slot);
    bl_pairs_free(&p);
    return status;
}

/* the factors as tables; seat[n]: index in the core of a row of the matrix */
static bl_status take_factors(bl_mechanism *m, struct bl_core *core, const bl_elimination *e, const bl_index *seat) {
    bl_index n = core->n, nl = 0, nu = 0;
    for (bl_index k = 0; k < n; k++) {
        nl += e->col_count[e->col[k]];
        nu += e->row_count[e->row[k]];
    }
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(core->row, n), BL_ARRAY(core->col, n), BL_ARRAY(core->l_ptr, n + 1),
                           BL_ARRAY(core->u_ptr, n + 1), BL_ARRAY(core->l_row, nl), BL_ARRAY(core->u_col, nu), BL_ARRAY(core->pivot, n),
                           BL_ARRAY(core->l, nl), BL_ARRAY(core->u, nu)));
    nl = nu = 0;
    for (bl_index k = 0; k < n; k++) {
        core->row[k] = seat[e->row[k]];
        core->col[k] = seat[e->col[k]];
        core->pivot[k] = e->pivot[k];
        for (bl_index at = e->col_first[e->col[k]]; at >= 0; at = e->entry[at].down, nl++) {
            core->l_row[nl] = seat[e->entry[at].row];
            core->l[nl] = e->entry[at].value;
        }
        for (bl_index at = e->row_first[e->row[k]]; at >= 0; at = e->entry[at].right, nu++) {
            core->u_col[nu] = seat[e->entry[at].col];
            core->u[nu] = e->entry[at].value;
        }
        core->l_ptr[k + 1] = nl;
        core->u_ptr[k + 1] = nu;
    }
    return BL_OK;
}

static bl_status factor(bl_mechanism *m, struct bl_core *core, bl_index *work) {
    bl_index *kept = work, *seat = work + core->nseat + 1;
    bl_pattern pattern = {0};
    double *value = NULL;
    bl_elimination e = {0};
    BL_TRY(find_floating(m, core, seat, kept));
    for (bl_index k = 0; k < core->nseat; k++)
        if (kept[k] >= 0)
            seat[kept[k]] = k;
    bl_status status = laplacian(m, core, kept, &pattern, &value);
    if (status == BL_OK) {
        /* the diagonal is the largest entry of its column before and after every step */
        const bl_elimination_input in = {.pattern = &pattern, .value = value, .share = 1};
        status = bl_elimination_run(m->ctx, &in, &e);
    }
    if (status == BL_OK && e.rank < core->n) /* impossible: with a seat left out, or ground, the Laplacian is positive definite */
        status = bl_fail(m->ctx, BL_E_NUMERIC, NULL,
                         "reactions: the equations of joints in loops on one shared point are singular (rank %d of %d)", (int)e.rank,
                         (int)core->n);
    if (status == BL_OK)
        status = take_factors(m, core, &e, seat);
    bl_elimination_free(&e);
    bl_free(m->ctx, value);
    bl_pattern_free(m->ctx, &pattern);
    return status;
}

/* ---- which shares are in a loop: their loads depend on how the loop divides them. Every other share is the only connection of two
 * parts. */

typedef struct walk {
    bl_index *ptr, *list;  /* [ns + 2], [2 nshare] shares at a seat; the ground is seat ns */
    bl_index *by, *depth;  /* [ns + 1] share by which a seat was reached, -1: none; number of shares from the start */
    bl_index *up, *queue;  /* [ns + 1] seats connected by loops have one root, the one reached first */
    uint8_t *loop, *taken; /* [nshare] in a loop; in the tree */
} walk;

static bl_index far_end(const struct bl_core *core, bl_index h, bl_index from) {
    bl_index a = core->end[h][0] < 0 ? core->nseat : core->end[h][0], c = core->end[h][1] < 0 ? core->nseat : core->end[h][1];
    return a == from ? c : a;
}

static void grow_trees(const struct bl_core *core, walk *w) {
    bl_index ns = core->nseat;
    for (bl_index k = 0; k <= ns; k++) {
        w->by[k] = w->depth[k] = -1;
        w->up[k] = k;
    }
    for (bl_index start = ns; start >= 0; start--) {
        bl_index first = 0, last = 0;
        if (w->depth[start] >= 0)
            continue;
        w->depth[start] = 0;
        for (w->queue[last++] = start; first < last; first++) {
            bl_index from = w->queue[first];
            for (bl_index i = w->ptr[from]; i < w->ptr[from + 1]; i++) {
                bl_index to = far_end(core, w->list[i], from);
                if (w->depth[to] >= 0)
                    continue;
                w->depth[to] = w->depth[from] + 1;
                w->by[to] = w->list[i];
                w->taken[w->list[i]] = 1;
                w->queue[last++] = to;
            }
        }
    }
}

/* every share outside the tree closes a loop of the tree's shares between its ends */
static void close_loops(const struct bl_core *core, walk *w) {
    for (bl_index h = 0; h < core->nshare; h++) {
        if (w->taken[h])
            continue;
        w->loop[h] = 1;
        bl_index a = core->end[h][0] < 0 ? core->nseat : core->end[h][0], c = far_end(core, h, a);
        for (a = root(w->up, a), c = root(w->up, c); a != c; a = root(w->up, a)) {
            if (w->depth[a] < w->depth[c]) {
                bl_index keep = a;
                a = c;
                c = keep;
            }
            w->loop[w->by[a]] = 1;
            w->up[a] = far_end(core, w->by[a], a);
        }
    }
}

static bl_status mark_loops(builder *b, const struct bl_core *core) {
    const bl_mechanism *m = b->m;
    size_t ns = (size_t)core->nseat + 1, nh = (size_t)core->nshare;
    bl_index *block = NULL;
    uint8_t *flags = NULL;
    bl_status status = BL_NEW(m->ctx, block, 5 * ns + 1 + 2 * nh);
    if (status == BL_OK)
        status = BL_NEW(m->ctx, flags, 2 * nh);
    if (status == BL_OK) {
        walk w = {.ptr = block, .by = block + ns + 1, .loop = flags, .taken = flags + nh};
        w.depth = w.by + ns;
        w.up = w.depth + ns;
        w.queue = w.up + ns;
        w.list = w.queue + ns;
        for (size_t i = 0; i < 2 * nh; i++)
            w.ptr[(core->end[i / 2][i % 2] < 0 ? core->nseat : core->end[i / 2][i % 2]) + 1]++;
        for (size_t k = 0; k < ns; k++)
            w.ptr[k + 1] += w.ptr[k];
        memcpy(w.queue, w.ptr, ns * sizeof *w.queue);
        for (size_t i = 0; i < 2 * nh; i++)
            w.list[w.queue[core->end[i / 2][i % 2] < 0 ? core->nseat : core->end[i / 2][i % 2]]++] = (bl_index)(i / 2);
        grow_trees(core, &w);
        close_loops(core, &w);
        for (size_t h = 0; h < nh; h++) {
            const struct bl_share *share = &m->share[core->share[h]];
            if (w.loop[h])
                b->in_loop[share->joint] |= m->entity[m->seat[share->seat_a].entity].is_vector ? 2 : 1;
        }
    }
    bl_free(m->ctx, block);
    bl_free(m->ctx, flags);
    return status;
}

static bl_status build_core(builder *b, bl_index nshare) {
    bl_mechanism *m = b->m;
    struct bl_core *core = &m->core[m->ncore];
    bl_index *work;
    core->nshare = nshare;
    BL_TRY(BL_ARENA_NEW(&m->arena, core->share, nshare));
    memcpy(core->share, b->remaining, (size_t)nshare * sizeof *core->share);
    BL_TRY(index_seats(b, core));
    BL_TRY(BL_NEW(m->ctx, work, 2 * (size_t)core->nseat + 2));
    bl_status status = factor(m, core, work);
    bl_free(m->ctx, work);
    BL_TRY(status);
    if (m->nnormal > 0)
        BL_TRY(mark_loops(b, core));
    m->ncore++;
    return BL_OK;
}

/* ---- all shares */

static bl_status peel_entity(builder *b, bl_index entity) {
    bl_mechanism *m = b->m;
    bl_index nopen = 0;
    for (bl_index s = b->seat_ptr[entity]; s < b->seat_ptr[entity + 1]; s++)
        if (b->open[b->seat[s]] == 1 && m->seat[b->seat[s]].body != 0)
            push(b, b->seat[s]);
    while (b->nheap > 0) {
        bl_index seat = pop(b), share = b->which[seat];
        if (b->open[seat] != 1)
            continue;
        m->peel[m->npeel++] = (struct bl_peel){share, seat, m->share[share].seat_b == seat ? 1 : -1};
        close_share(b, share);
    }
    for (bl_index k = b->share_ptr[entity]; k < b->share_ptr[entity + 1]; k++)
        if (!b->done[b->share[k]]) {
            b->remaining[nopen++] = b->share[k];
            b->done[b->share[k]] = true;
        }
    return nopen ? build_core(b, nopen) : BL_OK;
}

/* lists and scratch, from an arena */
static bl_status make_lists(builder *b, bl_arena *arena) {
    bl_mechanism *m = b->m;
    size_t ne = (size_t)m->nentity + 1, ns = (size_t)m->nseat, nh = (size_t)m->nshare;
    bl_index *entity;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(b->seat_ptr, ne), BL_ARRAY(b->share_ptr, ne), BL_ARRAY(b->seat, ns), BL_ARRAY(b->open, ns),
                           BL_ARRAY(b->which, ns), BL_ARRAY(b->index, ns), BL_ARRAY(b->heap, ns + nh), BL_ARRAY(b->share, nh),
                           BL_ARRAY(b->remaining, nh), BL_ARRAY(entity, nh), BL_ARRAY(b->done, nh),
                           BL_ARRAY(b->in_loop, bl_model_joints(m->model))));
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->peel, nh), BL_ARRAY(m->core, m->nentity)));
    for (size_t i = 0; i < ns; i++)
        b->index[i] = -1;
    for (bl_index h = 0; h < m->nshare; h++) {
        const struct bl_share *s = &m->share[h];
        entity[h] = m->seat[s->seat_a].entity;
        for (int k = 0; k < 2 && s->seat_a != s->seat_b; k++) {
            b->open[k ? s->seat_b : s->seat_a]++;
            b->which[k ? s->seat_b : s->seat_a] ^= h;
        }
    }
    bl_wrench_group(m->nentity, m->nseat, &m->seat[0].entity, sizeof *m->seat, b->seat_ptr, b->seat);
    bl_wrench_group(m->nentity, m->nshare, entity, sizeof *entity, b->share_ptr, b->share);
    return BL_OK;
}

bl_status bl_shares_build(bl_mechanism *m) {
    bl_arena arena = {.ctx = m->ctx};
    builder b = {.m = m};
    if (m->nshare == 0)
        return BL_OK;
    bl_status status = make_lists(&b, &arena);
    for (bl_index h = 0; h < m->nshare && status == BL_OK; h++)
        if (!b.done[h])
            status = peel_entity(&b, m->seat[m->share[h].seat_a].entity);
    /* minimum norm is a choice, not a law: loads that depend on it are marked */
    for (bl_index i = 0; i < m->nnormal && status == BL_OK; i++) {
        uint8_t loop = b.in_loop[m->normal[i].joint];
        m->normal_open[i] = (loop & 1) || ((loop & 2) && m->normal[i].arm > 0);
    }
    bl_arena_destroy(&arena);
    return status;
}

/* ---- evaluation */

static void add_share_load(const bl_mechanism *m, bl_mech_work *w, bl_index share, const double *t) {
    for (int k = 0; k < 3; k++) {
        w->share_load[share][k] = t[k];
        w->seat_load[m->share[share].seat_b][k] -= t[k];
        w->seat_load[m->share[share].seat_a][k] += t[k];
    }
}

/* x = (A A^T)^-1 load */
static void solve(const struct bl_core *core, double (*b)[3], double (*x)[3]) {
    for (bl_index k = 0; k < core->n; k++)
        for (bl_index i = core->l_ptr[k]; i < core->l_ptr[k + 1]; i++)
            for (int c = 0; c < 3; c++)
                b[core->l_row[i]][c] -= core->l[i] * b[core->row[k]][c];
    for (bl_index k = core->n - 1; k >= 0; k--)
        for (int c = 0; c < 3; c++) {
            double sum = b[core->row[k]][c];
            for (bl_index i = core->u_ptr[k]; i < core->u_ptr[k + 1]; i++)
                sum -= core->u[i] * x[core->u_col[i]][c];
            x[core->col[k]][c] = sum / core->pivot[k];
        }
}

static void share_core(const struct bl_core *core, bl_mech_work *w) {
    double(*b)[3] = w->core_load, (*x)[3] = w->core_load + core->nseat;
    for (bl_index s = 0; s < core->nseat; s++)
        for (int c = 0; c < 3; c++) {
            b[s][c] = w->seat_load[core->seat[s]][c];
            x[s][c] = 0;
        }
    /* the mean of each ungrounded component, accumulated in x: there are no more components than seats */
    for (bl_index s = 0; s < core->nseat && core->nfloat > 0; s++)
        for (int c = 0; c < 3 && core->floats[s] >= 0; c++)
            x[core->floats[s]][c] += b[s][c] / core->size[core->floats[s]];
    for (bl_index s = 0; s < core->nseat && core->nfloat > 0; s++)
        for (int c = 0; c < 3 && core->floats[s] >= 0; c++)
            b[s][c] -= x[core->floats[s]][c];
    memset(x, 0, (size_t)core->nfloat * sizeof *x);
    solve(core, b, x);
    for (bl_index h = 0; h < core->nshare; h++)
        for (int c = 0; c < 3; c++) {
            bl_index from = core->end[h][0], to = core->end[h][1];
            w->share_load[core->share[h]][c] += (to < 0 ? 0 : x[to][c]) - (from < 0 ? 0 : x[from][c]);
        }
}

void bl_shares_find(const bl_mechanism *m, bl_mech_work *w) {
    memset(w->share_load, 0, (size_t)m->nshare * sizeof *w->share_load);
    for (bl_index i = 0; i < m->npeel; i++) {
        const struct bl_peel *p = &m->peel[i];
        double t[3];
        for (int k = 0; k < 3; k++)
            t[k] = p->sign * w->seat_load[p->seat][k];
        add_share_load(m, w, p->share, t);
    }
    for (bl_index i = 0; i < m->ncore; i++)
        share_core(&m->core[i], w);
}
