/* The system of index 1 with full matrices: memory, scaling and orthogonal factors for every bl_basis_method. */
#include "formulation/basis.h"
#include "formulation/formulation_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

/* ---- QR */

bl_status bl_basis_qr_factor(bl_basis *basis, double *smallest) {
    memset(basis->pivot, 0, (size_t)basis->r * sizeof *basis->pivot);
    *smallest = INFINITY;
    if (!bl_dense_qr_pivoted(basis->nv, basis->r, basis->qr, basis->pivot, basis->tau, basis->work, basis->nwork))
        return BL_SINGULAR;
    for (bl_index j = 0; j < basis->r; j++)
        *smallest = fmin(*smallest, fabs(basis->qr[(size_t)j * (size_t)(basis->nv + 1)]));
    return *smallest > 0 ? BL_OK : BL_SINGULAR;
}

void bl_basis_qr_apply(bl_basis *basis, bool transposed, bl_index ncol, double *x) {
    bl_dense_qr_multiply(basis->nv, ncol, basis->r, basis->qr, basis->tau, transposed, x, basis->work, basis->nwork);
}

void bl_basis_qr_rest(bl_basis *basis, double *Z) {
    size_t nv = (size_t)basis->nv, f = (size_t)basis->f;
    memset(Z, 0, nv * f * sizeof *Z);
    for (size_t k = 0; k < f; k++)
        Z[k * nv + (size_t)basis->r + k] = 1;
    bl_basis_qr_apply(basis, false, basis->f, Z);
}

void bl_basis_qr_multiply(bl_basis *basis, double *force, double *mu) {
    bl_basis_qr_apply(basis, true, 1, force);
    bl_dense_triangle_solve(BL_UPPER, false, basis->r, 1, basis->qr, basis->nv, force, basis->r);
    for (bl_index j = 0; j < basis->r; j++)
        mu[basis->pivot[j] - 1] = force[j];
}

void bl_basis_qr_prescribe(const bl_basis *basis, const double *c, double *p) {
    for (bl_index j = 0; j < basis->r; j++)
        p[j] = c[basis->pivot[j] - 1];
    bl_dense_triangle_solve(BL_UPPER, true, basis->r, 1, basis->qr, basis->nv, p, basis->r);
}

/* ---- mass */

void bl_basis_mass(const bl_formulation *form, const double *x, double *y) {
    const bl_system *sys = form->sys;
    memset(y, 0, (size_t)sys->nv * sizeof *y);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            bl_index i = sys->pat_M.idx[k];
            y[i] += sys->col[i].scale * form->at_e.M[k] * sys->col[j].scale * x[j];
        }
}

bl_status bl_basis_cholesky(bl_index n, double *a, double *diagonal) {
    for (bl_index i = 0; i < n; i++)
        diagonal[i] = a[(size_t)i * (size_t)(n + 1)];
    if (!bl_dense_llt(n, a))
        return BL_SINGULAR;
    for (bl_index i = 0; i < n; i++) {
        double pivot = a[(size_t)i * (size_t)(n + 1)];
        if (!(pivot * pivot > system_massless * diagonal[i]))
            return BL_SINGULAR;
    }
    return BL_OK;
}

/* ---- the solver */

static void basis_free(bl_formulation *form) {
    bl_index1 *own = form->own;
    if (!own->basis)
        return;
    bl_free(form->ctx, own->basis->own);
    bl_free(form->ctx, own->basis->more);
    bl_free(form->ctx, own->basis->block);
    bl_free(form->ctx, own->basis);
}

static bl_status basis_make(bl_formulation *form) {
    bl_index1 *own = form->own;
    bl_index nv = own->nv, r = own->rows.r;
    bl_basis *basis;
    if (nv > formulation_full_coordinates) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation %s uses full matrices and accepts at most %.0f coordinates; the system has %d",
                form->kind->kind.name, formulation_full_coordinates, (int)nv);
        bl_advise(form->ctx, "use the formulation lagrange or partition, which solve the same equations with sparse matrices");
        return BL_E_ABILITY;
    }
    BL_TRY(BL_NEW(form->ctx, basis, 1));
    own->basis = basis;
    *basis = (bl_basis){.nv = nv, .r = r, .f = nv - r, .nwork = bl_dense_qr_work(nv, nv)};
    size_t entries = (size_t)nv * (size_t)r;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, basis->block, BL_ARRAY(basis->GT, entries), BL_ARRAY(basis->qr, entries), BL_ARRAY(basis->tau, r),
                         BL_ARRAY(basis->work, basis->nwork), BL_ARRAY(basis->Q, nv), BL_ARRAY(basis->a, nv), BL_ARRAY(basis->force, nv),
                         BL_ARRAY(basis->x, nv), BL_ARRAY(basis->pivot, r)));
    return own->options.method->make(form, basis);
}

/* GT filled and factored at the configuration of at_e */
static bl_status basis_factor(bl_formulation *form) {
    bl_index1 *own = form->own;
    bl_basis *basis = own->basis;
    const bl_system *sys = form->sys;
    const bl_pattern *G = &sys->pat_G;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)own->nv;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_G));
    BL_TRY(bl_check_finite(form->ctx, "gradient of the constraints", e->t, own->np ? G->ptr[own->nv] : 0, e->G));
    memset(basis->GT, 0, nv * (size_t)basis->r * sizeof(double));
    for (bl_index j = 0; j < own->nv && basis->r > 0; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index slot = own->rows.slot[G->idx[k]];
            if (slot >= 0)
                basis->GT[(size_t)slot * nv + (size_t)j] = e->G[k] * sys->col[j].scale / sys->row[G->idx[k]].scale;
        }
    form->stats.factors++;
    basis->massless = false;
    basis->level = sqrt(own->level);
    bl_status status = own->options.method->factor(form, basis);
    own->quality = basis->quality * basis->quality;
    own->massless = basis->massless;
    return status;
}

static bl_status basis_solve(bl_formulation *form, bl_index nrhs, double *x) {
    bl_index1 *own = form->own;
    bl_basis *basis = own->basis;
    const bl_col *col = form->sys->col;
    for (bl_index k = 0; k < nrhs; k++, x += own->nv + own->rows.r) {
        double *mu = x + own->nv; /* c on entry */
        for (bl_index i = 0; i < own->nv; i++)
            basis->Q[i] = col[i].scale * x[i];
        own->options.method->accelerate(form, basis, basis->Q, mu, basis->a);
        bl_basis_mass(form, basis->a, basis->force);
        for (bl_index i = 0; i < own->nv; i++) {
            x[i] = col[i].scale * basis->a[i];
            basis->force[i] = basis->Q[i] - basis->force[i];
        }
        if (basis->r > 0)
            own->options.method->multiply(basis, basis->force, mu);
    }
    return BL_OK;
}

const bl_index1_solver bl_index1_basis = {
    .uses = BL_M | BL_G, .make = basis_make, .factor = basis_factor, .solve = basis_solve, .free = basis_free};
