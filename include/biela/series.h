/* series: Adomian polynomials, the power-series coefficients of a nonlinear expression.
 *
 *     double u[] = {0.5, 1, 0, 0.25}, A[4];                     u(t) = 0.5 + t + 0.25 t^3
 *     bl_adomian(ctx, "sin(u)", &(const char *){"u"}, 1, 3, u, A);
 *
 * A_k is coefficient k of N(u(t)), a polynomial in u_1, ..., u_k: A_0 = N(u_0), A_1 = u_1 N'(u_0), A_2 = u_2 N' + u_1^2 N'' / 2, ... */
#ifndef BIELA_SERIES_H
#define BIELA_SERIES_H

#include "biela/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A[order + 1] of the expression `text` (as in model files, without tables) of the unknowns name[n], for coefficients u[n][order + 1].
 * BL_E_MODEL: a mistake in the text, told with its column; BL_E_ARG: a name twice, or one that means something else; BL_NOT_FINITE: some
 * A_k is not a number or infinite, since N has no such derivative at u_0. abs, min, max and conditions follow the side of the first
 * coefficients that decide. */
bl_status bl_adomian(bl_context *ctx, const char *text, const char *const *name, bl_index n, int order, const double *u, double *A);

#ifdef __cplusplus
}
#endif
#endif
