/* The alpha method of Wood, Bossak and Zienkiewicz (1981): the generalized-alpha engine with af = 0, am = alpha <= 0; gamma = 1/2 - alpha,
 * beta = (1 - alpha)^2 / 4. Spectral radius for large steps (1 + alpha) / (1 - alpha). */
#include "integrate/genalpha.h"

static const bl_param params[] = {
    {.name = "alpha", .type = BL_P_NUMBER, .fallback = -0.1, .help = "dissipation, 0 (none) to -1 (asymptotic annihilation)"},
    {.name = "gamma", .type = BL_P_NUMBER, .help = "default 1/2 - alpha: order 2"},
    {.name = "beta", .type = BL_P_NUMBER, .help = "default (1 - alpha)^2 / 4"},
    BL_SECOND_PARAMS(1e-12),
    {0},
};
enum { ALPHA, GAMMA, BETA };

static bl_status wbz_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    double alpha = value[ALPHA].number;
    BL_TRY(bl_second_range(ctx, kind, "alpha", alpha, -1, 0, alpha > 0 ? "alpha is negative here: write -0.1 instead of 0.1" : NULL));
    bl_genalpha_numbers n = {.am = alpha,
                             .gamma = value[GAMMA].given ? value[GAMMA].number : 0.5 - alpha,
                             .beta = value[BETA].given ? value[BETA].number : 0.25 * (1 - alpha) * (1 - alpha)};
    return bl_genalpha_formula(kind, ctx, &n, formula);
}

const bl_integrator_kind bl_integrator_wbz = {
    .kind = {.name = "wbz",
             .help = "alpha method of Wood, Bossak and Zienkiewicz, order 2, damps high frequencies",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_ON_GROUPS},
    .create = bl_genalpha_create,
    .formula = wbz_formula,
    BL_GENALPHA_SLOTS,
};
