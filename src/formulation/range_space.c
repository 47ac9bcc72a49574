/* Range space method: multipliers first, then accelerations,
 *
 *     (G M^-1 G^T) mu = G M^-1 Q - c,   M a = Q - G^T mu .
 *
 * With M = L L^T and L^-1 G^T P = U R the first matrix is R^T R, which is never formed. Where coordinates have no mass, M + s G^T G takes
 * the place of M and Q + s G^T c that of Q: the same a and mu, because G a = c. R. von Schwerin (1999), RSM. */
#include "formulation/basis.h"

#include <math.h>
#include <string.h>

typedef struct range_space {
    bl_qr qr;  /* of L^-1 G^T */
    double *M; /* [nv][nv] factor of M or of M + s G^T G */
    double s;
    bool asked; /* whether M is positive definite */
    double *diagonal, *x, *y;
} range_space;

static bl_status range_space_make(bl_formulation *form) {
    bl_basis *own = form->own;
    size_t nv = (size_t)own->nv;
    range_space *way;
    BL_TRY(BL_NEW(form->ctx, way, 1));
    own->more = way;
    BL_TRY(BL_NEW(form->ctx, own->list, own->r));
    BL_TRY(BL_NEW(form->ctx, own->block, bl_qr_room(own->nv, own->r) + nv * nv + 3 * nv));
    way->M = bl_qr_place(&way->qr, own->nv, own->r, own->block, own->list);
    way->diagonal = way->M + nv * nv;
    way->x = way->diagonal + nv;
    way->y = way->x + nv;
    return BL_OK;
}

/* lower triangle of M + s G^T G, factored */
static bl_status factor_mass(bl_formulation *form) {
    bl_basis *own = form->own;
    range_space *way = own->more;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)own->nv;
    memset(way->M, 0, nv * nv * sizeof(double));
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            bl_index i = sys->pat_M.idx[k];
            way->M[(size_t)j * nv + (size_t)i] = sys->col[i].scale * form->at_e.M[k] * sys->col[j].scale;
        }
    for (bl_index row = 0; row < own->r && way->s > 0; row++) {
        const double *g = own->GT + (size_t)row * nv;
        for (size_t j = 0; j < nv; j++)
            if (g[j] != 0)
                for (size_t i = j; i < nv; i++)
                    way->M[j * nv + i] += way->s * g[j] * g[i];
    }
    return bl_basis_cholesky(own->nv, way->M, way->diagonal);
}

static bl_status range_space_factor(bl_formulation *form) {
    bl_basis *own = form->own;
    range_space *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r;
    bl_status status = factor_mass(form);
    if (!way->asked) { /* once, at set-up: s decides how close to rounding a and mu are, and must not jump */
        way->asked = true;
        bool given = form->value[0].given;
        if (given ? form->value[0].number > 0 : status == BL_SINGULAR) {
            double largest = 0;
            for (size_t i = 0; i < nv; i++)
                largest = fmax(largest, way->diagonal[i]);
            way->s = largest * (given ? form->value[0].number : 1);
            status = factor_mass(form);
        }
    }
    own->massless = status == BL_SINGULAR;
    BL_TRY(status);
    memcpy(way->qr.a, own->GT, nv * r * sizeof(double));
    bl_dense_triangle_solve(BL_LOWER, false, own->nv, own->r, way->M, own->nv, way->qr.a, own->nv);
    return bl_qr_factor(&way->qr, &own->quality);
}

static void substitute(const bl_basis *own, bool transposed, double *x) {
    const range_space *way = own->more;
    bl_dense_triangle_solve(BL_LOWER, transposed, own->nv, 1, way->M, own->nv, x, own->nv);
}

/* With u = L^-1 Q the part of u in the range of U goes to the multipliers, and another takes its place:
 * L^T a = U R^-T P^T c + (I - U U^T) u */
static bl_status range_space_accelerate(bl_formulation *form, const double *Q, const double *c, double *a) {
    bl_basis *own = form->own;
    range_space *way = own->more;
    size_t nv = (size_t)own->nv;
    memcpy(a, Q, nv * sizeof *a);
    for (bl_index row = 0; row < own->r && way->s > 0; row++)
        for (size_t i = 0; i < nv; i++)
            a[i] += way->s * c[row] * own->GT[(size_t)row * nv + i];
    substitute(own, false, a);
    bl_qr_apply(&way->qr, true, 1, a);
    bl_qr_solve_transposed(&way->qr, c, a);
    bl_qr_apply(&way->qr, false, 1, a);
    substitute(own, true, a);
    return BL_OK;
}

static bl_status range_space_multiply(bl_formulation *form, const double *force, double *mu) {
    bl_basis *own = form->own;
    range_space *way = own->more;
    memcpy(way->x, force, (size_t)own->nv * sizeof(double));
    substitute(own, false, way->x);
    bl_qr_apply(&way->qr, true, 1, way->x);
    bl_qr_solve(&way->qr, way->x, mu);
    return BL_OK;
}

static const bl_basis_way range_space_way = {range_space_make, range_space_factor, range_space_accelerate, range_space_multiply};

static bl_status range_space_setup(bl_formulation *form, const bl_state *state) { return bl_basis_setup(form, state, &range_space_way); }

static const bl_param range_space_params[] = {
    {.name = "shift",
     .type = BL_P_NUMBER,
     .flags = BL_NOT_NEGATIVE,
     .help = "s of M + s G^T G, in largest masses; not given: 1 where M is not positive definite, else 0"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_range_space = {
    .kind = {.name = "range_space",
             .help = "index 1: multipliers from G M^-1 G^T, then accelerations",
             .params = range_space_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over where a step allows it, else refused",
    .setup = range_space_setup,
    .review = bl_basis_review,
    BL_BASIS_SLOTS,
};
