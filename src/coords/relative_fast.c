/* Data for the kernels of relative_fast.h: links expressed at their joints, in their own axes. */
#include "coords/relative.h"

#include "base/vector3.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* axes of a link in the model configuration: the third is its joint axis */
static void own_axes(const bl_tree_axis *axis, double *Z) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(Z, identity, sizeof identity);
    if (axis->what == BL_BALL)
        return;
    double *x = Z, *y = Z + 3, *z = Z + 6;
    int least = 0;
    for (int c = 0; c < 3; c++) {
        z[c] = axis->sign * axis->axis[c];
        least = fabs(z[c]) < fabs(z[least]) ? c : least;
    }
    for (int c = 0; c < 3; c++)
        x[c] = (c == least) - z[least] * z[c];
    double length = sqrt(dot3(x, x));
    for (int c = 0; c < 3; c++)
        x[c] /= length;
    cross3(z, x, y);
}

static void turn_back(const double *Z, const double *x, double *out) {
    for (int k = 0; k < 3; k++)
        out[k] = dot3(Z + 3 * k, x);
}

/* inertia at the joint: at r from the mass center, in the axes Z */
static void own_inertia(const double *I, double m, const double *r, const double *Z, bool *round, bl_fast_mass *f) {
    double full[9], rr = dot3(r, r), column[3];
    const double at_center[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            full[3 * i + j] = at_center[3 * i + j] + m * ((i == j ? rr : 0) - r[i] * r[j]);
    bool diagonal = full[1] == 0 && full[2] == 0 && full[5] == 0;
    for (int k = 0; k < 3 && diagonal && !*round; k++)
        if (full[4 * ((k + 1) % 3)] == full[4 * ((k + 2) % 3)]) { /* symmetric about its own axis k */
            double e[3] = {k == 0, k == 1, k == 2};
            *round = true;
            turn_back(Z, e, f->e);
            f->across = full[4 * ((k + 1) % 3)];
            f->more = full[4 * k] - f->across;
        }
    if (*round)
        return;
    double own[9];
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++)
            column[i] = dot3(full + 3 * i, Z + 3 * k);
        turn_back(Z, column, own + 3 * k);
    }
    const int at[6] = {0, 4, 8, 1, 5, 6};
    for (int k = 0; k < 6; k++)
        f->I[k] = own[at[k]];
}

/* Depth-first order of the links: order[k] is the k-th one, index_of its inverse. A chain passes data on in registers that a fork has to
 * store. */
static bl_status depth_first(const bl_tree *t, bl_index *order, bl_index *index_of) {
    bl_index n = t->nlink, *first, reached = 0;
    BL_TRY(BL_NEW(t->on.arena.ctx, first, 2 * n + 2)); /* [n] children of the ground */
    bl_index *other = first + n + 1;                   /* next child of the same parent */
    for (bl_index i = 0; i <= n; i++)
        first[i] = -1;
    for (bl_index i = n - 1; i >= 0; i--) {
        bl_index up = t->link[i].parent < 0 ? n : t->link[i].parent;
        other[i] = first[up];
        first[up] = i;
    }
    for (bl_index i = first[n]; i >= 0;) {
        order[reached] = i;
        index_of[i] = reached++;
        bl_index on = first[i];
        for (bl_index at = i; on < 0 && at >= 0; at = t->link[at].parent)
            on = other[at];
        i = on;
    }
    bl_free(t->on.arena.ctx, first);
    return BL_OK;
}

/* whether the mass center is on e, within rounding; its distance */
static bool on_axis(bl_fast_mass *f) {
    double off = 0, size = 0;
    f->reach = 0;
    for (int k = 0; k < 3; k++)
        f->reach += f->e[k] * f->mr[k];
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(f->mr[k] - f->reach * f->e[k]));
        size = fmax(size, fabs(f->mr[k]));
    }
    return off <= 4 * DBL_EPSILON * size;
}

/* data of link i for the kernels, except its neighbors */
static void prepare_link(const bl_tree *t, bl_index i, bl_fast_link *f, bl_fast_joint *joint, bl_fast_mass *mass) {
    const bl_link *link = &t->link[i], *up = link->parent >= 0 ? &t->link[link->parent] : NULL;
    const bl_tree_axis *axis = &t->axis[link->first];
    double m = t->on.m->model->body[link->body].mass, r[3], at[3], mr[3], Z[9], Zp[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    *f = (bl_fast_link){.col = axis->col, .ball = axis->ball, .fork = -1};
    *mass = (bl_fast_mass){.m = m};
    joint->zero = axis->zero;
    own_axes(axis, Z);
    if (up)
        own_axes(&t->axis[up->first], Zp);
    for (int c = 0; c < 3; c++) {
        r[c] = link->to_parent[c] - axis->at[c];
        mr[c] = m * r[c];
        /* both points are relative to the parent's center; needed relative to the parent's joint */
        at[c] = axis->at[c] + (up ? up->to_parent[c] - t->axis[up->first].at[c] : 0);
    }
    for (int k = 0; k < 3; k++)
        turn_back(Zp, Z + 3 * k, joint->C + 3 * k);
    turn_back(Zp, at, joint->at);
    turn_back(Z, mr, mass->mr);
    own_inertia(t->inertia + 6 * i, m, r, Z, &f->round, mass);
    if (f->round)
        f->straight = on_axis(mass);
}

bl_status bl_tree_fast_build(bl_tree *t) {
    bl_index n = t->nlink, *order;
    for (bl_index i = 0; i < n; i++)
        if (t->link[i].count != 1 || t->axis[t->link[i].first].what == BL_SLIDE)
            return BL_OK;
    bl_fast_tree *fast = &t->fast;
    bl_fast_link *link;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(link, (size_t)n + 1), BL_ARRAY(fast->joint, (size_t)n + 1),
                           BL_ARRAY(fast->mass, (size_t)n + 1), BL_ARRAY(t->unturned, 9 * (size_t)t->nball + 1)));
    for (bl_index k = 0; k < 9 * t->nball; k++)
        t->unturned[k] = k % 9 % 4 == 0;
    BL_TRY(BL_NEW(t->on.arena.ctx, order, 2 * n + 1));
    bl_index *index_of = order + n;
    bl_status status = depth_first(t, order, index_of);
    for (bl_index k = 0; status == BL_OK && k < n; k++) {
        bl_index up = t->link[order[k]].parent;
        prepare_link(t, order[k], &link[k], &fast->joint[k], &fast->mass[k]);
        link[k].parent = up < 0 ? -1 : index_of[up];
        link[k].next = up >= 0 && index_of[up] == k - 1;
        if (up >= 0 && !link[k].next && link[index_of[up]].fork < 0)
            link[index_of[up]].fork = fast->nfork++;
    }
    bl_free(t->on.arena.ctx, order);
    BL_TRY(status);
    fast->n = n;
    fast->link = link;
    t->fast_kernels = BL_ISA_PICK(t->on.arena.ctx, bl_fast_kernels);
    return BL_OK;
}

bl_status bl_tree_fast_create(const bl_tree *t, bl_fast_work *w) {
    if (!t->fast.link)
        return BL_OK;
    BL_TRY(BL_NEW(t->on.arena.ctx, w->motion, t->nlink + 1));
    BL_TRY(BL_NEW(t->on.arena.ctx, w->response, t->nlink + 1));
    BL_TRY(BL_NEW(t->on.arena.ctx, w->ball, t->nball + 1));
    return BL_NEW(t->on.arena.ctx, w->fork, t->fast.nfork + 1);
}

void bl_tree_fast_destroy(const bl_tree *t, bl_fast_work *w) {
    bl_free(t->on.arena.ctx, w->motion);
    bl_free(t->on.arena.ctx, w->response);
    bl_free(t->on.arena.ctx, w->ball);
    bl_free(t->on.arena.ctx, w->fork);
}

bl_status bl_tree_fast(const bl_system *sys, const bl_eval *e, double *acceleration) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_fast_work *work = &((bl_tree_work *)e->own)->fast;
    const double *g = t->on.m->model->gravity, gravity[3] = {g[0], g[1], t->on.m->dim == 3 ? g[2] : 0};
    const double *balls = e->history ? (const double *)(const void *)(e->history + t->on.inner_history) : t->unturned;
    return t->fast_kernels->run(&t->fast, gravity, e->q, e->v, balls, work, acceleration) ? BL_OK : BL_SINGULAR;
}

bool bl_tree_fast_demand(const bl_system *sys, const bl_eval *e, const double *a, double *force) {
    const bl_tree *t = bl_tree_of(sys);
    if (!t->fast.link || !t->only_gravity || t->nball > 0)
        return false;
    const double *g = t->on.m->model->gravity, gravity[3] = {g[0], g[1], t->on.m->dim == 3 ? g[2] : 0};
    t->fast_kernels->demand(&t->fast, gravity, e->q, e->v, a, &((bl_tree_work *)e->own)->fast, force);
    return true;
}
