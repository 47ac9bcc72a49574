/* linear_isa: isotropic linear elements of small strain, eight at a time, compiled for several instruction sets (base/isa.h).
 *
 *     K_ab = lambda G_ab + mu (G_ab^T + tr G_ab 1),     G_ab = int grad N_a grad N_b^T dV
 *
 * Arrays are [..][lane]. Of eight lanes some may repeat the last element: what they give is thrown away. */
#ifndef BL_LINEAR_ISA_H
#define BL_LINEAR_ISA_H

#include "base/isa.h"

enum { BL_LANES = 8 };

typedef struct bl_linear_rule { /* elements of one kind with one material */
    int dim, nnode, npoint;
    const double (*dN)[3]; /* [npoint][nnode] */
    const double *weight;  /* [npoint], thickness included */
    double lambda, mu;
} bl_linear_rule;

typedef struct bl_fem_linear {
    /* x[nnode][dim][8] places, u[nnode][dim][8] -> f[nnode][dim][8]; *energy += stored, of the first `count` lanes. False: a lane below
     * `count` is inverted. scratch: nnode dim 8 numbers. */
    bool (*forces)(const bl_linear_rule *, int count, const double *x, const double *u, double *f, double *scratch);
    /* K[nnode (nnode + 1)/2][dim][dim][8]: blocks of a <= b, column of nodes after column */
    bool (*stiffness)(const bl_linear_rule *, int count, const double *x, double *K, double *scratch);
} bl_fem_linear;
BL_ISA_DECLARE(bl_fem_linear);

#endif
