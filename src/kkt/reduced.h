/* reduced, private: full matrices on the admissible motions, the null space of G.
 *
 * With rows divided and columns multiplied by their scales, G^T P = Q [T11 T12; 0 0] by QR with column pivoting: the last columns of Q are
 * R, the first ones and T give least-norm solutions and multipliers. */
#ifndef BL_KKT_REDUCED_H
#define BL_KKT_REDUCED_H

#include "kkt/kkt.h"

typedef struct bl_reduced {
    bl_index n, np, rank, f;
    double *qr, *tau;   /* [np][n] factors of G^T */
    double *top, *ztau; /* [np][np] T, and where rows are dependent its orthogonal completion */
    bl_index *order;    /* [np] rows in order of pivots, from 1 */
    double *R;          /* [f][n] */
    double *row_scale;  /* [np] */
    double *lu, *half;  /* [f][f] the factored matrix; [f][n] products */
    bl_index *pivot;    /* [f] */
    const double *H;    /* as factored, with its shift and sigma, for products */
    const double *M;
    double sigma, shift;
    double ratio;                                 /* of pivots */
    double *column, *negative, *rest, *moved, *z; /* [n] */
    double *row;                                  /* [np] */
    double *work;
    size_t nwork;
    void *block;
} bl_reduced;

bl_status bl_reduced_create(bl_kkt *kkt);
void bl_reduced_destroy(bl_kkt *kkt);
bl_status bl_reduced_move_to(bl_kkt *kkt);
void bl_reduced_multipliers(bl_kkt *kkt, const double *Q, double *lambda);
bl_status bl_reduced_factor(bl_kkt *kkt, const double *H, double sigma, const bl_pattern *mass, const double *M, double shift);
void bl_reduced_solve(bl_kkt *kkt, const bl_pattern *mass, const double *Q, const double *c, double *x, double *lambda);
int bl_reduced_sign(const bl_kkt *kkt);

#endif
