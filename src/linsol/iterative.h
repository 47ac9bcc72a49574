/* iterative: what conjugate gradients and MINRES share: the matrix or the caller's product, preconditioners, tolerances, words. A kind's
 * descriptor takes the slots of this shell; its own part is one function that iterates (cg.c, minres.c).
 *
 * With bl_linsol.product there is no matrix: y = A x is the caller's, and the pattern and values of analyze and factor are what the
 * preconditioner is made of: the diagonal of A, its diagonal blocks, or any symmetric matrix near A. */
#ifndef BL_ITERATIVE_H
#define BL_ITERATIVE_H

#include "linsol/krylov_isa.h"
#include "linsol/linsol.h"
#include "linsol/symmetric.h"

typedef enum bl_preconditioner { BL_PRE_AUTO, BL_PRE_NONE, BL_PRE_JACOBI, BL_PRE_BLOCK_JACOBI, BL_PRE_IC } bl_preconditioner;

enum { BL_MOST_VECTORS = 8 };

typedef struct bl_iterative_slots {
    int vectors;                 /* that it needs, as long as those of the matrix */
    bool definite;               /* matrices have to be */
    bl_preconditioner preferred; /* by default */
    /* Goes on from x in vector[1] with the residual r = b - A x in vector[0], *size its norm, sqrt(r^T M^-1 r), until that is at most
     * `target`; z of bl_iterative_begin stands in vector[2]. *left: iterations that may be spent, counted down. BL_NO_CONVERGENCE has words
     * only where more is known than that they were spent. */
    bl_status (*iterate)(bl_linsol *, double target, double *size, long *left);
} bl_iterative_slots;

typedef struct bl_iterative {
    /* options */
    double tolerance; /* NAN: not given */
    long most;        /* 0: not given */
    bl_preconditioner asked;
    int block;
    const char *ordering;
    /* of the pattern */
    bl_symmetric a;
    bl_preconditioner how;
    size_t length; /* of vectors: places and what rounds them up */
    double *vector[BL_MOST_VECTORS];
    double *outside[2]; /* [n] product: in the caller's order */
    const bl_symmetric_kernels *blocks;
    const bl_krylov_kernels *vectors;
    /* of the values */
    double *weight;    /* [length] none, jacobi: M^-1 = diag(weight) */
    bl_lower L;        /* block_jacobi, ic: M = L L^T */
    double *positive;  /* [nodes][d][d] diagonal blocks, where those of the matrix need not be positive definite; NULL: they are taken */
    bl_index *nothing; /* [nodes + 1] block_jacobi: no row has blocks beside the diagonal */
    double *row;       /* scratch of the factorization */
    double shift;      /* of the diagonal, that the last factorization needed */
    double iterations; /* of a solution: predicted, then the mean of those done */
    void *room;
} bl_iterative;

extern const bl_param bl_iterative_params[];

/* For iterate. y = A x, and x^T y; BL_NOT_FINITE. */
bl_status bl_iterative_product(bl_linsol *solver, const double *x, double *y, double *curve);
/* M^-1 in two halves: z from r, r^T M^-1 r; then p = M^-1 r + beta p out of z, which it spoils. */
double bl_iterative_begin(const bl_iterative *s, const double *r, double *z);
void bl_iterative_end(const bl_iterative *s, double beta, double *z, double *p);

/* For PETSc's iterations too. Tolerance: `given` as an option (NAN: not), else what the caller asks for, else a default. Iterations at
 * most: `given` (0: not), else a default by the order n. */
double bl_iterative_tolerance(const bl_linsol *solver, double given);
long bl_iterative_most(long given, bl_index n);
/* Power of two near the largest of b[n], so that squares neither overflow nor vanish; 0: all are zero. */
double bl_iterative_unit(bl_index n, const double *b);
extern const char bl_iterative_advice[]; /* where an iteration does not converge */

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
