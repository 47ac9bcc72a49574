/* Kernels of power series of mechanisms, by instruction set. Lanes are padded to four; coefficient i of all lanes starts at [i room]. */
#ifndef BL_MECH_SERIES_ISA_H
#define BL_MECH_SERIES_ISA_H

#include "base/isa.h"

typedef struct bl_series_kernels {
    /* sum[room] of products of order k: squares of A in lanes below `mixed`, A times B in the others */
    void (*sum_phi)(size_t mixed, size_t room, int k, const double *A, const double *B, double *sum);
    /* sum[2 room] of L times A below `mixed`; in the others of L times B, and in the second half of L times A */
    void (*sum_Q)(size_t mixed, size_t room, int k, const double *L, const double *A, const double *B, double *sum);
    /* sum over lanes of f_i g_{-i}, i = 0 .. count - 1 */
    double (*cauchy_sum)(size_t room, int count, const double *f, const double *g);
} bl_series_kernels;

BL_ISA_DECLARE(bl_series_kernels);

#endif
