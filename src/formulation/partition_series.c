/* partition, power series: with J and R at the configuration, for every order
 *
 *     J x = c,   (R^T M R) s = R^T (F - M x),   a = x + R s,   J^T lambda = F - M a. */
#include "formulation/partition.h"

#include "dense/dense.h"
#include "sparse/sparse.h"

#include <string.h>

static bl_status solve_order(bl_formulation *form, const double *Q, const double *c, double *a, double *lambda) {
    bl_partition *own = form->own;
    for (bl_index i = 0; i < own->r; i++)
        own->Sc[i] = c[own->rows.kept[i]] * own->row_by[i];
    BL_TRY(bl_partition_meet(form, Q));
    memcpy(a, own->a, (size_t)form->sys->nv * sizeof *a);
    BL_TRY(bl_partition_multipliers(form, Q));
    memset(lambda, 0, (size_t)form->sys->np * sizeof *lambda);
    for (bl_index i = 0; i < own->r; i++)
        lambda[own->rows.kept[i]] = own->mu[i] * own->row_by[i];
    return BL_OK;
}

/* S = C J^-1 R in all rows and columns, zeros for independent columns and dropped rows; false where there is no inverse */
static bool take_inverse(bl_formulation *form) {
    const bl_partition *own = form->own;
    const bl_linsol *solver = form->linsol;
    const double *X = own->P && own->r > 0 ? bl_linsol_inverse_columns(solver) : NULL;
    if (!X)
        return false;
    size_t rows = bl_dense_room((size_t)form->sys->nv), room = bl_dense_room((size_t)own->r);
    memset(own->P, 0, (size_t)form->sys->np * rows * sizeof *X);
    for (bl_index k = 0; k < own->r; k++, X += room) {
        double *column = own->P + rows * (size_t)own->rows.kept[k], by = own->row_by[k];
        for (bl_index i = 0; i < own->r; i++)
            column[own->dep[i]] = X[i] * own->col_by[i] * by;
    }
    return true;
}

/* the same by products: a = S c + R s, lambda = S^T (F - M a) */
static bl_status multiply_order(bl_formulation *form, const double *Q, const double *c, double *a, double *lambda) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *M = &sys->pat_M;
    const double *value = form->at_e.M;
    size_t nv = (size_t)sys->nv, np = (size_t)sys->np, rows = bl_dense_room(nv);
    bl_dense_multiply(form->ctx, np, rows, own->P, c, own->Px);
    memcpy(a, own->Px, nv * sizeof *a);
    BL_TRY(bl_partition_add_motion(form, Q, a));
    for (size_t j = 0; j < nv; j++) { /* rows of M are its columns */
        double left = Q[j];
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            left -= value[k] * a[M->idx[k]];
        own->Px[j] = left;
    }
    bl_dense_multiply_transposed(form->ctx, np, rows, own->P, own->Px, own->Py);
    memcpy(lambda, own->Py, np * sizeof *lambda);
    form->stats.solves += 2;
    return BL_OK;
}

bl_status bl_partition_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex) {
    BL_TRY(bl_partition_go_to(form, t, y, true));
    bl_partition *own = form->own;
    BL_TRY(bl_partition_mass(form));
    own->stage = 1; /* a will be overwritten */
    return bl_formulation_expand(form, t, own->q, own->v, own->z, take_inverse(form) ? multiply_order : solve_order, ex);
}
