/* expansion: a motion as a power series about an evaluation point.
 *
 *     q(t0 + s) = sum q_k s^k,   v, z, lambda likewise
 *
 * Coefficients are found one order after the other: those of a nonlinear function, its Adomian polynomials, are affine in the
 * newest coefficient. So the builder evaluates the part that depends on the lower ones, and the formulation solves for the newest with one
 * matrix, the same for all orders. Coefficient k of a vector of length n is stored at [k n]. */
#ifndef BL_EXPANSION_H
#define BL_EXPANSION_H

#include "system/system.h"

typedef struct bl_expansion {
    int order;                    /* coefficients 0 .. order of q, z */
    int v_order;                  /* of v: order - 1, or order where velocities have equations of their own (index2); lambda: one less */
    double t;                     /* at the evaluation point */
    const unsigned char *history; /* at t; NULL: none */
    const double *u;              /* [order + 1][nu] held numbers, known to the order of Q; NULL: those of the system */
    double *q, *v, *z, *lambda;
    double *mu; /* multipliers of q' = v - G^T mu (index2), to order - 1; else zero */
    /* [2 order + 1] work of drivers and of forces without a potential, work[0] = 0: coefficients of the motion up to order - 2 (of the
     * order requested last), then those that the product of the polynomials of force and rate adds. Power oscillates twice as fast as the
     * motion: truncated at the order of the positions, the work would be wrong by far more than the tolerance. */
    double *work;
    /* of the coefficient last requested */
    double *phi, *Q, *f, *G, *M, *signal;
    double *a, *zd; /* [nv], [nz] scratch of the formulation */
    void *own;      /* workspace of the builder */
    void *block;
} bl_expansion;

/* Quantities of bl_eval that `want` may name, for coefficient k. Orders are requested in turn, beginning with BL_Q at k = 0.
 *   BL_PHI  phi_k without G_0 q_k; coefficients of q below k are known
 *   BL_Q    Q_k - sum over l < k of (G_{k-l}^T lambda_l + M_{k-l} v'_l); q to k + 1, v to k, lambda to k - 1 are known
 *   BL_F    f_k; z to k is known too
 *   BL_SIGNALS  signals; q to k + 1, v to k, u to k are known
 *   BL_G, BL_M  values of coefficient k on the patterns; q to k is known
 *   BL_ENERGY   work, when everything is known, of the polynomials of order k: k = order, or less where the rest is not used */
bl_status bl_system_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want);

/* Zeroed *ex in. BL_E_ABILITY, with a reason, when the system has no series. */
bl_status bl_expansion_create(const bl_system *sys, int order, bl_expansion *ex);
void bl_expansion_destroy(const bl_system *sys, bl_expansion *ex);
/* Values at t0 + s from the first `order` + 1 coefficients: q, v, v' in a, z, z' in zd, work; each may be NULL. */
void bl_expansion_at(const bl_system *sys, const bl_expansion *ex, int order, double s, double *q, double *v, double *a, double *z,
                     double *zd, double *work);
/* The multipliers lambda[np] there, likewise. */
void bl_expansion_multipliers(const bl_system *sys, const bl_expansion *ex, int order, double s, double *lambda);

#endif
