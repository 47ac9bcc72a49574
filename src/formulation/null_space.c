/* Null space method: accelerations in an orthonormal basis that separates the prescribed directions Y from the admissible ones Z,
 *
 *     G^T P = [Y Z] [R11; 0],   a = Y p + Z z,   R11^T p = P^T c,   Z^T M Z z = Z^T (Q - M Y p),   R11 P^T mu = Y^T (Q - M a)
 *
 * by QR with column pivoting. M may be singular: only Z^T M Z must be positive definite. R. von Schwerin (1999), NSM. */
#include "formulation/basis.h"

#include <string.h>

typedef struct null_space {
    double *MZ; /* [nv][f]: Z, then M Z, then [Y Z]^T M Z */
    double *A;  /* [f][f] factor of Z^T M Z */
    double *diagonal, *y;
} null_space;

static bl_status null_space_make(bl_formulation *form, bl_basis *basis) {
    size_t nv = (size_t)basis->nv, f = (size_t)basis->f;
    null_space *own;
    BL_TRY(BL_NEW(form->ctx, own, 1));
    basis->own = own;
    return BL_NEW_ARRAYS(form->ctx, basis->more, BL_ARRAY(own->MZ, nv * f), BL_ARRAY(own->A, f * f), BL_ARRAY(own->diagonal, f),
                         BL_ARRAY(own->y, nv));
}

static bl_status null_space_factor(bl_formulation *form, bl_basis *basis) {
    null_space *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r, f = (size_t)basis->f;
    memcpy(basis->qr, basis->GT, nv * r * sizeof(double));
    BL_TRY(bl_basis_qr_factor(basis, &basis->quality));
    bl_basis_qr_rest(basis, own->MZ);
    for (size_t k = 0; k < f; k++) {
        bl_basis_mass(form, own->MZ + k * nv, basis->x);
        memcpy(own->MZ + k * nv, basis->x, nv * sizeof(double));
    }
    bl_basis_qr_apply(basis, true, basis->f, own->MZ);
    for (size_t k = 0; k < f; k++)
        memcpy(own->A + k * f, own->MZ + k * nv + r, f * sizeof(double));
    bl_status status = bl_basis_cholesky(basis->f, own->A, own->diagonal);
    basis->massless = status == BL_SINGULAR;
    return status;
}

static void null_space_accelerate(bl_formulation *form, bl_basis *basis, const double *Q, const double *c, double *a) {
    const null_space *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    double *x = basis->x, *y = own->y;
    /* Y p */
    memset(x, 0, nv * sizeof *x);
    bl_basis_qr_prescribe(basis, c, x);
    memcpy(a, x, r * sizeof *a); /* p, until z is known */
    bl_basis_qr_apply(basis, false, 1, x);
    /* z */
    bl_basis_mass(form, x, y);
    for (size_t i = 0; i < nv; i++)
        y[i] = Q[i] - y[i];
    bl_basis_qr_apply(basis, true, 1, y);
    if (basis->f > 0)
        bl_dense_llt_solve(basis->f, own->A, y + r);
    memcpy(a + r, y + r, (size_t)basis->f * sizeof *a);
    bl_basis_qr_apply(basis, false, 1, a);
}

static void null_space_multiply(bl_basis *basis, const double *force, double *mu) {
    memcpy(basis->x, force, (size_t)basis->nv * sizeof(double));
    bl_basis_qr_multiply(basis, basis->x, mu);
}

static const bl_basis_method null_space_method = {null_space_make, null_space_factor, null_space_accelerate, null_space_multiply};

static bl_status null_space_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.drifts = true, .solver = &bl_index1_basis, .method = &null_space_method});
}

const bl_formulation_kind bl_formulation_null_space = {
    .kind = {.name = "null_space",
             .help = "index 1: accelerations in an orthonormal basis of prescribed and of admissible motions",
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_REFUSES_SINGULAR},
    BL_INDEX1_FACTS,
    .setup = null_space_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
