/* beam: one element of a beam (docs/theory/beams.md). Input: positions and directors of its nodes; output: energy, the gradient of the
 * energy and its derivatives. Between the nodes either
 *
 * - the directors are interpolated: strains are sums of scalar products of interpolated vectors, so the energy is a polynomial of degree
 *   four, with exact discrete gradients and power series; or
 * - rotations are: in the plane the angle of d1 (beam_rotations.h), in space rotations relative to the middle of the element
 *   (beam_space.h): far smaller errors of bending, without these two.
 *
 * Both are exactly objective. */
#ifndef BL_ELASTIC_BEAM_H
#define BL_ELASTIC_BEAM_H

#include "model/model.h"

enum {
    BL_BEAM_NODES = 4,   /* at most */
    BL_BEAM_POINTS = 3,  /* integration points at most: one per degree, which avoids locking */
    BL_BEAM_VECTORS = 4, /* of a node: its position, then its directors */
    BL_BEAM_LOCAL = 3 * BL_BEAM_VECTORS * BL_BEAM_NODES,
    BL_BEAM_STRAINS = 6 /* stretch, two shears, twist, two curvatures; in the plane a stretch, a shear, a curvature */
};

typedef struct bl_beam_element {
    int dim, nnode, npoint, nvector, nstrain;
    bool rotations; /* interpolated: vectors of a node are P, d1 in the plane, where the inertia of d2 is that of d1; P, d2, d3 in space */
    bool viscous;   /* forces depend on rates, through `viscosity` */
    double N[BL_BEAM_POINTS][BL_BEAM_NODES], dN[BL_BEAM_POINTS][BL_BEAM_NODES]; /* derivatives by the arc length */
    double weight[BL_BEAM_POINTS];                                              /* lengths */
    double start[BL_BEAM_POINTS][BL_BEAM_STRAINS];                              /* strains of the model configuration */
    double stiffness[BL_BEAM_STRAINS], viscosity[BL_BEAM_STRAINS];
    double mass[BL_BEAM_NODES][BL_BEAM_NODES]; /* int N_a N_b dS */
    double inertia[BL_BEAM_VECTORS];           /* per length, of each vector of a node */
    double damping;                            /* forces damping x M v */
    double length;
} bl_beam_element;

/* Vector i > 0 of a node among the axes d1, d2, d3 of bl_beam_node. */
static inline int bl_beam_axis(const bl_beam_element *e, int i) { return e->rotations && e->dim == 3 ? i : i - 1; }
/* Vectors of all nodes, [nnode][nvector][dim], are the local values x of an element. */
static inline int bl_beam_local(const bl_beam_element *e) { return e->nnode * e->nvector * e->dim; }

/* Element `which` of a beam; x: its local values in the model configuration. The inner nodes of degree 3 belong at (1 -+ 1/sqrt(5))/2 of
 * its length (docs/theory/beams.md). BL_E_MODEL (without a message): two of its nodes coincide. */
bl_status bl_beam_element_make(const bl_beam_def *beam, int dim, bl_index which, bl_beam_element *e, double *x);

/* not a number: nodes are turned too far from each other (bl_beam_turn) */
double bl_beam_energy(const bl_beam_element *e, const double *x);
/* f = dU/dx, and what the viscosity adds at rates v (NULL: none); returns the power lost in it, or not a number as above. */
double bl_beam_force(const bl_beam_element *e, const double *x, const double *v, double *f);
/* K[local][local] = df/dx, C = df/dv (NULL: not requested) */
void bl_beam_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C);
/* Of directors only: forces whose work from x0 to x1 is U(x1) - U(x0), and for chi > 0 more: they dissipate. K (NULL: not requested):
 * derivative by the middle of the two, for an x1 that moves twice as far as it. Viscosity is left out. */
void bl_beam_between(const bl_beam_element *e, const double *x0, const double *x1, double chi, double *f, double *K);
/* Rotations in space: the largest angle, from 0 to pi, of a node from the middle of the element, or of the two nodes about the middle from
 * each other; else 0. elastic_most_turn (elastic_limits.h) is the largest for which there are forces. */
double bl_beam_turn(const bl_beam_element *e, const double *x);
/* Strains less those of the model configuration, at an integration point. */
void bl_beam_strains(const bl_beam_element *e, int point, const double *x, double *strain);

/* ---- power series of an element of directors: room[bl_beam_series_room] keeps what lower orders left. Coefficients of the vectors are
 * taken in turn, k = 0, 1, ...; then the force of order k without viscosity, once those up to k are taken. Of a viscous element, the forces
 * of its viscosity at rates with the coefficient v of order k, likewise in turn. */
size_t bl_beam_series_room(const bl_beam_element *e, int order);
void bl_beam_series_take(const bl_beam_element *e, int order, int k, const double *x, double *room);
void bl_beam_series_force(const bl_beam_element *e, int order, int k, double *room, double *f);
void bl_beam_series_viscous(const bl_beam_element *e, int order, int k, const double *v, double *room, double *f);

#endif
