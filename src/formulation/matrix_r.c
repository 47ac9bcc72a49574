/* Dependent coordinates: constraints and equations of motion projected on the admissible motions R, in one square system,
 *
 *     [ G     ]       [ c     ]
 *     [ R^T M ] a  =  [ R^T Q ],   G R = 0 .
 *
 * R by Gauss elimination (R_independent = I, J R_dependent = -G_independent; the independent coordinates are kept while well conditioned),
 * by QR or by singular values of G^T (orthonormal, new in every evaluation). J. Garcia de Jalon, E. Bayo (1994), section 5.2; QR: S. S.
 * Kim, M. J. Vanderploeg (1986); singular values: R. P. Singh, P. W. Likins (1985). */
#include "formulation/basis.h"
#include "formulation/formulation_limits.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

typedef enum basis_by { BY_GAUSS, BY_QR, BY_SVD } basis_by;

typedef struct matrix_r {
    basis_by by;
    double *R, *A;   /* [nv][f], [nv][nv] */
    double *norm;    /* [f] of the rows of R^T M */
    bl_index *pivot; /* [nv] of A */
    /* Gauss */
    bool chosen;
    double largest;         /* entry of R */
    bl_index *order, *rows; /* [nv] dependent columns, then independent ones; [r] */
    uint8_t *last;          /* [nv] columns preferred as independent */
    double *G, *J, *X;      /* [r][nv] overwritten by the choice, [r][r], [r][f] */
    bl_index *pivot_J;      /* [r] */
    /* singular values */
    double *copy, *sigma, *U, *VT, *work; /* [nv][r], [r], [nv][nv], [r][r] */
    size_t nwork;
    bl_index *iwork;
} matrix_r;

static bl_status matrix_r_make(bl_formulation *form, bl_basis *basis) {
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r, f = (size_t)basis->f;
    matrix_r *own;
    BL_TRY(BL_NEW(form->ctx, own, 1));
    basis->own = own;
    own->by = (basis_by)(int)form->value[0].number;
    size_t gauss = own->by == BY_GAUSS, svd = own->by == BY_SVD;
    own->nwork = svd * (4 * r * r + 7 * r + 65 * (nv + r) + 1); /* of dgesdd, with room for blocks */
    BL_TRY(BL_NEW_ARRAYS(form->ctx, basis->more, BL_ARRAY(own->R, nv * f), BL_ARRAY(own->A, nv * nv), BL_ARRAY(own->norm, f),
                         BL_ARRAY(own->pivot, nv), BL_ARRAY(own->G, gauss * r * nv), BL_ARRAY(own->J, gauss * r * r),
                         BL_ARRAY(own->X, gauss * r * f), BL_ARRAY(own->pivot_J, gauss * r), BL_ARRAY(own->order, gauss * nv),
                         BL_ARRAY(own->rows, gauss * r), BL_ARRAY(own->last, nv), BL_ARRAY(own->copy, svd * nv * r),
                         BL_ARRAY(own->sigma, svd * r), BL_ARRAY(own->U, svd * nv * nv), BL_ARRAY(own->VT, svd * r * r),
                         BL_ARRAY(own->work, own->nwork), BL_ARRAY(own->iwork, svd * 8 * r)));
    for (bl_index k = 0; k < form->sys->nindependent; k++)
        own->last[form->sys->independent[k]] = 1;
    return BL_OK;
}

/* ---- R */

/* dependent and independent columns by complete pivoting */
static bl_status choose(bl_formulation *form, bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    bl_index rank = 0;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < nv; j++)
            own->G[j * r + i] = basis->GT[i * nv + j];
    bl_rank_reveal(basis->r, basis->nv, own->G, NULL, NULL, own->last, form->rank_tolerance, own->rows, own->order, &rank, NULL);
    return rank == basis->r ? BL_OK : BL_SINGULAR;
}

static bl_status eliminate(bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r, f = (size_t)basis->f;
    const bl_index *dep = own->order, *ind = own->order + r;
    for (size_t i = 0; i < r; i++) {
        for (size_t k = 0; k < r; k++)
            own->J[k * r + i] = basis->GT[i * nv + (size_t)dep[k]];
        for (size_t k = 0; k < f; k++)
            own->X[k * r + i] = -basis->GT[i * nv + (size_t)ind[k]];
    }
    basis->quality = INFINITY;
    if (!bl_dense_lu(basis->r, own->J, own->pivot_J))
        return BL_SINGULAR;
    for (size_t i = 0; i < r; i++)
        basis->quality = fmin(basis->quality, fabs(own->J[i * (r + 1)]));
    if (f > 0)
        bl_dense_lu_solve(basis->r, basis->f, own->J, own->pivot_J, false, own->X);
    memset(own->R, 0, nv * f * sizeof(double));
    own->largest = 0;
    for (size_t k = 0; k < f; k++) {
        own->R[k * nv + (size_t)ind[k]] = 1;
        for (size_t i = 0; i < r; i++) {
            own->R[k * nv + (size_t)dep[i]] = own->X[k * r + i];
            own->largest = fmax(own->largest, fabs(own->X[k * r + i]));
        }
    }
    return BL_OK;
}

static bl_status by_gauss(bl_formulation *form, bl_basis *basis) {
    matrix_r *own = basis->own;
    if (own->chosen) {
        bl_status status = eliminate(basis);
        if (status == BL_OK && own->largest <= formulation_lost && basis->quality >= sqrt(formulation_singular) * basis->level)
            return BL_OK;
        form->stats.repartitions++;
    }
    own->chosen = false;
    BL_TRY(choose(form, basis));
    BL_TRY(eliminate(basis));
    own->chosen = true;
    return BL_OK;
}

static bl_status by_qr(bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    memcpy(basis->qr, basis->GT, nv * r * sizeof(double));
    BL_TRY(bl_basis_qr_factor(basis, &basis->quality));
    bl_basis_qr_rest(basis, own->R);
    return BL_OK;
}

/* G^T = U sigma V^T: the last columns of U */
static bl_status by_svd(bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r, f = (size_t)basis->f;
    memcpy(own->copy, basis->GT, nv * r * sizeof(double));
    if (!bl_dense_svd(basis->nv, basis->r, own->copy, own->sigma, own->U, own->VT, own->work, own->nwork, own->iwork))
        return BL_SINGULAR;
    basis->quality = own->sigma[r - 1];
    memcpy(own->R, own->U + r * nv, nv * f * sizeof(double));
    return basis->quality > 0 ? BL_OK : BL_SINGULAR;
}

static bl_status find_R(bl_formulation *form, bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv;
    if (basis->r > 0)
        return own->by == BY_GAUSS ? by_gauss(form, basis) : own->by == BY_QR ? by_qr(basis) : by_svd(basis);
    memset(own->R, 0, nv * nv * sizeof(double));
    for (size_t i = 0; i < nv; i++)
        own->R[i * (nv + 1)] = 1;
    basis->quality = INFINITY;
    return BL_OK;
}

/* ---- the square system */

static bl_status matrix_r_factor(bl_formulation *form, bl_basis *basis) {
    matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r, f = (size_t)basis->f;
    BL_TRY(find_R(form, basis));
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < nv; j++)
            own->A[j * nv + i] = basis->GT[i * nv + j];
    for (size_t k = 0; k < f; k++) { /* rows of R^T M scaled to the size of those of G */
        double largest = 0;
        bl_basis_mass(form, own->R + k * nv, basis->x);
        for (size_t j = 0; j < nv; j++)
            largest = fmax(largest, fabs(basis->x[j]));
        own->norm[k] = largest > 0 ? largest : 1;
        for (size_t j = 0; j < nv; j++)
            own->A[j * nv + r + k] = basis->x[j] / own->norm[k];
    }
    double smallest = INFINITY, largest = 0;
    bool failed = nv > 0 && !bl_dense_lu(basis->nv, own->A, own->pivot);
    for (size_t i = 0; i < nv; i++) {
        smallest = fmin(smallest, fabs(own->A[i * (nv + 1)]));
        largest = fmax(largest, fabs(own->A[i * (nv + 1)]));
    }
    if (!failed && !(smallest <= system_massless * largest))
        return BL_OK;
    basis->massless = !(basis->quality < sqrt(formulation_singular) * basis->level);
    return BL_SINGULAR;
}

static void matrix_r_accelerate(bl_formulation *form, bl_basis *basis, const double *Q, const double *c, double *a) {
    const matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    (void)form;
    memcpy(a, c, r * sizeof *a);
    for (size_t k = 0; k < (size_t)basis->f; k++) {
        double sum = 0;
        for (size_t j = 0; j < nv; j++)
            sum += own->R[k * nv + j] * Q[j];
        a[r + k] = sum / own->norm[k];
    }
    if (nv > 0)
        bl_dense_lu_solve(basis->nv, 1, own->A, own->pivot, false, a);
}

static void matrix_r_multiply(bl_basis *basis, const double *force, double *mu) {
    const matrix_r *own = basis->own;
    size_t nv = (size_t)basis->nv, r = (size_t)basis->r;
    if (own->by == BY_GAUSS) {
        for (size_t i = 0; i < r; i++)
            mu[i] = force[own->order[i]];
        bl_dense_lu_solve(basis->r, 1, own->J, own->pivot_J, true, mu);
    } else if (own->by == BY_QR) {
        memcpy(basis->x, force, nv * sizeof(double));
        bl_basis_qr_multiply(basis, basis->x, mu);
    } else {
        memset(mu, 0, r * sizeof *mu);
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t j = 0; j < nv; j++)
                sum += own->U[k * nv + j] * force[j];
            for (size_t i = 0; i < r; i++)
                mu[i] += own->VT[i * r + k] * (sum / own->sigma[k]);
        }
    }
}

static const bl_basis_method matrix_r_method = {matrix_r_make, matrix_r_factor, matrix_r_accelerate, matrix_r_multiply};

static bl_status matrix_r_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(form, state, &(bl_index1_options){.drifts = true, .solver = &bl_index1_basis, .method = &matrix_r_method});
}

static bl_status matrix_r_review(bl_formulation *form, const bl_state *state) {
    bl_status status = bl_index1_review(form, state);
    matrix_r *own = ((bl_index1 *)form->own)->basis->own;
    if (own->by == BY_GAUSS && own->chosen && own->largest > formulation_basis_exchange) {
        own->chosen = false; /* the next evaluation chooses; y keeps its meaning */
        form->stats.repartitions++;
    }
    return status;
}

static const bl_param matrix_r_params[] = {
    {.name = "basis",
     .type = BL_P_CHOICE,
     .choices = "gauss|qr|svd",
     .help = "R from independent coordinates (kept while well conditioned), or orthonormal by QR or singular values in every evaluation"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_matrix_r = {
    .kind = {.name = "matrix_r",
             .help = "index 1: constraints and projected equations of motion in dependent coordinates, without multipliers",
             .params = matrix_r_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_REFUSES_SINGULAR},
    BL_INDEX1_FACTS,
    .setup = matrix_r_setup,
    .review = matrix_r_review,
    BL_INDEX1_SLOTS,
};
