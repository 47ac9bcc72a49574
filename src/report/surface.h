/* surface: the visible surface of a mesh as triangles and edges between its nodes. Private to surface.c and mesh_fields.c. */
#ifndef BL_REPORT_SURFACE_H
#define BL_REPORT_SURFACE_H

#include "output/faces.h"
#include "report/report_private.h"

typedef struct bl_surface {
    bl_context *ctx;
    uint32_t nvertex, nnode, *node;   /* mesh node of each of the first nnode vertices, ascending */
    bl_index (*middle)[BL_FACE_MOST]; /* [nvertex - nnode] of the others: the nodes about a quadratic face without a node in its middle */
    float *x;                         /* [nvertex][3] */
    uint32_t ntriangle, *triangle;
    uint32_t nedge, *edge; /* [nedge][2] element edges, each once; line elements */
} bl_surface;

/* Value of a vertex, interpolated by the shape functions of its face where it is not a node; value[node][components] */
double bl_surface_value(const bl_surface *surface, uint32_t vertex, const double *value, int components, int c);

/* Boundary faces of solid elements, plane elements and line elements. Quadratic ones pass through their midside nodes. BL_E_ABILITY: too
 * many faces, or unknown elements. */
bl_status bl_surface_make(bl_context *ctx, const bl_run_mesh *mesh, bl_surface *surface);
void bl_surface_destroy(bl_surface *surface);

#endif
