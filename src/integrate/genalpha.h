/* genalpha: one engine for newmark, hht, wbz and genalpha; they differ in four numbers. */
#ifndef BL_GENALPHA_H
#define BL_GENALPHA_H

#include "integrate/second.h"

typedef struct bl_genalpha_numbers {
    double am, af, beta, gamma;
} bl_genalpha_numbers;

/* value: where BL_SECOND_PARAMS begin. Warns where the method is not stable for every step, or of order 1. */
bl_status bl_genalpha_create(bl_integrator *integ, const bl_genalpha_numbers *numbers, const bl_value *value);
bl_status bl_genalpha_start(bl_integrator *integ);
bl_status bl_genalpha_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_genalpha_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_genalpha_accept(bl_integrator *integ);
bl_status bl_genalpha_dense(const bl_integrator *integ, double t, double *y);
void bl_genalpha_destroy(bl_integrator *integ);
/* Refuses what no parameters make a method of: beta, gamma <= 0, am, af >= 1. */
bl_status bl_genalpha_check(bl_context *ctx, const char *kind, const bl_genalpha_numbers *numbers);
/* The amplification matrix as data for the stability laboratory. */
void bl_genalpha_formula(const bl_genalpha_numbers *numbers, bl_formula *formula);

/* One step of the four numbers from (y, a, zd) of `second` to (y_new, a_new, zd_new): also starts Houbolt's method. */
bl_status bl_genalpha_step(bl_second *second, const bl_genalpha_numbers *numbers, double h);

#define BL_GENALPHA_SLOTS                                                                                                         \
    .order = 2, .dense_order = 2, .start = bl_genalpha_start, .attempt = bl_genalpha_attempt, .next_step = bl_genalpha_next_step, \
    .accept = bl_genalpha_accept, .dense = bl_genalpha_dense, .destroy = bl_genalpha_destroy

#endif
