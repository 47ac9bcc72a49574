/* Null space method: accelerations in an orthonormal basis that separates what the constraints prescribe from what they leave free,
 *
 *     G^T P = [Y Z] [R11; 0],   a = Y p + Z z,   R11^T p = P^T c,   Z^T M Z z = Z^T (Q - M Y p),   R11 P^T mu = Y^T (Q - M a)
 *
 * by QR with column pivoting. M may be singular: only Z^T M Z must be positive definite. R. von Schwerin (1999), NSM. */
#include "formulation/basis.h"

#include <string.h>

typedef struct null_space {
    bl_qr qr;
    double *MZ; /* [nv][f]: Z, then M Z, then [Y Z]^T M Z */
    double *A;  /* [f][f] factor of Z^T M Z */
    double *diagonal, *x, *y;
} null_space;

static bl_status null_space_make(bl_formulation *form) {
    bl_basis *own = form->own;
    size_t nv = (size_t)own->nv, f = (size_t)own->f;
    null_space *way;
    BL_TRY(BL_NEW(form->ctx, way, 1));
    own->more = way;
    BL_TRY(BL_NEW(form->ctx, own->list, own->r));
    BL_TRY(BL_NEW(form->ctx, own->block, bl_qr_room(own->nv, own->r) + nv * f + f * f + f + 2 * nv));
    way->MZ = bl_qr_place(&way->qr, own->nv, own->r, own->block, own->list);
    way->A = way->MZ + nv * f;
    way->diagonal = way->A + f * f;
    way->x = way->diagonal + f;
    way->y = way->x + nv;
    return BL_OK;
}

static bl_status null_space_factor(bl_formulation *form) {
    bl_basis *own = form->own;
    null_space *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    memcpy(way->qr.a, own->GT, nv * r * sizeof(double));
    BL_TRY(bl_qr_factor(&way->qr, &own->quality));
    memset(way->MZ, 0, nv * f * sizeof(double));
    for (size_t k = 0; k < f; k++)
        way->MZ[k * nv + r + k] = 1;
    bl_qr_apply(&way->qr, false, own->f, way->MZ);
    for (size_t k = 0; k < f; k++) {
        bl_basis_mass(form, way->MZ + k * nv, way->x);
        memcpy(way->MZ + k * nv, way->x, nv * sizeof(double));
    }
    bl_qr_apply(&way->qr, true, own->f, way->MZ);
    for (size_t k = 0; k < f; k++)
        memcpy(way->A + k * f, way->MZ + k * nv + r, f * sizeof(double));
    bl_status status = bl_basis_cholesky(own->f, way->A, way->diagonal);
    own->massless = status == BL_SINGULAR;
    return status;
}

static bl_status null_space_accelerate(bl_formulation *form, const double *Q, const double *c, double *a) {
    bl_basis *own = form->own;
    null_space *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r;
    /* Y p */
    memset(way->x, 0, nv * sizeof(double));
    bl_qr_solve_transposed(&way->qr, c, way->x);
    memcpy(a, way->x, r * sizeof *a); /* p waits here for z */
    bl_qr_apply(&way->qr, false, 1, way->x);
    /* z */
    bl_basis_mass(form, way->x, way->y);
    for (size_t i = 0; i < nv; i++)
        way->y[i] = Q[i] - way->y[i];
    bl_qr_apply(&way->qr, true, 1, way->y);
    if (own->f > 0)
        bl_dense_llt_solve(own->f, way->A, way->y + r);
    memcpy(a + r, way->y + r, (size_t)own->f * sizeof *a);
    bl_qr_apply(&way->qr, false, 1, a);
    return BL_OK;
}

static bl_status null_space_multiply(bl_formulation *form, const double *force, double *mu) {
    bl_basis *own = form->own;
    null_space *way = own->more;
    memcpy(way->x, force, (size_t)own->nv * sizeof(double));
    bl_qr_apply(&way->qr, true, 1, way->x);
    bl_qr_solve(&way->qr, way->x, mu);
    return BL_OK;
}

static const bl_basis_way null_space_way = {null_space_make, null_space_factor, null_space_accelerate, null_space_multiply};

static bl_status null_space_setup(bl_formulation *form, const bl_state *state) { return bl_basis_setup(form, state, &null_space_way); }

const bl_formulation_kind bl_formulation_null_space = {
    .kind = {.name = "null_space",
             .help = "index 1: accelerations in an orthonormal basis of what the constraints prescribe and leave free",
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over where a step allows it, else refused",
    .setup = null_space_setup,
    .review = bl_basis_review,
    BL_BASIS_SLOTS,
};
