/* The first-order form of a formulation's stages. */
#include "integrate/first_order_form.h"

#include <string.h>

bl_status bl_first_order_start(bl_first_order *b, bl_integrator *integ, bl_jacobian jacobian, bl_array array[BL_FIRST_ORDER_ARRAYS]) {
    bl_formulation *form = integ->form;
    form->jacobian = jacobian;
    BL_TRY(form->kind->stage_setup(form));
    b->integ = integ;
    b->rate = form->stage_of == BL_STAGE_RATE;
    b->moving = !b->rate && !(form->sys->facts & (BL_M_CONST | BL_IDENTITY));
    b->ny = integ->ny;
    b->nx = form->nx;
    b->nv = b->rate ? 0 : form->sys->nv;
    b->nz = b->rate ? integ->ny : form->sys->nz;
    b->tangent_known = b->tangent_fresh = false;
    const bl_array own[BL_FIRST_ORDER_ARRAYS] = {BL_ARRAY(b->q, b->nv), BL_ARRAY(b->v, b->nv),  BL_ARRAY(b->a, b->nv),
                                                 BL_ARRAY(b->z, b->nz), BL_ARRAY(b->zd, b->nz), BL_ARRAY(b->zero, b->nx)};
    memcpy(array, own, sizeof own);
    return BL_OK;
}

void bl_first_order_move_to(bl_first_order *b, double h, const double *k) {
    bl_index nv = b->nv;
    const double *y = b->integ->y;
    for (bl_index i = 0; i < nv; i++) {
        b->q[i] = y[i] + (k ? h * k[i] : 0);
        b->v[i] = y[nv + i] + (k ? h * k[nv + i] : 0);
    }
    for (bl_index i = 0; i < b->nz; i++)
        b->z[i] = y[2 * nv + i] + (k ? h * k[2 * nv + i] : 0);
}

void bl_balance_rates(bl_first_order *b, const double *u) {
    for (bl_index i = 0; i < b->nv; i++)
        b->a[i] = u ? u[b->nv + i] : 0;
    for (bl_index i = 0; i < b->nz; i++)
        b->zd[i] = u ? u[2 * b->nv + i] : 0;
}

bl_stage bl_balance_stage(const bl_first_order *b, double t) { return bl_implicit_stage(t, 1, b->q, b->v, b->a, b->z, b->zd); }

bl_status bl_balance_residual(bl_first_order *b, double t, double *r) {
    bl_formulation *form = b->integ->form;
    bl_stage stage = bl_balance_stage(b, t);
    return form->kind->residual(form, &stage, b->zero, r);
}

bl_status bl_balance_tangent(bl_first_order *b, double *work) {
    bl_integrator *integ = b->integ;
    bl_formulation *form = integ->form;
    b->tangent_known = false;
    if (b->moving) /* d(M a)/dq needs a */
        BL_TRY(form->kind->rate(form, integ->t, integ->y, work));
    bl_first_order_move_to(b, 0, NULL);
    bl_balance_rates(b, b->moving ? work : NULL);
    bl_stage stage = bl_balance_stage(b, integ->t);
    BL_TRY(form->kind->tangent(form, &stage, b->zero));
    b->tangent_known = b->tangent_fresh = true;
    return BL_OK;
}
