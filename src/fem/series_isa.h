/* Kernels of power series of an element, by instruction set: all integration points side by side, padded to a multiple of four with points
 * of no volume. Arrays are [..][points]; coefficient k of a table starts at [k][..][points]. */
#ifndef BL_FEM_SERIES_ISA_H
#define BL_FEM_SERIES_ISA_H

#include "base/isa.h"

#include <stddef.h>

enum { BL_SERIES_POINTS = 4 }; /* points are padded to this */

typedef struct bl_series_element {
    int dim, nnode, nstrain; /* strains: 3 in the plane (11, 22, 12), 6 in space */
    size_t points;           /* padded */
    const double *g;         /* [nnode][dim][points] gradients of the shape functions */
    const double *volume;    /* [points] */
    const double *D;         /* [nstrain][nstrain] */
} bl_series_element;

typedef struct bl_fem_series_kernels {
    /* H[dim][dim][points] = sum u_a grad N_a */
    void (*gradients)(const bl_series_element *e, const double *u, double *H);
    /* S_k[nstrain][points] = volume D E_k, E_k coefficient k of Green's strain of H (tables, to order k) */
    void (*stress)(const bl_series_element *e, int k, const double *H, double *S);
    /* S_k = factor volume D E'_k, E'_k of the rate of Green's strain, V the gradients of the rates */
    void (*viscous)(const bl_series_element *e, int k, double factor, const double *H, const double *V, double *S);
    /* f[nnode][dim] += coefficient k of int (1 + H) S grad N_a dV */
    void (*forces)(const bl_series_element *e, int k, const double *H, const double *S, double *f);
} bl_fem_series_kernels;

BL_ISA_DECLARE(bl_fem_series_kernels);

#endif
