/* basis: what matrix_r, range_space and null_space share. All three are index 1 with full matrices: at one place they solve
 *
 *     [ M  G^T ] [ a  ]   [ Q ]
 *     [ G   0  ] [ mu ] = [ c ],
 *
 * each by its own basis of the motions and reactions that the constraints allow (bl_basis_way); which rows, y, projection, watch over the
 * rank and words are the same for all (basis.c). Scaled throughout: rows of G and c divided by their scale, columns of G multiplied by
 * theirs, M and Q likewise; mu_i = lambda_i scale_i. Matrices are column-major. */
#ifndef BL_BASIS_H
#define BL_BASIS_H

#include "formulation/formulation.h"

#include "dense/dense.h"

/* A P = Q R of A[m][n], m >= n, with column pivoting (bl_dense_qr_pivoted). */
typedef struct bl_qr {
    bl_index m, n;
    size_t nwork;
    double *a, *tau, *work; /* a[m n]: A in, reflectors and R out */
    bl_index *pivot;        /* [n], from 1 */
} bl_qr;

typedef struct bl_basis {
    const struct bl_basis_way *way;
    bl_index nv, np, r, f, nd; /* kept rows, freedoms, dropped rows */
    bl_index *place;           /* [np] k >= 0: kept as k-th, -1 - k: dropped */
    bl_index *kept, *dropped;
    double *GT;             /* [nv][r] kept rows as columns, at the place where the way last factored */
    double *Q, *c, *a, *mu; /* [nv], [r], [nv], [r] */
    double *force, *q, *v;  /* [nv], [nq], [nv] */
    double *L, *LL, *s;     /* [nd][r] dropped rows by kept ones, [nd][nd], [nd] */
    double quality;         /* of the last factorisation, by the way: falls in proportion to the distance to a singular position */
    double level, checked;  /* best of accepted places; when the choice of rows was last checked */
    bool massless, warned;  /* the last refusal: by a motion without mass */
    bl_status refused;
    double refused_t, *refused_q;
    /* of the way */
    void *more;
    double *block;
    bl_index *list;
} bl_basis;

typedef struct bl_basis_way {
    bl_status (*make)(bl_formulation *); /* memory for the present rows: more, block, list (freed by bl_basis) */
    /* at the place of at_e (M and G evaluated, GT filled): sets quality; BL_SINGULAR, with `massless` when the mass is the reason */
    bl_status (*factor)(bl_formulation *);
    bl_status (*accelerate)(bl_formulation *, const double *Q, const double *c, double *a);
    bl_status (*multiply)(bl_formulation *, const double *force, double *mu); /* GT mu = force, which is in the range of GT */
} bl_basis_way;

/* ---- slots of the kinds */
bl_status bl_basis_setup(bl_formulation *form, const bl_state *state, const bl_basis_way *way);
bl_status bl_basis_rate(bl_formulation *form, double t, const double *y, double *rate);
bl_status bl_basis_review(bl_formulation *form, const bl_state *state);
bl_status bl_basis_project(bl_formulation *form, bl_state *state, double tolerance);
bl_status bl_basis_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda);
bl_status bl_basis_explain(bl_formulation *form);
void bl_basis_destroy(bl_formulation *form);

/* all but setup and review */
#define BL_BASIS_SLOTS                                                                                    \
    .to_y = bl_whole_to_y, .from_y = bl_whole_from_y, .rate = bl_basis_rate, .project = bl_basis_project, \
    .accelerations = bl_basis_accelerations, .explain = bl_basis_explain, BL_RATE_STAGE_SLOTS, .destroy = bl_basis_destroy

/* ---- for the ways */

#define BL_BASIS_MASSLESS BL_MASSLESS /* of the diagonal */
#define BL_BASIS_SINGULAR_AT 1e-3     /* quality below this share of the level: too near to a singular position */

/* y = M x, scaled */
void bl_basis_mass(const bl_formulation *form, const double *x, double *y);
/* Cholesky factor of the lower triangle of a[n][n] in place; BL_SINGULAR when a pivot is not clearly positive. */
bl_status bl_basis_cholesky(bl_index n, double *a, double *diagonal);

size_t bl_qr_room(bl_index m, bl_index n);                                           /* doubles that bl_qr_place needs */
double *bl_qr_place(bl_qr *qr, bl_index m, bl_index n, double *at, bl_index *pivot); /* returns what is behind */
bl_status bl_qr_factor(bl_qr *qr, double *smallest);                                 /* smallest pivot; infinity when n = 0 */
void bl_qr_apply(bl_qr *qr, bool transposed, bl_index ncol, double *x);              /* x[m][ncol] = Q x or Q^T x */
void bl_qr_solve(bl_qr *qr, double *b, double *x);                                   /* R P^T x = b[n]; b is spoilt */
void bl_qr_solve_transposed(const bl_qr *qr, const double *c, double *p);            /* R^T p = P^T c */

#endif
