/* Pieces connected by joints (union of sets), bridges (Tarjan 1974), and mobility by counting: M = 6 n - degrees of freedom removed by
 * joints - drivers, n moving bodies. Kutzbach 1929; 3 n in the plane. */
#include "topology/topology.h"

static bl_index root(bl_index *parent, bl_index i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

bl_status bl_topology_pieces(bl_context *ctx, const bl_model *model, bl_index *piece, bl_index *npiece) {
    bl_index *parent = NULL, n = model->nbody;
    *npiece = 0;
    BL_TRY(BL_NEW(ctx, parent, n));
    for (bl_index i = 0; i < n; i++)
        parent[i] = i;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_index *body = model->joint[j].body;
        if (body[0] < 0 || body[1] < 0)
            continue;
        bl_index a = root(parent, body[0]), b = root(parent, body[1]);
        parent[a > b ? a : b] = a < b ? a : b; /* the smallest index is the root */
    }
    for (const bl_elastic_def *e = model->elastic; e < model->elastic + model->nelastic; e++)
        for (bl_index b = e->frame; b < e->frame + e->nframe; b++) {
            bl_index x = root(parent, bl_elastic_body(e)), y = root(parent, b);
            parent[x > y ? x : y] = x < y ? x : y;
        }
    for (bl_index i = 0; i < n; i++) {
        bl_index top = root(parent, i);
        piece[i] = top == i ? (*npiece)++ : piece[top];
    }
    bl_free(ctx, parent);
    return BL_OK;
}

typedef struct walk {
    const bl_model *model;
    bl_index *ptr, *at;            /* joints of every body */
    bl_index *number, *low, *next; /* [nbody] position in the order, the earliest position its part reaches by another joint; next joint */
    bl_index *order, *up, norder;
    bool *bridge;
} walk;

static bl_index other_body(const bl_joint_def *joint, bl_index body) { return joint->body[joint->body[0] == body]; }

static void reach(walk *w, bl_index body, bl_index joint) {
    w->up[body] = joint;
    w->number[body] = w->low[body] = w->norder;
    w->order[w->norder++] = body;
    w->next[body] = w->ptr[body];
}

/* depth first without recursion: chains may be long; the path back is up[] */
static void walk_from(walk *w, bl_index root) {
    const bl_joint_def *joint = w->model->joint;
    reach(w, root, -1);
    for (bl_index body = root;;) {
        if (w->next[body] < w->ptr[body + 1]) {
            bl_index j = w->at[w->next[body]++], other = other_body(&joint[j], body);
            if (j == w->up[body] || other == body)
                continue;
            if (w->number[other] < 0) {
                reach(w, other, j);
                body = other;
            } else if (w->number[other] < w->low[body]) {
                w->low[body] = w->number[other];
            }
            continue;
        }
        if (body == root)
            return;
        bl_index j = w->up[body], parent = other_body(&joint[j], body);
        w->bridge[j] = w->low[body] > w->number[parent];
        w->low[parent] = w->low[body] < w->low[parent] ? w->low[body] : w->low[parent];
        body = parent;
    }
}

bl_status bl_topology_bridges(bl_context *ctx, const bl_model *model, bl_index *order, bl_index *up, bool *bridge) {
    bl_index n = model->nbody;
    void *block = NULL;
    walk w = {.model = model, .order = order, .up = up, .bridge = bridge};
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(w.ptr, n + 2), BL_ARRAY(w.number, n), BL_ARRAY(w.low, n), BL_ARRAY(w.next, n),
                         BL_ARRAY(w.at, 2 * (size_t)model->njoint)));
    for (bl_index j = 0; j < model->njoint; j++) {
        bridge[j] = false;
        for (int k = 0; k < 2 && model->joint[j].body[0] >= 0 && model->joint[j].body[1] >= 0; k++)
            w.ptr[model->joint[j].body[k] + 2]++;
    }
    for (bl_index b = 0; b < n; b++) {
        w.ptr[b + 2] += w.ptr[b + 1]; /* ptr[b + 1]: next free index of body b, finally its end */
        w.number[b] = -1;
    }
    for (bl_index j = 0; j < model->njoint; j++)
        for (int k = 0; k < 2 && model->joint[j].body[0] >= 0 && model->joint[j].body[1] >= 0; k++)
            w.at[w.ptr[model->joint[j].body[k] + 1]++] = j;
    for (bl_index b = 0; b < n; b++)
        if (w.number[b] < 0)
            walk_from(&w, b);
    bl_free(ctx, block);
    return BL_OK;
}

bl_index bl_topology_shapes(const bl_model *model) {
    bl_index per = model->dim == 3 ? 6 : 3, count = 0;
    for (const bl_elastic_def *e = model->elastic; e < model->elastic + model->nelastic; e++)
        count += e->floating ? e->floating->n - per * (e->nframe - 1) : 0;
    return count;
}

bl_index bl_topology_count(const bl_model *model) {
    bl_index count = (model->dim == 3 ? 6 : 3) * (model->nbody - 1) - model->ndriver;
    for (bl_index p = 0; p < model->nprim; p++)
        count -= bl_prim_forbids(&model->prim[p], model->dim);
    return count + bl_topology_shapes(model);
}

bl_index bl_topology_count_velocities(const bl_model *model) {
    bl_index count = bl_topology_count(model);
    for (bl_index p = 0; p < model->nprim; p++)
        count -= bl_prim_is_slip(&model->prim[p]) && !model->prim[p].one_sided;
    return count;
}
