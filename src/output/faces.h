/* faces: the visible faces of a mesh, for figures and reports. */
#ifndef BL_OUTPUT_FACES_H
#define BL_OUTPUT_FACES_H

#include "base/base.h"
#include "biela/fields.h"

enum { BL_FACE_MOST = 8, BL_FACES_MOST = 300000 };

/* A face in drawing order: the nodes of its boundary in order, and a center, which is a node or interpolated. */
typedef struct bl_face {
    bl_index cell;
    bl_index node[BL_FACE_MOST];
    bl_index center; /* a node, or -1 */
    uint8_t n;       /* boundary nodes; 2 or 3 for lines */
    bool curved;     /* every other node is a midside node */
} bl_face;

typedef struct bl_faces {
    bl_index n, room;
    bl_face *face;
    bl_index nedge;      /* edges that belong to a single face: the outline of plane meshes */
    bl_index (*edge)[3]; /* two ends, and the midside node or -1 */
} bl_faces;

/* Faces to draw: plane cells; of solid cells the faces that belong to a single cell. */
bl_status bl_faces_find(bl_context *ctx, const bl_run_mesh *mesh, bl_faces *faces);
void bl_faces_destroy(bl_context *ctx, bl_faces *faces);
/* Value at the center of a face, interpolated by its shape functions from value[n]. */
double bl_face_center(const bl_face *face, const double *value);

#endif
