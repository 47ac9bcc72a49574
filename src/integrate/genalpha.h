/* genalpha: one engine for newmark, hht, wbz and genalpha; they differ in four numbers of their formulas. */
#ifndef BL_GENALPHA_H
#define BL_GENALPHA_H

#include "integrate/second_order.h"

typedef struct bl_genalpha_numbers {
    double am, af, beta, gamma;
} bl_genalpha_numbers;

/* The method with these numbers; refuses invalid ones: beta, gamma <= 0, am, af >= 1. */
bl_status bl_genalpha_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_genalpha_numbers *numbers, bl_formula *formula);
/* One step with the four numbers from (y, a, zd) of `second` to (y_new, a_new, zd_new): also starts Houbolt's method. */
bl_status bl_genalpha_step(bl_second *second, const bl_genalpha_numbers *numbers, double h);

/* ---- slots */
/* Warns where the method is not stable for every step, or of order 1. */
bl_status bl_genalpha_create(bl_integrator *integ);
bl_status bl_genalpha_start(bl_integrator *integ);
bl_status bl_genalpha_attempt(bl_integrator *integ, double h, double *error);

/* all except create and formula */
#define BL_GENALPHA_SLOTS .order = 2, .start = bl_genalpha_start, .attempt = bl_genalpha_attempt, BL_SECOND_SLOTS

#endif
