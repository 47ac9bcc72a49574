/* linear_isa: isotropic linear elements of small strain, eight at a time, compiled for several instruction sets (base/isa.h).
 *
 *     K_ab = lambda G_ab + mu (G_ab^T + tr G_ab 1),     G_ab = int grad N_a grad N_b^T dV
 *
 * Arrays are [..][lane]. Unused lanes repeat the last element; their results are discarded. */
#ifndef BL_LINEAR_ISA_H
#define BL_LINEAR_ISA_H

#include "base/isa.h"

enum { BL_LANES = 8 };
enum { BL_LINEAR_NODES = 27 }; /* of an element, at most */

typedef struct bl_linear_rule { /* elements of one kind with one material */
    int dim, nnode, npoint;
    const double (*dN)[3]; /* [npoint][nnode] */
    const double *weight;  /* [npoint], thickness included */
    double lambda, mu;
    double hourglass; /* modulus; 0: none */
    int nshape;       /* sign patterns of hourglass.h, for elements with one point */
    double shape[4][8];
    bool gauss2; /* hexa8 with two points per direction: sums by directions */
} bl_linear_rule;

typedef struct bl_fem_linear {
    /* x[nnode][dim][8] coordinates, u[nnode][dim][8] -> f[nnode][dim][8], stored[8] energies. False: a lane below `count` is inverted. */
    bool (*forces)(const bl_linear_rule *, int count, const double *x, const double *u, double *f, double *stored);
    /* K[nnode (nnode + 1)/2][dim][dim][8]: blocks a <= b stored by columns of nodes, followed by workspace for [npoint][2][nnode][dim][8]
     */
    bool (*stiffness)(const bl_linear_rule *, int count, const double *x, double *K);
} bl_fem_linear;
BL_ISA_DECLARE(bl_fem_linear);

#endif
