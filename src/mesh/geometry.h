/* geometry: helpers for the map x(xi) = sum N_a(xi) x_a of an element. Private to the room. */
#ifndef BL_MESH_GEOMETRY_H
#define BL_MESH_GEOMETRY_H

#include "mesh/mesh.h"

static inline double bl_determinant(int dim, const double A[3][3]) {
    if (dim == 1)
        return A[0][0];
    if (dim == 2)
        return A[0][0] * A[1][1] - A[0][1] * A[1][0];
    return A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) + A[0][1] * (A[1][2] * A[2][0] - A[1][0] * A[2][2]) +
           A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
}

/* J[k][m] = dx_k / dxi_m; returns its determinant. */
double bl_element_jacobian(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double J[3][3]);

/* w[nnode][ncorner]: x_a = sum w[a][c] x_c for straight edges and flat faces. */
void bl_element_straight(const bl_element_kind *kind, double (*w)[8]);

static inline void bl_element_gather(const bl_element_kind *kind, const double (*x)[3], const bl_index *node, double (*out)[3]) {
    for (int a = 0; a < kind->nnode; a++)
        memcpy(out[a], x[node[a]], sizeof out[a]);
}

/* element number as shown to users */
static inline bl_index bl_mesh_element_number(const bl_mesh *mesh, bl_index element) {
    return mesh->element_label ? mesh->element_label[element] : element + 1;
}

/* ---- element_check.c: is an element valid? Tables of derivatives, built once per kind. */

typedef struct bl_validity {
    const bl_element_kind *kind;
    int dim;                           /* of the mesh */
    int n, inner;                      /* points to check: the first `inner` are quadrature points, the others corners */
    double (*dN)[BL_ELEMENT_NODES][3]; /* [n] */
} bl_validity;

bl_status bl_validity_begin(bl_context *ctx, const bl_element_kind *kind, int dim, bl_validity *s);
void bl_validity_end(bl_context *ctx, bl_validity *s);
/* x[nnode]. If false, *det: the offending determinant; *corner: at which corner, -1: at a quadrature point. */
bool bl_element_valid(const bl_validity *s, const double (*x)[3], double *det, int *corner);

/* ---- boundary.c */

/* Bit f of inner[element]: face f is shared with another element. The caller frees it. */
bl_status bl_mesh_inner_faces(const bl_mesh *mesh, uint8_t **inner);

#endif
