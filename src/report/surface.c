/* Splits element faces into triangles between nodes. The corners of a quadratic triangle are cut off at its midside nodes, and the rest is
 * the triangle of these; those of quadrilaterals meet in the middle, at the node there or at a vertex where values are interpolated. */
#include "report/surface.h"

#include <stdlib.h>
#include <string.h>

enum { TRIANGLES_MOST = 8 };

/* a quadratic quadrilateral without a node in its middle */
static bool has_middle(const bl_face *face) { return face->curved && face->n == BL_FACE_MOST && face->center < 0; }

/* node numbers around the face, the center is number n; returns the number of triangles */
static int split(const bl_face *face, int triangle[TRIANGLES_MOST][3]) {
    int n = face->n, count = 0;
    if (face->center >= 0 || has_middle(face)) {
        for (int k = 0; k < n; k++, count++)
            memcpy(triangle[count], (const int[3]){k, (k + 1) % n, n}, sizeof triangle[count]);
        return count;
    }
    int stride = face->curved ? 2 : 1, inner[BL_FACE_MOST], ninner = 0;
    for (int k = 0; face->curved && k < n; k += 2, count++)
        memcpy(triangle[count], (const int[3]){k, k + 1, (k + n - 1) % n}, sizeof triangle[count]);
    for (int k = face->curved ? 1 : 0; k < n; k += stride)
        inner[ninner++] = k;
    for (int k = 1; k + 1 < ninner; k++, count++)
        memcpy(triangle[count], (const int[3]){inner[0], inner[k], inner[k + 1]}, sizeof triangle[count]);
    return count;
}

static bool is_line(const bl_face *face) { return face->n == 2 || (face->n == 3 && face->curved); }

/* ---- vertices */

/* number of the vertex of every node, from 1; 0: inside */
static bl_status find_vertices(const bl_run_mesh *mesh, const bl_faces *faces, bl_surface *s, uint32_t *vertex) {
    for (bl_index f = 0; f < faces->n; f++) {
        for (int k = 0; k < faces->face[f].n; k++)
            vertex[faces->face[f].node[k]] = 1;
        if (faces->face[f].center >= 0)
            vertex[faces->face[f].center] = 1;
    }
    for (bl_index i = 0; i < mesh->nnode; i++)
        if (vertex[i])
            vertex[i] = ++s->nnode;
    s->nvertex = s->nnode;
    for (bl_index f = 0; f < faces->n; f++)
        s->nvertex += has_middle(&faces->face[f]);
    BL_TRY(BL_NEW(s->ctx, s->node, s->nnode));
    BL_TRY(BL_NEW(s->ctx, s->middle, s->nvertex - s->nnode));
    BL_TRY(BL_NEW(s->ctx, s->x, (size_t)s->nvertex * 3));
    for (bl_index i = 0; i < mesh->nnode; i++) {
        if (!vertex[i])
            continue;
        s->node[vertex[i] - 1] = (uint32_t)i;
        for (int k = 0; k < 3; k++)
            s->x[(size_t)(vertex[i] - 1) * 3 + (size_t)k] = (float)mesh->x[i][k];
    }
    uint32_t v = s->nnode;
    for (bl_index f = 0; f < faces->n; f++) {
        if (!has_middle(&faces->face[f]))
            continue;
        memcpy(s->middle[v - s->nnode], faces->face[f].node, sizeof *s->middle);
        for (int k = 0; k < 3; k++)
            s->x[(size_t)v * 3 + (size_t)k] = (float)bl_surface_value(s, v, &mesh->x[0][0], 3, k);
        v++;
    }
    return BL_OK;
}

double bl_surface_value(const bl_surface *s, uint32_t vertex, const double *value, int components, int c) {
    const bl_face face = {.center = -1, .n = BL_FACE_MOST, .curved = true};
    double about[BL_FACE_MOST];
    if (vertex < s->nnode)
        return value[(size_t)s->node[vertex] * (size_t)components + (size_t)c];
    for (int k = 0; k < BL_FACE_MOST; k++)
        about[k] = value[(size_t)s->middle[vertex - s->nnode][k] * (size_t)components + (size_t)c];
    return bl_face_center(&face, about);
}

static uint32_t vertex_of(const bl_face *face, int k, const uint32_t *vertex) {
    return vertex[k < face->n ? face->node[k] : face->center] - 1;
}

/* ---- triangles and edges */

static int by_ends(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] < y[1] ? -1 : x[1] > y[1];
}

static bl_status find_edges(const bl_faces *faces, const uint32_t *vertex, bl_surface *s) {
    size_t n = 0, kept = 0;
    BL_TRY(BL_NEW(s->ctx, s->edge, (size_t)faces->n * BL_FACE_MOST * 2));
    for (bl_index f = 0; f < faces->n; f++) {
        const bl_face *face = &faces->face[f];
        int count = is_line(face) ? face->n - 1 : face->n;
        for (int k = 0; k < count; k++, n++) {
            uint32_t a = vertex_of(face, k, vertex), b = vertex_of(face, (k + 1) % face->n, vertex);
            s->edge[2 * n] = a < b ? a : b;
            s->edge[2 * n + 1] = a < b ? b : a;
        }
    }
    qsort(s->edge, n, 2 * sizeof *s->edge, by_ends);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_ends(&s->edge[2 * i], &s->edge[2 * kept - 2]) != 0) {
            memmove(&s->edge[2 * kept], &s->edge[2 * i], 2 * sizeof *s->edge);
            kept++;
        }
    s->nedge = (uint32_t)kept;
    return BL_OK;
}

static bl_status find_triangles(const bl_faces *faces, const uint32_t *vertex, bl_surface *s) {
    uint32_t middle = s->nnode;
    BL_TRY(BL_NEW(s->ctx, s->triangle, (size_t)faces->n * TRIANGLES_MOST * 3));
    for (bl_index f = 0; f < faces->n; f++) {
        int part[TRIANGLES_MOST][3], n = is_line(&faces->face[f]) ? 0 : split(&faces->face[f], part);
        for (int k = 0; k < n; k++, s->ntriangle++)
            for (int corner = 0; corner < 3; corner++)
                s->triangle[3 * (size_t)s->ntriangle + (size_t)corner] = has_middle(&faces->face[f]) && part[k][corner] == BL_FACE_MOST
                                                                             ? middle
                                                                             : vertex_of(&faces->face[f], part[k][corner], vertex);
        middle += has_middle(&faces->face[f]);
    }
    return BL_OK;
}

bl_status bl_surface_make(bl_context *ctx, const bl_run_mesh *mesh, bl_surface *s) {
    bl_faces faces = {0};
    uint32_t *vertex = NULL;
    *s = (bl_surface){.ctx = ctx};
    bl_status status = bl_faces_find(ctx, mesh, &faces);
    if (status == BL_OK)
        status = BL_NEW(ctx, vertex, mesh->nnode);
    if (status == BL_OK)
        status = find_vertices(mesh, &faces, s, vertex);
    if (status == BL_OK)
        status = find_triangles(&faces, vertex, s);
    if (status == BL_OK)
        status = find_edges(&faces, vertex, s);
    bl_free(ctx, vertex);
    bl_faces_destroy(ctx, &faces);
    return status;
}

void bl_surface_destroy(bl_surface *s) {
    bl_free(s->ctx, s->node);
    bl_free(s->ctx, s->middle);
    bl_free(s->ctx, s->x);
    bl_free(s->ctx, s->triangle);
    bl_free(s->ctx, s->edge);
    *s = (bl_surface){.ctx = s->ctx};
}
