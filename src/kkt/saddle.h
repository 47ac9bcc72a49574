/* saddle, private: [H - sigma M + shift, G^T; G, 0] with independent rows, sparse. */
#ifndef BL_KKT_SADDLE_H
#define BL_KKT_SADDLE_H

#include "kkt/kkt.h"

typedef struct bl_saddle {
    bl_index n, np, r;
    const bl_pattern *mass;
    bl_index *kept, *place; /* [r] rows in use; [np] their number, -1: left out */
    double *row_factor;     /* [np] 1 / scale */
    bl_pattern own;         /* the matrix, where it is not the pattern of K itself */
    const bl_pattern *pattern;
    bl_index *slot_H, *slot_M, *slot_G, *slot_GT, *diagonal; /* NULL: of H, the same; M: none */
    double *values, *x;                                      /* [entries], [n + r] */
    char *linsol;
    bl_linsol *solver;
} bl_saddle;

bl_status bl_saddle_create(bl_kkt *kkt, const bl_kkt_setup *setup);
void bl_saddle_destroy(bl_kkt *kkt);
/* Rows anew where their rank has changed, or there were none yet. */
bl_status bl_saddle_place(bl_kkt *kkt);
bl_status bl_saddle_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift);
bl_status bl_saddle_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda);

#endif
