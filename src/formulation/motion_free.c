/* Stages without a matrix: (M + ce/ca K) x by the system's products, for iterative solvers where K would need too much memory. The
 * preconditioner uses the diagonal. Linear systems of second order without constraints and damping. */
#include "formulation/motion.h"

#include <string.h>

static bl_status refuse(bl_formulation *form, const char *why) {
    bl_fail(form->ctx, BL_E_ABILITY, NULL, "matrix=free: %s", why);
    bl_advise(form->ctx, "remove matrix=free from the linear solver");
    return BL_E_ABILITY;
}

bl_status bl_motion_free_wanted(bl_formulation *form, bool *wanted) {
    const bl_system *sys = form->sys;
    bl_linsol *solver = NULL;
    *wanted = false;
    if (!form->linsol_spec || form->held)
        return BL_OK;
    BL_TRY(bl_linsol_create(form->ctx, form->linsol_spec, &solver));
    *wanted = solver->matrix_free;
    bl_linsol_destroy(solver);
    if (!*wanted)
        return BL_OK;
    if (!sys->kind->diagonal)
        return refuse(form, "only meshes can multiply without forming the matrix");
    if (sys->np > 0 || sys->nz > 0)
        return refuse(form, "constraints and first-order fields (temperature) need the matrix");
    if (!(sys->facts & BL_CK_CONST) || (sys->facts & BL_Q_OF_V))
        return refuse(form, "only linear bodies without damping are supported");
    return BL_OK;
}

bl_status bl_motion_free_setup(bl_formulation *form) {
    bl_motion *own = form->own;
    bl_index *ptr, *idx, n = own->n;
    BL_TRY(BL_NEW(form->ctx, ptr, (size_t)n + 1));
    own->pattern = (bl_pattern){n, n, ptr, NULL};
    BL_TRY(BL_NEW(form->ctx, idx, (size_t)n + 1));
    own->pattern.idx = idx;
    for (bl_index j = 0; j < n; j++)
        ptr[j] = idx[j] = j;
    ptr[n] = n;
    BL_TRY(BL_NEW(form->ctx, own->free_diagonal, 2 * (size_t)n));
    BL_TRY(form->sys->kind->diagonal(form->sys, &form->at_e, BL_OP_M, own->free_diagonal));
    return form->sys->kind->diagonal(form->sys, &form->at_e, BL_OP_K, own->free_diagonal + n);
}

void bl_motion_free_values(const bl_formulation *form, const bl_stage *s, double *values) {
    const bl_motion *own = form->own;
    const double *M = own->free_diagonal, *K = M + own->n;
    for (bl_index i = 0; i < own->n; i++)
        values[i] = M[i] + s->ce / s->ca * K[i];
}

bl_status bl_motion_free_product(void *user, const double *x, double *y) {
    bl_formulation *form = user;
    bl_motion *own = form->own;
    const double *key = own->key[own->present];
    BL_TRY(bl_system_apply(form->sys, &form->at_e, BL_OP_K, 1, x, y));
    BL_TRY(bl_system_apply(form->sys, &form->at_e, BL_OP_M, 1, x, own->R0));
    double by = key[BL_KEY_CE] / key[BL_KEY_CA];
    for (bl_index i = 0; i < own->n; i++)
        y[i] = own->R0[i] + by * y[i];
    return BL_OK;
}
