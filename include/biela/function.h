/* function: your own equations, written as C functions, for every method of biela.
 *
 *     q' = v,   M(q, t) v' + G^T lambda = Q(t, q, v, z),   phi(q, t) = 0,   G = phi_q      second order, nq coordinates, np constraints
 *     A z' = f(t, q, v, z)                                                                 first order, nz states
 *
 * A differential equation y' = f(t, y) needs two fields: .nz and .force (which computes f from z). Fields that are 0 or NULL mean identity
 * matrices, dense patterns, no constraints, derivatives by finite differences. All data except what `user` points to is copied. */
#ifndef BIELA_FUNCTION_H
#define BIELA_FUNCTION_H

#include "biela/biela.h" /* bl_run_summary */

#ifdef __cplusplus
extern "C" {
#endif

/* Sparsity pattern in compressed columns: ptr[ncol + 1]; the rows of column j are idx[ptr[j]] .. idx[ptr[j+1] - 1], ascending. Values are
 * stored in the same order. ptr NULL: dense, values column by column. */
typedef struct bl_csc {
    const bl_index *ptr, *idx;
} bl_csc;

/* Properties that you guarantee (bl_function.promise); none is assumed. */
enum {
    BL_FN_NO_V = 1,    /* Q and f do not depend on v */
    BL_FN_NO_T = 2,    /* Q and f do not depend on t by itself */
    BL_FN_LINEAR = 4,  /* the derivatives of Q and f by q, v, z are constant */
    BL_FN_STATIC = 8,  /* phi does not depend on t */
    BL_FN_SMOOTH = 16, /* Q and f are infinitely differentiable */
};

/* Every call returns 0 on success; > 0: not defined at this point (a shorter step is tried); < 0: end the run. Matrices are zeroed before
 * the call. The same arguments must give the same results; several threads may call if several use the same function. */
typedef struct bl_function {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    void *user;  /* passed to every call */
    bl_index nq, nz, np;
    uint32_t promise;
    /* Q[nq] and f[nz] from q[nq], v[nq], z[nz] */
    int (*force)(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f);
    /* Derivatives of (Q, f): dx[n x n] by (q, z) and dv[n x nq] by v, n = nq + nz, on pattern_x and pattern_v. NULL: by finite differences,
     * with as few calls of force as the patterns allow. A sparse pattern_x also covers d(M v')/dq where M depends on q. */
    int (*tangent)(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv);
    bl_csc pattern_x, pattern_v;

    /* ---- matrices */
    const double *M; /* constant mass matrix on pattern_M; NULL: from `mass`, else the identity */
    int (*mass)(void *user, double t, const double *q, double *M);
    bl_csc pattern_M; /* nq x nq */
    const double *A;  /* constant coefficient matrix of z', may be singular, on pattern_A; NULL: identity */
    bl_csc pattern_A; /* nz x nz */

    /* ---- constraints; slots after the first are optional */
    int (*constraint)(void *user, double t, const double *q, double *phi); /* phi[np] */
    int (*jacobian)(void *user, double t, const double *q, double *G);     /* on pattern_G */
    int (*rate)(void *user, double t, const double *q, double *phi_t);     /* partial derivative of phi with respect to t */
    /* c[np] with G v' = c: minus the second derivative of phi(q + s v, t + s) by s */
    int (*curvature)(void *user, double t, const double *q, const double *v, double *c);
    bl_csc pattern_G; /* np x nq */

    /* ---- optional */
    int (*event)(void *user, double t, const double *q, const double *v, const double *z,
                 double *event); /* a change of sign ends the run */
    bl_index nevent;
    /* power: of the nonconservative forces */
    int (*energy)(void *user, double t, const double *q, const double *v, double *kinetic, double *potential, double *power);
    int (*exact)(void *user, double t, double *q, double *v, double *z); /* a known solution; arrays of length 0 may be NULL */
    const double *scale;                                                 /* [nq + nz] typical size of q and z; NULL: 1 */
    const double *row_scale;                                             /* [np] typical size of the gradient of each constraint; NULL: 1 */
    double time_scale;       /* typical time in which phi changes at fixed q, for finite differences; 0: 1 */
    const char *const *name; /* [nq + nz] for messages; NULL: q1, q2, ..., z1, ... */
} bl_function;

/* ---- integrate */

/* Fields that are NULL or 0 take a default that suits the function and the method. */
typedef struct bl_integrate_options {
    size_t size;                                              /* sizeof this struct, or 0 (context.h) */
    const char *integrator, *formulation, *linsol, *ordering; /* as on the command line: "dopri45", "bdf:3", "index3" */
    double from, until;                                       /* forward in time */
    double tolerance;                                         /* relative; 0: 1e-6 */
    double absolute;                                          /* of every component; 0: tolerance x scale */
    double step;      /* fixed-step methods: step size (0: a thousandth of the span); others: first step */
    double step_max;  /* 0: a tenth of the span */
    const double *at; /* [nat] times to visit, ascending; NULL: every step */
    bl_index nat;
} bl_integrate_options;

/* Receives the solution at each requested time, or at the start and after every step when no times are given. Arrays are valid during the
 * call. Return 0 to continue; anything else ends the run (BL_STOPPED). */
typedef int bl_integrate_visit(void *user, double t, const double *q, const double *v, const double *z);

/* Integrates from q0[nq], v0[nq] (NULL: at rest), z0[nz], which must satisfy the constraints, to options->until or to an event (BL_EVENT).
 * On failure visit has received everything up to and including the last accepted state. visit and summary may be NULL. */
BL_API bl_status bl_integrate(bl_context *ctx, const bl_function *function, const bl_integrate_options *options, const double *q0,
                              const double *v0, const double *z0, bl_integrate_visit *visit, void *visit_user, bl_run_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
