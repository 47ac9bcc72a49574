/* law_isa: elements with any law, eight at a time: all work at a point except the law, compiled for several instruction sets (base/isa.h).
 * The law itself is evaluated lane by lane.
 *
 *     f_a = B_a^T tau,     K_ab = B_a^T c B_b + 1 (g_a . tau g_b)
 *
 * tau and c being multiplied by the volume of the point. Arrays are [..][lane]; components of tensors as in material.h; tangents are
 * symmetric. */
#ifndef BL_LAW_ISA_H
#define BL_LAW_ISA_H

#include "fem/linear_isa.h"

typedef struct bl_law_lanes {                /* one point of eight elements */
    double g[BL_LINEAR_NODES * 3][BL_LANES]; /* gradients with respect to reference coordinates, after `push_forward` to present ones */
    double H[9][BL_LANES];                   /* grad u */
    double inverse[9][BL_LANES];             /* of 1 + H, for `push_forward` */
    double volume[BL_LANES];                 /* in the reference configuration; 0 or less: inverted */
    double tau[6][BL_LANES], c[36][BL_LANES];
} bl_law_lanes;

typedef struct bl_fem_laws {
    /* g, H, volume of point p from coordinates x[nnode][dim][8] and displacements u[nnode][dim][8] */
    void (*deform)(const bl_linear_rule *, int p, const double *x, const double *u, bl_law_lanes *);
    void (*push_forward)(const bl_linear_rule *, bl_law_lanes *);
    void (*forces)(const bl_linear_rule *, const bl_law_lanes *, double *f); /* f[nnode][dim][8] += */
    /* K[nnode (nnode + 1)/2][dim][dim][8] +=, blocks of a <= b; geometric: with the geometric part */
    void (*stiffness)(const bl_linear_rule *, const bl_law_lanes *, bool geometric, double *K);
} bl_fem_laws;
BL_ISA_DECLARE(bl_fem_laws);

#endif
