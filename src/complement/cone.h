/* cone: contacts with Coulomb friction at velocity level. Every contact has an impulse P = (normal, two tangential) in its own frame and a
 * relative velocity u = (opening, two sliding) after it:
 *
 *     u = D P + u0,   0 <= u_n  perpendicular to  P_n >= 0,   |P_t| <= mu P_n,   P_t = -mu P_n u_t / |u_t| where u_t is not 0
 *
 * Restitution by Newton's law: u0_n includes e times the approaching velocity (negative) before. With the vector v = u + mu |u_t| n of
 * De Saxce and Feng (1998) the law is K contains P, K* contains v, P . v = 0, with the cone K of the contact. */
#ifndef BL_CONE_H
#define BL_CONE_H

#include "base/base.h"

/* One contact, exactly: u = D P + b, D[3][3] symmetric, positive semidefinite. Rows of a plane mechanism's second tangent are zero. */
void bl_cone_local(const double D[9], const double b[3], double mu, double P[3]);

/* The point of the cone |P_t| <= mu P_n nearest to P, in place. */
void bl_cone_project(double mu, double P[3]);

typedef struct bl_cone_problem {
    bl_index n;       /* contacts */
    const double *D;  /* [3 n][3 n] column-major, symmetric, positive semidefinite */
    const double *u0; /* [3 n] */
    const double *mu; /* [n] */
} bl_cone_problem;

typedef enum bl_cone_method {
    BL_CONE_SWEEPS,  /* Gauss-Seidel over contacts, every one exact, in their order and back */
    BL_CONE_GRADIENT /* accelerated projected gradient (Nesterov) with restarts, the nonconvex part mu |u_t| repeated outside */
} bl_cone_method;

typedef struct bl_cone_options {
    bl_cone_method method;
    double tolerance; /* of the residual, as a velocity */
    int most;         /* sweeps or gradient steps */
} bl_cone_options;

typedef struct bl_cone_result {
    int iterations;
    double residual; /* bl_cone_residual */
} bl_cone_result;

/* P[3 n] in: the guess of a warm start, or zeros; out: the solution, in the cone in any case. u[3 n]: the velocities. work: 12 n doubles.
 * BL_NO_CONVERGENCE: the residual is above the tolerance after `most`; P and u are the last ones. Records no error. */
bl_status bl_cone_solve(const bl_cone_problem *problem, const bl_cone_options *options, double *P, double *u, double *work,
                        bl_cone_result *result);

/* Natural map max_i |P - project(P - r v)| / r with r of the size 1 / D_ii: the largest velocity by which the law is violated. */
double bl_cone_residual(const bl_cone_problem *problem, const double *P, const double *u);

#endif
