/* Conjugate gradients with a preconditioner, for symmetric positive definite matrices (Hestenes and Stiefel 1952; Golub and Van Loan,
 * Matrix Computations, section 11.5). A direction of negative curvature ends the iteration: the matrix is not positive definite. */
#include "linsol/iterative.h"

#include <math.h>

enum { R, X, Z, P, Q, VECTORS };

static bl_status indefinite(bl_linsol *solver, double curvature) {
    bl_fail(solver->ctx, BL_NO_CONVERGENCE, NULL, "cg: the matrix of order %d is not positive definite: a direction has curvature %.3g",
            solver->stats.n, curvature);
    bl_advise(solver->ctx, "choose the linear solver minres, or ldl");
    return BL_NO_CONVERGENCE;
}

/* alpha = r.z / p.Ap;  x += alpha p;  r -= alpha A p;  beta = new r.z / old r.z;  p = z + beta p   with M z = r */
static bl_status iterate(bl_linsol *solver, double target, double *size, long *left) {
    bl_iterative *s = solver->own;
    double **v = s->vector, square = *size * *size, before = 0, curvature;
    for (; *left > 0 && *size > target; (*left)--) {
        BL_TRY(bl_go_on(solver->ctx));
        bl_iterative_backward(s, before > 0 ? square / before : 0, v[Z], v[P]);
        BL_TRY(bl_iterative_product(solver, v[P], v[Q], &curvature));
        if (!(curvature > 0))
            return indefinite(solver, curvature);
        s->vectors->step(s->length, square / curvature, v[P], v[Q], v[X], v[R]);
        before = square;
        square = bl_iterative_forward(s, v[R], v[Z]);
        *size = sqrt(square);
    }
    return BL_OK;
}

static const bl_iterative_slots slots = {VECTORS, true, BL_PRE_IC, iterate};

const bl_linsol_kind bl_linsol_cg = {
    .kind = {.name = "cg",
             .help = "conjugate gradients, for large symmetric positive definite matrices of meshes in space",
             .params = bl_iterative_params,
             .needs = BL_LINSOL_SYMMETRIC | BL_LINSOL_DEFINITE,
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
