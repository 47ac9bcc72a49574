/* The scaled problem w = A z + b, largest |b_i| 1, in the arrays of a workspace. */
#ifndef BL_LCP_PRIVATE_H
#define BL_LCP_PRIVATE_H

#include "complement/complement.h"

/* *size: what b was divided by; solutions are those of the scaled problem times it and scale_z. BL_NOT_FINITE: A or b is not finite. */
bl_status bl_lcp_scale(bl_index n, const double *A, const double *b, bl_lcp_work *work, double *size);
void bl_lcp_complement(bl_index n, const bl_lcp_work *work, const double *z, double *w); /* w = A z + b */
double bl_lcp_scaled_residual(bl_index n, const double *z, const double *w);
/* z of the entries subset[count], of least norm, others zero; destroys w. Returns the residual of their equations. */
double bl_lcp_solve_subset(bl_index n, bl_index count, bl_lcp_work *work, double tolerance);

#endif
