/* problem: initial value problems as C functions, the same for every code that is compared.
 *
 *     q' = v,   M(q) v' + G^T lambda = Q(t, q, v),   phi(t, q) = 0,   z' = f(t, z)          y = (q, v, z)
 *
 * Error at the end: largest over the components of |y - end_value| / max(|end_value|, least * largest); `least` is 0 (purely relative) if
 * every component has its own size, otherwise a fraction of the largest position or velocity, so that a component that happens to be near
 * zero at the end does not decide. Multipliers are not compared. */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include <stdbool.h>

enum { IVP_MOST = 200 }; /* unknowns of any form */

/* A matrix to which entries are added: dense, band or compressed columns; `index` gives their indices in value. index NULL: entries are
 * only marked in `seen`. */
typedef struct ivp_matrix {
    int nrow, ncol;
    int row0, col0; /* of the part that is being filled */
    double *value;
    const int *index;    /* [ncol][nrow], -1: not in the pattern */
    unsigned char *seen; /* [ncol][nrow] */
} ivp_matrix;

static inline void ivp_add(ivp_matrix *m, int i, int j, double x) {
    int at = (j + m->col0) * m->nrow + i + m->row0;
    if (m->index)
        m->value[m->index[at]] += x;
    else
        m->seen[at] = 1;
}

typedef struct ivp {
    const char *name, *scene, *mechanism; /* model files of the same problem: as equations, as a mechanism; NULL if there is none */
    const char *what;
    int nq, nz, np;
    double t_end, split; /* split: time at which Q is not smooth, 0: none */
    const double *size;  /* [2 nq + nz] typical size, for absolute tolerances = tolerance x size */
    double least;        /* see above */
    void (*start)(double *y);
    void (*end_value)(double *y); /* at t_end */
    void (*force)(double t, const double *q, const double *v, const double *z, double *Q, double *f);
    /* derivatives of (Q, f): by (q, z), square, and by v */
    void (*tangent)(double t, const double *q, const double *v, const double *z, ivp_matrix *dx, ivp_matrix *dv);
    bool linear;                                  /* tangent constant */
    void (*mass)(const double *q, ivp_matrix *M); /* NULL: identity */
    bool mass_constant;
    void (*constraint)(double t, const double *q, double *phi);
    void (*gradient)(double t, const double *q, ivp_matrix *G);
    void (*rate)(double t, const double *q, double *phi_t);                   /* NULL: phi does not depend on t */
    void (*curvature)(double t, const double *q, const double *v, double *c); /* G v' = c */
    /* solved for the derivatives: y' = f(t, y); NULL: (v, Q, f) */
    void (*explicit_rate)(double t, const double *y, double *rate);
    /* implicit form F(t, x, x') = 0 with x = (y, algebraic unknowns), for IDA; NULL: none */
    int nx;
    void (*implicit_start)(double *x, double *xd); /* consistent; x begins with y */
    void (*residual)(double t, const double *x, const double *xd, double *r);
    void (*residual_jacobian)(double t, const double *x, const double *xd, double c,
                              ivp_matrix *J); /* dF/dx + c dF/dx'; NULL: differences */
    int nalgebraic;                           /* the last ones of x */
    /* a variable of the mechanism and its rate into y */
    void (*read_mechanism)(const char *name, double value, double rate, double *y);
} ivp;

extern const ivp *const ivp_all[];
extern const int ivp_count;

static inline int ivp_length(const ivp *p) { return 2 * p->nq + p->nz; }
/* y' = f(t, y) and its Jacobian */
void ivp_rate(const ivp *p, double t, const double *y, double *rate);
bool ivp_has_jacobian(const ivp *p); /* analytic */
void ivp_jacobian(const ivp *p, double t, const double *y, ivp_matrix *J);
double ivp_error(const ivp *p, const double *y);
/* Entries of a matrix that may be nonzero, by compressed columns. */
typedef struct ivp_pattern {
    int nrow, ncol, count;
    int index[IVP_MOST * IVP_MOST], ptr[IVP_MOST + 1], idx[IVP_MOST * IVP_MOST];
} ivp_pattern;
void ivp_pattern_from(ivp_pattern *pattern, int nrow, int ncol, const unsigned char *seen);
void ivp_pattern_dense(ivp_pattern *pattern, int nrow, int ncol);
/* Solves the symmetric positive definite tridiagonal system with diagonal d[n] and off-diagonal e[n-1] in place; d is overwritten. */
void ivp_tridiagonal(int n, double *d, const double *e, double *x);

#endif
