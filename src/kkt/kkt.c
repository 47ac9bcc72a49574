/* One linear system of a matrix and the constraint rows, by full or by sparse matrices (kkt.h). */
#include "kkt/kkt.h"

#include "kkt/reduced.h"
#include "kkt/saddle.h"

#include <string.h>

bl_status bl_kkt_create(const bl_system *sys, const bl_kkt_setup *setup, bl_kkt **out) {
    bl_kkt *kkt;
    bl_index n = sys->nv + sys->nz;
    *out = NULL;
    BL_TRY(BL_NEW(sys->ctx, kkt, 1));
    *out = kkt;
    kkt->ctx = sys->ctx;
    kkt->sys = sys;
    kkt->n = n;
    kkt->np = sys->np;
    kkt->f = n;
    BL_TRY(BL_NEW(sys->ctx, kkt->scale, n));
    for (bl_index j = 0; j < n; j++)
        kkt->scale[j] = sys->col && sys->col[j].scale > 0 ? sys->col[j].scale : 1;
    bl_index most = setup->dense_most ? setup->dense_most : sys->np ? BL_KKT_DENSE_ROWS : BL_KKT_DENSE;
    kkt->dense = n <= most && sys->np <= 2 * most;
    kkt->mass = setup->mass;
    kkt->positions = setup->positions;
    return kkt->dense ? bl_reduced_create(kkt) : bl_saddle_create(kkt, setup);
}

void bl_kkt_destroy(bl_kkt *kkt) {
    if (!kkt)
        return;
    bl_reduced_destroy(kkt);
    bl_saddle_destroy(kkt);
    bl_free(kkt->ctx, kkt->scale);
    bl_free(kkt->ctx, kkt);
}

bl_status bl_kkt_move_to(bl_kkt *kkt, bl_eval *eval) {
    if (kkt->np) {
        BL_TRY(bl_system_eval(kkt->sys, eval, BL_G));
        kkt->G = eval->G;
    }
    BL_TRY(kkt->dense ? bl_reduced_move_to(kkt) : bl_saddle_move_to(kkt));
    kkt->r = kkt->dense ? kkt->reduced->rank : kkt->saddle->r;
    kkt->f = kkt->n - kkt->r;
    return BL_OK;
}

bl_status bl_kkt_multipliers(bl_kkt *kkt, const double *Q, double *lambda) {
    if (kkt->np == 0)
        return BL_OK;
    if (kkt->dense) {
        bl_reduced_multipliers(kkt, Q, lambda);
        return BL_OK;
    }
    kkt->factors++;
    kkt->solves++;
    BL_TRY(bl_saddle_factor(kkt, NULL, 0, NULL, 1));
    return bl_saddle_solve(kkt, Q, NULL, kkt->saddle->x, lambda);
}

bl_status bl_kkt_factor(bl_kkt *kkt, const double *H, double sigma, const double *M, double shift) {
    kkt->factors++;
    return kkt->dense ? bl_reduced_factor(kkt, H, sigma, kkt->mass, M, shift) : bl_saddle_factor(kkt, H, sigma, M, shift);
}

void bl_kkt_accuracy(bl_kkt *kkt, double share) {
    if (kkt->saddle && kkt->saddle->solver)
        kkt->saddle->solver->accuracy = share;
}

bl_status bl_kkt_solve(bl_kkt *kkt, const double *Q, const double *c, double *x, double *lambda) {
    kkt->solves++;
    if (!kkt->dense)
        return bl_saddle_solve(kkt, Q, c, x, lambda);
    bl_reduced_solve(kkt, kkt->mass, Q, c, x, lambda);
    return BL_OK;
}

bl_index bl_kkt_negative(const bl_kkt *kkt) {
    if (kkt->dense)
        return -1;
    const bl_linsol *solver = kkt->saddle->solver;
    bl_index count = bl_linsol_negative(solver);
    return count < 0 ? -1 : count - kkt->r; /* every row contributes one */
}

int bl_kkt_sign(const bl_kkt *kkt) {
    if (kkt->dense)
        return bl_reduced_sign(kkt);
    const bl_linsol *solver = kkt->saddle->solver;
    int sign = bl_linsol_sign(solver);
    return kkt->r % 2 ? -sign : sign;
}

double bl_kkt_pivots(const bl_kkt *kkt) { return kkt->dense ? kkt->reduced->ratio : kkt->saddle->solver->stats.worst_pivot; }
