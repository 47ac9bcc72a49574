/* Wilson's theta method (Wilson, Farhoomand and Bathe 1973): collocation with linear acceleration, beta = 1/6, gamma = 1/2. Stable for
 * every step from theta = 1.37 on; 1.4 is customary. */
#include "integrate/collocation.h"

static const bl_param params[] = {
    {.name = "theta", .type = BL_P_NUMBER, .fallback = 1.4, .help = "where equilibrium holds, in steps; stable from 1.37 on"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { THETA, SHARED };

static bl_status numbers(bl_context *ctx, const bl_value *value, bl_collocation_numbers *n) {
    *n = (bl_collocation_numbers){.beta = 1.0 / 6, .gamma = 0.5, .theta = value[THETA].number};
    return bl_collocation_check(ctx, "wilson", n);
}

static bl_status wilson_create(bl_integrator *integ) {
    bl_collocation_numbers n;
    BL_TRY(numbers(integ->ctx, integ->value, &n));
    return bl_collocation_create(integ, &n, integ->value + SHARED);
}

static bl_status wilson_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    bl_collocation_numbers n;
    BL_TRY(numbers(ctx, value, &n));
    bl_collocation_formula(&n, formula);
    return BL_OK;
}

const bl_integrator_kind bl_integrator_wilson = {
    .kind = {.name = "wilson",
             .help = "Wilson's theta method, order 2",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER},
    .create = wilson_create,
    .formula = wilson_formula,
    BL_COLLOCATION_SLOTS,
};
