/* Power series of a composite system: the inner one, with numbers u that are power series themselves. Inputs are cubics in time; the
 * coefficients of states become known order by order, as those of the motion do. */
#include "signal/composite.h"

#include <string.h>

typedef struct composite_expansion {
    bl_expansion inner;
    double *u; /* [order + 1][inner nu] */
} composite_expansion;

bl_status bl_composite_expansion_create(const bl_system *sys, bl_expansion *ex) {
    const bl_composite *c = bl_composite_of(sys);
    composite_expansion *own;
    BL_TRY(BL_NEW(sys->ctx, own, 1));
    ex->own = own;
    BL_TRY(BL_NEW(sys->ctx, own->u, ((size_t)ex->order + 1) * (size_t)c->inner->nu));
    return bl_expansion_create(c->inner, ex->order, &own->inner);
}

void bl_composite_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    composite_expansion *own = ex->own;
    bl_expansion_destroy(bl_composite_of(sys)->inner, &own->inner);
    bl_free(sys->ctx, own->u);
    bl_free(sys->ctx, own);
    ex->own = NULL;
}

/* the inner expansion works in the arrays of the composite one */
static void share(bl_expansion *ex, composite_expansion *own) {
    bl_expansion *in = &own->inner;
    in->order = ex->order;
    in->v_order = ex->v_order;
    in->t = ex->t;
    in->history = ex->history;
    in->q = ex->q;
    in->v = ex->v;
    in->lambda = ex->lambda;
    in->mu = ex->mu;
    in->work = ex->work;
    in->phi = ex->phi;
    in->Q = ex->Q;
    in->G = ex->G;
    in->M = ex->M;
    in->signal = ex->f;
    in->u = own->u;
}

/* orders 0 and 1 of everything but states; higher ones are zero */
static void begin(const bl_system *sys, const bl_expansion *ex) {
    const bl_composite *c = bl_composite_of(sys);
    const composite_expansion *own = ex->own;
    const double *number = bl_composite_numbers(c, ex->history);
    size_t nu = (size_t)c->inner->nu;
    memset(own->u, 0, ((size_t)ex->order + 1) * nu * sizeof *own->u);
    for (bl_index k = 0; k < c->inner->nu; k++)
        own->u[k] = bl_held_now(&c->held[k], ex->t);
    for (bl_index i = 0; i < c->model->nsignal; i++) {
        bl_index k = c->held_of[i], input = c->input_of[i];
        if (k < 0 || c->asked[i] || !number)
            continue;
        own->u[k] = number[c->value + i];
        if (c->delay_of[i] >= 0)
            bl_delay_series(c, number, c->delay_of[i], ex->t, ex->order, nu, own->u + k);
        if (input >= 0)
            bl_composite_input(c, number, input, ex->t, ex->order, nu, own->u + k);
    }
}

bl_status bl_composite_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    const bl_composite *c = bl_composite_of(sys);
    composite_expansion *own = ex->own;
    uint32_t ask = want & ~(uint32_t)BL_F;
    if ((want & BL_F) && sys->nz)
        ask |= BL_SIGNALS;
    share(ex, own);
    if (k == 0 && (want & (BL_Q | BL_F | BL_G)))
        begin(sys, ex);
    for (bl_index i = 0; i < sys->nz && k <= ex->order && (want & (BL_Q | BL_F | BL_G)); i++)
        own->u[(size_t)k * (size_t)c->inner->nu + (size_t)c->held_of[c->state[i]]] = ex->z[(size_t)k * (size_t)sys->nz + (size_t)i];
    return ask ? bl_system_series(c->inner, &own->inner, k, ask) : BL_OK;
}
