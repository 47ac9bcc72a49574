/* Wilson's theta method (Wilson, Farhoomand and Bathe 1973): collocation with linear acceleration, beta = 1/6, gamma = 1/2. Stable for
 * every step from theta = 1.37 on; 1.4 is customary. */
#include "integrate/collocation.h"

static const bl_param params[] = {
    {.name = "theta", .type = BL_P_NUMBER, .fallback = 1.4, .help = "time at which equilibrium holds, in steps; stable from 1.37 on"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { THETA };

static bl_status wilson_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    return bl_collocation_formula(kind, ctx, 1.0 / 6, 0.5, value[THETA].number, formula);
}

const bl_integrator_kind bl_integrator_wilson = {
    .kind = {.name = "wilson",
             .help = "Wilson's theta method, order 2",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER},
    .formula = wilson_formula,
    BL_COLLOCATION_SLOTS,
};
