#include "support/ode.h"

#include <string.h>

static bl_status ode_rate(bl_formulation *form, double t, const double *y, double *rate) {
    test_ode *ode = (test_ode *)form;
    if (ode->refuse)
        BL_TRY(ode->refuse(t, y, ode->user));
    form->stats.evaluations++;
    ode->f(t, y, rate, ode->user);
    return BL_OK;
}

static const bl_formulation_kind ode_kind = {
    .kind = {.name = "ode", .help = "y' = f(t, y)", .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT},
    .rate = ode_rate,
    BL_RATE_STAGE_SLOTS};

bl_status test_ode_create(bl_context *ctx, bl_index ny, double weight, void (*f)(double, const double *, double *, void *), void *user,
                          test_ode *ode) {
    memset(ode, 0, sizeof *ode);
    ode->form.kind = &ode_kind;
    ode->form.ctx = ctx;
    ode->form.ny = ny;
    ode->form.stage_of = BL_STAGE_RATE;
    ode->f = f;
    ode->user = user;
    BL_TRY(BL_NEW(ctx, ode->form.weight, ny));
    for (bl_index i = 0; i < ny; i++)
        ode->form.weight[i] = weight;
    return BL_OK;
}

void test_ode_destroy(test_ode *ode) {
    bl_rate_stage_destroy(&ode->form);
    bl_free(ode->form.ctx, ode->form.weight);
}
