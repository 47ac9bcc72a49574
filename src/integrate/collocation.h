/* collocation: one engine for collocation and wilson; they differ in three numbers of their formulas. */
#ifndef BL_COLLOCATION_H
#define BL_COLLOCATION_H

#include "integrate/second_order.h"

bl_status bl_collocation_formula(const bl_integrator_kind *kind, bl_context *ctx, double beta, double gamma, double theta,
                                 bl_formula *formula);

/* ---- slots */
bl_status bl_collocation_create(bl_integrator *integ);
bl_status bl_collocation_attempt(bl_integrator *integ, double h, double *error);

/* all except formula */
#define BL_COLLOCATION_SLOTS \
    .order = 2, .create = bl_collocation_create, .start = bl_second_start_alone, .attempt = bl_collocation_attempt, BL_SECOND_SLOTS

#endif
