/* edmc1: one engine for energy_momentum and edmc1; they differ in the dissipation. */
#ifndef BL_EDMC1_H
#define BL_EDMC1_H

#include "integrate/second.h"

typedef struct bl_edmc1_numbers {
    double chi1, chi2; /* of the potential, of the kinetic energy */
} bl_edmc1_numbers;

bl_status bl_edmc1_create(bl_integrator *integ, const bl_edmc1_numbers *numbers, const bl_value *value);
bl_status bl_edmc1_start(bl_integrator *integ);
bl_status bl_edmc1_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_edmc1_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_edmc1_accept(bl_integrator *integ);
bl_status bl_edmc1_dense(const bl_integrator *integ, double t, double *y);
void bl_edmc1_destroy(bl_integrator *integ);
void bl_edmc1_formula(const bl_edmc1_numbers *numbers, bl_formula *formula);

#define BL_EDMC1_SLOTS                                                                                                                  \
    .dense_order = 2, .start = bl_edmc1_start, .attempt = bl_edmc1_attempt, .next_step = bl_edmc1_next_step, .accept = bl_edmc1_accept, \
    .dense = bl_edmc1_dense, .destroy = bl_edmc1_destroy

#endif
