/* balance: the first-order form B y' = F(t, y) of a formulation's stages, y = (q, v, z), B = (1, M, A), F = (v, Q, f), for methods that
 * find increments of y by themselves (radau, rosenbrock23). Formulations that give a rate are y = z, B = 1. */
#ifndef BL_FIRST_ORDER_FORM_H
#define BL_FIRST_ORDER_FORM_H

#include "integrate/explicit.h"
#include "integrate/implicit.h"

typedef struct bl_balance {
    bl_integrator *integ;
    bl_index ny, nv, nz, nx;
    bool rate;                         /* the formulation gives y' = f(t, y): all of y are states */
    bool moving;                       /* B depends on y */
    bool tangent_known, tangent_fresh; /* fresh: made at this very step */
    double *q, *v, *a, *z, *zd;        /* a state and its rates: [nv] and [nz] */
    double *zero;                      /* [nx] */
} bl_balance;

enum { BL_BALANCE_ARRAYS = 6 };

/* For start: sets up the stages of the formulation; sizes; its arrays, to be made with those of the method. */
bl_status bl_balance_start(bl_balance *balance, bl_integrator *integ, bl_jacobian jacobian, bl_array array[BL_BALANCE_ARRAYS]);
/* The state y + h k; k[ny] NULL: y. */
void bl_balance_place(bl_balance *balance, double h, const double *k);
/* Accelerations and rates of states there, of u = y'; NULL: 0. */
void bl_balance_rates(bl_balance *balance, const double *u);
/* The state as a stage with all factors 1. */
bl_stage bl_balance_stage(const bl_balance *balance, double t);
/* r[nx] = (Q - M a, f - A zd) there. */
bl_status bl_balance_residual(bl_balance *balance, double t, double *r);
/* Tangents at (t, y). work[ny] is overwritten. */
bl_status bl_balance_tangent(bl_balance *balance, double *work);

#endif
