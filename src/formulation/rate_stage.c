/* The stage interface of y' = rate(t, y) for the full y: residual rate - y', dense matrix I - (cz / czd) J, J by differences of the rate.
 * With it first-order implicit methods can integrate formulations that only have a rate (few unknowns: minimal coordinates). */
#include "dense/dense.h"
#include "formulation/formulation.h"
#include "formulation/formulation_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct bl_rate_stage {
    bl_index n;
    double *z, *zd, *f, *f0, *J, *matrix;
    bl_index *pivot;
    void *block;
    double cz, czd;
    bool factored;
    /* shifts: lambda I - J, the first real */
    double *shift[BL_MOST_SHIFTS];
    bl_index *shift_pivot[BL_MOST_SHIFTS];
    void *shift_block[BL_MOST_SHIFTS];
    bl_index shift_n;
} bl_rate_stage;

static void free_shifts(bl_formulation *form) {
    bl_rate_stage *own = form->rate_stage;
    for (int k = 0; k < BL_MOST_SHIFTS; k++) {
        bl_free(form->ctx, own->shift_block[k]);
        own->shift_block[k] = NULL;
    }
}

bl_status bl_rate_stage_setup(bl_formulation *form) {
    bl_rate_stage *own = form->rate_stage;
    if (!own) {
        BL_TRY(BL_NEW(form->ctx, own, 1));
        form->rate_stage = own;
    }
    size_t n = (size_t)form->ny;
    if (form->ny > formulation_full_unknowns) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL,
                "implicit methods solve y' = f(t, y) of formulation %s with full matrices: %d unknowns, more than the limit of %.0f",
                form->kind->kind.name, (int)form->ny, formulation_full_unknowns);
        bl_advise(form->ctx, "use formulation ggl, which has sparse matrices, with ndf_auto, mebdf_auto, stiff_auto, ...");
        return BL_E_ABILITY;
    }
    own->factored = false;
    form->nx = form->ny;
    form->x_velocity = form->nlambda = 0;
    if (own->block && own->n == form->ny)
        return BL_OK;
    own->n = form->ny;
    return BL_NEW_ARRAYS(form->ctx, own->block, BL_ARRAY(own->z, n), BL_ARRAY(own->zd, n), BL_ARRAY(own->f, n), BL_ARRAY(own->f0, n),
                         BL_ARRAY(own->J, n * n), BL_ARRAY(own->matrix, n * n), BL_ARRAY(own->pivot, n));
}

void bl_rate_stage_destroy(bl_formulation *form) {
    bl_rate_stage *own = form->rate_stage;
    if (!own)
        return;
    free_shifts(form);
    bl_free(form->ctx, own->block);
    bl_free(form->ctx, own);
    form->rate_stage = NULL;
}

static void set_state(bl_rate_stage *own, const bl_stage *s, const double *x) {
    for (bl_index i = 0; i < own->n; i++) {
        own->z[i] = s->ze[i] + s->cz * x[i];
        own->zd[i] = s->zde[i] + s->czd * x[i];
    }
}

bl_status bl_rate_stage_residual(bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    bl_rate_stage *own = form->rate_stage;
    set_state(own, s, x);
    BL_TRY(form->kind->rate(form, s->te, own->z, own->f));
    for (bl_index i = 0; i < own->n; i++)
        r[i] = (own->f[i] - own->zd[i]) / s->czd;
    return BL_OK;
}

bl_status bl_rate_stage_rounding(bl_formulation *form, const bl_stage *s, const double *x, double *r) {
    const bl_rate_stage *own = form->rate_stage;
    size_t n = (size_t)own->n;
    (void)x;
    for (size_t i = 0; i < n; i++)
        r[i] = fabs(own->f[i]) + fabs(own->zd[i]);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            r[i] += fabs(own->J[j * n + i] * own->z[j]);
    for (size_t i = 0; i < n; i++)
        r[i] *= DBL_EPSILON / s->czd;
    return BL_OK;
}

bl_status bl_rate_stage_tangent(bl_formulation *form, const bl_stage *s, const double *x) {
    bl_rate_stage *own = form->rate_stage;
    size_t n = (size_t)own->n;
    form->stats.tangents++;
    own->factored = false;
    set_state(own, s, x);
    BL_TRY(form->kind->rate(form, s->te, own->z, own->f0));
    for (size_t j = 0; j < n; j++) {
        double kept = own->z[j], step = sqrt(DBL_EPSILON) * fmax(fabs(kept), form->weight[j]);
        if (step == 0) { /* a component on which nothing depends, like the work */
            memset(own->J + j * n, 0, n * sizeof(double));
            continue;
        }
        own->z[j] = kept + step;
        step = own->z[j] - kept;
        bl_status status = form->kind->rate(form, s->te, own->z, own->f);
        own->z[j] = kept;
        BL_TRY(status);
        for (size_t i = 0; i < n; i++)
            own->J[j * n + i] = (own->f[i] - own->f0[i]) / step;
    }
    return BL_OK;
}

bl_status bl_rate_stage_matrix(bl_formulation *form, const bl_stage *s) {
    bl_rate_stage *own = form->rate_stage;
    size_t n = (size_t)own->n;
    if (own->factored && own->cz == s->cz && own->czd == s->czd)
        return BL_OK;
    double c = s->cz / s->czd;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            own->matrix[j * n + i] = (double)(i == j) - c * own->J[j * n + i];
    form->stats.factors++;
    own->cz = s->cz;
    own->czd = s->czd;
    own->factored = bl_dense_lu(own->n, own->matrix, own->pivot);
    return own->factored ? BL_OK : BL_SINGULAR;
}

bl_status bl_rate_stage_solve(bl_formulation *form, double *x) {
    bl_rate_stage *own = form->rate_stage;
    form->stats.solves++;
    bl_dense_lu_solve(own->n, 1, own->matrix, own->pivot, false, x);
    return BL_OK;
}

/* ---- shifts; complex numbers are pairs of doubles */

bl_status bl_rate_shift_setup(bl_formulation *form, int count) {
    bl_rate_stage *own = form->rate_stage;
    size_t n = (size_t)own->n;
    if (own->shift_n != own->n)
        free_shifts(form);
    own->shift_n = own->n;
    for (int k = 0; k < count; k++)
        if (!own->shift_block[k])
            BL_TRY(BL_NEW_ARRAYS(form->ctx, own->shift_block[k], BL_ARRAY(own->shift[k], (k ? 2 : 1) * n * n),
                                 BL_ARRAY(own->shift_pivot[k], n)));
    return BL_OK;
}

bl_status bl_rate_shift(bl_formulation *form, int which, double re, double im) {
    bl_rate_stage *own = form->rate_stage;
    size_t n = (size_t)own->n, pair = which ? 2 : 1;
    double *S = own->shift[which];
    for (size_t k = 0; k < n * n; k++) {
        S[pair * k] = -own->J[k];
        if (which)
            S[2 * k + 1] = 0;
    }
    for (size_t j = 0; j < n; j++) {
        S[pair * j * (n + 1)] += re;
        if (which)
            S[2 * j * (n + 1) + 1] = im;
    }
    form->stats.factors++;
    bl_index *pivot = own->shift_pivot[which];
    return (which ? bl_dense_lu_complex(own->n, S, pivot) : bl_dense_lu(own->n, S, pivot)) ? BL_OK : BL_SINGULAR;
}

bl_status bl_rate_shift_solve(bl_formulation *form, int which, double *x) {
    bl_rate_stage *own = form->rate_stage;
    form->stats.solves++;
    if (which)
        bl_dense_lu_complex_solve(own->n, own->shift[which], own->shift_pivot[which], x);
    else
        bl_dense_lu_solve(own->n, 1, own->shift[which], own->shift_pivot[which], false, x);
    return BL_OK;
}

bl_status bl_rate_shift_error(bl_formulation *form, const double *F, const double *w, double *err) {
    for (bl_index i = 0; i < form->rate_stage->n; i++)
        err[i] = F[i] + w[i];
    return bl_rate_shift_solve(form, 0, err);
}
