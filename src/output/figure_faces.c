/* Outer faces of cells, by VTK cell types. VTK File Formats, "cell types"; documentation of the
 * classes vtkTetra, vtkHexahedron, vtkWedge and their quadratic forms. */
#include "output/faces.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FACES = 6, MOST_NODES = 9 };

typedef struct cell_type {
    uint8_t type, dim, nface;
    struct {
        uint8_t n, node[MOST_NODES]; /* boundary nodes; the last one is the center if the face has one */
        bool curved, centered;
    } face[MOST_FACES];
} cell_type;

static const cell_type types[] = {
    {3, 1, 1, {{2, {0, 1}, false, false}}},
    {21, 1, 1, {{3, {0, 2, 1}, true, false}}},
    {5, 2, 1, {{3, {0, 1, 2}, false, false}}},
    {22, 2, 1, {{6, {0, 3, 1, 4, 2, 5}, true, false}}},
    {9, 2, 1, {{4, {0, 1, 2, 3}, false, false}}},
    {23, 2, 1, {{8, {0, 4, 1, 5, 2, 6, 3, 7}, true, false}}},
    {28, 2, 1, {{8, {0, 4, 1, 5, 2, 6, 3, 7, 8}, true, true}}},
    {10, 3, 4, {{3, {0, 1, 3}, false, false}, {3, {1, 2, 3}, false, false}, {3, {2, 0, 3}, false, false}, {3, {0, 2, 1}, false, false}}},
    {24,
     3,
     4,
     {{6, {0, 4, 1, 8, 3, 7}, true, false},
      {6, {1, 5, 2, 9, 3, 8}, true, false},
      {6, {2, 6, 0, 7, 3, 9}, true, false},
      {6, {0, 6, 2, 5, 1, 4}, true, false}}},
    {12,
     3,
     6,
     {{4, {0, 4, 7, 3}, false, false},
      {4, {1, 2, 6, 5}, false, false},
      {4, {0, 1, 5, 4}, false, false},
      {4, {3, 7, 6, 2}, false, false},
      {4, {0, 3, 2, 1}, false, false},
      {4, {4, 5, 6, 7}, false, false}}},
    {25,
     3,
     6,
     {{8, {0, 16, 4, 15, 7, 19, 3, 11}, true, false},
      {8, {1, 9, 2, 18, 6, 13, 5, 17}, true, false},
      {8, {0, 8, 1, 17, 5, 12, 4, 16}, true, false},
      {8, {3, 19, 7, 14, 6, 18, 2, 10}, true, false},
      {8, {0, 11, 3, 10, 2, 9, 1, 8}, true, false},
      {8, {4, 12, 5, 13, 6, 14, 7, 15}, true, false}}},
    {29,
     3,
     6,
     {{8, {0, 16, 4, 15, 7, 19, 3, 11, 20}, true, true},
      {8, {1, 9, 2, 18, 6, 13, 5, 17, 21}, true, true},
      {8, {0, 8, 1, 17, 5, 12, 4, 16, 22}, true, true},
      {8, {3, 19, 7, 14, 6, 18, 2, 10, 23}, true, true},
      {8, {0, 11, 3, 10, 2, 9, 1, 8, 24}, true, true},
      {8, {4, 12, 5, 13, 6, 14, 7, 15, 25}, true, true}}},
    {13,
     3,
     5,
     {{3, {0, 1, 2}, false, false},
      {3, {3, 5, 4}, false, false},
      {4, {0, 3, 4, 1}, false, false},
      {4, {1, 4, 5, 2}, false, false},
      {4, {2, 5, 3, 0}, false, false}}},
    {26,
     3,
     5,
     {{6, {0, 6, 1, 7, 2, 8}, true, false},
      {6, {3, 11, 5, 10, 4, 9}, true, false},
      {8, {0, 12, 3, 9, 4, 13, 1, 6}, true, false},
      {8, {1, 13, 4, 10, 5, 14, 2, 7}, true, false},
      {8, {2, 14, 5, 11, 3, 12, 0, 8}, true, false}}},
};

static const cell_type *type_of(uint8_t type) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].type == type)
            return &types[i];
    return NULL;
}

static bl_status add(bl_context *ctx, bl_faces *faces, const bl_run_mesh *mesh, bl_index cell, const cell_type *type, int which) {
    BL_TRY(BL_RESERVE(ctx, faces->face, faces->room, faces->n + 1));
    const bl_index *node = mesh->node + mesh->offset[cell];
    bl_face *face = &faces->face[faces->n++];
    *face = (bl_face){.cell = cell, .center = -1, .n = type->face[which].n, .curved = type->face[which].curved};
    for (int k = 0; k < face->n; k++)
        face->node[k] = node[type->face[which].node[k]];
    if (type->face[which].centered)
        face->center = node[type->face[which].node[face->n]];
    return BL_OK;
}

/* ---- faces and edges that occur once */

typedef struct key {
    bl_index corner[4]; /* ascending; triangles and edges are padded with -1 in front */
    bl_index of;
    uint8_t part;
} key;

static int compare(const void *a, const void *b) {
    const key *x = a, *y = b;
    for (int k = 0; k < 4; k++)
        if (x->corner[k] != y->corner[k])
            return x->corner[k] < y->corner[k] ? -1 : 1;
    return x->of != y->of ? (x->of < y->of ? -1 : 1) : (int)x->part - (int)y->part;
}

static bool same(const key *x, const key *y) { return memcmp(x->corner, y->corner, sizeof x->corner) == 0; }

static key key_of(int n, const bl_index *node, int stride, bl_index of, int part) {
    key k = {{-1, -1, -1, -1}, of, (uint8_t)part};
    int count = n / stride;
    for (int i = 0; i < count && i < 4; i++) { /* insertion */
        int at = 4 - count + i;
        k.corner[at] = node[i * stride];
        for (; at > 4 - count && k.corner[at - 1] > k.corner[at]; at--) {
            bl_index swap = k.corner[at];
            k.corner[at] = k.corner[at - 1];
            k.corner[at - 1] = swap;
        }
    }
    return k;
}

/* sorts, and keeps the keys that occur once; returns their number */
static size_t keep_single(key *all, size_t n) {
    size_t kept = 0;
    qsort(all, n, sizeof *all, compare);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && same(&all[i], &all[end]))
            end++;
        if (end == i + 1)
            all[kept++] = all[i];
        i = end;
    }
    return kept;
}

static bl_status find_surface(bl_context *ctx, const bl_run_mesh *mesh, bl_faces *faces) {
    key *all;
    size_t n = 0;
    bl_status status = BL_OK;
    BL_TRY(BL_NEW(ctx, all, (size_t)mesh->ncell * MOST_FACES));
    for (bl_index c = 0; c < mesh->ncell; c++) {
        const cell_type *type = type_of(mesh->type[c]);
        for (int f = 0; type && type->dim == 3 && f < type->nface; f++) {
            bl_index node[MOST_NODES];
            for (int k = 0; k < type->face[f].n; k++)
                node[k] = mesh->node[mesh->offset[c] + type->face[f].node[k]];
            all[n++] = key_of(type->face[f].n, node, type->face[f].curved ? 2 : 1, c, f);
        }
    }
    n = keep_single(all, n);
    for (size_t i = 0; i < n && status == BL_OK; i++)
        status = add(ctx, faces, mesh, all[i].of, type_of(mesh->type[all[i].of]), all[i].part);
    bl_free(ctx, all);
    return status;
}

static bl_status outline(bl_context *ctx, bl_faces *faces) {
    key *all;
    size_t n = 0;
    BL_TRY(BL_NEW(ctx, all, (size_t)faces->n * BL_FACE_MOST));
    for (bl_index f = 0; f < faces->n; f++) {
        const bl_face *face = &faces->face[f];
        int stride = face->curved ? 2 : 1;
        for (int k = 0; face->n > 2 && k < face->n; k += stride) {
            const bl_index ends[2] = {face->node[k], face->node[(k + stride) % face->n]};
            all[n++] = key_of(2, ends, 1, f, k);
        }
    }
    n = keep_single(all, n);
    bl_status status = BL_NEW(ctx, faces->edge, n);
    for (size_t i = 0; i < n && status == BL_OK; i++) {
        const bl_face *face = &faces->face[all[i].of];
        int k = all[i].part, stride = face->curved ? 2 : 1;
        bl_index *edge = faces->edge[faces->nedge++];
        edge[0] = face->node[k];
        edge[1] = face->node[(k + stride) % face->n];
        edge[2] = face->curved ? face->node[k + 1] : -1;
    }
    bl_free(ctx, all);
    return status;
}

bl_status bl_faces_find(bl_context *ctx, const bl_run_mesh *mesh, bl_faces *faces) {
    *faces = (bl_faces){0};
    for (bl_index c = 0; c < mesh->ncell; c++) {
        const cell_type *type = type_of(mesh->type[c]);
        int nodes = mesh->offset[c + 1] - mesh->offset[c];
        static const uint8_t count[] = {[3] = 2,  [21] = 3,  [5] = 3,  [22] = 6,  [9] = 4,   [23] = 8, [28] = 9,
                                        [10] = 4, [24] = 10, [12] = 8, [25] = 20, [29] = 27, [13] = 6, [26] = 15};
        if (!type || nodes != count[type->type])
            return bl_fail(ctx, BL_E_ABILITY, NULL, "cells of type %d with %d nodes cannot be drawn", mesh->type[c], nodes);
        if (type->dim < 3)
            BL_TRY(add(ctx, faces, mesh, c, type, 0));
        if (mesh->ncell > 4 * BL_FACES_MOST || faces->n > BL_FACES_MOST) {
            bl_fail(ctx, BL_E_ABILITY, NULL, "the mesh of '%s' has %d cells, too many to draw", mesh->name, (int)mesh->ncell);
            bl_advise(ctx, "open the result file with ParaView (5.12 or newer), or write files for it with --vtk");
            return BL_E_ABILITY;
        }
    }
    BL_TRY(find_surface(ctx, mesh, faces));
    return outline(ctx, faces);
}

void bl_faces_destroy(bl_context *ctx, bl_faces *faces) {
    bl_free(ctx, faces->face);
    bl_free(ctx, faces->edge);
    *faces = (bl_faces){0};
}

/* shape functions at the center: -1/9 and 4/9 for the 6-node triangle, -1/4 and 1/2 for the 8-node quadrilateral */
double bl_face_center(const bl_face *face, const double *value) {
    double corners = 0, middles = 0;
    for (int k = 0; k < face->n; k++)
        *(face->curved && k % 2 ? &middles : &corners) += value[k];
    if (!face->curved)
        return corners / face->n;
    return face->n == 6 ? (4 * middles - corners) / 9 : middles / 2 - corners / 4;
}
