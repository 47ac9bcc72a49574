/* explicit_rk: the one engine behind embedded explicit Runge-Kutta pairs whose last stage is the first of the next step.
 *
 * A kind is a table, a `create` that names it, a `formula` and BL_RK_SLOTS: copy bs23.c. Methods with more to say about their error or
 * their dense output than sums of stages have an engine of their own (dop853.c). */
#ifndef BL_EXPLICIT_RK_H
#define BL_EXPLICIT_RK_H

#include "integrate/explicit.h"

/* A pair as data. Arrays of constants: they are not copied. */
typedef struct bl_rk_table {
    int stages, order;    /* the last stage is the result: its row of A are the weights, of this order */
    const long double *c; /* [stages] */
    const long double *A; /* [stages][stages - 1] row by row */
    const long double *E; /* [stages] the weights less those of the other order */
    const long double *D; /* [stages] last coefficient of the dense output; NULL: 0, the cubic of values and rates of both ends */
    double exponent;      /* of the step control: 1 / (least order + 1) */
    bool apart;           /* the last two stages are at one time: a product of the Jacobian for nothing */
    /* h |lambda| from which on an oscillation, and a decaying mode, hold the step; below seen tolerance^exponent, or this, modes may be as
     * large as the solution, and are followed */
    double held[2], seen;
} bl_rk_table;

bl_status bl_rk_create(bl_integrator *integ, const bl_rk_table *table);
void bl_rk_formula(const bl_rk_table *table, bl_formula *formula);

/* ---- slots */
bl_status bl_rk_start(bl_integrator *integ);
bl_status bl_rk_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_rk_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_rk_accept(bl_integrator *integ);
bl_status bl_rk_dense(const bl_integrator *integ, double t, double *y);
bool bl_rk_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]);
void bl_rk_destroy(bl_integrator *integ);

/* all but create and formula */
#define BL_RK_SLOTS                                                                                                             \
    .start = bl_rk_start, .attempt = bl_rk_attempt, .next_step = bl_rk_next_step, .accept = bl_rk_accept, .dense = bl_rk_dense, \
    .fast = bl_rk_fast, .destroy = bl_rk_destroy

#endif
