/* surface: what is seen of a mesh, as triangles and lines between vertices that lie on it. Private to surface.c and mesh_fields.c. */
#ifndef BL_REPORT_SURFACE_H
#define BL_REPORT_SURFACE_H

#include "report/report_private.h"

typedef struct bl_surface {
    bl_context *ctx;
    uint32_t nvertex, *node; /* node of the mesh that each vertex is, ascending */
    float *x;                /* [nvertex][3] */
    uint32_t ntriangle, *triangle;
    uint32_t nedge, *edge; /* [nedge][2] borders of elements, each once; elements on a line */
} bl_surface;

/* Boundary faces of elements in space, elements in the plane and on a line. Quadratic ones go through their middle nodes. BL_E_ABILITY: too
 * many faces, or elements that are not known. */
bl_status bl_surface_make(bl_context *ctx, const bl_run_mesh *mesh, bl_surface *surface);
void bl_surface_destroy(bl_surface *surface);

#endif
