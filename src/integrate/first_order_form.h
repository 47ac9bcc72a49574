/* balance: the first-order form B y' = F(t, y) of a formulation's stages, y = (q, v, z), B = (1, M, A), F = (v, Q, f), for methods that
 * find increments of y themselves (radau, rosenbrock23). For formulations with a rate only, y = z, B = 1. */
#ifndef BL_FIRST_ORDER_FORM_H
#define BL_FIRST_ORDER_FORM_H

#include "integrate/explicit.h"
#include "integrate/implicit.h"

typedef struct bl_first_order {
    bl_integrator *integ;
    bl_index ny, nv, nz, nx;
    bool rate;                         /* the formulation provides y' = f(t, y): all of y are states */
    bool moving;                       /* B depends on y */
    bool tangent_known, tangent_fresh; /* fresh: made in this step */
    double *q, *v, *a, *z, *zd;        /* a state and its rates: [nv] and [nz] */
    double *zero;                      /* [nx] */
} bl_first_order;

enum { BL_FIRST_ORDER_ARRAYS = 6 };

/* For start: sets up the stages of the formulation; sizes; its arrays, to be allocated with those of the method. */
bl_status bl_first_order_start(bl_first_order *balance, bl_integrator *integ, bl_jacobian jacobian, bl_array array[BL_FIRST_ORDER_ARRAYS]);
/* The state y + h k; k[ny] NULL: y. */
void bl_first_order_move_to(bl_first_order *balance, double h, const double *k);
/* Accelerations and rates of states there, from u = y'; NULL: 0. */
void bl_balance_rates(bl_first_order *balance, const double *u);
/* The state as a stage with all factors 1. */
bl_stage bl_balance_stage(const bl_first_order *balance, double t);
/* r[nx] = (Q - M a, f - A zd) there. */
bl_status bl_balance_residual(bl_first_order *balance, double t, double *r);
/* Tangents at (t, y). work[ny] is overwritten. */
bl_status bl_balance_tangent(bl_first_order *balance, double *work);

#endif
