/* Rates of first-order states, A z' = f, the same in every formulation: constraints and states are coupled only through Q and f. A is
 * constant, so its factors are found once. Rows of zeros belong to algebraic states: no equation determines their rates, which are taken as
 * 0; explicit methods refuse them (form->algebraic). */
#include "formulation/formulation.h"

#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <string.h>

typedef struct bl_state_rates {
    double *A;       /* [entries of C] NULL: the identity */
    bool *algebraic; /* [nz] rows that are zero */
    double *by;      /* [nz] reciprocals where A is diagonal, 0 for algebraic states; else NULL */
    bl_pattern pattern;
    double *values;    /* of A alone, 1 on the diagonal of algebraic states */
    bl_linsol *solver; /* NULL: diagonal */
    bool factored;
    void *block;
} bl_state_rates;

void bl_state_rates_destroy(bl_formulation *form) {
    bl_state_rates *own = form->rates;
    if (!own)
        return;
    bl_linsol_destroy(own->solver);
    bl_pattern_free(form->ctx, &own->pattern);
    bl_free(form->ctx, own->A);
    bl_free(form->ctx, own->block);
    bl_free(form->ctx, own->values);
    bl_free(form->ctx, own);
    form->rates = NULL;
}

const double *bl_state_rates_matrix(const bl_formulation *form) { return form->rates ? form->rates->A : NULL; }
const bool *bl_state_rates_algebraic(const bl_formulation *form) { return form->algebraic ? form->rates->algebraic : NULL; }

/* ---- set-up */

/* zero rows of A, and its reciprocals; *diagonal: it has no entries elsewhere */
static void find_rows(bl_formulation *form, bool *diagonal) {
    bl_state_rates *own = form->rates;
    const bl_system *sys = form->sys;
    const bl_pattern *C = &sys->pat_C;
    bl_index nv = sys->nv, nz = sys->nz;
    *diagonal = true;
    for (bl_index i = 0; i < nz; i++)
        own->algebraic[i] = true;
    for (bl_index j = nv; j < nv + nz; j++)
        for (bl_index k = C->ptr[j]; k < C->ptr[j + 1]; k++) {
            if (C->idx[k] < nv || own->A[k] == 0)
                continue;
            own->algebraic[C->idx[k] - nv] = false;
            *diagonal = *diagonal && C->idx[k] == j;
            if (C->idx[k] == j)
                own->by[j - nv] = 1 / own->A[k];
        }
    for (bl_index i = 0; i < nz; i++)
        form->algebraic += own->algebraic[i];
}

static bl_status factor(bl_formulation *form) {
    bl_state_rates *own = form->rates;
    if (own->factored)
        return BL_OK;
    bl_status status = bl_formulation_update(form, own->solver, true, own->values);
    own->factored = status == BL_OK;
    if (status != BL_SINGULAR)
        return status;
    bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the rates of first-order states are not determined: their matrix A is singular");
    bl_advise(form->ctx, "an algebraic state must have a complete zero row in A");
    return BL_E_NUMERIC;
}

/* A as a matrix of its own */
static bl_status make_solver(bl_formulation *form) {
    bl_state_rates *own = form->rates;
    const bl_system *sys = form->sys;
    const bl_pattern *C = &sys->pat_C;
    bl_index nv = sys->nv, nz = sys->nz, n = 0, *row, *col, *slot, most = C->ptr[nv + nz] - C->ptr[nv] + nz;
    double *value;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, block, BL_ARRAY(value, most), BL_ARRAY(row, most), BL_ARRAY(col, most), BL_ARRAY(slot, most)));
    for (bl_index j = 0; j < nz; j++) {
        if (own->algebraic[j]) {
            row[n] = col[n] = j;
            value[n++] = 1;
        }
        for (bl_index k = C->ptr[nv + j]; k < C->ptr[nv + j + 1]; k++)
            if (C->idx[k] >= nv && own->A[k] != 0) {
                row[n] = C->idx[k] - nv;
                col[n] = j;
                value[n++] = own->A[k];
            }
    }
    bl_status status = bl_pattern_build(form->ctx, nz, nz, n, row, col, &own->pattern, slot);
    if (status == BL_OK)
        status = BL_NEW(form->ctx, own->values, n);
    for (bl_index k = 0; k < n && status == BL_OK; k++)
        own->values[slot[k]] = value[k];
    if (status == BL_OK)
        status = bl_linsol_create(form->ctx, form->linsol_spec, &own->solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(own->solver, &own->pattern, NULL, BL_REFUSE, form->rank_tolerance * system_rank_kept);
    bl_free(form->ctx, block);
    BL_TRY(status);
    if (sys->facts & BL_FINE) /* large: factored where a method requests rates */
        return BL_OK;
    status = factor(form);
    if (status == BL_E_NUMERIC) { /* refused when a rate is requested: implicit stages may be regular nevertheless */
        bl_context_clear_error(form->ctx);
        return BL_OK;
    }
    return status;
}

bl_status bl_state_rates_setup(bl_formulation *form) {
    const bl_system *sys = form->sys;
    bl_state_rates *own;
    bool diagonal;
    form->algebraic = 0;
    if (sys->nz == 0)
        return BL_OK;
    bl_state_rates_destroy(form);
    BL_TRY(BL_NEW(form->ctx, own, 1));
    form->rates = own;
    if (bl_system_unit_A(sys))
        return BL_OK;
    BL_TRY(bl_eval_room(sys, BL_KC, &form->at_e));
    if (!sys->pat_C.ptr)
        return bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation %s needs the matrix A of first-order states, the system provides none",
                       form->kind->kind.name);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_KC));
    size_t entries = (size_t)sys->pat_C.ptr[sys->nv + sys->nz];
    BL_TRY(BL_NEW(form->ctx, own->A, entries));
    memcpy(own->A, form->at_e.C, entries * sizeof *own->A);
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->block, BL_ARRAY(own->by, sys->nz), BL_ARRAY(own->algebraic, sys->nz)));
    find_rows(form, &diagonal);
    if (diagonal)
        return BL_OK;
    own->by = NULL;
    return make_solver(form);
}

/* ---- rates */

bl_status bl_state_rates_solve(bl_formulation *form, const double *f, double *zd) {
    bl_state_rates *own = form->rates;
    bl_index nz = form->sys->nz;
    if (!own->A) {
        memcpy(zd, f, (size_t)nz * sizeof *zd);
        return BL_OK;
    }
    for (bl_index i = 0; i < nz; i++)
        zd[i] = own->algebraic[i] ? 0 : own->by ? own->by[i] * f[i] : f[i];
    if (own->by)
        return BL_OK;
    BL_TRY(factor(form));
    form->stats.solves++;
    return bl_linsol_solve(own->solver, false, 1, zd);
}

bl_status bl_state_rates_find(bl_formulation *form, double *zd, bl_index *bad) {
    const bl_eval *e = &form->at_e;
    bl_index nz = form->sys->nz;
    if (nz == 0)
        return BL_OK;
    BL_TRY(bl_state_rates_solve(form, e->f, zd));
    *bad = bl_first_not_finite(nz, zd);
    if (*bad < 0)
        return BL_OK;
    bl_index first = bl_first_not_finite(nz, e->f); /* spreads to all rates that A couples */
    *bad = form->sys->nv + (first >= 0 ? first : *bad);
    return bl_check_finite(form->ctx, "rates of states", e->t, nz, zd);
}
