/* backward: methods of variable step and order on backward differences.
 *
 * The solution behind t is the polynomial of degree `order` whose backward differences at the spacing h are kept. A change of h
 * re-spaces the polynomial (quasi-constant steps), a change of order takes more or fewer differences. A method says how one step is
 * solved and what its error constants are; differences, error, choice of step and order and dense output are here.
 *
 * Shampine and Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18 (1997) 1-22. */
#ifndef BL_BACKWARD_H
#define BL_BACKWARD_H

#include "integrate/implicit.h"

enum { BL_BACKWARD_ORDER = 9 };

typedef struct bl_backward {
    bl_integrator *integ;
    bl_implicit implicit;
    /* set by the method */
    int highest;                  /* order allowed */
    int deepest;                  /* most orders a failure may take away */
    const double *error_constant; /* [order]: error = constant x difference of degree order + 1; up to highest + 1 */
    /* Finds integ->y_new at t + h from pred (order `order`), with the differences at h. */
    bl_status (*solve)(struct bl_backward *, double h);
    /* May choose otherwise after an accepted step, or bound the order; NULL: nothing to say. */
    void (*watch)(struct bl_backward *, double error);
    void *method;

    bl_index ny;
    int order;       /* of the next step */
    int order_dense; /* of the last accepted step */
    int steady;      /* steps taken with this h and order */
    double h;        /* spacing of the differences */
    bool error_failed, order_changed;
    double *block;
    double *dif[BL_BACKWARD_ORDER + 3]; /* [1..order + 2] differences; [0] is not used */
    double *pred, *psi, *rate, *d;      /* d: new difference of degree order + 1 */
    double *inverse;                    /* 1 / size of each component, 0: not in the norm */
} bl_backward;

/* Zeroed *backward in, with highest, error_constant, solve set. */
bl_status bl_backward_create(bl_backward *backward, bl_integrator *integ, const bl_newton_options *options);
bl_status bl_backward_start(bl_backward *backward);
bl_status bl_backward_attempt(bl_backward *backward, double h, double *error);
bl_status bl_backward_next_step(bl_backward *backward, bool accepted, double error, int failures, bl_status status, double *h);
void bl_backward_accept(bl_backward *backward);
bl_status bl_backward_dense(const bl_backward *backward, double t, double *y);
void bl_backward_destroy(bl_backward *backward);

#endif
