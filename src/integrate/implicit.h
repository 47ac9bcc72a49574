/* implicit: shared by implicit methods. A first-order method solves y = psi + c y' at t and does not see the stage; a second-order method
 * fills a bl_stage and reads the increments. */
#ifndef BL_IMPLICIT_H
#define BL_IMPLICIT_H

#include "integrate/newton_iteration.h"

typedef struct bl_implicit {
    bl_newton newton;
    bl_integrator *integ;
    bl_index ny, nv, nz;
    void *block;
    double *qe, *ve, *ae, *ze, *zde; /* of the current stage; a method of second order may use them */
    double *size;                    /* [ny] of the norm */
    double t, c;                     /* of the last first-order stage */
    /* of methods with step control */
    double h_tangent; /* step at which the tangents were evaluated */
    double t_tangent; /* start of the last attempt, if they were evaluated in it and its iteration diverged; else NaN */
    long tangents;    /* count before the attempt */
} bl_implicit;

/* Zeroed *implicit in; options as read from the kind's parameters. */
bl_status bl_implicit_create(bl_implicit *implicit, bl_integrator *integ, const bl_newton_options *options);
/* The same for a method with step control, newton: the values of BL_NEWTON_PARAMS. */
bl_status bl_implicit_create_adaptive(bl_implicit *implicit, bl_integrator *integ, const bl_value *newton);
/* Call from the kind's start. May allocate. */
bl_status bl_implicit_start(bl_implicit *implicit);
void bl_implicit_destroy(bl_implicit *implicit);
/* y' at a consistent state: (v, a, zd, power). */
bl_status bl_implicit_rate(bl_implicit *implicit, double t, const double *y, double *rate);

/* next_step of a method with a given step: shorter ones only where that is refused; names the equation when there is none. */
bl_status bl_implicit_fixed_step(bl_implicit *implicit, bool accepted, int failures, bl_status status, double *h);

/* ---- for methods with step control */
/* Before and after the solution of an attempt: tangents are evaluated anew where the old ones are not good enough. */
void bl_implicit_begin(bl_implicit *implicit, double h);
void bl_implicit_end(bl_implicit *implicit, double h, bl_status status);
/* After a refused attempt: a shorter h, which BL_REJECTED may replace; *status: the reason to use. Names the equation when there is no
 * shorter step. */
bl_status bl_implicit_refused(bl_implicit *implicit, int failures, bl_status *status, double *h);

/* ---- stages */

/* Finds y and y' = rate with y = psi + c y' that satisfy the equations at t. y holds the guess on entry. psi must not be y.
 * The norm of the iteration is relative to max(|y_start|, |y_guess|, weight), y_start = integ->y. */
bl_status bl_implicit_first(bl_implicit *implicit, double t, double c, const double *psi, double *y, double *rate);

/* v[ny] becomes (I - c f_y)^-1 v with the matrix of the last call of bl_implicit_first: the change of y for a change v of psi. Stiff
 * components of v are damped. The work component is unchanged. */
bl_status bl_implicit_filter(bl_implicit *implicit, double *v);

/* The stage y = psi + c y' at a state. */
bl_stage bl_implicit_stage(double t, double c, double *q, double *v, double *a, double *z, double *zd);
/* k[2 nv + nz] with (B - c J) k = (g, R) of the first-order form B y' = F(t, y), y = (q, v, z), with the present matrix, factored for c:
 * g[nv] of positions, R[nv + nz] of (Q, f), which is overwritten. RATE: k[ny] with (I - c f_y) k = R. k is neither g nor R. Only where the
 * formulation has `subtract`, or RATE. */
bl_status bl_implicit_invert(bl_formulation *form, double c, const double *g, double *R, double *k);

/* noise[ny]: typical error of y of the last call of bl_implicit_first due to rounding of the equations. BL_NO_CONVERGENCE: unknown. */
bl_status bl_implicit_rounding(bl_implicit *implicit, double *noise);

/* A stage of motion as given, guess d = dz = 0 at the states of the stage. Afterwards d, dz and w (increment of velocities, w = d except in
 * ggl) point into the solution. h: for the norm, velocities are compared as h v. */
bl_status bl_implicit_second(bl_implicit *implicit, const bl_stage *stage, const double **d, const double **w, const double **dz);
/* The power of the stage just solved, for the work component. */
bl_status bl_implicit_power(bl_implicit *implicit, const bl_stage *stage, double *power);

#endif
