/* partition, power series: with J and R of the place, for every order
 *
 *     J x = c,   (R^T M R) s = R^T (F - M x),   a = x + R s,   J^T lambda = F - M a. */
#include "formulation/partition.h"

#include <string.h>

static bl_status solve_order(bl_formulation *form, const double *Q, const double *f, const double *c, double *a, double *zd,
                             double *lambda) {
    bl_partition *own = form->own;
    (void)f;
    (void)zd;
    for (bl_index i = 0; i < own->r; i++)
        own->Sc[i] = c[own->kept[i]] * own->row_by[i];
    BL_TRY(bl_partition_meet(form, Q));
    memcpy(a, own->a, (size_t)form->sys->nv * sizeof *a);
    BL_TRY(bl_partition_multipliers(form, Q));
    memset(lambda, 0, (size_t)form->sys->np * sizeof *lambda);
    for (bl_index i = 0; i < own->r; i++)
        lambda[own->kept[i]] = own->mu[i] * own->row_by[i];
    return BL_OK;
}

bl_status bl_partition_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex) {
    BL_TRY(bl_partition_go_to(form, t, y, true));
    bl_partition *own = form->own;
    BL_TRY(bl_partition_mass(form));
    own->stage = 1; /* a will be spoilt */
    return bl_formulation_expand(form, t, own->q, own->v, NULL, solve_order, ex);
}
