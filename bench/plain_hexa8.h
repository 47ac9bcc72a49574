/* plain_hexa8: a straightforward implementation of hexa8 elements with small strains, with which bench_elements compares. */
#ifndef BENCH_PLAIN_HEXA8_H
#define BENCH_PLAIN_HEXA8_H

#include "mesh/mesh.h"

typedef struct plain_hexa8 {
    bl_index nnode, nelement;
    const double (*x)[3];
    const bl_index *node; /* [nelement][8] */
    double lambda, mu;
    double dN[8][8][3];
    /* K in 3 x 3 blocks, by rows of nodes; slot[nelement][8][8]: indices of the blocks of an element */
    bl_index *ptr, *idx, *slot;
    double (*K)[9];
} plain_hexa8;

int plain_create(plain_hexa8 *p, const bl_mesh *mesh, double E, double nu); /* 0: no memory */
void plain_destroy(plain_hexa8 *p);
void plain_stiffness(plain_hexa8 *p);                                 /* K */
void plain_forces(const plain_hexa8 *p, const double *u, double *f);  /* f = internal forces at u, element after element */
void plain_product(const plain_hexa8 *p, const double *u, double *f); /* f = K u */
void plain_masses(const plain_hexa8 *p, double density, double *m);   /* row sums, per node */

#endif
