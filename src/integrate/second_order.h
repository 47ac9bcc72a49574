/* second: shared by methods of second order. They keep (q, v, a) and (z, z') from step to step and find the increments of a step in one
 * stage of motion: memory, start, dense output, work, refusals. */
#ifndef BL_SECOND_ORDER_H
#define BL_SECOND_ORDER_H

#include "integrate/implicit.h"
#include "integrate/method_coefficients.h"

/* Parameters of all these kinds; last in the table. */
#define BL_SECOND_PARAMS(tolerance)                                                            \
    {.name = "guess",                                                                          \
     .type = BL_P_CHOICE,                                                                      \
     .choices = "predict|last",                                                                \
     .help = "initial guess of Newton's method: constant acceleration, or the last position"}, \
        {.name = "newton_tolerance",                                                           \
         .type = BL_P_NUMBER,                                                                  \
         .flags = BL_POSITIVE,                                                                 \
         .fallback = (tolerance),                                                              \
         .help = "largest relative update at which the iteration ends"},                       \
        BL_NEWTON_PARAMS
enum { BL_SECOND_GUESS, BL_SECOND_TOLERANCE, BL_SECOND_NEWTON };

/* First member of integ->own. */
typedef struct bl_second {
    bl_implicit implicit;
    bl_integrator *integ;
    bl_stage stage;
    bl_formula formula; /* with the method's numbers */
    bool guess_last;
    bl_index nq, nv, nz;      /* y = (q[nq], v[nv], z[nz], work); nq == nv except in kinds with BL_ON_GROUPS */
    double *a, *zd;           /* at the accepted state: the method's own, not recomputed from equilibrium */
    double *a_new, *zd_new;   /* proposed */
    double *y_old, *zd_old;   /* start of the last accepted step, for dense output */
    double *zd_end;           /* end of it */
    double *increment, *part; /* [nv] scratch: increments where positions are not a vector space */
    double *start;            /* [2 nv + nz] initial increments of Newton's method there */
    double h;                 /* of the last attempt */
    /* power of forces without a potential, as the line through the two newest times where it is known */
    double power_t, power, power_t_new, power_new;
    double line, line_slope;           /* of the last attempt: power at t_old and its slope */
    double line_kept, line_slope_kept; /* of the last accepted step */
} bl_second;

/* own: bytes of integ->own. Reads BL_SECOND_PARAMS, if the kind has them, and the formula. */
bl_status bl_second_create(bl_integrator *integ, size_t own);
/* Memory, also of `more` arrays of the method; accelerations at the start; h_next. */
bl_status bl_second_start(bl_integrator *integ, const bl_array *more, size_t nmore);
/* First call in an attempt: sets t_new and h of `second`, and returns the step for the formulas: the last step, shortened to end exactly,
 * may differ from the others by rounding, which must not cost a matrix or a restart. */
double bl_second_step(bl_second *second, double h);
/* Points qe, ve, ae, ze, zde of the stage to the work arrays and qc, vc to y_new; cc = 1. */
void bl_second_stage(bl_second *second);
bl_status bl_second_solve(bl_second *second, const double **d, const double **w, const double **dz);
/* v1 += to_v w, a1 += to_a w (w NULL: both are set already), z1 += dz, z1' += to_zd dz */
void bl_second_follow(bl_second *second, double to_v, double to_a, double to_zd, const double *w, const double *dz);
/* Ends an attempt: work at the end of the step, from the power at the stage solved, assigned to time t. */
bl_status bl_second_work(bl_second *second, double t);
/* The same with a power already known. */
void bl_second_work_of(bl_second *second, double t, double power);

/* q_new = q (+) factor x; q_new may be q. */
bl_status bl_second_move(bl_second *second, const double *q, double factor, const double *x, double *q_new);

/* ---- slots */
bl_status bl_second_start_alone(bl_integrator *integ); /* without further arrays */
bl_status bl_second_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_second_accept(bl_integrator *integ);
/* q: cubic through positions and velocities of both ends; v: its derivative; z: cubic; work: from the line of the power. Where positions
 * are not a vector space, a cubic of increments from the first. */
bl_status bl_second_dense(const bl_integrator *integ, double t, double *y);
void bl_second_destroy(bl_integrator *integ);

/* all except create, start, attempt and formula */
#define BL_SECOND_SLOTS \
    .dense_order = 2, .next_step = bl_second_next_step, .accept = bl_second_accept, .dense = bl_second_dense, .destroy = bl_second_destroy

/* ---- for formulas: refuses a parameter outside [least, most]. advice NULL: none. */
bl_status bl_second_range(bl_context *ctx, const bl_integrator_kind *kind, const char *name, double value, double least, double most,
                          const char *advice);

#endif
