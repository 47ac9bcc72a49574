/* Newmark's method (1959): the generalized-alpha engine with am = af = 0. gamma = 1/2: order 2; 2 beta >= gamma >= 1/2: stable for every
 * step; beta = 1/4 is the trapezoidal rule (no dissipation), beta = 1/6 linear acceleration. */
#include "integrate/genalpha.h"

static const bl_param params[] = {
    {.name = "beta", .type = BL_P_NUMBER, .fallback = 0.25, .help = "share of the new acceleration in the position"},
    {.name = "gamma", .type = BL_P_NUMBER, .fallback = 0.5, .help = "share of the new acceleration in the velocity"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { BETA, GAMMA };

static bl_status newmark_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    bl_genalpha_numbers n = {.beta = value[BETA].number, .gamma = value[GAMMA].number};
    return bl_genalpha_formula(kind, ctx, &n, formula);
}

const bl_integrator_kind bl_integrator_newmark = {
    .kind = {.name = "newmark",
             .help = "Newmark's method; by default the trapezoidal rule, order 2, no dissipation (weakly unstable with constraints)",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_ON_GROUPS | BL_UNDAMPED},
    .create = bl_genalpha_create,
    .formula = newmark_formula,
    BL_GENALPHA_SLOTS,
};
