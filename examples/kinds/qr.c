/* QR with column exchanges on the full matrix: A P = Q R, x = P R^-1 Q^T b. The common part of direct solvers (linsol/direct_solver.h)
 * scales, decides about rank and passes the kept rows and columns. Reflections mix large and small unknowns, so that the error is small
 * compared with the largest; one step of refinement makes it small compared with each (Higham 2002, section 12.3). */
#include "linsol/direct_solver.h"

#include <string.h>

typedef struct qr {
    bl_direct direct;
    double *a;          /* [n][n] R, and the reflectors of Q below it */
    double *tau, *work; /* of the reflectors; workspace[nwork] */
    double *exchanged;  /* [n] scratch of apply */
    double *r;          /* [n] residual */
    bl_index *order;    /* [n] columns in the order of their exchange, counted from 1 */
    size_t nwork;
} qr;

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    qr *own = solver->own;
    BL_TRY(bl_direct_analyze(solver, pattern, ordering, deficient, rank_tolerance));
    size_t n = (size_t)pattern->ncol;
    own->nwork = bl_dense_qr_work(pattern->ncol, pattern->ncol);
    solver->stats.fill = (int64_t)(n * n);
    return BL_NEW_ARRAYS(solver->ctx, own->direct.own, BL_ARRAY(own->a, n * n), BL_ARRAY(own->tau, n), BL_ARRAY(own->work, own->nwork),
                         BL_ARRAY(own->exchanged, n), BL_ARRAY(own->r, n), BL_ARRAY(own->order, n));
}

static bl_status factor(bl_linsol *solver, const double *values, double *ratio) {
    qr *own = solver->own;
    const bl_direct *d = &own->direct;
    size_t n = (size_t)d->n;
    (void)values; /* those of the kept part, scaled, are in d->values */
    memset(own->a, 0, n * n * sizeof *own->a);
    memset(own->order, 0, n * sizeof *own->order);
    for (bl_index j = 0; j < d->n; j++)
        for (bl_index k = d->ptr[j]; k < d->ptr[j + 1]; k++)
            own->a[(size_t)d->idx[k] + n * (size_t)j] = d->values[k];
    if (n > 0)
        bl_dense_qr_pivoted(d->n, d->n, own->a, own->order, own->tau, own->work, own->nwork);
    *ratio = bl_direct_ratio(d->n, own->a, n + 1);
    return BL_OK;
}

static bl_status refactor(bl_linsol *solver, const double *values, double *ratio) {
    BL_TRY(bl_direct_load(solver, values));
    return factor(solver, values, ratio);
}

/* y <- A^-1 y or A^-T y */
static void apply(qr *own, bool transposed, double *y) {
    bl_index n = own->direct.n;
    double *z = own->exchanged;
    if (!transposed) {
        bl_dense_qr_multiply(n, 1, n, own->a, own->tau, true, y, own->work, own->nwork);
        bl_dense_triangle_solve(BL_UPPER, false, n, 1, own->a, n, y, n);
        for (bl_index j = 0; j < n; j++)
            z[own->order[j] - 1] = y[j];
    } else {
        for (bl_index j = 0; j < n; j++)
            z[j] = y[own->order[j] - 1];
        bl_dense_triangle_solve(BL_UPPER, true, n, 1, own->a, n, z, n);
        bl_dense_qr_multiply(n, 1, n, own->a, own->tau, false, z, own->work, own->nwork);
    }
    memcpy(y, z, (size_t)n * sizeof *y);
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    qr *own = solver->own;
    const bl_direct *d = &own->direct;
    for (bl_index c = 0; c < nrhs; c++, x += d->n) {
        memcpy(own->r, x, (size_t)d->n * sizeof *x);
        apply(own, transposed, x);
        for (bl_index j = 0; j < d->n; j++) /* r = b - A x */
            for (bl_index k = d->ptr[j]; k < d->ptr[j + 1]; k++)
                own->r[transposed ? j : d->idx[k]] -= d->values[k] * x[transposed ? d->idx[k] : j];
        apply(own, transposed, own->r);
        for (bl_index j = 0; j < d->n; j++)
            x[j] += own->r[j];
    }
    return BL_OK;
}

static const bl_direct_slots slots = {.wants = BL_DIRECT_TABLES, .factor = factor, .refactor = refactor, .solve = solve};

const bl_linsol_kind bl_linsol_qr = {
    .kind = {.name = "qr",
             .help = "full matrix, orthogonal decomposition with column exchanges",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_TRANSPOSED},
    .size = sizeof(qr),
    .slots = &slots,
    .destroy = bl_direct_destroy,
    .analyze = analyze,
    .factor = bl_direct_factor,
    .refactor = bl_direct_refactor,
    .solve = bl_direct_solve,
};
