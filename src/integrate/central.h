/* central: the method of central differences, also the base of dimcd and a possible start of houbolt. */
#ifndef BL_CENTRAL_H
#define BL_CENTRAL_H

#include "integrate/second_order.h"

/* First member of integ->own. */
typedef struct bl_central {
    bl_second second;          /* first member */
    double *ahead, *ahead_new; /* [nv] position one step beyond the accepted end; of the attempt */
    double h_ahead;            /* the step to that position; 0: not known */
    bool by_position;          /* convergence is judged by positions, not by velocities */
    bool alone;                /* no other stages are solved in between */
} bl_central;

/* ---- slots */
bl_status bl_central_start(bl_integrator *integ);
bl_status bl_central_attempt(bl_integrator *integ, double h, double *error);
void bl_central_accept(bl_integrator *integ);
bl_status bl_central_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula);

/* all except create */
#define BL_CENTRAL_SLOTS                                                                                                      \
    .order = 2, .dense_order = 2, .start = bl_central_start, .attempt = bl_central_attempt, .next_step = bl_second_next_step, \
    .accept = bl_central_accept, .dense = bl_second_dense, .formula = bl_central_formula, .destroy = bl_second_destroy

#endif
