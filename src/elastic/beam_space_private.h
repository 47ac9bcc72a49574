/* beam_space_private: what energy, forces and tangents of an element in space have in common. */
#ifndef BL_ELASTIC_BEAM_SPACE_PRIVATE_H
#define BL_ELASTIC_BEAM_SPACE_PRIVATE_H

#include "elastic/beam_space.h"
#include "elastic/finite_rotation.h"

enum { BL_SPACE_NODE = 9 }; /* values of a node: P, d2, d3 */

/* of a node */
typedef struct bl_space_frame {
    bl_mat3 t;      /* rows: the axes, t2 along d2, t3 in the plane of d2 and d3 */
    double a, q, s; /* d2 = t2 / a, d3 = q t2 + t3 / s */
    bl_mat3 D;      /* phi = D xi, xi = (t3 . dd2, t1 . dd3, t1 . dd2) */
} bl_space_frame;

/* phi at rates v of d2, d3 */
void bl_space_turning_at(const bl_space_frame *f, const double *v, double w[3]);

/* rotations relative to the middle */
typedef struct bl_space_shape {
    bl_space_frame node[BL_BEAM_NODES];
    int I, J;  /* nodes about the middle, or twice that in the middle */
    bl_mat3 r; /* rows: axes of the middle */
    double y[BL_BEAM_NODES][3], psi[BL_BEAM_NODES][3];
} bl_space_shape;

/* coefficients of changes of psi: L = T^-1 = 1 + [psi]/2 + e [psi]^2, de = e1 psi . dpsi; and of the middle between I and J,
 * phi_r = A_I phi_I + A_J phi_J, A = (1 -+ kappa [psi_J]) / 2, dkappa = kappa1 psi_J . dpsi_J */
typedef struct bl_space_inverse {
    double e[BL_BEAM_NODES], e1[BL_BEAM_NODES], kappa, kappa1;
} bl_space_inverse;

void bl_space_find_shape(const bl_beam_element *e, const double *x, bl_space_shape *s);
void bl_space_find_inverse(const bl_beam_element *e, const bl_space_shape *s, bl_space_inverse *L);

/* a point */
typedef struct bl_space_section {
    double u[3], psi[3], slope[3], c[BL_ROTATION_COEFFICIENTS];
    double strain[BL_BEAM_STRAINS]; /* with those of the model configuration */
    double force[BL_BEAM_STRAINS];  /* section forces, then moments */
} bl_space_section;

void bl_space_find_section(const bl_beam_element *e, int p, const bl_space_shape *s, bl_space_section *at);

/* rates of y and psi, and of the rotations of the nodes and of the middle */
typedef struct bl_space_motion {
    double y[BL_BEAM_NODES][3], psi[BL_BEAM_NODES][3], w[BL_BEAM_NODES][3], middle[3];
} bl_space_motion;

void bl_space_find_motion(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const double *v,
                          bl_space_motion *m);

/* rates of the strains; at: those of u, psi, psi' */
typedef struct bl_space_rates {
    double u[3], psi[3], slope[3], strain[BL_BEAM_STRAINS];
} bl_space_rates;

void bl_space_find_rates(const bl_beam_element *e, int p, const bl_space_motion *m, const bl_space_section *at, bl_space_rates *r);
/* adds the section forces of rates; returns the power lost per length */
double bl_space_add_viscous(const bl_beam_element *e, const bl_space_rates *r, bl_space_section *at);

/* derivatives of the energy by y and psi */
typedef struct bl_space_loads {
    double y[BL_BEAM_NODES][3], psi[BL_BEAM_NODES][3];
} bl_space_loads;

void bl_space_add_loads(const bl_beam_element *e, int p, const bl_space_section *at, bl_space_loads *to);
/* moments of the nodes about their own axes, and that of the middle, which is among them */
void bl_space_find_moments(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const bl_space_loads *l,
                           double m[][3], double middle[3]);

#endif
