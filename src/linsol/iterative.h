/* iterative: common part of conjugate gradients and MINRES: the matrix or the caller's product, preconditioners, tolerances, messages. A
 * kind uses the slots of this shell and adds one function that iterates (cg.c, minres.c).
 *
 * With bl_linsol.product there is no matrix: the caller computes y = A x, and the pattern and values of analyze and factor define the
 * preconditioner: the diagonal of A, its diagonal blocks, or any symmetric matrix near A. */
#ifndef BL_ITERATIVE_H
#define BL_ITERATIVE_H

#include "linsol/krylov_isa.h"
#include "linsol/linsol.h"
#include "linsol/symmetric.h"

typedef enum bl_preconditioner { BL_PRE_AUTO, BL_PRE_NONE, BL_PRE_JACOBI, BL_PRE_BLOCK_JACOBI, BL_PRE_IC } bl_preconditioner;

enum { BL_MOST_VECTORS = 8 };

typedef struct bl_iterative_slots {
    int vectors;                 /* number of work vectors */
    bool definite;               /* matrices must be definite */
    bl_preconditioner preferred; /* by default */
    /* Continues from x in vector[1] with the residual r = b - A x in vector[0], *size its norm, sqrt(r^T M^-1 r), until that is at most
     * `target`; z of bl_iterative_forward is in vector[2]. *left: remaining iterations, counted down. BL_NO_CONVERGENCE has a message
     * only if the reason is another than *left = 0. */
    bl_status (*iterate)(bl_linsol *, double target, double *size, long *left);
} bl_iterative_slots;

typedef struct bl_iterative {
    /* options */
    double tolerance; /* NAN: not given */
    long most;        /* 0: not given */
    bl_preconditioner requested;
    int block;
    const char *ordering;
    /* of the pattern */
    bl_symmetric a;
    bl_preconditioner preconditioner;
    size_t length; /* of vectors, rounded up */
    double *vector[BL_MOST_VECTORS];
    double *user_vector[2]; /* [n] for the caller's product, in the caller's order */
    const bl_symmetric_kernels *blocks;
    const bl_krylov_kernels *vectors;
    /* of the values */
    double *weight;      /* [length] none, jacobi: M^-1 = diag(weight) */
    bl_lower L;          /* block_jacobi, ic: M = L L^T */
    double *positive;    /* [nodes][d][d] positive definite diagonal blocks in place of those of the matrix; NULL: not needed */
    bl_index *no_blocks; /* [nodes + 1] zeros: row pointers of block_jacobi, which has only diagonal blocks */
    double *row;         /* scratch of the factorization */
    double shift;        /* of the diagonal in the last factorization */
    double iterations;   /* per solution: predicted, then the mean so far */
    void *room;
} bl_iterative;

extern const bl_param bl_iterative_params[];

/* For iterate. y = A x, and x^T y; BL_NOT_FINITE. */
bl_status bl_iterative_product(bl_linsol *solver, const double *x, double *y, double *curvature);
/* M^-1 in two halves: z from r, returns r^T M^-1 r; then p = M^-1 r + beta p from z, which is overwritten. */
double bl_iterative_forward(const bl_iterative *s, const double *r, double *z);
void bl_iterative_backward(const bl_iterative *s, double beta, double *z, double *p);

/* Also used for PETSc. Tolerance: the option `given` (NAN: none), else that of the caller, else a default. Largest number of iterations:
 * `given` (0: none), else a default depending on n. */
double bl_iterative_tolerance(const bl_linsol *solver, double given);
long bl_iterative_most(long given, bl_index n);
/* Power of two near the largest of b[n], so that squares neither overflow nor underflow; 0: all are zero. */
double bl_iterative_unit(bl_index n, const double *b);
extern const char bl_iterative_advice[]; /* if an iteration does not converge */

/* The phases of bl_linsol_kind. */
bl_status bl_iterative_create(bl_linsol *solver, const bl_value *values);
bl_status bl_iterative_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                               double rank_tolerance);
bl_status bl_iterative_factor(bl_linsol *solver, const double *values);
bl_status bl_iterative_refactor(bl_linsol *solver, const double *values);
bl_status bl_iterative_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x);
void bl_iterative_destroy(bl_linsol *solver);
double bl_iterative_cost(const bl_linsol *solver, bl_index nrhs);
bl_status bl_iterative_forecast(bl_linsol *solver, const double *values, bl_index nrhs, double *nanoseconds);

#endif
