/* kkt: a matrix on the coordinates and the constraint rows at one configuration as one linear system,
 *
 *     [ H  G^T ] [ x      ]   [ Q ]
 *     [ G   0  ] [ lambda ] = [ c ]        n = nv + nz unknowns (G does not see z), np rows of rank r
 *
 * solved on the null space R of G (G R = 0, the admissible motions) with full matrices up to a size, or by a sparse factorization with
 * independent rows kept. Without rows R = 1. Unknowns are measured in the scales of their columns, rows in theirs: R is orthonormal in
 * scaled columns, so that nothing depends on which coordinates are called independent. */
#ifndef BL_KKT_H
#define BL_KKT_H

#include "linsol/linsol.h"

/* Number of unknowns up to which full matrices are used: a factorization of 300 takes 5 ms, constraints make R smaller than that. */
enum { BL_KKT_DENSE = 300, BL_KKT_DENSE_ROWS = 600 };

typedef struct bl_kkt_setup {
    const char *linsol;     /* of sparse matrices; NULL: auto */
    bl_index dense_most;    /* unknowns up to which full matrices are used; 0: as above; < 0: never */
    const bl_pattern *mass; /* pattern of a second matrix that bl_kkt_factor subtracts; NULL: none */
    bool positions;         /* velocity rows count as zero: R are the motions that positions admit. Full matrices only */
} bl_kkt_setup;

typedef struct bl_kkt {
    bl_context *ctx;
    const bl_system *sys;
    bl_index n, np; /* unknowns, rows */
    bl_index r, f;  /* at the configuration: independent rows, admissible motions */
    double *scale;  /* [n] of columns */
    bool dense;     /* reduced, else saddle */
    bool positions; /* without velocity rows */
    const bl_pattern *mass;
    const double *G; /* at the configuration, on sys->pat_G */
    struct bl_reduced *reduced;
    struct bl_saddle *saddle;
    long factors, solves;
} bl_kkt;

bl_status bl_kkt_create(const bl_system *sys, const bl_kkt_setup *setup, bl_kkt **kkt);
void bl_kkt_destroy(bl_kkt *kkt); /* NULL is fine */

/* H = K + d(G^T lambda)/dx on sys->pat_K at the evaluation point: the derivative of G^T lambda - Q at constant multipliers. K alone misses
 * the curvature of the constraints: a pendulum in natural coordinates has K = 0. Leaves eval->lambda at lambda. */
bl_status bl_kkt_tangent(const bl_system *sys, bl_eval *eval, const double *lambda, double *H);

/* Moves to the configuration of eval: G there, its rank, R or the rows to keep. eval must not move as long as the kkt is used there. */
bl_status bl_kkt_move_to(bl_kkt *kkt, bl_eval *eval);
/* Multipliers with the least |Q - G^T lambda| in scaled columns, of these the least in scaled rows; Q[n]. Sparse: factors. */
bl_status bl_kkt_multipliers(bl_kkt *kkt, const double *Q, double *lambda);
/* Factors for bl_kkt_solve: H - sigma M + shift / scale^2 on the diagonal; H on sys->pat_K, M on the setup's mass (NULL: none).
 * BL_SINGULAR: singular to rounding. H and M must remain valid. */
bl_status bl_kkt_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift);
/* From now on iterative solutions may leave this share of the right-hand side as residual; 0: as accurate as the solver allows. */
void bl_kkt_accuracy(bl_kkt *kkt, double share);
/* x[n] and lambda[np] (NULL: not wanted) for Q[n] and c[np] (NULL: 0). x may be Q. */
bl_status bl_kkt_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda);
/* Of the last factorization, on the admissible motions: number of negative eigenvalues, when it is symmetric; -1: not known. */
bl_index bl_kkt_negative(const bl_kkt *kkt);
int bl_kkt_sign(const bl_kkt *kkt);      /* sign of its determinant there, comparable while the rows stay the same; 0: not known */
double bl_kkt_pivots(const bl_kkt *kkt); /* smallest / largest pivot */

/* ---- full matrices only */

/* A[n][n] on a pattern (NULL: of K) reduced to R^T A R in scaled columns, out[f][f] */
void bl_kkt_reduce(const bl_kkt *kkt, const bl_pattern *pattern, const double *A, double *out);
/* y[f] = R^T of a force Q[n]; x[n] = motion of z[f] */
void bl_kkt_reduce_force(const bl_kkt *kkt, const double *Q, double *y);
void bl_kkt_motion(const bl_kkt *kkt, const double *z, double *x);
/* x[n] with the least |x| in scaled columns such that G x = c */
void bl_kkt_least(bl_kkt *kkt, const double *c, double *x);

/* ---- motions without stiffness */

/* Admissible motions x[k][n] without stiffness (bl_kkt_is_free), at most `most`, separated as below. Overwrites the factors. */
bl_status bl_kkt_free_motions(bl_kkt *kkt, const double *H, double share, bl_index most, double *x, bl_index *count);
/* Replaces motions by combinations such that each has a large scaled entry 1 where all others have 0 (Gauss-Jordan). */
void bl_kkt_separate(const bl_kkt *kkt, bl_index count, double *x);
/* mean of |H_jj| scale_j^2; 1 where there is none */
double bl_kkt_mean_stiffness(const bl_kkt *kkt, const double *H);
/* Whether x has no stiffness: |x^T H x| is at most `share` of the sum of |x_i H_ij x_j|, or nothing but rounding. */
bool bl_kkt_is_free(const bl_kkt *kkt, const double *H, const double *x, double share);

#endif
