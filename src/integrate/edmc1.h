/* edmc1: one engine for energy_momentum and edmc1; they differ in the dissipation, given by their formulas. */
#ifndef BL_EDMC1_H
#define BL_EDMC1_H

#include "integrate/second_order.h"

/* chi1, chi2: dissipation of the potential, of the kinetic energy */
bl_status bl_edmc1_formula(double chi1, double chi2, bl_formula *formula);

/* ---- slots */
bl_status bl_edmc1_create(bl_integrator *integ);
bl_status bl_edmc1_start(bl_integrator *integ);
bl_status bl_edmc1_attempt(bl_integrator *integ, double h, double *error);

/* all except formula */
#define BL_EDMC1_SLOTS .create = bl_edmc1_create, .start = bl_edmc1_start, .attempt = bl_edmc1_attempt, BL_SECOND_SLOTS

#endif
