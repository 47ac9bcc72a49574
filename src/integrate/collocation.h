/* collocation: one engine for collocation and wilson; they differ in three numbers. */
#ifndef BL_COLLOCATION_H
#define BL_COLLOCATION_H

#include "integrate/second.h"

typedef struct bl_collocation_numbers {
    double beta, gamma, theta;
} bl_collocation_numbers;

bl_status bl_collocation_check(bl_context *ctx, const char *kind, const bl_collocation_numbers *numbers);
bl_status bl_collocation_create(bl_integrator *integ, const bl_collocation_numbers *numbers, const bl_value *value);
bl_status bl_collocation_start(bl_integrator *integ);
bl_status bl_collocation_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_collocation_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_collocation_accept(bl_integrator *integ);
bl_status bl_collocation_dense(const bl_integrator *integ, double t, double *y);
void bl_collocation_destroy(bl_integrator *integ);
void bl_collocation_formula(const bl_collocation_numbers *numbers, bl_formula *formula);

#define BL_COLLOCATION_SLOTS                                                                                                               \
    .order = 2, .dense_order = 2, .start = bl_collocation_start, .attempt = bl_collocation_attempt, .next_step = bl_collocation_next_step, \
    .accept = bl_collocation_accept, .dense = bl_collocation_dense, .destroy = bl_collocation_destroy

#endif
