/* element: reference elements. A kind has shape functions, faces and quadrature rules; it is independent of the problem, the material and
 * the unknowns. To add one: copy quad4.c, add a line to element_list.h.
 *
 * Reference coordinates: segments, quadrilaterals and hexahedra [-1, 1]^d; triangles and tetrahedra xi, eta, zeta >= 0 with a sum of at
 * most 1; wedges a triangle (xi, eta) times zeta in [-1, 1]. Nodes: corners, then midpoints of edges, then of faces, then the center, in
 * the order of docs/theory/elements.md. */
#ifndef BL_ELEMENT_H
#define BL_ELEMENT_H

#include "base/kind.h"

typedef enum bl_shape { BL_SEGMENT, BL_TRIANGLE, BL_QUAD, BL_TETRA, BL_HEXA, BL_WEDGE, BL_SHAPES } bl_shape;

enum { BL_ELEMENT_NODES = 27, BL_ELEMENT_FACES = 6, BL_FACE_NODES = 9, BL_ELEMENT_POINTS = 125 }; /* at most */

/* ---- quadrature */

typedef struct bl_quadrature {
    bl_index n;
    const double (*at)[3];
    const double *weight; /* their sum is the volume of the reference element */
} bl_quadrature;

/* The rule of a shape by points per direction: segments n[0]; quads n[0] x n[1]; hexas n[0] x n[1] x n[2], Gauss, 1 to 5 each; triangles
 * and tetrahedra by a number of points n[0] (triangle 1, 3, 6, 7, 12; tetra 1, 4, 15); wedges n[0] in the triangle, n[1] along. Tables are
 * constant. BL_E_ABILITY, without a message, if there is no such rule. */
bl_status bl_quadrature_of(bl_shape shape, const int n[3], bl_quadrature *rule);

/* ---- elements */

typedef struct bl_element_face {
    const struct bl_element_kind
        *kind; /* kind of the face: in the plane a segment, in space a triangle or quad; NULL for a segment, whose faces are nodes */
    uint8_t node[BL_FACE_NODES]; /* in the order of the face's kind, so that its normal (in the plane: to the right) points outward */
} bl_element_face;

typedef struct bl_element_kind {
    bl_kind kind;
    bl_shape shape;
    uint8_t dim, nnode, ncorner, degree; /* degree: of the complete polynomials it represents */
    uint8_t nface;
    const bl_element_face *face;
    const double (*node)[3]; /* [nnode] reference coordinates */
    /* quadrature of the stiffness, of the mass, and reduced quadrature of the stiffness; as for bl_quadrature_of */
    int points[3], mass_points[3], reduced_points[3];
    /* N[nnode], dN[nnode][3] with respect to reference coordinates; either may be NULL */
    void (*functions)(const double xi[3], double *N, double (*dN)[3]);
    bool row_sum;              /* lumped mass by row sums; else by scaling the diagonal (HRZ) */
    uint8_t vtk, gmsh;         /* type numbers in files */
    const uint8_t *gmsh_order; /* [nnode] our node k is node gmsh_order[k] of Gmsh; NULL: the same order */
    const uint8_t *vtk_order;  /* likewise for VTK */
} bl_element_kind;

#define BL_KIND(name) extern const bl_element_kind bl_element_##name;
#include "mesh/element_list.h"
#undef BL_KIND

extern const bl_element_kind *const bl_element_kinds[];
extern const size_t bl_element_kind_count;

/* NULL: there is none. */
const bl_element_kind *bl_element_kind_by_name(const char *name);
const bl_element_kind *bl_element_kind_by_gmsh(int type);

/* Gradients in space: x[nnode][3] positions, dN[nnode][3] of bl_element_kind.functions. g[nnode][dim]: dN/dx. Returns det(dx/dxi): of a
 * segment dx/dxi of its first coordinate. Not positive: inverted or degenerate, and g is undefined. */
double bl_element_gradients(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double *g);
/* Of a segment in the plane or in space: g[nnode][dim] = dN/ds t, s the length along it, t[3] (may be NULL) its unit tangent. Returns
 * ds/dxi >= 0; 0: degenerate, and g is undefined. */
double bl_element_line(int dim, int nnode, const double (*x)[3], const double (*dN)[3], double *g, double *t);

#endif
