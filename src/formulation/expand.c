/* The recursion of power series, the same for all formulations: with c = (k + 1)(k + 2), for k = 0, 1, ...
 *
 *     M_0 c q_{k+2} + G_0^T lambda_k = F_k,     G_0 q_{k+2} = -phi_{k+2} without q_{k+2},     A (k + 1) z_{k+1} = f_k,
 *
 * F_k collects forces and lower coefficients. c q_{k+2} are accelerations under F_k: the matrix of order 0 serves all orders. */
#include "formulation/formulation.h"

#include <string.h>

/* the next coefficients from those of the rates */
static void integrate(size_t n, const double *restrict rate, double by_q, double by_v, double *restrict q, double *restrict v) {
    for (size_t i = 0; i < n; i++) {
        q[i] = rate[i] * by_q;
        v[i] = rate[i] * by_v;
    }
}

bl_status bl_formulation_expand(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_order_solution solve,
                                bl_expansion *ex) {
    const bl_system *sys = form->sys;
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz, np = (size_t)sys->np;
    form->stats.evaluations++;
    ex->t = t;
    ex->history = form->history;
    memcpy(ex->q, q, nv * sizeof(double));
    memcpy(ex->v, v, nv * sizeof(double));
    memcpy(ex->q + nv, v, nv * sizeof(double));
    if (nz)
        memcpy(ex->z, z, nz * sizeof(double));
    for (int k = 0; k < ex->order; k++) {
        bool moves = k <= ex->order - 2; /* the last order concerns the states only */
        if (!moves && nz == 0)
            break;
        double c = (k + 1) * (k + 2);
        double *next_q = ex->q + (size_t)(k + 2) * nv, *next_v = ex->v + (size_t)(k + 1) * nv, *next_z = ex->z + (size_t)(k + 1) * nz;
        BL_TRY(bl_system_series(sys, ex, k, (nv && moves ? BL_Q : 0) | (nz ? BL_F : 0)));
        if (moves) {
            if (np)
                BL_TRY(bl_system_series(sys, ex, k + 2, BL_PHI));
            for (size_t i = 0; i < np; i++)
                ex->phi[i] *= -c;
            BL_TRY(solve(form, ex->Q, ex->phi, ex->a, ex->lambda + (size_t)k * np));
            integrate(nv, ex->a, 1 / c, 1.0 / (k + 1), next_q, next_v);
        }
        if (nz)
            BL_TRY(bl_state_rates_solve(form, ex->f, ex->zd));
        for (size_t i = 0; i < nz; i++)
            next_z[i] = ex->zd[i] / (k + 1);
    }
    return bl_system_series(sys, ex, ex->order, BL_ENERGY);
}
