/* Range space method: multipliers first, then accelerations,
 *
 *     (G M^-1 G^T) mu = G M^-1 Q - c,   M a = Q - G^T mu .
 *
 * With M = L L^T and L^-1 G^T P = U R the first matrix is R^T R, which is never formed. Where coordinates have no mass, M + s G^T G
 * replaces M and Q + s G^T c replaces Q: the same a and mu, because G a = c. R. von Schwerin (1999), RSM. */
#include "formulation/basis.h"

#include <math.h>
#include <string.h>

typedef struct range_space {
    double *M; /* [nv][nv] factor of M or of M + s G^T G */
    double *diagonal;
    double s;
    bool asked; /* whether M is positive definite has been tested */
} range_space;

static bl_status range_space_make(bl_formulation *form, bl_basis *basis) {
    size_t nv = (size_t)basis->nv;
    range_space *own;
    BL_TRY(BL_NEW(form->ctx, own, 1));
    basis->own = own;
    return BL_NEW_ARRAYS(form->ctx, basis->more, BL_ARRAY(own->M, nv * nv), BL_ARRAY(own->diagonal, nv));
}

/* lower triangle of M + s G^T G, factored */
static bl_status factor_mass(bl_formulation *form, const bl_basis *basis) {
    range_space *own = basis->own;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)basis->nv;
    memset(own->M, 0, nv * nv * sizeof(double));
    for (bl_index j = 0; j < basis->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            bl_index i = sys->pat_M.idx[k];
            own->M[(size_t)j * nv + (size_t)i] = sys->col[i].scale * form->at_e.M[k] * sys->col[j].scale;
        }
    for (bl_index row = 0; row < basis->r && own->s > 0; row++) {
        const double *g = basis->GT + (size_t)row * nv;
        for (size_t j = 0; j < nv; j++)
            if (g[j] != 0)
                for (size_t i = j; i < nv; i++)
                    own->M[j * nv + i] += own->s * g[j] * g[i];
    }
    return bl_basis_cholesky(basis->nv, own->M, own->diagonal);
}

static bl_status range_space_factor(bl_formulation *form, bl_basis *basis) {
    range_space *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    bl_status status = factor_mass(form, basis);
    if (!own->asked) { /* once, at set-up: s determines the rounding errors of a and mu, and must not jump */
        own->asked = true;
        bool given = form->value[0].given;
        if (given ? form->value[0].number > 0 : status == BL_SINGULAR) {
            double largest = 0;
            for (size_t i = 0; i < nv; i++)
                largest = fmax(largest, own->diagonal[i]);
            own->s = largest * (given ? form->value[0].number : 1);
            status = factor_mass(form, basis);
        }
    }
    basis->massless = status == BL_SINGULAR;
    BL_TRY(status);
    memcpy(basis->qr, basis->GT, nv * r * sizeof(double));
    bl_dense_triangle_solve(BL_LOWER, false, basis->nv, basis->r, own->M, basis->nv, basis->qr, basis->nv);
    return bl_basis_qr_factor(basis, &basis->quality);
}

static void substitute(const bl_basis *basis, bool transposed, double *x) {
    const range_space *own = basis->own;
    bl_dense_triangle_solve(BL_LOWER, transposed, basis->nv, 1, own->M, basis->nv, x, basis->nv);
}

/* With u = L^-1 Q, the part of u in the range of U determines the multipliers and is replaced: L^T a = U R^-T P^T c + (I - U U^T) u */
static void range_space_accelerate(bl_formulation *form, bl_basis *basis, const double *Q, const double *c, double *a) {
    const range_space *own = basis->own;
    size_t nv = (size_t)basis->nv;
    (void)form;
    memcpy(a, Q, nv * sizeof *a);
    for (bl_index row = 0; row < basis->r && own->s > 0; row++)
        for (size_t i = 0; i < nv; i++)
            a[i] += own->s * c[row] * basis->GT[(size_t)row * nv + i];
    substitute(basis, false, a);
    bl_basis_qr_apply(basis, true, 1, a);
    bl_basis_qr_prescribe(basis, c, a);
    bl_basis_qr_apply(basis, false, 1, a);
    substitute(basis, true, a);
}

static void range_space_multiply(bl_basis *basis, const double *force, double *mu) {
    memcpy(basis->x, force, (size_t)basis->nv * sizeof(double));
    substitute(basis, false, basis->x);
    bl_basis_qr_multiply(basis, basis->x, mu);
}

static const bl_basis_method range_space_method = {range_space_make, range_space_factor, range_space_accelerate, range_space_multiply};

static bl_status range_space_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.drifts = true, .solver = &bl_index1_basis, .method = &range_space_method});
}

static const bl_param range_space_params[] = {
    {.name = "shift",
     .type = BL_P_NUMBER,
     .flags = BL_NOT_NEGATIVE,
     .help = "s of M + s G^T G, in units of the largest mass; default: 1 where M is not positive definite, else 0"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_range_space = {
    .kind = {.name = "range_space",
             .help = "index 1: multipliers from G M^-1 G^T, then accelerations",
             .params = range_space_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_REFUSES_SINGULAR},
    BL_INDEX1_FACTS,
    .setup = range_space_setup,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
