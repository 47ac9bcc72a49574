/* Dependent coordinates: constraints and equations of motion projected on the motions R that the constraints allow, in one square system,
 *
 *     [ G     ]       [ c     ]
 *     [ R^T M ] a  =  [ R^T Q ],   G R = 0 .
 *
 * R by Gauss elimination (R_independent = I, J R_dependent = -G_independent; the independent coordinates are kept until they grow bad), by
 * QR or by singular values of G^T (orthonormal, new in every evaluation). J. Garcia de Jalon, E. Bayo (1994), section 5.2; QR: S. S. Kim,
 * M. J. Vanderploeg (1986); singular values: R. P. Singh, P. W. Likins (1985). */
#include "formulation/basis.h"

#include "dense/dense.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

/* Largest entry of R (scaled, Gauss) that other independent coordinates are chosen at: after a step, and inside of one. */
static const double EXCHANGE_AT = 4, EXCHANGE_NOW = 100;

typedef enum basis_by { BY_GAUSS, BY_QR, BY_SVD } basis_by;

typedef struct matrix_r {
    basis_by by;
    double *R, *A;    /* [nv][f], [nv][nv] */
    double *norm, *x; /* [f] of the rows of R^T M, [nv] */
    bl_index *pivot;  /* [nv] of A */
    /* Gauss */
    bool chosen;
    double largest;    /* entry of R */
    bl_index *order;   /* [nv] dependent columns, then independent ones; behind it [r] rows */
    uint8_t *last;     /* [nv] columns wanted independent */
    double *G, *J, *X; /* [r][nv] spoilt by the choice, [r][r], [r][f] */
    bl_index *pivot_J;
    /* QR */
    bl_qr qr;
    /* singular values */
    double *copy, *sigma, *U, *VT, *work; /* [nv][r], [r], [nv][nv], [r][r] */
    size_t nwork;
    bl_index *iwork;
} matrix_r;

static bl_status matrix_r_make(bl_formulation *form) {
    bl_basis *own = form->own;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    size_t common = nv * f + nv * nv + f + nv, room[] = {r * nv + r * r + r * f, bl_qr_room(own->nv, own->r), 0};
    matrix_r *way;
    basis_by by = (basis_by)(int)form->value[0].number;
    size_t nwork = 4 * r * r + 7 * r + 65 * (nv + r) + 1; /* of dgesdd, with room for blocks */
    room[BY_SVD] = nv * r + r + nv * nv + r * r + nwork;
    size_t bytes = sizeof *way + (nv + r) * sizeof(bl_index) + nv;
    char *raw = NULL;
    BL_TRY(BL_NEW(form->ctx, raw, bytes));
    own->more = way = (matrix_r *)(void *)raw;
    way->by = by;
    way->order = (bl_index *)(void *)(way + 1);
    way->last = (uint8_t *)(way->order + nv + r);
    for (bl_index k = 0; k < form->sys->nindependent; k++)
        way->last[form->sys->independent[k]] = 1;
    BL_TRY(BL_NEW(form->ctx, own->list, nv + 8 * r));
    way->pivot = own->list;
    way->pivot_J = way->iwork = own->list + nv;
    BL_TRY(BL_NEW(form->ctx, own->block, common + room[by]));
    way->R = own->block;
    way->A = way->R + nv * f;
    way->norm = way->A + nv * nv;
    way->x = way->norm + f;
    double *at = way->x + nv;
    if (by == BY_GAUSS) {
        way->G = at;
        way->J = way->G + r * nv;
        way->X = way->J + r * r;
    } else if (by == BY_QR) {
        bl_qr_place(&way->qr, own->nv, own->r, at, own->list + nv);
    } else {
        way->copy = at;
        way->sigma = way->copy + nv * r;
        way->U = way->sigma + r;
        way->VT = way->U + nv * nv;
        way->work = way->VT + r * r;
        way->nwork = nwork;
    }
    return BL_OK;
}

/* ---- R */

/* dependent and independent columns by complete pivoting */
static bl_status choose(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r;
    bl_index rank = 0;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < nv; j++)
            way->G[j * r + i] = own->GT[i * nv + j];
    bl_rank_reveal(own->r, own->nv, way->G, NULL, NULL, way->last, form->rank_tolerance, way->order + nv, way->order, &rank, NULL);
    return rank == own->r ? BL_OK : BL_SINGULAR;
}

static bl_status eliminate(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    const bl_index *dep = way->order, *ind = way->order + r;
    for (size_t i = 0; i < r; i++) {
        for (size_t k = 0; k < r; k++)
            way->J[k * r + i] = own->GT[i * nv + (size_t)dep[k]];
        for (size_t k = 0; k < f; k++)
            way->X[k * r + i] = -own->GT[i * nv + (size_t)ind[k]];
    }
    own->quality = INFINITY;
    if (!bl_dense_lu(own->r, way->J, way->pivot_J))
        return BL_SINGULAR;
    for (size_t i = 0; i < r; i++)
        own->quality = fmin(own->quality, fabs(way->J[i * (r + 1)]));
    if (f > 0)
        bl_dense_lu_solve(own->r, own->f, way->J, way->pivot_J, false, way->X);
    memset(way->R, 0, nv * f * sizeof(double));
    way->largest = 0;
    for (size_t k = 0; k < f; k++) {
        way->R[k * nv + (size_t)ind[k]] = 1;
        for (size_t i = 0; i < r; i++) {
            way->R[k * nv + (size_t)dep[i]] = way->X[k * r + i];
            way->largest = fmax(way->largest, fabs(way->X[k * r + i]));
        }
    }
    return BL_OK;
}

static bl_status by_gauss(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    if (way->chosen) {
        bl_status status = eliminate(form);
        if (status == BL_OK && way->largest <= EXCHANGE_NOW && own->quality >= BL_BASIS_SINGULAR_AT * own->level)
            return BL_OK;
        form->stats.repartitions++;
    }
    way->chosen = false;
    BL_TRY(choose(form));
    BL_TRY(eliminate(form));
    way->chosen = true;
    return BL_OK;
}

static bl_status by_qr(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    memcpy(way->qr.a, own->GT, nv * r * sizeof(double));
    BL_TRY(bl_qr_factor(&way->qr, &own->quality));
    memset(way->R, 0, nv * f * sizeof(double));
    for (size_t k = 0; k < f; k++)
        way->R[k * nv + r + k] = 1;
    bl_qr_apply(&way->qr, false, own->f, way->R);
    return BL_OK;
}

/* G^T = U sigma V^T: the last columns of U */
static bl_status by_svd(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    memcpy(way->copy, own->GT, nv * r * sizeof(double));
    if (!bl_dense_svd(own->nv, own->r, way->copy, way->sigma, way->U, way->VT, way->work, way->nwork, way->iwork))
        return BL_SINGULAR;
    own->quality = way->sigma[r - 1];
    memcpy(way->R, way->U + r * nv, nv * f * sizeof(double));
    return own->quality > 0 ? BL_OK : BL_SINGULAR;
}

static bl_status find_R(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv;
    if (own->r > 0)
        return way->by == BY_GAUSS ? by_gauss(form) : way->by == BY_QR ? by_qr(form) : by_svd(form);
    memset(way->R, 0, nv * nv * sizeof(double));
    for (size_t i = 0; i < nv; i++)
        way->R[i * (nv + 1)] = 1;
    own->quality = INFINITY;
    return BL_OK;
}

/* ---- the square system */

static bl_status matrix_r_factor(bl_formulation *form) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r, f = (size_t)own->f;
    BL_TRY(find_R(form));
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < nv; j++)
            way->A[j * nv + i] = own->GT[i * nv + j];
    for (size_t k = 0; k < f; k++) { /* rows of R^T M made as large as those of G */
        double largest = 0;
        bl_basis_mass(form, way->R + k * nv, way->x);
        for (size_t j = 0; j < nv; j++)
            largest = fmax(largest, fabs(way->x[j]));
        way->norm[k] = largest > 0 ? largest : 1;
        for (size_t j = 0; j < nv; j++)
            way->A[j * nv + r + k] = way->x[j] / way->norm[k];
    }
    double smallest = INFINITY, largest = 0;
    bool failed = nv > 0 && !bl_dense_lu(own->nv, way->A, way->pivot);
    for (size_t i = 0; i < nv; i++) {
        smallest = fmin(smallest, fabs(way->A[i * (nv + 1)]));
        largest = fmax(largest, fabs(way->A[i * (nv + 1)]));
    }
    if (!failed && !(smallest <= BL_BASIS_MASSLESS * largest))
        return BL_OK;
    own->massless = !(own->quality < BL_BASIS_SINGULAR_AT * own->level);
    return BL_SINGULAR;
}

static bl_status matrix_r_accelerate(bl_formulation *form, const double *Q, const double *c, double *a) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r;
    memcpy(a, c, r * sizeof *a);
    for (size_t k = 0; k < (size_t)own->f; k++) {
        double sum = 0;
        for (size_t j = 0; j < nv; j++)
            sum += way->R[k * nv + j] * Q[j];
        a[r + k] = sum / way->norm[k];
    }
    if (nv > 0)
        bl_dense_lu_solve(own->nv, 1, way->A, way->pivot, false, a);
    return BL_OK;
}

static bl_status matrix_r_multiply(bl_formulation *form, const double *force, double *mu) {
    bl_basis *own = form->own;
    matrix_r *way = own->more;
    size_t nv = (size_t)own->nv, r = (size_t)own->r;
    if (r == 0)
        return BL_OK;
    if (way->by == BY_GAUSS) {
        for (size_t i = 0; i < r; i++)
            mu[i] = force[way->order[i]];
        bl_dense_lu_solve(own->r, 1, way->J, way->pivot_J, true, mu);
    } else if (way->by == BY_QR) {
        memcpy(way->x, force, nv * sizeof(double));
        bl_qr_apply(&way->qr, true, 1, way->x);
        bl_qr_solve(&way->qr, way->x, mu);
    } else {
        memset(mu, 0, r * sizeof *mu);
        for (size_t k = 0; k < r; k++) {
            double sum = 0;
            for (size_t j = 0; j < nv; j++)
                sum += way->U[k * nv + j] * force[j];
            for (size_t i = 0; i < r; i++)
                mu[i] += way->VT[i * r + k] * (sum / way->sigma[k]);
        }
    }
    return BL_OK;
}

static const bl_basis_way matrix_r_way = {matrix_r_make, matrix_r_factor, matrix_r_accelerate, matrix_r_multiply};

static bl_status matrix_r_setup(bl_formulation *form, const bl_state *state) { return bl_basis_setup(form, state, &matrix_r_way); }

static bl_status matrix_r_review(bl_formulation *form, const bl_state *state) {
    BL_TRY(bl_basis_review(form, state));
    matrix_r *way = ((bl_basis *)form->own)->more;
    if (way->by == BY_GAUSS && way->chosen && way->largest > EXCHANGE_AT) {
        way->chosen = false; /* the next evaluation chooses; y means the same */
        form->stats.repartitions++;
    }
    return BL_OK;
}

static const bl_param matrix_r_params[] = {
    {.name = "basis",
     .type = BL_P_CHOICE,
     .choices = "gauss|qr|svd",
     .help = "R from independent coordinates (kept until they grow bad), or orthonormal by QR or singular values in every evaluation"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_matrix_r = {
    .kind = {.name = "matrix_r",
             .help = "index 1: constraints and projected equations of motion in dependent coordinates, without multipliers",
             .params = matrix_r_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_REFUSES_SINGULAR},
    .uses = BL_USES_MATRICES,
    .index = 1,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over where a step allows it, else refused",
    .setup = matrix_r_setup,
    .review = matrix_r_review,
    BL_BASIS_SLOTS,
};
