/* What a meshed body of a mechanism looks like: in the plane the outline of its mesh, in space the faces of its boundary, undeformed. */
#include "model/solid_reader.h"

#include <math.h>
#include <string.h>

/* ---- in the plane */

typedef struct edges {
    bl_index count;
    bl_index (*node)[3]; /* from, through (or -1), to: the body is on the left */
    bl_index *starting;  /* [nodes] the edge that starts there; -1: none */
    bool *used;
} edges;

static void list_edges(const bl_mesh *mesh, const bl_index *element, const uint8_t *which, edges *e) {
    for (bl_index i = 0; i < mesh->nnode; i++)
        e->starting[i] = -1;
    for (bl_index k = 0; k < e->count; k++) {
        bl_index at;
        const bl_mesh_block *block = bl_mesh_block_of(mesh, element[k], &at);
        const bl_element_face *face = &block->kind->face[which[k]];
        const bl_index *of = block->node + (size_t)at * block->kind->nnode;
        e->node[k][0] = of[face->node[0]];
        e->node[k][1] = face->kind->nnode > 2 ? of[face->node[2]] : -1;
        e->node[k][2] = of[face->node[1]];
        e->starting[e->node[k][0]] = k;
    }
}

/* The loop that begins with an edge, closed or not; returns the number of its points. */
static bl_index follow(const bl_mesh *mesh, edges *e, bl_index first, double (*point)[3]) {
    bl_index n = 0;
    for (bl_index k = first; k >= 0 && !e->used[k]; k = e->starting[e->node[k][2]]) {
        e->used[k] = true;
        for (int i = 0; i < 2; i++)
            if (e->node[k][i] >= 0)
                memcpy(point[n++], mesh->x[e->node[k][i]], sizeof *point);
    }
    return n;
}

static double area_of(bl_index n, const double (*p)[3]) {
    double sum = 0;
    for (bl_index i = 0, j = n - 1; i < n; j = i++)
        sum += p[j][0] * p[i][1] - p[i][0] * p[j][1];
    return 0.5 * sum;
}

/* the longest way round: holes are not drawn */
static bl_status outline(bl_reader *r, const bl_mesh *mesh, edges *e, bl_appearance *look) {
    double(*best)[3], (*point)[3], most = 0;
    BL_TRY(BL_ARENA_ARRAYS(&r->model->arena, BL_ARRAY(best, 2 * e->count), BL_ARRAY(point, 2 * e->count)));
    look->kind = BL_APPEARANCE_POLYGON;
    for (bl_index k = 0; k < e->count; k++) {
        bl_index n = e->used[k] ? 0 : follow(mesh, e, k, point);
        double area = n > 2 ? fabs(area_of(n, (const double(*)[3])point)) : 0;
        if (!(area > most))
            continue;
        most = area;
        look->npoint = n;
        memcpy(best, point, (size_t)n * sizeof *best);
    }
    look->point = (const double(*)[3])best;
    return BL_OK;
}

/* ---- in space */

static bl_status faces(bl_reader *r, const bl_mesh *mesh, bl_index count, const bl_index *element, const uint8_t *which,
                       bl_appearance *look) {
    bl_index(*triangle)[3];
    BL_TRY(BL_ARENA_NEW(&r->model->arena, triangle, 2 * (size_t)count));
    for (bl_index k = 0; k < count; k++) {
        bl_index at;
        const bl_mesh_block *block = bl_mesh_block_of(mesh, element[k], &at);
        const bl_element_face *face = &block->kind->face[which[k]];
        const bl_index *of = block->node + (size_t)at * block->kind->nnode;
        for (int half = 0; half < face->kind->ncorner - 2; half++)
            for (int i = 0; i < 3; i++)
                triangle[look->ntriangle + half][i] = of[face->node[i == 0 ? 0 : half + i]];
        look->ntriangle += face->kind->ncorner - 2;
    }
    look->kind = BL_APPEARANCE_MESH;
    look->npoint = mesh->nnode;
    look->point = (const double(*)[3])mesh->x;
    look->triangle = (const bl_index(*)[3])triangle;
    return BL_OK;
}

bl_status bl_mesh_look(bl_reader *r, bl_mesh *mesh, bl_body *body) {
    const bl_index *element;
    const uint8_t *which;
    bl_index count;
    edges e = {0};
    bl_appearance *look;
    BL_TRY(bl_mesh_boundary(mesh, &count, &element, &which));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, look, 1));
    if (mesh->dim == 3) {
        BL_TRY(faces(r, mesh, count, element, which, look));
    } else {
        e.count = count;
        BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(e.node, count), BL_ARRAY(e.starting, mesh->nnode), BL_ARRAY(e.used, count)));
        list_edges(mesh, element, which, &e);
        BL_TRY(outline(r, mesh, &e, look));
    }
    body->appearance = look;
    body->nappearance = 1;
    return BL_OK;
}
