/* function: your own equations, written as C functions, for every method of biela.
 *
 *     q' = v,   M(q, t) v' + G^T lambda = Q(t, q, v, z),   phi(q, t) = 0,   G = phi_q      second order, nq coordinates, np constraints
 *     A z' = f(t, q, v, z)                                                                 first order, nz states
 *
 * A differential equation y' = f(t, y) fills two fields: .nz and .force (which writes f, from z). Fields that are 0 or NULL: identity
 * matrices, dense patterns, no constraints, derivatives by differences. Everything but `user` is copied when the function is taken. */
#ifndef BIELA_FUNCTION_H
#define BIELA_FUNCTION_H

#include "biela/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a matrix has entries: compressed columns, ptr[ncol + 1], rows idx[ptr[j]] .. idx[ptr[j+1] - 1] of column j ascending. Values lie
 * in the same order. ptr NULL: everywhere, values are the dense matrix column by column. */
typedef struct bl_csc {
    const bl_index *ptr, *idx;
} bl_csc;

/* What you promise (bl_function.promise); nothing is assumed. */
enum {
    BL_FN_NO_V = 1,    /* Q and f do not depend on v */
    BL_FN_NO_T = 2,    /* Q and f do not depend on t by itself */
    BL_FN_LINEAR = 4,  /* the derivatives of Q and f by q, v, z are constant */
    BL_FN_STATIC = 8,  /* phi does not depend on t */
    BL_FN_SMOOTH = 16, /* Q and f have as many derivatives as anyone may want */
};

/* Every call returns 0; > 0: not possible at this place (a shorter step is tried); < 0: give up. Matrices are cleared before. Calls must
 * answer the same at the same place, and may come from several threads when one function is used by several. */
typedef struct bl_function {
    void *user; /* handed to every call */
    bl_index nq, nz, np;
    uint32_t promise;
    /* Q[nq] and f[nz] from q[nq], v[nq], z[nz] */
    int (*force)(void *user, double t, const double *q, const double *v, const double *z, double *Q, double *f);
    /* Derivatives of (Q, f): dx[n x n] by (q, z) and dv[n x nq] by v, n = nq + nz, on pattern_x and pattern_v. NULL: by differences,
     * with as few calls of force as the patterns allow. A sparse pattern_x also covers d(M v')/dq where M depends on q. */
    int (*tangent)(void *user, double t, const double *q, const double *v, const double *z, double *dx, double *dv);
    bl_csc pattern_x, pattern_v;

    /* ---- matrices */
    const double *M; /* constant mass matrix on pattern_M; NULL: mass, or else the identity */
    int (*mass)(void *user, double t, const double *q, double *M);
    bl_csc pattern_M; /* nq x nq */
    const double *A;  /* constant matrix before z', may be singular, on pattern_A; NULL: identity */
    bl_csc pattern_A; /* nz x nz */

    /* ---- constraints; slots after the first are optional */
    int (*constraint)(void *user, double t, const double *q, double *phi); /* phi[np] */
    int (*jacobian)(void *user, double t, const double *q, double *G);     /* on pattern_G */
    int (*rate)(void *user, double t, const double *q, double *phi_t);     /* derivative of phi by time at fixed q */
    /* c[np] with G v' = c: minus the second derivative of phi(q + s v, t + s) by s */
    int (*curvature)(void *user, double t, const double *q, const double *v, double *c);
    bl_csc pattern_G; /* np x nq */

    /* ---- optional */
    int (*event)(void *user, double t, const double *q, const double *v, const double *z,
                 double *event); /* a change of sign ends the run */
    bl_index nevent;
    /* power: of the forces without potential */
    int (*energy)(void *user, double t, const double *q, const double *v, double *kinetic, double *potential, double *power);
    int (*exact)(void *user, double t, double *q, double *v, double *z); /* a known solution; arrays of length 0 may be NULL */
    const double *scale;                                                 /* [nq + nz] typical size of q and z; NULL: 1 */
    const double *row_scale;                                             /* [np] typical size of the gradient of each constraint; NULL: 1 */
    double time_scale;       /* typical time in which phi changes by itself, for differences; 0: 1 */
    const char *const *name; /* [nq + nz] for messages; NULL: q1, q2, ..., z1, ... */
} bl_function;

#ifdef __cplusplus
}
#endif
#endif
