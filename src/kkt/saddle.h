/* saddle, private: [H - sigma M + shift, G^T; G, 0] with independent rows, sparse. */
#ifndef BL_KKT_SADDLE_H
#define BL_KKT_SADDLE_H

#include "kkt/kkt.h"
#include "kkt/kkt_matrix.h"

typedef struct bl_saddle {
    bl_index n, r; /* r < 0: not at a configuration yet */
    const bl_pattern *mass;
    bl_row_choice rows;
    bl_kkt_matrix matrix; /* unless the pattern of K itself is used */
    const bl_pattern *pattern;
    bl_index *slot_M, *diagonal; /* indices in it */
    double *values, *x;          /* [entries], [n + r] */
    void *block;                 /* of the indices, where the pattern is that of K */
    char *linsol;
    bl_linsol *solver;
} bl_saddle;

bl_status bl_saddle_create(bl_kkt *kkt, const bl_kkt_setup *setup);
void bl_saddle_destroy(bl_kkt *kkt);
/* Chooses rows anew where their rank has changed, or none were chosen yet. */
bl_status bl_saddle_move_to(bl_kkt *kkt);
bl_status bl_saddle_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift);
bl_status bl_saddle_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda);

#endif
