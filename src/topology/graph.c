/* Pieces connected by joints (union of sets), and mobility by counting: M = 6 n - sum of what joints forbid - drivers, n moving bodies.
 * Kutzbach 1929; 3 n in the plane. */
#include "topology/topology.h"

static bl_index root(bl_index *parent, bl_index i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

bl_status bl_topology_pieces(const bl_model *model, bl_index *piece, bl_index *npiece) {
    bl_index *parent = NULL, n = model->nbody;
    *npiece = 0;
    BL_TRY(BL_NEW(model->ctx, parent, n));
    for (bl_index i = 0; i < n; i++)
        parent[i] = i;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_index *body = model->joint[j].body;
        if (body[0] < 0 || body[1] < 0)
            continue;
        bl_index a = root(parent, body[0]), b = root(parent, body[1]);
        parent[a > b ? a : b] = a < b ? a : b; /* the smallest index is the root */
    }
    for (bl_index i = 0; i < n; i++) {
        bl_index top = root(parent, i);
        piece[i] = top == i ? (*npiece)++ : piece[top];
    }
    bl_free(model->ctx, parent);
    return BL_OK;
}

bl_status bl_topology_count(const bl_model *model, bl_index *count) {
    *count = (model->dim == 3 ? 6 : 3) * (model->nbody - 1) - model->ndriver;
    for (bl_index j = 0; j < model->njoint; j++) {
        bl_index forbids = 0;
        BL_TRY(bl_joint_forbids(model, &model->joint[j], &forbids));
        *count -= forbids;
    }
    return BL_OK;
}
