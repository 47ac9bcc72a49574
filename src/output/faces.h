/* faces: what is seen of a mesh, for figures and reports. */
#ifndef BL_OUTPUT_FACES_H
#define BL_OUTPUT_FACES_H

#include "base/base.h"
#include "biela/fields.h"

enum { BL_FACE_MOST = 8, BL_FACES_MOST = 300000 };

/* A face as it is drawn: its nodes around, and a center whose values follow from them or are those of a node. */
typedef struct bl_face {
    bl_index cell;
    bl_index node[BL_FACE_MOST];
    bl_index center; /* a node, or -1 */
    uint8_t n;       /* nodes around: 2, 3 for lines */
    bool curved;     /* every other node is the middle of an edge */
} bl_face;

typedef struct bl_faces {
    bl_index n, room;
    bl_face *face;
    bl_index nedge;      /* edges of one face alone: of meshes in the plane their outline */
    bl_index (*edge)[3]; /* two ends, and the middle between them or -1 */
} bl_faces;

/* Faces to draw: in the plane all cells, in space those of one cell. */
bl_status bl_faces_find(bl_context *ctx, const bl_run_mesh *mesh, bl_faces *faces);
void bl_faces_destroy(bl_context *ctx, bl_faces *faces);
/* Values at the center of a face from those around, by its functions. value[n] */
double bl_face_center(const bl_face *face, const double *value);

#endif
