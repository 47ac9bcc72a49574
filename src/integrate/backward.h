/* backward: methods of variable step and order on backward differences.
 *
 * The solution before t is the polynomial of degree `order` whose backward differences at the spacing h are kept. A change of h
 * re-spaces the polynomial (quasi-constant steps), a change of order uses more or fewer differences. A method defines how one step is
 * solved and its error constants; differences, error, choice of step and order and dense output are here. Multipliers are
 * treated alike, so that they can be predicted as well as y.
 *
 * Shampine and Reichelt, The MATLAB ODE suite, SIAM J. Sci. Comput. 18 (1997) 1-22. */
#ifndef BL_BACKWARD_H
#define BL_BACKWARD_H

#include "integrate/implicit.h"

enum { BL_BACKWARD_ORDER = 9, BL_BACKWARD_EXTRA = 5 };

/* First member of integ->own. */
typedef struct bl_backward {
    bl_integrator *integ;
    bl_implicit implicit;
    int highest; /* order allowed: the parameter; may change at accepted steps, not above its first value */
    /* set by the method after bl_backward_create */
    int deepest;                  /* most orders by which a failure may lower the order */
    int extras;                   /* vectors [ny] that the method needs */
    double slack;                 /* error that an iteration may leave, as a share of the tolerance */
    const double *error_constant; /* [order]: error = constant x difference of degree order + 1; up to highest + 1 */
    /* Finds integ->y_new at t_new = t + h from pred (of degree `order`), with the differences at h. */
    bl_status (*solve)(struct bl_backward *, double h);
    /* e[ny] becomes the error of the step just solved; NULL: error_constant d. */
    void (*estimate)(struct bl_backward *, double *e);
    /* The error with another order: error_constant x |difference of degree order + 1|, and |that of degree order|. NULL: the first. */
    double (*suppose)(const struct bl_backward *, int order, double error, double at);
    /* After an accepted step, before the next is chosen: may bound `highest` or lower `order`. NULL: not used. */
    void (*watch)(struct bl_backward *);

    bl_index ny, n;     /* n = ny + multipliers */
    int columns;        /* number of differences with memory */
    int order;          /* of the next step */
    int order_dense;    /* of the last accepted step */
    int steady;         /* steps taken with this h and order */
    int rejected_steps; /* steps in a row whose first attempt was rejected for its error */
    double h;           /* spacing of the differences */
    bool error_failed, order_changed;
    bool multipliers_known;
    bool warned;                        /* that rounding prevents the tolerance */
    double *dif[BL_BACKWARD_ORDER + 3]; /* [n] each: 1..order + 2 differences; [0] is not used */
    double *pred, *d;                   /* [n] prediction; new difference of degree order + 1 */
    double *psi, *rate, *inverse;       /* [ny] inverse: 1 / size of each component, 0: not in the norm */
    double *lambda;                     /* [n - ny] multipliers at t */
    double *extra[BL_BACKWARD_EXTRA];   /* [ny] of the method */
} bl_backward;

/* All parameters of these kinds. words: the available orders, up to that of BL_BACKWARD_SLOTS. */
#define BL_BACKWARD_PARAMS(words)                                                                                                       \
    {                                                                                                                                   \
        {.name = "order", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .help = "highest order, " words}, BL_NEWTON_PARAMS_MOST(4), { 0 } \
    }

/* own: bytes of integ->own, zeroed here. Reads the parameters; the method sets its part next. Highest order where none is given: usual, or
 * damping for elastic bodies: their fast vibrations have hardly any damping, and formulas that are not A-stable amplify them. */
bl_status bl_backward_create(bl_integrator *integ, size_t own, int usual, int damping);
/* max |x_i| / size_i; x[ny] */
double bl_backward_norm(const bl_backward *backward, const double *x);
/* Multipliers for the next solve. guess[n - ny]. */
void bl_backward_guess(bl_backward *backward, const double *guess);

/* ---- slots */
bl_status bl_backward_start(bl_integrator *integ);
bl_status bl_backward_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_backward_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_backward_accept(bl_integrator *integ);
bl_status bl_backward_dense(const bl_integrator *integ, double t, double *y);
void bl_backward_destroy(bl_integrator *integ);

/* all except create */
#define BL_BACKWARD_SLOTS(highest)                                                                        \
    .order = highest, .dense_order = highest, .start = bl_backward_start, .attempt = bl_backward_attempt, \
    .next_step = bl_backward_next_step, .accept = bl_backward_accept, .dense = bl_backward_dense, .destroy = bl_backward_destroy

#endif
