/* surface: the visible surface of a mesh as triangles and edges between its nodes. Private to surface.c and mesh_fields.c. */
#ifndef BL_REPORT_SURFACE_H
#define BL_REPORT_SURFACE_H

#include "report/report_private.h"

typedef struct bl_surface {
    bl_context *ctx;
    uint32_t nvertex, *node; /* mesh node of each vertex, ascending */
    float *x;                /* [nvertex][3] */
    uint32_t ntriangle, *triangle;
    uint32_t nedge, *edge; /* [nedge][2] element edges, each once; line elements */
} bl_surface;

/* Boundary faces of solid elements, plane elements and line elements. Quadratic ones pass through their midside nodes. BL_E_ABILITY: too
 * many faces, or unknown elements. */
bl_status bl_surface_make(bl_context *ctx, const bl_run_mesh *mesh, bl_surface *surface);
void bl_surface_destroy(bl_surface *surface);

#endif
