/* MINRES with a positive definite preconditioner, for symmetric matrices that may be indefinite: the least residual of a Krylov space by
 * Lanczos vectors and plane rotations (Paige and Saunders, SIAM J. Numer. Anal. 12 (1975); the recurrences as in Elman, Silvester and
 * Wathen, Finite Elements and Fast Iterative Solvers (2005), section 6.1). */
#include "linsol/iterative.h"

#include <math.h>
#include <string.h>

enum { R, X, Z, U, Q, OLD, W, W_OLD, VECTORS };

/* If A r is negligible compared with r, x is a least-squares solution and no better one exists. */
static bl_status dependent(bl_linsol *solver, double size) {
    bl_fail(solver->ctx, BL_NO_CONVERGENCE, NULL,
            "minres: the matrix of order %d is singular and the equations are inconsistent, residual %.1e", solver->stats.n, size);
    bl_advise(solver->ctx, "check that no part of the structure is free to move; klu and ldl can drop dependent rows");
    return BL_NO_CONVERGENCE;
}

static void exchange(double **a, double **b) {
    double *keep = *a;
    *a = *b;
    *b = keep;
}

/* Lanczos: gamma_j+1 v_j+1 = A z_j - delta_j v_j - gamma_j v_j-1, M z_j = v_j, vectors kept unscaled (v holds gamma_j v_j);
 * rotations (c, s) of the tridiagonal matrix give directions w and the norm |eta| of the residual. */
static bl_status iterate(bl_linsol *solver, double target, double *size, long *left) {
    bl_iterative *s = solver->own;
    const bl_krylov_kernels *k = s->vectors;
    double *v = s->vector[R], *z = s->vector[Z], *u = s->vector[U], *q = s->vector[Q], *old = s->vector[OLD], *w = s->vector[W],
           *w_old = s->vector[W_OLD];
    size_t n = s->length;
    double gamma = *size, gamma_old = 1, eta = gamma, c = 1, c_old = 1, sn = 0, sn_old = 0, delta, first = *size;
    bl_status status = BL_OK;
    memset(old, 0, n * sizeof *old);
    memset(w, 0, n * sizeof *w);
    memset(w_old, 0, n * sizeof *w_old);
    for (; *left > 0 && fabs(eta) > target && status == BL_OK; (*left)--) {
        BL_TRY(bl_go_on(solver->ctx));
        bl_iterative_backward(s, 0, z, u); /* u = M^-1 v */
        k->combine(n, 0, u, 0, u, 1 / gamma, u);
        BL_TRY(bl_iterative_product(solver, u, q, &delta));
        k->combine(n, -delta / gamma, v, -gamma / gamma_old, old, 1, q);
        exchange(&old, &v);
        exchange(&v, &q);
        gamma_old = gamma;
        gamma = sqrt(bl_iterative_forward(s, v, z));
        double a0 = c * delta - c_old * sn * gamma_old, a1 = hypot(a0, gamma), a2 = sn * delta + c_old * c * gamma_old,
               a3 = sn_old * gamma_old;
        if (!(a1 > 0)) {
            status = dependent(solver, fabs(eta) / first);
            break;
        }
        k->combine(n, 1 / a1, u, -a2 / a1, w, -a3 / a1, w_old);
        exchange(&w, &w_old);
        c_old = c;
        sn_old = sn;
        c = a0 / a1;
        sn = gamma / a1;
        k->add(n, c * eta, w, s->vector[X]);
        eta *= -sn;
    }
    *size = fabs(eta);
    return status;
}

static const bl_iterative_slots slots = {VECTORS, false, BL_PRE_BLOCK_JACOBI, iterate};

const bl_linsol_kind bl_linsol_minres = {
    .kind = {.name = "minres",
             .help = "MINRES, for large symmetric matrices that are not definite",
             .params = bl_iterative_params,
             .needs = BL_LINSOL_SYMMETRIC,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_TRANSPOSED | BL_LINSOL_ITERATIVE | BL_LINSOL_PRODUCT},
    .size = sizeof(bl_iterative),
    .slots = &slots,
    .create = bl_iterative_create,
    .destroy = bl_iterative_destroy,
    .analyze = bl_iterative_analyze,
    .factor = bl_iterative_factor,
    .refactor = bl_iterative_refactor,
    .solve = bl_iterative_solve,
    .cost = bl_iterative_cost,
    .forecast = bl_iterative_forecast,
};
